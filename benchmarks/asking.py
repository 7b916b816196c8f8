"""How fast does a lake open, and how fast does it answer keyword questions?

    python benchmarks/asking.py FOLDER [--truth QUERIES.csv]

The baseline, in the same run: tantivy (BM25, in memory) over the same words of the same tables.
`--truth` names a CSV of query_id, keywords, relevant_path, and adds the quality of both rankings.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import tantivy

import mere
from measuring import percentiles, report, timed
from mere.indexes.keywords.fields import utterances
from mere.pipeline import index
from mere.segments import OpenSnapshot

QUERIES = ["airport codes", "population by country", "world cup goals", "column:year gdp", '"life expectancy"',
           "temprature station", "lego sets themes", "covid cases region", "school*", "movies -bechdel"]  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--truth", type=Path)
    options = arguments.parse_args()
    lake = Path(tempfile.mkdtemp(prefix="mere-bench-")) / "lake"
    index([options.folder], lake)
    with mere.open(lake) as opened:
        tables = len(opened.tables)
    opening = percentiles(lambda: mere.open(lake).close(), 50)
    opened = mere.open(lake)
    asking = [percentiles(lambda q=q: opened.keywords(q), 100) for q in QUERIES]
    engine = Tantivy(opened)
    baseline = [percentiles(lambda q=q: engine.search(q), 100) for q in QUERIES]
    cold = min(timed(lambda: cold_search(lake))[0] for _ in range(5))
    ask = "import sys, mere; mere.open(sys.argv[1]).keywords('gdp'); print('pyspark' in sys.modules)"
    imported = subprocess.run([sys.executable, "-c", ask, lake], capture_output=True, text=True)
    fresh = sorted(timed(lambda q=q: opened.keywords(q))[0] * 1000 for q in new_questions(opened, 300))
    mere_p50, tantivy_p50 = (sorted(p50 for p50, _ in times)[len(times) // 2] for times in (asking, baseline))
    rows = [
        ("tables", f"{tables:,}", ""),
        ("open", f"{opening[0]:.2f} ms, p99 {opening[1]:.2f} ms", "< 50 ms"),
        ("asking imports pyspark", imported.stdout.strip(), "False"),
        *[
            (f"search {q}", f"{p50:.2f} ms, p99 {p99:.2f} ms", "< 10 ms")
            for q, (p50, p99) in zip(QUERIES, asking, strict=True)
        ],
        ("300 new questions", f"{fresh[150]:.2f} ms, p99 {fresh[297]:.2f} ms", "< 10 ms"),
        ("mere search from a cold shell", f"{cold:.2f} s", "< 1 s"),
        ("tantivy, median query", f"{tantivy_p50:.2f} ms", ""),
        ("ratio: tantivy / Mere", f"{tantivy_p50 / mere_p50:.2f}", ""),
    ]
    if options.truth:
        rows += quality("Mere", options.truth, lambda q: [hit.table for hit in opened.keywords(q, k=10)])
        rows += quality("tantivy", options.truth, engine.search)
    report(f"Asking {options.folder}", rows)
    shutil.rmtree(lake.parent)


def new_questions(lake: mere.Lake, count: int) -> list[str]:
    """Two words of headers each, from tables chosen with a seed."""
    pick = random.Random(7)
    tables = pick.choices(lake.tables, k=2 * count)
    words = [pick.choice(lake.profile(table.name).columns).name.replace(":", " ").replace('"', "") for table in tables]
    pairs = zip(words[::2], words[1::2], strict=True)
    return [f"{first} {second}".replace("-", " ").strip() or "x" for first, second in pairs]


def cold_search(lake: Path) -> None:
    program = Path(sys.executable).with_name("mere")
    subprocess.run([program, "search", "airport", "codes", "--lake", lake], check=True, capture_output=True)


class Tantivy:
    """The same fields of the same tables, indexed by a library for keyword search."""

    def __init__(self, lake: mere.Lake) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("name", stored=True, tokenizer_name="raw")
        builder.add_text_field("text", tokenizer_name="en_stem")
        self.index = tantivy.Index(builder.build())
        writer = self.index.writer()
        for segment in OpenSnapshot(lake.path).segments:
            for number in range(segment.table_count):
                texts = utterances(segment.facts(number), segment.columns(number).names)
                text = " ".join(utterance.text for utterance in texts)
                writer.add_document(tantivy.Document(name=segment.names[number], text=text))
        writer.commit()
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, query: str) -> list[str]:
        plain = query.replace("column:", "").replace("*", "")
        parsed, _ = self.index.parse_query_lenient(plain, ["text"])
        return [self.searcher.doc(address)["name"][0] for _, address in self.searcher.search(parsed, 10).hits]


def quality(name: str, truth: Path, search) -> list[tuple[str, str, str]]:
    relevant, words = defaultdict(set), {}
    with open(truth, newline="") as file:
        for row in csv.DictReader(file):
            relevant[row["query_id"]].add(row["relevant_path"])
            words[row["query_id"]] = row["keywords"]
    reciprocal, successes, gain = 0.0, 0, 0.0
    for query, wanted in relevant.items():
        ranks = [i for i, table in enumerate(search(words[query])) if table.split("#")[0] in wanted]
        reciprocal += 1 / (ranks[0] + 1) if ranks else 0
        successes += bool(ranks)
        ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(wanted))))
        gain += sum(1 / math.log2(i + 2) for i in ranks) / ideal
    n = len(relevant)
    return [(f"{name}: MRR, success@10, nDCG@10", f"{reciprocal / n:.3f}, {successes / n:.3f}, {gain / n:.3f}", "")]


if __name__ == "__main__":
    main()
