"""Delimiters after a backslash, quotes that are not closed, and sentences that are no tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from mere.errors import Unreadable
from tests.readers.raw_files import read

NAMES = ["no", "text", "price"]


def _rows(delimiter: str, share: int) -> list[list[str]]:
    return [[str(n), f"a{delimiter} b {n}" if n % share == 0 else f"plain {n}", f"{n}.25"] for n in range(1, 25)]


def _escaped(rows: list[list[str]], delimiter: str) -> str:
    lines = [delimiter.join(cell.replace(delimiter, f"\\{delimiter}") for cell in row) for row in [NAMES, *rows]]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("delimiter", [",", ";", "|", "\t"])
@pytest.mark.parametrize("share", [2, 3, 8])
@pytest.mark.parametrize("extension", [".csv", ".txt"])
def test_a_delimiter_after_a_backslash_is_a_character(
    tmp_path: Path, delimiter: str, share: int, extension: str
) -> None:
    rows = _rows(delimiter, share)
    table, found = read(tmp_path, "f" + extension, _escaped(rows, delimiter))
    assert (table.columns, found) == (NAMES, rows)
    assert any("backslash" in issue for issue in table.issues)


def test_other_backslashes_stay(tmp_path: Path) -> None:
    rows = [*_rows(",", 3), ["25", "C:\\new\\N", "1.0"]]
    _, found = read(tmp_path, "f.csv", _escaped(rows, ","))
    assert found == rows


def test_a_character_for_private_use_stays_where_delimiters_are_escaped(tmp_path: Path) -> None:
    rows = [*_rows(",", 3), ["25", "\ue000", "1.0"], ["26", "x\ue000d\ue000n,\ue000", "1.0"]]
    _, found = read(tmp_path, "f.csv", _escaped(rows, ","))
    assert found == rows


def test_a_backslash_at_the_end_of_cells_is_no_escape_if_rows_are_even_without(tmp_path: Path) -> None:
    table, rows = read(tmp_path, "f.csv", "folder,n,m\n" + "".join(f"C:\\d{n}\\,{n},1\n" for n in range(8)))
    assert rows[3] == ["C:\\d3\\", "3", "1"]
    assert table.issues == []


@pytest.mark.parametrize("at", [0, 5, 30])
def test_a_quote_that_is_not_closed_is_told(tmp_path: Path, at: int) -> None:
    lines = [f"x{n},y{n}" for n in range(50)]
    lines[at] = '"' + lines[at]
    table, rows = read(tmp_path, "f.csv", "\n".join(["a,b", *lines]) + "\n")
    assert len(rows) == 50
    assert any("quote" in issue for issue in table.issues)


TEXTS = {
    "letter.txt": "Dear Sir,\n\nplease find attached, as agreed, the list; it is long.\n\nRegards,\nBob\n",
    "short.txt": "Dear Ann,\n\nthank you, it came.\n\nYours,\nBob\n",
    "prose.txt": "The quick brown fox, which is brown, jumps.\nIt jumps over the dog, which is lazy, again.\n"
    "Then, at noon, it sleeps.\n",
    "verse": "One day, she said, it rains.\nOne night, she said, it snows.\nAnd then, he said, it stops.\n" * 4,
    "mail.eml": "From: a@b.c\nTo: d@e.f\nSubject: hi\nDate: Fri, 05 Jan 2024 12:00:00 +0000\n\nHello,\nthis is text.\n",
    "mail": "Received: from x by y; Fri\nFrom: a@b.c\nTo: d@e.f, g@h.i\nSubject: hi, you\n\nHello,\nthis is text.\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_sentences_and_mail_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unreadable, match=r"looks like (prose|an e-mail)"):
        read(tmp_path, name, TEXTS[name])


def test_a_table_with_blanks_after_commas_and_sentences_is_one(tmp_path: Path) -> None:
    text = "fruit, meaning\n" + "".join(
        f"{name}, A fruit of the garden.\n" for name in ["apple", "pear", "plum", "fig"]
    )
    table, rows = read(tmp_path, "f.txt", text)
    assert len(table.columns) == 2 and len(rows) == 4


@pytest.mark.parametrize("text", ["," * 500, ",,,\n" * 20, ";;\n;;\n", "\t\t\n\t\t\n"])
@pytest.mark.parametrize("extension", [".csv", ".txt"])
def test_delimiters_without_a_value_are_no_table(tmp_path: Path, text: str, extension: str) -> None:
    with pytest.raises(Unreadable):
        read(tmp_path, "f" + extension, text)
