"""Which values have a sparse vector close to the query's?  The default engine for spellings: exact, without stored vectors.

Two sparse vectors are close only if they share features.  Take all features in one order, rare ones first; of a vector,
the first ones whose removal leaves less than the cosine of the distance are its **prefix**.  If the first feature that
two vectors share is not in both prefixes, they are too far apart: what is left of one of them is too short.  (The
prefix filter of Chaudhuri, Ganti, Kaushik, ICDE 2006, for weights as in Bayardo, Ma, Srikant, WWW 2007.)

    prefix        posting lists from features to the values that have them in their prefix, for distances up to `REACH`
    bitmap        64 bits per value, one set for each feature: the query's features that are surely not in a value cannot
                  contribute, which refuses nearly all false candidates before their text is read
    verification  the text of a candidate is embedded again, and the distance computed from whole numbers

A vector need not be stored, because a value's text determines it.  Questions beyond `REACH` scan: all values are
embedded and multiplied with the query's by an inverted index of the query.

    build     arrays of a segment       search    count matches per set, find pairs
    kernels   the same, compiled        numpy     the same without kernels

Why not the contractive map that serves dense vectors: at the distances that misspellings have (0.68 and more), neither
principal components nor pivots refuse enough; `benchmarks/similar.py` measures both.

Cost: 2 bytes per feature in a prefix (about 8 per value), 8 for the bitmap, 4 to 8 for the sets of a value.
"""
