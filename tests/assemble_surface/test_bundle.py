"""The bundle says what the answer says, in every form; the rows that it fetches are those that were counted."""

from __future__ import annotations

import builtins
import datetime
import fcntl
import gc
import json
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mere
from mere.bundles.outcome import METHODS, REASONS
from mere.errors import LakeError, UsageError
from mere.search.assembling.united import united
from mere.search.exporting import export
from mere.search.given import texts
from mere.values import normalise_cell
from tests.assemble_surface.conftest import BASE, ROWS, table

PRICES = {"north": 6, "south": 5, "copy": 8, "wide": 30}


@pytest.fixture
def bundle(lake: mere.Lake) -> mere.Bundle:
    return lake.assemble(BASE, None, ["amount < 60"], 12, PRICES, "exact")


def test_the_bundle_has_the_chosen_and_the_rejected_tables(bundle: mere.Bundle) -> None:
    assert [(c.table, c.price, c.gain, c.distinct) for c in bundle.chosen] == [
        ("shops/south.csv", 5, 15, 20), ("shops/north.csv", 6, 10, 30),
    ]  # fmt: skip
    assert {r.table: r.code for r in bundle.rejected} == {"shops/copy.csv": "nothing new", "shops/wide.csv": "no rows"}
    assert (bundle.base, bundle.distinct, bundle.interval, bundle.exact) == (5, 30, (30, 30), True)
    assert (bundle.method, bundle.budget, bundle.cost, len(bundle)) == ("exact", 12, 11, 2)


def test_the_document_is_json_with_whole_numbers(bundle: mere.Bundle) -> None:
    document = json.loads(json.dumps(bundle.to_dict()))
    assert document["chosen"][0] == {"table": "shops/south.csv", "price": 5, "gain": 15, "distinct": 20}
    assert set(document["rejected"][0]) == {"table", "price", "gain", "reason", "code"}
    assert document["interval"] == [30, 30] and document["exact"] is True and document["cost"] == 11
    assert document["curve"][0] == {"cost": 0, "distinct": 5, "tables": []}
    assert document["seconds"]["reading"] >= 0
    assert ".0," not in json.dumps({**document, "seconds": {}})


