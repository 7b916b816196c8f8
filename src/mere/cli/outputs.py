"""Which files may a command write, and what is told of it?  One that exists is overwritten only with --force."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Warnings of the block become notes, each once."""
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        yield
    notes += [text for text in dict.fromkeys(str(each.message) for each in recorded) if text not in notes]
