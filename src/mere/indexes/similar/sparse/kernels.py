"""The engine for sparse vectors, compiled: prefixes, counting by posting lists, scanning."""

from __future__ import annotations

import math

import numpy as np

from mere.compiled.jit import helper, kernel, lowest_bit
from mere.indexes.similar.distances import from_product
from mere.indexes.similar.records import TOLERANCE
from mere.indexes.similar.sparse.records import BLOCK, CLASSES, EDGES, FULL, LEVELS, SEVERAL
from mere.indexes.similar.spelling.features import MOST_GRAMS
from mere.indexes.similar.spelling.kernels import embed_value, new_scratch

_LIST = np.uint32(SEVERAL - 1)


@kernel
def index_block(vectors, ranks, least_cosine, block):
    """Write the prefixes, bitmaps, least counts and masses of all vectors (see `numpy`) into a `build.Block`.

    Returns how many features the prefixes have.
    """
    features, owners, levels, bitmaps, least, masses = block
    share_of_class = np.empty(CLASSES, np.int64)
    order, keys = np.empty(MOST_GRAMS, np.int64), np.empty(MOST_GRAMS, np.uint64)
    used, share = 0, least_cosine * least_cosine * (1 - 1e-9)
    for vector in range(len(vectors.norms)):
        start, size = vectors.starts[vector], vectors.starts[vector + 1] - vectors.starts[vector]
        enough, left = share * float(vectors.norms[vector]), vectors.norms[vector]
        sort_places(vectors, start, size, ranks, keys, order)
        for place in range(size):
            bitmaps[vector] |= np.uint64(1) << np.uint64(vectors.grams[start + place] & np.uint32(63))
            chosen = start + order[place]
            if float(left) >= enough:
                features[used], owners[used] = vectors.grams[chosen], np.uint32(vector)
                for edge in EDGES:
                    levels[used] += float(left) < edge * float(vectors.norms[vector])
                used += 1
            left -= square(vectors.weights[chosen])
        sort_places(vectors, start, size, ranks[:0], keys, order)
        share_of_class[:] = 0
        for place in range(start, start + size):
            share_of_class[vectors.grams[place] % CLASSES] += square(vectors.weights[place])
        for number in range(CLASSES):
            if share_of_class[number] > 0:
                part = float(share_of_class[number]) / float(vectors.norms[vector])
                masses[vector, number] = np.uint8(min(FULL, math.ceil(part * FULL)))
        mass = np.int64(0)
        for place in range(size):
            if float(mass) >= enough:
                break
            mass += square(vectors.weights[start + order[place]])
            least[vector] += 1
    return used


@helper
def sort_places(vectors, start, size, ranks, keys, order):
    """The places of a vector's features in `order`: by rank, or without ranks by weight, the largest first.

    A feature's place in the order is the number of smaller keys, as in `spelling.kernels.merge`.
    """
    for place in range(size):
        gram, weight = vectors.grams[start + place], vectors.weights[start + place]
        key = np.uint64(ranks[gram >> np.uint32(16)]) if len(ranks) else np.uint64(np.int64(0x7FFFFFFF) - weight)
        keys[place] = (key << np.uint64(16)) | np.uint64(place)  # grams ascend with their places
    for place in range(size):
        key, before = keys[place], 0
        for other in range(size):
            before += keys[other] < key
        order[before] = place


@helper(inlined=True)
def square(weight):
    return np.int64(weight) * np.int64(weight)


