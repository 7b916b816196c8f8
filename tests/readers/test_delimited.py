"""Delimited text: delimiter, quoting, header, ragged rows, encodings."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raw_files import read, rows_of, write

from mere.errors import Unreadable
from mere.readers import Limits, delimited, open_tables
from mere.readers.dialects import Dialect
from mere.readers.table import Findings

PEOPLE = [
    ["id", "name", "born"],
    ["1", "Ada", "1815-12-10"],
    ["2", "Emmy", "1882-03-23"],
    ["3", "Sofya", "1850-01-15"],
]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~", " ", "::", "+|", "||"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\r\r\n"])
def test_every_delimiter_and_line_end_is_detected(tmp_path, delimiter, newline):
    text = newline.join(delimiter.join(row) for row in PEOPLE) + newline
    table, rows = read(tmp_path, "people.csv", text)
    assert [table.columns, *rows] == PEOPLE
    assert not table.issues


@pytest.mark.parametrize("name", ["people.txt", "people.tsv", "people", "people.xyz"])
def test_the_delimiter_comes_from_the_content_and_not_from_the_extension(tmp_path, name):
    table, rows = read(tmp_path, name, "\n".join(";".join(row) for row in PEOPLE))
    assert [table.columns, *rows] == PEOPLE


def test_decimal_commas_do_not_hide_semicolons(tmp_path):
    table, rows = read(tmp_path, "x.csv", "a;b;c\n1,5;2,25;x\n2,5;3,25;y\n4,0;1,75;z\n")
    assert table.columns == ["a", "b", "c"]
    assert rows[0] == ["1,5", "2,25", "x"]


def test_rows_with_a_special_row_end_may_contain_newlines(tmp_path):
    text = "1+|<a>\r\n</a>+|2017-12-13&|\r\n2+|<b/>+|2017-12-14&|\r\n3+|\x00+|2017-12-15&|\r\n"
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == ["column_1", "column_2", "column_3"]
    assert rows == [["1", "<a>\r\n</a>", "2017-12-13"], ["2", "<b/>", "2017-12-14"], ["3", "", "2017-12-15"]]
    assert table.issues == ["1 NUL byte was removed"] and not table.lost


def test_quoted_newlines_delimiters_and_doubled_quotes_are_kept(tmp_path):
    text = 'id,text\n1,"a\nb, ""c"""\n2,d\n'
    assert read(tmp_path, "x.csv", text)[1] == [["1", 'a\nb, "c"'], ["2", "d"]]


def test_single_quotes_are_detected(tmp_path):
    text = "id,text\n1,'a,b'\n2,'c,d'\n3,'e'\n"
    assert read(tmp_path, "x.csv", text)[1] == [["1", "a,b"], ["2", "c,d"], ["3", "e"]]


def test_backslash_escapes_are_detected(tmp_path):
    text = 'id,text\n1,"a \\"b\\", c"\n2,"d \\"e\\", f"\n3,"g"\n'
    assert read(tmp_path, "x.csv", text)[1] == [["1", 'a "b", c'], ["2", 'd "e", f'], ["3", "g"]]


def test_blanks_before_quotes_are_skipped(tmp_path):
    text = 'id, text\n1, "a, b"\n2, "c, d"\n'
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == ["id", "text"]
    assert rows == [["1", "a, b"], ["2", "c, d"]]


def test_a_stray_quote_within_a_cell_is_just_a_character(tmp_path):
    text = 'id,size\n1,5" pipe\n2,6" pipe\n3,"7"" pipe"\n'
    assert read(tmp_path, "x.csv", text)[1] == [["1", '5" pipe'], ["2", '6" pipe'], ["3", '7" pipe']]


