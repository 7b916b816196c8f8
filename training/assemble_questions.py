"""Random questions to train the learned estimator with: tables, column sets, queries, and the true shares of rows.

Everything is drawn on the device, in batches, from the codes that `assemble_prepare.py` wrote.  Of one question:

    column sets   1 to 12, of 1 or 2 columns, mostly pairs that depend on each other
    queries       1 to 20, each with conditions on columns of 1 to 4 of the sets, in one of three styles: `wide` (from
                  the lowest to the highest of a few rows, as the paper makes them), `tight` (around a row, with a
                  share of rows between 0.01 % and 100 %), or both
    tables        4 parts of the rows: a share of 5 % to 90 % of all rows, or of the rows in a range of one column, a
                  copy of the first part, or rows that no part before it has
    truth         the share of rows that meet at least one query, of each part and of the unions 1..2, 1..3, 1..4
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

HIGHEST, CODES, ABSENT, SETS = 127, 128, 128, 4
MOST_SETS, MOST_QUERIES, PARTS = 12, 20, 4
WIDE, TIGHT, BOTH = 0, 1, 2


@dataclass(frozen=True)
class Tables:
    """The codes of all tables, padded to one shape."""

    codes: torch.Tensor  # uint8 (tables, rows, columns)
    rows: torch.Tensor
    columns: torch.Tensor
    first: torch.Tensor  # uint8 (tables, columns, 128)
    last: torch.Tensor
    ordered: torch.Tensor  # bool (tables, columns)
    strength: torch.Tensor  # (tables, columns, columns)
    distinct: torch.Tensor  # codes per column

    @classmethod
    def read(cls, path: str, device: torch.device) -> tuple[list[str], Tables]:
        with np.load(path) as file:
            names = [str(name) for name in file["names"]]
            parts = {part: [file[f"{part}_{i}"] for i in range(len(names))]
                     for part in ("codes", "first", "last", "ordered", "strength")}  # fmt: skip
        rows = max(len(codes) for codes in parts["codes"])
        columns = max(codes.shape[1] for codes in parts["codes"])
        shapes = {"codes": (rows, columns), "first": (columns, CODES), "last": (columns, CODES), "ordered": (columns,),
                  "strength": (columns, columns)}  # fmt: skip
        packed = {part: torch.from_numpy(_padded(parts[part], shape)).to(device) for part, shape in shapes.items()}
        sizes = torch.tensor([codes.shape for codes in parts["codes"]], device=device)
        distinct = torch.zeros(len(names), columns, device=device)
        for i, codes in enumerate(parts["codes"]):
            distinct[i, : codes.shape[1]] = torch.tensor([len(np.unique(column)) for column in codes.T]).to(device)
        return names, cls(rows=sizes[:, 0], columns=sizes[:, 1], distinct=distinct, **packed)


def _padded(arrays: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    padded = np.zeros((len(arrays), *shape), arrays[0].dtype)
    for i, array in enumerate(arrays):
        padded[(i, *(slice(size) for size in array.shape))] = array
    return padded


class Questions(NamedTuple):
    rows: torch.Tensor  # uint8 (batch, rows, sets, 2): the codes that embeddings are made of
    low: torch.Tensor  # uint8 (batch, queries, sets, 2): the lowest corner of each query in each column set
    high: torch.Tensor
    chosen: torch.Tensor  # (batch, queries, SETS): the column sets of a query
    has_set: torch.Tensor  # bool (batch, queries, SETS)
    has_query: torch.Tensor  # bool (batch, queries)
    parts: torch.Tensor  # (batch, PARTS, rows): which rows each part has, as shares that add up to 1
    unions: torch.Tensor  # (batch, PARTS - 1, rows)
    part_truth: torch.Tensor  # (batch, PARTS)
    union_truth: torch.Tensor  # (batch, PARTS - 1)


@dataclass(frozen=True)
class Drawing:
    """Draws batches of questions; `style` fixes the style of the queries, None draws it."""

    tables: Tables
    ids: torch.Tensor  # of the tables to draw from
    generator: torch.Generator
    rows: int = 512  # of the embeddings
    truth_rows: int = 4096  # of the true shares; they include the former
    style: int | None = None

    def draw(self, batch: int) -> Questions:
        table = self._tables(batch)
        columns, is_single, has_set = self._column_sets(table)
        chosen, uses, has_query, has_condition = self._conditions(table, columns, is_single, has_set)
        low, high = self._ranges(table, has_condition)
        flat = columns.reshape(batch, 1, -1)
        low = low.gather(2, flat.expand(-1, MOST_QUERIES, -1))
        high = high.gather(2, flat.expand(-1, MOST_QUERIES, -1))
        row = (self._uniform(batch, self.truth_rows) * self.tables.rows[table][:, None]).long()
        codes = self.tables.codes[table[:, None, None], row[:, :, None], flat]
        met = self._met(codes, low, high, has_query)
        member = self._members(codes)
        union = torch.stack([member[:, : part + 1].any(dim=1) for part in range(1, PARTS)], dim=1)
        shape = (batch, -1, MOST_SETS, 2)
        second = (slice(None), slice(None), slice(None), 1)
        absent = is_single[:, None, :]
        corners = []
        for corner in (codes[:, : self.rows], low, high):
            pairs = corner.reshape(shape).clone()
            pairs[second] = torch.where(absent, ABSENT, pairs[second])
            corners.append(pairs)
        return Questions(*corners, chosen, uses, has_query, _shares(member[:, :, : self.rows]),
                         _shares(union[:, :, : self.rows]), _truth(member, met), _truth(union, met))  # fmt: skip

    def _tables(self, batch: int) -> torch.Tensor:
        weights = (self.tables.columns[self.ids] - 2).float() ** 0.75 * self.tables.rows[self.ids].float() ** 0.25
        return self.ids[self._choice(weights.expand(batch, -1), 1)[:, 0]]

    def _column_sets(self, table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The columns of each set (batch, sets, 2), whether only the first counts, and whether there is such a set."""
        batch, most = len(table), self.tables.codes.shape[2]
        exists = torch.arange(most, device=table.device) < self.tables.columns[table][:, None]
        used = self._integers(2, 16, batch)[:, None]  # the question is about this many columns
        rank = torch.where(exists, self._uniform(batch, most), 2).argsort(dim=1).argsort(dim=1)
        pool = (exists & (rank < used)).float() + 1e-9 * exists
        one = self._choice(pool, MOST_SETS, replacement=True)
        near = self.tables.strength[table[:, None], one] + 0.03
        near = (near * pool[:, None]).scatter(2, one[:, :, None], 0) + 1e-12 * exists[:, None]
        other = self._choice(near.reshape(-1, most), 1).reshape(batch, MOST_SETS)
        distinct = self.tables.distinct[table[:, None], torch.stack([one, other])]
        swap = distinct[1] > distinct[0]
        columns = torch.stack([torch.where(swap, other, one), torch.where(swap, one, other)], dim=2)
        has_set = torch.arange(MOST_SETS, device=table.device) < self._integers(1, MOST_SETS, batch)[:, None]
        return columns, self._uniform(batch, MOST_SETS) < 0.7 * self._uniform(batch, 1), has_set

    def _conditions(self, table, columns, is_single, has_set):
        """Which sets each query uses, in ascending order, and on which columns of the table it has a condition."""
        batch, most = len(table), self.tables.codes.shape[2]
        score = torch.where(has_set[:, None], self._uniform(batch, MOST_QUERIES, MOST_SETS), -1)
        best, chosen = score.topk(SETS, dim=2)
        wanted = self._integers(1, SETS, batch, MOST_QUERIES)[:, :, None]
        uses = (best >= 0) & (torch.arange(SETS, device=table.device) < wanted)
        chosen = torch.where(uses, chosen, MOST_SETS).sort(dim=2).values
        uses, chosen = chosen < MOST_SETS, chosen.clamp(max=MOST_SETS - 1)
        wants = self._uniform(batch, MOST_QUERIES, SETS, 2) < 0.7
        single = is_single.gather(1, chosen.reshape(batch, -1)).reshape(chosen.shape)
        wants[..., 1] &= ~single
        wants[..., 0] |= ~wants[..., 1]
        wants &= uses[..., None]
        flat = columns[torch.arange(batch, device=table.device)[:, None, None], chosen]
        has_condition = torch.zeros(batch, MOST_QUERIES, most, device=table.device)
        has_condition.scatter_add_(2, flat.reshape(batch, MOST_QUERIES, -1),
                                   wants.reshape(batch, MOST_QUERIES, -1).float())  # fmt: skip
        queries = torch.where(self._uniform(batch) < 0.3, MOST_QUERIES, self._integers(1, MOST_QUERIES, batch))
        has_query = torch.arange(MOST_QUERIES, device=table.device) < queries[:, None]
        return chosen, uses, has_query, has_condition > 0

    def _ranges(self, table: torch.Tensor, has_condition: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The lowest and the highest code of each query in each column of the table."""
        batch, queries, columns = has_condition.shape
        shape = (batch, queries, columns)
        row = (self._uniform(batch, queries) * self.tables.rows[table][:, None]).long()
        clustered = self._uniform(batch, 1) < 0.25
        row = torch.where(clustered, row[:, :1], row)
        centre = self.tables.codes[table[:, None], row].float()
        centre = torch.where(centre == 0, 1 + self._uniform(*shape) * HIGHEST, centre)
        wide = self._is_wide(batch, queries)[:, :, None]
        low, high = self._around(centre, has_condition)
        count = torch.exp(self._uniform(batch, queries, 1) * np.log(256) + np.log(2))  # of the rows a wide range spans
        low = torch.where(wide, (1 - self._uniform(*shape) ** (1 / count)) * HIGHEST + 1, low)
        high = torch.where(wide, self._uniform(*shape) ** (1 / count) * HIGHEST, high)
        low, high = torch.minimum(low, high), torch.maximum(low, high)
        category = ~self.tables.ordered[table][:, None, :]
        equal = self._uniform(*shape) < torch.where(category, 0.75, 0.05)
        low, high = torch.where(equal, centre, low), torch.where(equal, centre, high)
        low, high = (code.round().clamp(1, HIGHEST).long() for code in (low, high))
        place = (table[:, None, None], torch.arange(columns, device=table.device))
        low, high = self.tables.first[*place, low], self.tables.last[*place, high]
        rare = self._uniform(*shape)  # a few IS NULL and IS NOT NULL
        low, high = torch.where(rare < 0.01, 0, low), torch.where(rare < 0.01, 0, high)
        low, high = torch.where(rare > 0.98, 1, low), torch.where(rare > 0.98, HIGHEST, high)
        return torch.where(has_condition, low, 0).byte(), torch.where(has_condition, high, HIGHEST).byte()

    def _is_wide(self, batch: int, queries: int) -> torch.Tensor:
        drawn = self._integers(WIDE, BOTH, batch)[:, None]
        style = drawn if self.style is None else torch.full_like(drawn, self.style)
        return (style == WIDE) | ((style == BOTH) & (self._uniform(batch, queries) < 0.3))

    def _around(self, centre: torch.Tensor, has_condition: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        batch, queries, _ = centre.shape
        share = 10 ** (-3.5 * self._uniform(batch, 1, 1) - 0.5 * self._uniform(batch, queries, 1))
        width = HIGHEST * share ** (1 / has_condition.sum(dim=2, keepdim=True).clamp(min=1))
        low = centre - self._uniform(*centre.shape) * width
        high = low + width
        side = self._uniform(*centre.shape)
        return torch.where(side < 0.1, 1, low), torch.where(side > 0.9, HIGHEST, high)

    def _met(self, codes, low, high, has_query) -> torch.Tensor:
        """Which rows meet at least one query (batch, rows)."""
        inside = has_query[:, None, :].expand(-1, codes.shape[1], -1).clone()
        for place in range(codes.shape[2]):
            code = codes[:, :, place, None]
            inside &= (code >= low[:, None, :, place]) & (code <= high[:, None, :, place])
        return inside.any(dim=2)

    def _members(self, codes: torch.Tensor) -> torch.Tensor:
        """Which rows are in which part (batch, PARTS, rows)."""
        batch, rows = codes.shape[:2]
        rate = torch.exp(np.log(0.05) + self._uniform(batch, PARTS, 1) * np.log(0.9 / 0.05))
        rate[:, 0] = 0.3 + 0.7 * self._uniform(batch, 1)
        column = self._integers(0, codes.shape[2] - 1, batch)
        code = codes[torch.arange(batch, device=codes.device), :, column][:, None, :].float()
        start, length = self._uniform(2, batch, PARTS, 1) * HIGHEST
        near = (code >= start) & (code <= start + length.clamp(min=16))
        kind = self._uniform(batch, PARTS, 1)
        rate = torch.where(kind < 0.4, torch.where(near, rate, 0.1 * rate), rate)
        member = self._uniform(batch, PARTS, rows) < rate
        for part in range(1, PARTS):
            before = member[:, :part].any(dim=1)
            member[:, part] = torch.where(kind[:, part] > 0.9, member[:, 0], member[:, part])
            member[:, part] &= ~(before & (kind[:, part] > 0.8) & (kind[:, part] <= 0.9))
        return member

    def _uniform(self, *shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=self.generator, device=self.generator.device)

    def _integers(self, lowest: int, highest: int, *shape: int) -> torch.Tensor:
        return torch.randint(lowest, highest + 1, shape, generator=self.generator, device=self.generator.device)

    def _choice(self, weights: torch.Tensor, count: int, replacement: bool = False) -> torch.Tensor:
        return torch.multinomial(weights, count, replacement, generator=self.generator)


def _shares(member: torch.Tensor) -> torch.Tensor:
    return member.float() / member.sum(dim=2, keepdim=True).clamp(min=1)


def _truth(member: torch.Tensor, met: torch.Tensor) -> torch.Tensor:
    return (member & met[:, None]).sum(dim=2) / member.sum(dim=2).clamp(min=1)
