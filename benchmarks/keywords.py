"""Which tables does a line of keywords, or a question in plain language, find: Mere against tantivy?

    python benchmarks/keywords.py FOLDER --queries KEYWORDS.csv --questions QUESTIONS.csv [--lake LAKE]

KEYWORDS has `query_id,keywords,relevant_path`, QUESTIONS has `question_id,question,path` (the one right table).  It
measures mean reciprocal rank and nDCG@10 of the keywords, recall@10 of the questions, and the time of a question for
ten hits with their evidence, in processor time, which other processes disturb less than the clock.

tantivy is given the same texts: names, folders, headers, descriptions and the cells of columns of text and dates,
analysed by `en_stem`, and by `en_stem` with its English stop words; as one field, and as several with boosts, of which
the best are reported.  Every second query and question (`chosen on`) was used to choose Mere's weights, and is used to
choose tantivy's boosts; the others (`held out`) were not.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tantivy

import mere

Search = Callable[[str], list[str]]  # the names of the best tables
FIELDS = ("name", "folder", "headers", "about", "cells")
BOOSTS = [(3.0, 2.0, 2.0, 1.0, cells) for cells in (0.1, 0.2, 0.5, 1.0)] + [
    (name, 2.0, headers, 1.0, cells) for name, headers, cells in product((2.0, 4.0), (1.0, 3.0), (0.1, 0.3))
]
WANTED = 10


class Truth(NamedTuple):
    """Keyword lines with their relevant paths, and questions with their one path."""

    keywords: list[tuple[str, set[str]]]
    questions: list[tuple[str, str]]

    def half(self, which: int) -> Truth:
        return Truth(self.keywords[which::2], self.questions[which::2])


class Quality(NamedTuple):
    """How well a search answers."""

    reciprocal_rank: float
    ndcg: float
    recall: float

    def __str__(self) -> str:
        return f"MRR {self.reciprocal_rank:.3f}  nDCG@10 {self.ndcg:.3f}  recall@10 {self.recall:.3f}"


def quality(search: Search, truth: Truth) -> Quality:
    ranks, gains = [], []
    for text, relevant in truth.keywords:
        right = [path in relevant for path in _paths(search(text))[:WANTED]]
        ranks.append(1 / (right.index(True) + 1) if True in right else 0.0)
        ideal = sum(_gain(place) for place in range(min(WANTED, len(relevant))))
        gains.append(sum(_gain(place) for place, is_right in enumerate(right) if is_right) / ideal)
    found = [path in _paths(search(question))[:WANTED] for question, path in truth.questions]
    return Quality(*(sum(each) / max(1, len(each)) for each in (ranks, gains, found)))


def _gain(place: int) -> float:
    return 1 / math.log2(place + 2)


def _paths(tables: list[str]) -> list[str]:
    """The files of these tables, each once."""
    return list(dict.fromkeys(table.split("#")[0] for table in tables))


def times(search: Search, truth: Truth) -> list[str]:
    """Median and 99th percentile in milliseconds of all queries and questions: asked first, and asked again."""
    texts = [text for text, _ in truth.keywords] + [text for text, _ in truth.questions]
    search(texts[0])
    lines = []
    for name in ("first asked", "asked again"):
        took = []
        for text in texts:
            started = time.perf_counter(), time.process_time()
            search(text)
            took.append([(time.perf_counter() - started[0]) * 1000, (time.process_time() - started[1]) * 1000])
        clock, cpu = np.percentile(took, 99, axis=0)
        lines.append(
            f"{name}: p50 {np.median([own for _, own in took]):.1f} ms, p99 {cpu:.1f} ms (clock {clock:.1f} ms)"
        )
    return lines


def read_truth(queries: Path, questions: Path, known: set[str]) -> Truth:
    """What is right, as far as it is a table of the lake."""
    lines: dict[str, tuple[str, set[str]]] = {}
    with open(queries, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            lines.setdefault(row["query_id"], (row["keywords"], set()))[1].add(row["relevant_path"])
    with open(questions, encoding="utf-8", newline="") as file:
        asked = [(row["question"], row["path"]) for row in csv.DictReader(file)]
    kept = [(text, relevant & known) for text, relevant in lines.values()]
    return Truth([line for line in kept if line[1]], [line for line in asked if line[1] in known])


def texts_of(lake: mere.Lake) -> Iterator[tuple[str, dict[str, str]]]:
    """Every table and its texts, those that Mere indexes."""
    text, date = 1, 4  # types of columns
    for segment in lake._opened.segments:
        types = segment.catalog["column.types"]
        for table, name in enumerate(segment.names):
            columns, about = segment.columns_of(table), segment.facts(table).about
            folder, _, file = name.rpartition("/")
            cells = [
                segment.dictionary.values.take(segment.set_of(c)).tolist() for c in columns if types[c] in (text, date)
            ]
            yield (
                name,
                {
                    "name": file,
                    "folder": folder,
                    "headers": " ".join(segment.column_names[c] for c in columns),
                    "about": " ".join(_strings(about)),
                    "cells": " ".join(value for values in cells for value in values),
                },
            )


def _strings(given: Any) -> list[str]:
    if isinstance(given, dict):
        return [text for value in given.values() for text in _strings(value)]
    if isinstance(given, list):
        return [text for value in given for text in _strings(value)]
    return [given] if isinstance(given, str) else []


class Tantivy:
    """tantivy with an English analyser."""

    def __init__(self, tables: list[tuple[str, dict[str, str]]], stop_words: bool) -> None:
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("table", stored=True, tokenizer_name="raw")
        for field in (*FIELDS, "everything"):
            schema.add_text_field(field, tokenizer_name="english" if stop_words else "en_stem")
        self.folder = tempfile.TemporaryDirectory(prefix="mere-bench-")
        self.index = tantivy.Index(schema.build(), path=self.folder.name)
        self.index.register_tokenizer("english", _english())
        writer = self.index.writer(256 << 20, 1)
        for name, texts in tables:
            parted = {field: re.sub("[_/]", " ", text) for field, text in texts.items()}
            writer.add_document(tantivy.Document(table=[name], everything=[" ".join(parted.values())], **parted))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, fields: tuple[str, ...], boosts: dict[str, float], wanted: int = 3 * WANTED) -> Search:
        def find(text: str) -> list[str]:
            query = self.index.parse_query(re.sub(r"[^\w\s]", " ", text), list(fields), field_boosts=boosts)
            hits = self.searcher.search(query, wanted).hits
            return [self.searcher.doc(address)["table"][0] for _, address in hits]

        return find

    def best(self, truth: Truth) -> tuple[str, Callable[[int], Search]]:
        """The best of one field and several with boosts, by the sum of the three measures."""
        trials: list[tuple[str, tuple[str, ...], dict[str, float]]] = [("one field", ("everything",), {})]
        trials += [(f"boosts {own}", FIELDS, dict(zip(FIELDS, own, strict=True))) for own in BOOSTS]
        name, fields, boosts = max(trials, key=lambda trial: sum(quality(self.search(trial[1], trial[2]), truth)))
        return name, lambda wanted: self.search(fields, boosts, wanted)

    @property
    def bytes(self) -> int:
        return sum(entry.stat().st_size for entry in os.scandir(self.folder.name))


def _english() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(40))
    builder = builder.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.stopword("english"))
    return builder.filter(tantivy.Filter.stemmer("english")).build()


def index_bytes(lake: mere.Lake) -> int:
    return sum(segment.entry.files["keywords.idx"].bytes for segment in lake._opened.segments)


def report(name: str, search: Callable[[int], Search], truth: Truth, size: int) -> Quality:
    """Print what a search, given how many hits are wanted, is measured at."""
    print(f"\n{name}\n  index        {size / 1e6:.1f} MB")
    for line in times(search(WANTED), truth):
        print(f"  {line}")
    for part, half in (("all", truth), ("chosen on", truth.half(0)), ("held out", truth.half(1))):
        print(f"  {part:<11}  {quality(search(3 * WANTED), half)}")
    return quality(search(3 * WANTED), truth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--lake", type=Path, help="an index of the folder; made if it is not there")
    given = parser.parse_args()
    lake_path = given.lake or Path(tempfile.mkdtemp(prefix="mere-bench-")) / "lake"
    if not lake_path.exists():
        mere.index([given.folder], lake_path)
    with mere.open(lake_path) as lake:
        tables = list(texts_of(lake))
        truth = read_truth(given.queries, given.questions, {name.split("#")[0] for name, _ in tables})
        print(f"{len(tables)} tables, {len(truth.keywords)} lines of keywords, {len(truth.questions)} questions")
        rivals = []
        for stop_words in (False, True):
            rival = Tantivy(tables, stop_words)
            setting, search = rival.best(truth.half(0))
            name = f"{tantivy.__version__.split(',')[0]}, English{', stop words' if stop_words else ''}, {setting}"
            rivals.append(report(name, search, truth, rival.bytes))

        def keywords(wanted: int) -> Search:
            return lambda text: [hit.table for hit in lake.keywords(text, wanted)]

        own = report("Mere", keywords, truth, index_bytes(lake))
    best = Quality(*(max(each) for each in zip(*rivals, strict=True)))
    ratios = [mine / theirs for mine, theirs in zip(own, best, strict=True)]
    print("\nMere / the better tantivy: MRR {:.2f}, nDCG@10 {:.2f}, recall@10 {:.2f}".format(*ratios))


if __name__ == "__main__":
    main()
