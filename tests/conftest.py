"""What tests share: small raw lakes, and one Spark for those who need it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from mere.pipeline import index
from mere.pipeline.engine import Inline

# No test depends on the speed of the machine.  Where a change is checked, the examples are always the same; elsewhere
# every run tries others.
settings.register_profile("no clock", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("no clock")

# What commands print is as wide as a pipe is; pytest-xdist tells its workers the width of the terminal.
os.environ.pop("COLUMNS", None)

RAW = {
    "geo/countries.csv": "code,name,population\n"
    "AT,Austria,9000000\nNA,Namibia,2600000\nCH,Switzerland,8700000\nDE,Germany,83000000\n",
    "geo/cities.tsv": "city\tcountry\nVienna\tAT\nWindhoek\tNA\nBern\tCH\n",
    "geo/README.md": "# Geography\n\nCountries and cities of the atlas.\n",
    "sales/orders.json": '[{"order": 1, "country": "AT", "amount": 10.5}, {"order": 2, "country": "CH", "amount": 7}]',
    "sales/notes.csv": 'id,note\n1,"two\nlines"\n2,plain\n',
    "broken/picture.csv": "\x89PNG\r\n\x1a\n\x00\x00\x00",
    "broken/empty.csv": "",
}


def write_files(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("latin-1" if text.startswith("\x89") else "utf-8"))
    return folder


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return write_files(tmp_path / "raw", RAW)


@pytest.fixture
def run_index(tmp_path: Path):
    """Index into one lake of this test, in this process."""
    lake = tmp_path / "lake"

    def run(*sources, **options):
        return index(sources, lake, engine=Inline(), **options)

    run.lake = str(lake)
    return run


@pytest.fixture(scope="session")
def spark():
    """The one local Spark of the test session."""
    from mere.pipeline.session import start

    session = start("local[2,4]")
    yield session
    session.stop()


def touch(path: Path) -> None:
    """Change a file's time, as an editor would."""
    facts = path.stat()
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1_000_000_000))