@kernel
def count(postings, texts, tables, asked, wanted, counts):
    """Count, for every set, the query's values that match one of its values; returns how many texts were embedded.

    `wanted` is (limit, least cosine squared, need, owned, room): a set that cannot reach `need` any more is left out;
    vectors are kept for the next query value, as long as there is room for their features.
    """
    limit, least, need, owned, room = wanted
    kept, embedded = new_vectors(len(postings.values), room), 0
    scratch, bits = new_scratch(), (np.zeros(64, np.int64), np.zeros(64, np.int64), np.empty(CLASSES, np.int64))
    seen = np.zeros(len(postings.values), np.uint32)  # the last query value (plus 1) that met the place
    matched = np.zeros(len(counts), np.uint32)  # the last query value (plus 1) that matched the set
    queries = len(asked.vectors.norms)
    for query in range(queries):
        mark, hopeless = np.uint32(query + 1), need - (queries - query)  # a count below cannot reach `need`
        if asked.equal[query] >= 0:
            add_sets(postings, asked.equal[query], mark, matched, counts)
            seen[asked.equal[query]] = mark
        size, norm = asked.vectors.starts[query + 1] - asked.vectors.starts[query], float(asked.vectors.norms[query])
        mask, enough = read_bits(asked.vectors, query, bits), least * norm
        for place in range(asked.prefix_starts[query], asked.prefix_starts[query + 1]):
            lists = np.int64(asked.prefix[place] >> np.uint32(postings.shift)) * LEVELS
            end = lists + np.int64(asked.levels[place])
            for block in range(len(postings.starts)):
                first, last = np.int64(postings.starts[block, lists]), np.int64(postings.starts[block, end])
                for entry in range(first, last):
                    candidate = block * BLOCK + np.int64(postings.places[entry])
                    if postings.least[candidate] > size or seen[candidate] == mark:
                        continue
                    seen[candidate] = mark
                    if not has_open_set(postings, candidate, (mark, hopeless), matched, counts, owned):
                        continue
                    if not may_match(mask, bits, norm - enough, enough, postings, candidate):
                        continue
                    embedded += keep_vector(postings.values[candidate], candidate, texts, tables, scratch, kept)
                    if kept_distance(asked.vectors, query, kept, candidate) <= limit + TOLERANCE:
                        add_sets(postings, candidate, mark, matched, counts)
    return embedded


@helper(allocates=True)
def new_vectors(places, room):
    """Room for vectors by place: where each starts (-1: it is not kept), its size and norm; features, weights, used."""
    starts = np.full(places, -1, np.int64)
    return starts, np.empty(places, np.uint8), np.empty(places, np.int64), np.empty(room, np.uint32), np.empty(
        room, np.int32), np.zeros(1, np.int64)  # fmt: skip


@helper
def keep_vector(value, place, texts, tables, scratch, kept):
    """Embed a value unless its vector is kept; returns 1 if it was embedded.  If the room is full, all are dropped."""
    starts, sizes, norms, features, weights, used = kept
    if starts[place] >= 0:
        return 0
    size = embed_value(texts.data, texts.offsets[value], texts.offsets[value + 1], tables, scratch)
    if used[0] + size > len(features):
        starts[:] = -1
        used[0] = 0
    norm, start = np.int64(0), used[0]
    for entry in range(size):
        features[start + entry], weights[start + entry] = scratch[2][entry], scratch[3][entry]
        norm += square(scratch[3][entry])
    starts[place], sizes[place], norms[place] = start, size, norm
    used[0] += size
    return 1


@helper(inlined=True)
def kept_distance(vectors, query, kept, place):
    """The distance of a query's vector from one that is kept."""
    starts, sizes, norms, features, weights, _ = kept
    product, mine, end = np.int64(0), vectors.starts[query], vectors.starts[query + 1]
    theirs, their_end = starts[place], starts[place] + np.int64(sizes[place])
    while mine < end and theirs < their_end:
        left, right = vectors.grams[mine], features[theirs]
        if left == right:
            product += np.int64(vectors.weights[mine]) * np.int64(weights[theirs])
        mine += left <= right
        theirs += right <= left
    return from_product(product, norms[place], vectors.norms[query])


@helper(inlined=True)
def add_sets(postings, place, mark, matched, counts):
    """Count a matched value in each of its sets, once per query value."""
    owner = postings.set_of[place]
    if owner < SEVERAL:
        if matched[owner] != mark:
            matched[owner] = mark
            counts[owner] += 1
        return
    number = np.int64(owner & _LIST)
    for entry in range(postings.list_starts[number], postings.list_starts[number + 1]):
        owner = postings.list_sets[entry]
        if matched[owner] != mark:
            matched[owner] = mark
            counts[owner] += 1


