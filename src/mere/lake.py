"""The lake, as Python sees it: `mere.index(sources, lake)` makes one, `mere.open(lake)` asks it.

Asking needs neither Spark nor a JVM: the pipeline is imported only by `index` and by batches of questions.

The methods that ask take their arguments in one order: what is asked with; the argument that most questions of the kind
give (`k`, `threshold`, `on`); and then by keyword `on`, `k`, `per`, `table`, and what only some kinds have.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from mere.answers import Hit, Hits
from mere.errors import UsageError
from mere.search import Asker
from mere.segments import OpenSnapshot

if TYPE_CHECKING:
    import pyarrow as pa

    from mere.bundles.answer import CountSignatures
    from mere.pipeline import Report
    from mere.pipeline.given import Source
    from mere.search import Profile, Tables
    from mere.search.assembling import Bundle, Member, Parts, Request
    from mere.search.exporting import Written
    from mere.search.join_plan import JoinPlan
    from mere.search.paths import Paths
    from mere.search.proposals import Proposal

PathLike = str | os.PathLike[str]
_COUNTING = ("exact", "optimal")  # the methods of `assemble` that count all rows
_SPARK_FROM = 50_000_000  # rows: from here on they are counted on Spark


def index(sources: Source | Iterable[Source], lake: PathLike, **options: Any) -> Report:
    """Bring a lake up to date with its sources, on Spark; make it if there is none.

    A source is the path of a folder or file, 'spark:TABLE' (of a catalog), or a mapping from names to frames (pandas,
    polars, Arrow, Spark); or a list of these.  A frame is a table under its name, and stays until another is given
    under this name or it is dropped with forget=['frame:NAME'].

    Options: `spark` (a SparkSession to use), `master`, `settings` (a `Settings`), `forget` (sources to drop),
    `rebuild`, `compact`, `dry_run`, `progress`; and for the sources that are given, kept with the lake, `include` and
    `exclude` (patterns of paths) and `decimal` ('point', 'comma' or 'infer').
    """
    from mere.pipeline import index as run

    return run(sources, lake, **options)


def open(lake: PathLike, as_of: int | None = None) -> Lake:
    """Open a lake at its current snapshot, or at an older one that is still kept."""
    if not isinstance(lake, str | os.PathLike) or isinstance(as_of, bool) or not isinstance(as_of, int | None):
        raise UsageError(
            f"cannot open lake={lake!r}, as_of={as_of!r}", "give a path, and a snapshot's number or nothing"
        )
    return Lake(os.fspath(lake), as_of)


def assemble(
    base: Any,
    candidates: Any = None,
    queries: Sequence[str] | str | None = (),
    budget: float | None = None,
    prices: Any = None,
    method: str = "sketch",
    *,
    lake: Lake | PathLike | None = None,
    exclude: Sequence[str] | str | None = (),
    default_price: float | None = None,
    licences: Sequence[str] | str | None = (),
    sample_size: int | None = None,
    spark: Any = None,
    progress: Callable[[str], None] | None = None,
) -> Bundle:
    """The tables that add the most rows to mine for a budget; with what each adds, and why others are left out.

    `base` and each of `candidates` is a frame (pandas, polars, Arrow, Spark, a mapping of columns), a list of rows, the
    path of a file, or a table of the `lake`; `candidates` may be a mapping from names.  Without them, the tables of the
    lake are considered that have all columns of the base.  `queries`: SQL filters; a row counts if it meets one.
    `budget`: what may be spent (None: no limit).  `prices`: a price per row, a mapping or function (name, rows) ->
    price, a frame or file with columns `table` and `price`; None: each table costs 1.  `default_price`: of tables that
    `prices` lacks.  `method`: 'sketch' estimates from samples, with an interval; 'exact' counts; 'optimal' counts and
    finds the best of all bundles, of up to 20 tables; 'ml' is the learned estimator.  `exclude`: columns that are not
    compared.  `licences`: only tables with one of these.  `sample_size`: rows of a sample, half to choose by and half
    to judge by (default: as the lake has stored them, or 2000).  `spark`: True or a session to
    count on Spark (default: from 50 million rows on).  `progress` is called with a sentence now and then.

    A lake that is given by its path stays open for `Bundle.fetch`, until `Bundle.close()` or the end of a `with`.
    """
    from mere.search.assembling import Request

    request = Request(
        base, candidates, queries, budget, prices, method, exclude, default_price, licences, sample_size, progress
    )  # fmt: skip
    if lake is None or isinstance(lake, Lake):
        return _assembled(request, lake, spark)
    opened = open(lake)
    try:
        return _assembled(request, opened, spark, own=True)
    except BaseException:
        opened.close()
        raise


def _telling_damage(cls: type[Lake]) -> type[Lake]:
    """Have every public method say which file was overwritten under it, if an error comes of that."""

    def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(lake: Lake, *given: Any, **named: Any) -> Any:
            with lake._opened.telling_damage():
                return method(lake, *given, **named)

        return call

    for name, member in list(vars(cls).items()):
        if isinstance(member, cached_property):
            member.func = guarded(member.func)
        elif callable(member) and not name.startswith("_"):
            setattr(cls, name, guarded(member))
    return cls


@_telling_damage
class Lake:
    """One snapshot of a lake, open for questions until closed; later index runs do not change what it sees."""

    def __init__(self, path: str, as_of: int | None = None) -> None:
        self.path = path
        self._opened = OpenSnapshot(path, as_of)
        self._asker = Asker(self._opened)

    def __enter__(self) -> Lake:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Allow garbage collection to remove the snapshot.

        Long answers that are still in use, and not read to the end, get their evidence first.
        """
        self._asker.close()

    def __repr__(self) -> str:
        if self._opened.closed:
            return f"<Lake '{self.path}', closed>"
        totals = self._opened.snapshot.totals
        return f"<Lake '{self.path}', snapshot {self.snapshot}: {totals.get('tables', 0):,} tables>"

    @property
    def snapshot(self) -> int:
        """The number of the snapshot that is open."""
        return self._opened.number

    # what there is

    @cached_property
    def tables(self) -> Tables:
        """All tables, in the order of their names."""
        from mere.search import all_tables

        return all_tables(self._opened)

    def profile(self, table: str, where: Any = None, *, keep_words: Sequence[str] | str | None = None) -> Profile:
        """What is known of a table: where it came from, its columns, their types, counts and histograms.

        With `where`, a condition as for `Lake.where`, also what the histograms say of its predicates, with a picture.
        `keep_words` is as for `rows`; the histograms of `where` are those of the lake.
        """
        from mere.search import profile

        known = profile(self._opened, table, self._asker.inputs.keeping(keep_words).keep_words)
        if where is None:
            return known
        from mere.language import meaning_of
        from mere.search.asking.conditions import judged

        return replace(known, conditions=judged(self._asker, meaning_of(where), known.name))

    def columns(self, given: Any) -> list[str]:
        """The names of the columns of a frame, a file or a table of the lake."""
        return self._asker.inputs.column_names(given)

    def rows(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
        *,
        raw: bool = False,
        misfits: str = "text",
        keep_words: Sequence[str] | str | None = None,
    ) -> pa.Table:
        """The rows of a table; numbers, dates and booleans have their types, with `raw` all is text as it was written.

        A column with cells of another type (`TOT` among numbers) stays text, or with misfits='null' these are null and
        a warning says how many; so does a column that may be read in two ways.  `keep_words`: words for missing values,
        such as 'NA', that are values in this table.  docs/python.md has the rules.
        """
        from mere.search import raw_rows
        from mere.search.typed_rows import checked_misfits, typed_rows, warn_of_losses

        drop = checked_misfits(misfits)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise UsageError(f"'limit' must be an int >= 0, got {limit!r}", "leave it out for all rows")
        keep = self._asker.inputs.keeping(keep_words).keep_words
        if raw:
            return raw_rows(self._opened, table, columns, limit)
        return warn_of_losses(typed_rows(self._opened, table, columns, limit, drop, keep), stacklevel=3)

    def info(self) -> dict[str, Any]:
        """What the lake holds, its size on disk, and which snapshots are kept."""
        from mere.search import describe_lake

        return describe_lake(self._opened)

    def quarantine(self) -> list[dict[str, str]]:
        """The files that could not be read, or only in part, with the reason and what was kept."""
        from mere.pipeline import file_records

        return file_records.quarantine(file_records.read_records(self.path, self._opened.snapshot))

    # questions

    def ask(
        self,
        kind: str,
        given: Any = None,
        k: int | None = None,
        *,
        per: str = "table",
        copies: bool = True,
        **parameters: Any,
    ) -> Hits:
        """A question of any kind: `given` is what it asks with, `parameters` are the kind's own.

        `k` is how many hits are returned, 0 all; by default as many as is usual for the kind.  `copies=False` returns
        one hit for all tables with the same header and the same values in the columns that answered; its evidence has
        their number.
        """
        return self._asker.ask(kind, _named(kind, given, parameters), k, per, copies)

    def keywords(self, words: str, k: int = 10, per: str = "table") -> Hits:
        """The tables whose names, folders, headers and descriptions hold these words, best first."""
        return self.ask("keywords", words, k, per=per)

    def overlap(
        self,
        values: Any,
        k: int = 10,
        *,
        on: str | None = None,
        per: str = "table",
        table: str | None = None,
        numbers: bool | None = None,
        codes: bool = True,
        ties: str = "likely",
        keep_words: Sequence[str] | str | None = None,
        mode: str = "auto",
        copies: bool = True,
    ) -> Hits:
        """The columns that share the most distinct values with mine: exact, the best k (0: all).

        `values` is a list, a pandas, polars or Arrow column; or a frame, a file or a table of the lake with `on` naming
        the column.  `table`: the only table to look at.  `numbers`: whether columns of numbers may answer
        (default: if the values are numbers).  `codes`: codes of digits (01001) also match columns that lost their
        leading zeros, and integers columns that have them, where that matches more; such a hit's evidence has `codes`,
        and `join` restores the zeros.  `ties`: of equal overlaps the more 'likely' join comes first, by names, keys and
        ranges; or columns that look like 'keys' (few rows per value, then few values); or by 'name'.  `mode`: 'auto',
        or one of the thesis's algorithms: 'merge', 'probe', 'josie'.  `keep_words`: words for missing values, such as
        'NA', that are values in mine.  `copies=False`: one hit for all tables with the
        same header and the same values in the column that answered; its evidence has their number.
        """
        return self.ask(
            "overlap", values, k, per=per, on=on, table=table, numbers=numbers, codes=codes, ties=ties,
            keep_words=keep_words, mode=mode, copies=copies,
        )  # fmt: skip

    def containment(
        self,
        values: Any,
        threshold: float = 0.6,
        *,
        on: str | None = None,
        k: int = 0,
        per: str = "table",
        table: str | None = None,
        numbers: bool | None = None,
        codes: bool = True,
        ties: str = "likely",
        keep_words: Sequence[str] | str | None = None,
        exact: bool | None = None,
        verify: bool = True,
        copies: bool = True,
    ) -> Hits:
        """The columns that hold at least this share of my distinct values; all of them, or the best k.

        `on`, `table`, `numbers`, `codes`, `ties`, `keep_words` and `copies` are as for `overlap`.  `exact=True` finds
        every column; `exact=False` takes candidates from signatures, which may miss one, and computes their
        containment, or with `verify=False` estimates it; by default it is exact unless that takes long.
        """
        return self.ask(
            "containment", values, k, per=per, on=on, threshold=threshold, table=table, numbers=numbers, codes=codes,
            ties=ties, keep_words=keep_words, exact=exact, verify=verify, copies=copies,
        )  # fmt: skip

    def composite(
        self,
        frame: Any,
        on: Sequence[str] | str | None = None,
        k: int = 10,
        *,
        threshold: float | None = None,
        table: str | None = None,
        numbers: bool | None = None,
        keep_words: Sequence[str] | str | None = None,
        mode: str = "auto",
        copies: bool = True,
    ) -> Hits:
        """The tables that hold the most distinct keys of mine, in whichever columns and order they keep them: exact.

        `frame` is a frame, a file or a table of the lake; `on` names the key's columns, one to eight (default: all of
        the frame's).  `threshold`: only tables that hold this share of my keys.  `table`: the only table to look at.
        `numbers=False`: columns of numbers do not answer.  `mode`: 'auto', or 'rarest', 'mate', 'scr', 'mcr'.  `copies`
        and `keep_words` are as for `overlap`.
        """
        return self.ask(
            "composite", frame, k, on=on, threshold=threshold, table=table, numbers=numbers, keep_words=keep_words,
            mode=mode, copies=copies,
        )  # fmt: skip

    def joinable(
        self,
        given: Any,
        on: Sequence[str] | str | None = None,
        k: int = 10,
        *,
        per: str = "table",
        table: str | None = None,
        keep_words: Sequence[str] | str | None = None,
        copies: bool = False,
        on_update: Callable[[Hits], object] | None = None,
    ) -> Hits:
        """The joins that a person most likely wants, best first: exact matches, ranked by what speaks for each.

        `given` is a frame, a file, a table of the lake, or one column; `on` names the column to join on, or several
        (default: any that give a good join; each hit's evidence says which, `on`).  The score is from 0 to 1; the
        evidence has its `reasons` and `signals`.  `per`: the best hit per 'table', or one per pair of columns
        ('column').  `table`: the only table to look at.  `copies=True`: every table; otherwise tables with the same
        header and the same values in the columns that answered are one hit, whose evidence has their number.
        `keep_words` is as for `overlap`.
        `on_update` is called with the hits found so far, the cheapest to find first; their last note says what is
        tried next.
        """
        from mere.search.asking.ask import check_limits
        from mere.search.joinable import Request, find_joins

        check_limits(k, per, copies)
        return find_joins(self._asker, Request(given, on, k, per, table, on_update, copies, keep_words=keep_words))

    def similar(
        self,
        values: Any,
        share: float = 0.6,
        k: int | None = None,
        distance: str | float | None = None,
        *,
        on: str | None = None,
        per: str = "table",
        table: str | None = None,
        matches: str = "best",
        ties: str = "likely",
        keep_words: Sequence[str] | str | None = None,
        mode: str = "auto",
        memory: int = 256,
        embedder: Any = None,
        copies: bool = True,
    ) -> Hits:
        """The columns of which values match mine although they are misspelt or written differently; with the pairs.

        A hit matches at least this `share` of my distinct values (0: any); all of them, or the best `k` by share.
        `distance` is how far apart two values may be: 'strict', 'normal' (default) or 'loose', or a share of the
        largest distance, from 0 to 1.  `matches`: of several values that match one of mine, the 'best' or 'all'; the
        evidence's `pairs` lists them, and `join` joins on them.  `on`, `per`, `table`, `ties`, `keep_words` and
        `copies` are as for `overlap`.  `mode`: 'auto'; 'scan' compares all values; 'pexeso' and 'pexeso-h' are the
        PEXESO paper's algorithms.  All are exact.  `memory`: MiB for temporary arrays.  `embedder`: your own function,
        if the lake was indexed with one.
        """
        return self.ask(
            "similar", values, k, per=per, on=on, table=table, share=share, distance=distance, matches=matches,
            ties=ties, keep_words=keep_words, mode=mode, memory=memory, embedder=embedder, copies=copies,
        )  # fmt: skip

    def transformable(
        self,
        values: Any,
        k: int = 10,
        *,
        on: str | None = None,
        per: str = "table",
        table: str | None = None,
        share: float = 0.3,
        ties: str = "likely",
        keep_words: Sequence[str] | str | None = None,
        candidates: int = 20,
        seconds: float = 10.0,
        many_to_many: bool = False,
        copies: bool = True,
    ) -> Hits:
        """The columns that join with mine after a transformation, the best k (0: all); each with its program.

        For example codes without their leading zeros, dates in another order, names turned round, prefixes and units.
        A hit matches at least this `share` of my distinct values, each by how much of what is rare in it its partner
        has; its evidence has the `program` in words, as Python and as Spark SQL, and the `pairs` of values, and `join`
        joins on these.  `on`, `per`, `table`, `ties`, `keep_words` and `copies` are as for `overlap`.
        Programs are learnt for at most so many `candidates`, the columns that share the rarest words and numbers with
        mine, and for at most so many `seconds`: a column that is not among them is not found.  My values have one
        partner each, or the column's have; `many_to_many` also finds columns where neither do.
        """
        return self.ask(
            "transform", values, k, per=per, on=on, table=table, share=share, ties=ties, keep_words=keep_words,
            candidates=candidates, seconds=seconds, many_to_many=many_to_many, copies=copies,
        )  # fmt: skip

    def distribution(
        self,
        predicate: Any = None,
        k: int = 10,
        *,
        like: Any = None,
        on: str | None = None,
        per: str = "table",
        table: str | None = None,
        column: str | None = None,
        keep_words: Sequence[str] | str | None = None,
        mode: str = "auto",
        sure: bool = False,
    ) -> Hits:
        """The columns that may satisfy a predicate, by their histograms alone; every hit says whether it surely does.

        `predicate` is a text, such as 'at least 30% of age < 40', or `mere.at_least(0.3, "age") < 40`, or several of
        the same column (`mere.same_column`).  A date is compared only with columns of dates, a number only with the
        others.  Or, with `like`, the columns that are
        distributed most like something: a list of numbers, a Series, a frame, file or table of the lake with `on`
        naming its column, or a curve: 'normal(0, 1)', 'uniform(0, 100)', 'lognormal(0, 1)'.

        `table`: the only table to look at.  `column`, with `like`: which columns may answer: a name, a glob,
        '/a regular expression/'.  `keep_words` is as for `overlap`.  `sure=True`, with a predicate: only what is
        guaranteed.  `mode`: 'auto'; the FAINDER paper's 'low-memory', 'full-recall', 'full-precision' and 'exact', if
        the lake was indexed with `fainder_clusters`; and its baselines 'profile-scan', 'binsort', 'normal-dist'.
        """
        return self.ask(
            "distribution", predicate, k, per=per, like=like, on=on, table=table, column=column,
            keep_words=keep_words, mode=mode, sure=sure,
        )  # fmt: skip

    def assemble(
        self,
        base: Any,
        candidates: Any = None,
        queries: Sequence[str] | str | None = (),
        budget: float | None = None,
        prices: Any = None,
        method: str = "sketch",
        *,
        exclude: Sequence[str] | str | None = (),
        default_price: float | None = None,
        licences: Sequence[str] | str | None = (),
        sample_size: int | None = None,
        spark: Any = None,
        progress: Callable[[str], None] | None = None,
    ) -> Bundle:
        """The tables that add the most rows to mine for a budget: see `mere.assemble`."""
        return assemble(
            base, candidates, queries, budget, prices, method, lake=self, exclude=exclude, default_price=default_price,
            licences=licences, sample_size=sample_size, spark=spark, progress=progress,
        )  # fmt: skip

    def where(self, condition: Any, k: int = 10, *, mode: str = "auto", sure: bool = False) -> Hits:
        """The tables that meet a condition: predicates on columns, words and other questions, composed by and, or, not.

        `condition` is a text, such as "at least 30% of age < 40 and 'cancer'", or an expression made of
        `mere.at_least`, `mere.at_most`, `mere.same_column`, `mere.words` and `mere.ask` with &, | and ~.  `mode` is
        how predicates are answered, as for `distribution`; hits of an approximate mode are labelled so.

        A table is an answer if it surely meets the condition ('guaranteed'), or if it is not known whether it does
        ('possible'; the evidence says why).  `sure=True` leaves out what is only possible.
        """
        from mere.language import meaning_of
        from mere.search.asking.conditions import tables_where

        return tables_where(self._asker, meaning_of(condition), k, mode, sure)

    def paths(
        self,
        first: Any,
        second: Any,
        k: int = 5,
        longest: int = 3,
        *,
        graph: PathLike | None = None,
        least: int = 5,
        threshold: float = 0.5,
        accidents: bool = False,
        questions: int = 500,
        seconds: float = 20.0,
        keep_words: Sequence[str] | str | None = None,
    ) -> Paths:
        """Join paths between two tables, the best k first (0: all), each of at most `longest` joins.

        `first` and `second` are frames, files or tables of the lake.  Tables are linked if a column of each shares at
        least so many values (`least`), which are at least this share (`threshold`) of one of the two columns' values,
        and not by accident (`accidents=True` keeps those).  Without `graph` the lake is asked, as long as better paths
        may exist and `questions` (columns asked with) and `seconds` allow; a note says what was not asked.  With
        `graph`, the folder that `Lake.graph` wrote, its pairs are the links.
        """
        from mere.search.paths import Request, find_paths
        from mere.search.paths.asking import Limits
        from mere.search.paths.exploring import Budget

        limits, budget = Limits(least, threshold, accidents), Budget(k, longest, questions, seconds)
        return find_paths(self._asker, Request(first, second, limits, budget, graph, keep_words))

    def explain(
        self, kind: str, given: Any, hit: Hit | tuple[str, str | Sequence[str]], **parameters: Any
    ) -> Hits:  # fmt: skip
        """The evidence of a join that you name: a hit, or a pair (table, column or columns in the order of mine)."""
        table, columns = (hit.table, hit.columns) if isinstance(hit, Hit) else _pair(hit)
        several = [columns] if isinstance(columns, str) else list(columns)
        return self._asker.explain(kind, _named(kind, given, parameters), table, several)

    def propose_keys(self, frame: Any, most: int = 5) -> list[Proposal]:
        """On which columns could this table be joined?  Near-unique combinations, with the reason, best first."""
        from mere.search.given import number_share
        from mere.search.proposals import propose_keys

        share = number_share(self._asker.opened)
        return propose_keys(self._asker.table(frame), most, share=share)

    def batch(
        self,
        kind: str,
        queries: Sequence[Any],
        spark: Any,
        k: int = 10,
        per: str = "table",
        *,
        copies: bool = True,
    ) -> list[Hits]:
        """The answers to many questions of one kind, searched on Spark's executors; the same as one by one.

        A query is what the kind's own method takes first, or a mapping with more of its parameters; `copies` is as for
        `ask`.
        """
        from mere.pipeline.batch import ask_all

        if isinstance(queries, str | bytes | Mapping):
            raise UsageError(f"expected a list of queries, got {type(queries).__name__}", "give [query, ...]")
        return ask_all(self._asker, kind, [_mapping(kind, query) for query in queries], k, per, spark, copies)

    # results

    def join(
        self,
        left: Any,
        hit: Hit | tuple[str, str | Sequence[str]],
        how: str = "left",
        *,
        on: str | Sequence[str] | None = None,
        raw: bool = False,
        keep_words: Sequence[str] | str | None = None,
        most_rows: int = 50_000_000,
    ) -> Any:
        """My rows with those of the table a hit names, joined on equal values, or on the pairs of a hit that has pairs.

        Codes of a hit that has `codes` are joined as if both sides had their leading zeros.

        `left` is a frame, a file or a table of the lake; the result is a frame of the same type (Arrow for the last
        two).  `hit` is a hit, or a pair (table, column or columns); `on` is my column, or columns in the same
        order, known to a hit that was found with it; so are `keep_words` (see `overlap`).
        `how` is 'left', 'inner', 'right' or 'outer'.
        Numbers, dates and booleans have their types, as in `rows`; a frame keeps its own.  `raw`: text as written.
        A join of more than `most_rows` rows is refused: `join_to` writes it to a file.
        """
        from mere.search.typed_rows import warn_of_losses

        plan = self.plan_join(left, hit, how, on=on, keep_words=keep_words)
        return plan.as_given(warn_of_losses(plan.table(raw, most_rows=most_rows), stacklevel=3))

    def plan_join(
        self,
        left: Any,
        hit: Hit | tuple[str, str | Sequence[str]],
        how: str = "left",
        *,
        on: str | Sequence[str] | None = None,
        keep_words: Sequence[str] | str | None = None,
    ) -> JoinPlan:
        """The same join before it is made: `rows` is how many rows it will have, `table` and `write` make them."""
        from mere.indexes.sets.codes import recoding_of
        from mere.search.join_plan import Target, planned

        table, columns = (hit.table, hit.columns) if isinstance(hit, Hit) else _pair(hit)
        if on is None and isinstance(hit, Hit):
            on = hit.evidence.get("on")
        pairs = hit.evidence.get("pairs") if isinstance(hit, Hit) else None
        codes = recoding_of(hit.evidence) if isinstance(hit, Hit) else None
        words = hit.evidence.get("keep_words") if keep_words is None and isinstance(hit, Hit) else keep_words
        return planned(self._asker.inputs.keeping(words), left, Target(table, columns, pairs, codes), how, on)

    def join_to(
        self,
        left: Any,
        hit: Hit | tuple[str, str | Sequence[str]],
        path: PathLike,
        how: str = "left",
        *,
        on: str | Sequence[str] | None = None,
        raw: bool = False,
        keep_words: Sequence[str] | str | None = None,
        memory: int = 128,
        formulas: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Written:
        """The same join, written to a file batch by batch: .csv, .tsv, .parquet, .arrow or .feather.

        However many rows there are, it takes the memory of the two tables and `memory` MiB.  The file is complete or
        does not exist.  CSV and TSV have the text as it was written, in which cells that a spreadsheet would run get
        an apostrophe, unless `formulas`; the others have types, unless `raw`.  `progress` is called with the rows
        that are written, and all rows.  Returns `rows`, and `neutralised`: cells that got an apostrophe.
        """
        plan = self.plan_join(left, hit, how, on=on, keep_words=keep_words)
        return plan.write(path, raw=raw, memory=memory, formulas=formulas, progress=progress)

    def export_profiles(
        self, tables: Sequence[str] | None = None, path: PathLike | None = None, *, least: int = 0, **dataset: str
    ) -> dict[str, Any]:
        """Profiles of these tables (default: all) without a row: Croissant 1.1, with histograms.

        Edges, least and largest values are values of the columns, and a bin may hold one row: with `least`, edges are
        round, no bin holds fewer rows, and ranges are left out.  `dataset` adds: name, url, creator, license, ...
        The document is returned, and written to `path` if one is given.
        """
        from mere.search import publishing

        document = publishing.profiles(self._asker, tables, least, dataset)
        if path is not None:
            publishing.write(document, os.fspath(path))
        return document

    def graph(
        self,
        out: PathLike,
        threshold: float = 0.8,
        *,
        least: int = 5,
        accidents: bool = False,
        numbers: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        """Write the join graph: every pair of columns of which one holds at least this share of the other's values.

        Computed on Spark's executors, written as Parquet to the folder `out`.  `least`: pairs that share fewer values
        are left out.  So are accidents (years, dates, booleans, one-letter codes, small integers, row numbers), unless
        `accidents`; the document that is returned says how many, and why.  `numbers`: columns of numbers, too.
        Options: `spark` (a session to use), `master`, `progress`.
        """
        from mere.pipeline.graph import write_graph
        from mere.pipeline.pairs import Wanted

        return write_graph(self._opened, os.fspath(out), Wanted(threshold, numbers, least, accidents), **options)

    def warm(self, progress: Callable[[str, float], None] | None = None) -> Lake:
        """Compile the kernels of every kind now, or load them: for a process that will ask many questions.

        `progress` is called with the name of each kernel and the seconds it took.
        """
        self._asker.warm(progress)
        return self


def _assembled(request: Request, lake: Lake | None, spark: Any, own: bool = False) -> Bundle:
    from mere.search.assembling import assembled

    if spark and request.method not in _COUNTING:
        fault = f"method='{request.method}' counts in this process; spark= is for 'exact' and 'optimal'"
        raise UsageError(fault, f"use method='{_COUNTING[0]}', or leave out spark=")
    here = request.method not in _COUNTING or spark is False
    opened = None if lake is None else lake._opened
    return assembled(request, opened, lambda parts: None if here else _on_spark(parts, spark), own)


def _on_spark(parts: Parts, spark: Any) -> CountSignatures | None:
    """What counts these tables on Spark; None if they are few rows, or if there is no Spark and none was asked for."""
    if spark is None and (parts.rows < _SPARK_FROM or find_spec("pyspark") is None):
        return None
    from mere.pipeline.signatures import LakeTable, spark_signatures

    def table(member: Member) -> Any:
        if (stored := member.table.stored) is None:
            return member.relation(parts.schema)
        return LakeTable(stored.lake, stored.segment.entry, stored.number, member.table.rows)

    tables = [table(member) for member in (parts.base, *parts.candidates.values())]
    session = None if spark is True else spark
    return lambda problem, progress: spark_signatures(tables, parts.filters.texts, parts.schema, session, progress)


def _pair(hit: Any) -> tuple[str, str | Sequence[str]]:
    if not isinstance(hit, tuple) or len(hit) != 2:
        raise UsageError(f"expected a Hit, got {hit!r}", "give a hit, or a pair (table, column)")
    return hit


def _named(kind: str, given: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A question's arguments by the names of the kind's parameters; those that are None are left to their defaults."""
    from mere.search.asking.ask import kind_named

    main = kind_named(kind).parameters[0].name
    if given is not None and main in parameters:
        raise UsageError(f"'{kind}' was given {main}= twice", "give it once, as the second argument or by name")
    named = {main: given, **parameters} if main not in parameters else dict(parameters)
    return {name: value for name, value in named.items() if value is not None}


def _mapping(kind: str, query: Any) -> dict[str, Any]:
    """A query of a batch by the names of the kind's parameters.

    A frame may be a mapping, too: a mapping is by name if it names what is asked with.
    """
    from mere.search.asking.ask import kind_named

    parameters = kind_named(kind).parameters
    main = parameters[0]
    asking = [main.name, *(parameter.name for parameter in parameters if parameter.asks)]
    by_name = isinstance(query, Mapping) and any(name in query for name in asking)
    if by_name and main.is_frame:
        by_name = not isinstance(query[main.name], list | tuple)
    return dict(query) if by_name else {main.name: query}
