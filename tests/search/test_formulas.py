"""Which cells a spreadsheet would run."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mere.search.formulas import would_run

RUN = [
    "=1+1", "=A1", "==1", "=-1", '=HYPERLINK("http://x")', "=cmd|' /C calc'!A0", " =1", "\t=1+1", "\r=1", "\n=2",
    "\ufeff=1", "\xa0=1", "\x00=1", "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@cmd|' /C calc'!A0", "@SUM(1+1)",
    "@SUM (A1)", "-SUM(A1)", "- SUM(1)", "+HYPERLINK(A1)", "+A1", "-A1:B2", "+$A$1", "--A1", "@A1", "+-5+A1", "-A1&B1",
    "+Sheet1!A1", "+[b.xlsx]S!A1", '-"a"', "+{1,2}", "-2+3", "+43-1-234", "+1/2", "+1*2", "-5-item", "+(1+2)", "-(5)",
    "- item (new)", "+1,5-2,5", "-10% + 5%", "-2020-01-01", "\uff1d1", "\uff0bcmd", "\uff20SUM(1)", "\uff0d1+1",
    "+\\\\host\\x",
]  # fmt: skip
SHOWN = [
    "-5", "+1", "-5.5e3", "-1e5", "-.5", "-,5", "- 5", "-5%", "-5 %", "-1,234.5", "-1.234,5", "-1 000", "+12345678901",
    "+43 1 234", "+49 170", "+1 (555) 123-4567", "+43 (0)1 234-56", "+43 1 234/56", "+1 234 567", "-34,-64",
    "-34.5,-64.2", "- item", "-item", "- a, b", "-12 items - new", "-well known, indeed", "-", "--", "---", "+", "+++",
    "+/-", "=", "===", "= ", "@user", "@", "@ home", "+02:00", "-10:30", "-5 €", "-5-", "-1+", "a=b", "1+1", "x", "",
    "\tx", " x", "a\n=1", "\uff0d5", "\uff0d", "\uff0d\uff15",
]  # fmt: skip


@pytest.mark.parametrize("cells, expected", [(RUN, True), (SHOWN, False)])
def test_only_formulas_are_run(cells: list[str], expected: bool) -> None:
    runs = would_run(pa.array(cells, pa.string())).tolist()
    assert [cell for cell, run in zip(cells, runs, strict=True) if run is not expected] == []


def test_null_is_no_formula_and_neither_is_nothing() -> None:
    assert would_run(pa.array([None, "=1"])).tolist() == [False, True]
    assert would_run(pa.array([], pa.string())).tolist() == []
