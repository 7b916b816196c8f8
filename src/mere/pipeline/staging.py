"""The first half of a run: raw files become staged tables.  Cut what is large, read, merge what was cut."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from functools import reduce
from typing import Any

from mere.pipeline import packing, reading
from mere.pipeline.engine import Engine
from mere.pipeline.progress import Stages
from mere.pipeline.scan import RawFile
from mere.pipeline.settings import Settings
from mere.readers import ChunkScan, plan_spans

Outcomes = dict[tuple[str, str], dict[str, Any]]  # by source and path


class Staging:
    """Runs the reading tasks of one index run."""

    def __init__(self, lake: str, settings: Settings, engine: Engine, stages: Stages) -> None:
        self.settings, self.engine, self.stages = settings, engine, stages
        self.folder = os.path.join(lake, "staging")

    def run(self, found: list[RawFile]) -> tuple[Outcomes, list[dict[str, Any]]]:
        """What became of every file, and the tables, each whole."""
        outcomes, staged = self._read(found)
        return outcomes, self._merge(staged)

    def _read(self, found: list[RawFile]) -> tuple[dict[tuple[str, str], Any], list[dict[str, Any]]]:
        """Stage every file; outcomes by file, and the staged tables."""
        units = list(self._cut_large([self._unit(file) for file in found]))
        known = reading.receipts(self.folder)
        for unit in units:
            if receipt := known.get(reading.unit_key(unit, self.settings)):
                unit["receipt"] = receipt
        bins = packing.balanced(units, lambda unit: unit["weight"], self.engine.cores)
        payloads = [self._payload(units=group, weight=sum(unit["weight"] for unit in group)) for group in bins]
        self.stages.begin("read", len(units), sum(unit["weight"] for unit in units))
        results = self.engine.run("read", payloads, self.stages.advance)
        spans = defaultdict(list)
        for outcome in (outcome for result in results for outcome in result["outcomes"]):
            spans[outcome["source"], outcome["path"]].append(outcome)
        outcomes = {
            key: reduce(_join_spans, sorted(found, key=lambda outcome: outcome["offset"]))
            for key, found in sorted(spans.items())
        }
        return outcomes, [table for outcome in outcomes.values() for table in outcome["tables"]]

    def _payload(self, **content: Any) -> dict[str, Any]:
        return {"settings": self.settings.to_dict(), "staging": self.folder, **content}

    def _unit(self, file: RawFile) -> dict[str, Any]:
        described = [os.path.join(file.source, path) for path in file.sidecars]
        return {
            "source": file.source, "path": file.path, "full": file.full, "name": file.name, "size": file.size,
            "stamp": file.stamp, "sidecars": described, "weight": file.size, "is_sidecar": file.is_sidecar,
        }  # fmt: skip

    def _cut_large(self, units: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Cut large plain CSV files into spans; leave everything else whole."""
        chunk = self.settings.split_bytes
        large = [unit for unit in units if unit["size"] > 2 * chunk]
        yield from (unit for unit in units if unit["size"] <= 2 * chunk)
        if not large:
            return
        self.stages.begin("look at large files", len(large))
        sniffed = self.engine.run("sniff", [self._payload(full=unit["full"]) for unit in large])
        asked = [
            {"full": unit["full"], "offset": offset, "length": chunk, "dialect": seen["dialect"], "of": number}
            for number, (unit, seen) in enumerate(zip(large, sniffed, strict=True)) if seen
            for offset in range(0, unit["size"], chunk)
        ]  # fmt: skip
        scans = defaultdict(list)
        for question, answer in zip(asked, self.engine.run("quotes", asked), strict=True):
            scans[question["of"]].append(ChunkScan(**answer))
        for number, unit in enumerate(large):
            spans = plan_spans(scans[number], unit["size"], chunk) if number in scans else None
            yield from [
                {**unit, **sniffed[number], "span": span.__dict__, "weight": span.length} for span in spans or []
            ]
            if not spans:
                yield unit

    def _merge(self, staged: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Unite the tables that were staged in parts, a few columns a task."""
        cut = [table for table in staged if table["parts"]]
        payloads, owners = [], []
        for table in cut:
            width = max(table["columns"], 1)
            step = max(1, (width * packing.LARGEST_MERGE) // max(table["weight"], 1))
            for start in range(0, width, step):
                columns = [start, min(start + step, width)]
                payloads.append(
                    self._payload(
                        parts=table["parts"], facts=table["facts"], columns=columns,
                        weight=table["weight"] * (columns[1] - start) // width,
                    )
                )  # fmt: skip
                owners.append(table)
        if payloads:
            self.stages.begin("merge", len(payloads), sum(payload["weight"] for payload in payloads))
            for table in cut:
                table["weight"] = 0
            for table, result in zip(owners, self.engine.run("merge", payloads, self.stages.advance), strict=True):
                table["pieces"].append(result["piece"])
                table["weight"] += result["weight"]
        return staged


def _join_spans(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The outcomes of two spans of one file, in their order; a span that failed has no table."""
    reason = "; ".join(reason for reason in (one["reason"], other["reason"]) if reason)
    joined = {**one, "reason": reason, "lost": one["lost"] or other["lost"], "again": one["again"] or other["again"]}
    if not (one["tables"] and other["tables"]):
        return {
            **joined,
            "tables": one["tables"] or other["tables"],
            "kept": one["kept"] if one["tables"] else other["kept"],
        }
    [above], [below] = one["tables"], other["tables"]
    above["parts"] += below["parts"]
    above["weight"] += below["weight"]
    above["columns"] = max(above["columns"], below["columns"])
    above["rows"] = above["facts"]["rows"] = above["rows"] + below["rows"]
    above["facts"]["issues"] += below["facts"]["issues"]
    return {**joined, "tables": [above], "kept": f"{above['rows']:,} rows in 1 table"}
