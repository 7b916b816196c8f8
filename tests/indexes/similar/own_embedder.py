"""An embedder of a user: the letters of a text, in a few dimensions."""

from __future__ import annotations

import numpy as np


def embed(texts: list[str]) -> np.ndarray:
    """How often each of some letters occurs; zeros for a text without any of them."""
    return np.array([[text.count(letter) for letter in "aeinrst"] for text in texts], np.float32).reshape(-1, 7)


embed.version = "1"
embed.distances = (0.05, 0.2, 0.4)
