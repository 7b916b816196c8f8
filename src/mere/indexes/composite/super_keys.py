"""Which bits stand for a value in the super key of a row?

The super key of a row is the OR of the patterns of all its values.  A composite key can be in the row only if every bit
of its values' patterns is in the super key, so most rows are ruled out without a look at their cells.  MATE
(Esmailoghli, Quiané-Ruiz, Abedjan; PVLDB 2022), section 5 for XASH, section 7.1.2 for what it is compared with.

    paper     here     meaning
    |a|       bits     size of a pattern
    C_unique  UNIQUE   distinct values that the patterns should tell apart
    alpha     ones     most bits that a value may set (equation 5)
    beta      width    bits of each character's segment (equation 6)
    |a_l|     tail     bits of the length segment, which are what is left over
    l_v       length   characters of the value
    lambda    -        mean place of a character in the value, counted from 1
    x         -        which of the character's bits tells that place, counted from 1
    H, V      -        hash functions of a Bloom filter; values of a row

Place p of the paper's array, counted from 0 at its left, is the bit of worth 2 ** (p % 64) in word p // 64.  XASH has
the length segment first, then `width` bits for each slot: the digits, the letters, the space.  So the 'u' of 'muhammad'
is the 108th place of 128, and the 100th once rotated, as in figure 3.  All patterns are part of the format.

Departs from the paper, and from its authors' code, which differs from both:
- XASH reads normalised values, and characters are code points.  One without a slot of its own (punctuation, anything
  beyond ASCII) is hashed onto one of the 37 and never dropped; the empty value has no bits.
- Which characters are rare is counted once, in training, and frozen (`character_ranks`).  The authors count within the
  value, where nearly all characters are equally rare.
- `bloom` sets 4 bits, one in each quarter, so that none coincide.  The paper's Bloom filter sets |a| / V * ln 2, which
  for its web tables (V = 5) is 18 of 128: over-hashed, since a row of a dozen columns is then five sixths ones.
  Places a fixed step apart would be distinct too, but of 128 bits they make only 4096 patterns.
- `less` takes V = 26 (open data), and an odd step, so that no two of its bits coincide.
- `murmur` is the finaliser of MurmurHash3 over our own 64-bit hash: its bits are as good, and no value is read again.
  CityHash would only be a third of that sort.

Cost: a million short values at 128 bits take 0.04 s with `bloom`, 0.5 s with `xash`.  `bloom`, `less`, `table` and
`murmur` read the hashes only; to them the empty value is one like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count, pairwise
from math import comb, log
from typing import NamedTuple

import numpy as np

from mere.errors import UsageError
from mere.store import Strings
from mere.values import mix

NAMES = ("bloom", "xash", "less", "table", "simhash", "md5", "murmur")
SIZES = (128, 256, 512)
ALL_PARTS = frozenset({"length", "characters", "location", "rotation"})

CHARACTERS = b"0123456789abcdefghijklmnopqrstuvwxyz "
SLOTS = len(CHARACTERS)  # 37
UNIQUE = 700_000_000  # C_unique: the distinct values of the paper's web tables
_BLOOM = 4  # bits of a value
_COLUMNS = 26  # V: the mean number of columns in the paper's open data
_VALUES, _BYTES = 1 << 13, 1 << 17  # of a block: its temporaries, some 600 bytes a value, stay near the processor
_STREAM = np.uint64(0x73757065726B6579)
_SEEDS = np.arange(1, SIZES[-1] // 64 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # one for every word
_ONE = np.uint64(1)


class Recipe(NamedTuple):
    """How patterns are made: by which function, and of how many bits."""

    name: str
    bits: int


def recipe_of(setting: str) -> Recipe:
    """Read a setting such as 'bloom-128'."""
    name, _, bits = setting.partition("-")
    if name not in NAMES:
        raise UsageError(f"unknown super key '{name}' (in '{setting}')", f"choose one of {', '.join(NAMES)}")
    if bits not in map(str, SIZES):
        remedy = "write " + ", ".join(f"'{name}-{size}'" for size in SIZES[:-1]) + f" or '{name}-{SIZES[-1]}'"
        raise UsageError(f"a super key cannot have '{bits}' bits (in '{setting}')", remedy)
    return Recipe(name, int(bits))


def character_ranks(values: Strings, sample: int = 1 << 20) -> np.ndarray:
    """The rank of each slot among all by how often it occurs in these distinct values: 0 for the rarest.

    Of more than `sample` values, every n-th is read.  Equally rare slots are ranked by their numbers.
    """
    step = -(-len(values) // sample)
    if step > 1:
        values = values.take(np.arange(0, len(values), step))
    counts = np.zeros(SLOTS, np.int64)
    for start, stop in _blocks(values.offsets):
        counts += np.bincount(_characters(values.slice(start, stop))[0], minlength=SLOTS)
    ranks = np.empty(SLOTS, np.uint8)
    ranks[np.argsort(counts, kind="stable")] = np.arange(SLOTS)
    return ranks


def patterns(
    values: Strings, hashes: np.ndarray, recipe: Recipe, ranks: np.ndarray, parts: frozenset[str] = ALL_PARTS
) -> np.ndarray:
    """The pattern of each value, a row of words.  `parts` names what XASH takes into account (figure 5)."""
    out = np.zeros((len(hashes), recipe.bits // 64), np.uint64)
    if recipe.name in _FROM_HASHES:
        for start in range(0, len(hashes), _VALUES):
            _FROM_HASHES[recipe.name](hashes[start : start + _VALUES], out[start : start + _VALUES])
        return out
    for start, stop in _blocks(values.offsets):
        block = values.slice(start, stop)
        if recipe.name == "xash":
            _xash(block, out[start:stop], ranks, parts)
        else:
            _FROM_BYTES[recipe.name](block, out[start:stop])
    return out


def _blocks(offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Runs of at most `_VALUES` values and `_BYTES` bytes; a longer value is a run of its own."""
    start, values = 0, len(offsets) - 1
    while start < values:
        fits = int(np.searchsorted(offsets, offsets[start] + _BYTES, side="right")) - 1
        stop = min(max(fits, start + 1), start + _VALUES, values)
        yield start, stop
        start = stop


