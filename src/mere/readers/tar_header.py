"""Does a tar archive start here?"""

from __future__ import annotations

BLOCK = 512


def is_tar(head: bytes) -> bool:
    """Whether the first block is the header of a member: its checksum is right."""
    import tarfile  # rarely needed

    try:
        tarfile.TarInfo.frombuf(head[:BLOCK], "utf-8", "surrogateescape")
        return True
    except tarfile.HeaderError:
        return False
