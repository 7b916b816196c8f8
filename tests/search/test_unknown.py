"""What is not known is neither guaranteed nor ruled out, under any nesting of `not`, from Python and as text.

The oracle knows the worlds that a lake cannot tell apart: the rows that an owner keeps, both readings of `1.625`, text
of which half are numbers.  What is guaranteed must hold in every world; what holds in one must be an answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import mere
from mere.language import And, Not, Or, Predicate, SameColumn, Words, parse
from mere.pipeline import index
from mere.pipeline.engine import Inline
from tests.conftest import write_files

DAY = 86400.0
World = dict[str, tuple[bool, list[float]]]  # by column: whether it is one of dates, and its numbers; others are text


class Made:
    """A table as it is written, its text, and the worlds in which it may be."""

    def __init__(self, columns: dict[str, list[str]], worlds: list[World]) -> None:
        self.columns, self.worlds = columns, worlds

    @property
    def csv(self) -> str:
        return (
            "\n".join(";".join(row) for row in [list(self.columns), *zip(*self.columns.values(), strict=True)]) + "\n"
        )

    def has(self, word: str) -> bool:
        texts = list(self.columns) + [c for n in ("word", "mixed") for c in self.columns.get(n, [])]
        return any(word in text.split() for text in texts)


def made(chance: random.Random) -> Made:
    """A table with some of: integers, dates, words, thousands or decimals, text of which half are numbers."""
    rows = chance.choice([1, 5, 30, 60])
    ages = [chance.randint(0, 90) for _ in range(rows)]
    days = [chance.randint(0, 20_000) for _ in range(rows)]
    thousands = [chance.randint(1_000, 9_999) for _ in range(rows)]
    half = [chance.randint(0, 90) if place % 2 else None for place in range(rows)]
    columns, world, other = {"id": [f"r{place}" for place in range(rows)]}, World(), World()
    if chance.random() < 0.7:
        columns["age"] = [str(age) for age in ages]
        world["age"] = other["age"] = (False, [float(age) for age in ages])
    if chance.random() < 0.5:
        columns["born"] = [str(mere_date(day)) for day in days]
        world["born"] = other["born"] = (True, [day * DAY for day in days])
    if chance.random() < 0.5:
        columns["word"] = [chance.choice(["cancer", "none", "measles"]) for _ in range(rows)]
    if chance.random() < 0.5:
        columns["size"] = [f"{number // 1000}.{number % 1000:03}" for number in thousands]
        world["size"], other["size"] = (False, [n / 1000 for n in thousands]), (False, [float(n) for n in thousands])
    if chance.random() < 0.5 and rows > 1:
        columns["mixed"] = [f"about {number}x" if number is None else str(number) for number in half]
        other["mixed"] = (False, [float(number) for number in half if number is not None])
    return Made(columns, [world, other, {**world, "size": other["size"]} if "size" in world else world])


def mere_date(day: int) -> Any:
    import datetime

    return datetime.date(1970, 1, 1) + datetime.timedelta(days=day)


def holds(condition: Any, table: Made, world: World) -> bool:
    if isinstance(condition, Not):
        return not holds(condition.part, table, world)
    if isinstance(condition, And | Or):
        return (all if isinstance(condition, And) else any)(holds(part, table, world) for part in condition.parts)
    if isinstance(condition, Words):
        return table.has(condition.text)
    predicates = condition.predicates if isinstance(condition, SameColumn) else (condition,)
    meant = [numbers for name, (dated, numbers) in world.items()
             if predicates[0].column in (None, name) and dated == predicates[0].dated]  # fmt: skip
    return any(all(satisfies(numbers, predicate) for predicate in predicates) for numbers in meant)


def satisfies(numbers: list[float], predicate: Predicate) -> bool:
    value, operator = predicate.value, predicate.operator
    compare = {
        "<": lambda n: n < value, "<=": lambda n: n <= value, ">": lambda n: n > value, ">=": lambda n: n >= value,
        "=": lambda n: n == value, "between": lambda n: value[0] <= n <= value[1],
    }[operator]  # fmt: skip
    share = Fraction(sum(map(compare, numbers)), len(numbers))
    return share >= predicate.fraction if predicate.side == "at least" else share <= predicate.fraction


def leaf(chance: random.Random) -> str:
    column = chance.choice(["age", "any column", "born", "size", "mixed"])
    value, high = chance.choice([0, 18, 40, 61]), chance.choice([61, 90, 5000])
    values = ["1971-01-01", "1990-06-15", "2020-01-01"] if column == "born" else [str(value), "1.5", "2500"]
    sign = chance.choice(["<", "<=", ">", ">=", "=", "!="])
    test = f"{sign} {chance.choice(values)}"
    if column != "born" and chance.random() < 0.2:
        test = f"between {value} and {high}"
    return f"{chance.choice(['at least', 'at most'])} {chance.choice([0, 10, 33, 50, 90, 100])}% of {column} {test}"


def conditions(seed: str, count: int) -> Iterator[str]:
    """Texts: leaves, words, groups of the same column, composed in any nesting."""
    chance = random.Random(seed)

    def made(depth: int) -> str:
        if depth == 0:
            drawn = chance.random()
            if drawn < 0.2:
                return chance.choice(["'cancer'", "'measles'", "'born'"])
            if drawn < 0.35:
                more = f"at most 60% of the same column {chance.choice(['< 30', '> 2000'])}"
                return f"({leaf(chance)} and {more})"
            return leaf(chance)
        if chance.random() < 0.4:
            return f"not ({made(depth - 1)})"
        return f"({made(depth - 1)} {chance.choice(['and', 'or'])} {made(chance.randrange(depth))})"

    for _ in range(count):
        text = made(chance.choice([0, 1, 1, 2, 3]))
        try:
            parse(text)
        except mere.errors.QueryError:  # a date and a number of one column
            continue
        yield text


def sheet(path: Path, table: Made) -> None:
    """A workbook whose second sheet is hidden."""
    book = openpyxl.Workbook()
    book.active.append(["note"])
    book.active.append(["nothing here"])
    hidden = book.create_sheet("data")
    hidden.sheet_state = "hidden"
    for row in [list(table.columns), *zip(*table.columns.values(), strict=True)]:
        hidden.append(list(row))
    book.save(path)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A lake, and what its tables are: files, published profiles of others with and without histograms, hidden sheets;
    some tables are dead."""
    home, chance = tmp_path_factory.mktemp("unknown"), random.Random("worlds")
    files = {f"t{number}.csv": made(chance) for number in range(24)}
    written = {name: table.csv for name, table in files.items()}
    raw = write_files(home / "raw", written | {"gone.csv": files["t1.csv"].csv})
    truth = dict(files)
    for least in (0, 20):
        own = {f"p{least}_{number}.csv": made(chance) for number in range(24)}
        source = write_files(home / f"own{least}", {name: table.csv for name, table in own.items()})
        index([source], home / f"owner{least}", engine=Inline())
        with mere.open(home / f"owner{least}") as owner:
            owner.export_profiles(None, raw / f"p{least}.json", least=least)
        truth |= {f"p{least}.json#{name}": table for name, table in own.items()}
    sheet(raw / "book.xlsx", files["t2.csv"])
    truth["book.xlsx#data"] = files["t2.csv"]
    index([raw], home / "lake", engine=Inline(), settings=mere.Settings(segment_bytes=20_000))
    (raw / "gone.csv").unlink()
    index([raw], home / "lake", engine=Inline())
    with mere.open(home / "lake") as lake:
        missing = {"book.xlsx#Sheet"}
        assert {table.name for table in lake.tables} == set(truth) | missing
        yield lake, truth


