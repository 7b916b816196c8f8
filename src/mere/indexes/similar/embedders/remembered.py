"""How is a value embedded only once, although runs and processes come and go?

Models are slow, and values occur again: in other segments, in later versions of a file, in other lakes.  So the
vectors of an embedder are kept in the cache folder, one folder per embedder and version; those of a user's function
under the content of its file, too, since two functions may have one name; without a version or a file, none are kept.

    folder/FILE.vec     a container: `high` and `low` (uint64, the halves of XXH3-128 of the texts, ascending), and
                        `vectors` (float32)

A file is written aside, gets its name in one instant and never changes, so any number of processes may read and write.
New values join the files that hold no more than they do, up to `LARGEST_FILE`: the number of small files is at most the
logarithm of the values.  A file that is damaged, or that another process has deleted, is not used: its values are
embedded again.  Nothing here is needed: a cache that cannot be written slows Mere down and changes no answer.

Cost of a value that is known: a search by halves in each file.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import xxhash

from mere.cache import cache_folder
from mere.errors import Corrupt
from mere.indexes.similar.embedders.embedder import Embedder
from mere.store import Container, container, files

MOST_BYTES = 4 << 30  # of all embedders together; beyond, the oldest files are deleted
LARGEST_FILE = 64 << 20  # bytes: small enough that deleting the oldest loses little
TEXTS_PER_FILE = 1 << 16  # new vectors are kept after so many texts, so that a killed run has not embedded in vain
_KIND, _VERSION = "embedded", 1


class Kept(NamedTuple):
    """Vectors under the hashes of their texts, ascending."""

    high: np.ndarray  # uint64
    low: np.ndarray  # uint64
    vectors: np.ndarray  # float32 (texts, dimensions)


def embed_remembered(embedder: Embedder, texts: list[str]) -> np.ndarray:
    """The vectors of the texts; the embedder is given only texts, once each, that it has not embedded before."""
    distinct = list(dict.fromkeys(texts))
    vectors = np.zeros((len(distinct), embedder.dimensions), np.float32)
    high, low = _hashes(distinct)
    unseen = _looked_up(embedder, high, low, vectors) if embedder.kept_as else np.arange(len(distinct))
    for start in range(0, len(unseen), TEXTS_PER_FILE):
        these = unseen[start : start + TEXTS_PER_FILE]
        vectors[these] = embedder.embed([distinct[i] for i in these.tolist()])
        if embedder.kept_as:
            with contextlib.suppress(OSError):  # the disk is full, or the folder read-only
                _keep(embedder, _sorted(high[these], low[these], vectors[these]))
    rows = {text: row for row, text in enumerate(distinct)}
    return vectors[[rows[text] for text in texts]]


def folder_of(embedder: Embedder) -> str:
    identity = f"{_VERSION} {embedder.dimensions} {embedder.kept_as}"
    return os.path.join(_root(), xxhash.xxh3_128_hexdigest(identity.encode()))


def _root() -> str:
    return os.path.join(cache_folder(), "embedded")


def _hashes(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    digests = b"".join(xxhash.xxh3_128_digest(text.encode("utf-8", "surrogatepass")) for text in texts)
    halves = np.frombuffer(digests, ">u8").reshape(-1, 2).astype(np.uint64)
    return halves[:, 0].copy(), halves[:, 1].copy()


def _sorted(high: np.ndarray, low: np.ndarray, vectors: np.ndarray) -> Kept:
    """In the order of the hashes, each once."""
    order = np.lexsort((low, high))
    high, low = high[order], low[order]
    first = np.ones(len(order), bool)
    first[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    return Kept(high[first], low[first], vectors[order[first]])


def _looked_up(embedder: Embedder, high: np.ndarray, low: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Fill in the vectors that are kept; return the numbers of the others."""
    unseen = np.arange(len(high))
    for path in _files(folder_of(embedder)):
        kept = _opened(path, embedder.dimensions)
        if kept is None or not len(kept.high):
            continue
        at = np.minimum(np.searchsorted(kept.high, high[unseen]), len(kept.high) - 1)
        known = (kept.high[at] == high[unseen]) & (kept.low[at] == low[unseen])
        vectors[unseen[known]] = kept.vectors[at[known]]
        unseen = unseen[~known]
    return unseen


def _files(folder: str) -> list[str]:
    """The files of an embedder by name; there may be none."""
    with contextlib.suppress(FileNotFoundError):
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".vec"))
    return []


@lru_cache(maxsize=256)
def _opened(path: str, dimensions: int) -> Kept | None:
    """A file, mapped, its checksum compared once per process; None if it cannot be used."""
    try:
        arrays = Container(path, _KIND, _VERSION)
        kept = Kept(arrays["high"], arrays["low"], arrays["vectors"])
    except (Corrupt, OSError, KeyError, ValueError):
        return None
    fits = kept.vectors.shape == (len(kept.high), dimensions) and len(kept.low) == len(kept.high)
    return kept if fits else None


def _keep(embedder: Embedder, new: Kept) -> None:
    """Write new vectors, together with those of smaller files, which are then deleted."""
    folder = folder_of(embedder)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    joined, absorbed = _joined_with_smaller(folder, new)
    rows = max(1, LARGEST_FILE // (joined.vectors.itemsize * embedder.dimensions + 16))
    for start in range(0, len(joined.high), rows):
        part = Kept(*(array[start : start + rows] for array in joined))
        with files.written_aside(os.path.join(folder, f"{uuid.uuid4().hex}.vec"), durable=False) as aside:
            container.write(aside, _KIND, _VERSION, part._asdict(), durable=False)
    for path in absorbed:
        files.remove(path)
    _delete_oldest()


def _joined_with_smaller(folder: str, new: Kept) -> tuple[Kept, list[str]]:
    """The new vectors and those of all files that are no larger than what is joined so far; and these files."""
    opened = [(path, _opened(path, new.vectors.shape[1])) for path in _files(folder)]
    usable = sorted(
        ((len(kept.high), path, kept) for path, kept in opened if kept is not None), key=lambda row: row[:2]
    )
    parts, absorbed, total = [new], [path for path, kept in opened if kept is None], len(new.high)
    for rows, path, kept in usable:
        if rows > total or kept.vectors.nbytes > LARGEST_FILE // 2:
            break
        parts.append(kept)
        absorbed.append(path)
        total += rows
    return _sorted(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True))), absorbed


def _delete_oldest() -> None:
    """Keep the newest files, of all embedders and of processes that were killed, up to `MOST_BYTES`."""
    found = []
    for folder, _, names in os.walk(_root()):
        for path in (os.path.join(folder, name) for name in names):
            with contextlib.suppress(FileNotFoundError):
                facts = os.stat(path)
                found.append((facts.st_mtime_ns, path, facts.st_size))
    total = 0
    for _, path, size in sorted(found, reverse=True):
        total += size
        if total > MOST_BYTES:
            files.remove(path)
