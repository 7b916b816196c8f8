"""A small raw lake to try things on: `make_lake(folder)`.

Two sources, as a company has them: its own files (`company/`) and what it fetched from elsewhere
(`open-data/`), in a dozen formats, with real keys, several spellings, sidecars and traps; and beside them
one table of the user's own, `my_markets.csv`, to ask questions with.
The same seed and the same installed packages give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mere.demo import commons, company, office, packages, sidecars, traps
from mere.demo.encode import Columns, as_csv, records
from mere.demo.traps import Trap
from mere.demo.world import COUNTRIES, stream

__all__ = ["DemoLake", "Trap", "make_lake"]


@dataclass(frozen=True)
class DemoLake:
    """Where the lake lies, and what is worth knowing about it."""

    sources: list[Path]
    query: Path
    packages: list[str]
    missing: list[str] = field(default_factory=list)
    traps: list[Trap] = field(default_factory=list)


def make_lake(folder: Path, seed: int = 7) -> DemoLake:
    """Write the lake under `folder`; a file that is there already with the same content stays untouched."""
    folder = Path(folder)
    firm = company.found(seed)
    _write(folder / "company", company.files(firm))
    _write(folder / "company", office.files(firm))
    _write(folder / "company", sidecars.company_files())
    _write(folder / "open-data", commons.files(seed))
    found = [name for name in packages.PACKAGES if _write(folder / "open-data", packages.files(name))]
    _write(folder / "open-data", sidecars.commons_files(found))
    _write(folder, [("my_markets.csv", as_csv(_markets(firm)))])
    return DemoLake(
        sources=[folder / "company", folder / "open-data"],
        query=folder / "my_markets.csv",
        packages=found,
        missing=[name for name in packages.PACKAGES if name not in found],
        traps=_set_traps(folder, firm),
    )


def _set_traps(folder: Path, firm: company.Company) -> list[Trap]:
    placed = [Trap(folder / path, what, "read") for path, what in traps.PLACED]
    made = list(traps.files(firm))
    _write(folder / "company", [(trap.path, trap.content) for trap in made])
    return placed + [Trap(folder / "company" / trap.path, trap.what, trap.expected) for trap in made]


def _write(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Counts the files.  One with the same content keeps its date, so that a second index run has no work."""
    count = 0
    for name, content in files:
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        count += 1
    return count


def _markets(firm: company.Company) -> Columns:
    """The user's own table: sales of four years in half of the countries, with the best customer of each.

    It joins on a name, on a code (NA included), on (country, year), and on (first name, last name, city).
    """
    rng = stream(firm.seed, "markets")
    best = {r["country"]: r for r in records(firm.customers)}
    some = [c for c in COUNTRIES if c.iso2 == "NA" or rng.random() < 0.5]
    pairs = [(c, year) for c in some for year in range(2010, 2014)]
    return {
        "country": [c.name for c, _ in pairs],
        "code": [c.iso2 for c, _ in pairs],
        "year": [year for _, year in pairs],
        "revenue": company.amounts(rng, 60_000, len(pairs)),
        "contact_first": [best[c.iso2]["first_name"] for c, _ in pairs],
        "contact_last": [best[c.iso2]["last_name"] for c, _ in pairs],
        "contact_city": [best[c.iso2]["city"] for c, _ in pairs],
    }
