"""Files generated from known tables: delimiters, quotes, escapes, encodings are found, and the cells are right."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_files import read

from mere.readers.quoting import Quoting

WORDS = ["red", "Blue Lake", "stone, grey", "a; b", "O'Hara", "x:y", "one\ntwo", "100%", "", "north-east", "C#", "p|q"]
NAMES = ["id", "name", "count", "price", "day"]


@st.composite
def tables(draw: st.DrawFn, words: list[str] = WORDS) -> list[list[str]]:
    """A header and 6 to 30 rows: a number, a text, and two to three more columns of numbers and dates."""
    count = draw(st.integers(6, 30))
    width = draw(st.integers(4, 5))
    texts = draw(st.lists(st.sampled_from(words), min_size=count, max_size=count))
    rows = [[str(n), texts[n], str(37 * n % 101), f"{n}.25", f"2020-01-{n % 28 + 1:02}"][:width] for n in range(count)]
    return [NAMES[:width], *rows]


def written(rows: list[list[str]], delimiter: str, quote: str = '"', escape: str = "", around_all: bool = False) -> str:
    """The text of a table; quotes inside are doubled unless there is an escape."""

    def cell(text: str) -> str:
        marks = {quote, "\n", delimiter[0]}
        if not (around_all or any(mark in text for mark in marks) or (delimiter == " " and not text)):
            return text
        inner = text.replace("\\", "\\\\").replace(quote, "\\" + quote) if escape else text.replace(quote, quote * 2)
        return quote + inner + quote

    return "".join(delimiter.join(map(cell, row)) + "\n" for row in rows)


def cells_of(text: str) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        table, rows = read(Path(folder), "x.csv", text)
        return [table.columns, *([(cell or "").strip() for cell in row] for row in rows)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ":", "#", " ", "^", "~", ", ", "||", "::", "|~|", "§"])
@settings(max_examples=12, deadline=None)
@given(rows=tables())
def test_the_delimiter_of_a_generated_table_is_found(delimiter, rows):
    assert cells_of(written(rows, delimiter)) == rows


@pytest.mark.parametrize("quote", ['"', "'", "`"])
@pytest.mark.parametrize("delimiter", [",", ";", "||"])
@settings(max_examples=12, deadline=None)
@given(rows=tables())
def test_the_quote_of_a_generated_table_is_found(quote, delimiter, rows):
    assert cells_of(written(rows, delimiter, quote, around_all=True)) == rows


@settings(max_examples=30, deadline=None)
@given(rows=tables([*WORDS, 'the "new" one', '5" pipe, long']))
def test_quotes_after_a_backslash_are_quotes(rows):
    assert cells_of(written(rows, ",", escape="\\")) == rows


@settings(max_examples=30, deadline=None)
@given(rows=tables(["the {0}new{0} one", "red, {0}dark{0} red", "plain", "a, b"]), delimiter=st.sampled_from(",;|"))
def test_quotes_inside_quoted_cells_that_are_not_escaped_are_kept(rows, delimiter):
    text = "".join(delimiter.join(f'"{cell}"' for cell in row) + "\n" for row in rows).replace("{0}", '"')
    assert cells_of(text) == [[cell.replace("{0}", '"') for cell in row] for row in rows]


@given(st.lists(st.lists(st.text('ab",\n', max_size=6), min_size=2, max_size=4), min_size=1, max_size=6))
def test_well_formed_rows_are_cut_as_the_csv_module_cuts_them(rows):
    text = written(rows, ",", around_all=True)
    lines = text.splitlines(keepends=True)
    assert list(Quoting(iter(lines), ",", '"', "", False)) == list(csv.reader(lines)) == rows


@given(st.text('ab",\n', max_size=40))
def test_rows_of_any_text_end_and_keep_every_letter(text):
    rows = list(Quoting(iter(text.splitlines(keepends=True)), ",", '"', "", False))
    letters = "".join(cell for row in rows for cell in row)
    assert [letter for letter in letters if letter in "ab"] == [letter for letter in text if letter in "ab"]


def test_apostrophes_in_words_are_not_quotes(tmp_path):
    text = (
        "id,title\n" + "".join(f"{n},Rockin' around the 'old' tree {n}\n" for n in range(10)) + "11,'surprise' no. 94\n"
    )
    table, rows = read(tmp_path, "x.csv", text)
    assert table.dialect["quote"] == '"' and rows[-1] == ["11", "'surprise' no. 94"]


def test_cells_that_are_all_quoted_are_not_split_at_the_commas_inside(tmp_path):
    _, rows = read(tmp_path, "x.csv", 'when\n"Dec 8, 2022"\n"Sep 26, 2022"\n"Aug 31, 2022"\n')
    assert rows == [["Dec 8, 2022"], ["Sep 26, 2022"], ["Aug 31, 2022"]]


def test_a_colon_in_every_line_of_words_makes_no_table_of_times(tmp_path):
    table, rows = read(tmp_path, "x.csv", "10:00\n11:30\n12:15\n13:45\n")
    assert len(table.columns) == 1 and len(rows) == 4


def test_an_unescaped_quote_far_below_the_sample_is_kept(tmp_path):
    lines = [f'{n},"plain, {n}",{n}' for n in range(500)] + ['500,"a "late" quote, here",1'] + ["501,x,2"]
    _, rows = read(tmp_path, "x.csv", "id,text,n\n" + "\n".join(lines) + "\n")
    assert rows[500] == ["500", 'a "late" quote, here', "1"] and len(rows) == 502


SPELLINGS = {
    "cp1252": ["Mädchen", "Brücke", "fröhlich", "Weißwein", "Gemälde", "Käse"],
    "mac_roman": ["élégant", "rivière", "bâtiment", "forêts", "naïveté", "leçons"],
    "cp1250": ["książki", "żółwie", "święta", "gałęzie", "dźwięk", "łańcuch"],
    "iso8859_2": ["přátelé", "žádost", "šťávy", "kůže", "děkuji", "čtvrtek"],
    "cp1251": ["Картина", "подушка", "зеркало", "Лестница", "Крыша", "ящик"],
    "koi8_r": ["Картина", "подушка", "зеркало", "Лестница", "Крыша", "ящик"],
    "cp1253": ["Εικόνα", "μαξιλάρι", "καθρέφτης", "Σκάλα", "στέγη", "κουτί"],
    "cp1254": ["Yastık", "ağaçlar", "çatı", "Kutuları", "şişe", "bağlantı"],
    "cp932": ["写真", "まくら", "鏡", "階段", "やね", "箱の中"],
    "gb18030": ["照片", "枕头", "镜子", "楼梯", "屋顶", "箱子"],
    "euc_kr": ["사진", "베개", "거울", "계단", "지붕", "상자"],
}


@pytest.mark.parametrize("encoding", SPELLINGS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_the_encoding_of_a_generated_table_is_found(encoding, data):
    orders = data.draw(st.lists(st.permutations(SPELLINGS[encoding]), min_size=2, max_size=4))
    words = [word for order in orders for word in order]
    text = "id,word\n" + "".join(f"{n},{word}\n" for n, word in enumerate(words))
    with tempfile.TemporaryDirectory() as folder:
        _, rows = read(Path(folder), "x.csv", text.encode(encoding))
    assert [row[1] for row in rows] == words


def test_an_uncertain_encoding_is_told(tmp_path):
    table, rows = read(tmp_path, "x.csv", b"id,name\n1,Ko\xb3o\n2,plain\n3,text\n")
    assert len(rows) == 3
    assert len(table.issues) == 1 and table.issues[0].startswith("the encoding is uncertain: read as cp1252, may be ")


def test_a_clear_encoding_has_no_note(tmp_path):
    table, _ = read(
        tmp_path, "x.csv", ("id,name\n" + "".join(f"{n},Brücke für Mädchen\n" for n in range(5))).encode("cp1252")
    )
    assert not table.issues


class Counted(str):
    """A line that counts the characters that are searched, copied or joined in it."""

    work = 0

    def find(self, text, start=0, end=None):
        place = super().find(text, start)
        Counted.work += (len(self) if place < 0 else place) - start
        return place

    def __add__(self, other):
        Counted.work += len(self) + len(other)
        return Counted(str.__add__(self, other))

    def __getitem__(self, place):
        text = super().__getitem__(place)
        Counted.work += len(text)
        return text


class CountedPattern:
    def __init__(self, pattern):
        self._pattern = pattern

    def match(self, line, place):
        found = self._pattern.match(line, place)
        Counted.work += found.end() - place if found else 1
        return found


def work(lines: list[str], delimiter: str, escape: str = "", skip_space: bool = False) -> int:
    rows = Quoting(map(Counted, lines), delimiter, '"', escape, skip_space)
    rows._inside = CountedPattern(rows._inside)
    Counted.work = 0
    assert list(rows)
    return Counted.work


@pytest.mark.parametrize(
    "made",
    [
        lambda n: (['1,"open\n', *["2,name,3\n"] * n], ","),
        lambda n: (['1,"open\n', *['2,""name"",3\n'] * n], ","),
        lambda n: (['1||"' + '\\"' * n + '"||2\n'], "||", "\\"),
        lambda n: (["1" + ', "a"b' * n + "\n"], ",", "", True),
        lambda n: (["1" + ',"a"b' * n + "\n"], ","),
        lambda n: (["1" + ',"a"b' * n + '"\n'], ","),
    ],
)
def test_the_work_for_open_escaped_and_stray_quotes_grows_with_the_text(made):
    assert work(*made(2000)) <= 2.1 * work(*made(1000)) and work(*made(1000)) <= 10 * sum(map(len, made(1000)[0]))


class SearchesAgain(Quoting):
    """Forgets what it has searched."""

    _searched = property(lambda _: 0, lambda *_: None)


@given(st.text('ab", \n', max_size=40), st.booleans())
def test_places_that_were_searched_for_a_closing_quote_need_not_be_searched_again(text, skip_space):
    lines = text.splitlines(keepends=True)
    rows, again = (each(iter(lines), ",", '"', "", skip_space) for each in (Quoting, SearchesAgain))
    assert list(rows) == list(again) and rows.strays == again.strays


@pytest.mark.parametrize("mark", ["~", "^", "#", "&", "*", "!"])
def test_a_mark_inside_the_values_of_one_column_is_no_delimiter(tmp_path, mark):
    lines = [f"http://x.example/{mark}user{number}" for number in range(50)]
    table, rows = read(tmp_path, "x.csv", "\n".join(["Web Address", *lines]))
    assert table.columns == ["Web Address"] and rows == [[line] for line in lines]


@pytest.mark.parametrize("mark", ["~", "^"])
def test_an_unusual_delimiter_is_found_below_a_title(tmp_path, mark):
    lines = [mark.join([f"name {number}", str(number), str(number * 7), "x"]) for number in range(30)]
    table, rows = read(tmp_path, "x.csv", "\n".join(["Sales", mark.join(["who", "a", "b", "c"]), *lines]))
    assert table.columns == ["who", "a", "b", "c"] and len(rows) == 30


@pytest.mark.parametrize(("between", "inside"), [(",", ";"), (";", ","), ("|", ";"), ("\t", ";")])
def test_the_delimiter_that_divides_the_header_as_the_rows_is_taken(tmp_path, between, inside):
    cells = [[f"Ann {n}{inside} born 1739{inside} (72)", f"1777{inside} –{inside} 1795", "X"] for n in range(20)]
    lines = [between.join(row) for row in [["Governor", "Term of office", "Party"], *cells]]
    table, rows = read(tmp_path, "x.csv", "\n".join(lines))
    assert table.columns == ["Governor", "Term of office", "Party"] and rows == cells


@pytest.mark.parametrize("delimiter", [", ", "; ", " | ", ",  ", " ; "])
@settings(max_examples=15, deadline=None)
@given(tables([word for word in WORDS if word.isalpha() or (" " in word and "," not in word and ";" not in word)]))
def test_blanks_beside_every_delimiter_are_no_part_of_the_cells(delimiter, table):
    text = "".join(delimiter.join(row) + "\n" for row in table)
    with tempfile.TemporaryDirectory() as folder:
        found, rows = read(Path(folder), "x.csv", text)
    assert [found.columns, *rows] == table


@settings(max_examples=15, deadline=None)
@given(tables(["red", "Blue"]), st.integers(1, 5), st.booleans())
def test_blanks_that_not_all_cells_have_or_that_are_quoted_stay(table, place, quoted):
    cells = [[*row[:1], f" {row[1]}", *row[2:]] if at == place or quoted else row for at, row in enumerate(table)]
    text = "".join(",".join(f'"{cell}"' if quoted else cell for cell in row) + "\n" for row in cells)
    with tempfile.TemporaryDirectory() as folder:
        _, rows = read(Path(folder), "x.csv", text)
    assert rows == cells[1:]


def test_an_indented_first_column_keeps_its_blanks(tmp_path):
    _, rows = read(tmp_path, "x.csv", "item, n\nfruit, 1\n  apple, 2\n  pear, 3\nbread, 4\n")
    assert rows == [["fruit", "1"], ["  apple", "2"], ["  pear", "3"], ["bread", "4"]]