def test_frames_have_a_row_per_candidate(bundle: mere.Bundle) -> None:
    columns = bundle.to_arrow().to_pydict()
    assert columns["table"][:2] == ["shops/south.csv", "shops/north.csv"] and len(columns["table"]) == 4
    assert columns["status"] == ["chosen", "chosen", "rejected", "rejected"]
    assert columns["distinct"] == [20, 30, None, None]
    assert bundle.to_pandas()["price"].tolist() == columns["price"]
    assert bundle.to_polars()["reason"].to_list() == columns["reason"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", [None, 5, 7, 1000])
def test_every_candidate_is_chosen_or_rejected_for_a_known_reason(lake: mere.Lake, method: str, budget: Any) -> None:
    candidates = {"none": {"x": [1]}, "unpriced": BASE, **{name: f"{name}.csv" for name in PRICES}}
    bundle = lake.assemble(BASE, candidates, ["amount < 60"], budget, PRICES, method)
    names = [each.table for each in (*bundle.chosen, *bundle.rejected)]
    assert sorted(names) == sorted(candidates)
    assert {each.code for each in bundle.rejected} <= set(REASONS)
    assert bundle.cost <= (budget or 1000) and bundle.budget == budget
    assert sum(each.gain for each in bundle.chosen) + bundle.base == bundle.distinct


def test_an_estimate_has_whole_rows_and_an_interval(tmp_path: Path) -> None:
    tables = {f"t{n}": {"a": list(range(30_000 * n, 30_000 * n + 80_000))} for n in range(4)}
    bundle = mere.assemble({"a": [1]}, tables, sample_size=400)
    assert bundle.base_exact and bundle.to_dict()["base_exact"] is True
    assert not bundle.exact and bundle.interval is not None
    assert bundle.interval[0] <= bundle.distinct <= bundle.interval[1] and bundle.interval[0] < bundle.interval[1]
    assert f"estimated: 95 % between {bundle.interval[0]:,} and {bundle.interval[1]:,}" in repr(bundle)
    numbers = [bundle.distinct, bundle.base, *bundle.interval, *(each.gain for each in bundle.chosen)]
    assert all(isinstance(number, int) for number in numbers)
    assert sum(each.gain for each in bundle.chosen) + bundle.base == bundle.distinct


def test_an_interval_of_one_number_is_that_number(bundle: mere.Bundle) -> None:
    bundle.exact = False
    assert bundle.certainty() == "estimated: 30" and bundle.interval == (30, 30)


def test_an_estimate_without_an_interval_says_so(lake: mere.Lake) -> None:
    bundle = lake.assemble(BASE, method="ml")
    assert bundle.interval is None and bundle.to_dict()["interval"] is None and not bundle.exact
    assert bundle.summary().endswith("(estimated)") and "<svg" in bundle._repr_html_()


# rows

cells = st.sampled_from(["x", " X", "y", "1", "1.0", "01", "2", "2.50", "2.5", "é", "É", None])
small_tables = st.lists(st.tuples(cells, cells), max_size=8)


def frame(rows: list[tuple[Any, Any]], lacks: bool) -> dict[str, list[Any]]:
    columns = {"a": [row[0] for row in rows], "b": [row[1] for row in rows]}
    return {"a": columns["a"]} if lacks else columns


def value(cell: str | None) -> str | None:
    return None if cell is None else normalise_cell(cell)


@given(small_tables, st.lists(st.tuples(small_tables, st.booleans()), min_size=1, max_size=4), st.booleans())
def test_as_many_rows_are_fetched_as_were_counted(base: Any, offered: Any, filtered: bool) -> None:
    candidates = {f"t{n}": frame(rows, lacks) for n, (rows, lacks) in enumerate(offered)}
    queries = ["a IS NOT NULL"] if filtered else []
    bundle = mere.assemble(frame(base, False), candidates, queries, method="exact")
    fetched = bundle.fetch()
    union = {(value(a), value(b)) for a, b in base}
    union |= {(value(a), None if lacks else value(b)) for rows, lacks in offered for a, b in rows}
    expected = {row for row in union if not filtered or row[0] is not None}
    got = list(zip(*(map(value, fetched.column(name).to_pylist()) for name in "ab"), strict=True))
    assert len(got) == len(set(got)) == bundle.distinct and set(got) == expected


def test_rows_are_spelled_as_in_the_first_table_that_has_them() -> None:
    first, second = (
        {"a": [" Graz", "Wien"], "n": ["1.0", "2"]},
        {"A": ["GRAZ", "Linz"], "N": ["1", "3"], "more": [0, 0]},
    )
    fetched = mere.assemble(first, {"second": second}, method="exact").fetch()
    assert fetched.to_pydict() == {"a": [" Graz", "Wien", "Linz"], "n": ["1.0", "2", "3"],
                                   "table": ["base", "base", "second"]}  # fmt: skip


def test_rows_of_files_and_of_the_lake_are_read_again(lake: mere.Lake, indexed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(table(ROWS[:3]))
    candidates = ["copy.csv", indexed / "raw/shops/north.csv", {"city": ["Bonn"], "amount": [5], "day": ["2024-01-01"]}]
    bundle = lake.assemble(tmp_path / "mine.csv", candidates, ["amount >= 1"], method="exact")
    fetched = bundle.fetch()
    assert fetched.num_rows == bundle.distinct == 20
    assert fetched.column_names == ["city", "amount", "day", "table"]
    assert fetched.column("amount").to_pylist()[:3] == [1, 2, 3]
    assert bundle.fetch(raw=True).column("amount").to_pylist()[:3] == ["1", "2", "3"]
    assert fetched.column("table").to_pylist()[:2] == [str(tmp_path / "mine.csv")] * 2
    export(fetched, str(tmp_path / "out.parquet"))
    assert bundle.fetch(4).num_rows == 4 and bundle.fetch(0).num_rows == 0


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_rows_have_the_type_of_the_base(kind: Any, lake: mere.Lake) -> None:
    fetched = lake.assemble(kind(BASE), ["north.csv"], method="exact").fetch()
    assert isinstance(fetched, type(kind(BASE)))
    amounts = fetched["amount"]
    assert sorted(amounts.to_pylist() if isinstance(fetched, pa.Table) else amounts.to_list()) == sorted(
        row[1] for row in ROWS[:20]
    )


def test_cells_that_do_not_fit_the_type_of_the_base_are_text() -> None:
    bundle = mere.assemble({"a": [1, 2]}, {"t": {"a": ["2", "three"]}}, method="exact")
    assert bundle.fetch().column("a").to_pylist() == ["1", "2", "three"]


def test_pandas_types_stay_with_their_columns_unless_they_became_text() -> None:
    base = pd.DataFrame({"id": [1, 2], "n": pd.array([5, None], "Int64"), "m": pd.array([1, 2], "Int64"), 7: [0.5, 1]})
    other = {"n": ["6"], "m": ["many"], "7": [2]}
    fetched = mere.assemble(base, {"t": other}, exclude=["id"], method="exact").fetch()
    assert list(fetched.columns) == ["n", "m", "7", "table"] and str(fetched["n"].dtype) == "Int64"
    assert fetched["n"].tolist() == [5, pd.NA, 6] and fetched["m"].tolist() == ["1", "2", "many"]
    assert fetched["7"].tolist() == [0.5, 1, 2]


DAY = datetime.date(2024, 5, 1)


@pytest.mark.parametrize(
    ("base", "other", "fetched"),
    [
        (pa.array([Decimal("1.25")], pa.decimal128(3, 2)), ["3.123"], ["1.25", "3.123"]),
        (pa.array([Decimal("1.25")], pa.decimal128(3, 2)), [3.123], ["1.25", "3.123"]),
        (pa.array([Decimal("1.25")], pa.decimal128(3, 2)), [3.5], [Decimal("1.25"), Decimal("3.50")]),
        (pa.array([Decimal("1.25")], pa.decimal128(3, 2)), [7], [Decimal("1.25"), Decimal(7)]),
        (pa.array([0.5], pa.float32()), [0.1, 0.25], [0.5, pytest.approx(0.1), 0.25]),
        (pa.array([0.5], pa.float32()), [0.123456789012], ["0.5", "0.123456789012"]),
        (pa.array([0.5], pa.float32()), [16_777_217], ["0.5", "16777217"]),
        (pa.array([0.5]), ["9007199254740993"], ["0.5", "9007199254740993"]),
        (pa.array([0.5]), ["1e3", "", None], [0.5, 1000.0, None]),
        (pa.array([1], pa.int8()), [300], ["1", "300"]),
        (pa.array([1], pa.int8()), [2.5], ["1", "2.5"]),
        (pa.array([1], pa.int8()), [100.0], [1, 100]),
        (pa.array([1]), ["007"], ["1", "007"]),
        (pa.array([True]), [5], ["true", "5"]),
        (pa.array([DAY]), [datetime.datetime(2024, 5, 2, 10, 30)], ["2024-05-01", "2024-05-02T10:30:00"]),
        (pa.array([DAY]), [datetime.datetime(2024, 5, 2)], [DAY, DAY + datetime.timedelta(1)]),
        (pa.array([DAY]), ["2024-05-02"], [DAY, DAY + datetime.timedelta(1)]),
        (pa.array([DAY]), ["soon"], ["2024-05-01", "soon"]),
    ],
)
def test_no_digit_is_lost_in_the_type_of_the_base(base: pa.Array, other: list[Any], fetched: list[Any]) -> None:
    bundle = mere.assemble(pa.table({"a": base}), {"t": {"a": other}}, method="exact")
    assert bundle.fetch().column("a").to_pylist() == fetched


NUMBER_TYPES = [pa.int8(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(5, 2)]
number_texts = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**17), max_value=10**17)


@given(st.sampled_from(NUMBER_TYPES), st.lists(number_texts.map(lambda number: f"{number.normalize():f}"), max_size=4))
def test_every_number_is_fetched_with_all_its_digits(type_: pa.DataType, numbers: list[str]) -> None:
    part = pa.chunked_array([pa.array(numbers, pa.string())])
    column = united([pa.chunked_array([pa.array(["1"]).cast(type_)]), part])
    assert [Decimal(text) for text in texts(column).to_pylist()] == [1, *map(Decimal, numbers)]
    assert column.type in (type_, pa.string())


def test_pandas_texts_stay_what_they_are() -> None:
    base = pd.DataFrame({"a": pd.array(["x"], "string"), "n": pd.array([1], "Int64")})
    fetched = mere.assemble(base, {"t": {"a": ["y"], "n": ["many"]}}, method="exact").fetch()
    assert str(fetched["a"].dtype) == "string" and fetched["n"].tolist() == ["1", "many"]


def test_new_categories_are_kept() -> None:
    base = pd.DataFrame({"kind": pd.Categorical(["a", "b"]), "size": pd.Categorical(["S"], ["S", "M"], True).repeat(2)})
    more = {"kind": ["c", None], "size": ["M", "S"]}
    fetched = mere.assemble(base, {"t": more}, method="exact").fetch()
    assert fetched["kind"].tolist()[:3] == ["a", "b", "c"] and set(fetched["kind"].cat.categories) == {"a", "b", "c"}
    assert fetched["size"].dtype == base["size"].dtype and fetched["size"].tolist() == ["S", "S", "M", "S"]
    numbers = mere.assemble(pd.DataFrame({"n": pd.Categorical([1, 2])}), {"t": {"n": ["3", "x"]}}, method="exact")
    assert numbers.fetch()["n"].tolist() == ["1", "2", "3", "x"]
    coded = mere.assemble(pa.table({"n": pa.array(["a"]).dictionary_encode()}), {"t": {"n": ["b"]}}, method="exact")
    assert pa.types.is_dictionary(coded.fetch().schema.field("n").type)
    assert coded.fetch().column("n").to_pylist() == ["a", "b"]


def test_dates_of_frames_are_fetched_as_they_would_be_written() -> None:
    base = {"day": ["2024-05-01"]}
    fetched = mere.assemble(base, {"t": pd.DataFrame({"day": pd.to_datetime(["2024-05-01", "2024-05-02"])})}).fetch()
    assert fetched.column("day").to_pylist() == ["2024-05-01", "2024-05-02"]


def test_excluded_columns_are_not_fetched_and_a_clash_of_names_is_avoided() -> None:
    base = {"id": [1, 2], "table": ["x", "y"]}
    fetched = mere.assemble(base, {"t": {"id": [1], "table": ["z"]}}, exclude=["id"], method="exact").fetch()
    assert fetched.to_pydict() == {"table": ["x", "y", "z"], "table_2": ["base", "base", "t"]}


@pytest.mark.parametrize("names", [["base"], ["base", "base (mine)"]])
def test_rows_of_a_candidate_with_the_name_of_the_base_are_told_apart(names: list[str]) -> None:
    bundle = mere.assemble({"a": [0]}, {name: {"a": [n]} for n, name in enumerate(names, 1)}, method="exact")
    fetched = bundle.fetch()
    assert fetched.column("a").to_pylist() == list(range(len(names) + 1))
    assert fetched.column("table").to_pylist() == [f"{names[-1]} (mine)", *names]


# the lake


def is_locked(lake: Path) -> bool:
    """Whether some snapshot of the lake is open."""
    for path in (lake / "snapshots").iterdir():
        with open(path) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


def test_a_lake_given_by_its_path_is_open_until_the_bundle_is_closed(indexed: Path) -> None:
    lake = indexed / "lake"
    with mere.assemble(BASE, ["north.csv"], method="exact", lake=lake) as bundle:
        assert is_locked(lake) and bundle.fetch().num_rows == 20
    assert not is_locked(lake)
    with pytest.raises(LakeError, match="is closed"):
        bundle.fetch()
    bundle.close()


def test_a_lake_given_by_its_path_is_closed_with_its_bundle_and_after_an_error(indexed: Path) -> None:
    lake = indexed / "lake"
    bundle = mere.assemble(BASE, ["north.csv"], method="exact", lake=lake)
    assert is_locked(lake)
    del bundle
    gc.collect()
    assert not is_locked(lake)
    with pytest.raises(UsageError) as raised:
        mere.assemble(BASE, ["north.csv"], ["nothing < 3"], lake=lake)
    assert not is_locked(lake) and "nothing" in raised.value.message


def test_a_lake_that_was_open_stays_open_when_a_bundle_is_closed(lake: mere.Lake) -> None:
    bundle = mere.assemble(BASE, ["north.csv"], method="exact", lake=lake)
    bundle.close()
    assert bundle.fetch().num_rows == 20


def test_a_file_that_has_changed_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text(table(ROWS[:9]))
    bundle = mere.assemble(BASE, [tmp_path / "more.csv"], method="exact")
    (tmp_path / "more.csv").write_text(table(ROWS[:8]))
    with pytest.raises(LakeError, match=r"more.csv' has changed since it was read; assemble the bundle again"):
        bundle.fetch()
    (tmp_path / "more.csv").unlink()
    with pytest.raises(LakeError, match=r"more.csv' has changed since it was read"):
        bundle.fetch()


@pytest.mark.parametrize("limit", [-1, True, "5", 2.5])
def test_a_wrong_limit_is_refused(bundle: mere.Bundle, limit: Any) -> None:
    with pytest.raises(UsageError, match="'limit' must be an int >= 0"):
        bundle.fetch(limit)


# shown

NASTY = '<script>alert("1")</script>'


def test_names_are_escaped_in_a_notebook_and_in_pictures(tmp_path: Path) -> None:
    bundle = mere.assemble(BASE, {NASTY: {"city": ["Bonn"]}, "<b>no</b>": BASE}, method="exact")
    page = bundle._repr_html_()
    assert "<script>" not in page and "<b>" not in page and "&lt;script&gt;" in page and "<svg" in page
    for name in ("curve.svg", "curve.html"):
        assert bundle.plot(tmp_path / name) == str(tmp_path / name)
        text = (tmp_path / name).read_text()
        assert "<script>" not in text and "&lt;script&gt;" in text
    ElementTree.fromstring((tmp_path / "curve.svg").read_text())


def test_the_curve_is_drawn_as_png_or_as_axes(bundle: mere.Bundle, tmp_path: Path) -> None:
    bundle.plot(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    axes = bundle.plot()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cost", "distinct rows")
    assert [line.get_label() for line in axes.lines][-1] == "budget"


def test_the_axes_have_whole_numbers_in_short_form(bundle: mere.Bundle) -> None:
    axes = bundle.plot()
    for axis in (axes.xaxis, axes.yaxis):
        assert all(float(number).is_integer() for number in axis.get_majorticklocs())
    small = mere.assemble({"n": [0]}, {"a": {"n": [1]}}, prices={"a": 0.25}, method="exact").plot()
    assert any(number % 1 for number in small.xaxis.get_majorticklocs())
    assert all(float(number).is_integer() for number in small.yaxis.get_majorticklocs())
    assert axes.yaxis.get_major_formatter()(2.5e16) == "2.5e+16"


def test_columns_of_a_candidate_are_told(lake: mere.Lake) -> None:
    bundle = lake.assemble(BASE, {"short": {"City": ["Bonn"], "x": [1]}, "north": "north.csv"}, method="exact")
    assert bundle.columns_in("short") == (1, 3) and bundle.columns_in("north") == (3, 3)
    with pytest.raises(UsageError, match=r"'east' is not a candidate that could be chosen; those are 'short', 'north'"):
        bundle.columns_in("east")


def test_without_matplotlib_the_remedy_names_the_extra(
    bundle: mere.Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(LakeError, match=r"matplotlib is not installed; pip install 'mere\[plots\]'"):
        bundle.plot(tmp_path / "curve.png")
    bundle.plot(tmp_path / "curve.svg")


@pytest.mark.parametrize(
    ("name", "message"), [("curve.jpg", "cannot draw to"), ("none/curve.svg", "there is no folder")]
)
def test_a_path_that_cannot_be_drawn_to_is_refused(
    bundle: mere.Bundle, tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        bundle.plot(tmp_path / name)


def test_the_summary_says_what_it_costs_and_brings(bundle: mere.Bundle) -> None:
    assert bundle.summary() == "2 tables, cost 11 of 12: 30 distinct rows, 25 more than the base (exact)"
    assert repr(bundle).splitlines() == [
        f"<{bundle.summary()}>", "shops/south.csv: price 5, +15 rows", "shops/north.csv: price 6, +10 rows",
        "2 tables rejected",
    ]  # fmt: skip


def test_fetched_rows_with_equal_first_hashes_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    from mere.bundles.relation import Relation

    bundle = mere.assemble({"a": [1, 2]}, {"c": {"a": [2, 3]}})
    monkeypatch.setattr(
        Relation, "hashes", lambda self, rows=slice(None): np.zeros(self.second_hashes(rows).shape[0], np.uint64)
    )
    assert sorted(bundle.fetch().column("a").to_pylist()) == [1, 2, 3]