def test_an_unclosed_quote_affects_one_row_and_not_the_rest(tmp_path):
    text = "id,name,n\n" + "".join(f"{i},x{i},{i}\n" for i in range(50)) + '50,"open,50\n' + "51,y,51\n" * 30
    table, rows = read(tmp_path, "x.csv", text)
    assert len(rows) == 81 and rows[50] == ["50", '"open', "50"]
    assert table.issues == ["1 row has an unclosed quote and was read without quotes"]


def test_title_blank_and_comment_lines_are_preamble(tmp_path):
    text = "# made by hand\nSales of 2019\n\nregion,sold,returned\nnorth,12,1\nsouth,7,0\neast,9,2\n"
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == ["region", "sold", "returned"] and len(rows) == 3
    assert table.dialect["preamble_lines"] == 3 and not table.issues


def test_padded_titles_of_spreadsheet_exports_are_preamble(tmp_path):
    text = "Brexit polls,,\n,,\nDate,right,wrong\n02/08/16,46,42\n09/08/16,45,44\n17/08/16,46,43\n"
    assert read(tmp_path, "x.csv", text)[0].columns == ["Date", "right", "wrong"]


@pytest.mark.parametrize(
    "text",
    [
        "1\tDay\t07:00:00\t2008-04-30\n2\tEvening\t15:00:00\t2008-04-30\n3\tNight\t23:00:00\t2008-04-30\n",
        "AED\tEmirati Dirham\t2019-04-30\nAFA\tAfghani\t2019-04-30\nALL\tLek\t2019-04-30\n",
        "1\t17.0.1000.3\t2025-10-06 21:25:57.990\n",
    ],
)
def test_a_table_without_header_gets_numbered_columns_and_keeps_its_first_row(tmp_path, text):
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == [f"column_{n}" for n in range(1, len(rows[0]) + 1)]
    assert len(rows) == text.count("\n")


def test_years_may_be_column_names(tmp_path):
    table, rows = read(tmp_path, "x.csv", "country,1995,1996,1997\nPeru,1,2,3\nChad,4,5,6\n")
    assert table.columns == ["country", "1995", "1996", "1997"] and len(rows) == 2


def test_names_keep_their_positions_if_there_are_fewer_names_than_fields(tmp_path):
    table, rows = read(
        tmp_path, "x.csv", "Date,Average\n1979-01,336.56,0.11\n1979-02,337.29,0.09\n1979-03,337.88,0.11\n"
    )
    assert table.columns == ["Date", "Average", "column_3"]
    assert rows[0] == ["1979-01", "336.56", "0.11"]


def test_a_second_header_line_over_numbers_is_merged(tmp_path):
    text = "city,height,weight\nname,m,kg\na,1.5,20\nb,1.6,30\nc,1.7,40\nd,1.8,45\n"
    table, rows = read(tmp_path, "x.csv", text)
    assert table.columns == ["city name", "height m", "weight kg"]
    assert len(rows) == 4 and table.dialect["header_rows"] == 2


def test_repeated_and_blank_names_become_unique(tmp_path):
    table, _ = read(tmp_path, "x.csv", "a,a,,a_2\n1,2,3,4\n5,6,7,8\n")
    assert table.columns == ["a", "a_3", "column_3", "a_2"]


def test_short_rows_are_padded_and_nothing_is_lost(tmp_path):
    table, rows = read(tmp_path, "x.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n")
    assert rows[1] == ["4", "5", None]
    assert table.issues == ["1 short row was padded with nulls"] and not table.lost


def test_frequent_extra_cells_get_a_column(tmp_path):
    table, rows = read(tmp_path, "x.csv", "a,b\n" + "1,2\n" * 20 + "1,2,3\n" * 20)
    assert table.columns == ["a", "b", "column_3"] and not table.lost
    assert rows[0] == ["1", "2", None] and rows[-1] == ["1", "2", "3"]


def test_rare_extra_cells_are_dropped_and_reported_as_lost(tmp_path):
    table, rows = read(tmp_path, "x.csv", "a,b\n" + "1,2\n" * 400 + "1,2,3\n" + "1,2\n" * 400)
    assert table.columns == ["a", "b"] and len(rows) == 801
    assert table.lost and table.issues == ["1 row is longer than the header; its extra cells were dropped"]


