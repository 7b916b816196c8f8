"""A power cut at any instant leaves the old lake or the new one, complete, and the next run repairs the rest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("kill_everywhere.py")


@pytest.mark.parametrize("what", ["first", "update"])
def test_killed_at_every_write_sync_and_rename_the_lake_holds_the_old_or_the_new_snapshot(tmp_path, what):
    done = subprocess.run([sys.executable, str(SCRIPT), str(tmp_path / "work"), what], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["faults"] == []
    assert outcome["new"]["tables"] and outcome["new"]["tables"] != outcome["old"]["tables"]
    assert outcome["steps"] > 50 and outcome["seen"]["old"] > 40 and outcome["seen"]["new"] > 0
    assert 0 < outcome["seen"]["unmarked"] < 10, "a kill between the commit and its marker"
