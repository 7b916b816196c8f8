"""Programs are learnt from their own outputs: every operator, and random programs."""

from __future__ import annotations

import random

import pytest

from mere.transform import Constant, Piece, Program, Split
from mere.transform.enumerate_pieces import fold
from mere.transform.learn import Learner, Pool, cut_length, explains, finished, programs_of

from . import realistic as data

COLUMNS = ("a", "b")
TAUGHT, HELD_OUT = 30, 60


def part(separator, place, **more):
    return Piece(0, (Split(separator, place, place),), **more)


def parts(separator, first, last, **more):
    return Piece(0, (Split(separator, first, last),), **more)


def of_part(separator, place, inner, second, **more):
    return Piece(0, (Split(separator, place, place), Split(inner, second, second)), **more)


SPACE, COMMA, DASH = Constant(" "), Constant(", "), Constant("-")
OPERATORS = {
    "whole cell": (data.name, (Piece(0),)),
    "constant before": (data.number, (Constant("No. "), Piece(0))),
    "constant after": (data.number, (Piece(0), Constant(" km"))),
    "constants on both sides": (data.code, (Constant("<"), Piece(0), Constant("/>"))),
    "first characters": (data.code, (Piece(0, stop=3),)),
    "last characters": (data.code, (Piece(0, start=-2),)),
    "all but the first characters": (data.code, (Piece(0, start=4),)),
    "all but the last characters": (data.code, (Piece(0, stop=-3),)),
    "characters from the middle": (data.code, (Piece(0, start=4, stop=8),)),
    "characters from the middle, by the end": (data.email, (Piece(0, start=-9, stop=-4),)),
    "first part": (data.turned_name, (part(",", 0),)),
    "last part": (data.email, (part("@", -1),)),
    "last word, of two or three": (data.long_name, (part(" ", -1),)),
    "part from the middle": (data.code, (part("-", 1),)),
    "last but one word": (data.address, (part(" ", -2),)),
    "part of a part": (data.person_with_years, (of_part(",", 1, "(", 0), SPACE, part(",", 0))),
    "part of a part, from the end": (data.address, (of_part(",", -1, " ", -1),)),
    "characters of a part": (data.name, (part(" ", 0, stop=1), Constant(". "), part(" ", 1))),
    "end of a part": (data.phone, (part("-", 1, start=-2), part(" ", 0, start=1, stop=4))),
    "first character of a part of a part": (data.address, (of_part(",", 1, " ", 1, stop=1), DASH, part(" ", 0))),
    "all but the first word": (data.long_name, (parts(" ", 1, -1),)),
    "all but the last word": (data.long_name, (parts(" ", 0, -2),)),
    "first two words": (data.address, (parts(" ", 0, 1),)),
    "digits": (data.phone, (Piece(0, keep="digits"),)),
    "digits of a part": (data.email, (part("@", 0, keep="digits"), Constant("#"), part("@", 1))),
    "letters": (data.code, (Piece(0, keep="letters"),)),
    "letters and digits": (data.code, (Piece(0, keep="letters and digits"),)),
    "no spaces": (data.long_name, (Piece(0, keep="no spaces"),)),
    "zeros added": (data.number, (Piece(0, zeros=6),)),
    "zeros added after a constant": (data.number, (Constant("CASE"), Piece(0, zeros=8))),
    "zeros removed": (data.padded_number, (Piece(0, zeros=0),)),
    "zeros removed from parts": (data.iso_date, (part("-", 2, zeros=0), Constant("/"), part("-", 1, zeros=0))),
    "month to number": (data.short_month_date, (part("-", 2), DASH, part("-", 1, month=True, zeros=2))),
    "written date": (
        data.written_date,
        (part(" ", 2), DASH, part(" ", 0, month=True, zeros=2), DASH, of_part(" ", 1, ",", 0, zeros=2)),
    ),
    "lower case": (data.name, (Piece(0, case="lower"),)),
    "upper case": (data.name, (part(" ", 1, case="upper"), COMMA, part(" ", 0))),
    "title case": (data.email, (part(".", 0, case="title"), SPACE, part(".", 1, case="upper"))),
    "name turned round": (data.name, (part(" ", -1), COMMA, part(" ", 0))),
    "two columns": (data.name_columns, (Piece(1), COMMA, Piece(0))),
    "user name": (data.name_columns, (Piece(0, stop=1, case="lower"), Piece(1, case="lower"))),
    "limit": (data.name, (part(" ", 0, stop=1, case="lower"), part(" ", 1, case="lower")), 8),
    "limit of a cell": (data.long_name, (Piece(0),), 14),
}