def faults(lake: Any, truth: dict[str, Made], text: str) -> list[str]:
    hits = {hit.table: hit for hit in lake.where(text, 0)}
    condition, found = parse(text), []
    for name, table in truth.items():
        answers = {holds(condition, table, world) for world in table.worlds}
        if True in answers and name not in hits:
            found.append(f"{text}: {name} is missed")
        if False in answers and name in hits and hits[name].exact:
            found.append(f"{text}: {name} is falsely guaranteed")
    return found


def check(known: Any, seed: str, count: int) -> None:
    lake, truth = known
    for text in conditions(seed, count):
        assert faults(lake, truth, text) == []


def test_nothing_is_missed_and_nothing_falsely_guaranteed_under_any_nesting(known: Any) -> None:
    check(known, "nested", 400)


@pytest.mark.slow
def test_nor_in_two_thousand_conditions(known: Any) -> None:
    check(known, "two thousand", 2_000)


def test_text_and_python_give_one_answer_and_what_is_sure_is_a_part_of_it(known: Any) -> None:
    lake, _ = known
    for text in conditions("surfaces", 120):
        hits, python = lake.where(text, 0), lake.where(parse(text), 0)
        assert python.to_dicts() == hits.to_dicts() and python.notes == hits.notes
        assert lake.where(str(parse(text)), 0).to_dicts() == hits.to_dicts()
        sure = [hit for hit in hits.to_dicts() if hit["exact"]]
        assert lake.where(text, 0, sure=True).to_dicts() == sure
        assert lake.where(text, 3, sure=True).to_dicts() == sure[:3]
        assert {hit.evidence["label"] for hit in hits} <= {"guaranteed", "possible"}