def _set(out: np.ndarray, rows: np.ndarray, places: np.ndarray) -> None:
    """Set one bit in each of these rows, which are distinct."""
    words = out.reshape(-1)
    words[rows * out.shape[1] + (places >> 6)] |= _ONE << (places & 63).astype(np.uint64)


# XASH


@cache
def _shape(bits: int) -> tuple[int, int]:
    """How many bits a value sets, and how many each slot has: (6, 3), (5, 6) or (4, 13)."""
    return next(ones for ones in count(1) if comb(bits, ones) > UNIQUE), (bits - 1) // SLOTS


def _xash(values: Strings, out: np.ndarray, ranks: np.ndarray, parts: frozenset[str]) -> None:
    bits = 64 * out.shape[1]
    ones, width = _shape(bits)
    tail = bits - SLOTS * width
    slots, edges = _characters(values)
    rows = np.flatnonzero(np.diff(edges))  # an empty value has no bits, and no part in what follows
    first, lengths = edges[rows], np.diff(edges)[rows]
    if "length" in parts:
        _set(out, rows, lengths % tail)
    if "characters" not in parts or not len(rows):
        return
    slot_of = np.argsort(ranks)
    for chosen, rank, areas in _rarest(ranks[slots], first, lengths, ones - 1, width):
        places = slot_of[rank] * width + (areas if "location" in parts else 0)
        if "rotation" in parts:
            places = (places - lengths[chosen]) % (SLOTS * width)
        _set(out, rows[chosen], tail + places)


