"""The lake, as Python sees it: `mere.index(sources, lake)` makes one, `mere.open(lake)` asks it.

Asking needs neither Spark nor a JVM: the pipeline is imported only by `index` and by batches of questions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mere.answers import Hits
from mere.errors import Corrupt, LakeError, NoSuchTable, Unreadable, UsageError
from mere.search import Asker, Profile, Tables, all_tables, find_table, profile
from mere.segments import OpenSnapshot
from mere.segments.snapshot import kept_numbers, read_snapshot

if TYPE_CHECKING:
    import pyarrow as pa

    from mere.pipeline import Report

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

    def profile(self, table: str) -> Profile:
        """What is known of a table: where it came from, its columns, their types, counts and histograms."""
        return profile(self._opened, table)

    def keywords(self, words: str, k: int = 10, per: str = "table") -> Hits:
        """The tables that speak of these words, best first."""
        return self._asker.ask("keywords", {"text": words}, k, per)

    def batch(self, kind: str, queries: Sequence[Any], spark: Any, k: int = 10, per: str = "table") -> list[Hits]:
        """The answers to many questions of one kind, searched on Spark's executors; the same as one by one."""
        from mere.pipeline.batch import ask_all

        asked = [query if isinstance(query, dict) else {"text": query} for query in queries]
        return ask_all(self._opened, kind, asked, k, per, spark)

    def rows(self, table: str, columns: Sequence[str] | None = None, limit: int | None = None) -> pa.Table:
        """The raw table, read back from its file by the reader that indexed it: text as it was written."""

        from mere import readers
        from mere.readers import Limits

        segment, number = find_table(self._opened, table)
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
        whole = _united(batches, raw.columns)
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


def _united(batches: list[Any], columns: list[str]) -> pa.Table:
    import pyarrow as pa

    if not batches:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    return pa.concat_tables([pa.Table.from_batches([b]) for b in batches], promote_options="default")


def _chosen(table: pa.Table, columns: Sequence[str], name: str) -> pa.Table:
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        known = ", ".join(table.column_names[:20])
        raise UsageError(f"table '{name}' has no column '{missing[0]}'", f"it has {known}")
    return table.select(list(columns))
