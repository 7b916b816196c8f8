"""Nobody changes what a value is without raising `values.VERSION`: lakes record it, and what they hold must follow.

The cells below, column by column, become what a segment keeps of them: values, hashes, counts, nulls, types, ends.
Their digest is recorded here for every version.  Cells are added only together with a new version.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pyarrow as pa

from mere import values
from mere.segments import Facts, Table, digest, summarise
from mere.values import normalise, parse_dates, parse_numbers
from mere.values.nulls import SPELLINGS

RECORDED = {2: "b5a8f35f33e6c983"}

COLUMNS = {
    "letters": ["Stra\u00dfe", "STRASSE", "\ufb01nal", "\u01c5", "\u0130stanbul", "\u03c2", "\u00c5",
                "A\u030a", "\u212b",
                "\u00e9", "e\u0301", "\ud55c\uae00", "\u1112\u1161\u11ab", "\uff46\uff55\uff4c\uff4c",
                "\u2460", "x\u00b2"],
    "spaces": [" a", "a ", "a\u00a0b", "a\u2003b", "a\t b", "a\nb", "\u200ba", "a\u200bb", "\ufeffa", "  ", "\u3000"],
    "integers": ["1", "01", "007", "+1", "-1", "-0", "1 000", "1,000", "1'000", "1_000", "9007199254740993", "1e3"],
    "decimals": ["12.0", "12.50", ".5", "5.", "0.10", "-0.0", "1e-7", "1E400", "nan", "inf", "0x10", "1/2", "½"],
    "points": ["1.5", "2.25", "1,000.5", "12", "-3.75", "4.0", "1.234.567", "n/a"],
    "commas": ["1,5", "2,25", "1.000,5", "12", "-3,75", "4,0", "1.234.567,8", "-"],
    "two ways": ["1.625", "2.500", "3.125", "4.000"],
    "money": ["€ 7", "8 €", "$1,200.50", "USD 5", "(12)", "12-", "£.50", "7 EUR"],
    "units": ["8 %", "8,5%", "7 km", "5 kg", "12°", "1:30", "3k", "5 Mio."],
    "dates": ["1990-01-01", "1990-1-1", "19900101", "01/02/1990", "13/02/1990", "26.10.1955", "Jan 5, 2020"],
    "day first": ["13/02/1990", "01/02/1990", "31/12/1999"],
    "month first": ["02/13/1990", "01/02/1990", "12/31/1999"],
    "open order": ["01/02/1990", "03/04/1991", "05/06/1992"],
    "moments": ["2020-02-29T12:00:00Z", "2020-02-29 12:00:59.999", "2021-02-29", "2020-01-01T24:00:00", "12:60"],
    "years": ["1999", "2000", "2001", "99", "'99"],
    "booleans": ["true", "FALSE", "yes", "No", "ja", "nein", "0", "1", "t", "f"],
    "nulls": [*sorted(SPELLINGS), "", " ", None, "NAN", "Null", "--", "?"],
    "land codes": ["NA", "AT", "CH", "DE", "FR", "IT", "na", ""],
    "codes": ["01001", "01003", "1005", "abkh1244", "001276", "00-7"],
    "formulas": ["=1+1", "+cmd", "@x", "'12", '"q"', "\\N", "\x00", "\ud7ff", "a" * 40],
    "mostly numbers": ["1", "2", "3", "4", "5", "6", "7", "TOT"],
    "half numbers": ["1", "2", "a", "b"],
    "one": ["5€"],
    "nothing": [],
}  # fmt: skip


def kept(cells: list[str | None]) -> Table:
    [table] = summarise([Facts("t", "s", "t")], digest([pa.table({"c": pa.array(cells, pa.string())})]))
    return table


def described(cells: list[str | None]) -> list[object]:
    """All that follows from the cells of a column, as JSON."""
    table = kept(cells)
    columns, sets = table.columns, table.sets
    ends = [[float(end[0]).hex() for end in (columns.low, columns.high)], columns.lows, columns.highs]
    counts = [numbers.tolist() for numbers in (columns.types, columns.nulls, columns.misfits, columns.histogram)]
    coded = [piece.tolist() for piece in table.cells.data]
    asked = normalise(pa.array([cell for cell in cells if cell is not None], pa.string()))
    read = [parse_dates(asked, np.zeros(len(asked), np.int64)), parse_numbers(asked)]
    return [sets.values.tolist(), sets.hashes.tolist(), sets.counts.tolist(), coded, counts, ends, table.facts.numbers,
            asked.to_pylist(), [[float(number).hex() for number in numbers] for numbers in read]]  # fmt: skip


def digest_of_columns() -> str:
    text = json.dumps({name: described(cells) for name, cells in COLUMNS.items()}, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def test_values_are_those_of_the_version_that_lakes_record() -> None:
    actual = digest_of_columns()
    assert RECORDED.get(values.VERSION) == actual, (
        "what cells become has changed: raise VERSION in src/mere/values/__init__.py,"
        f" record '{actual}' for it in RECORDED here, and add a lake of the new version to tests/pipeline/golden"
    )
