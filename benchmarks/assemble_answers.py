"""What does Mere answer to a workload?  The calls that the benchmarks of bundles share."""

from __future__ import annotations

from collections.abc import Sequence

from assemble_workloads import Workload
from mere.bundles.answer import assemble
from mere.bundles.filters import parse_filters
from mere.bundles.outcome import Assembly
from mere.bundles.problem import Offer, Problem
from mere.bundles.relation import Relation
from mere.bundles.sample import DEFAULT_SIZE, Sample, sample_of
from mere.bundles.stored import smaller


def problem_of(workload: Workload, size: int = DEFAULT_SIZE, samples: Sequence[Sample] | None = None) -> Problem:
    """The question; `samples` of the candidates if they were made beforehand."""
    schema = workload.source.relation.schema
    base, *relations = workload.relations
    offers = [_offer(relation, price) for relation, price in zip(relations, workload.prices.tolist(), strict=True)]
    if samples is not None:
        offers = [
            Offer(
                offer.name, offer.price, offer.rows, offer.relation, lambda size, sample=sample: smaller(sample, size)
            )
            for offer, sample in zip(offers, samples, strict=True)
        ]
    return Problem(schema, base, tuple(offers), parse_filters(workload.texts, schema), workload.budget, size)


def _offer(relation: Relation, price: float) -> Offer:
    return Offer(relation.name, price, relation.rows, lambda: relation)


def samples_of(workload: Workload, size: int) -> list[Sample]:
    """The samples of the candidates, as they are stored."""
    return [sample_of(relation, size) for relation in workload.relations[1:]]


def chosen_by_mere(workload: Workload, method: str, size: int = DEFAULT_SIZE) -> list[int]:
    return chosen_of(assemble(problem_of(workload, size), method))


def chosen_of(answer: Assembly) -> list[int]:
    """The chosen tables as numbers of candidates."""
    return [int(chosen.table[1:]) for chosen in answer.chosen]
