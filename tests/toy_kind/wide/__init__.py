"""Which tables have at least so many columns, the widest first?  A kind outside the package, made for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mere.answers import Field, Found, Hit, Shown
from mere.compiled import Trial
from mere.indexes.declare import Parameter, Setting
from mere.indexes.inputs import Inputs
from mere.indexes.kind import Arrays, Kind, Part, Probe, Query
from mere.segments import Segment, Table
from tests.toy_kind.wide.brute import brute
from tests.toy_kind.wide.build import arrays_of, trained_on
from tests.toy_kind.wide.search import found_in, tables_of, warm

__all__ = ["Wide", "brute"]


class Wide(Kind):
    """The tables with at least so many columns."""

    name = "wide"
    version = 1
    settings = (Setting("wide_unit", 1, "columns that count as one", least=1, flag="--wide-unit"),)
    parameters = (Parameter("columns", "the least number of columns", default=1, type=int),)
    fields = (Field("width", "int64", "columns of the table"),)
    shown = (
        Shown("width", lambda hit: str(hit.evidence["width"]), right=True),
        Shown("table", lambda hit: hit.table),
        Shown("never", lambda hit: ""),
    )

    def train(self, sample: Sequence[Table], settings: Mapping[str, Any]) -> Arrays:
        return trained_on(sample)

    def build(self, segment: Segment, trained: Arrays, settings: Mapping[str, Any]) -> Arrays:
        return arrays_of(segment, trained, settings)

    def question(self, given: Mapping[str, Any], inputs: Inputs) -> Query:
        return dict(given)

    def plan(self, query: Query, parts: Sequence[Part]) -> Probe:
        return {"columns": query["columns"], "notes": ["counted in columns"]}

    def search(self, part: Part, probe: Probe, bound: float = 0.0) -> Found:
        return found_in(part, probe, bound)

    def tables(self, part: Part, probe: Probe) -> Any:
        return tables_of(part, probe)

    def explain(self, part: Part, probe: Probe, hits: list[Hit]) -> list[Hit]:
        return [Hit(hit.table, hit.columns, hit.score, hit.exact, {"width": int(hit.score)}) for hit in hits]

    def warm(self, parts: Sequence[Part]) -> Sequence[Trial]:
        return warm(parts)
