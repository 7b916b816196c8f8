"""Which tables is the learned estimator of `mere assemble` trained on?  Writes them as codes of 0..127.

    python training/assemble_prepare.py FOLDER... OUT.npz

Reads the tables of at least 4,000 rows and 4 columns (CSV, TSV, Parquet) in the folders, takes up to 20,000 distinct
rows of each, and codes their cells with the quantiser that `mere assemble` uses.  Tables with a word of `LEFT_OUT` in
their paths are left out: the evaluation uses such tables.  Of several tables with the same column names one is kept.

OUT.npz has, for table i of `names`: `codes_i` (rows, columns), `first_i` and `last_i` (columns, 128: the interval of
codes that a code is in), `ordered_i` (columns: numbers and dates) and `strength_i` (columns, columns: how much two
columns depend on each other).  `assemble_train.py` needs nothing else of Mere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mere.bundles.learned.column_sets import correlations
from mere.bundles.learned.quantiser import fit_quantiser, sort_keys
from mere.bundles.relation import Relation, relation_of_cells
from mere.bundles.sample import sample_of
from mere.bundles.schema import Schema
from mere.values import Type, column_keys, infer

FEWEST_ROWS, FEWEST_COLUMNS = 4_000, 4
MOST_ROWS, MOST_COLUMNS = 20_000, 64
LEFT_OUT = ("flight", "airport", "routes", "lineitem", "tpch")  # what the evaluation uses, or resembles it
SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t"}


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__)
        return 2
    *folders, out = arguments
    arrays: dict[str, np.ndarray] = {}
    names = []
    for path, names_of_columns, cells in _tables([Path(folder) for folder in folders]):
        coded = _coded(_relation(path.name, names_of_columns, cells))
        arrays |= {f"{part}_{len(names)}": array for part, array in coded.items()}
        names.append(path.name)
        print(f"{len(names):3d}  {coded['codes'].shape[0]:6d} rows  {coded['codes'].shape[1]:3d} columns  {path.name}")
    np.savez_compressed(out, names=np.array(names), **arrays)
    return 0


def _tables(folders: list[Path]) -> Iterator[tuple[Path, list[str], list[pa.Array]]]:
    """The tables that are large enough: path, names of columns, cells as text."""
    seen = set()
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        if any(word in str(path).lower() for word in LEFT_OUT):
            continue
        frame = _read(path)
        if frame is None or len(frame) < FEWEST_ROWS or frame.shape[1] < FEWEST_COLUMNS:
            continue
        frame = frame.iloc[:, :MOST_COLUMNS]
        names = [str(name) for name in frame.columns]
        if tuple(column_keys(names)) not in seen or path.suffix == ".parquet":
            seen.add(tuple(column_keys(names)))
            yield path, names, [_text(frame.iloc[:, place]) for place in range(frame.shape[1])]


def _read(path: Path) -> pd.DataFrame | None:
    if path.suffix == ".parquet":
        try:
            return pq.read_table(path).to_pandas()
        except (pa.ArrowException, OSError, ValueError):
            return None
    separator = next((mark for suffix, mark in SEPARATORS.items() if path.name.endswith(suffix)), None)
    if separator is None:
        return None
    try:
        return pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, on_bad_lines="skip",
                           encoding_errors="replace")  # fmt: skip
    except (ValueError, OSError, pd.errors.ParserError):
        return None


def _text(cells: pd.Series) -> pa.Array:
    return pa.array(cells.astype(str).where(cells.notna(), None), pa.string())


def _relation(name: str, names: list[str], cells: list[pa.Array]) -> Relation:
    plain = relation_of_cells(name, names, cells, Schema(tuple(names), (Type.TEXT,) * len(names)))
    columns = [column for column in plain.columns if column is not None]
    starts = np.cumsum([0] + [len(column.values) for column in columns])
    counts = [np.bincount(column.codes, minlength=len(column.values) + 1)[1:] for column in columns]
    found = infer(pa.concat_arrays([column.texts for column in columns]), starts, np.concatenate(counts))
    schema = Schema(tuple(names), tuple(Type(kind) for kind in found.types))
    return Relation(name, plain.rows, schema, plain.columns)


def _coded(relation: Relation) -> dict[str, np.ndarray]:
    rows = sample_of(relation, MOST_ROWS).relation
    codes, first, last = [], [], []
    for column, kind in zip(rows.columns, rows.schema.types, strict=True):
        assert column is not None
        counts = np.bincount(column.codes, minlength=len(column.values) + 1)[1:]
        quantiser = fit_quantiser([sort_keys(column, kind)], [counts], kind)
        codes.append(quantiser.code_rows(column, kind, rows.rows))
        low, high = quantiser.intervals()
        first.append(low)
        last.append(high)
    table = np.stack(codes, axis=1)
    order = np.random.default_rng(0).permutation(len(table))
    ordered = np.array([kind.has_order for kind in rows.schema.types])
    return {
        "codes": table[order],
        "first": np.stack(first),
        "last": np.stack(last),
        "ordered": ordered,
        "strength": correlations(table).astype(np.float32),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
