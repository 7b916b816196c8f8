"""Which format does a file have, according to its first bytes?"""

from __future__ import annotations

from mere.readers.dbase_header import looks_like_dbase
from mere.readers.tar_header import is_tar

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
    b"Obj\x01": "avro",
    b"SQLite format 3\x00": "sqlite",
    b"<stata_dta>": "stata",
    b"$FL2": "spss",
    b"$FL3": "spss",
    bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"): "sas",
    b"HEADER RECORD*******LIBRARY HEADER RECORD": "sas-transport",
    b"HEADER RECORD*******LIBV8   HEADER RECORD": "sas-transport",
    b"\xff\xff\xff\xff": "arrow-stream",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "ole",
}

OLD_STATA = [bytes([release]) for release in (104, 105, 108, 110, 111, 112, 113, 114, 115)]

# Formats that Mere does not read.
UNSUPPORTED = {
    b"PARE": "an encrypted Parquet file",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
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
    b"RDX": "an R data file",
    b"RDA": "an R data file",
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
MARKUP = {b"<?xml": "an XML document", b"<svg": "an SVG image"}
PAGE = (b"<!doctype html", b"<html", b"<table")


def codec_of(head: bytes) -> str:
    """The compression around the file, or an empty string."""
    return next((codec for magic, codec in CODECS.items() if head.startswith(magic)), "")


def format_of(head: bytes, extension: str = "") -> str:
    """A format that Mere reads and that can be told by its first bytes, or an empty string."""
    for magic, name in FORMATS_BY_MAGIC.items():
        if head.startswith(magic):
            return name
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head[257:262] == b"ustar" or (extension == ".tar" and is_tar(head)):
        return "tar"
    if b"SPSS PORT FILE" in head[:512]:
        return "spss-portable"
    if extension == ".dta" and head[:1] in OLD_STATA and head[1:3] in (b"\x01\x01", b"\x02\x01"):
        return "stata"
    if extension == ".dbf" and looks_like_dbase(head):
        return "dbase"
    return "html" if is_page(head, extension) else ""


def is_page(head: bytes, extension: str = "") -> bool:
    """Whether it is HTML, also as XML, or with a comment before it."""
    start = head[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    marks = PAGE[:2] if start.startswith(b"<?xml") else PAGE
    if start.startswith((b"<?xml", b"<!--")) or extension in (".html", ".htm", ".xhtml"):
        return start.startswith(b"<") and any(mark in head.lower() for mark in marks)
    return start.startswith(PAGE)


def unsupported_format(head: bytes, extension: str = "") -> str:
    """What an unsupported file seems to be ("a PDF document"), or an empty string."""
    for magic, name in UNSUPPORTED.items():
        if head.startswith(magic):
            return name
    if is_page(head, extension):
        return ""
    start = head[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return next((name for magic, name in MARKUP.items() if start.startswith(magic)), "")


def looks_binary(head: bytes) -> bool:
    """Control bytes that no text encoding uses, in more than one byte of twenty; a few NULs occur in real exports."""
    sample = head[:8192]
    if sample.count(0) * 3 > len(sample):
        return True
    control = len(sample) - len(sample.translate(None, _CONTROL))
    return control * 20 > len(sample)


_CONTROL = bytes(code for code in range(1, 32) if code not in (1, 9, 10, 12, 13, 26, 27, 31))
