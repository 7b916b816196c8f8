#!/usr/bin/env python3
"""Set up and run, from a clean clone with nothing but python3.

    python3 run.py demo    make .venv, install, run `mere demo`
    python3 run.py test    make .venv, install, pass all checks and tests
    python3 run.py test-random [TIMES [SEED [TEST...]]]
                           all tests, the slow ones too, on new random examples, TIMES (10) as many as usual

Anything else is run inside the environment: python3 run.py mere index ./data
"""

import os
import random
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
STAMP = VENV / "installed-for"
WORKERS = ["-n", "2", "--dist", "worksteal"]  # one test after the other leaves a core idle


def main() -> int:
    job, *rest = sys.argv[1:] or ["help"]
    if sys.version_info < (3, 11):
        sys.exit(f"mere needs Python 3.11 or newer, this is {sys.version.split()[0]}")
    if job in ("help", "-h", "--help"):
        print(__doc__)
        return 0
    install()
    jobs = {
        "demo": [[BIN / "mere", "demo", *rest]],
        "test": [*checks(), [PYTHON, "-m", "pytest", "-m", "not slow", *WORKERS, *rest]],
        "check": checks(),
        "setup": [],
    }
    if job == "test-random":
        jobs[job] = random_tests(*rest)
    for command in jobs.get(job, [[BIN / job if (BIN / job).exists() else job, *rest]]):
        code = subprocess.call([str(part) for part in command], cwd=ROOT, env=environment())
        if code:
            return code
    return 0


def checks() -> list:
    return [
        [BIN / "ruff", "check", "."],
        [BIN / "ruff", "format", "--check", "."],
        [BIN / "mypy"],
        [BIN / "lint-imports"],
    ]


def random_tests(times: str = "10", seed: str = "", *tests: str) -> list:
    """All tests, the slow ones too, on TIMES as many examples as usual; SEED repeats those of another run."""
    seed = seed or str(random.randrange(2**32))
    os.environ["MERE_TEST_TIMES"] = times
    print(f"the same examples again: python3 run.py test-random {times} {seed}", flush=True)
    return [[PYTHON, "-m", "pytest", f"--hypothesis-seed={seed}", *WORKERS, *tests]]


def install() -> None:
    """Make the environment once, and again when pyproject.toml changes."""
    wanted = (ROOT / "pyproject.toml").read_text()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    print("setting up .venv (this takes some minutes the first time: Spark is large)", file=sys.stderr)
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if uv_at := find_uv(pip):
        install_with = [uv_at, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(PYTHON)]
    else:
        subprocess.check_call([*pip, "--upgrade", "pip"])  # dependency groups need pip 25.1
        install_with = pip
    subprocess.check_call([*install_with, "-e", ".[all]", "--group", "dev", "--group", "bench"], cwd=ROOT)
    STAMP.write_text(wanted)


def find_uv(pip: list) -> "str | None":
    """uv installs in a fraction of the time; without it, pip does."""
    if installed := shutil.which("uv"):
        return installed
    subprocess.call([*pip, "uv"])
    return str(BIN / "uv") if (BIN / "uv").exists() else None


def environment() -> dict:
    return {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}", "VIRTUAL_ENV": str(VENV)}


if __name__ == "__main__":
    sys.exit(main())
