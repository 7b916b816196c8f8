"""Two tables are matched, from end to end: the everyday cases, refusals, odd input, the time limit."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from mere.transform import Options, candidates
from mere.transform.clock import Clock
from mere.transform.learn import Pool
from mere.transform.match import match

from . import realistic as data

PRESIDENTS = [
    ("Barack", "Obama", "(1961-)", "47"), ("George W.", "Bush", "(1946-)", "54"), ("Bill", "Clinton", "(1946-)", "46"),
    ("George H. W.", "Bush", "(1924-2018)", "64"), ("Ronald", "Reagan", "(1911-2004)", "69"),
    ("Jimmy", "Carter", "(1924-)", "52"), ("Gerald", "Ford", "(1913-2006)", "61"),
    ("Richard", "Nixon", "(1913-1994)", "56"),
]  # fmt: skip
PEOPLE = data.rows_of(data.name_columns, 30, 4)
GOVERNORS = [
    ("George Clinton", "July 26 1739", "1777 - 1795"), ("John Jay", "December 23 1745", "1795 - 1801"),
    ("Morgan Lewis", "October 16 1754", "1804 - 1807"), ("Daniel Tompkins", "June 21 1774", "1807 - 1817"),
    ("John Tayler", "July 4 1742", "1817 - 1817"), ("DeWitt Clinton", "March 2 1769", "1817 - 1822"),
    ("Joseph Yates", "November 9 1768", "1823 - 1824"), ("Nathaniel Pitcher", "November 30 1777", "1828 - 1828"),
]  # fmt: skip
SESSIONS = [(f"UBAX{number:02}", room) for number in range(1, 7) for room in ("Storage", "Planning", "Search")]
DAYS = [data.day(random.Random(seed)) for seed in range(40)]
CODES = sorted({int(data.number(random.Random(seed))[0]) for seed in range(60)})


class Case(NamedTuple):
    """Two tables whose rows of the same number belong together, and how many programs they need."""

    left: dict[str, list[str]]
    right: dict[str, list[str]]
    rules: int = 1


CASES = {
    "names turned round": Case(
        {"name": [f"{first} {last}" for first, last in PEOPLE]}, {"who": [f"{last}, {first}" for first, last in PEOPLE]}
    ),
    "presidents": Case(
        {"president": [f"{last}, {first}{years}" for first, last, years, _ in PRESIDENTS]},
        {"name": [f"{first} {last}" for first, last, _, _ in PRESIDENTS], "age": [row[3] for row in PRESIDENTS]},
    ),
    "e-mail addresses": Case(
        {"name": [f"{last}, {first}" for first, last in PEOPLE]},
        {"mail": [f"{first}.{last}@example.org".lower() for first, last in PEOPLE]},
    ),
    "a code from two columns": Case(
        {"session": [f"[{code}] {topic}" for code, topic in SESSIONS]},
        {"code": [code for code, _ in SESSIONS], "topic": [topic for _, topic in SESSIONS]},
    ),
    "composite columns on both sides": Case(
        {"born": [f"{name}; {born}" for name, born, _ in GOVERNORS]},
        {"governor": [f"{name} ({term})" for name, _, term in GOVERNORS]},
    ),
    "codes that lost their zeros": Case(
        {"code": [f"{code:05}" for code in CODES]}, {"number": [str(code) for code in CODES]}
    ),
    "dates in another order": Case(
        {"iso": [day.isoformat() for day in DAYS]}, {"european": [day.strftime("%d.%m.%Y") for day in DAYS]}
    ),
    "names of months": Case(
        {"iso": [day.isoformat() for day in DAYS]}, {"written": [f"{day:%B} {day.day}, {day.year}" for day in DAYS]}
    ),
    "short names of months": Case(
        {"iso": [day.isoformat() for day in DAYS]}, {"written": [f"{day.day}-{day:%b}-{day.year}" for day in DAYS]}
    ),
    "a prefix": Case({"case": [f"CASE-{code}" for code in CODES]}, {"number": [str(code) for code in CODES]}),
    "a unit": Case({"length": [f"{code} km" for code in CODES]}, {"km": [str(code) for code in CODES]}),
    "user names cut off": Case(
        {"name": [f"{first} {last}" for first, last in data.rows_of(data.name_columns, 12, 8)]},
        {"user": [f"{first[0]}{last}".lower()[:8] for first, last in data.rows_of(data.name_columns, 12, 8)]},
    ),
    "telephone numbers": Case(
        {"phone": [row[0] for row in data.rows_of(data.phone, 20, 1)]},
        {"digits": ["".join(c for c in row[0] if c.isdigit()) for row in data.rows_of(data.phone, 20, 1)]},
    ),
    "two columns and one": Case(
        {"first": [first for first, _ in PEOPLE], "last": [last for _, last in PEOPLE]},
        {"name": [f"{last.upper()} {first}" for first, last in PEOPLE]},
    ),
    "equal tables": Case({"name": [f"{a} {b}" for a, b in PEOPLE]}, {"name": [f"{a} {b}" for a, b in PEOPLE]}),
    "accents and emoji": Case(
        {"n": ["Müller, Jürgen", "Ñandú, Émile", "Þór, Ása", "Żak, Łukasz", "Ωmega, Ἀλφα", "Smile 😀, Joy 你好"]},
        {"m": ["Jürgen Müller", "Émile Ñandú", "Ása Þór", "Łukasz Żak", "Ἀλφα Ωmega", "Joy 你好 Smile 😀"]},
    ),
    "two ways of writing": Case(
        {"name": [f"{last}, {first}" for first, last in PEOPLE]},
        {"who": [f"{first} {last}" if row % 2 else f"{last} {first[:2]}." for row, (first, last) in enumerate(PEOPLE)]},
        rules=2,
    ),
}


def shuffled(table, seed):
    """The rows in another order, and where each was."""
    count = len(next(iter(table.values())))
    order = random.Random(seed).sample(range(count), count)
    return {name: [cells[row] for row in order] for name, cells in table.items()}, order


def pairs(outcome):
    return set(zip(outcome.left_rows.tolist(), outcome.right_rows.tolist(), strict=True))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("swapped", [False, True], ids=["there", "back"])
def test_rows_that_belong_together_are_found_by_programs(name, swapped):
    left, right, rules = CASES[name]
    left, right = (right, left) if swapped else (left, right)
    right, order = shuffled(right, 1)
    outcome = match(left, right)
    assert outcome.refused is None
    assert {(one, order[other]) for one, other in pairs(outcome)} == {(row, row) for row in range(len(order))}
    assert len(outcome.left_rows) == len(order)
    assert (outcome.rule >= 0).all() and (outcome.score == 1).all()
    assert len(outcome.rules) >= rules
    assert sum(rule.pairs for rule in outcome.rules) == len(order)


def test_the_program_of_the_presidents_is_good_for_new_ones():
    left, right, _ = CASES["presidents"]
    for outcome, direction in ((match(left, right), "left to right"), (match(right, left), "right to left")):
        (rule,) = outcome.rules
        assert rule.direction == direction
        assert rule.program.columns == ("president",) and rule.key.columns == ("name",)
        assert rule.program(["Lincoln, Abraham(1809-1865)", "Plato"]) == ["Abraham Lincoln", None]


def test_a_code_and_a_topic_are_read_together():
    left, right, _ = CASES["a code from two columns"]
    outcome = match(left, right)
    assert {rule.direction for rule in outcome.rules} == {"right to left"}
    made = [rule.program({"code": ["UBAX99"], "topic": ["Closing"]}) for rule in outcome.rules]
    assert ["[UBAX99] Closing"] in made


def test_parts_of_composite_columns_are_keys():
    left, right, _ = CASES["composite columns on both sides"]
    (rule,) = match(left, right).rules
    assert rule.program(["Silas Wright; May 24 1795"]) == rule.key(["Silas Wright (1845 - 1846)"]) == ["Silas Wright"]


def test_an_address_of_another_form_is_matched_by_similarity():
    people = [("Missy", "Payne"), *PEOPLE[:9]]
    names = [f"{last}, {first}" for first, last in people]
    mails = [f"{first[0]}{last}@school.k12.us".lower() for first, last in people]
    mails[0] = "mipayne@school.k12.us"
    outcome = match({"name": names}, {"mail": mails})
    assert pairs(outcome) == {(row, row) for row in range(10)}
    assert outcome.rule.tolist() == [-1] + [0] * 9
    assert 0.5 < outcome.score[0] < 1
    exact = match({"name": names}, {"mail": mails}, Options(fuzzy=False))
    assert pairs(exact) == {(row, row) for row in range(1, 10)}


REGIONS = [f"{country}.{number:02}" for country in ("France", "Spain", "Italy") for number in (1, 2, 3)]
LEVELS = [f"{region}.{level}" for region in REGIONS for level in ("MIX", "ALL", "TOTAL")]


@pytest.mark.parametrize("notes", [False, True], ids=["alone", "with other columns"])
def test_many_rows_belong_to_one(notes):
    left, right = {"level": LEVELS}, {"region": REGIONS}
    if notes:  # in common with some of the rows: no reason to leave out the others
        left["note"] = [f"{data.CITIES[row // 3]} n{row}" if row % 3 == 0 else f"note{row}" for row in range(27)]
        right["city"] = [f"m{row} {city}" for row, city in enumerate(data.CITIES[:9])]
    expected = {(row, row // 3) for row in range(27)}
    assert pairs(match(left, right)) == expected
    assert {(one, other) for other, one in pairs(match(right, left))} == expected


def test_equal_rows_are_all_paired():
    names, turned = CASES["names turned round"].left["name"], CASES["names turned round"].right["who"]
    outcome = match({"n": [*names, *names[:2], None]}, {"m": [*turned, "", turned[0]]})
    again = {(30, 0), (31, 1), (0, 31), (30, 31)}
    assert pairs(outcome) == {(row, row) for row in range(30)} | again
    assert len(outcome.left_rows) == 34 == sum(rule.pairs for rule in outcome.rules)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({}, "has no values"),
        ({"a": []}, "has no values"),
        ({"a": [None, None], "b": ["", " \t"]}, "has no values"),
        ({"a": ["Ada Lovelace"]}, "has one distinct row"),
        ({"a": ["x", "x", None]}, "has one distinct row"),
    ],
    ids=["no columns", "no rows", "blank", "one row", "equal rows"],
)
def test_a_table_without_enough_rows_is_refused(table, reason):
    names = {"name": ["Ada Lovelace", "Alan Turing"]}
    for outcome, side in ((match(table, names), "left"), (match(names, table), "right")):
        assert outcome.refused is not None
        assert outcome.refused.startswith(f"the {side} table {reason}")
        assert len(outcome.left_rows) == len(outcome.right_rows) == len(outcome.rule) == len(outcome.score) == 0


def test_row_numbers_are_refused_unless_the_rows_agree():
    numbers = [str(number) for number in range(1, 16)]
    left, right = (
        {"id": numbers, "city": data.CITIES},
        {"nr": numbers, "phone": CASES["telephone numbers"].left["phone"][:15]},
    )
    outcome = match(left, right)
    assert outcome.refused is not None and pairs(outcome) == set()
    accepted = match(left, right, Options(accidents=True))
    assert pairs(accepted) == {(row, row) for row in range(15)}
    places = [f"{city} town" for city in data.CITIES]
    assert match(left, {"nr": numbers, "place": places}).refused is None


def test_unrelated_tables_are_refused():
    outcome = match(CASES["telephone numbers"].left, CASES["names turned round"].right)
    assert outcome.refused == "no program makes keys of one table from the other"


def test_a_megabyte_in_one_cell(monkeypatch):
    """It is not learnt from: each of the many pieces would be tried on all of it."""

    def pool(columns, inputs, outputs):
        assert max(len(text) for text in (*outputs, *(cell or "" for row in inputs for cell in row))) <= 1024
        return Pool(columns, inputs, outputs)

    monkeypatch.setattr(candidates, "Pool", pool)
    left, right, _ = CASES["names turned round"]
    many = {"name": [*left["name"], "x y " * 2**18]}
    for others in ("x y " * 2**18, ", " * 2**19, "(" * 2**20):
        outcome = match(many, {"who": [*right["who"], others]})
        assert pairs(outcome) >= {(row, row) for row in range(30)}


def test_progress_is_told_in_sentences():
    messages = []
    match(*CASES["e-mail addresses"][:2], progress=messages.append)
    assert messages[0] == "comparing columns, left to right"
    assert "joining all rows" in messages


def test_seconds_are_given_per_stage():
    seconds = match(*CASES["e-mail addresses"][:2]).seconds
    assert {"reading", "examples", "learning", "choosing", "joining"} <= seconds.keys()
    assert all(spent >= 0 for spent in seconds.values())


def test_no_more_programs_than_wanted():
    left, right, _ = CASES["two ways of writing"]
    outcome = match(left, right, Options(most_programs=1, fuzzy=False))
    assert len(outcome.rules) == 1
    assert 10 <= len(outcome.left_rows) < 30


def test_a_thousandth_of_a_second_is_too_short():
    rows = [row[0] for row in data.rows_of(data.address, 2000, 1)]
    outcome = match({"a": rows}, {"b": [row.upper() for row in rows]}, Options(seconds=0.001))
    assert outcome.notes == ("the time limit of 0.001 s was reached: there may be more",)
    assert outcome.refused is not None


@pytest.mark.parametrize("name", ["presidents", "composite columns on both sides", "two ways of writing"])
def test_time_may_run_out_at_any_moment(name, monkeypatch):
    """Whenever the clock first says that the time is over, there is an answer or a refusal."""
    left, right, _ = CASES[name]
    asked = 0

    def out_of_time(clock):
        nonlocal asked
        asked += 1
        return asked > last

    monkeypatch.setattr(Clock, "out_of_time", out_of_time)
    last = 10**9
    assert match(left, right).notes == ()
    for last in {*range(10), *range(10, asked, 1 + asked // 10)}:
        asked = 0
        outcome = match(left, right)
        assert len(outcome.left_rows) > 0 or outcome.refused
        assert pairs(outcome) <= {(row, row) for row in range(30)}
        if last < 4:
            assert "the time limit of 120 s was reached" in outcome.notes[0]


def test_large_tables_are_matched_by_programs_from_samples():
    rows = [row[0] for row in data.rows_of(data.code, 3000, 1)]
    mine = [*rows, *(row[0] for row in data.rows_of(data.phone, 500, 1))]
    theirs = [f"{letters} {digits}/{rest}" for letters, digits, rest in (row.split("-") for row in rows)]
    theirs, order = shuffled({"b": theirs}, 2)
    outcome = match({"a": mine}, theirs, Options(seed=5))
    assert {(one, order[other]) for one, other in pairs(outcome)} == {(row, row) for row in range(3000)}
    assert sum(rule.pairs for rule in outcome.rules) == 3000
