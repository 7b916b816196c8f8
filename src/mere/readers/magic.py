"""Which format does a file have, according to its first bytes?"""

from __future__ import annotations

CODECS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"\x04\x22\x4d\x18": "lz4",
}

FORMATS_BY_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "feather",
    b"ORC": "orc",
    b"\xff\xff\xff\xff": "arrow-stream",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "ole",
}

# Formats that Mere does not read.
UNSUPPORTED = {
    b"PARE": "an encrypted Parquet file",
    b"Obj\x01": "an Avro file",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"SQLite format 3\x00": "an SQLite database",
    b"CDF\x01": "a NetCDF file",
    b"CDF\x02": "a NetCDF file",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\x7fELF": "a program",
    b"<stata_dta>": "a Stata file",
    b"$FL2": "an SPSS file",
    b"$FL3": "an SPSS file",
    b"RDX": "an R data file",
    b"RDA": "an R data file",
    b"DUCK": "a DuckDB database",
    b"\x93NUMPY": "a NumPy array",
    b"{\\rtf": "an RTF document",
    b"OggS": "a media file",
    b"ID3": "a media file",
    b"RIFF": "a media file",
    b"\x00asm": "a program",
    b"\x80\x03": "a Python pickle",
    b"\x80\x04\x95": "a Python pickle",
    b"\x80\x05\x95": "a Python pickle",
}
MARKUP = {b"<!doctype html": "an HTML page", b"<html": "an HTML page", b"<?xml": "an XML document",
          b"<svg": "an SVG image"}  # fmt: skip


def codec_of(head: bytes) -> str:
    """The compression around the file, or an empty string."""
    return next((codec for magic, codec in CODECS.items() if head.startswith(magic)), "")


def format_of(head: bytes) -> str:
    """A binary format that Mere reads, or an empty string."""
    return next((name for magic, name in FORMATS_BY_MAGIC.items() if head.startswith(magic)), "")


def unsupported_format(head: bytes) -> str:
    """What an unsupported file seems to be ("an Avro file"), or an empty string."""
    for magic, name in UNSUPPORTED.items():
        if head.startswith(magic):
            return name
    if head[4:8] == b"DUCK" or head[8:12] == b"DUCK":
        return "a DuckDB database"
    if head[257:262] == b"ustar":
        return "a tar archive"
    start = head[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return next((name for magic, name in MARKUP.items() if start.startswith(magic)), "")


def looks_binary(head: bytes) -> bool:
    """Control bytes that no text encoding uses, in more than one byte of twenty; a few NULs occur in real exports."""
    sample = head[:8192]
    if sample.count(0) * 3 > len(sample):
        return True
    control = sum(map(sample.count, _CONTROL))
    return control * 20 > len(sample)


_CONTROL = [bytes([code]) for code in range(1, 32) if code not in (1, 9, 10, 12, 13, 26, 27, 31)]
