"""The demo lake: the same bytes every time, complete without any package, with all difficult files."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import sys
import unicodedata
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

import mere
from mere.cli.demo import assemble_scene, similar_scene, spread_scene
from mere.demo import DemoLake, make_lake, packages
from mere.demo.firms import FIRMS, REGISTER
from mere.demo.staff import BADGES, MAILBOXES, STAFF
from mere.pipeline import index
from mere.pipeline.engine import Inline


class Indexed(NamedTuple):
    """A raw lake, and the folder of its index."""

    made: DemoLake
    folder: Path


def hashes(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.blake2b(path.read_bytes()).hexdigest() for path in sorted(files)}


def read_csv(path: Path) -> list[dict[str, str]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> DemoLake:
    return make_lake(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> DemoLake:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packages, "find", lambda package: None)
        return make_lake(tmp_path_factory.mktemp("bare"))


def test_the_same_seed_gives_the_same_bytes(lake: DemoLake, tmp_path: Path) -> None:
    make_lake(tmp_path)
    assert hashes(tmp_path) == hashes(lake.query.parent)


def test_another_seed_gives_other_bytes_under_the_same_names(
    bare: DemoLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "find", lambda package: None)
    make_lake(tmp_path, seed=8)
    first, second = hashes(bare.query.parent), hashes(tmp_path)
    assert first.keys() == second.keys()
    assert first["company/sales/customers.csv"] != second["company/sales/customers.csv"]


def test_a_second_run_writes_nothing(bare: DemoLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find", lambda package: None)
    before = {path: path.stat().st_mtime_ns for path in bare.query.parent.rglob("*.*")}
    make_lake(bare.query.parent)
    assert before == {path: path.stat().st_mtime_ns for path in bare.query.parent.rglob("*.*")}


def test_it_is_small_but_not_tiny(lake: DemoLake) -> None:
    sizes = [path.stat().st_size for source in lake.sources for path in source.rglob("*") if path.is_file()]
    assert 60 <= len(sizes) <= 150
    assert sum(sizes) < 15_000_000


def test_every_package_is_either_used_or_missing(lake: DemoLake, bare: DemoLake) -> None:
    assert sorted(lake.packages + lake.missing) == sorted(packages.PACKAGES)
    assert bare.packages == []
    assert bare.missing == list(packages.PACKAGES)


def test_no_package_is_imported() -> None:
    before = set(sys.modules)
    for package in packages.PACKAGES:
        list(packages.files(package))
    assert not set(packages.PACKAGES) & (set(sys.modules) - before)


def test_without_packages_there_are_still_two_large_sources(bare: DemoLake) -> None:
    counts = [sum(path.is_file() for path in source.rglob("*")) for source in bare.sources]
    assert counts[0] > 60
    assert counts[1] > 15
    assert sum(counts) >= 80


def test_a_package_of_another_version_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "package"
    (empty / "data").mkdir(parents=True)
    (empty / "data/countries.json").write_text("[broken")
    monkeypatch.setattr(packages, "find", lambda package: empty)
    assert make_lake(tmp_path / "lake").packages == []


def test_all_difficult_files_exist(lake: DemoLake) -> None:
    assert len(lake.difficult_files) >= 30
    assert {file.expected for file in lake.difficult_files} == {"quarantined", "repaired", "read"}
    for file in lake.difficult_files:
        assert file.path.is_file(), file
        assert any(file.path.is_relative_to(source) for source in lake.sources)


def test_difficult_files_have_the_faults_they_are_listed_with(bare: DemoLake) -> None:
    inbox = bare.sources[0] / "inbox"
    assert "£" in (inbox / "cafe_prices.csv").read_bytes().decode("cp1252")
    with pytest.raises(UnicodeDecodeError):
        (inbox / "cafe_prices.csv").read_bytes().decode()
    assert (inbox / "agents.tsv").read_bytes().decode("utf-16").startswith("country\t")
    assert (inbox / "japan_shops.csv").read_bytes().decode("shift_jis").startswith("店舗,")
    assert b"\n" not in (inbox / "mac_export.csv").read_bytes()
    assert gzip.decompress((inbox / "price_list_2022.csv").read_bytes()).startswith(b"sku,")
    with pytest.raises(EOFError):
        gzip.decompress((inbox / "orders_first_quarter.csv.gz").read_bytes())
    with zipfile.ZipFile(inbox / "tax_pack.zip") as pack:
        assert pack.namelist() == ["state_tax.csv", "town_stores.csv"]
    with pytest.raises(Exception, match=r"(?i)thrift|metadata|footer|parquet"):
        pq.read_table(inbox / "products_snapshot.parquet")
    assert (inbox / "data.csv").read_bytes().startswith(b"\x89PNG")
    assert (inbox / "upload_0412.csv").stat().st_size == 0
    assert len((inbox / "questionnaire_wide.csv").read_text().split("\n", 1)[0].split(",")) == 300
    assert any(unicodedata.normalize("NFC", path.name).startswith("Übersicht Kunden") for path in inbox.iterdir())
    assert any("\n" in row["remarks"] for row in read_csv(bare.sources[0] / "people/survey_2024.csv"))


def test_workbooks_open_in_other_programs(bare: DemoLake) -> None:
    import openpyxl

    payroll = openpyxl.load_workbook(bare.sources[0] / "people/payroll.xlsx")
    assert payroll.sheetnames == ["2023", "2024"]
    assert [cell.value for cell in payroll["2024"][1]] == ["Employee", "Grade", "Salary"]
    quote = openpyxl.load_workbook(bare.sources[0] / "inbox/quote_sheet.xlsx")["quote"]
    assert quote["D2"].value.startswith("=HYPERLINK(")
    saved = openpyxl.load_workbook(bare.sources[0] / "inbox/quote_sheet.xlsx", data_only=True)["quote"]
    assert [saved["B3"].value * 2, saved["D3"].value] == [saved["C3"].value, "open"]


def test_keys_join(bare: DemoLake) -> None:
    company, open_data = bare.sources
    customers = read_csv(company / "sales/customers.csv")
    ids = {row["customer_id"] for row in customers}
    orders = [row for path in sorted((company / "sales/orders").iterdir()) for row in read_csv(path)]
    assert {row["customer_id"] for row in orders} <= ids
    assert len({row["order_id"] for row in orders}) < len(orders), "monthly files overlap"
    lines = pq.read_table(company / "sales/order_lines.parquet").to_pydict()
    assert set(lines["order_id"]) == {row["order_id"] for row in orders}
    assert "007" in lines["sku"]
    people = {(row["first_name"], row["last_name"], row["city"]) for row in customers}
    survey = read_csv(company / "people/survey_2024.csv")
    assert {(row["First name"], row["Surname"], row["City"]) for row in survey} <= people
    codes = {row["iso2"] for row in read_csv(open_data / "geography/country_codes.csv")}
    assert {row["country"] for row in customers} == codes
    assert "NA" in codes


def test_the_users_table_joins_with_the_lake(bare: DemoLake) -> None:
    company, open_data = bare.sources
    markets = read_csv(bare.query)
    assert {"NA"} < {row["code"] for row in markets}
    pairs = {(row["country"], row["year"]) for row in markets}
    revenue = read_csv(company / "finance/revenue_by_country_year.csv")
    assert pairs <= {(row["country"], row["year"]) for row in revenue}
    vaccination = read_csv(open_data / "health/vaccination_by_country_year.csv.gz")
    assert pairs <= {(row["Country"], row["Year"]) for row in vaccination}
    customers = read_csv(company / "sales/customers.csv")
    people = {(row["first_name"], row["last_name"], row["city"]) for row in customers}
    assert {(row["contact_first"], row["contact_last"], row["contact_city"]) for row in markets} <= people


@pytest.mark.parametrize(("clinic", "bimodal"), [("north", True), ("east", False), ("south", False)])
def test_only_the_ages_at_the_northern_clinic_are_bimodal(bare: DemoLake, clinic: str, bimodal: bool) -> None:
    patients = read_csv(bare.sources[1] / f"health/clinic_{clinic}_patients.csv")
    young = sum(int(row["age"]) < 40 for row in patients) / len(patients)
    old = sum(int(row["age"]) > 60 for row in patients) / len(patients)
    assert (young >= 0.3 and old >= 0.3) is bimodal


def test_sidecars_describe_files_that_exist(bare: DemoLake) -> None:
    company, open_data = bare.sources
    package = json.loads((company / "sales/datapackage.json").read_bytes())
    assert all((company / "sales" / resource["path"]).is_file() for resource in package["resources"])
    csvw = company / "finance/revenue_by_country_year.csv-metadata.json"
    assert (csvw.parent / json.loads(csvw.read_bytes())["url"]).is_file()
    croissant = json.loads((open_data / "health/croissant.json").read_bytes())
    assert (open_data / "health" / croissant["distribution"][0]["contentUrl"]).is_file()


def test_no_supplier_is_written_as_in_the_register(bare: DemoLake) -> None:
    typed = {row["supplier"].casefold() for row in read_csv(bare.suppliers)}
    registered = {row["name"].casefold() for row in read_csv(bare.sources[1] / REGISTER)}
    assert typed == {firm.typed.casefold() for firm in FIRMS}
    assert {firm.registered.casefold() for firm in FIRMS} < registered
    assert not typed & registered


def test_nobody_is_written_the_same_in_two_of_the_users_tables(bare: DemoLake) -> None:
    columns = [(STAFF, "person"), (BADGES, "holder"), (MAILBOXES, "address")]
    people, holders, addresses = (
        {row[column].casefold() for row in read_csv(bare.query.with_name(name))} for name, column in columns
    )
    assert (len(people), len(holders), len(addresses)) == (30, 32, 30)
    assert not people & holders and not people & addresses and not holders & addresses


@pytest.fixture(scope="module", params=["bare", "with packages"])
def indexed(bare: DemoLake, lake: DemoLake, tmp_path_factory: pytest.TempPathFactory, request: Any) -> Indexed:
    made = bare if request.param == "bare" else lake
    folder = tmp_path_factory.mktemp("indexed") / "lake"
    index(made.sources, folder, engine=Inline())
    return Indexed(made, folder)


def test_the_demo_finds_the_clinic_with_bimodal_ages(indexed: Indexed) -> None:
    with mere.open(indexed.folder) as opened:
        labels = spread_scene(opened, indexed.made, lambda text: None, shown=False)["found"]
    assert labels["health/clinic_north_patients.csv"] == "guaranteed"
    assert not {"health/clinic_east_patients.csv", "health/clinic_south_patients.csv"} & labels.keys()


def test_the_demo_rejects_a_table_whose_rows_the_chosen_ones_hold(indexed: Indexed) -> None:
    with mere.open(indexed.folder) as opened:
        scene = assemble_scene(opened, indexed.made, lambda text: None, shown=False)
    assert sorted(scene["chosen"]) == ["housing/houses_north.csv", "housing/houses_south.csv"]
    assert scene["rejected"] == {
        "housing/houses_harbour.csv": "nothing new",
        "housing/houses_spring.csv": "nothing new",
        "housing/houses_west.csv": "budget spent",
    }


def test_the_demo_pairs_the_names_that_equality_misses(indexed: Indexed) -> None:
    with mere.open(indexed.folder) as opened:
        scene = similar_scene(opened, indexed.made, lambda text: None, shown=False)
    assert scene["found"] == {"equal": [], "similar": [REGISTER]}
    pairs = {(mine, theirs) for mine, theirs, _ in scene["pairs"]}
    assert pairs == {(firm.typed.casefold(), firm.registered.casefold()) for firm in FIRMS[:-1]}
    assert scene["rows"] == len(FIRMS) - 1