def learnt(program, rows, seed):
    """The program that explains the most of the rows, learnt from them; None if there is none."""
    pool = Pool(program.columns, rows, [program.row(row) for row in rows])
    found = programs_of(pool, seed, lambda: False)
    return max(found, key=lambda one: sum(explains(one, pool, place) for place in range(len(pool))), default=None)


def outputs(program, rows):
    """Up to spaces at the end, where an output was cut off: a join does not see them."""
    return [None if (made := program.row(row)) is None else made.rstrip(" ") for row in rows]


def rows_for(program, make, seed):
    """Rows to learn from, and others, that have an output."""
    rows = [row for row in data.rows_of(make, TAUGHT + HELD_OUT, seed) if program.row(row) is not None]
    return rows[:TAUGHT], rows[TAUGHT:]


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_is_learnt_from_its_outputs(operator):
    make, steps, *limit = OPERATORS[operator]
    width = len(make(random.Random(0)))
    program = Program(COLUMNS[:width], steps, *limit)
    for seed in range(3):
        taught, held_out = rows_for(program, make, seed)
        assert len(held_out) > HELD_OUT // 2
        assert outputs(learnt(program, taught, seed), held_out) == outputs(program, held_out)


SEPARATORS = {
    data.name: " ", data.turned_name: ",", data.long_name: " ", data.person_with_years: ",(-", data.iso_date: "-",
    data.written_date: " ,", data.short_month_date: "-", data.code: "-", data.phone: " -)", data.email: "@.",
    data.address: ", ",
}  # fmt: skip


def random_piece(rng, separators):
    place, second = rng.choice((0, 1, -1)), rng.choice((0, -1))
    separator = rng.choice(separators)
    inner = rng.choice(separators)
    ways = [(), (Split(separator, place, place),), (Split(separator, *rng.choice(((1, -1), (0, -2), (0, 1)))),)]
    if inner != separator:
        ways.append((Split(separator, place, place), Split(inner, second, second)))
    splits = rng.choices(ways, (1, 6, 1, 1)[: len(ways)])[0]
    changes = [{}, {"stop": rng.randrange(1, 4)}, {"start": -rng.randrange(2, 5)}, {"zeros": 0}]
    if len(splits) < 2:
        changes.append({"keep": rng.choice(("digits", "letters", "letters and digits", "no spaces"))})
    change = rng.choices(changes, (6, 2, 1, 1, 1)[: len(changes)])[0]
    return Piece(0, splits, case=rng.choice(("", "", "", "lower", "upper", "title")), **change)


def random_program(rng, separators):
    steps = [random_piece(rng, separators)]
    for _ in range(rng.choice((0, 1, 1, 2))):
        if rng.random() < 0.7:
            steps.append(Constant(rng.choice((" ", "-", ", ", "/", ": ", "_"))))
        steps.append(random_piece(rng, separators))
    return Program(("a",), tuple(steps), 9 if rng.random() < 0.05 else None)


def can_be_learnt(program, rows):
    """Whether nearly all rows have an output, and most of these differ."""
    made = [program.row(row) for row in rows]
    return made.count(None) < 0.1 * len(rows) and len(set(made)) > 0.5 * len(rows)


def test_most_random_programs_are_recovered():
    """Equal outputs, up to case, for rows that it was not learnt from."""
    recovered, count = 0, 120
    for seed in range(count):
        rng = random.Random(seed)
        make = rng.choice(list(SEPARATORS))
        rows = data.rows_of(make, TAUGHT + HELD_OUT, seed)
        program = random_program(rng, SEPARATORS[make])
        while not can_be_learnt(program, rows):
            program = random_program(rng, SEPARATORS[make])
        taught, held_out = rows_for(program, make, seed)
        again = learnt(program, taught, seed)
        recovered += again is not None and [made and fold(made) for made in outputs(again, held_out)] == [
            fold(made) for made in outputs(program, held_out)
        ]
    assert recovered >= 0.9 * count


def test_two_columns_and_a_row_without_a_value():
    inputs = [("Ada", "Lovelace"), ("Alan", None), ("Grace", "Hopper"), ("Niels", "Bohr")]
    texts = ["LOVELACE Ada", "x", "HOPPER Grace", "BOHR Niels"]
    best = programs_of(Pool(COLUMNS, inputs, texts), 0, lambda: False)[0]
    assert best == Program(COLUMNS, (Piece(1, case="upper"), Constant(" "), Piece(0)))


