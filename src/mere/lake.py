"""The lake, as Python sees it: `mere.index(sources, lake)` makes one, `mere.open(lake)` asks it.

Asking needs neither Spark nor a JVM: the pipeline is imported only by `index` and by batches of questions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mere.answers import Hit, Hits
from mere.errors import Corrupt, LakeError, NoSuchTable, Unreadable, UsageError
from mere.search import Asker, Profile, Tables, all_tables, find_rows, find_table, profile
from mere.search.inputs import (
    is_table_of_the_lake,
    like,
    only_column,
    read_column,
    read_frame,
    read_key,
    read_shape,
    several_columns,
    united,
)
from mere.segments import OpenSnapshot
from mere.segments.snapshot import kept_numbers, read_snapshot

if TYPE_CHECKING:
    import pyarrow as pa

    from mere.pipeline import Report
    from mere.search.proposals import Proposal

PathLike = str | os.PathLike[str]


def index(sources: PathLike | Iterable[PathLike], lake: PathLike, **options: Any) -> Report:
    """Bring a lake up to date with its sources, on Spark; make it if there is none.

    Options: `spark` (a SparkSession to use), `master`, `settings` (a `Settings`), `forget` (sources to drop),
    `rebuild`, `compact`, `dry_run`, `progress`.
    """
    from mere.pipeline import index as run

    several = [sources] if isinstance(sources, str | os.PathLike) else sources
    if not isinstance(several, Iterable) or not all(isinstance(one, str | os.PathLike) for one in several):
        raise UsageError(f"sources={sources!r} are no paths", "give a folder, a file, or a list of them")
    return run(several, lake, **options)


def open(lake: PathLike, as_of: int | None = None) -> Lake:
    """Open a lake at its current snapshot, or at an older one that is still kept."""
    if not isinstance(lake, str | os.PathLike) or isinstance(as_of, bool) or not isinstance(as_of, int | None):
        raise UsageError(
            f"cannot open lake={lake!r}, as_of={as_of!r}", "give a path, and a snapshot's number or nothing"
        )
    return Lake(os.fspath(lake), as_of)


class Lake:
    """One snapshot of a lake, open for questions until closed; later index runs do not disturb it."""

    def __init__(self, path: str, as_of: int | None = None) -> None:
        self.path = path
        self._opened = OpenSnapshot(path, as_of)
        self._asker = Asker(self._opened)

    def __enter__(self) -> Lake:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Let garbage collection have the snapshot."""
        self._opened.close()

    def __repr__(self) -> str:
        totals = self._opened.snapshot.totals
        return f"<Lake '{self.path}', snapshot {self.snapshot}: {totals.get('tables', 0):,} tables>"

    @property
    def snapshot(self) -> int:
        """The number of the snapshot that is open."""
        return self._opened.number

    @cached_property
    def tables(self) -> Tables:
        """All tables, in the order of their names."""
        return all_tables(self._opened)

    def profile(self, table: str, where: Any = None) -> Profile:
        """What is known of a table: where it came from, its columns, their types, counts and histograms.

        With `where`, a condition as for `Lake.where`, also what the histograms say of its predicates, with a picture.
        """
        found = profile(self._opened, table)
        if where is None:
            return found
        from mere.language import meaning_of
        from mere.search.conditions import judged

        return replace(found, conditions=judged(self._asker, meaning_of(where), found.name))

    def export_profiles(
        self, tables: Sequence[str] | None = None, path: PathLike | None = None, *, least: int = 0, **dataset: str
    ) -> dict[str, Any]:
        """What can be told of these tables (default: all) without a row: Croissant 1.1, with histograms.

        Edges, least and largest values are values of the columns, and a bin may hold one row: with `least`, edges are
        round, no bin holds fewer rows, and ranges are left out.  `dataset` says more: name, url, creator, license, ...
        The document is returned, and written to `path` if one is given.
        """
        from mere.search import publishing

        document = publishing.profiles(self._asker, tables, least, dataset)
        if path is not None:
            publishing.write(document, os.fspath(path))
        return document

    def keywords(self, words: str, k: int = 10, per: str = "table") -> Hits:
        """The tables that speak of these words, best first."""
        return self._asker.ask("keywords", {"text": words}, k, per)

    def overlap(
        self,
        values: Any,
        k: int = 10,
        *,
        on: str | None = None,
        per: str = "table",
        numbers: bool | None = None,
        table: str | None = None,
        ties: str = "name",
        mode: str = "auto",
    ) -> Hits:
        """The columns that share the most distinct values with mine: exact, the best k (0: all).

        `values` is a list, a pandas, polars or Arrow column; or a frame, a file or a table of the lake with `on` naming
        the column.  `numbers`: whether columns of numbers may answer (default: if the values are numbers).  `table`:
        the only table to look at.  `ties`: equal overlaps go by 'name', or first to columns that look like 'keys'
        (few rows per value, then few values).  `mode`: 'auto', or one of the thesis's algorithms: 'merge', 'probe',
        'josie'.
        """
        query = {
            **self._column(values, on), "numbers": numbers, "mode": mode, "ties": ties, "table": self._with_rows(table),
        }  # fmt: skip
        return self._asker.ask("overlap", query, k, per)

    def containment(
        self,
        values: Any,
        threshold: float = 0.6,
        *,
        on: str | None = None,
        k: int = 0,
        per: str = "table",
        numbers: bool | None = None,
        table: str | None = None,
        ties: str = "name",
        verify: bool = True,
        exact: bool | None = None,
    ) -> Hits:
        """The columns that hold at least this share of my distinct values; all of them, or the best k.

        `exact=True` finds every one; `exact=False` takes candidates from signatures, which may miss one, and computes
        their containment, or with `verify=False` estimates it; by default it is exact unless that would take long.
        The rest is as for `overlap`.
        """
        query = {
            **self._column(values, on), "threshold": threshold, "numbers": numbers, "table": self._with_rows(table),
            "ties": ties, "verify": verify, "exact": exact,
        }  # fmt: skip
        return self._asker.ask("containment", query, k, per)

    def composite(
        self,
        frame: Any,
        on: Sequence[str] | str | None = None,
        k: int = 10,
        *,
        threshold: float | None = None,
        numbers: bool | None = None,
        table: str | None = None,
        mode: str = "auto",
    ) -> Hits:
        """The tables that hold the most distinct keys of mine, in whichever columns and order they keep them: exact.

        `frame` is a frame, a file or a table of the lake; `on` names the key's columns, one to eight (default: all of
        the frame's).  `threshold`: only tables that hold this share of my keys.  `numbers=False` keeps columns of
        numbers from answering.  `table`: the only table to look at.  `mode`: 'auto', or 'rarest', 'mate', 'scr', 'mcr'.
        """
        query = {
            **read_key(frame, on, self._opened).query(), "threshold": threshold, "numbers": numbers,
            "table": self._with_rows(table), "mode": mode,
        }  # fmt: skip
        return self._asker.ask("composite", query, k)

    def propose_keys(self, frame: Any, most: int = 5) -> list[Proposal]:
        """On which columns could this table be joined?  Near-unique combinations, with the reason, best first."""
        from mere.search.proposals import propose_keys

        mine = self.rows(frame) if is_table_of_the_lake(frame) else read_frame(frame, [], self._opened)
        return propose_keys(mine, most)

    def distribution(
        self,
        predicate: Any = None,
        k: int = 10,
        *,
        like: Any = None,
        on: str | None = None,
        column: str | None = None,
        per: str = "table",
        table: str | None = None,
        mode: str = "auto",
    ) -> Hits:
        """The columns that may satisfy a predicate, by their histograms alone; every hit says whether it surely does.

        `predicate` is a text, such as 'at least 30% of age < 40', or `mere.at_least(0.3, "age") < 40`.  `mode`: 'auto';
        the FAINDER paper's 'low-memory', 'full-recall', 'full-precision' and 'exact', where the lake was indexed with
        `fainder_clusters`; and its baselines 'profile-scan', 'binsort', 'normal-dist'.  A date is compared with columns
        of dates alone, a number with the others.

        Or, with `like`, the columns that are spread most like something: a list of numbers, a Series, a frame, file or
        table of the lake with `on` naming its column, or a curve: 'normal(0, 1)', 'uniform(0, 100)', 'lognormal(0, 1)'.
        `column` says which columns may answer: a name, a glob, '/a regular expression/' (default: any).
        """
        if (predicate is None) == (like is None):
            raise UsageError("a distribution takes a predicate, or like=", "give one of them")
        if like is None:
            query = {"predicate": predicate, "mode": mode}
        else:
            query = {**read_shape(like, on, self._opened), "column": column}
        return self._asker.ask("distribution", {**query, "table": self._table(table)}, k, per)

    def where(self, condition: Any, k: int = 10) -> Hits:
        """The tables that meet a condition: predicates on columns and words, composed by and, or, not.

        `condition` is a text, such as "at least 30% of age < 40 and 'cancer'", or an expression made of
        `mere.at_least`, `mere.at_most` and `mere.words` with &, | and ~.
        """
        from mere.language import meaning_of
        from mere.search.conditions import tables_where

        return tables_where(self._asker, meaning_of(condition), k)

    def _column(self, values: Any, on: str | None) -> dict[str, Any]:
        return read_column(values, on, self._opened).query()

    def _table(self, name: str | None) -> str | None:
        """The whole name of a table."""
        if name is None:
            return None
        segment, number = find_table(self._opened, name)
        return segment.names[number]

    def _with_rows(self, name: str | None) -> str | None:
        """The whole name of a table whose rows are here."""
        if name is not None:
            find_rows(self._opened, name)
        return self._table(name)

    def join(
        self,
        left: Any,
        hit: Hit | tuple[str, str | Sequence[str]],
        how: str = "left",
        *,
        on: str | Sequence[str] | None = None,
    ) -> Any:
        """My rows with those of the table a hit names, joined on equal values, however they are spelled.

        `left` is a frame, a file or a table of the lake; the result is a frame of the same sort (Arrow for the last
        two).  `hit` is a hit, or a pair (table, column or columns); `on` is my column, or columns in the same
        order, known to a hit that was found with it.  `how` is 'left', 'inner', 'right' or 'outer'.
        """
        from mere.search.joining import join

        if not isinstance(hit, Hit) and (not isinstance(hit, tuple) or len(hit) != 2):
            raise UsageError(f"{hit!r} is no hit", "give a hit, or a pair (table, column)")
        table, columns = (hit.table, hit.columns) if isinstance(hit, Hit) else hit
        on = on or (hit.evidence.get("on") if isinstance(hit, Hit) else None)
        wanted = [on] if isinstance(on, str) else list(on or [])
        mine = self.rows(left) if is_table_of_the_lake(left) else read_frame(left, wanted, self._opened)
        theirs = self.rows(table)
        right = several_columns(
            theirs.column_names, [columns] if isinstance(columns, str) else columns, f"table '{table}'"
        )
        what = "the left table"
        if not wanted and len(right) == 1:
            wanted = [only_column(mine.column_names, None, what)]
        names = several_columns(mine.column_names, wanted, what)
        if len(names) != len(right):
            raise UsageError(
                f"{len(names)} columns of mine and {len(right)} of '{table}'",
                "name as many, in the same order, with on=",
            )
        return like(join(mine, names, theirs, right, how), left)

    def graph(self, out: PathLike, threshold: float = 0.8, **options: Any) -> dict[str, Any]:
        """Write the join graph: every pair of columns of which one holds at least this share of the other's values.

        Computed on Spark's executors, written as Parquet to the folder `out`.  Options: `numbers` (columns of numbers
        too), `spark` (a session to use), `master`, `progress`.
        """
        from mere.pipeline.graph import write_graph

        return write_graph(self._opened, os.fspath(out), threshold, **options)

    def warm(self, progress: Callable[[str, float], None] | None = None) -> Lake:
        """Compile the kernels now, or load them: for a process that will ask many questions.

        `progress` is called with the name of each kernel and the seconds it took.
        """
        from mere import compiled
        from mere.indexes import KINDS
        from mere.indexes.containment import search as containment
        from mere.indexes.overlap import search as overlap
        from mere.store import compiled as not_yet_grouped

        for kind, name in ((overlap, "overlap"), (containment, "containment")):
            compiled.warm(kind.warm(self._asker.parts(KINDS[name])), progress)
        not_yet_grouped.warm()
        for segment in self._opened.segments[:1]:  # a value that is there has everything loaded that a hit needs
            if len(segment.dictionary):
                self.composite({"mere": [segment.dictionary.values[0]]}, k=1)
        return self

    def batch(self, kind: str, queries: Sequence[Any], spark: Any, k: int = 10, per: str = "table") -> list[Hits]:
        """The answers to many questions of one kind, searched on Spark's executors; the same as one by one.

        A query is what the kind's own method takes first, or a mapping with more of what it takes.
        """
        from mere.pipeline.batch import ask_all

        return ask_all(self._opened, kind, [self._query(kind, query) for query in queries], k, per, spark)

    def _query(self, kind: str, query: Any) -> dict[str, Any]:
        if kind == "keywords":
            return query if isinstance(query, dict) else {"text": query}
        if kind == "distribution":
            return query if isinstance(query, dict) else {"predicate": query}
        if kind == "composite":
            named = isinstance(query, dict) and "frame" in query and not isinstance(query["frame"], list | tuple)
            more = dict(query) if named else {"frame": query}
            key = read_key(more.pop("frame"), more.pop("on", None), self._opened).query()
            return {**key, **more, "table": self._with_rows(more.get("table"))}
        more = dict(query) if isinstance(query, dict) and "values" in query else {"values": query}
        column = self._column(more.pop("values"), more.pop("on", None))
        return {**column, **more, "table": self._with_rows(more.get("table"))}

    def rows(self, table: str, columns: Sequence[str] | None = None, limit: int | None = None) -> pa.Table:
        """The raw table, read back from its file by the reader that indexed it: text as it was written."""

        from mere import readers
        from mere.readers import Limits

        segment, number = find_rows(self._opened, table)
        facts = segment.facts(number)
        limits = Limits.from_dict(self._opened.snapshot.settings.get("limits", {}))
        path = facts.source if os.path.isfile(facts.source) else os.path.join(facts.source, facts.path)
        if not os.path.exists(path):
            raise NoSuchTable(f"the raw file '{path}' is gone", "restore it, or run 'mere index' to forget it")
        if os.path.getsize(path) != facts.bytes:
            raise LakeError(f"'{path}' has changed since it was indexed", "bring the lake up to date with 'mere index'")
        try:
            raw = readers.reopen(path, facts.member, limits, facts.repeat)
        except Unreadable as error:
            raise LakeError(f"'{path}' is no longer what was indexed: {error.message}", "run 'mere index'") from error
        batches, rows = [], 0
        for batch in raw.batches():
            batches.append(batch)
            rows += batch.num_rows
            if limit is not None and rows >= limit:
                break
        whole = united(batches, raw.columns)
        whole = whole if limit is None else whole.slice(0, limit)
        return whole if columns is None else _chosen(whole, columns, table)

    def quarantine(self) -> list[dict[str, str]]:
        """The files that could not be read, or only in part, with the reason and what was kept."""
        from mere.pipeline import registry

        return registry.quarantine(registry.read_records(self.path, self._opened.snapshot))

    def info(self) -> dict[str, Any]:
        """What the lake holds, what it takes, and which snapshots are kept."""
        snapshot = self._opened.snapshot
        sizes: dict[str, int] = {}
        for segment in snapshot.segments:
            for name, entry in segment["files"].items():
                sizes[name] = sizes.get(name, 0) + entry["bytes"]
        return {
            "lake": self.path,
            "snapshot": snapshot.number,
            **snapshot.totals,
            "segments": len(snapshot.segments),
            "index_bytes": sum(sizes.values()),
            "files": sizes,
            "sources": snapshot.sources,
            "settings": snapshot.settings,
            "snapshots": list(_snapshot_lines(self.path)),
        }


def _snapshot_lines(lake: str) -> Iterator[dict[str, Any]]:
    """What is kept; a snapshot may be collected while this looks."""
    for number in kept_numbers(lake):
        try:
            snapshot = read_snapshot(lake, number)
        except FileNotFoundError:
            continue
        except Corrupt as error:
            yield {"snapshot": number, "damaged": error.message}
            continue
        counts = {**snapshot.totals, "segments": len(snapshot.segments)}
        yield {"snapshot": number, "created": snapshot.created, **counts}


def _chosen(table: pa.Table, columns: Sequence[str], name: str) -> pa.Table:
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        known = ", ".join(table.column_names[:20])
        raise UsageError(f"table '{name}' has no column '{missing[0]}'", f"it has {known}")
    return table.select(list(columns))
