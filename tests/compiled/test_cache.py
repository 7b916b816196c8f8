"""Where files are kept that can be made again, also without a home directory that can be written to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mere.cache import cache_folder

SCRIPT = """
import os, sys
from mere.cache import cache_folder
folders = {cache_folder() for _ in range(3)}
pid = os.fork()
if pid == 0:
    sys.exit()
os.waitpid(pid, 0)
print(len(folders), *folders, *map(os.path.isdir, folders))
"""


def test_a_home_that_can_be_written_to_keeps_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == str(tmp_path / "mere")
    assert (tmp_path / "mere").stat().st_mode & 0o077 == 0


@pytest.mark.timeout(300)
def test_without_one_a_process_has_one_folder_and_removes_it_when_it_ends(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    count, folder, exists = process.stdout.split()
    assert (count, os.path.dirname(folder), exists) == ("1", str(tmp_path), "True")
    assert not os.path.exists(folder)