def test_a_trailing_delimiter_adds_no_column(tmp_path):
    table, rows = read(tmp_path, "x.csv", "a,b\n1,2,\n3,4,\n5,6,\n")
    assert table.columns == ["a", "b"] and rows[0] == ["1", "2"] and not table.lost


def test_footnotes_below_the_table_are_left_out_and_reported(tmp_path):
    table, rows = read(tmp_path, "x.csv", "a,b,c\n1,2,3\n4,5,6\n\nSource: the ministry\nNote that b is an estimate\n")
    assert rows == [["1", "2", "3"], ["4", "5", "6"]]
    assert table.issues == ["2 lines of footnotes below the table were left out"] and not table.lost


def test_the_last_line_of_a_quoted_cell_is_not_a_footnote(tmp_path):
    _, rows = read(tmp_path, "x.csv", 'a,b,c\n1,2,3\n4,5,"one line\nand another line"\n')
    assert rows[-1] == ["4", "5", "one line\nand another line"]


def test_a_table_of_one_column_is_a_table(tmp_path):
    table, rows = read(tmp_path, "x.csv", "city\nRome\nOslo\nLima\n")
    assert table.columns == ["city"] and rows == [["Rome"], ["Oslo"], ["Lima"]]


def test_times_in_one_column_are_not_split_at_their_colons(tmp_path):
    table, rows = read(tmp_path, "x.csv", "when\n2019-01-01 10:00:00\n2019-01-02 11:00:00\n2019-01-03 12:00:00\n")
    assert table.columns == ["when"] and rows[0] == ["2019-01-01 10:00:00"]


def test_a_header_alone_is_a_table_without_rows(tmp_path):
    table, rows = read(tmp_path, "x.csv", "id,name,price\n")
    assert table.columns == ["id", "name", "price"] and rows == []


