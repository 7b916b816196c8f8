"""The patterns of values in super keys: XASH against its definition, and what every function promises."""

from __future__ import annotations

import hashlib
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mere.errors import UsageError
from mere.indexes.composite import super_keys
from mere.indexes.composite.super_keys import ALL_PARTS, NAMES, SIZES, Recipe, character_ranks, patterns, recipe_of
from mere.store import Strings
from mere.values import hash_values

SLOT_ORDER = "0123456789abcdefghijklmnopqrstuvwxyz "
FULL = 2**64 - 1
PLAIN = np.arange(37, dtype=np.uint8)  # slots ranked by their numbers
RECIPES = [Recipe(name, bits) for name in NAMES for bits in SIZES]
ALL_OTHERS = sorted(ALL_PARTS - {"characters"})
WITH_CHARACTERS = [frozenset({"characters", *others}) for n in range(4) for others in combinations(ALL_OTHERS, n)]
SUBSETS = [frozenset[str](), frozenset({"length"}), *WITH_CHARACTERS]  # location and rotation are of characters
MOST = {  # bits that a value may set, at 128, 256 and 512 bits
    "bloom": (4, 4, 4),
    "xash": (6, 5, 4),
    "less": (3, 7, 14),
    "table": (1, 1, 1),
    "simhash": SIZES,
    "md5": SIZES,
    "murmur": SIZES,
}
texts = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=SLOT_ORDER, max_size=30),
    st.text(alphabet="aéß–-.,'%€語😀👩🏽\u200d\u0301\u0308 9z", max_size=20),
    st.builds(lambda text, n: (text * 300)[:n], st.text(min_size=1, max_size=40), st.integers(250, 300)),
)
permutations = st.permutations(range(37)).map(lambda order: np.array(order, np.uint8))


def _patterns(
    texts: list[str], recipe: Recipe, ranks: np.ndarray = PLAIN, parts: frozenset[str] = ALL_PARTS
) -> np.ndarray:
    values = Strings.of(texts)
    return patterns(values, hash_values(values.to_arrow()), recipe, ranks, parts)


def _places(pattern: np.ndarray) -> set[int]:
    return {64 * i + bit for i, word in enumerate(pattern.tolist()) for bit in range(64) if word >> bit & 1}


def _slot(character: str) -> int:
    """The definition: a slot of its own, or the SplitMix64 finaliser of the code point."""
    if character in SLOT_ORDER:
        return SLOT_ORDER.index(character)
    x = ord(character) ^ 0x73757065726B6579
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & FULL
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & FULL
    return (x ^ (x >> 31)) % 37


