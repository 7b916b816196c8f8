"""How fast are the tables found that join with mine on several columns?

    python benchmarks/composite.py FOLDER [--questions N] [--patience SECONDS] [--queries FOLDER]

One process, one thread, one run; every system answers the same questions: some columns of a table of the lake, picked
by a seed, with up to a thousand of its rows; the table itself may answer.  Two groups: columns of words and dates, and
any columns that are not decimals.  Cells are normalised and looked for as strings by all; what is timed is from there
to the best ten tables, each with its best mapping of columns; tables and scores must be the same for all, and the
mappings for all of Mere's modes.

Baselines: MATE's Algorithm 1 with super keys (`mate`), without them (`scr`), multi-column retrieval (`mcr`), keys
started from their rarest value (`rarest`), all compiled over the same arrays; and DuckDB, a self-join of a table of all
cells.  Baselines have the whole lake in one segment; Mere has it in the segments it was built in, and, for comparison,
in one.  A system that took longer than the patience for a question sits out the rest of its group (DuckDB is stopped
then), and its ratio is a lower bound over the questions that it answered.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import mere
from measuring import indexed_twice, report, timed
from mere.indexes import KINDS
from mere.indexes.composite.build import arrays_of
from mere.indexes.composite.row_super_keys import super_keys_of
from mere.indexes.kind import Part
from mere.search.asking.ask import merged_search
from mere.search.given import LakeInputs
from mere.segments import Coded, Segment, code_column

ROWS = 1000
GROUPS = {"words and dates": (1, 4), "any columns": (1, 2, 4, 5)}
WIDTHS = {"words and dates": (2, 3, 4, 5, 6), "any columns": (2, 3, 4)}
Answer = list[tuple[str, float, tuple[str, ...] | None]]  # table, keys, columns if they are told


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--questions", type=int, default=40, help="per group and number of columns")
    arguments.add_argument("--patience", type=float, default=10.0, help="seconds a baseline may take for a question")
    arguments.add_argument("--queries", type=Path, help="a folder of tables with queries.json, which lists their keys")
    arguments.add_argument("--seed", type=int, default=7)
    options = arguments.parse_args()
    with indexed_twice(options.folder) as (lake, whole):
        [segment] = whole._opened.segments
        report("The index", sizes_and_times(lake))
        systems: dict[str, Any] = {
            "Mere": Ours(lake, "auto"),
            "Mere, one segment": Ours(whole, "auto"),
            **{mode: Ours(whole, mode) for mode in ("rarest", "mate", "scr", "mcr")},
            "DuckDB": DuckDB(segment),
        }
        if options.queries:
            questions = list(listed(whole, options.queries))
            rows = np.mean([len(one[0].codes) for one in questions])
            title = f"Real questions, on the keys that people would use: {len(questions)}, {rows:.0f} rows on average"
            report(title, compared(systems, questions, options.patience))
        for group, types in GROUPS.items():
            for width in WIDTHS[group]:
                questions = list(picked(segment, types, width, options.questions, options.seed))
                title = f"{group}, {width} columns: {len(questions)} questions, "
                title += f"{np.mean([len(one[0].codes) for one in questions]):.0f} rows on average"
                report(title, compared(systems, questions, options.patience))


def sizes_and_times(lake: mere.Lake) -> list[tuple[str, str, str]]:
    """What the index of this kind takes, per million cells."""
    segments = lake._opened.segments
    trained = KINDS["composite"].train([], {})
    cells = sum(segment.entry.cells for segment in segments) / 1e6
    took, built = timed(lambda: [arrays_of(one, trained, {}) for one in segments])
    size = sum(array.nbytes for arrays in built for array in arrays.values()) / 1e6
    rows = [("build, per million cells", f"{took / cells:.3f} s, {size / cells:.2f} MB", "")]
    for name in ("list.", "rows."):
        part = sum(a.nbytes for arrays in built for n, a in arrays.items() if n.startswith(name)) / 1e6
        rows.append((f"  of it {name}*", f"{part / cells:.2f} MB", ""))
    for recipe in ("bloom-128", "xash-128", "xash-512"):
        parts = [Part(s, arrays_of(s, trained, {"super_keys": recipe}), np.ones(s.table_count, bool)) for s in segments]
        took, made = timed(lambda parts=parts: list(map(super_keys_of, parts)))
        size = sum(keys.nbytes for keys in made) / 1e6
        rows.append(
            (f"super keys {recipe}, in memory, for mode mate", f"{took / cells:.3f} s, {size / cells:.2f} MB", "")
        )
    return rows


def picked(segment: Segment, types: tuple[int, ...], width: int, count: int, seed: int) -> Iterator[list[Coded]]:
    """Columns of these types of tables that have enough of them, and some of their rows."""
    chance = np.random.default_rng(seed)
    kinds, distinct = segment.catalog["column.types"], np.diff(segment.values["set.starts"])
    for table in chance.permutation(segment.table_count).tolist():
        columns = [c for c in segment.columns_of(table) if kinds[c] in types and distinct[c] > 1]
        rows = int(segment.catalog["table.rows"][table])
        if len(columns) < width or rows < 10 or count == 0:
            continue
        chosen = chance.permutation(rows)[:ROWS]
        yield [_coded(segment, column, chosen) for column in chance.permutation(columns)[:width].tolist()]
        count -= 1


def listed(lake: mere.Lake, folder: Path) -> Iterator[list[Coded]]:
    """The composite keys of the tables of a folder, as its queries.json lists them."""
    for entry in json.loads((folder / "queries.json").read_text()):
        file = str(folder / entry["file"])
        names = lake.columns(file)
        for key in entry["keys"]:
            on = [names[int(one)] if str(one).isdigit() and one not in names else one for one in key]
            if len(on) > 1:
                key_columns = LakeInputs(lake._opened).key(file, on, len(on)).columns
                yield [code_column(cells) for cells in key_columns]


def _coded(segment: Segment, column: int, rows: np.ndarray) -> Coded:
    ids = segment.set_of(column)
    values, hashes = segment.dictionary.values.take(ids), segment.dictionary.hashes[ids]
    return Coded(values, hashes, segment.codes_of(column)[rows], [])


class Ours:
    """Mere, in one of its modes."""

    def __init__(self, lake: mere.Lake, mode: str) -> None:
        self.kind, self.mode = KINDS["composite"], mode
        self.parts = lake._asker.parts(self.kind)

    def prepared(self, question: list[Coded]) -> Any:
        return question

    def ask(self, question: Any, patience: float) -> Answer:
        probe = self.kind.plan({"columns": question, "k": 10, "mode": self.mode}, self.parts)
        merged = merged_search(self.kind, self.parts, probe, 10, "table")
        return [(hit.table, hit.score, hit.columns) for hit, _ in merged.pairs]


class DuckDB:
    """Every cell as (value, table, column, row); a key's parts are joined to cells of one row, mapping by mapping."""

    def __init__(self, segment: Segment) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.segment, self.names = segment, segment.names
        self.connection.execute("CREATE TABLE cells (value UINTEGER, home UINTEGER, col UINTEGER, row_number UINTEGER)")
        for table in range(segment.table_count):
            pieces = [self._cells(table, column) for column in segment.columns_of(table)]
            if pieces:
                given = pa.concat_tables(pieces)
                self.connection.register("given", given)
                self.connection.execute("INSERT INTO cells SELECT * FROM given")
        values = pa.table({"word": segment.dictionary.values.to_arrow(), "value": np.arange(len(segment.dictionary))})
        self.connection.register("given", values)
        self.connection.execute("CREATE TABLE words AS SELECT word, value::UINTEGER AS value FROM given")

    def _cells(self, table: int, column: int) -> pa.Table:
        codes = self.segment.codes_of(column)
        rows = np.flatnonzero(codes)
        ids = self.segment.set_of(column)[codes[rows].astype(np.int64) - 1]
        given = {"value": ids, "home": np.full(len(rows), table), "col": np.full(len(rows), column), "row_number": rows}
        return pa.table({name: np.asarray(one, np.uint32) for name, one in given.items()})

    def prepared(self, question: list[Coded]) -> Any:
        words = {}
        for place, column in enumerate(question):
            texts = np.array([None, *column.values.tolist()], object)
            words[f"w{place}"] = pa.array(texts[column.codes], pa.string())
        return pa.table(words)

    def ask(self, question: pa.Table, patience: float) -> Answer:
        self.connection.register("asked", question)
        parts = range(question.num_columns)
        coded = ", ".join(f"d{p}.value AS v{p}" for p in parts)
        looked_up = " ".join(f"JOIN words d{p} ON d{p}.word = w{p}" for p in parts)
        joins = " ".join(
            f"JOIN cells c{p} ON c{p}.value = v{p}"
            + ("" if p == 0 else f" AND c{p}.home = c0.home AND c{p}.row_number = c0.row_number")
            + "".join(f" AND c{p}.col <> c{q}.col" for q in range(p))
            for p in parts
        )
        columns = ", ".join(f"c{p}.col" for p in parts)
        key = "(" + ", ".join(f"v{p}" for p in parts) + ")"
        sql = f"""
            WITH keys AS (SELECT DISTINCT {coded} FROM asked {looked_up}),
            counted AS (
                SELECT c0.home AS home, count(DISTINCT {key}) AS n FROM keys {joins} GROUP BY c0.home, {columns}
            )
            SELECT home, max(n) AS n FROM counted GROUP BY home ORDER BY n DESC, home LIMIT 10
        """
        timer = Interrupt(self.connection, patience)
        with timer:
            found = self.connection.execute(sql).fetchall()
        return [(self.names[table], float(n), None) for table, n in found]


