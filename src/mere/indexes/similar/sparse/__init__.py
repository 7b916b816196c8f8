"""Which values have a sparse vector close to the query's?  The engine for spellings: exact, no stored vectors.

Two sparse vectors are close only if they share features.  Take all features in one order, rare ones first; of a vector,
the first ones whose removal leaves less than the cosine of the distance are its **prefix**.  If the first feature that
two vectors share is not in both prefixes, they are too far apart: what is left of one of them is too short.  (The
prefix filter of Chaudhuri, Ganti, Kaushik, ICDE 2006, for weights as in Bayardo, Ma, Srikant, WWW 2007.)

    prefix        posting lists from features to the values that have them in their prefix, for distances up to `REACH`
    levels        the lists of a feature are divided by how much of a vector is left from it on: if it is the first that
                  two vectors share, they share no more than what is left of both
    bitmap        64 bits per value, one set for each feature: what is surely not shared cannot contribute.  With the
                  least number of features to share, and for long texts the weights in each class of
                  features, nearly all false candidates are refused before their text is read
    verification  the text of a candidate is embedded again, and the distance computed from whole numbers

A vector need not be stored, because a value's text determines it.  Questions beyond `REACH` scan: all values are
embedded and multiplied with the query's by an inverted index of the query.

    build     arrays of a segment       search    count matches per set, find pairs
    kernels   the same, compiled        numpy     the same without kernels

Why not the contractive map that serves dense vectors: at the distances that misspellings have (0.68 and more), neither
principal axes nor pivots refuse enough; `benchmarks/similar.py` measures pivots.

Cost: about 43 bytes per value: 16 in posting lists (2 for each feature of a prefix), 9 for the bitmap and the least
count, 16 more for long texts, the rest for its id and sets.
"""