def _xash_slowly(text: str, bits: int, ranks: np.ndarray, parts: frozenset[str]) -> set[int]:
    """Section 5.3 of the paper, step by step."""
    alpha = min(k for k in range(1, bits) if comb(bits, k) > 700_000_000)
    beta = max(b for b in range(bits) if 37 * b < bits)
    tail = bits - 37 * beta
    places: set[int] = set()
    if not text:
        return places
    if "length" in parts:
        places.add(len(text) % tail)
    if "characters" in parts:
        slots = [_slot(character) for character in text]
        for slot in sorted(set(slots), key=lambda slot: ranks[slot])[: alpha - 1]:
            computed = [i for i, other in enumerate(slots, start=1) if other == slot]
            x = -(-sum(computed) * beta // (len(computed) * len(text))) if "location" in parts else 1
            place = slot * beta + x - 1
            if "rotation" in parts:
                place = (place - len(text)) % (37 * beta)
            places.add(tail + place)
    return places


# Settings


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_setting_names_a_function_and_a_size(recipe: Recipe) -> None:
    assert recipe_of(f"{recipe.name}-{recipe.bits}") == recipe


@pytest.mark.parametrize("setting", ["", "blum-128", "Bloom-128", "128", "-128"])
def test_an_unknown_function_is_refused_with_those_there_are(setting: str) -> None:
    with pytest.raises(UsageError) as error:
        recipe_of(setting)
    assert f"'{setting}'" in error.value.message and error.value.remedy == f"choose one of {', '.join(NAMES)}"


@pytest.mark.parametrize("setting", ["xash", "xash-", "xash-64", "xash-128-", "xash-0128", "xash-١٢٨"])
def test_an_unknown_size_is_refused_with_those_there_are(setting: str) -> None:
    with pytest.raises(UsageError) as error:
        recipe_of(setting)
    assert f"'{setting}'" in error.value.message
    assert error.value.remedy == "write 'xash-128', 'xash-256' or 'xash-512'"


# Training


@given(st.lists(texts, max_size=20))
def test_ranks_order_the_slots_by_how_often_they_occur(values: list[str]) -> None:
    counts = [0] * 37
    for character in "".join(values):
        counts[_slot(character)] += 1
    ranks = character_ranks(Strings.of(values))
    assert ranks.dtype == np.uint8
    assert np.argsort(ranks).tolist() == sorted(range(37), key=lambda slot: (counts[slot], slot))


def test_without_values_slots_are_ranked_by_number() -> None:
    assert character_ranks(Strings.of([])).tolist() == list(range(37))


def test_of_many_values_a_sample_is_counted() -> None:
    values = Strings.of(["a", "b"] * 50)
    assert character_ranks(values, sample=50).tolist() == character_ranks(Strings.of(["a"])).tolist()
    assert character_ranks(values, sample=100).tolist() == character_ranks(Strings.of(["ab"])).tolist()


# XASH


@settings(max_examples=40, deadline=None)
@given(st.lists(texts, max_size=8), permutations)
def test_xash_follows_its_definition(values: list[str], ranks: np.ndarray) -> None:
    for bits in SIZES:
        for parts in SUBSETS:
            computed = _patterns(values, Recipe("xash", bits), ranks, parts)
            assert [_places(row) for row in computed] == [_xash_slowly(text, bits, ranks, parts) for text in values]


@pytest.mark.parametrize(
    "text", ["😀", "a😀b", "é", "e\u0301", "…!?", "語" * 300, "a" * 299 + "€", "\U0010ffff\x00\x7f\x80"]
)
def test_xash_reads_characters_and_not_bytes(text: str) -> None:
    for bits in SIZES:
        assert _places(_patterns([text], Recipe("xash", bits))[0]) == _xash_slowly(text, bits, PLAIN, ALL_PARTS)


def test_xash_places_the_letter_of_the_papers_example_where_the_paper_does() -> None:
    ranks = np.roll(PLAIN, SLOT_ORDER.index("u"))  # 'u' is the rarest
    unrotated = _patterns(["muhammad"], Recipe("xash", 128), ranks, ALL_PARTS - {"rotation"})
    assert 108 - 1 in _places(unrotated[0])
    assert 100 - 1 in _places(_patterns(["muhammad"], Recipe("xash", 128), ranks)[0])


def test_xash_gives_the_empty_value_no_bits() -> None:
    for bits in SIZES:
        computed = _patterns(["", "a", "", ""], Recipe("xash", bits))
        assert not computed[[0, 2, 3]].any() and computed[1].any()


def test_xash_drops_no_character() -> None:
    punctuation = [chr(code) for code in range(33, 127) if chr(code) not in SLOT_ORDER] + ["é", "–", "語", "😀"]
    without_length = _patterns(punctuation, Recipe("xash", 128), PLAIN, frozenset({"characters"}))
    assert [len(_places(row)) for row in without_length] == [1] * len(punctuation)


# Every function

SOME = ["", "a", "zürich", "new york", "2019-01-02", "😀", "語" * 40, "x" * 300, "a", "q1 w2 e3", "zürich", "a\x00", ""]


@pytest.mark.parametrize("recipe", RECIPES)
def test_patterns_are_rows_of_words(recipe: Recipe) -> None:
    for values in ([], ["a"], SOME):
        computed = _patterns(values, recipe)
        assert computed.shape == (len(values), recipe.bits // 64) and computed.dtype == np.uint64


@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=30, deadline=None)
@given(values=st.lists(texts, max_size=8))
def test_a_value_sets_some_bits_and_no_more_than_stated(recipe: Recipe, values: list[str]) -> None:
    most = MOST[recipe.name][SIZES.index(recipe.bits)]
    for text, ones in zip(values, np.bitwise_count(_patterns(values, recipe)).sum(axis=1), strict=True):
        assert ones <= most and (ones > 0 or not text)
        if recipe.name in ("bloom", "less", "table"):
            assert ones == most  # none coincide


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_pattern_does_not_depend_on_the_block_it_is_in(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    together = _patterns(SOME, recipe)
    alone = np.concatenate([_patterns([text], recipe) for text in SOME])
    assert (together == alone).all()
    for values, size in ((1, 1000), (3, 1000), (5, 16), (100, 1)):
        monkeypatch.setattr(super_keys, "_VALUES", values)
        monkeypatch.setattr(super_keys, "_BYTES", size)
        assert (_patterns(SOME, recipe) == together).all()


@pytest.mark.parametrize("recipe", RECIPES)
def test_equal_values_have_equal_patterns_across_real_blocks(recipe: Recipe) -> None:
    many = 3 * super_keys._VALUES // len(SOME)
    copies = 400 if recipe.name == "simhash" else many  # it is slow, and 400 cross a border of bytes
    computed = _patterns(SOME * copies, recipe).reshape(copies, len(SOME), -1)
    assert (computed == computed[0]).all()


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_slice_of_longer_strings_has_the_patterns_of_its_values(recipe: Recipe) -> None:
    longer = Strings.of(["before", *SOME, "after"])
    view = Strings(longer.offsets[1:-1], longer.data)  # does not begin at zero
    hashes = hash_values(Strings.of(SOME).to_arrow())
    assert (patterns(view, hashes, recipe, PLAIN) == _patterns(SOME, recipe)).all()


@pytest.mark.parametrize("name", ["bloom", "less", "table", "murmur"])
def test_these_read_the_hashes_only(name: str) -> None:
    hashes = hash_values(Strings.of(SOME).to_arrow())
    computed = patterns(Strings.of([]), hashes, Recipe(name, 128), PLAIN)
    assert (computed == _patterns(SOME, Recipe(name, 128))).all()


@pytest.mark.parametrize("name", ["bloom", "less", "table", "murmur"])
def test_bits_are_spread_evenly(name: str) -> None:
    computed = _patterns([str(i) for i in range(40_000)], Recipe(name, 128))
    ones = np.unpackbits(computed.view(np.uint8), axis=1).sum(axis=0)
    assert abs(ones / ones.mean() - 1).max() < 0.4


@pytest.mark.parametrize("bits", SIZES)
def test_md5_is_the_digest_of_the_value(bits: int) -> None:
    expected = b"".join(hashlib.md5("zürich".encode() + b"\0" * n).digest() for n in range(bits // 128))
    assert _patterns(["zürich"], Recipe("md5", bits))[0].astype("<u8").tobytes() == expected


# The format

KNOWN = {  # the two words of 'new york' and of 'zürich' at 128 bits
    "bloom": (0x800000000800000, 0x1000000080, 0x4000001000, 0x4000080000000),
    "xash": (0x8000000000100, 0x10084080, 0x2000000000040, 0x2000020000005),
    "less": (0x0, 0x80000040000020, 0x80000001000, 0x400),
    "table": (0x0, 0x80000000000000, 0x1000, 0x0),
    "simhash": (0x9EDEA72FCDDB5DF3, 0xC2CA3F9EFED5F6FE, 0xA6DAA3A42C844EB5, 0x402B315DC0826878),
    "md5": (0x45A1F9C1238BBE5C, 0x38702DE8E307149E, 0x30C4935EA736170C, 0xFF23C188F125917B),
    "murmur": (0x7ED5289C49D2DEDC, 0xFF5A7133B8A4B724, 0x2DBB39A0625832EF, 0x3C994B40B668A53F),
}
FINGERPRINTS = {  # of the patterns of SOME
    "bloom": ("c97936eed2a60af0", "576df1455d44b56c", "7dc43106acd37367"),
    "xash": ("2c8202cee2e7a187", "b4bc2abd2604443e", "fb386e21b223f860"),
    "less": ("7cbd5cf891e5c162", "8c3bf7184f08e996", "f2091ebc4ba754df"),
    "table": ("d963c71fecf20b32", "9e5c93b691b39f20", "9e5004ae2c4b68a7"),
    "simhash": ("d707ce7f80f7b2f3", "74a9c66fce2115a7", "188de8c280f0a2bc"),
    "md5": ("2ae79af35dcdc821", "2b0d3d9d1ea1fbae", "041d6497d762b275"),
    "murmur": ("fed2ebb0049b07b7", "159199c54a46f9a7", "0162fcd3bec65e85"),
}


@pytest.mark.parametrize("name", NAMES)
def test_patterns_are_those_that_lakes_already_hold(name: str) -> None:
    assert tuple(_patterns(["new york", "zürich"], Recipe(name, 128)).reshape(-1).tolist()) == KNOWN[name]


@pytest.mark.parametrize("recipe", RECIPES)
def test_patterns_of_every_size_are_those_that_lakes_already_hold(recipe: Recipe) -> None:
    computed = hashlib.md5(_patterns(SOME, recipe).astype("<u8").tobytes()).hexdigest()[:16]
    assert computed == FINGERPRINTS[recipe.name][SIZES.index(recipe.bits)]
