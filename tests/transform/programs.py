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
positions = st.integers(-4, 4)
splits = st.builds(Split, separators, positions, positions) | st.builds(
    lambda separator, position: Split(separator, position, position), separators, positions
)
pieces = st.builds(
    Piece,
    column=st.integers(0, len(COLUMNS) - 1),
    splits=st.lists(splits, max_size=2).map(tuple),
    keep=st.sampled_from(KEEPS),
    month=st.sampled_from([False, False, False, True]),
    zeros=st.none() | st.integers(0, 6),
    start=st.just(0) | positions,
    stop=st.none() | positions,
    case=st.sampled_from(CASES),
)
plain_pieces = st.builds(Piece, st.integers(0, len(COLUMNS) - 1), st.lists(splits, max_size=2).map(tuple))
constants = st.builds(Constant, st.sampled_from([" ", ", ", "", "'", '"""', "\\", "\\n", "{x}", "${x}", "\0", "\r\n"])
                      | st.text(SEPARATOR_CHARACTERS + "bn", max_size=3))  # fmt: skip
programs = st.builds(
    Program,
    st.just(COLUMNS),
    st.lists(pieces | plain_pieces | constants, min_size=1, max_size=3).map(tuple),
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
