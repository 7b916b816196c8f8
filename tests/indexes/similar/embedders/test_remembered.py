"""A value is embedded once; the cache is bounded, shared by processes, and changes no answer."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mere.indexes.similar.embedders import Distances, Embedder, remembered
from mere.indexes.similar.embedders.remembered import embed_remembered, folder_of


class Counting:
    """An embedder that notes which texts it was given."""

    def __init__(self, version: str = "1", name: str = "counting", width: int = 3) -> None:
        self.calls: list[list[str]] = []
        self.width = width
        kept_as = f"{name} {version}" if version else ""
        self.embedder = Embedder(name, version, width, Distances(0.1, 0.2, 0.3), self.embed, kept_as)

    def embed(self, texts: list[str]) -> np.ndarray:
        self.calls.append(texts)
        return vectors_of(texts, self.width)

    def asked(self) -> list[str]:
        return [text for call in self.calls for text in call]


def vectors_of(texts: list[str], width: int = 3) -> np.ndarray:
    rows = [
        [zlib.crc32(f"{d} {text}".encode("utf-8", "surrogatepass")) / 2**32 for d in range(width)] for text in texts
    ]
    return np.array(rows, np.float32).reshape(len(texts), width)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "mere" / "embedded"


def kept_files(embedder: Embedder) -> list[Path]:
    return sorted(Path(folder_of(embedder)).glob("*.vec"))


def test_each_value_is_embedded_once_in_its_order() -> None:
    model = Counting()
    texts = ["b", "a", "b", "", "é"]
    np.testing.assert_array_equal(embed_remembered(model.embedder, texts), vectors_of(texts))
    assert model.calls == [["b", "a", "", "é"]]
    np.testing.assert_array_equal(embed_remembered(model.embedder, ["c", "é", "a"]), vectors_of(["c", "é", "a"]))
    assert model.calls[1:] == [["c"]]
    assert embed_remembered(model.embedder, []).shape == (0, 3)


def test_other_versions_names_and_widths_do_not_share_vectors() -> None:
    for model in (Counting(), Counting(version="2"), Counting(name="other"), Counting(width=5)):
        result = embed_remembered(model.embedder, ["a"])
        np.testing.assert_array_equal(result, vectors_of(["a"], model.width))
        assert model.asked() == ["a"]


def test_nothing_is_kept_of_a_function_without_a_version(cache: Path) -> None:
    model = Counting(version="")
    for _ in range(2):
        np.testing.assert_array_equal(embed_remembered(model.embedder, ["a", "a"]), vectors_of(["a", "a"]))
    assert model.calls == [["a"], ["a"]]
    assert not cache.exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(rounds=st.lists(st.lists(st.text(max_size=2), max_size=12), min_size=1, max_size=6))
def test_any_sequence_of_questions_gets_the_embedders_vectors(rounds: list[list[str]]) -> None:
    model = Counting(name=uuid.uuid4().hex)  # an empty cache for each example
    for texts in rounds:
        np.testing.assert_array_equal(embed_remembered(model.embedder, texts), vectors_of(texts))
    asked = model.asked()
    assert len(asked) == len(set(asked)), "no text twice"
    assert set(asked) == {text for texts in rounds for text in texts}


def test_small_files_are_joined() -> None:
    model = Counting()
    texts = [str(n) for n in range(300)]
    for n in range(0, 300, 3):
        embed_remembered(model.embedder, texts[n : n + 3])
    assert len(kept_files(model.embedder)) <= 9  # log2(300)
    again = Counting()
    np.testing.assert_array_equal(embed_remembered(again.embedder, texts), vectors_of(texts))
    assert again.calls == []


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "text", "gone"])
def test_a_damaged_file_is_not_used(damage: str) -> None:
    model = Counting()
    embed_remembered(model.embedder, ["a", "b"])
    [path] = kept_files(model.embedder)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    changed = {"flip": bytes(content), "cut": bytes(content[:-9]), "empty": b"", "text": b"x" * 500}
    path.unlink()
    copy = path.with_name("damaged.vec")  # this process has not seen it yet
    if damage != "gone":
        copy.write_bytes(changed[damage])
    again = Counting()
    np.testing.assert_array_equal(embed_remembered(again.embedder, ["b", "a"]), vectors_of(["b", "a"]))
    assert again.calls == [["b", "a"]]
    assert not copy.exists(), "a file without use is deleted with the next write"
    embed_remembered(again.embedder, ["a", "b"])
    assert len(again.calls) == 1


def test_vectors_are_kept_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "TEXTS_PER_FILE", 4)
    texts = [str(n) for n in range(10)]

    class Interrupted(Exception):
        pass

    def embed(given: list[str]) -> np.ndarray:
        if "9" in given:
            raise Interrupted
        return vectors_of(given)

    with pytest.raises(Interrupted):
        embed_remembered(Embedder("counting", "1", 3, Distances(0.1, 0.2, 0.3), embed, "counting 1"), texts)
    model = Counting()
    np.testing.assert_array_equal(embed_remembered(model.embedder, texts), vectors_of(texts))
    assert model.calls == [["8", "9"]]


def test_the_cache_is_bounded_and_loses_its_oldest_files(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(remembered, "LARGEST_FILE", 28 * 8)  # eight vectors of three numbers with their hashes
    first = Counting(name="first")
    embed_remembered(first.embedder, [str(n) for n in range(8)])
    [oldest] = kept_files(first.embedder)
    os.utime(oldest, (1, 1))
    left_by_a_killed_process = oldest.with_name(".x.vec.12345678.part")
    left_by_a_killed_process.write_bytes(b"x" * 100)
    os.utime(left_by_a_killed_process, (2, 2))
    limit = 3 * oldest.stat().st_size
    monkeypatch.setattr(remembered, "MOST_BYTES", limit)
    second = Counting(name="second")
    texts = [str(n) for n in range(20)]
    np.testing.assert_array_equal(embed_remembered(second.embedder, texts), vectors_of(texts))
    assert len(kept_files(second.embedder)) == 3
    assert not oldest.exists() and not left_by_a_killed_process.exists()
    assert sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) <= limit
    np.testing.assert_array_equal(embed_remembered(first.embedder, ["3", "99"]), vectors_of(["3", "99"]))


def test_a_cache_that_cannot_be_written_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(remembered.container, "write", full)
    model = Counting()
    for _ in range(2):
        np.testing.assert_array_equal(embed_remembered(model.embedder, ["a"]), vectors_of(["a"]))
    assert model.calls == [["a"], ["a"]]


def test_several_processes_may_write_at_once(cache: Path) -> None:
    program = (
        "import sys; from tests.indexes.similar.embedders.test_remembered import Counting, vectors_of\n"
        "from mere.indexes.similar.embedders.remembered import embed_remembered\n"
        "start = int(sys.argv[1])\n"
        "for n in range(30):\n"
        "    texts = [str(start + 2 * n + i) for i in range(5)]\n"
        "    assert (embed_remembered(Counting().embedder, texts) == vectors_of(texts)).all()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    root = Path(__file__).parents[4]
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(start)], cwd=root, env=environment)
        for start in (0, 20, 40)
    ]
    assert [process.wait() for process in processes] == [0, 0, 0]
    texts = [str(n) for n in range(104)]
    np.testing.assert_array_equal(embed_remembered(Counting().embedder, texts), vectors_of(texts))
    assert not [path for path in cache.rglob("*") if path.suffix == ".part"]
