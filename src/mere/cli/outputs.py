"""Which files may a command write?  One that exists is overwritten only with --force."""

from __future__ import annotations

import os

import click

from mere.errors import UsageError

force_option = click.option("--force", is_flag=True, help="Overwrite what exists already.")


def check_free(force: bool, *paths: str | None) -> None:
    """Refuse, before anything is computed, to overwrite a file or a folder that is not empty."""
    for path in paths:
        if path is not None and not force and _would_be_lost(path):
            raise UsageError(f"'{path}' exists already", "--force overwrites it, or choose another name")


def _would_be_lost(path: str) -> bool:
    """Whether writing there would replace something; a device, such as /dev/stdout, is written to."""
    return os.path.isfile(path) or os.path.islink(path) or (os.path.isdir(path) and bool(os.listdir(path)))
