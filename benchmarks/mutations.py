"""Small files of every format that is read, and what can happen to the bytes of a file.

A file that is mutated is decided by a seed and its number alone, so that any of them can be made again.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import sqlite3
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet as pq

ROWS = [(n, f"name {n % 7}", n / 8, None if n % 5 else "ä", f"2020-01-{n % 28 + 1:02d}") for n in range(60)]
NAMES = ["id", "name", "amount", "note", "day"]
LARGE = [struct.pack(form, value) for form in ("<i", ">i", "<q", ">q") for value in (-1, 2**31 - 1, 2**30)]


def _csv(delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([NAMES, *ROWS])
    return text.getvalue().encode()


def _records() -> list[dict[str, object]]:
    return [{**dict(zip(NAMES, row, strict=True)), "tags": [{"k": row[0]}, {"k": 1}]} for row in ROWS]


def _table() -> pa.Table:
    flat = {name: pa.array(column) for name, column in zip(NAMES, zip(*ROWS, strict=True), strict=True)}
    nested = pa.array([[{"x": n}] * (n % 3) for n in range(len(ROWS))])
    return pa.table({**flat, "nested": nested, "coded": flat["name"].dictionary_encode()})


def _written(write: Callable[[pa.BufferOutputStream], object]) -> bytes:
    stream = pa.BufferOutputStream()
    write(stream)
    return bytes(stream.getvalue())


def _ipc(stream: pa.BufferOutputStream, new: Callable[..., pa.ipc.RecordBatchStreamWriter]) -> None:
    with new(stream, _table().schema) as writer:
        writer.write_table(_table())


def _zip(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _tar(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def _xlsx() -> bytes:
    from openpyxl import Workbook

    book, stream = Workbook(), io.BytesIO()
    for row in [NAMES, *ROWS]:
        book.active.append(list(row))
    book.active.merge_cells("A3:B4")
    book.create_sheet("empty")
    book.save(stream)
    return stream.getvalue()


def _xls() -> bytes:
    import xlwt

    book, stream = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("sheet")
    for r, row in enumerate([NAMES, *ROWS]):
        for c, cell in enumerate(row):
            sheet.write(r, c, cell)
    book.save(stream)
    return stream.getvalue()


def _sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        connection = sqlite3.connect(path)
        connection.execute("create table t (id integer primary key, name text, amount real, note text, day text)")
        connection.executemany("insert into t values (?, ?, ?, ?, ?)", ROWS)
        connection.commit()
        connection.close()
        return path.read_bytes()


def _duckdb() -> bytes:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.duckdb")
        with duckdb.connect(str(path)) as connection:
            connection.execute("create table t as select range as id, 'name ' || range as name from range(60)")
        return path.read_bytes()


def _avro() -> bytes:
    import fastavro

    fields = [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}, {"name": "amount", "type": "double"}]
    stream = io.BytesIO()
    schema = {"type": "record", "name": "row", "fields": fields}
    fastavro.writer(stream, schema, [dict(zip(NAMES[:3], row, strict=False)) for row in ROWS], codec="deflate")
    return stream.getvalue()


def _dbf() -> bytes:
    fields = [(b"ID", b"N", 6), (b"NAME", b"C", 10)]
    size = 1 + sum(width for _, _, width in fields)
    head = struct.pack("<B3BIHH20x", 3, 120, 1, 1, len(ROWS), 33 + 32 * len(fields), size)
    described = b"".join(
        name.ljust(11, b"\0") + kind + bytes(4) + bytes([width]) + bytes(15) for name, kind, width in fields
    )
    rows = b"".join(b" " + str(row[0]).encode().rjust(6) + row[1].encode().ljust(10) for row in ROWS)
    return head + described + b"\r" + rows + b"\x1a"


def _stata() -> bytes:
    import pandas as pd

    stream = io.BytesIO()
    pd.DataFrame([row[:3] for row in ROWS], columns=NAMES[:3]).to_stata(stream, write_index=False)
    return stream.getvalue()


def _html() -> bytes:
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in [NAMES, *ROWS])
    return f"<!doctype html><html><body><p>Text</p><table>{rows}</table></body></html>".encode()


MAKERS: dict[str, Callable[[], bytes]] = {
    "csv": lambda: _csv(","),
    "tsv": lambda: _csv("\t"),
    "json": lambda: json.dumps({"rows": _records()}).encode(),
    "jsonl": lambda: b"".join(json.dumps(record).encode() + b"\n" for record in _records()),
    "parquet": lambda: _written(lambda stream: pq.write_table(_table(), stream, row_group_size=25)),
    "arrow": lambda: _written(lambda stream: _ipc(stream, pa.ipc.new_file)),
    "arrows": lambda: _written(lambda stream: _ipc(stream, pa.ipc.new_stream)),
    "feather": lambda: _written(lambda stream: pyarrow.feather.write_feather(_table(), stream, compression="lz4")),
    "orc": lambda: _written(lambda stream: pyarrow.orc.write_table(_table().drop_columns("coded"), stream)),
    "xlsx": _xlsx,
    "xls": _xls,
    "csv.gz": lambda: gzip.compress(_csv(",")),
    "csv.bz2": lambda: bz2.compress(_csv(",")),
    "csv.xz": lambda: lzma.compress(_csv(",")),
    "csv.zst": lambda: pa.compress(_csv(","), "zstd", asbytes=True),
    "zip": lambda: _zip({"a.csv": _csv(","), "b.json": json.dumps(_records()).encode()}),
    "tar": lambda: _tar({"a.csv": _csv(","), "b.tsv": _csv("\t")}),
    "db": _sqlite,
    "duckdb": _duckdb,
    "avro": _avro,
    "dbf": _dbf,
    "dta": _stata,
    "html": _html,
}


def seed_files() -> tuple[dict[str, bytes], list[str]]:
    """A small file of each format, and the formats whose library is not installed."""
    seeds, missing = {}, []
    for extension, make in MAKERS.items():
        try:
            seeds[extension] = make()
        except ImportError:
            missing.append(extension)
    return seeds, missing


def mutated(seeds: dict[str, bytes], seed: int, number: int) -> tuple[str, bytes]:
    """The extension and the bytes of one mutated file."""
    random = np.random.default_rng([seed, number])
    extension = list(seeds)[number % len(seeds)]
    data = seeds[extension]
    if random.random() < 0.25 and extension in ("csv.gz", "csv.bz2", "csv.xz", "csv.zst"):
        return extension, _compressed(_mutate(seeds["csv"], seeds, random), extension)
    if random.random() < 0.25 and extension in ("xlsx", "zip"):
        return extension, _with_mutated_member(data, seeds, random)
    return extension, _mutate(data, seeds, random)


def _compressed(data: bytes, extension: str) -> bytes:
    codecs = {"csv.gz": gzip.compress, "csv.bz2": bz2.compress, "csv.xz": lzma.compress}
    return codecs[extension](data) if extension in codecs else pa.compress(data, "zstd", asbytes=True)


def _with_mutated_member(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    chosen = list(members)[random.integers(len(members))]
    return _zip({**members, chosen: _mutate(members[chosen], seeds, random)})


def _mutate(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    mutations = [_noise, _truncated, _spliced, _flipped, _flipped, _enlarged, _repeated, _blanked]
    return mutations[random.integers(len(mutations))](data, seeds, random)


def _noise(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    """Random bytes, in half of the files after the format's own first bytes."""
    kept = data[: int(random.integers(4, 64))] if random.random() < 0.5 else b""
    return kept + random.bytes(int(random.integers(0, 4096)))