class Interrupt:
    """Ends a statement that takes too long."""

    def __init__(self, connection: Any, seconds: float) -> None:
        import threading

        self.timer = threading.Timer(seconds, connection.interrupt)

    def __enter__(self) -> None:
        self.timer.start()

    def __exit__(self, *fault: object) -> None:
        self.timer.cancel()


def compared(systems: dict[str, Any], questions: list[list[Coded]], patience: float) -> list[tuple[str, str, str]]:
    """Every system answers every question until it takes too long; the answers must agree."""
    laps: dict[str, list[float]] = {name: [] for name in systems}
    tired: set[str] = set()
    for number, question in enumerate([questions[0], *questions]):  # the first is a warm-up
        truth: Answer | None = None
        for name, system in systems.items():
            if name in tired:
                continue
            asked = system.prepared(question)
            try:
                took, answer = timed(lambda s=system, a=asked: s.ask(a, patience))
            except duckdb.InterruptException:
                took, answer = patience, truth
            truth = answer if truth is None else truth
            told = [one[: 2 if one[2] is None else 3] for one in answer]
            assert told == [one[: len(mine)] for one, mine in zip(truth, told, strict=True)], f"{name} disagrees"
            if number:
                laps[name].append(took * 1000)
            if took >= patience and number:  # the warm-up may have compiled something
                tired.add(name)
    ours = laps["Mere"]
    rows = [(name, f"{_spread(lap)}{', gave up' if name in tired else ''}", "") for name, lap in laps.items() if lap]
    targets = {"mate": ">= 8", "DuckDB": ">= 20"}
    for name, lap in laps.items():
        if name != "Mere" and lap:
            mean, middle = np.mean(lap) / np.mean(ours[: len(lap)]), np.median(np.array(lap) / ours[: len(lap)])
            more = "at least " if name in tired else ""
            rows.append((f"{name} / Mere", f"{more}{mean:.1f}, median question {middle:.1f}", targets.get(name, "")))
    return rows


def _spread(laps: list[float]) -> str:
    return f"{np.mean(laps):.3f} ms, p50 {np.median(laps):.3f}, p99 {np.quantile(laps, 0.99):.3f} ({len(laps)})"


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - started:.0f} s")
