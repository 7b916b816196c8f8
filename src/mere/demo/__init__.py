"""A small raw lake to try things on: `make_lake(folder)`.

Two sources: the files of a company (`company/`) and public data (`open-data/`), in a dozen formats, with real keys,
several spellings of them, sidecars and difficult files; and tables of the user to ask questions with: `my_markets.csv`,
`my_suppliers.csv`, and `my_staff.csv`, `my_badges.csv` and `my_mailboxes.csv`, which join after a transformation; and
`my_houses.csv`, to which tables of the lake add rows, for the prices in `my_prices.csv`.
The same seed and the same installed packages give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mere.demo import company, difficult_files, firms, houses, office, open_data, packages, sidecars, staff
from mere.demo.difficult_files import DifficultFile
from mere.demo.encode import Columns, as_csv, records
from mere.demo.world import COUNTRIES, stream

__all__ = ["DemoLake", "DifficultFile", "make_lake"]


@dataclass(frozen=True)
class DemoLake:
    """The paths of the lake, the packages with its real tables, and its difficult files."""

    sources: list[Path]
    query: Path
    suppliers: Path
    packages: list[str]
    missing: list[str] = field(default_factory=list)
    difficult_files: list[DifficultFile] = field(default_factory=list)


def make_lake(folder: Path, seed: int = 7) -> DemoLake:
    """Write the lake under `folder`; a file that exists with the same content is not written again."""
    folder = Path(folder)
    firm = company.create(seed)
    _write(folder / "company", company.files(firm))
    _write(folder / "company", office.files(firm))
    _write(folder / "company", sidecars.company_files())
    _write(folder / "open-data", open_data.files(seed))
    _write(folder / "open-data", firms.files(seed))
    _write(folder / "open-data", houses.files(seed))
    used = [name for name in packages.PACKAGES if _write(folder / "open-data", packages.files(name))]
    _write(folder / "open-data", sidecars.open_data_files(used))
    _write(folder, [("my_markets.csv", as_csv(_markets(firm))), ("my_suppliers.csv", as_csv(firms.suppliers(seed)))])
    _write(folder, staff.files(seed))
    _write(folder, houses.my_files(seed))
    return DemoLake(
        sources=[folder / "company", folder / "open-data"],
        query=folder / "my_markets.csv",
        suppliers=folder / "my_suppliers.csv",
        packages=used,
        missing=[name for name in packages.PACKAGES if name not in used],
        difficult_files=_write_difficult_files(folder, firm),
    )


def _write_difficult_files(folder: Path, firm: company.Company) -> list[DifficultFile]:
    among_others = [DifficultFile(folder / path, what, "read") for path, what in difficult_files.DIFFICULT_TABLES]
    samples = list(difficult_files.files(firm))
    _write(folder / "company", [(sample.path, sample.content) for sample in samples])
    return among_others + [DifficultFile(folder / "company" / path, what, result) for path, what, result, _ in samples]


def _write(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Returns the number of files.  A file with the same content keeps its date, so that it is not indexed again."""
    count = 0
    for name, content in files:
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        count += 1
    return count


def _markets(firm: company.Company) -> Columns:
    """The user's table: sales of four years in half of the countries, with the best customer of each.

    It joins on a name, on a code (NA included), on (country, year), and on (first name, last name, city).
    """
    rng = stream(firm.seed, "markets")
    best = {r["country"]: r for r in records(firm.customers)}
    chosen = [c for c in COUNTRIES if c.iso2 == "NA" or rng.random() < 0.5]
    pairs = [(c, year) for c in chosen for year in range(2010, 2014)]
    return {
        "country": [c.name for c, _ in pairs],
        "code": [c.iso2 for c, _ in pairs],
        "year": [year for _, year in pairs],
        "revenue": company.amounts(rng, 60_000, len(pairs)),
        "contact_first": [best[c.iso2]["first_name"] for c, _ in pairs],
        "contact_last": [best[c.iso2]["last_name"] for c, _ in pairs],
        "contact_city": [best[c.iso2]["city"] for c, _ in pairs],
    }
