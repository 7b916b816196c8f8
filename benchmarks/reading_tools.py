"""The readers that are compared: each turns a path into tables of text cells, with a type per column.

The other tools get the file as it is and detect what they can: CleverCSV its encoding and dialect, then pandas;
DuckDB its dialect, header and types, again with `null_padding` and without strict mode if it refuses the file, as
its manual advises for messy files; pandas its delimiter. The time of a tool is that of its typed reading; the text
of the cells is read a second time, with the dialect that was detected.
"""

from __future__ import annotations

import re
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import duckdb
import pandas as pd
from clevercsv.detect import Detector
from clevercsv.encoding import get_encoding

from mere.readers import open_tables
from mere.readers.table import concatenated
from mere.segments.summarise import digest, summarise
from mere.segments.table import Facts
from mere.values import Type
from reading_tables import BOOLEAN, DATE, NUMBER, TEXT

SECONDS = 10  # per file and tool


@dataclass
class Read:
    names: list[str]
    cells: list[list[str]]
    types: list[str]


def with_mere(path: str) -> tuple[float, list[Read]]:
    started = time.perf_counter()
    tables = list(open_tables(path))
    read = [concatenated(list(table.batches()), table.columns) for table in tables]
    facts = [Facts("", "", path, table.member, format=table.format, dialect=table.dialect) for table in tables]
    typed = summarise(facts, digest(read))
    seconds = time.perf_counter() - started
    found = []
    for rows, table in zip(read, typed, strict=True):
        cells = [[cell or "" for cell in column.to_pylist()] for column in rows.columns]
        types = [_mere_type(Type(int(each))) for each in table.columns.types]
        found.append(Read(rows.column_names, [list(row) for row in zip(*cells, strict=True)], types))
    return seconds, found


def _mere_type(found: Type) -> str:
    if found.is_number:
        return NUMBER
    return {Type.DATETIME: DATE, Type.BOOLEAN: BOOLEAN}.get(found, TEXT)


def with_clevercsv(path: str) -> tuple[float, list[Read]]:
    started = time.perf_counter()
    encoding = get_encoding(path)
    with open(path, encoding=encoding, newline="") as file:
        dialect = Detector().detect(file.read())
    if dialect is None:
        raise ValueError("no dialect found")
    options = {"dialect": dialect.to_csv_dialect(), "encoding": encoding}
    typed = pd.read_csv(path, **options)
    return time.perf_counter() - started, [_from_frames(path, typed, options)]


def with_pandas(path: str) -> tuple[float, list[Read]]:
    started = time.perf_counter()
    options = {"sep": None, "engine": "python"}
    typed = pd.read_csv(path, **options)
    return time.perf_counter() - started, [_from_frames(path, typed, options)]


def _from_frames(path: str, typed: pd.DataFrame, options: dict) -> Read:
    """Cells as text, and types; dates, which pandas leaves as text, count as found if pandas can parse them."""
    text = _without_index(pd.read_csv(path, dtype=str, keep_default_na=False, **options))
    types = [_pandas_type(column) for _, column in _without_index(typed).items()]
    cells = [[_cell(cell) for cell in row] for row in text.itertuples(index=False, name=None)]
    return Read([str(name) for name in text.columns], cells, types)


def _without_index(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()


def _cell(value: object) -> str:
    return value if isinstance(value, str) else "" if pd.isna(value) else str(value)


def _pandas_type(column: pd.Series) -> str:
    if pd.api.types.is_bool_dtype(column) or set(column.dropna().map(type)) == {bool}:
        return BOOLEAN
    if pd.api.types.is_numeric_dtype(column):
        return NUMBER
    try:
        pd.to_datetime(column)
        return DATE
    except (ValueError, TypeError, OverflowError):
        return TEXT


def with_duckdb(path: str) -> tuple[float, list[Read]]:
    try:
        return _duckdb(path, "")
    except duckdb.Error:
        return _duckdb(path, ", null_padding = true, strict_mode = false")


def _duckdb(path: str, options: str) -> tuple[float, list[Read]]:
    connection = duckdb.connect()
    started = time.perf_counter()
    typed = connection.sql(f"FROM read_csv('{path}'{options})")
    typed.fetchall()
    seconds = time.perf_counter() - started
    kinds = [str(kind) for kind in typed.types]
    prompt = connection.sql(f"SELECT Prompt FROM sniff_csv('{path}'{options})").fetchall()[0][0]
    as_text = re.sub(
        r"'(?:BIGINT|DOUBLE|DATE|TIMESTAMP|TIME|BOOLEAN|TIMESTAMP WITH TIME ZONE)'(?=[,}])", "'VARCHAR'", prompt
    )
    text = connection.sql(as_text)
    cells = [[cell or "" for cell in row] for row in text.fetchall()]
    return seconds, [Read(list(text.columns), cells, [_duckdb_type(kind) for kind in kinds])]


def _duckdb_type(kind: str) -> str:
    if kind in ("BIGINT", "DOUBLE", "HUGEINT", "INTEGER", "FLOAT") or kind.startswith("DECIMAL"):
        return NUMBER
    if kind.startswith(("DATE", "TIME")):
        return DATE
    return BOOLEAN if kind == "BOOLEAN" else TEXT


TOOLS: dict[str, Callable[[str], tuple[float, list[Read]]]] = {
    "Mere": with_mere,
    "CleverCSV": with_clevercsv,
    "DuckDB": with_duckdb,
    "pandas": with_pandas,
}


def read_with(tool: str, path: str) -> tuple[float, list[Read], str]:
    """Seconds, tables and, if the tool failed or took too long, why."""
    started = time.perf_counter()
    signal.signal(signal.SIGALRM, _too_slow)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seconds, tables = TOOLS[tool](path)
        return seconds, tables, ""
    except Exception as fault:
        return time.perf_counter() - started, [], f"{type(fault).__name__}: {fault}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")
