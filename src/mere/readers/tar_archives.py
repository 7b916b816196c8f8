"""Tar archives: every member is read like a file. Nothing is extracted to disk: member names cannot do harm."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from mere.errors import Unreadable
from mere.readers.hidden import is_junk
from mere.readers.limits import Limits
from mere.readers.source import Content, Source
from mere.readers.spool import Slice, Spooled

FAULTS = (tarfile.TarError, EOFError, OSError, ValueError, OverflowError)


def tar_members(source: Source, limits: Limits, failures: list[tuple[str, str]]) -> Iterator[Source]:
    """The archive's files as sources; links and sparse files, and members beyond the limit, go to `failures`."""
    content = Spooled(source)
    count = 0
    try:
        with content.open() as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
            for entry in archive:
                if entry.isdir() or is_junk(entry.name):
                    continue
                count += 1
                if count > limits.members:
                    failures.append(("", f"more than {limits.members:,} members: the others were not read"))
                    break
                if not entry.isreg() or entry.issparse():
                    failures.append((entry.name, "a link, a device or a sparse file in a tar archive"))
                    continue
                opener = _opener(content, entry.offset_data, entry.size)
                yield Source(entry.name, Content(opener, entry.size, seekable=False), limits)
    except FAULTS as fault:
        if not count:
            raise Unreadable(f"{source.name}: corrupt tar archive: {fault}", "pack it again") from fault
        failures.append(("", f"the tar archive is corrupt from here on: {fault}"))
    if content.fault:
        failures.append(("", f"the tar archive ends early: {content.fault}"))


def _opener(content: Spooled, offset: int, size: int) -> Callable[[], BinaryIO]:
    return lambda: cast(BinaryIO, Slice(content.open, offset, size))