def test_what_is_unknown_comes_last_with_its_bounds_and_the_reason(known: Any) -> None:
    lake, truth = known
    for condition in ("at least 50% of age > 18", "not at least 50% of age > 18"):
        hits = lake.where(condition, 0)
        unknown = [hit for hit in hits if any("reason" in reason for reason in hit.evidence["reasons"])]
        assert {reason["reason"] for hit in unknown for reason in hit.evidence["reasons"]} == {"histogram withheld"}
        assert {tuple(reason["fraction"]) for hit in unknown for reason in hit.evidence["reasons"]} == {(0.0, 1.0)}
        assert hits[-len(unknown) :] == unknown and {hit.score for hit in unknown} == {0.0}
    two_ways = lake.where("at least 50% of size > 18", 0)
    assert two_ways and {hit.evidence["label"] for hit in two_ways} == {"possible"}
    reasons = {reason["reason"] for hit in two_ways for reason in hit.evidence["reasons"]}
    assert reasons == {"numbers may be read in two ways", "histogram withheld"} or reasons == {
        "numbers may be read in two ways"
    }
    mixed = lake.where("at most 50% of mixed > 18", 0)
    assert {reason["reason"] for hit in mixed for reason in hit.evidence["reasons"]} == {
        "text in which some cells are numbers"
    }
    assert {hit.table for hit in mixed} == {name for name, table in truth.items() if "mixed" in table.columns}


def test_a_table_without_a_column_that_could_be_meant_surely_does_not_meet_it(known: Any) -> None:
    lake, truth = known
    none = {name for name, table in truth.items() if not {"age", "size", "mixed"} & set(table.columns)}
    hits = {hit.table: hit.exact for hit in lake.where("not at least 0% of any column > 5", 0)}
    assert none and all(hits[name] for name in none)


def test_columns_are_answered_as_their_tables_are(known: Any) -> None:
    lake, _ = known
    for text in ("at least 50% of any column > 18", "at most 20% of born < 1990-06-15", "at least 100% of size > 18"):
        tables = {hit.table: hit.exact for hit in lake.where(text, 0)}
        for per in ("table", "column"):
            hits = lake.distribution(text, 0, per=per)
            assert {hit.table for hit in hits} == set(tables)
            assert {hit.table for hit in hits if hit.exact} == {table for table, sure in tables.items() if sure}
            assert lake.distribution(text, 0, per=per, sure=True).to_dicts() == [
                hit for hit in hits.to_dicts() if hit["exact"]
            ]
            assert lake.batch("distribution", [text], Inline(), k=0, per=per)[0].to_dicts() == hits.to_dicts()
            assert lake.distribution(text, 7, per=per).to_dicts() == hits.to_dicts()[:7]
            for hit in hits[:5]:
                [one] = list(lake.distribution(text, 0, per="table", table=hit.table))
                assert one.exact == tables[hit.table]


