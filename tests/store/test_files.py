"""A file or folder that is written aside is complete under its name, or not there."""

import os

import pytest

from mere.errors import CannotWrite
from mere.store import files


def test_what_is_written_aside_gets_its_name_when_the_block_ends(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("before")
    with files.written_aside(str(target)) as aside:
        assert os.path.dirname(aside) == str(tmp_path) and target.read_text() == "before"
        files.write_new(aside, [b"after"], durable=False)
    assert target.read_text() == "after" and os.listdir(tmp_path) == ["a.txt"]


def test_a_folder_can_be_written_aside(tmp_path):
    with files.written_aside(str(tmp_path / "out")) as aside:
        files.make_folder(aside)
        files.write_new(os.path.join(aside, "a"), [b"1"])
    assert os.listdir(tmp_path) == ["out"] and (tmp_path / "out/a").read_bytes() == b"1"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_block_that_fails_leaves_the_target_as_it_was(tmp_path, error):
    target = tmp_path / "a.txt"
    target.write_text("before")
    with pytest.raises(error), files.written_aside(str(target)) as aside:
        files.write_new(aside, [b"half"])
        raise error
    assert target.read_text() == "before" and os.listdir(tmp_path) == ["a.txt"]


def test_a_rename_that_fails_leaves_nothing_aside(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)  # a file cannot take the name of a folder
    with pytest.raises(OSError, match="directory"), files.written_aside(str(tmp_path / "a")) as aside:
        files.write_new(aside, [b"x"])
    assert os.listdir(tmp_path) == ["a"]


def test_a_relative_name_is_written_into_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files.publish("a.txt", b"1")
    assert os.listdir(tmp_path) == ["a.txt"]


def test_what_a_killed_process_left_unfinished_is_removed_and_nothing_else(tmp_path):
    unfinished = files.aside_of(str(tmp_path / "a.txt"))
    for name in ["a.txt", ".hidden", "b.part", unfinished]:
        (tmp_path / name).write_text("x")
    files.remove_unfinished(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == [".hidden", "a.txt", "b.part"]


def test_a_file_system_that_does_not_sync_folders_is_no_error_but_a_failing_disk_is(tmp_path, monkeypatch):
    def refuse(number):
        def fsync(handle):
            raise OSError(number, os.strerror(number))

        return fsync

    monkeypatch.setattr(os, "fsync", refuse(22))  # EINVAL
    files.sync_folder(str(tmp_path))
    monkeypatch.setattr(os, "fsync", refuse(5))  # EIO
    with pytest.raises(CannotWrite, match="Input/output error"):
        files.sync_folder(str(tmp_path))
