"""Which faults do the files of a real lake have?  One small file per fault, and the expected result of reading it.

    read          the table is read correctly
    repaired      the table is read correctly after rows were skipped, joined or padded
    quarantined   there is no table, or not all of it; the report says why

`DIFFICULT_TABLES` lists ordinary tables that are read correctly, but may join by accident or lose values.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from mere.demo.company import Company, amounts, rows
from mere.demo.encode import (
    Columns,
    Formula,
    as_csv,
    as_gzip,
    as_jsonl,
    as_parquet,
    as_xlsx,
    as_zip,
    delimited,
)
from mere.demo.world import COUNTRIES, STATES, pick, stream

Expected = Literal["quarantined", "repaired", "read"]


class DifficultFile(NamedTuple):
    path: Path
    what: str
    expected: Expected


class Sample(NamedTuple):
    path: str
    what: str
    expected: Expected
    content: bytes


DIFFICULT_TABLES: list[tuple[str, str]] = [
    ("company/logistics/pallets.csv", "ids 1 to 500: contained in every other small integer key"),
    ("company/people/employees.csv", "ids 1 to 400 under another name"),
    ("company/sales/stores.csv", "state AL, which is also a league in open-data/sport/clubs.csv"),
    ("open-data/sport/clubs.csv", "leagues AL and NL, which are also a state and a country"),
    (
        "open-data/geography/country_codes.csv",
        "NA is Namibia, not a missing value; numeric codes such as 032",
    ),
    ("company/sales/products.csv", "zero-padded codes: 007 is not 7"),
    ("company/finance/headcount_by_country_year.csv", "years as floats: 2019.0"),
    ("company/people/survey_2024.csv", "line breaks and quotes inside quoted cells"),
    ("company/people/org_chart.json", "nested JSON"),
    ("company/telemetry/calibration.json", "records under a key"),
]


def files(company: Company) -> Iterator[Sample]:
    yield from _encodings(company.seed)
    yield from _layouts(company)
    yield from _containers(company)
    yield from _not_tables(company)
    yield from _shapes(company)


def _encodings(seed: int) -> Iterator[Sample]:
    rng = stream(seed, "encodings")
    cafes: Columns = {
        "café": ["Été", "Bâton Rouge", "Señor Piña", "Crème & Co", "Brontë's", "Über Bean"] * 5,
        "price": [f"£{price:.2f}" for price in amounts(rng, 3, 30)],
        "city": pick(rng, ["London", "Leeds", "Glasgow", "Málaga", "Nîmes"], 30),
    }
    windows = delimited(cafes).encode("cp1252")
    yield Sample("inbox/cafe_prices.csv", "Windows-1252 with £ and é", "read", windows)
    homes = pick(rng, COUNTRIES, 60)
    agents: Columns = {
        "country": [c.name for c in homes],
        "city": [c.cities[-1] for c in homes],
        "commission": rng.integers(2, 15, 60).tolist(),
    }
    # Written explicitly, because the codec "utf-16" follows the machine's byte order.
    utf16 = b"\xff\xfe" + delimited(agents, "\t", line_end="\r\n").encode("utf-16-le")
    yield Sample("inbox/agents.tsv", "UTF-16 with a byte order mark", "read", utf16)
    shops: Columns = {
        "店舗": ["銀座店", "梅田店", "札幌店", "横浜店", "名古屋店", "福岡店", "京都店", "神戸店"],
        "都市": ["東京", "大阪", "札幌", "横浜", "名古屋", "福岡", "京都", "神戸"],
        "売上": rng.integers(100, 900, 8).tolist(),
    }
    yield Sample("inbox/japan_shops.csv", "Shift-JIS", "read", delimited(shops).encode("shift_jis"))
    names, codes = [c.name for c in homes], [c.iso2 for c in homes]
    german = as_csv({"Land": names, "Kürzel": codes, "Umsatz": amounts(rng, 900, 60)})
    path = "inbox/Übersicht Kunden (März 2024) – Kopie.csv"
    yield Sample(path, "spaces and accents in the name", "read", german)


def _layouts(company: Company) -> Iterator[Sample]:
    rng = stream(company.seed, "layouts")
    homes = COUNTRIES[:40]
    table: Columns = {
        "country": [c.name for c in homes],
        "year": [2023] * 40,
        "tonnes": amounts(rng, 300, 40),
    }
    text = delimited(table)
    titled = (_TITLE + text).encode()
    yield Sample("inbox/exports_2023.csv", "title rows and blank lines before the header", "repaired", titled)
    balance = {"country": [c.iso3 for c in homes]} | {str(n): amounts(rng, 50, 40) for n in range(4)}
    headers = ",2022,,2023,\ncountry,imports,exports,imports,exports\n"
    two_lines = (headers + delimited(balance).split("\n", 1)[1]).encode()
    yield Sample("inbox/trade_balance.csv", "a header of two lines", "repaired", two_lines)
    german = delimited(table, ";", ",").encode()
    yield Sample("inbox/umsatz_2023.csv", "semicolons and decimal commas", "read", german)
    yield Sample("inbox/exports_retyped.csv", "rows too long and too short", "repaired", _ragged(text).encode())
    old_mac = delimited(table, line_end="\r").encode()
    yield Sample("inbox/mac_export.csv", "lines end in CR alone", "read", old_mac)


_TITLE = """Harbour & Vale Trading
Exports by country, provisional