def test_a_published_profile_is_as_unsure_as_its_owner(tmp_path: Path) -> None:
    files = {"one.csv": "note\n1.625\n", "half.csv": "age\n" + "12\nabout x\n" * 30, "d.csv": "d\n5/1/2020\n6/2/2021\n"}
    index([write_files(tmp_path / "raw", files)], tmp_path / "owner", engine=Inline())
    questions = ["at least 100% of note < 5", "not at least 10% of age > 18", "at least 1% of d > 2020-03-01",
                 "not at least 50% of note > 1000", "at most 30% of age < 3"]  # fmt: skip
    with mere.open(tmp_path / "owner") as owner:
        for least in (0, 1):
            owner.export_profiles(None, tmp_path / f"public{least}" / "p.json", least=least) if (
                (tmp_path / f"public{least}").mkdir() or True
            ) else None
            index([tmp_path / f"public{least}"], tmp_path / f"lake{least}", engine=Inline())
            with mere.open(tmp_path / f"lake{least}") as finder:
                for question in questions:
                    of_owner = {hit.table: hit.evidence["label"] for hit in owner.where(question, 0)}
                    of_profile = {hit.table.split("#")[1]: hit.evidence["label"] for hit in finder.where(question, 0)}
                    assert of_profile == of_owner and "possible" in of_owner.values(), question
                finder.export_profiles(None, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text().count('"unsure"') >= 3


def test_a_date_that_is_not_equal_stays_a_date_in_a_text() -> None:
    import datetime

    assert parse("at least 50% of born != 1990-01-01") == (mere.at_least(0.5, "born") != datetime.date(1990, 1, 1))
    assert str(parse("at least 50% of born != 1990-01-01")) == "at most 50% of born = 1990-01-01"


@pytest.mark.parametrize("mode", ["full-precision", "full-recall", "low-memory", "exact"])
def test_modes_that_name_only_what_meets_the_condition_leave_out_what_is_unknown(tmp_path: Path, mode: str) -> None:
    files = {"u.csv": "x;n\n" + "".join(f"{a}.{a:03d};{a}\n" for a in range(1, 40)), "s.csv": "x;n\n2;3\n3;4\n"}
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline(),
          settings=mere.Settings(fainder_clusters=2))  # fmt: skip
    with mere.open(tmp_path / "lake") as lake:
        tables = [hit.table for hit in lake.distribution("at least 10% of x < 9999999", 0, mode=mode)]
    assert tables == ["s.csv", "u.csv"] if mode in ("exact", "full-recall") else "u.csv" not in tables


def test_rows_that_nobody_has_seen_are_neither_joined_nor_ruled_out(tmp_path: Path) -> None:
    files = {"a.csv": "city\nRome\nOslo\n", "b.csv": "city\nBern\n"}
    index([write_files(tmp_path / "raw", files)], tmp_path / "owner", engine=Inline())
    (tmp_path / "public").mkdir()
    with mere.open(tmp_path / "owner") as owner:
        owner.export_profiles(["a.csv"], tmp_path / "public" / "p.json")
    write_files(tmp_path / "public", {"b.csv": files["b.csv"], "u.csv": "n;w\n1.625;a\n2.500;b\n"})
    index([tmp_path / "public"], tmp_path / "lake", engine=Inline())
    with mere.open(tmp_path / "lake") as lake:
        rome = {"overlap": {"values": ["Rome", "Oslo"]}, "containment": {"values": ["Rome", "Oslo"]},
                "composite": {"frame": {"x": ["Rome"], "y": ["Oslo"]}}, "similar": {"values": ["Rome", "Oslo"]},
                "transform": {"values": ["Rome", "Oslo"]}, "keywords": {"text": "rome"}}  # fmt: skip
        for kind, given in rome.items():
            hits = {hit.table: hit for hit in lake.where(~mere.ask(kind, **given), 0)}
            assert not hits["p.json#a.csv"].exact, kind
            assert hits["p.json#a.csv"].evidence["reasons"][0]["reason"] == "only a profile was published"
            assert hits["b.csv"].exact == (kind != "transform")
            assert "p.json#a.csv" in {hit.table for hit in lake.where(mere.ask(kind, **given), 0)}
            assert all(hit.exact for hit in lake.where(~mere.ask(kind, **given), 0, sure=True))
        for kind in ("overlap", "containment"):
            for values, note in ((["1.625", "2.5"], True), (["1625", "2500"], False)):
                asked = mere.ask(kind, values=values)
                hits, others = lake.where(asked, 0), {hit.table: hit for hit in lake.where(~asked, 0)}
                assert not any(hit.exact for hit in hits if hit.table == "u.csv")
                assert not others["u.csv"].exact and others["b.csv"].exact
                assert any("'n' of 'u.csv'" in text for text in hits.notes) == note
            assert "b.csv" not in {hit.table for hit in lake.where(~mere.ask(kind, values=["Bern"]), 0)}
            texts = {hit.table: hit.exact for hit in lake.where(~mere.ask(kind, values=["Rome"]), 0)}
            assert texts["u.csv"]  # no number was asked for