def test_the_programs_of_two_ways_of_writing_are_both_learnt():
    rows = data.rows_of(data.turned_name, 40, 1)
    ways = (
        Program(("a",), (part(",", 1), SPACE, part(",", 0))),
        Program(("a",), (part(",", 0), Constant("; "), part(",", 1, stop=1), Constant("."))),
    )
    pool = Pool(("a",), rows, [ways[number % 2].row(row) for number, row in enumerate(rows)])
    found = programs_of(pool, 0, lambda: False)
    for way in ways:
        assert any(one(["Curie, Marie", "Wu, Chien"]) == way(["Curie, Marie", "Wu, Chien"]) for one in found)


def test_zeros_that_two_examples_have_in_common_are_not_constant():
    pool = Pool(("a",), [("3/4/1952",), ("7/6/1960",)], ["1952-03-04", "1960-07-06"])
    steps = Learner(pool, [0, 1]).learn()
    assert Program(("a",), steps)(["10/12/1999"]) == ["1999-10-12"]


def test_a_piece_that_does_not_vary_is_a_constant():
    pool = Pool(("a",), [("ab 1",), ("ab 2",)], ["ab-1", "ab-2"])
    assert Learner(pool, [0, 1]).learn()[0] == Constant("ab-")


def test_nothing_is_learnt_from_nothing_in_common():
    pool = Pool(("a",), [("abc",), ("def",), ("ghi",), ("jkl",)], ["123", "456", "789", "0"])
    assert programs_of(pool, 0, lambda: False) == []


def test_a_constant_alone_is_not_a_program():
    pool = Pool(("a",), [("abc",), ("def",), ("ghi",)], ["same", "same", "same"])
    assert programs_of(pool, 0, lambda: False) == []


def test_no_program_is_learnt_out_of_time():
    pool = Pool(("a",), [("abc",), ("def",)], ["abc", "def"])
    assert programs_of(pool, 0, lambda: True) == []
    assert programs_of(pool, 0, lambda: False) == [Program(("a",), (Piece(0),))]


def test_what_is_learnt_explains_its_examples():
    rng = random.Random(5)
    for make, separators in SEPARATORS.items():
        rows = data.rows_of(make, 12, 3)
        program = random_program(rng, separators)
        taught = [row for row in rows if program.row(row)]
        pool = Pool(("a",), taught, [program.row(row) for row in taught])
        for size in (2, 3, 5):
            chosen = rng.sample(range(len(pool)), min(size, len(pool)))
            steps = Learner(pool, chosen).learn() if chosen else None
            assert steps is None or all(explains(Program(("a",), steps), pool, place) for place in chosen)


@pytest.mark.parametrize(
    ("texts", "length"),
    [
        (["abcdefgh", "abc", "bcdefghi", "x"], 8),
        (["abcdefgh", "bcdefghi"], None),  # all of one length: a code
        (["abcdefgh", "a", "b", "c", "d", "e"], None),  # the longest, by chance
        (["abc", "a", "b"], None),  # too short
        (["x" * 33, "y" * 33, "z"], None),  # too long
    ],
)
def test_the_length_at_which_texts_are_cut_off(texts, length):
    assert cut_length(texts) == length


def test_a_limit_that_never_matters_is_left_out():
    pool = Pool(("a",), [("Ada King",), ("Alan Ray",)], ["king", "ray"])
    program = Program(("a",), (part(" ", 1),), 8)
    assert finished(program, pool) == Program(("a",), (part(" ", 1, case="lower"),))
    pool = Pool(("a",), [("Ada Kingsleyson",), ("Alan Ray",)], ["Kingsley", "Ray"])
    assert finished(program, pool) == program


def test_constants_are_written_as_in_the_outputs():
    pool = Pool(("a",), [("7",), ("8",)], ["No. 7", "No. 8"])
    assert finished(Program(("a",), (Constant("no. "), Piece(0))), pool).steps == (Constant("No. "), Piece(0))


def test_learning_is_deterministic():
    rows = data.rows_of(data.person_with_years, 30, 2)
    program = Program(("a",), OPERATORS["part of a part"][1])
    texts = [program.row(row) for row in rows]
    first, again = (programs_of(Pool(("a",), rows, texts), 7, lambda: False) for _ in range(2))
    assert first == again != []
