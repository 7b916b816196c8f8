"""The engine for spellings: posting lists, scans, kernels and NumPy give the counts and pairs of brute force."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mere.indexes.kind import Part
from mere.indexes.sets.question import Question
from mere.indexes.similar import search as similar
from mere.indexes.similar.records import Wanted
from mere.indexes.similar.sparse import numpy as in_numpy
from mere.indexes.similar.sparse import search as sparse
from mere.indexes.similar.sparse.build import indexed_compiled, indexed_in_numpy, least_cosine
from mere.indexes.similar.sparse.records import BLOCK, LONG, REACH
from mere.indexes.similar.spelling import Statistics, embed_compiled
from mere.store import Strings
from tests.indexes.similar.lakes import SIMILAR, columns, part_of, values
from tests.oracles.similar import Vectors as BruteVectors
from tests.oracles.similar import distance_between

LIMITS = [0.0, 0.04, 0.12, 0.16, 0.5, 0.68, 0.84, 1.0, 1.3]
lakes = st.lists(columns, min_size=1, max_size=4)


def planned(part: Part, query: list[str], limit: float) -> dict:
    probe = dict(SIMILAR.plan({"values": query, "share": 0.0, "distance": limit / 2}, [part]))
    assert probe["limit"] == limit
    return probe


def expected_pairs(part: Part, probe: dict, trained: dict) -> dict[tuple[int, int], float]:
    """(query value, place) -> distance, for all that match."""
    vectors, texts = BruteVectors(trained), part.segment.dictionary.values
    mine = Question.of(probe).values.tolist()
    theirs = [texts[int(id_)] for id_ in part.arrays["values"]]
    pairs = {}
    for i, left in enumerate(mine):
        for j, right in enumerate(theirs):
            distance = 0.0 if left == right else distance_between(vectors.of(left), vectors.of(right))
            if distance <= probe["limit"] + 1e-9:
                pairs[i, j] = distance
    return pairs


def expected_counts(part: Part, pairs: dict[tuple[int, int], float]) -> list[int]:
    matched: dict[int, set[int]] = defaultdict(set)
    lists = sparse.lists_of(part)
    for query, place in pairs:
        for owner in lists.sets[lists.starts[place] : lists.starts[place + 1]].tolist():
            matched[owner].add(query)
    return [len(matched[owner]) for owner in range(len(part.arrays["column.starts"]) - 1)]


@given(lakes, columns, st.sampled_from(LIMITS))
def test_every_way_counts_like_brute_force(contents: list, query: list, limit: float) -> None:
    with part_of(contents) as (part, _, trained):
        probe = planned(part, query, limit)
        counts = expected_counts(part, expected_pairs(part, probe, trained))
        vectors, equal = similar.vectors_of(probe), similar.equal_places(part, Question.of(probe))
        wanted = Wanted(limit, 1, np.ones(len(counts), bool))
        assert sparse.counted(part, vectors, equal, wanted).tolist() == counts
        assert sparse.counted(part, vectors, equal, wanted, sparse.Limits(scan=True)).tolist() == counts
        if limit <= REACH:
            asked = sparse.asked_of(vectors, equal, Statistics.read(part.arrays), limit)
            assert sparse.counted_compiled(part, asked, wanted)[0].tolist() == counts


@given(lakes, columns, st.sampled_from([0.5, 0.68, 0.84]), st.integers(1, 6), st.data())
def test_sets_that_reach_the_need_are_counted_exactly(contents, query, limit, need, data) -> None:
    with part_of(contents) as (part, _, trained):
        probe = planned(part, query, limit)
        counts = expected_counts(part, expected_pairs(part, probe, trained))
        owned = np.array([data.draw(st.booleans()) for _ in counts], bool)
        vectors, equal = similar.vectors_of(probe), similar.equal_places(part, Question.of(probe))
        asked = sparse.asked_of(vectors, equal, Statistics.read(part.arrays), limit)
        found = sparse.counted_compiled(part, asked, Wanted(limit, need, owned))[0]
        for owner, count in enumerate(counts):
            if owned[owner]:
                assert found[owner] == count if count >= need else found[owner] <= count


@given(lakes, columns, st.sampled_from(LIMITS), st.data())
def test_pairs_and_distances_equal_brute_force(contents: list, query: list, limit: float, data) -> None:
    with part_of(contents) as (part, _, trained):
        probe = planned(part, query, limit)
        chosen = np.array([n for n in range(len(part.arrays["values"])) if data.draw(st.booleans())], np.int64)
        expected = {pair: d for pair, d in expected_pairs(part, probe, trained).items() if pair[1] in chosen}
        found = {}
        for piece in similar.matched(part, probe, chosen):
            found |= {(int(q), int(p)): float(d) for q, p, d in zip(*piece, strict=True)}
        assert found == pytest.approx(expected, abs=1e-12)
        vectors = similar.vectors_of(probe)
        ids, done, by_kernel = part.arrays["values"][chosen], 0, {}
        while done < len(chosen):  # with room for few pairs
            size, piece = sparse.scan_compiled(
                part, ids[done:], in_numpy.inverted(vectors), limit, 1 + len(vectors.norms)
            )
            by_kernel |= {
                (int(q), int(chosen[done + p])): float(d)
                for q, p, d in zip(piece.query, piece.place, piece.distance, strict=True)
            }
            done += size
        zeros = {pair for pair in expected if vectors.norms[pair[0]] == 0}
        assert by_kernel == pytest.approx({p: d for p, d in expected.items() if p not in zeros}, abs=1e-12)


@given(st.lists(values, max_size=20))
def test_what_is_stored_of_a_block_is_the_same_from_kernels_and_numpy(texts: list[str]) -> None:
    ranks = np.random.default_rng(1).integers(0, 9, 1 << 16).astype(np.uint8)
    statistics = Statistics(np.full(1 << 16, 50, np.uint8), ranks)
    vectors = embed_compiled(Strings.of(texts), statistics)
    for left, right in zip(indexed_compiled(vectors, ranks), indexed_in_numpy(vectors, ranks), strict=True):
        assert np.array_equal(left, right)


def test_a_prefix_ends_where_the_rest_is_too_short() -> None:
    ranks = np.zeros(1 << 16, np.uint8)
    statistics = Statistics(np.full(1 << 16, 50, np.uint8), ranks)
    vectors = embed_compiled(Strings.of(["abcdefg"]), statistics)  # eight features of equal weight
    features, owners, left = in_numpy.prefixes(vectors, ranks, least_cosine(0.5))  # cosine 0.875, squared 0.766
    assert len(features) == 2 and owners.tolist() == [0, 0] and left.tolist() == [1.0, 0.875]
    assert in_numpy.prefixes(vectors, ranks, 1.0)[0].tolist() == vectors.grams[:1].tolist()
    assert len(in_numpy.prefixes(vectors, ranks, 0.0)[0]) == 8


def test_several_blocks_and_long_texts_give_the_same_counts() -> None:
    """More values than a block has, in two columns, half of them long; each query value is misspelt."""
    letters = "bcdfghjklmnpqrstvwxyz"
    words = ["".join(four) for four in islice(product(letters, repeat=4), BLOCK // 2 + 500)]
    short = [f"{word}ington {chr(98 + n % 20)}orough" for n, word in enumerate(words)]
    long = [f"{text} upon the river {word}" for text, word in zip(short, words, strict=True)]
    assert len(long[0]) > LONG
    contents = [short, long, short[::2], [f"{word} {n}" for n, word in enumerate(words)], [*short[:9], *long[:9]]]
    query = [text.replace("ington", "ingtn") for text in (*short[:300:7], *long[:300:11], *short[-40::9])]
    with part_of(contents) as (part, _, _trained):
        probe = planned(part, query, 0.68)
        vectors, equal = similar.vectors_of(probe), similar.equal_places(part, Question.of(probe))
        assert len(part.arrays["posting.starts"]) > 1 and len(part.arrays["masses"]) > 1000
        wanted = Wanted(0.68, 1, np.ones(len(part.arrays["column.starts"]) - 1, bool))
        asked = sparse.asked_of(vectors, equal, Statistics.read(part.arrays), 0.68)
        by_scan = sparse.counted(part, vectors, equal, wanted, sparse.Limits(scan=True))
        assert by_scan.max() > 20
        assert sparse.counted_compiled(part, asked, wanted)[0].tolist() == by_scan.tolist()
        pairs = in_numpy.candidates(sparse.postings_of(part), asked, least_cosine(0.68))
        texts = (part.segment.dictionary.values, part.arrays["values"])
        found = in_numpy.verified(pairs, texts, asked, Statistics.read(part.arrays), 0.68)
        everything = np.concatenate(
            [p.query << 32 | p.place for p in similar.matched(part, probe, np.arange(len(texts[1])))]
        )
        assert np.array_equal(np.sort(found.query << 32 | found.place), np.sort(everything))


def phrases(chance: random.Random, count: int) -> list[str]:
    """Phrases of words that look alike: prefixes, bitmaps and levels all have something to decide."""
    words = ["".join(chance.choices("aaeeiourtnslbdk", k=chance.randint(3, 9))) for _ in range(150)]
    common = words[:6]
    return [
        " ".join([*chance.sample(words, chance.randint(1, 4)), *chance.sample(common, chance.randint(0, 2))])
        for _ in range(count)
    ]


def changed(text: str, chance: random.Random) -> str:
    words = text.split()
    for _ in range(chance.randint(0, 3)):
        word = chance.randrange(len(words))
        place = chance.randrange(len(words[word]) + 1)
        words[word] = words[word][:place] + chance.choice("aeo") + words[word][place + chance.randint(0, 1) :]
    return " ".join(words[: chance.randint(1, len(words))] if chance.random() < 0.3 else words)


@pytest.mark.parametrize("limit", [0.3, 0.5, 0.68, 0.84])
@pytest.mark.parametrize("seed", [1, 2])
def test_similar_phrases_are_all_found(limit: float, seed: int) -> None:
    chance = random.Random(seed)
    texts = phrases(chance, 3000)
    contents = [texts[start : start + 15] for start in range(0, len(texts), 15)]
    query = [changed(text, chance) for text in chance.sample(texts, 300)]
    with part_of(contents) as (part, _, _trained):
        probe = planned(part, query, limit)
        vectors, equal = similar.vectors_of(probe), similar.equal_places(part, Question.of(probe))
        statistics = Statistics.read(part.arrays)
        asked = sparse.asked_of(vectors, equal, statistics, limit)
        pairs = in_numpy.candidates(sparse.postings_of(part), asked, least_cosine(limit))
        found = in_numpy.verified(
            pairs, (part.segment.dictionary.values, part.arrays["values"]), asked, statistics, limit
        )
        expected = np.concatenate(
            [p.query << 32 | p.place for p in similar.matched(part, probe, np.arange(len(part.arrays["values"])))]
        )
        assert len(expected) > 50
        assert np.array_equal(np.sort(found.query << 32 | found.place), np.sort(expected))
        wanted = Wanted(limit, 1, np.ones(len(part.arrays["column.starts"]) - 1, bool))
        by_scan = sparse.counted(part, vectors, equal, wanted, sparse.Limits(scan=True))
        for room in (1 << 20, 200):  # features that are kept for the next query value
            assert np.array_equal(sparse.counted_compiled(part, asked, wanted, room)[0], by_scan)


shares = st.one_of(st.floats(0.001, 1.0), st.sampled_from([0.66, 0.78, 0.9, 1.0, 0.6599999999, 0.7800000001]))


@given(shares, shares)
def test_no_level_is_left_out_that_can_hold_a_match(mine: float, theirs: float) -> None:
    """The cosine is the largest that two vectors with so much left can have."""
    cosine = float(np.sqrt(mine * theirs))
    [visited] = in_numpy.levels_with_matches(np.array([mine]), cosine)
    [level] = in_numpy.levels_of(np.array([theirs]))
    assert level < visited <= 4