def test_texts_that_may_be_numbers_are_looked_for_in_numbers_too(tmp_path: Path) -> None:
    other = [f"x{n},{chr(97 + n % 26)}" for n in range(100, 160)]
    files = {
        "a.csv": "price;code\n" + "".join(f"1.{n};x{n}\n" for n in range(100, 160)),
        "i.csv": "price,code,w\n"
        + "".join(f"{n + 1000},{row}\n" for n, row in zip(range(100, 160), other, strict=True)),
    }
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    frame = {"p": ["1125", "1126", "abc", "zz", "12a", "17b"], "n": ["x125", "x126", "x1", "x2", "x3", "x4"]}
    with mere.open(tmp_path / "lake") as lake:
        assert lake.profile("a.csv").numbers["unsure"] == {"price": "decimal"}
        assert [hit.table for hit in lake.composite(frame) if hit.score == 2] == ["i.csv"]
        others = {hit.table: hit for hit in lake.where(~mere.ask("composite", frame=frame), 0)}
        assert not others["a.csv"].exact


def test_my_own_numbers_may_be_read_in_two_ways(tmp_path: Path) -> None:
    files = {
        "i.csv": "price,code\n" + "".join(f"{n + 1000},x{n}\n" for n in range(100, 160)),
        "d.csv": "price,code\n" + "".join(f"{n / 1000 + 1:.4f},x{n}\n" for n in range(100, 160)),
        "t.csv": "word,note\na,b\nc,d\n",
    }
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    mine = ["1.125", "1.131", "1.137"]
    with mere.open(tmp_path / "lake") as lake:
        for kind, name in (("overlap", "values"), ("containment", "values"), ("composite", "frame")):
            given = mine if name == "values" else {"p": mine, "n": ["x125", "x131", "x137"]}
            hits = lake.ask(kind, **{name: given})
            assert [hit.table for hit in hits] == ["d.csv"] and not hits[0].exact and hits[0].evidence["unsure"]
            others = {hit.table: hit.exact for hit in lake.where(~mere.ask(kind, **{name: given}), 0)}
            assert others == {"i.csv": False, "d.csv": False, "t.csv": True}
            assert lake.explain(kind, given, hits[0])[0].evidence["unsure"]
            assert lake.batch(kind, [given], Inline())[0].to_dicts() == hits.to_dicts()
        assert not any(hit.exact for hit in lake.joinable({"p": mine, "n": ["x125", "x131", "x137"]}, ["p", "n"]))
        sure = lake.overlap([1.125, 1.131])
        assert sure[0].exact and "unsure" not in sure[0].evidence


def test_what_is_only_possible_comes_after_all_that_are_guaranteed(tmp_path: Path) -> None:
    files = {
        "unsure.csv": "n;w\n" + "".join(f"{n}.{n};a\n" for n in range(100, 120)),
        "sure.csv": "n,w\n" + "".join(f"{n}.{n},a\n" for n in range(100, 115)) + "1.5,b\n",
    }
    index([write_files(tmp_path / "raw", files)], tmp_path / "lake", engine=Inline())
    values = [f"{n}.{n}" for n in range(100, 120)] + ["1.5"]
    with mere.open(tmp_path / "lake") as lake:
        hits = lake.where(mere.ask("containment", values=values, threshold=0.5))
        assert [(hit.table, hit.exact) for hit in hits] == [("sure.csv", True), ("unsure.csv", False)]
        assert [hit.table for hit in lake.where(mere.ask("containment", values=values, threshold=0.5), 1)] == [
            "sure.csv"
        ]
        assert hits[1].score == 0 and hits[1].evidence["reasons"][0]["unsure"]
