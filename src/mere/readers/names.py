"""What is the name of a column without a name, or with a name that occurs twice?"""

from __future__ import annotations

from collections.abc import Iterable

NAME_CHARACTERS = 1000  # a longer header cell is not a name


def unique_names(raw: Iterable[str | None], width: int | None = None) -> list[str]:
    """Unique, non-empty names: blanks become column_N (N from 1), repeats get _2, _3...

    `width` appends column_N for fields beyond the names given; names keep their positions.
    """
    cells = [_tidy(cell) for cell in raw]
    cells += [""] * ((width or 0) - len(cells))
    taken: set[str] = set()
    names: list[str] = []
    counts: dict[str, int] = {}
    reserved = {cell for cell in cells if cell}
    for position, cell in enumerate(cells, start=1):
        name = base = cell or f"column_{position}"
        while name in taken or (name != cell and name in reserved):
            counts[base] = counts.get(base, 1) + 1
            name = f"{base}_{counts[base]}"
        taken.add(name)
        names.append(name)
    return names


def _tidy(cell: str | None) -> str:
    return " ".join((cell or "").replace("\ufeff", "").split())[:NAME_CHARACTERS]


def quoted_name(name: str) -> str:
    """A name as SQL writes it.

    >>> quoted_name('my "best" table')
    '"my ""best"" table"'
    """
    return '"' + name.replace('"', '""') + '"'
