"""Embedder `wordllama`: the mean of static vectors of parts of words (256 dimensions), made from a language model.

The files are those of the package wordllama (D. L. Miller); its own loader is not used, since it may ask the network.
A word that it does not know is split into parts that it knows, down to single bytes.

Calibrated on 25 labelled sets (benchmarks/similar_quality.py).
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from mere.indexes.similar.embedders.abbreviations import expanded
from mere.indexes.similar.embedders.embedder import Distances, Embedder
from mere.indexes.similar.embedders.means import MOST_TOKENS, batches, mean_vectors
from mere.indexes.similar.embedders.packages import Model, missing, model_file, model_version

MODEL = Model("wordllama", "wordllama", "wordllama", "semantic")
DIMENSIONS = 256
DISTANCES = Distances(strict=0.1, normal=0.2, loose=0.28)  # precision 0.91, 0.88, 0.80
_RECIPE = 1  # raised when the vectors of texts change


def embedder() -> Embedder:
    version = model_version(MODEL, _RECIPE)
    _loaded()
    return Embedder(MODEL.embedder, version, DIMENSIONS, DISTANCES, embed, f"{MODEL.embedder} {version}")


def embed(texts: list[str]) -> np.ndarray:
    tokenizer, vectors = _loaded()
    means = [np.zeros((0, DIMENSIONS), np.float32)]
    for batch in batches(texts):
        encoded = tokenizer.encode_batch([expanded(text) for text in batch], add_special_tokens=False)
        ids = [tokens.ids[:MOST_TOKENS] for tokens in encoded]
        means.append(mean_vectors(vectors[np.array(list(chain(*ids)), np.int64)], [len(of) for of in ids]))
    return np.concatenate(means)


@cache
def _loaded() -> tuple[Any, np.ndarray]:
    """The tokenizer, and a float32 vector for each of its tokens."""
    tokens = model_file(MODEL, "tokenizers/l2_supercat_tokenizer_config.json")
    weights = model_file(MODEL, "weights/l2_supercat_256.safetensors")
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise missing(MODEL, str(error.name)) from error
    tokenizer = Tokenizer.from_file(str(tokens))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, load_file(str(weights))["embedding.weight"].astype(np.float32)