def _rarest(
    ranks: np.ndarray, first: np.ndarray, lengths: np.ndarray, most: int, width: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Round by round, the next rarest slot of every value that has one left: which values, its rank, its area.

    A value's slots are one number with a bit for each rank: the lowest bit is the rarest slot.
    """
    left = np.bitwise_or.reduceat(_ONE << ranks.astype(np.uint64), first)
    cells = np.repeat(np.arange(len(first)) * SLOTS, lengths) + ranks
    counts = np.bincount(cells, minlength=len(first) * SLOTS)
    sums = np.bincount(cells, np.arange(len(cells), dtype=float), len(first) * SLOTS)  # whole numbers, exact to 2**53
    for _ in range(most):
        chosen = np.flatnonzero(left)
        rank = np.bitwise_count(~left & (left - _ONE))[chosen]
        often = counts[chosen * SLOTS + rank]
        places = sums[chosen * SLOTS + rank].astype(np.int64) - often * (first[chosen] - 1)  # counted from 1, added up
        yield chosen, rank, (places * width - 1) // (often * lengths[chosen])  # ceil(a / b) - 1 is (a - 1) // b
        left &= left - _ONE


def _spread(codes: np.ndarray) -> np.ndarray:
    """The slot of each code point that has none of its own."""
    return (mix(codes.astype(np.uint64) ^ _STREAM) % np.uint64(SLOTS)).astype(np.uint8)


_SLOT_OF_BYTE = _spread(np.arange(256))
_SLOT_OF_BYTE[np.frombuffer(CHARACTERS, np.uint8)] = np.arange(SLOTS)


def _characters(values: Strings) -> tuple[np.ndarray, np.ndarray]:
    """The slots of all characters, and where the characters of each value begin and end."""
    data = values.data
    if data.max(initial=0) < 0x80:
        return _SLOT_OF_BYTE[data], values.offsets
    leads = (data & 0xC0) != 0x80  # the first byte of a character; all others begin with the bits 10
    starts = np.flatnonzero(leads)
    slots = _SLOT_OF_BYTE[data[starts]]
    wide = np.flatnonzero(data[starts] >= 0xC0)
    slots[wide] = _spread(_code_points(data, starts[wide]))
    return slots, np.append(0, np.cumsum(leads))[values.offsets]


def _code_points(data: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The code points of the UTF-8 characters of two, three or four bytes that start here."""
    lead = data[starts].astype(np.int64)
    extra = 1 + (lead >= 0xE0) + (lead >= 0xF0)
    codes = lead & (0x3F >> extra)
    for step in (1, 2, 3):
        following = data[np.minimum(starts + step, len(data) - 1)]
        codes = np.where(step <= extra, codes << 6 | following & 0x3F, codes)
    return codes


# What it is compared with


def _bloom(hashes: np.ndarray, out: np.ndarray) -> None:
    """One bit in each quarter, named by sixteen bits of the mixed hash."""
    quarter = 64 * out.shape[1] // _BLOOM
    rows, mixed = np.arange(len(hashes)), mix(hashes ^ _STREAM).view(np.int64)
    for i in range(_BLOOM):
        _set(out, rows, i * quarter + ((mixed >> 16 * i) & (quarter - 1)))


def _less(hashes: np.ndarray, out: np.ndarray) -> None:
    """Less hashing (Kirsch, Mitzenmacher 2006): all of H = |a| / V * ln 2 places come from two hashes."""
    bits = 64 * out.shape[1]
    rows, mixed = np.arange(len(hashes)), mix(hashes ^ _STREAM).view(np.int64)
    place, step = mixed & (bits - 1), (mixed >> 32) | 1
    for _ in range(round(bits / _COLUMNS * log(2))):  # 3, 7 or 14
        _set(out, rows, place & (bits - 1))
        place += step


def _table(hashes: np.ndarray, out: np.ndarray) -> None:
    """A hash table: a single bit."""
    _set(out, np.arange(len(hashes)), mix(hashes ^ _STREAM).view(np.int64) & (64 * out.shape[1] - 1))


def _murmur(hashes: np.ndarray, out: np.ndarray) -> None:
    """The finaliser of MurmurHash3 (Appleby), with another seed for every word."""
    for word in range(out.shape[1]):
        x = hashes + _SEEDS[word]
        x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
        out[:, word] = x ^ (x >> np.uint64(33))


def _md5(values: Strings, out: np.ndarray) -> None:
    """The digest of the value; for more bits also of the value with one, two, three zero bytes behind it."""
    import hashlib  # only this setting needs it

    data, digests = values.data.tobytes(), out.shape[1] // 2
    padded = (data[a:b] + bytes(n) for a, b in pairwise(values.offsets.tolist()) for n in range(digests))
    joined = b"".join(hashlib.md5(piece, usedforsecurity=False).digest() for piece in padded)
    out[:] = np.frombuffer(joined, "<u8").reshape(out.shape)


def _simhash(values: Strings, out: np.ndarray) -> None:
    """SimHash (Charikar 2002): a bit is set if at least half of the value's grams have it in their hashes.

    A gram is a byte with its two neighbours; a value's first and last byte have a zero next to them.
    """
    rows = np.flatnonzero(values.lengths())
    first, lengths = values.offsets[rows], values.lengths()[rows]
    if not len(rows):
        return
    here = values.data.astype(np.uint64)
    before, after = np.roll(here, 1), np.roll(here, -1)
    before[first] = after[first + lengths - 1] = 0
    grams = before << np.uint64(16) | here << np.uint64(8) | after
    for word in range(out.shape[1]):
        hashed = mix(grams + _SEEDS[word]).astype("<u8")
        ballots = np.unpackbits(hashed.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        votes = np.add.reduceat(ballots, first, axis=0, dtype=np.int32)
        chosen = np.packbits(2 * votes >= lengths[:, None], axis=1, bitorder="little")
        out[rows, word] = chosen.view("<u8")[:, 0]


_FROM_HASHES = {"bloom": _bloom, "less": _less, "table": _table, "murmur": _murmur}
_FROM_BYTES = {"simhash": _simhash, "md5": _md5}
