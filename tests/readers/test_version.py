"""Nobody changes how raw files are read without raising `readers.VERSION`: lakes record it, and are read again.

The files below become tables: member, columns, rows, whether something was lost; or what they describe.  Their digest
is recorded here for every version.  Files are added only together with a new version.  None of them needs an extra.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mere import readers
from mere.errors import Unreadable
from mere.readers import Limits, describe, open_tables
from tests.readers.raw_files import rows_of, write

RECORDED = {2: "25135c74fb92fcb5"}

TEXTS: dict[str, str | bytes] = {
    "plain.csv": "a,b\n1,x\n2,y\n",
    "semicolon.csv": "a;b\n1,5;x\n2,5;y\n",
    "tabs.tsv": "a\tb\n1\tx, y\n2\t\n",
    "pipes.txt": "a|b\n1|x\n2|y\n",
    "quotes.csv": 'a,b\n1,"two\nlines"\n2,"he said ""no"""\n3,\'q\'\n',
    "open quote.csv": 'a,b\n1,"x\n2,y\n3,z\n',
    "ragged.csv": "a,b,c\n1,2\n1,2,3\n1,2,3,4\n",
    "preamble.csv": "Source: office\n\nTable 3\na,b\n1,2\n3,4\nNote: estimated\n",
    "no header.csv": "1,x\n2,y\n3,z\n4,v\n",
    "twice.csv": "a,a,,b\n1,2,3,4\n5,6,7,8\n",
    "header again.csv": "a,b\n1,x\na,b\n2,y\n",
    "two rows.csv": "Men,,Women,\nold,young,old,young\n1,2,3,4\n5,6,7,8\n",
    "stacked.csv": "a,b\n1,2\n3,4\n\n\nc,d,e\n1,2,3\n4,5,6\n",
    "totals.csv": "land,n\nAT,1\nCH,2\nTotal,3\n",
    "comments.csv": "# made by hand\na,b\n1,2\n# inside\n3,4\n",
    "sep.csv": "sep=;\na;b\n1;2\n",
    "blank lines.csv": "a,b\n\n1,2\n\n3,4\n",
    "bom.csv": "\ufeffa,b\n1,ü\n".encode(),
    "latin.csv": "a,b\nÖsterreich,Straße\n".encode("latin-1"),
    "utf16.csv": "a,b\n1,ü\n2,é\n".encode("utf-16"),
    "windows.csv": "a,b\n“x”,€\n".encode("cp1252"),
    "nul.csv": b"a,b\n1,\x00\n2,x\n",
    "returns.csv": "a,b\r1,2\r3,4\r",
    "one column.csv": "name\nAda\nBob\n",
    "only a header.csv": "a,b,c\n",
    "empty.csv": "",
    "picture.csv": b"\x89PNG\r\n\x1a\n\x00\x00\x00",
    "fixed.txt": "name      age  city\nAda        36  Vienna\nBob        12  Bern\nCarl        7  Basel\n",
    "ruled.txt": "+----+---+\n| a  | b |\n+----+---+\n| 1  | x |\n| 2  | y |\n+----+---+\n",
    "records.json": '[{"a": 1, "b": {"c": "x", "d": null}}, {"a": 2.50, "e": [1, 2]}]',
    "lines.jsonl": '{"a": 1, "t": [{"x": 1}, {"x": 2}]}\n{"a": true}\n',
    "columns.json": '{"a": [1, 2], "b": ["x", "y"]}',
    "page.html": "<table><tr><th>a<th colspan=2>b<tr><td>1<td>x<td>y</table><table><tr><td>1<td>2<tr><td>3<td>4",
    "packed.csv.gz": gzip.compress(b"a,b\n1,2\n", mtime=0),
}
DESCRIBED = {"plain.csv": ["plain.md"], "latin.csv": ["datapackage.json"]}
DESCRIPTIONS = {
    "plain.md": "# Plain\n\nA table of two columns.\n",
    "datapackage.json": '{"title": "Lands", "resources": [{"path": "latin.csv", "description": "in Latin-1"}]}',
}


def binary_files(folder: Path) -> None:
    """Files that libraries write: their tables are the same whatever the version of the library."""
    times = pa.array([0, None], pa.timestamp("ms", "UTC"))
    nested = pa.array([{"x": 1.5, "y": [1]}, None])
    pq.write_table(pa.table({"a": [1, None], "t": times, "n": nested, "d": [0.1, 1e300]}), folder / "typed.parquet")
    with sqlite3.connect(folder / "base.sqlite") as base:
        base.execute("create table t (a integer, b text)")
        base.executemany("insert into t values (?, ?)", [(1, "x"), (2, None)])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("plain.csv", "records.json"):
            archive.writestr(name, TEXTS[name])
    write(folder, "packed.zip", packed.getvalue())


def described(path: Path) -> object:
    """Everything that a file is read as, as JSON."""
    try:
        tables = list(open_tables(str(path), Limits()))
    except Unreadable:
        return "unreadable"
    return [[table.member, table.format, table.columns, rows_of(table), table.lost, table.typed] for table in tables]


def digest_of_files(folder: Path) -> str:
    for name, content in {**TEXTS, **DESCRIPTIONS}.items():
        write(folder, name, content)
    binary_files(folder)
    known = {path.name: described(path) for path in sorted(folder.iterdir()) if path.name not in DESCRIPTIONS}
    assert sum(tables != "unreadable" for tables in known.values()) > 30
    for name, sidecars in DESCRIBED.items():
        about = describe(str(folder / name), [str(folder / sidecar) for sidecar in sidecars], Limits())
        known[f"{name}, described"] = {key: value for key, value in about.__dict__.items() if key != "broken"}
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


def test_files_are_read_by_the_version_that_lakes_record(tmp_path: Path) -> None:
    actual = digest_of_files(tmp_path)
    assert RECORDED.get(readers.VERSION) == actual, (
        "what files are read as has changed: raise VERSION in src/mere/readers/__init__.py,"
        f" record '{actual}' for it in RECORDED here, and add a lake of the new version to tests/pipeline/golden"
    )