@helper(inlined=True)
def has_open_set(postings, place, query, matched, counts, owned):
    """Whether a match would count: in a set that is owned, not yet matched, and can still reach what is needed.

    `query` is its mark, and the least count with which a set can.
    """
    mark, hopeless = query
    owner = postings.set_of[place]
    if owner < SEVERAL:
        return matched[owner] != mark and owned[owner] and counts[owner] >= hopeless
    number = np.int64(owner & _LIST)
    for entry in range(postings.list_starts[number], postings.list_starts[number + 1]):
        owner = postings.list_sets[entry]
        if matched[owner] != mark and owned[owner] and counts[owner] >= hopeless:
            return True
    return False


@helper
def read_bits(vectors, query, bits):
    """The bitmap of a query's vector; `bits` gets the squared weight and the number of its features for each bit."""
    masses, numbers, mask = bits[0], bits[1], np.uint64(0)
    masses[:], numbers[:] = 0, 0
    for entry in range(vectors.starts[query], vectors.starts[query + 1]):
        bit = vectors.grams[entry] & np.uint32(63)
        masses[bit] += square(vectors.weights[entry])
        numbers[bit] += 1
        mask |= np.uint64(1) << np.uint64(bit)
    return mask


@helper(inlined=True)
def may_match(mask, bits, spare, enough, postings, place):
    """Whether the query's features that the bitmap does not exclude are enough: by weight, by number, and by class.

    `spare` is the squared weight that need not be shared, `enough` what must be.
    """
    masses, numbers, of_class = bits
    missing = mask & ~postings.bitmaps[place]
    while missing != 0:
        spare -= masses[lowest_bit(missing)]
        if spare < 0.0:
            return False
        missing &= missing - np.uint64(1)
    shared, present = 0, mask & postings.bitmaps[place]
    of_class[:] = 0
    while present != 0:
        bit = lowest_bit(present)
        shared += numbers[bit]
        of_class[bit % np.uint64(CLASSES)] += masses[bit]
        present &= present - np.uint64(1)
    if shared < postings.least[place]:
        return False
    row = place - (len(postings.values) - len(postings.masses))
    if row < 0:
        return True
    bound = 0.0
    for number in range(CLASSES):
        bound += math.sqrt(float(of_class[number]) * float(postings.masses[row, number]))
    return bound * bound >= enough * FULL


@kernel
def scan(chosen, texts, tables, inverted, limit, out):
    """Write the matching pairs of all query values with the chosen values; returns how many values were done and pairs.

    `chosen` are ids of values; `inverted` is (features ascending, starts, queries, weights, norms); `out` is (queries,
    numbers in `chosen`, distances).  Stops before a value whose matches might not fit.
    """
    features, starts, queries, query_weights, norms = inverted
    scratch, pairs = new_scratch(), 0
    products, touched = np.zeros(len(norms), np.int64), np.empty(len(norms), np.int64)
    for number in range(len(chosen)):
        if pairs + len(norms) > len(out[0]):
            return number, pairs
        value = chosen[number]
        found = embed_value(texts.data, texts.offsets[value], texts.offsets[value + 1], tables, scratch)
        norm, met = np.int64(0), 0
        for entry in range(found):
            weight = np.int64(scratch[3][entry])
            norm += weight * weight
            place = find_feature(features, scratch[2][entry])
            if place >= 0:
                for posting in range(starts[place], starts[place + 1]):
                    query = queries[posting]
                    if products[query] == 0:
                        touched[met] = query
                        met += 1
                    products[query] += weight * np.int64(query_weights[posting])
        for place in range(met):
            query = touched[place]
            distance = from_product(products[query], norm, norms[query])
            products[query] = 0
            if distance <= limit + TOLERANCE:
                out[0][pairs], out[1][pairs], out[2][pairs] = query, number, distance
                pairs += 1
    return len(chosen), pairs


@helper
def find_feature(features, feature):
    """The place of a feature in the query's, or -1."""
    low, high = 0, len(features)
    while low < high:
        middle = (low + high) // 2
        if features[middle] < feature:
            low = middle + 1
        else:
            high = middle
    return low if low < len(features) and features[low] == feature else -1
