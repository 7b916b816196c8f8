"""`mere join --with TABLE`: the joined rows, shown or written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from rich.text import Text

from mere.answers.shown import percent
from mere.cli.joins import asks_a_kind, columns_to_join, joining_flags_of, joining_kind
from mere.cli.outputs import warnings_as_notes
from mere.cli.progress import show_sentences, show_waiting
from mere.cli.proposing import check_column_named, listed, loose_remedy
from mere.cli.render import changed_cells, clean, console, counted, show_notes, show_rows
from mere.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from mere.answers import Hit
    from mere.indexes import Kind
    from mere.lake import Lake
    from mere.search.exporting import Written
    from mere.search.join_plan import JoinPlan

_ROWS = 10  # of a joined table, in a terminal
_ASK_FROM = 10_000_000  # rows
_WIDEST = {"numbers": True, "share": 0.0, "threshold": 1e-9}  # parameters with which any column of the table will do


class Preview(NamedTuple):
    """The first rows of a join, and how many of their columns are mine."""

    rows: pa.Table
    own_columns: int

    def ranks(self, on: Sequence[str]) -> list[int]:
        """Which columns a narrow terminal shows: my keys, then mine and those of the table in turn."""
        names = self.rows.column_names
        mine = [0 if name in on else 2 * place + 1 for place, name in enumerate(names[: self.own_columns])]
        return [*mine, *(2 * place + 2 for place in range(len(names) - self.own_columns))]


def join_with(lake: Lake, file: str, given: dict[str, Any]) -> tuple[dict[str, Any], Preview | None]:
    """The document of the join, and its first rows, unless all of them are written to a file."""
    from mere.search.exporting import Written, check_target

    if given["k"] is not None:
        raise UsageError(f"k={given['k']!r} goes with a search", "leave it out with --with")
    how, output = given["how"] or "left", given["output"]
    if output is not None:
        check_target(output, file)
    elif flag := next((flag for flag in ("raw", "buffer", "yes") if given[flag]), None):
        raise UsageError(f"--{flag} goes with -o", "name a file for the rows: -o FILE")
    warned: list[str] = []
    with warnings_as_notes(warned):
        with show_waiting():
            hit, plan, notes = _planned(lake, file, how, given)
            preview = None if output is not None else Preview(plan.table(raw=True, limit=_ROWS), plan.own_columns)
        written = Written(plan.rows) if output is None else _write(plan, output, given)
    notes += warned
    if hit.evidence.get("shared") == 0:
        notes.append("none of my keys occurs in these columns")
    document = {
        "table": hit.table, "columns": list(hit.columns), "how": how, "rows": plan.rows, "output": output,
        "neutralised": written.neutralised, "evidence": hit.evidence,
        "notes": list(dict.fromkeys([*notes, *written.notes])),
    }  # fmt: skip
    return document, preview


def _planned(lake: Lake, file: str, how: str, given: dict[str, Any]) -> tuple[Hit, JoinPlan, list[str]]:
    """What is joined with, the join before it is made, and notes."""
    if given["on"] is None and not asks_a_kind(given) and len(lake.columns(file)) > 1:
        hit, notes = _best_join(lake, file, given)
        return hit, lake.plan_join(file, hit, how), notes
    columns, notes = columns_to_join(lake, file, given["on"])[0]
    if columns is None:
        check_column_named(lake, file, joining_kind(given, 1), given["with_table"])
    kind, flags = joining_kind(given, len(columns or [""])), joining_flags_of(given)
    explicit = {**{name: given[name] for name in _WIDEST if given.get(name) is not None}, **flags}
    hit, search_notes = _partner(lake, file, columns, Partner(given["with_table"], given["column"], kind, explicit))
    return hit, lake.plan_join(file, hit, how, on=columns), [*notes, *search_notes]


def _best_join(lake: Lake, file: str, given: dict[str, Any]) -> tuple[Hit, list[str]]:
    """The join with a table that a person most likely wants, on whichever columns of mine; and a note on them."""
    from mere.search.joinable import score_cell

    table, column = given["with_table"], given["column"]
    wanted = None if column is None else tuple(_named_columns(lake, table, column))
    hits = lake.joinable(file, None, 0, per="column", table=table, keep_words=given["keep_words"])
    chosen = next((hit for hit in hits if wanted is None or hit.columns == wanted), None)
    if chosen is None:
        other = f"'{table}'" if wanted is None else f"{listed(wanted)} of '{table}'"
        raise UsageError(f"no column of '{file}' joins with {other}", "leave out --with to search for tables that join")
    mine, theirs = listed(chosen.evidence["on"]), listed(chosen.columns)
    why = "; ".join(chosen.evidence["reasons"][:3])
    return chosen, [f"joined on {mine} = {theirs} (score {score_cell(chosen)}): {why}", *hits.notes]


def _write(plan: JoinPlan, output: str, given: dict[str, Any]) -> Written:
    """Say how many rows there will be, ask if they are many, and write them."""
    from mere.search.writing import MEMORY

    print(f"this join makes {counted(plan.rows, 'row')}", file=sys.stderr)
    if plan.rows > _ASK_FROM and not given["yes"]:
        _ask(plan.rows)
    options = {"raw": given["raw"], "memory": given["buffer"] or MEMORY, "formulas": given["formulas"]}
    with show_sentences() as say:
        return plan.write(output, progress=_sentences(say), **options)


def _ask(rows: int) -> None:
    fewer = "--how inner, or a column whose values repeat less often, makes fewer"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"this join makes {rows:,} rows, more than {_ASK_FROM:,}", f"--yes writes them; {fewer}")
    if not click.confirm("write them?", err=True):
        raise UsageError("nothing was written", fewer)


def _sentences(say: Callable[[str], None] | None) -> Callable[[int, int], None] | None:
    return None if say is None else lambda written, rows: say(f"{written:,} of {counted(rows, 'row')} written")


class Partner(NamedTuple):
    """What to join with: a table, its columns if they are named, and the kind of question that says what matches."""

    table: str
    columns: str | None
    kind: Kind
    flags: dict[str, Any]


def _partner(lake: Lake, file: str, columns: list[str] | None, partner: Partner) -> tuple[Hit, list[str]]:
    """The columns of a table to join with: those that are named, or those that share most with mine."""
    table, kind, flags = partner.table, partner.kind, partner.flags
    wanted = None if partner.columns is None else _named_columns(lake, table, partner.columns)
    size = len(columns or [""])
    if wanted is not None and len(wanted) != size:
        raise UsageError(
            f"--on and --column have different numbers of columns: {size} and {len(wanted)}",
            "name as many of each, in the same order",
        )
    widest = {parameter.name: _WIDEST[parameter.name] for parameter in kind.parameters if parameter.name in _WIDEST}
    if kind.joins == "several columns":
        if wanted is not None:
            explained = lake.explain(kind.name, file, (table, wanted), on=columns, **flags)
            return explained[0], explained.notes
        hits = lake.ask(kind.name, file, 1, on=columns, table=table, **{**widest, **flags})
        chosen = list(hits)
    else:
        on = columns[0] if columns else None
        hits = lake.ask(kind.name, file, 0, per="column", on=on, table=table, **{**widest, **flags})
        chosen = [hit for hit in hits if wanted is None or hit.columns == tuple(wanted)]
    if not chosen:
        missing = f"no value of column '{partner.columns}'" if wanted else "no key" if size > 1 else "no column"
        if "distance" in {parameter.name for parameter in kind.parameters}:
            raise UsageError(f"{missing} of '{table}' matches mine as asked", "--distance loose matches more")
        if "candidates" in {parameter.name for parameter in kind.parameters}:
            raise UsageError(
                f"{missing} of '{table}' joins with mine after a transformation",
                "--many-to-many also joins where neither side is a key; --by similar compares spellings",
            )
        remedy = loose_remedy(lake, file, columns, table, wanted) if size == 1 else ""
        raise UsageError(
            f"{missing} of '{table}' is shared with mine", remedy or "leave out --with to search for tables that join"
        )
    return chosen[0], hits.notes


def _named_columns(lake: Lake, table: str, names: str) -> list[str]:
    """The named columns of the other table."""
    from mere.search.given import several_columns, split_names

    known = [column.name for column in lake.profile(table).columns]
    return several_columns(known, split_names(names, known), f"table '{table}'")


def show_joined(document: dict[str, Any], preview: Preview | None) -> None:
    show_notes(document["notes"])
    out, evidence = console(), document["evidence"]
    matching = f"{counted(evidence['shared'], 'value')} matched ({percent(evidence['share'])} of mine)"
    if len(document["columns"]) > 1:
        matching = matching.replace("value", "key", 1)
    out.print(
        Text(
            f"{document['how']} join with {clean(document['table'])} on {clean(', '.join(document['columns']))}: "
            f"{matching}, {evidence['fan_out']['shape']}, {counted(document['rows'], 'row')}"
        )
    )
    for program in evidence.get("programs", ()):
        out.print(Text(f"  {clean(program['key_text'])} = {clean(program['text'])}"))
    if preview is None:
        out.print(Text(f"written to {clean(document['output'])}"))
        for line in changed_cells(document["neutralised"]):
            out.print(Text(line))
        return
    show_rows(preview.rows, "-o FILE or a wider terminal shows", preview.ranks(evidence.get("on", ())))
    if document["rows"] > _ROWS:
        out.print(Text(f"... and {counted(document['rows'] - _ROWS, 'more row')}: -o FILE writes all rows"))
