"""The written forms of a program: run, they agree with it; read, they say what it does."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mere.errors import UsageError
from mere.transform import Constant, Piece, Program, Split

from .programs import EDGE_CELLS, EDGES, programs, programs_with_rows

TURNED = Program(("name",), (Piece(0, (Split(", ", 1, 1),)), Constant(" "), Piece(0, (Split(", ", 0, 0),))))
USER = Program(
    ("First Name", "last"),
    (Piece(0, stop=1, case="lower"), Piece(1, (Split(" ", -1, -1),), keep="letters", case="lower")),
    limit=8,
)
DATE = Program(
    ("date",),
    (
        Piece(0, (Split(" ", -1, -1),)), Constant("-"), Piece(0, (Split(" ", 0, 0),), month=True, zeros=2),
        Constant("-"), Piece(0, (Split(" ", 1, 1), Split(",", 0, 0)), zeros=2),
    ),
)  # fmt: skip


def run(program, rows, name="transform"):
    """What the Python text gives for rows."""
    namespace = {}
    exec(compile(program.to_python(name), "written", "exec"), namespace)
    return [namespace[name](*row) for row in rows]


@given(programs_with_rows(rows=12))
@settings(max_examples=1500)
def test_python_agrees_with_the_program(case):
    program, rows = case
    assert run(program, rows) == [program.row(row) for row in rows]


def test_python_agrees_at_every_edge():
    for program in EDGES:
        assert run(program, [(cell,) for cell in EDGE_CELLS]) == program(EDGE_CELLS), program.to_python()


@given(st.lists(st.text(max_size=6) | st.sampled_from(
    ["class", "transform", "str", "all", "piece", "piece_1", "piece_2", "x", "c", "word", "ﬁ", "fi", "", " ", "1", "²",
     "None", "_", "__debug__", 'a"b', "A B", "a_b", "parts", "month_number", "isinstance", "column", "column_2"]),
    max_size=5, unique=True))  # fmt: skip
@settings(max_examples=500)
def test_any_column_names_become_distinct_parameters(columns):
    steps = [Piece(i, (Split("-", 0, -2),), month=i == 1, case="title") for i in range(len(columns))]
    program = Program(tuple(columns), (*steps, Piece(0, (Split("-", 0, 1),))) if steps else (Constant("x"),))
    rows = [tuple(f"may-{i} b-c" for i in range(len(columns))), tuple("a-b" for _ in columns)]
    assert run(program, rows) == [program.row(row) for row in rows]


@given(st.text(max_size=5) | st.text("\"\\\n{}'", max_size=8))
@example('"""\\')
def test_any_constant_and_column_name_can_be_written_in_python(text):
    program = Program((text,), (Constant(text), Piece(0, (Split(text or "-", 0, 0),)), Constant(text)))
    assert run(program, [("x",), (None,)]) == [f"{text}x{text}" if text != "x" else None, None]


def test_simple_python_is_simple():
    assert (
        TURNED.to_python("turned")
        == '''\
def turned(name):
    """part 2 of name split at ", " + " " + part 1 of name split at ", "

    None if a cell is not a text, a part is missing, or a piece is empty.
    """
    if not isinstance(name, str):
        return None
    try:
        piece_1 = name.strip(" ").split(", ")[1].strip(" ")
        piece_2 = name.strip(" ").split(", ")[0].strip(" ")
    except IndexError:
        return None
    return piece_1 + " " + piece_2 if piece_1 and piece_2 else None
'''
    )
    assert "import" not in DATE.to_python()
    assert 'piece = code.strip(" ")\n    piece = piece and piece.rjust(5, "0")\n' in (
        Program(("code",), (Piece(0, zeros=5),)).to_python()
    )


def test_python_gives_none_for_what_is_not_a_text():
    assert run(TURNED, [(None,), (float("nan"),), (7,), ("a, b",)]) == [None, None, None, "b a"]


@pytest.mark.parametrize("name", ["", "a b", "1a", "class", "str", "None", "parts", "__debug__", "print"])
def test_a_function_needs_a_name_of_its_own(name):
    with pytest.raises(UsageError, match="cannot be named"):
        TURNED.to_python(name)


def test_simple_spark_sql_is_simple():
    assert TURNED.to_spark_sql() == (
        "concat(nullif(trim(split_part(trim(`name`), ', ', 2)), ''), ' ', "
        "nullif(trim(split_part(trim(`name`), ', ', 1)), ''))"
    )


@given(programs)
@settings(max_examples=500)
def test_spark_sql_is_never_long(program):
    """Nothing is repeated within what is repeated: the length is bounded by the steps, not by their nesting."""
    assert len(program.to_spark_sql()) < 1200 * len(program.steps)


@given(programs)
@settings(max_examples=1000)
def test_a_program_is_read_as_it_was_written(program):
    assert Program.from_json(json.loads(json.dumps(program.to_json()))) == program


def test_json_holds_only_what_differs_from_the_defaults():
    assert USER.to_json() == {
        "version": 1,
        "columns": ["First Name", "last"],
        "limit": 8,
        "steps": [
            {"column": "First Name", "stop": 1, "case": "lower"},
            {"column": "last", "split": [[" ", -1, -1]], "keep": "letters", "case": "lower"},
        ],
    }


