"""What the contract tests need for each kind: questions, and the brute-force answer.

A new kind adds one `Case` here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from mere.answers import Hit
from mere.errors import QueryError
from mere.indexes import composite, distribution, overlap, similar
from mere.indexes.inputs import Origin
from mere.indexes.keywords.fields import FILTERS
from mere.indexes.keywords.query import parse
from mere.indexes.keywords.words import pieces
from mere.indexes.kind import Arrays
from mere.language import Predicate, SameColumn
from mere.language.numbers import Moment
from mere.segments import Table
from tests.kinds.lakes import WORDS, cells, texts
from tests.oracles.composite import brute as brute_composite
from tests.oracles.composite import columns_of
from tests.oracles.containment import brute as brute_containment
from tests.oracles.distribution import brute as brute_distribution
from tests.oracles.distribution import histograms
from tests.oracles.keywords import brute as brute_keywords
from tests.oracles.overlap import brute as brute_overlap
from tests.oracles.similar import brute as brute_similar
from tests.oracles.transform import brute as brute_transform


@dataclass(frozen=True)
class Case:
    """How one kind is tested."""

    queries: Callable[[Sequence[Table]], st.SearchStrategy[Any]]
    brute: Callable[[Any, Sequence[Table], Mapping[str, Any], Arrays], list[Hit]]
    k: Callable[[Any], int]  # how many hits a query asks for; 0 for all
    settings: tuple[Mapping[str, Any], ...] = ({},)
    tolerance: float = 0.0  # of scores, against brute force
    evidence: tuple[str, ...] = ()  # the fields of the evidence that brute force computes too


def keyword_queries(tables: Sequence[Table]) -> st.SearchStrategy[dict[str, Any]]:
    """Words of the tables, and others: complete, prefixes, misspelled, joined, quoted, filtered, excluded."""
    texts = st.sampled_from([pair for table in tables for pair in _texts_of(table) if pair[1].split()])
    clause = st.builds(_clause, st.sampled_from(_SHAPES), texts, st.integers(0, 1 << 20))
    line = st.lists(clause, min_size=1, max_size=3).map(" ".join).filter(_is_a_query)
    return st.fixed_dictionaries({"text": line, "k": st.sampled_from([0, 0, 1, 2, 10])})


_SHAPES = [
    "word", "word", "word", "word", "words", "words", "phrase", "filter", "filtered phrase", "foreign filter",
    "prefix", "joined", "misspelled", "misspelled", "misspelled phrase", "excluded", "excluded phrase", "other",
]  # fmt: skip


def _texts_of(table: Table) -> list[tuple[str, str]]:
    """The texts of a table, each with the filter that searches there."""
    about = table.facts.about
    folder, _, file = table.facts.name.rpartition("/")
    values = table.sets.values.tolist()
    return [
        ("table", file),
        ("folder", folder),
        *(("column", name) for name in table.columns.names),
        *(("about", about.get(key, "")) for key in ("title", "description")),
        *(("value", value) for value in values[:4]),
    ]


def _clause(shape: str, filtered: tuple[str, str], chance: int) -> str:
    """A clause made of neighbouring words of a text."""
    field, text = filtered
    words = pieces(text) or ["world"]
    first = chance % len(words)
    word, pair, three = words[first], words[first : first + 2], words[first : first + 3]
    misspelled = _misspelled(word, chance)
    return {
        "word": word,
        "words": " ".join(pair),
        "phrase": f'"{" ".join(three)}"',
        "filter": f"{field}:{word}",
        "filtered phrase": f'{field}:"{" ".join(three)}"',
        "foreign filter": f"{list(FILTERS)[chance % len(FILTERS)]}:{word}",
        "prefix": f"{word[: 1 + chance % 4]}*",
        "joined": "".join(pair),
        "misspelled": misspelled,
        "misspelled phrase": f'"{" ".join([misspelled, *pair[1:]])}"',
        "excluded": f"-{word}",
        "excluded phrase": f'-"{" ".join(pair)}"',
        "other": WORDS[chance % len(WORDS)],
    }[shape]


def _misspelled(word: str, chance: int) -> str:
    place = chance // 7 % len(word)
    head, here, tail = word[:place], word[place], word[place + 1 :]
    spellings = [head + tail, head + here + here + tail, head + tail[:1] + here + tail[1:], head + "q" + tail]
    return spellings[chance % len(spellings)]


def _is_a_query(line: str) -> bool:
    try:
        return bool(parse(line))
    except QueryError:
        return False


def column_queries(tables: Sequence[Table], **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """A column of the lake, or some of its cells, with other cells, repeated or spelled differently; or no cell."""
    columns = [column for table in tables for column in _cells_of(table)] or [[]]
    column = st.sampled_from(columns)
    free = st.lists(cells, max_size=6)
    mixed = st.builds(lambda cells, more, n: cells[n % (len(cells) + 1) :] + more, column, free, st.integers(0, 12))
    names = st.sampled_from([None, None, None, *(table.facts.name for table in tables)])
    return st.fixed_dictionaries(
        {
            "values": st.one_of(column, mixed, free),
            "k": st.sampled_from([0, 0, 1, 2, 10]),
            "per": st.sampled_from(["table", "column"]),
            "numbers": st.sampled_from([None, None, True, False]),
            "ties": st.sampled_from([None, "likely", "name", "keys"]),
            **more,
        },
        optional={"table": names, "skip": names, "on": texts, "origin": origins},
    )


origins = st.builds(Origin, st.sampled_from(["", "World Cup/prices.csv", "data/prices/ids.csv"]), st.tuples(texts))


def _cells_of(table: Table) -> list[list[str]]:
    """The cells of each column: its values, as often as they occur."""
    values, starts, counts = table.sets.values.tolist(), table.sets.starts, table.sets.counts.tolist()
    return [
        [values[i] for i in range(starts[c], starts[c + 1]) for _ in range(counts[i])] for c in range(len(starts) - 1)
    ]


def key_queries(tables: Sequence[Table]) -> st.SearchStrategy[dict[str, Any]]:
    """Some columns of a table, in any order, with some of their rows, and rows of other cells of the lake."""
    wide = [columns for table in tables if (columns := columns_of(table))] or [[[]]]
    cell = st.one_of(
        cells, st.sampled_from([cell for columns in wide for column in columns for cell in column] or [None])
    )

    @st.composite
    def keys(draw: Any) -> list[list[str | None]]:
        columns = draw(st.sampled_from(wide))
        chosen = draw(st.lists(st.sampled_from(range(len(columns))), min_size=1, max_size=3))
        first = draw(st.integers(0, 12))
        more = draw(st.lists(st.tuples(*(cell for _ in chosen)), max_size=6))
        return [columns[c][first % (len(columns[c]) + 1) :] + [row[i] for row in more] for i, c in enumerate(chosen)]

    def named(query: dict[str, Any], headers: list[str] | None) -> dict[str, Any]:
        return {**query, "on": headers and headers[: len(query["columns"])]}

    names = st.sampled_from([None, None, None, *(table.facts.name for table in tables)])
    header = st.sampled_from([name for table in tables for name in table.columns.names] or ["a"])
    headers = st.none() | st.lists(header | header.map(str.upper), min_size=3, max_size=3)
    questions = st.fixed_dictionaries(
        {
            "columns": keys(),
            "k": st.sampled_from([0, 0, 1, 2, 10]),
            "mode": st.sampled_from(["auto", *composite.MODES]),
            "numbers": st.sampled_from([None, None, True, False]),
            "threshold": st.sampled_from([None, None, 0.01, 0.3, 0.5, 2 / 3, 1.0]),
        },
        optional={"table": names, "skip": names},
    )
    return st.builds(named, questions, headers)


def predicate_queries(tables: Sequence[Table]) -> st.SearchStrategy[dict[str, Any]]:
    """Predicates with numbers at the edges of the histograms of the lake, between them and outside of them."""
    edges = [edge for table in tables for bins in histograms(table, {}).values() for bin_ in bins for edge in bin_[:2]]
    number = st.one_of(st.sampled_from(edges or [0.0]), st.sampled_from([-1.0, 0.5, 1.5, 2.0, 7.0, 1e9, float("inf")]))
    names = [name for table in tables for name in table.columns.names]
    column = st.sampled_from([None, None, None, "*", "/o/", "w*", *names])
    odd = [Fraction(1, 3), Fraction(7, 9), Fraction(1, 100)]  # not multiples of 1/20
    fraction = st.sampled_from([*(Fraction(n, 20) for n in range(21)), *odd])
    side, operator = st.sampled_from(["at least", "at most"]), st.sampled_from(["<", "<=", ">", ">=", "="])
    axis = st.sampled_from([float, float, Moment])  # numbers, or moments
    one_sided = st.builds(
        lambda c, s, f, o, a, of: Predicate(c, s, f, o, of(a)), column, side, fraction, operator, number, axis
    )
    two_sided = st.builds(
        lambda c, s, f, a, b, of: Predicate(c, s, f, "between", (of(min(a, b)), of(max(a, b)))),
        column, side, fraction, number, number, axis,
    )  # fmt: skip
    one = st.one_of(one_sided, one_sided, two_sided)
    same = st.lists(one, min_size=2, max_size=3).map(_of_one_column)
    shapes = [
        {"edges": [*(bin_[0] for bin_ in bins), bins[-1][1]], "counts": [bin_[2] for bin_ in bins]}
        for table in tables
        for bins in histograms(table, {}).values()
    ]
    like = st.sampled_from([None, None, None, {"edges": [0.0, 1.0, 7.0], "counts": [3, 1]}, *shapes])
    return st.fixed_dictionaries(
        {
            "predicate": st.one_of(one, one, same),
            "like": like,
            "k": st.sampled_from([0, 0, 1, 2, 10]),
            "per": st.sampled_from(["table", "column"]),
            "mode": st.sampled_from(["auto", "auto", *(mode for mode in distribution.MODES if mode != "normal-dist")]),
        }
    )


def _of_one_column(predicates: list[Predicate]) -> Predicate | SameColumn:
    """Those that compare with the same sort of value as the first, of its column; alone, if there are no others."""
    first, *others = predicates
    same = [replace(other, column=first.column) for other in others if other.dated == first.dated]
    return SameColumn((first, *same)) if same else first


CASES: dict[str, Case] = {
    "keywords": Case(
        queries=keyword_queries,
        brute=lambda query, tables, settings, trained: brute_keywords(query, tables, settings),
        k=lambda query: query["k"],
        evidence=("terms", "matches", "corrected", "profile_only"),
    ),
    "overlap": Case(
        queries=lambda tables: column_queries(
            tables,
            mode=st.sampled_from(["auto", *overlap.MODES]),
            threshold=st.sampled_from([None, None, 0.01, 0.3, 0.5, 2 / 3, 1.0]),
        ),
        brute=lambda query, tables, settings, trained: brute_overlap(query, tables, settings),
        k=lambda query: query["k"],
        settings=({}, {"join_numbers": False}),
        evidence=("overlap", "containment", "jaccard", "distinct", "fan_out"),
    ),
    "containment": Case(
        queries=lambda tables: column_queries(
            tables, threshold=st.sampled_from([0.01, 0.3, 0.5, 0.6, 2 / 3, 0.9, 1.0]), verify=st.booleans()
        ),
        brute=lambda query, tables, settings, trained: brute_containment(query, tables, settings),
        k=lambda query: query["k"],
        settings=({}, {"join_numbers": False}),
        tolerance=1e-12,
    ),
    "distribution": Case(
        queries=predicate_queries,
        brute=brute_distribution,
        k=lambda query: query["k"],
        settings=(
            {"fainder_clusters": 2, "fainder_bins": 9},
            {"fainder_clusters": 3, "fainder_transform": "standard", "histogram_bins": "equal-width-16"},
            {"fainder_clusters": 1, "fainder_bins": 5, "histogram_bins": "equal-depth-2"},
        ),
        tolerance=1e-12,
        evidence=("label", "fraction", "distance", "profile_only"),
    ),
    "composite": Case(
        queries=key_queries,
        brute=lambda query, tables, settings, trained: brute_composite(query, tables),
        k=lambda query: query["k"],
        settings=({}, {"super_keys": "xash-128"}, {"super_keys": "md5-256"}),
        evidence=("matched_keys", "share", "rows", "fan_out"),
    ),
    "similar": Case(
        queries=lambda tables: column_queries(
            tables,
            share=st.sampled_from([0.0, 0.0, 0.2, 0.4, 0.6, 2 / 3, 0.8, 1.0]),
            distance=st.sampled_from([None, "strict", "loose", 0.0, 0.02, 0.04, 0.06, 0.08, 0.3, 0.5, 0.69]),
            matches=st.sampled_from(["best", "all"]),
            mode=st.sampled_from(["auto", "auto", *similar.MODES]),
        ),
        brute=brute_similar,
        k=lambda query: query["k"],
        tolerance=1e-12,
        evidence=("shared", "share", "equal", "limit", "pairs", "fan_out"),
    ),
    "transform": Case(
        queries=lambda tables: column_queries(
            tables,
            share=st.sampled_from([0.0, 0.0, 0.2, 0.3, 0.6, 2 / 3, 1.0]),
            candidates=st.sampled_from([1, 2, 3, 20]),
            seconds=st.just(3600.0),
            many_to_many=st.booleans(),
        ),
        brute=lambda query, tables, settings, trained: brute_transform(query, tables, settings),
        k=lambda query: query["k"],
        settings=({}, {"join_numbers": False}, {"transform_pieces": 2}),
        tolerance=1e-12,
        evidence=("shared", "pairs", "agreement"),
    ),
}