@pytest.mark.parametrize("content", [b"", b"\n\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(tmp_path, content):
    with pytest.raises(Unreadable, match=r"empty|blank"):
        read(tmp_path, "x.csv", content)


def test_prose_is_refused(tmp_path):
    text = "Thank you, members of the house, for being here.\n\nIt is a good year, and it will get better.\n"
    with pytest.raises(Unreadable, match="looks like prose"):
        read(tmp_path, "speech.txt", text * 20)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-32"])
def test_western_encodings_are_detected(tmp_path, encoding):
    text = "id,stadt\n" + "".join(f"{n},Zürich № {n}\n".replace("№", "é") for n in range(40))
    table, rows = read(tmp_path, "x.csv", text.encode(encoding))
    assert table.columns == ["id", "stadt"] and rows[7] == ["7", "Zürich é 7"]


@pytest.mark.parametrize("encoding", ["cp932", "utf-8", "utf-16"])
def test_japanese_encodings_are_detected(tmp_path, encoding):
    text = "番号,都道府県名,説明\n" + "".join(
        f"{n},東京都,歩道と車道を分離するために柵で区分されたもの\n" for n in range(30)
    )
    table, rows = read(tmp_path, "x.csv", text.encode(encoding))
    assert table.columns == ["番号", "都道府県名", "説明"] and rows[3][1] == "東京都"


def test_an_invalid_byte_late_in_a_utf8_file_is_read_as_windows_1252(tmp_path):
    data = ("id,name\n" + "1,Zürich\n" * 20_000).encode() + b"2,caf\xe9\n"
    table, rows = read(tmp_path, "x.csv", data)
    assert rows[0] == ["1", "Zürich"] and rows[-1] == ["2", "café"]
    assert table.issues == ["1 byte is not UTF-8 and was read as windows-1252"] and not table.lost


def test_a_thousand_columns_are_read(tmp_path):
    header = ",".join(f"measure_{n}_of_something_rather_long" for n in range(3000))
    table, rows = read(tmp_path, "x.csv", header + "\n" + ("1.5," * 2999 + "2\n") * 5)
    assert len(table.columns) == 3000 and table.columns[-1].startswith("measure_2999") and len(rows) == 5


def test_too_many_columns_are_refused(tmp_path):
    with pytest.raises(Unreadable, match=r"20 columns, more than 10; raise the limit 'columns'"):
        read(tmp_path, "x.csv", ("a," * 19 + "b\n") * 3, Limits(columns=10))


def test_a_long_cell_is_cut_and_reported(tmp_path):
    table, rows = read(tmp_path, "x.csv", "id,text\n1," + "é" * 600 + "\n2,short\n", Limits(cell_bytes=101))
    assert rows == [["1", "é" * 50], ["2", "short"]]
    assert table.lost and table.issues == ["1 cell was cut to 101 bytes"]


def test_a_table_can_be_read_twice_with_the_same_report(tmp_path):
    (table,) = open_tables(write(tmp_path, "x.csv", "a,b\n1,2\n3\n"))
    first, issues = rows_of(table), table.issues
    assert rows_of(table) == first and table.issues == issues


def test_blocks_do_not_change_what_is_read(tmp_path, monkeypatch):
    line = '{n},"quoted\ncell ""{n}""",{n}.5\r\n'
    text = "id,text,value\r\n" + "".join(line.format(n=n) for n in range(60_000)) + '7,"odd"x,1\r\n' + "8,y\r\n"
    table, rows = read(tmp_path, "x.csv", text * 3)
    assert len(text) * 3 > 4 << 20
    assert rows[0] == ["0", 'quoted\ncell "0"', "0.5"] and rows[59_999] == [
        "59999",
        'quoted\ncell "59999"',
        "59999.5",
    ]
    assert rows[60_000] == ["7", "oddx", "1"] and rows[60_001] == ["8", "y", None]
    assert len(rows) == 3 * 60_002 and "2 rows repeat the header and were dropped" in table.issues


def test_a_stray_quote_at_the_start_of_a_cell_does_not_merge_the_rows_below(tmp_path):
    lines = [f"{i}\tname {i}\tx\t{i / 7}" for i in range(200)]
    lines[0] = lines[0].replace("\tx\t", '\t"open\t')
    path = tmp_path / "clicks.tsv"
    path.write_text("\n".join(lines) + "\n")
    [table] = open_tables(str(path))
    rows = [row for batch in table.batches() for row in batch.to_pylist()]
    assert len(table.columns) == 4 and len(rows) == 200 and not table.lost


def test_backslash_escaped_quotes_are_unescaped(tmp_path):
    _, rows = read(tmp_path, "q.csv", 'id,said\n1,"say \\"hi\\" now"\n2,"plain"\n3,"x"\n')
    assert rows[0] == ["1", 'say "hi" now']


def test_a_small_uneven_file_is_split_at_the_delimiter_of_its_extension(tmp_path):
    table, _ = read(tmp_path, "ragged.csv", "a,b,c\n1,2\n3,4,5,6\n7,8,9\n")
    assert table.columns[:3] == ["a", "b", "c"]


def test_comments_with_commas_above_a_header_are_comments(tmp_path):
    table, _ = read(tmp_path, "c.csv", "# a, b\n# c, d\nid,name\n1,ann\n2,bob\n3,cy\n")
    assert table.columns == ["id", "name"]


def test_a_pipe_before_a_plus_is_not_a_delimiter_of_two_characters(tmp_path):
    lines = ["1||1||Balance Sheet||~||Currency|"] + [f"{i}|1|{i}0|1|Assets|Assets|+||Currency|" for i in range(2, 60)]
    table, rows = read(tmp_path, "accounts.csv", "\n".join(lines) + "\n")
    assert len(table.columns) >= 9 and len(rows) == 59


def test_mac_roman_and_invalid_bytes_in_utf_8_are_distinguished_from_windows(tmp_path):
    mac = "name,role\nChloë Sevigny,actor\nRenée,lead\nJosé,lead\n".encode("mac_roman")
    windows = "name,role\nChloë Sevigny,actor\nRenée don’t,lead – x\n".encode("cp1252")
    mixed = "name,role\nZoë,a\nRenée,b\n".encode() + b"Jos\xe9,c\n"
    assert read(tmp_path, "mac.csv", mac)[1][0][0] == "Chloë Sevigny"
    assert read(tmp_path, "win.csv", windows)[1][1] == ["Renée don’t", "lead – x"]
    assert [row[0] for row in read(tmp_path, "mixed.csv", mixed)[1]] == ["Zoë", "Renée", "José"]


def test_a_quote_that_is_never_closed_is_not_parsed_again_with_every_block(tmp_path, monkeypatch):
    lengths = []
    cut = delimited._cut
    monkeypatch.setattr(delimited, "_cut", lambda buffer, *others: lengths.append(len(buffer)) or cut(buffer, *others))
    monkeypatch.setattr(delimited, "ROW_BYTES", 64_000)
    text = 'a,"open,1\n' + "".join(f"{n},name,2\n" for n in range(12_000))
    findings = Findings()
    dialect, columns = Dialect(), ["x", "y", "z"]
    batches = list(
        delimited.read_delimited(io.BytesIO(text.encode()), dialect, columns, Limits(), findings, block=1000)
    )
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert len(rows) == 12_001 and rows[0] == {"x": "a", "y": '"open', "z": "1"}
    assert sum(lengths) <= 3 * len(text) and max(lengths) <= 65_000


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([Dialect(), Dialect("||", "")]),
    st.integers(4, 40),
)
def test_lines_that_are_broken_up_are_counted(sizes, newline, dialect, times):
    """Long lines, some of them several times as long as the longest row, between short ones."""
    bound = 4 * 1000
    lines = []
    for size in sizes:
        lines += [dialect.delimiter.join(["1", "x" * (size * bound * 2 if size > 1 else 10)])] + ["2,3"] * times
    dialect = replace(dialect, newline=newline)
    findings, text = Findings(), newline.join(lines) + newline
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "ROW_BYTES", bound)
        patch.setattr(delimited, "LINE_BYTES", bound)
        list(delimited.read_delimited(io.BytesIO(text.encode()), dialect, ["a", "b"], Limits(), findings, block=1000))
    broken = sum(size > 1 for size in sizes)
    told = [count for sentence, count in findings.counts().items() if "broken up" in sentence]
    assert sum(told) == broken and (findings.lost or not broken)


@pytest.mark.parametrize("place", [0, 3, 7])
def test_a_line_longer_than_a_block_is_one_row(tmp_path, monkeypatch, place):
    monkeypatch.setattr(delimited, "ROW_BYTES", 1 << 16)
    monkeypatch.setattr(delimited.read_delimited, "__defaults__", (1 << 14,))
    rows = [[f"x{n}", str(n)] for n in range(8)]
    rows[place][0] = "y" * 300_000
    table, found = read(tmp_path, "x.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert found == rows and table.issues == []


def test_a_line_beyond_the_limit_of_lines_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "LINE_BYTES", 1 << 17)
    monkeypatch.setattr(delimited, "ROW_BYTES", 1 << 16)
    monkeypatch.setattr(delimited.read_delimited, "__defaults__", (1 << 14,))
    table, _ = read(tmp_path, "x.csv", "a,b\n1,2\n" + "y" * 600_000 + ",3\n4,5\n")
    assert "1 line is longer than 131,072 bytes and was broken up into several rows" in table.issues and table.lost


def test_a_first_line_without_end_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="the first line has more than"):
        read(tmp_path, "x.csv", b"y" * (40 << 20))
