"""Does the name of a column say that its numbers are degrees?

Latitudes and longitudes are less than 1000 and have decimals, whatever their table has: programs write them with a
point into files in which people write decimal commas.  So `48.137` and `48,137` below such a name are the same number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

_DEGREES = {
    "lat", "lon", "lng", "latitude", "longitude", "latitud", "longitud", "latitudine", "longitudine", "breitengrad",
    "längengrad", "laengengrad",
}  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile("([a-zß-öø-ÿ])([A-ZÀ-ÖØ-Þ])")  # where a word ends in stopLat


def have_degrees(names: Sequence[str]) -> np.ndarray:
    """Which columns have degrees, according to a word of their names.

    >>> have_degrees(["lat", "stop_lon", "Latitude (WGS84)", "stopLat", "flat", "long"]).tolist()
    [True, True, True, True, False, False]
    """
    words = [_WORDS.findall(_CAMEL.sub(r"\1 \2", name).casefold()) for name in names]
    return np.array([not _DEGREES.isdisjoint(each) for each in words], bool)
