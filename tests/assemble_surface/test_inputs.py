"""Base and candidates of any form give the same answer; what cannot be used is refused with the reason."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mere
from mere.bundles.answer import assemble
from mere.bundles.problem import Problem
from mere.errors import ProfileOnly, UsageError
from tests.assemble_surface.conftest import BASE, ROWS, SHOPS, table
from tests.conftest import write_files

MORE = {"city": ["Graz", "Bonn"], "amount": [0, 7], "day": ["2024-01-10", "2024-05-05"]}


def rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize(
    "form", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, rows_of], ids=lambda form: form.__name__
)
def test_frames_and_rows_of_any_form_are_tables(form: Any) -> None:
    bundle = mere.assemble(form(BASE), {"more": form(MORE)}, method="exact")
    assert (bundle.base, bundle.distinct, [each.table for each in bundle.chosen]) == (5, 6, ["more"])


def test_files_are_tables_and_are_called_by_their_paths(tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_text(table(ROWS[:5]))
    (tmp_path / "more.csv").write_text(table(ROWS[3:9]))
    bundle = mere.assemble(tmp_path / "base.csv", [tmp_path / "more.csv"], method="exact")
    assert [(each.table, each.gain) for each in bundle.chosen] == [(str(tmp_path / "more.csv"), 4)]


def test_sheets_are_tables_and_of_several_the_first_is_noted(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        pd.DataFrame(MORE).to_excel(book, sheet_name="one", index=False)
        pd.DataFrame(BASE).to_excel(book, sheet_name="two", index=False)
    path = tmp_path / "book.xlsx"
    bundle = mere.assemble(BASE, [path, f"{path}#two"], method="exact")
    assert {each.table: each.gain for each in bundle.chosen} == {str(path): 1}
    assert [(each.table, each.code) for each in bundle.rejected] == [(f"{path}#two", "nothing new")]
    assert bundle.notes == [f"'{path}' has several tables and 'one' was used; name another after a '#'"]
    assert bundle.fetch().num_rows == 6


def test_a_candidate_may_be_alone() -> None:
    bundle = mere.assemble(BASE, pd.DataFrame(MORE), method="exact")
    assert [each.table for each in bundle.chosen] == ["candidate 1"]


def test_tables_of_the_lake_may_be_base_and_candidates(lake: mere.Lake) -> None:
    bundle = lake.assemble("north.csv", ["south.csv", "shops/wide.csv"], method="exact")
    assert (bundle.base, bundle.distinct) == (20, 40)
    again = mere.assemble("north.csv", ["south.csv", "shops/wide.csv"], method="exact", lake=lake.path)
    assert again.to_dict()["chosen"] == bundle.to_dict()["chosen"]


def test_without_candidates_the_tables_with_the_columns_of_the_base_are_considered(lake: mere.Lake) -> None:
    bundle = lake.assemble(BASE, method="exact")
    assert sorted(each.table for each in (*bundle.chosen, *bundle.rejected)) == SHOPS
    assert bundle.distinct == len(ROWS)


def test_the_base_is_not_a_candidate_of_itself(lake: mere.Lake, indexed: Path) -> None:
    for base in ("north.csv", indexed / "raw/shops/north.csv"):
        names = lake.assemble(base, method="exact").to_arrow().column("table").to_pylist()
        assert sorted(names) == [name for name in SHOPS if "north" not in name]


def test_a_base_that_no_table_covers_is_an_error_that_names_the_nearest(lake: mere.Lake) -> None:
    with pytest.raises(UsageError) as raised:
        lake.assemble({"name": ["Ada"], "age": [36], "shoe": [40]})
    assert raised.value.message == "no other table of the lake has all 3 columns of the base"
    assert "'other/people.csv', lacks shoe" in raised.value.remedy and "candidates=" in raised.value.remedy
    with pytest.raises(UsageError, match="no other table of the lake has the column of the base; name tables with"):
        lake.assemble({"nowhere": [1]})


@pytest.mark.parametrize("amount", ["much", None, True, 1.5])
def test_types_may_differ(lake: mere.Lake, amount: Any) -> None:
    bundle = lake.assemble({"city": ["Graz"], "amount": [amount], "day": ["2024-01-10"]}, method="exact")
    assert sorted(bundle.to_arrow().column("table").to_pylist()) == SHOPS
    assert bundle.distinct == 41 and any(note.startswith("'amount' is ") for note in bundle.notes) == (
        amount is not None and amount != 1.5
    )


def test_tables_whose_columns_hold_other_things_are_rejected_unless_they_are_named(lake: mere.Lake) -> None:
    base = {"city": ["Graz"], "amount": ["2024-01-10"], "day": ["2024-01-10"]}
    found, named = lake.assemble(base), lake.assemble(base, ["north.csv"])
    assert [(each.table, each.code) for each in found.rejected] == [(shop, "other type") for shop in SHOPS]
    reason = "'amount' is integer in it and date/time in the base; candidates= takes it all the same"
    assert {each.reason for each in found.rejected} == {reason}
    assert found.distinct == 1 and named.distinct == 21


def test_types_decide_where_columns_have_no_header(tmp_path: Path, run_index: Any) -> None:
    lines = {"a.csv": ["7;8", "9;10"], "b.csv": ["7;8", "11;12"], "c.csv": ["7;see note", "8;on request"]}
    write_files(tmp_path / "raw", {name: "\n".join(rows) + "\n" for name, rows in lines.items()})
    run_index(tmp_path / "raw")
    with mere.open(run_index.lake) as opened:
        bundle = opened.assemble("a.csv")
        assert bundle.distinct == 3 and [each.table for each in bundle.chosen] == ["b.csv"]
        assert [(each.table, each.code) for each in bundle.rejected] == [("c.csv", "other type")]


def test_a_base_of_no_rows_takes_types_from_the_candidates(lake: mere.Lake) -> None:
    base = pd.DataFrame({"city": [], "amount": [], "day": []})
    bundle = lake.assemble(base, ["north.csv"], ["amount < 3 AND day < '2024-01-12'"], method="exact")
    assert (bundle.base, bundle.distinct) == (0, 2)
    assert "the base has no rows: all rows of the candidates are new" in bundle.notes


def test_excluded_columns_are_not_compared(lake: mere.Lake) -> None:
    numbered = {"id": list(range(30)), **{name: cells * 6 for name, cells in BASE.items()}}
    bundle = lake.assemble(numbered, ["wide.csv"], method="exact")
    assert bundle.base == 30
    [note] = [note for note in bundle.notes if "every row" in note]
    assert note.startswith("'id' differs in every row of the base") and "exclude=['id']" in note
    bundle = lake.assemble(numbered, ["wide.csv"], method="exact", exclude="ID")
    assert (bundle.base, bundle.distinct) == (5, 15) and not any("every row" in note for note in bundle.notes)


@pytest.mark.parametrize("left_out", ["City", "city"])
def test_of_two_columns_with_one_name_the_one_that_is_not_excluded_is_compared(left_out: str) -> None:
    base = {"City": ["A", "B"], "city": ["X", "Y"], "n": [1, 2]}
    kept = "city" if left_out == "City" else "City"
    same_columns = {"City": ["A", "C"], "city": ["X", "Z"], "n": [1, 3]}
    one_column = {"city": [base[kept][1], "new"], "n": [2, 4]}
    bundle = mere.assemble(base, {"same": same_columns, "one": one_column}, exclude=[left_out], method="exact")
    assert bundle.fetch().to_pydict() == {
        kept: [*base[kept], *([same_columns[kept][1], "new"])], "n": [1, 2, 3, 4],
        "table": ["base", "base", "same", "one"],
    }  # fmt: skip


def test_the_column_of_a_stored_base_that_is_not_excluded_is_compared(tmp_path: Path, run_index: Any) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "mine.csv").write_text("City,city,n\nA,X,1\nB,Y,2\n")
    (tmp_path / "raw" / "more.csv").write_text("City,city,n\nC,X,1\nB,Z,2\n")
    run_index(tmp_path / "raw")
    with mere.open(run_index.lake) as lake:
        bundle = lake.assemble("mine.csv", exclude="City", method="exact")
        assert bundle.fetch().column("city").to_pylist() == ["X", "Y", "Z"]


def test_queries_on_an_excluded_column_are_refused_with_the_reason(lake: mere.Lake) -> None:
    with pytest.raises(UsageError, match=r"column 'Amount' is excluded \(exclude=\)"):
        lake.assemble(BASE, ["north.csv"], ["Amount < 3"], exclude="amount")


def test_a_text_column_that_is_compared_with_a_number_is_noted() -> None:
    bundle = mere.assemble({"age": ["60", "7", "n/k", "old"]}, {"t": {"age": [100]}}, ["age > 50"], method="exact")
    assert bundle.base == 4 and bundle.notes == [
        "'age' is text in 'base' and integer in 't': numbers are compared as such, other values, such as 007, as text",
        "'age' is text in the base, so it is compared as text with 50 (not as a number)",
    ]


@pytest.mark.parametrize("method", ["exact", "sketch"])
def test_queries_that_no_row_meets_are_noted(method: str) -> None:
    note = "no row of the base or of a candidate meets the queries"
    tables = {"t": {"a": [2, 3]}, "other": {"b": [1]}}
    assert note in mere.assemble({"a": [1]}, tables, ["a > 5"], method=method).notes
    assert note not in mere.assemble({"a": [1]}, tables, ["a > 2"], method="exact").notes
    assert note not in mere.assemble({"a": [1]}, tables, ["a < 2"], method="exact").notes
    assert note not in mere.assemble({"a": []}, {"t": {"a": []}}, method="exact").notes


def test_none_is_the_same_as_nothing_given(lake: mere.Lake) -> None:
    given = lake.assemble(BASE, ["north.csv"], None, method="exact", exclude=None, licences=None)
    assert given.distinct == 20 and given.fetch().num_rows == 20


def test_a_candidate_that_lacks_a_column_is_noted(lake: mere.Lake) -> None:
    bundle = lake.assemble(BASE, {"short": {"city": ["Graz", "Bonn"]}}, method="exact")
    assert bundle.notes == ["'short' lacks amount, day, which are missing values in its rows"]
    assert bundle.distinct == 7


def test_a_candidate_that_is_the_base_adds_nothing() -> None:
    bundle = mere.assemble(BASE, {"again": BASE}, method="exact")
    assert [(each.table, each.code, each.gain) for each in bundle.rejected] == [("again", "nothing new", 0)]


def test_candidates_that_cannot_be_used_are_rejected_and_the_others_considered(tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00")
    bundle = mere.assemble(BASE, {"more": MORE, "no": {"x": [1]}, "bad": tmp_path / "picture.csv"}, method="exact")
    assert [each.table for each in bundle.chosen] == ["more"]
    rejected = {each.table: (each.code, each.reason) for each in bundle.rejected}
    assert rejected["no"] == ("no columns", "it has no column of the base: x")
    assert rejected["bad"][0] == "unreadable" and "PNG" in rejected["bad"][1]


def test_a_candidate_with_two_columns_of_one_name_is_rejected() -> None:
    twice = pd.DataFrame([["Graz", 1, 2]], columns=["city", "amount", "amount"])
    bundle = mere.assemble(BASE, {"more": MORE, "twice": twice}, method="exact")
    assert [(each.code, each.reason) for each in bundle.rejected] == [
        ("unreadable", "it has several columns called 'amount'")
    ]


@pytest.mark.parametrize("candidates", [["a.csv", "./a.csv"], ["sub/../a.csv", "b.csv", "a.csv"]])
def test_a_file_that_is_named_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, candidates: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(table(ROWS[:8]))
    message = f"the candidates '{candidates[0]}' and '{candidates[-1]}' are the same file; name each once"
    with pytest.raises(UsageError, match=message):
        mere.assemble(BASE, candidates)
    assert len(mere.assemble(BASE, {"a": "a.csv", "again": "./a.csv"}, method="exact").rejected) == 1


def test_only_unusable_candidates_leave_the_base(tmp_path: Path) -> None:
    bundle = mere.assemble(BASE, {"no": {"x": [1]}}, budget=5, method="exact")
    assert bundle.chosen == [] and bundle.distinct == bundle.base == 5 and len(bundle.rejected) == 1


def test_tables_of_which_only_a_profile_was_published_are_rejected(
    lake: mere.Lake, tmp_path: Path, run_index: Any
) -> None:
    (tmp_path / "raw").mkdir()
    lake.export_profiles(["shops/north.csv"], tmp_path / "raw" / "x.croissant.json")
    (tmp_path / "raw" / "east.csv").write_text(table(ROWS[:8]))
    run_index(tmp_path / "raw")
    with mere.open(run_index.lake) as published:
        profiles = [info.name for info in published.tables if info.profile_only]
        bundle = published.assemble(BASE, method="exact")
        assert [(each.table, each.code) for each in bundle.rejected] == [(profiles[0], "profile only")]
        named = published.assemble(BASE, ["east.csv", profiles[0]], method="exact")
        assert [(each.table, each.code) for each in named.rejected] == [(profiles[0], "profile only")]
        with pytest.raises(ProfileOnly, match="only a profile was published"):
            published.assemble(profiles[0], ["east.csv"])
    file = mere.assemble(BASE, [tmp_path / "raw" / "x.croissant.json", tmp_path / "raw" / "east.csv"], method="exact")
    assert [each.code for each in file.rejected] == ["profile only"]


@pytest.mark.parametrize(
    ("licences", "kept"),
    [
        ("CC0-1.0", {"shops/north.csv"}),
        (["cc by"], {"shops/copy.csv", "shops/south.csv", "shops/wide.csv"}),
        ("GPL", set()),
    ],
)
def test_only_tables_with_a_wanted_licence_are_kept(lake: mere.Lake, licences: Any, kept: set[str]) -> None:
    bundle = lake.assemble(BASE, licences=licences, method="exact")
    refused = {each.table: each.reason for each in bundle.rejected if each.code == "licence"}
    assert set(refused) == set(SHOPS) - kept
    assert all("its licence is 'CC" in reason for reason in refused.values())


def test_the_licence_of_a_file_is_read_from_the_descriptions_beside_it(indexed: Path) -> None:
    paths = [indexed / "raw/shops/north.csv", indexed / "raw/shops/south.csv", indexed / "raw/other/words.csv"]
    bundle = mere.assemble(BASE, paths, licences=["CC0"], method="exact")
    assert [each.table for each in bundle.chosen] == [str(paths[0])]
    assert [each.reason for each in bundle.rejected] == [
        "its licence is 'CC-BY-4.0'",
        "its description names no licence",
    ]


def test_progress_is_told() -> None:
    sentences: list[str] = []
    mere.assemble(BASE, {"more": MORE, "again": BASE}, method="exact", progress=sentences.append)
    assert sentences[:3] == ["reading the base", "reading candidate 1 of 2", "reading candidate 2 of 2"]


def test_progress_that_has_not_changed_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    def repeating(problem: Problem, method: str, progress: Any, *more: Any) -> Any:
        for sentence in ("reading 1 of 2", "reading 1 of 2", "reading 2 of 2"):
            progress(sentence)
        return assemble(problem, method)

    sentences: list[str] = []
    monkeypatch.setattr(sys.modules["mere.search.assembling.assembled"], "assemble", repeating)
    mere.assemble(BASE, {"more": MORE}, method="exact", progress=sentences.append)
    assert sentences == ["reading the base", "reading 1 of 2", "reading 2 of 2"]


@pytest.mark.parametrize(
    ("call", "message", "remedy"),
    [
        (lambda lake: mere.assemble(BASE), "there are no candidates and no lake", "lake="),
        (
            lambda lake: mere.assemble("nowhere.csv", [BASE]),
            "'nowhere.csv' is not a file, and no lake was given",
            "lake=",
        ),
        (lambda lake: lake.assemble("nort.csv"), "no file 'nort.csv', and no table 'nort.csv'", "shops/north.csv"),
        (lambda lake: lake.assemble(BASE, ["nort.csv", "south.csv"]), "no table 'nort.csv'", "did you mean"),
        (lambda lake: mere.assemble(5, [BASE]), "expected a table as base, got int", "frame"),
        (lambda lake: mere.assemble(["a"], [BASE]), "expected a table as base, got a list of other things", "rows"),
        (lambda lake: mere.assemble({}, [BASE]), "the base 'base' has no columns", "named columns"),
        (lambda lake: mere.assemble(BASE, []), "there are no candidates", "candidates="),
        (lambda lake: mere.assemble(BASE, {}), "there are no candidates", "candidates="),
        (lambda lake: mere.assemble(BASE, 5), "expected candidates, got int", "mapping"),
        (lambda lake: mere.assemble(BASE, {1: BASE}), "a name that is not a text", "mapping"),
        (lambda lake: mere.assemble(BASE, [5]), "expected a table as candidate 1, got int", "frame"),
        (
            lambda lake: lake.assemble(BASE, ["north.csv", "shops/north.csv"]),
            "two candidates are called 'shops/n",
            "once",
        ),
        (
            lambda lake: mere.assemble(pd.DataFrame([[1, 2]], columns=["x", "x"]), [BASE]),
            "several columns called 'x'",
            "ren",
        ),
        (lambda lake: lake.assemble(BASE, exclude=["size"]), "the base 'base' has no column 'size'", "it has city"),
        (lambda lake: lake.assemble(BASE, exclude=5), "expected names of columns, got exclude=5", "exclude="),
        (lambda lake: lake.assemble(BASE, exclude=list(BASE)), "all columns of the base are excluded", "exclude="),
        (lambda lake: lake.assemble(BASE, licences=5), "expected names of licences, got licences=5", "CC0"),
        (
            lambda lake: lake.assemble(BASE, method="best"),
            "'method' must be one of sketch, exact, optimal, ml",
            "sketch",
        ),
        (
            lambda lake: lake.assemble(BASE, sample_size=3),
            "'sample_size' must be a whole number of at least 16, got 3",
            "leave out sample_size= for the size of the lake's samples, or 2000",
        ),
        (lambda lake: lake.assemble(BASE, progress="yes"), "'progress' must be a function", "progress=print"),
        (lambda lake: lake.assemble(BASE, queries=["price < 5"]), "no column 'price' in the base", "'city'"),
        (lambda lake: lake.assemble(BASE, queries=["SELECT city, count(*) FROM t GROUP BY city"]), "GROUP BY", "WHERE"),
        (
            lambda lake: lake.assemble(BASE, spark=True),
            "method='sketch' counts in this process; spark= is for 'exact' and 'optimal'",
            "method='exact'",
        ),
        (lambda lake: lake.assemble(BASE, budget=0), "'budget' must be a finite number above 0, got 0", "no limit"),
        (lambda lake: lake.assemble(BASE, budget=-1), "'budget' must be a finite number above 0, got -1", "no limit"),
        (lambda lake: lake.assemble(BASE, budget=float("nan")), "'budget' must be a finite number above 0", "no limit"),
        (lambda lake: lake.assemble(BASE, budget=float("inf")), "'budget' must be a finite number above 0", "no limit"),
        (lambda lake: lake.assemble(BASE, budget="5"), "'budget' must be a finite number above 0, got '5'", "no limit"),
        (
            lambda lake: lake.assemble(BASE, budget=True),
            "'budget' must be a finite number above 0, got True",
            "no limit",
        ),
    ],
)
def test_wrong_arguments_are_refused_with_value_and_remedy(
    lake: mere.Lake, call: Any, message: str, remedy: str
) -> None:
    with pytest.raises(UsageError) as raised:
        call(lake)
    assert message in raised.value.message and remedy in raised.value.remedy and raised.value.remedy


@pytest.mark.parametrize(("asked", "stored", "made"), [(None, 20, 2000), (16, 16, 16), (50, 50, 50)])
def test_stored_samples_are_used_as_they_are_unless_a_larger_size_is_asked_for(
    tmp_path: Path, run_index: Any, monkeypatch: pytest.MonkeyPatch, asked: int | None, stored: int, made: int
) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "more.csv").write_text("n\n" + "".join(f"{n}\n" for n in range(3000)))
    run_index(tmp_path / "raw", settings=mere.Settings(sketch_size=20))
    problems: list[Problem] = []

    def keep(problem: Problem, *more: Any) -> Any:
        problems.append(problem)
        return assemble(problem, *more)

    monkeypatch.setattr(sys.modules["mere.search.assembling.assembled"], "assemble", keep)
    with mere.open(run_index.lake) as lake:
        lake.assemble({"n": [1]}, ["more.csv", {"n": list(range(3000))}], sample_size=asked)
        [problem] = problems
        assert [len(offer.sample(problem.sample_size).hashes) for offer in problem.offers] == [stored, made]
        assert (problem.offers[0].stored_sample(problem.sample_size) is None) == (asked == 50)


def test_a_closed_lake_says_so(indexed: Path) -> None:
    opened = mere.open(indexed / "lake")
    bundle = opened.assemble(BASE, method="exact")
    opened.close()
    with pytest.raises(mere.LakeError, match="is closed"):
        bundle.fetch()
    with pytest.raises(mere.LakeError, match="is closed"):
        opened.assemble(BASE)