printed 3 January 2024

"""


def _ragged(text: str) -> str:
    lines = text.splitlines()
    lines[5] += ",see memo,urgent"
    lines[9] += ",,"
    lines[14] = lines[14].split(",")[0]
    return "\n".join(lines) + "\n"


def _containers(company: Company) -> Iterator[Sample]:
    rng = stream(company.seed, "containers")
    skus = company.products["sku"]
    packed = as_gzip(as_csv({"sku": skus, "old_price": amounts(rng, 40, len(skus))}))
    yield Sample("inbox/price_list_2022.csv", "gzip, though the name does not say so", "read", packed)
    quarter = as_gzip(as_csv(rows(company.orders, [d.month < 4 for d in company.orders["order_date"]])))
    cut = quarter[: len(quarter) * 2 // 3]
    yield Sample("inbox/orders_first_quarter.csv.gz", "gzip, cut off in the middle", "quarantined", cut)
    tax = {"state": [s.code for s in STATES], "tax_pct": rng.integers(0, 95, len(STATES)).tolist()}
    towns = {"city": [s.city for s in STATES], "stores": rng.integers(0, 5, len(STATES)).tolist()}
    pack = as_zip({"state_tax.csv": as_csv(tax), "town_stores.csv": as_csv(towns)})
    yield Sample("inbox/tax_pack.zip", "a zip of two tables", "read", pack)
    yield from _formulas(skus[:25])


def _formulas(skus: list[str]) -> Iterator[Sample]:
    calls = [f'HYPERLINK("https://intranet.example/sku/{sku}","open")' for sku in skus]
    links = as_csv({"sku": skus, "link": [f"={call}" for call in calls]})
    yield Sample("inbox/product_links.csv", "cells that a spreadsheet would execute", "read", links)
    quote: Columns = {
        "sku": skus,
        "price": [n + 0.5 for n in range(len(skus))],
        "double": [Formula(f"B{n + 2}*2", 2 * n + 1.0) for n in range(len(skus))],
        "link": [Formula(call, "open") for call in calls],
    }
    workbook = as_xlsx({"quote": quote})
    yield Sample("inbox/quote_sheet.xlsx", "formula cells; their saved values count", "read", workbook)


def _not_tables(company: Company) -> Iterator[Sample]:
    yield Sample("inbox/data.csv", "a PNG picture named data.csv", "quarantined", _picture())
    yield Sample("inbox/upload_0412.csv", "an empty file", "quarantined", b"")
    yield Sample("inbox/minutes.txt", "prose", "quarantined", _PROSE.encode())
    parquet = bytearray(as_parquet(company.products))
    middle = len(parquet) // 2
    parquet[middle:-8] = bytes(len(parquet) - 8 - middle)  # the footer that names the columns is gone
    yield Sample("inbox/products_snapshot.parquet", "Parquet with a ruined footer", "quarantined", bytes(parquet))


_PROSE = """Minutes of the Tuesday meeting.

We agreed, after some discussion, that the winter catalogue is late. Vera will speak to the printers,
and Omar will ask whether the second warehouse can take the lamps. Nobody knew who had ordered four
thousand copper trays; it was suggested that nobody be asked.

The next meeting is on Thursday, if the room is free. Please bring the figures this time.
"""


def _picture() -> bytes:
    """A grey square of 64 by 64 pixels."""
    lines = b"".join(b"\0" + bytes((x ^ y) * 4 for x in range(64)) for y in range(64))
    head = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _shapes(company: Company) -> Iterator[Sample]:
    rng = stream(company.seed, "shapes")
    copy = rows(company.customers, (rng.random(len(company.customers["city"])) < 0.98).tolist())
    copy["segment"] = ["unknown" if rng.random() < 0.01 else segment for segment in copy["segment"]]
    yield Sample("sales/customers_backup (2).csv", "nearly a copy of customers.csv", "read", as_csv(copy))
    answers = {f"item_{n:03}": rng.integers(1, 8, 60).tolist() for n in range(1, 300)}
    wide = as_csv({"respondent": list(range(1, 61)), **answers})
    yield Sample("inbox/questionnaire_wide.csv", "300 columns", "read", wide)
    single = as_csv({"company": ["Harbour & Vale"], "city": ["Rotterdam"], "country": ["NL"]})
    yield Sample("inbox/company_details.csv", "a single row", "read", single)
    empty = as_csv({"order_id": [], "complaint": [], "received": []})
    yield Sample("inbox/complaints_2025.csv", "a header and no rows", "read", empty)
    notes = [{"by": "web", "stars": stars} for stars in rng.integers(1, 6, 40).tolist()]
    feedback = as_jsonl({"order_id": pick(rng, company.orders["order_id"], 40), "note": notes})
    yield Sample("inbox/feedback.jsonl", "objects inside JSON lines", "read", feedback)
