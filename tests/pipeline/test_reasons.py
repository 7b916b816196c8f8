"""What the quarantine report and the counts of a run say of files that cannot be read."""

import gzip
import io
import os
import sqlite3
import tarfile
import zipfile

import pytest

from mere.pipeline import index
from mere.pipeline import workplace as workplaces
from mere.pipeline.engine import Inline

PROSE = "This is a text about something that is long enough.\nIt has several sentences. And more.\nAnother line, too.\n"


def _zip(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def _cut_tar(length=51):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        entry = tarfile.TarInfo("t.csv")
        entry.size = 4000
        archive.addfile(entry, io.BytesIO(os.urandom(4000)))
    return gzip.compress(data.getvalue())[:length]


def _reasons(folder, files):
    raw = folder / "raw"
    raw.mkdir()
    for name, content in files.items():
        (raw / name).write_bytes(content)
    report = index([raw], folder / "lake", engine=Inline())
    return report, {each["path"]: each["reason"] for each in report.quarantined}


def test_a_reason_names_a_file_or_member_once(tmp_path):
    members = {"ok.csv": "a,b\n1,2\n3,4\n", "readme.txt": PROSE, "inner.zip": _zip({"x.csv": "a,b\n1,2\n"})}
    _, reasons = _reasons(tmp_path, {"a.zip": _zip(members), "blank.csv": b"  \n\n"})
    assert reasons["a.zip"].count("readme.txt") == 1 and reasons["a.zip"].count("inner.zip") == 1
    assert "blank.csv" not in reasons["blank.csv"]


def test_a_fault_of_a_member_is_told_once(tmp_path):
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (a, b)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 200) for n in range(2000)])
    database.close()
    data = path.read_bytes()
    _, reasons = _reasons(tmp_path, {"t.db": data[:4096] + os.urandom(len(data) - 4096)})
    assert reasons["t.db"].count("corrupt") == 1


@pytest.mark.parametrize("length", [30, 51, 90, 150, 300])
def test_a_compressed_archive_that_ends_early_is_said_to(tmp_path, length):
    _, reasons = _reasons(tmp_path, {"t.tar.gz": _cut_tar(length)})
    said = reasons["t.tar.gz"]
    assert ("ends early" in said or "unexpected end" in said) and "wrong first bytes" not in said


def test_files_that_cannot_be_read_are_not_added(tmp_path):
    report, reasons = _reasons(tmp_path, {"t.csv": b"a,b\n1,2\n3,4\n", "t.tar.gz": _cut_tar()})
    assert report.added == 1 and list(reasons) == ["t.tar.gz"]


def test_a_file_without_permission_is_said_to_have_none(tmp_path, monkeypatch):
    from mere.errors import Unreadable
    from mere.readers import opening

    def refuse(*_):
        raise PermissionError(13, "Permission denied", "/x")

    monkeypatch.setattr(opening, "source_of", refuse)
    with pytest.raises(Unreadable, match="no permission to read it; ") as fault:
        list(opening.open_tables("t.csv"))
    assert "Errno" not in str(fault.value)


def test_a_run_without_spark_deletes_the_temporary_files_of_dead_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(workplaces.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    left = tmp_path / "temporary" / "mere-spark-999999999-1-abc"
    left.mkdir(parents=True)
    _reasons(tmp_path, {"t.csv": b"a,b\n1,2\n3,4\n"})
    assert not left.exists()
