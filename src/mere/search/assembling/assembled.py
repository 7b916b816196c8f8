"""`mere.assemble`: which tables add the most rows to mine for a budget?

`mere.assemble` counts and chooses.  Here the base, the candidates and their prices are read and checked, and the answer
becomes a `Bundle`.  Every candidate is in the answer: chosen, or rejected with the reason.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from mere.bundles.answer import CountSignatures, assemble
from mere.bundles.filters import parse_filters
from mere.bundles.outcome import Assembly, Rejected
from mere.bundles.problem import Offer, Problem
from mere.bundles.sample import Sample
from mere.bundles.schema import Schema
from mere.bundles.stored import stored_sample
from mere.errors import ProfileOnly, UsageError
from mere.search.assembling.bundle import Bundle, Parts, highest_cost, price_text
from mere.search.assembling.candidates import Candidates, Refusal, named_candidates
from mere.search.assembling.columns import compared_columns, numbering_note
from mere.search.assembling.covering import lake_candidates
from mere.search.assembling.inputs import Member, Table, check_names, member_of, read_table
from mere.search.assembling.licences import keep_licences
from mere.search.assembling.prices import Prices, prices_of
from mere.search.assembling.readings import read_alike
from mere.search.assembling.request import Request
from mere.search.rules import notes_on
from mere.segments import OpenSnapshot
from mere.values import Type

Counter = Callable[[Parts], CountSignatures | None]  # what counts the rows of these tables; None: this process


def assembled(
    request: Request, opened: OpenSnapshot | None, counter: Counter = lambda parts: None, own: bool = False
) -> Bundle:  # fmt: skip
    """The best bundle for a request; `counter` says where rows are counted, if not in this process.

    `own`: the snapshot was opened for this bundle, which closes it.
    """
    started = time.perf_counter()
    request.check()
    request = request.without_repeated_sentences()
    request.say("reading the base")
    base = read_base(request, opened)
    names = compared_columns(base, request.exclude)
    schema = Schema(tuple(names), (Type.EMPTY,) * len(names))
    member = member_of(base, schema)
    found = _candidates(request, opened, schema, member)
    schema, (member, *found.members), reading_notes, found.alike = read_alike(schema, [member, *found.members])
    found.notes += reading_notes
    filters = parse_filters(request.queries or (), schema, [name for name in base.columns if name not in names])
    sizes = [(each.table.name, each.table.rows) for each in found.members]
    prices = prices_of(request.prices, [*sizes, *((each.name, each.rows) for each in found.refused)],
                       request.default_price)  # fmt: skip
    found = _with_price(found, prices)
    parts = Parts(schema, filters, _named_apart(member, found.names()), {m.table.name: m for m in found.members})
    problem = _problem(request, parts, prices)
    notes = [*base.notes, *found.notes, *prices.notes, *filters.notes, *_notes(request, problem)]
    notes += notes_on(opened.snapshot) if opened else []
    reading = time.perf_counter() - started
    assembly = assemble(problem, request.method, request.progress, counter(parts))
    notes += _nothing_meets(assembly) if filters.queries else []
    notes += [f"'{each.table}' is a sheet that its workbook hides"
              for each in assembly.chosen if parts.candidates[each.table].table.hidden]  # fmt: skip
    return Bundle(_complete(assembly, found, prices, notes, reading), parts, request.budget, opened if own else None)


def read_base(request: Request, opened: OpenSnapshot | None) -> Table:
    """The base table; its rows must be there."""
    base = read_table(request.base, opened, "base")
    check_names(base)
    if base.stored is not None and base.stored.profile_only:
        source = base.stored.segment.facts(base.stored.number).published.get("source")
        raise ProfileOnly(base.name, source or "its profile does not name the owner")
    return base


def _candidates(request: Request, opened: OpenSnapshot | None, schema: Schema, base: Member) -> Candidates:
    if request.candidates is not None:
        found = named_candidates(request.candidates, opened, schema, request.say)
    elif opened is not None:
        request.say("searching the lake for tables with the columns of the base")
        found = lake_candidates(opened, schema, base)
    else:
        raise UsageError("there are no candidates and no lake", "name tables with candidates=, or a lake with lake=")
    return keep_licences(found, request.licences)


def _named_apart(base: Member, names: Sequence[str]) -> Member:
    """The base under a name that no candidate has, so that fetched rows tell them apart."""
    name = base.table.name
    while name in names:
        name += " (mine)"
    return replace(base, table=base.table.called(name))


def _with_price(found: Candidates, prices: Prices) -> Candidates:
    """The candidates that have a price; the others are rejected."""
    reason = "no price is known; default_price= gives one to such tables"
    without = [each.table for each in found.members if prices.by_table[each.table.name] is None]
    refused = [Refusal(table.name, "no price", reason, table.rows) for table in without]
    members = [each for each in found.members if prices.by_table[each.table.name] is not None]
    return replace(found, members=members, refused=[*found.refused, *refused])


def _problem(request: Request, parts: Parts, prices: Prices) -> Problem:
    offers = tuple(_offer(member, parts.schema, prices) for member in parts.candidates.values())
    budget = math.inf if request.budget is None else float(request.budget)
    cheapest = min(offers, key=lambda offer: offer.price, default=None)
    if cheapest is not None and highest_cost(budget) < cheapest.price:
        fault = f"no candidate costs budget={price_text(budget)} or less"
        remedy = f"the cheapest, '{cheapest.name}', costs {price_text(cheapest.price)}; raise budget="
        raise UsageError(fault, remedy)
    base = parts.base.relation(parts.schema)
    return Problem(parts.schema, base, offers, parts.filters, budget, request.sample_size)


def _offer(member: Member, schema: Schema, prices: Prices) -> Offer:
    table = member.table
    price = prices.by_table[table.name]
    assert price is not None

    def stored(size: int | None) -> Sample | None:
        return None if table.stored is None else stored_sample(*table.stored, schema, size)

    return Offer(table.name, price, table.rows, lambda: member.relation(schema), stored)


def _notes(request: Request, problem: Problem) -> list[str]:
    notes = numbering_note(problem.base)
    if not problem.base.rows:
        notes.append("the base has no rows: all rows of the candidates are new")
    if request.prices is None and request.default_price is None and request.budget is not None:
        notes.append("no prices were given: each table costs 1, so the budget is a number of tables")
    return notes


def _nothing_meets(assembly: Assembly) -> list[str]:
    nothing = not assembly.chosen and not assembly.base and all(each.code == "no rows" for each in assembly.rejected)
    return ["no row of the base or of a candidate meets the queries"] if nothing else []


def _complete(
    assembly: Assembly, found: Candidates, prices: Prices, notes: Sequence[str], reading: float
) -> Assembly:  # fmt: skip
    """The answer with the candidates that could not be chosen, and with what was noticed before."""
    refused = [Rejected(each.name, prices.by_table[each.name], None, each.reason, each.code)
               for each in found.refused]  # fmt: skip
    if not found.alike:
        assembly = replace(assembly, exact=False, base_exact=False, interval=None)
    return replace(
        assembly,
        rejected=(*assembly.rejected, *refused),
        notes=tuple(dict.fromkeys((*notes, *assembly.notes))),
        seconds={"reading": reading, **assembly.seconds},
    )
