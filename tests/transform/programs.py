"""Programs and rows to test with: every field of a step, and cells in which its separators occur."""

from __future__ import annotations

from hypothesis import strategies as st

from mere.transform import CASES, KEEPS, MONTHS, Constant, Piece, Program, Split

COLUMNS = ("name", "First `name`", "größe.x")
SEPARATOR_CHARACTERS = " ,;.-/()[]{}|^$*+?\\'\"`#&\n\t_éa0😀"
LETTERS = "abzAZéÉßıİΣσςñЖжǆŉﬁ你ー٣²0019"  # small and large ones that change their length or depend on their place

separators = st.sampled_from([" ", ", ", ",", ".", "-", "(", "  ", "aa", "${"]) | st.text(
    SEPARATOR_CHARACTERS, min_size=1, max_size=3
)
places = st.sampled_from([0, 0, 0, 1, 1, 2, -1, -1, -2]) | st.integers(-4, 4)  # mostly such as there are
splits = st.builds(lambda separator, place: Split(separator, place, place), separators, places) | st.builds(
    Split, separators, places, places
)


def mostly(default, others):
    return st.just(default) | st.just(default) | others


pieces = st.builds(
    Piece,
    column=st.integers(0, len(COLUMNS) - 1),
    splits=st.lists(splits, max_size=2).map(tuple),
    keep=mostly("", st.sampled_from(KEEPS)),
    month=mostly(False, mostly(False, st.just(True))),
    zeros=mostly(None, st.integers(0, 6)),
    start=mostly(0, st.integers(-4, 4)),
    stop=mostly(None, st.integers(-4, 4)),
    case=mostly("", st.sampled_from(CASES)),
)
constants = st.builds(Constant, st.sampled_from([" ", ", ", "", "'", '"""', "\\", "\\n", "{x}", "${x}", "\0", "\r\n"])
                      | st.text(SEPARATOR_CHARACTERS + "bn", max_size=3))  # fmt: skip
programs = st.builds(
    Program,
    st.just(COLUMNS),
    st.lists(pieces | pieces | constants, min_size=1, max_size=3).map(tuple),
    st.none() | st.integers(1, 9),
)

words = (
    st.text(LETTERS, max_size=5)
    | st.sampled_from([*MONTHS, "Sept", "dec", "MAY", "0", "007", "000", "12345678", "O'Neil-x", "ΑΣ"])
    | st.text(LETTERS + SEPARATOR_CHARACTERS + "\u00a0\u0301\u2003", max_size=6)
)


def cells(program: Program) -> st.SearchStrategy[str | None]:
    """None, or words between separators of the program and spaces."""
    own = [split.separator for step in program.steps if isinstance(step, Piece) for split in step.splits]
    joined = st.lists(words | st.sampled_from([" ", "  ", *own, *own]), max_size=9).map("".join)
    return st.sampled_from([None, "", " "]) | joined | joined | joined | words


@st.composite
def programs_with_rows(draw: st.DrawFn, rows: int = 6) -> tuple[Program, list[tuple[str | None, ...]]]:
    program = draw(programs)
    row = st.tuples(*[cells(program) for _ in COLUMNS])
    return program, draw(st.lists(row, min_size=1, max_size=rows))


SEVEN = (-3, -2, -1, 0, 1, 2, 3)
EDGE_PIECES = [
    *(Piece(0, (Split(separator, first, last),)) for separator in (" ", ".") for first in SEVEN for last in SEVEN),
    *(Piece(0, start=start, stop=stop) for start in (-5, *SEVEN) for stop in (None, -5, *SEVEN, 6)),
    *(Piece(0, zeros=zeros, stop=stop) for zeros in (0, 1, 3, 5) for stop in (None, 2)),
    *(Piece(0, keep=keep, case=case) for keep in KEEPS for case in CASES),
    Piece(0, month=True),
]
EDGES = [Program(("c",), (piece,)) for piece in EDGE_PIECES]  # each with one operator, at all its limits
EDGE_CELLS = [
    None, "", " ", "0", "000", "0 0", "a", "ab c", "a.b c.d", "a.b.c.d", " a  b ", "00a", "abcdefgh", "0\n", "😀é.😀",
    "a1 b٣2²\t", "zoë  9-Ж_你ー", "STRASSE ΑΣ straße", "ǆŉﬁ İI", *MONTHS, "Jan", "sept", "SEP", "janu", " May ",
]  # fmt: skip