def _truncated(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    start, stop = sorted(random.integers(0, len(data) + 1, 2).tolist())
    return data[start:stop] if random.random() < 0.2 else data[:stop]


def _spliced(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    other = list(seeds.values())[random.integers(len(seeds))]
    return data[: random.integers(len(data) + 1)] + other[random.integers(len(other) + 1) :]


def _flipped(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    array = np.frombuffer(data, np.uint8).copy()
    places = random.integers(0, len(array), int(random.integers(1, 40)))
    array[places] ^= (1 << random.integers(0, 8, len(places))).astype(np.uint8)
    return array.tobytes()


def _enlarged(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    """Large numbers written over some places: sizes, counts and offsets are among them."""
    array = bytearray(data)
    for _ in range(int(random.integers(1, 4))):
        number, place = LARGE[random.integers(len(LARGE))], int(random.integers(0, len(array)))
        array[place : place + len(number)] = number
    return bytes(array)


def _repeated(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    start, stop = sorted(random.integers(0, len(data) + 1, 2).tolist())
    return data[:stop] + data[start:stop] * int(random.integers(1, 20)) + data[stop:]


def _blanked(data: bytes, seeds: dict[str, bytes], random: np.random.Generator) -> bytes:
    start, stop = sorted(random.integers(0, len(data) + 1, 2).tolist())
    return data[:start] + bytes([random.choice([0, 255, 34, 10, 91])]) * (stop - start) + data[stop:]
