"""Are columns found that join only after a transformation?

    python benchmarks/transform_lake.py FOLDER [--each N] [--seed S]

Columns of the lake are copied in another format, as people and programs do it (`WAYS`), about two thirds of their
values, and the copies are indexed with the lake.  Questions are the original columns; a copy is found if its table is
among the best ten.  Originals are columns of at least twenty values, at least half of whose values at most five other
tables have: otherwise tables with equal values take the ten places.  Seeded; nothing is tuned to a column.

Against `overlap` (equal values), `similar` (spellings, any share), and the number of words in common, counted by a
plain inverted index in memory.  Then the time of a question, by stage; hits for columns that were made up, of which
none is right; and what the index costs.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import mere
from measuring import report, timed
from mere.indexes import KINDS
from mere.pipeline import Settings, index

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
TRANSFORM = KINDS["transform"]
LEAST, MOST = 20, 20_000  # values of an original
_CODE, _NUMBER, _DATE = r"[1-9][0-9]{2,6}", r"[0-9]+(\.[0-9]+)?", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_NAME, _WORDS, _ANY = r"[^\W\d_]+ [^\W\d_]+", r"[^\W_]+( [^\W_]+)+", r".{3,60}"


class Way(NamedTuple):
    """A way to write a value differently: which values it fits, and what becomes of them."""

    fits: str
    write: Callable[[str], str]


def _day(text: str, form: str) -> str:
    year, month, day = text[:4], int(text[5:7]), int(text[8:10])
    return form.format(year=year, month=month, day=day, name=MONTHS[(month - 1) % 12])


WAYS = {
    "zeros gained": Way(_CODE, lambda v: v.zfill(8)),
    "zeros lost": Way(r"0[0-9]{2,}|[1-9][0-9]{2,}", lambda v: v.lstrip("0")),
    "day/month/year": Way(_DATE, lambda v: _day(v, "{day}/{month}/{year}")),
    "month written": Way(_DATE, lambda v: _day(v, "{day} {name} {year}")),
    "month first": Way(_DATE, lambda v: _day(v, "{name} {day:02}, {year}")),
    "date compact": Way(_DATE, lambda v: _day(v, "{year}{month:02}{day:02}")),
    "name turned": Way(_NAME, lambda v: ", ".join(v.split(" ")[::-1])),
    "initial": Way(_NAME, lambda v: f"{v[0]}. {v.split(' ')[1]}"),
    "user name": Way(_NAME, lambda v: f"{v[0]}{v.split(' ')[1]}"),
    "e-mail": Way(_NAME, lambda v: f"{v.replace(' ', '.')}@example.org"),
    "prefix": Way(_ANY, lambda v: f"SKU-{v}"),
    "address": Way(r"[\w ]{3,60}", lambda v: f"http://example.org/id/{v.replace(' ', '_')}"),
    "unit": Way(_NUMBER, lambda v: f"{v} kg"),
    "suffix": Way(_ANY, lambda v: f"{v} (2019)"),
    "upper case": Way(_WORDS, lambda v: v.upper().replace(" ", "-")),
    "no separators": Way(r"[^ -]+([ -][^ -]+)+", lambda v: re.sub("[ -]", "", v)),
    "first part": Way(r"[^-,;/]{3,}[-,;/].+", lambda v: re.split("[-,;/]", v)[0].strip()),
}


class Plant(NamedTuple):
    """A copy: where it is, the way it was made, and the column it was made from."""

    table: str
    way: str
    original: tuple[str, str]
    size: int


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--each", type=int, default=4, help="copies made in each way")
    arguments.add_argument("--seed", type=int, default=11)
    options = arguments.parse_args()
    work = Path(tempfile.mkdtemp(prefix="mere-bench-"))
    try:
        index([options.folder], work / "lake", settings=Settings())
        with mere.open(work / "lake") as lake:
            plants = list(planted(lake, work / "plants", options))
        index([options.folder, work / "plants"], work / "lake", settings=Settings())
        with mere.open(work / "lake") as lake:
            stored(lake)
            found(lake.warm(), plants)
            made_up(lake, random.Random(options.seed))
    finally:
        shutil.rmtree(work)


def planted(lake: mere.Lake, folder: Path, options: Any) -> Iterator[Plant]:
    """Copies of columns of the lake, written to a folder."""
    folder.mkdir()
    chance = random.Random(options.seed)
    columns = [column for segment in lake._opened.segments for column in columns_of(segment)]
    for number, (name, way) in enumerate(WAYS.items()):
        chance.shuffle(columns)
        made = 0
        for segment, column, original in columns:
            if made == options.each:
                break
            values = segment.dictionary.values.take(segment.set_of(column)).tolist()
            if sum(re.fullmatch(way.fits, value) is not None for value in values) < 0.9 * len(values):
                continue
            copies = {way.write(value) for value in values if re.fullmatch(way.fits, value)}
            if len(copies) < 0.8 * len(values) or copies <= set(values) or not is_rare(lake, original):
                continue
            table = f"{number:02}-{made}.csv"
            write_plant(folder / table, chance.sample(sorted(copies), max(10, 2 * len(copies) // 3)), chance)
            yield Plant(table, name, original, len(values))
            made += 1


def columns_of(segment: Any) -> Iterator[tuple[Any, int, tuple[str, str]]]:
    for table, name in enumerate(segment.names):
        for column in segment.columns_of(table):
            if LEAST <= len(segment.set_of(column)) <= MOST:
                yield segment, column, (name, segment.column_name(column))


def is_rare(lake: mere.Lake, original: tuple[str, str]) -> bool:
    return len(lake.containment(original[0], 0.5, on=original[1], numbers=True, exact=True)) <= 5


def write_plant(path: Path, values: list[str], chance: random.Random) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["entry", "reading"])
        rows.writerows([value, chance.randrange(10**6)] for value in values)


def stored(lake: mere.Lake) -> None:
    """What the kind costs a lake."""
    info, segments = lake.info(), lake._opened.segments
    cells = sum(segment.entry.cells for segment in segments) / 1e6
    builds = {
        name: timed(lambda kind=kind: [kind.build(segment, kind.train([], {}), {}) for segment in segments])[0]
        for name, kind in KINDS.items()
        if name in ("overlap", "transform")
    }
    size = info["files"]["transform.idx"]
    report(
        f"The index of {info['tables']:,} tables, {info['columns']:,} columns, {cells:.1f} million cells",
        [
            ("stored bytes per raw byte", f"{size / info['bytes']:.3f}", "<= 0.2"),
            ("per million cells", f"{builds['transform'] / cells:.2f} s, {size / cells / 1e6:.2f} MB", "<= 0.5 s"),
            ("build time: transform / overlap", f"{builds['transform'] / builds['overlap']:.2f}", ""),
        ],
    )


def found(lake: mere.Lake, plants: list[Plant]) -> None:
    """How many copies are among the best ten, and how long a question takes."""
    words = WordCounts(lake)
    systems = {
        "Mere, transform": lambda p: lake.transformable(p.original[0], 10, on=p.original[1]),
        "Mere, similar": lambda p: lake.similar(p.original[0], 0.0, 10, on=p.original[1]),
        "Mere, overlap": lambda p: lake.overlap(p.original[0], 10, on=p.original[1], numbers=True),
        "words in common": lambda p: words.best(p.original, 10),
    }
    recall: dict[str, Counter[str]] = {name: Counter() for name in systems}
    seconds: dict[str, list[float]] = defaultdict(list)
    right = Counter()
    for plant in plants:
        for name, system in systems.items():
            took, hits = timed(lambda s=system, p=plant: s(p))
            seconds[name].append(took)
            tables = [hit.table if isinstance(hit, mere.Hit) else hit for hit in hits]  # type: ignore[attr-defined]
            ranked = [table.rpartition("/")[2] for table in tables]
            recall[name][plant.way] += plant.table in ranked
            if name == "Mere, transform" and plant.table in ranked:
                right[plant.way] += hits[ranked.index(plant.table)].evidence["column_share"] >= 0.9
        seconds["candidates"].append(timed(lambda p=plant: candidates(lake, p))[0])
    made = Counter(plant.way for plant in plants)
    rows = [(way, "  ".join(f"{recall[name][way]}/{made[way]}" for name in systems), "") for way in WAYS if made[way]]
    rows += [
        (f"recall at 10: {name}", f"{recall[name].total() / len(plants):.3f}", ">= 0.9" if "transform" in name else "")
        for name in systems
    ]
    rows.append(("copies of which 90 % of the values are matched", f"{right.total() / len(plants):.3f}", ""))
    rows += [(f"time: {name}", f"{times(seconds[name])} ms", "") for name in ("candidates", *systems)]
    report(f"{len(plants)} copies ({', '.join(systems)}); time: median, 99th percentile", rows)


def times(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"{1e3 * ordered[len(ordered) // 2]:,.1f}, {1e3 * ordered[int(0.99 * len(ordered))]:,.1f}"


def candidates(lake: mere.Lake, plant: Plant) -> object:
    """The first stage only."""
    query = lake._asker.query("transform", {"values": plant.original[0], "on": plant.original[1]})
    return TRANSFORM.plan({**query, "k": 10, "per": "table"}, lake._asker.parts(TRANSFORM))


class WordCounts:
    """The baseline: for every word the columns that have it, in memory; columns are ranked by words in common."""

    def __init__(self, lake: mere.Lake) -> None:
        self.columns: list[tuple[str, str]] = []
        self.lists: dict[str, list[int]] = defaultdict(list)
        self.words: dict[tuple[str, str], set[str]] = {}
        for segment in lake._opened.segments:
            for table, name in enumerate(segment.names):
                for column in segment.columns_of(table):
                    values = segment.dictionary.values.take(segment.set_of(column)).tolist()
                    words = {word for value in values for word in re.findall(r"[^\W_]+", value)}
                    for word in words:
                        self.lists[word].append(len(self.columns))
                    self.columns.append((name, segment.column_name(column)))
                    self.words[self.columns[-1]] = words

    def best(self, original: tuple[str, str], k: int) -> list[str]:
        counts: Counter[int] = Counter()
        for word in self.words[original]:
            counts.update(self.lists[word])
        tables = dict.fromkeys(self.columns[number][0] for number, _ in counts.most_common(50 * k))
        return [table for table in tables if table != original[0]][:k]


def made_up(lake: mere.Lake, chance: random.Random) -> None:
    """Hits for columns that have nothing to do with the lake."""
    letters = "bcdfghjklmnpqrstvwxz"

    def word(size: int) -> str:
        return "".join(chance.choice(letters) for _ in range(size))

    shapes: dict[str, Callable[[], str]] = {
        "names": lambda: f"{word(5)} {word(7)}",
        "codes": lambda: f"{word(3)}-{chance.randrange(10**9, 10**10)}",
        "identifiers": lambda: str(chance.randrange(10**11, 10**12)),
        "mixed": lambda: f"{word(4)}/{chance.randrange(1, 60)}/{word(2)}",
    }
    asked, hits = 0, Counter[str]()
    for name, shape in shapes.items():
        for size in (20, 100, 500, 2_000, 5_000):
            asked += 1
            hits[name] += len(lake.transformable([shape() for _ in range(size)]))
    report(f"{asked} columns that were made up", [("hits, all of them wrong", f"{hits.total()} {dict(+hits)}", "0")])


if __name__ == "__main__":
    main()
