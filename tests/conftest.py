"""What tests share: small raw lakes, and one Spark for those who need it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from mere.pipeline import index
from mere.pipeline.engine import Inline

# How often `make test-random` multiplies the number of examples of each test; 0 in every other run, which always draws
# the same ones.  No test depends on the speed of the machine.
TIMES = int(os.environ.get("MERE_TEST_TIMES", 0))
settings.register_profile(
    "mere", deadline=None, derandomize=not TIMES, print_blob=True, max_examples=100 * max(TIMES, 1)
)
settings.load_profile("mere")


def _multiply_examples() -> None:
    """A test that names its own number of examples draws a multiple of it as well."""
    original = settings.__init__

    def multiplied(self: settings, *arguments: object, **options: object) -> None:
        if isinstance(options.get("max_examples"), int):
            options["max_examples"] *= TIMES
        original(self, *arguments, **options)

    settings.__init__ = multiplied


if TIMES:
    _multiply_examples()
else:  # hypothesis draws constants of the modules that are imported so far, which differs between workers
    no_constants = providers._local_constants
    providers._get_local_constants = lambda: no_constants

# A run that is started in the background ignores Ctrl-C, and its children would inherit that; tests interrupt children.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A library's warning would reach the user, so it is an error in children as well.  Those that Python itself hides are
# left out: there, a warning cannot be excepted by the name of its package (`filterwarnings` in pyproject.toml does).
HIDDEN = ("DeprecationWarning", "PendingDeprecationWarning", "ImportWarning", "ResourceWarning")
os.environ["PYTHONWARNINGS"] = ",".join(["error", *(f"ignore::{name}" for name in HIDDEN)])

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A hang ends after the time in pyproject.toml; slow tests have twice that, and random ones as often as drawn."""
    for item in items:
        factor = max(TIMES, 1) * (2 if item.get_closest_marker("slow") else 1)
        if factor > 1 and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(factor * float(item.config.getini("timeout"))))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """How a failure of random examples is seen again."""
    seed = config.getoption("--hypothesis-seed")
    for report in terminalreporter.stats.get("failed", []) if TIMES else []:
        terminalreporter.write_line(f"replay: python3 run.py test-random {TIMES} {seed} '{report.nodeid}'")


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
