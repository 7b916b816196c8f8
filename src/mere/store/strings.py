"""How are many strings stored in two arrays?

`offsets` (int64, one more than there are strings) and `data` (UTF-8 bytes); string i is data[offsets[i]:offsets[i+1]].
It is Arrow's large-string layout, so either side is a view of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from mere.values import string_buffers


class Strings:
    """An immutable sequence of strings over two arrays."""

    def __init__(self, offsets: np.ndarray, data: np.ndarray) -> None:
        self.offsets = offsets
        self.data = data

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        encoded = [text.encode("utf-8", "replace") for text in texts]
        lengths = np.fromiter((len(e) for e in encoded), np.int64, len(encoded))
        return cls(offsets_of(lengths), np.frombuffer(b"".join(encoded), np.uint8))

    @classmethod
    def from_arrow(cls, values: pa.Array) -> Strings:
        offsets, data = string_buffers(values)
        return cls(offsets - offsets[0], data[offsets[0] : offsets[-1]])

    @classmethod
    def mapped(cls, arrays: Mapping[str, np.ndarray], name: str) -> Strings:
        """The strings a container holds under this name."""
        return cls(arrays[f"{name}.offsets"], arrays[f"{name}.data"])

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """The two arrays, named for a container."""
        return {f"{name}.offsets": self.offsets, f"{name}.data": self.data}

    def to_arrow(self) -> pa.LargeStringArray:
        buffers = [
            pa.py_buffer(np.ascontiguousarray(self.offsets)),
            pa.py_buffer(np.ascontiguousarray(self.data)),
        ]
        return pa.LargeStringArray.from_buffers(len(self), *buffers)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> str:
        return self.bytes_at(i).decode("utf-8", "replace")

    def bytes_at(self, i: int) -> bytes:
        return self.data[self.offsets[i] : self.offsets[i + 1]].tobytes()

    def index(self, text: str, first: int, stop: int) -> int:
        """The first place of a string between two places; only strings of its length are compared.

        >>> Strings.of(["a", "bc", "de", "bc"]).index("de", 1, 4)
        2
        """
        wanted = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
        edges = self.offsets[first : stop + 1]
        alike = np.flatnonzero(edges[1:] - edges[:-1] == len(wanted))
        if len(alike) > 1:
            alike = alike[(self.data[edges[alike, None] + np.arange(len(wanted))] == wanted).all(axis=1)]
        if len(alike) == 0 or self[first + int(alike[0])] != text:
            raise ValueError(f"'{text}' is not there")
        return first + int(alike[0])

    def places(self, text: str) -> np.ndarray:
        """All places of a string.

        >>> Strings.of(["a", "bc", "de", "bc"]).places("bc").tolist()
        [1, 3]
        """
        wanted = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
        alike = np.flatnonzero(self.offsets[1:] - self.offsets[:-1] == len(wanted))
        return alike[(self.data[self.offsets[alike, None] + np.arange(len(wanted))] == wanted).all(axis=1)]

    def tolist(self) -> list[str]:
        return self.slice(0, len(self)).to_arrow().to_pylist()

    def slice(self, start: int, stop: int) -> Strings:
        edges = self.offsets[start : stop + 1]
        return Strings(edges - edges[0], self.data[edges[0] : edges[-1]])

    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def take(self, places: np.ndarray) -> Strings:
        """The strings at these places."""
        numbers = np.ascontiguousarray(places, np.int64)  # a buffer: `pa.array` of NumPy loads pandas
        wanted = pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])
        return Strings.from_arrow(self.to_arrow().take(wanted))

    @staticmethod
    def concat(pieces: list[Strings]) -> Strings:
        if not pieces:
            return Strings(np.zeros(1, np.int64), np.empty(0, np.uint8))
        lengths = np.concatenate([piece.lengths() for piece in pieces])
        return Strings(offsets_of(lengths), np.concatenate([piece.data for piece in pieces]))


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Where each of these lengths starts, and where the last ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