GOOD = {"version": 1, "columns": ["a", "b"], "steps": [{"column": "a"}]}
BAD_STEPS = [
    "a", {}, {"constant": 1}, {"constant": "x", "column": "a"}, {"column": "c"}, {"column": 0}, {"column": ["a"]},
    {"column": "a", "colour": 1}, {"column": "a", "split": ","}, {"column": "a", "split": [","]},
    {"column": "a", "split": [["", 0, 0]]}, {"column": "a", "split": [[",", 0]]},
    {"column": "a", "split": [[",", 0, None]]},
    {"column": "a", "split": [[",", True, 1]]}, {"column": "a", "split": [[",", 0, 0]] * 3},
    {"column": "a", "keep": "vowels"}, {"column": "a", "keep": None}, {"column": "a", "keep": ["digits"]},
    {"column": "a", "case": "camel"}, {"column": "a", "case": {}}, {"column": "a", "month": 1},
    {"column": "a", "zeros": -1}, {"column": "a", "zeros": True}, {"column": "a", "zeros": 10**9},
    {"column": "a", "start": "1"}, {"column": "a", "start": None}, {"column": "a", "stop": 1.0},
    {"column": "a", "stop": 10**20},
]  # fmt: skip


@pytest.mark.parametrize("step", BAD_STEPS, ids=repr)
def test_a_malformed_step_is_refused_by_its_number(step):
    with pytest.raises(UsageError, match="step 2") as refused:
        Program.from_json({**GOOD, "steps": [{"column": "b"}, step]})
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (None, "expected an object"), ([], "expected an object"), ({}, "no 'columns'"),
        ({**GOOD, "version": 2}, "version"), ({**GOOD, "version": True}, "version"),
        ({**GOOD, "colour": 1}, "'colour'"),
        ({**GOOD, "columns": "a"}, "columns"), ({**GOOD, "columns": ["a", 1]}, "columns"),
        ({**GOOD, "columns": ["a", "a"]}, "'a' once"), ({**GOOD, "steps": []}, "steps"),
        ({**GOOD, "steps": {}}, "steps"),
        ({**GOOD, "limit": 0}, "limit"), ({**GOOD, "limit": "8"}, "limit"), ({**GOOD, "limit": True}, "limit"),
    ],
)  # fmt: skip
def test_a_malformed_document_is_refused(document, fault):
    with pytest.raises(UsageError, match=fault) as refused:
        Program.from_json(document)
    assert refused.value.remedy


def test_a_program_with_two_columns_of_one_name_cannot_be_saved():
    with pytest.raises(UsageError, match="'a' once"):
        Program(("a", "a"), (Piece(1),)).to_json()


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        (Piece(0), "name"),
        (Piece(1), "'First name'"),
        (Piece(0, (Split(", ", 1, 1),)), 'part 2 of name split at ", "'),
        (Piece(0, (Split("-", -1, -1),)), 'last part of name split at "-"'),
        (Piece(0, (Split("-", -2, -2),)), 'part 2 from the end of name split at "-"'),
        (Piece(0, (Split(" ", 0, 0),)), "word 1 of name"),
        (Piece(0, (Split(" ", 0, 1),)), "first 2 words of name"),
        (Piece(0, (Split(" ", 1, 2),)), "words 2 to 3 of name"),
        (Piece(0, (Split(" ", 1, -1),)), "all but the first word of name"),
        (Piece(0, (Split(" ", 1, -3),)), "all but the first word and the last 2 words of name"),
        (Piece(0, (Split(" ", -2, -1),)), "last 2 words of name"),
        (Piece(0, (Split(" ", -3, -2),)), "words 3 to 2 from the end of name"),
        (Piece(0, (Split(" ", -3, 2),)), "word 3 from the end to word 3 of name"),
        (Piece(0, (Split(" ", 0, -1),)), "all words of name"),
        (Piece(0, (Split(" ", 2, 1),)), "no words of name"),
        (Piece(0, (Split("\n", 0, 0), Split(".", 0, 0))), 'part 1 of (part 1 of name split at "\\n") split at "."'),
        (Piece(0, (Split("-", 0, 0), Split(" ", 1, 1))), 'word 2 of part 1 of name split at "-"'),
        (Piece(0, keep="digits"), "digits of name"),
        (Piece(0, keep="no spaces"), "name without spaces"),
        (Piece(0, month=True), "month number of name"),
        (Piece(0, zeros=0), "name without leading zeros"),
        (Piece(0, (Split(" ", 0, 0),), zeros=5), "(word 1 of name) filled with zeros to 5 characters"),
        (Piece(0, stop=1), "first character of name"),
        (Piece(0, stop=3, case="upper"), "(first 3 characters of name) in upper case"),
        (Piece(0, start=-4), "last 4 characters of name"),
        (Piece(0, start=2), "all but the first 2 characters of name"),
        (Piece(0, start=1, stop=-1), "all but the first character and the last character of name"),
        (Piece(0, start=1, stop=2), "character 2 of name"),
        (Piece(0, start=1, stop=0), "no characters of name"),
        (Piece(0, start=3, stop=2), "no characters of name"),
        (Piece(0, case="title"), "name in title case"),
    ],
)
def test_every_operator_in_words(piece, words):
    assert str(Program(("name", "First name"), (piece,))) == words


def test_a_whole_program_in_words():
    assert str(TURNED) == 'part 2 of name split at ", " + " " + part 1 of name split at ", "'
    assert str(USER) == (
        "first 8 characters of ((first character of 'First Name') in lower case + "
        "(letters of last word of last) in lower case)"
    )
    assert str(Program(("it's\n",), (Piece(0), Constant('"')))) == "'it\\'s\\n' + \"\\\"\""


@given(programs)
def test_words_are_one_printable_line(program):
    assert str(program).isprintable()
