"""Notes below a table: words of several languages, numbers, lines that only the one above shows to be notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.raw_files import read

NAMES = ["region", "people", "area"]
ROWS = [[f"Region {chr(65 + n)}", str(n * 1000), f"{n}.5"] for n in range(1, 9)]
LABELS = [
    "Source", "Note", "Quelle", "Quellen", "Anmerkung", "Anmerkungen", "Hinweis", "Stand", "Fußnote", "Remarque",
    "Fuente", "Nota", "Notas", "Fonte", "Fonti", "Bron", "Opmerking", "Källa", "Anmärkning", "Kilde", "Lähde", "Źródło",
    "Uwaga", "Zdroj", "Poznámka", "Forrás", "Sursa", "Πηγή", "Источник", "Примечание", "Kaynak",
]  # fmt: skip
DATES = ["Last updated 2024-05-01", "Letzte Aktualisierung am 1. Mai 2024", "Dernière mise à jour le 1er mai",
         "Última actualización el 1 de mayo", "Ultimo aggiornamento 1 maggio", "Stand 1. Mai 2024"]  # fmt: skip


def _text(delimiter: str, notes: list[str], blank: bool = False, padded: bool = False) -> str:
    body = [delimiter.join(row) for row in [NAMES, *ROWS]]
    below = [note + delimiter * 2 * padded for note in ["", *notes][not blank :]]
    return "\n".join([*body, *below]) + "\n"


@pytest.mark.parametrize("note", [*(f"{label}: das Amt" for label in LABELS), *DATES])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_notes_of_many_languages_are_no_rows(tmp_path: Path, note: str, padded: bool, delimiter: str) -> None:
    table, rows = read(tmp_path, "f.csv", _text(delimiter, [note], padded=padded))
    assert (table.columns, rows) == (NAMES, ROWS)
    assert "1 line of footnotes below the table was left out" in table.issues


@pytest.mark.parametrize("label", LABELS)
def test_a_note_may_have_the_delimiter_inside(tmp_path: Path, label: str) -> None:
    _, rows = read(tmp_path, "f.csv", _text(";", [f"{label}: Amt; Stand 2024"], blank=True))
    assert rows == ROWS


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("label", ["Notes", "Notes:", "Anmerkungen:"])
@pytest.mark.parametrize("last", [[], ["revised figures of the north"], ["Quelle: Amt"]])
def test_numbered_notes_below_a_label_are_no_rows(tmp_path: Path, padded, blank, label, last) -> None:
    notes = [label, "1. provisional", "2. without the south", *last]
    table, rows = read(tmp_path, "f.csv", _text(",", notes, blank, padded))
    assert rows == ROWS
    assert any(issue.startswith(f"{len(notes)} lines of footnotes") for issue in table.issues)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_words_after_a_blank_line_are_no_rows(tmp_path: Path, padded: bool, count: int) -> None:
    _, rows = read(tmp_path, "f.csv", _text(",", ["1. provisional figures"] * count, True, padded))
    assert rows == ROWS


def test_a_row_with_its_first_cell_only_stays_without_such_evidence(tmp_path: Path) -> None:
    _, rows = read(tmp_path, "f.csv", _text(",", ["Region X"], padded=True))
    assert [row[0] for row in rows] == [*(row[0] for row in ROWS), "Region X"]
    _, rows = read(tmp_path, "g.csv", _text(",", ["1. North"], padded=True))
    assert len(rows) == len(ROWS) + 1


def test_rows_of_one_cell_in_groups_stay(tmp_path: Path) -> None:
    group = "a b,1,2\nc d,,\n"
    _, rows = read(tmp_path, "f.csv", "x,y,z\n" + "\n".join([group] * 4))
    assert len(rows) == 8


@pytest.mark.parametrize("span", [3, 5, 100])
@pytest.mark.parametrize("text", ["Source: us", "revised"])
@pytest.mark.parametrize("first", [False, True])
def test_the_foot_of_a_page_s_table_is_a_note(tmp_path: Path, span: int, text: str, first: bool) -> None:
    head = "<thead><tr>" + "".join(f"<th>{name}</th>" for name in NAMES) + "</tr></thead>"
    body = (
        "<tbody>" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in ROWS) + "</tbody>"
    )
    foot = f"<tfoot><tr><td colspan={span}>{text}</td></tr></tfoot>"
    page = f"<table>{head}{foot if first else ''}{body}{'' if first else foot}</table>"
    table, rows = read(tmp_path, "f.html", page)
    assert (table.columns, rows) == (NAMES, ROWS)
    assert table.issues == ["1 line of footnotes below the table was left out"]


def test_totals_in_the_foot_of_a_page_s_table_are_a_row(tmp_path: Path) -> None:
    rows = "<tr><td>a<td>1<td>2</tr>" * 3
    foot = "<tfoot><tr><td>Total<td>3<td>6</tr></tfoot>"
    _, found = read(tmp_path, "f.html", f"<table><tr><th>x<th>y<th>z</tr>{rows}{foot}</table>")
    assert found[-1] == ["Total", "3", "6"]


def test_a_last_cell_over_all_columns_that_is_a_note_is_no_row(tmp_path: Path) -> None:
    rows = "<tr><td>a<td>1<td>2</tr>" * 3 + "<tr><td colspan=3>Fuente: INE</tr>"
    _, found = read(tmp_path, "f.html", f"<table><tr><th>x<th>y<th>z</tr>{rows}</table>")
    assert len(found) == 3
