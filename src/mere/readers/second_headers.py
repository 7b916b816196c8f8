"""Is a row the header of a second table that has as many columns as the first one, although both have words only?

It looks like the header above and like no row of either table: names in small letters among words that begin with
capitals, names of other lengths than codes, or years in the same columns as in the header above. Two columns at
least, and half of all, must show it. Only years, and codes with digits, are a proof: else one of the names must be a
usual word of headers or a name of the header above. If the first table has numbers where the rows of the second one are
words, the names need not look like the header above.
"""

from __future__ import annotations

from collections.abc import Sequence

from mere.readers.cell_types import YEAR, Row, cell_type
from mere.readers.header_evidence import COMMON, DIGIT, WORD, has_values

FEWEST = 2  # columns that show it
CAPITALS = 0.9  # of the cells, if a name in small letters is unlike them
FEWEST_CODES = 4  # cells of one length that are codes


def is_header_alike(header: Row, row: Row, bodies: Sequence[Sequence[Row]]) -> bool:
    """Whether `row` is a header like `header`, and unlike the rows of all `bodies`."""
    if len(row) != len(header) or list(map(_style, row)) != list(map(_style, header)):
        return False
    columns = [[_column(body, place) for body in bodies] for place in range(len(row))]
    names = [(cell or "").strip() for cell in row]
    if any(name in cells for name, parts in zip(names, columns, strict=True) for cells in parts):
        return False
    shown = sum(all(_is_unlike(name, cells) for cells in parts) for name, parts in zip(names, columns, strict=True))
    proven = any(all(map(_is_proof, [name] * len(parts), parts)) for name, parts in zip(names, columns, strict=True))
    return shown >= max(FEWEST, len(row) / 2) and (proven or _are_usual(names, header))


def is_header_of_words(block: Sequence[Row], above: Sequence[Row]) -> bool:
    """Whether the first row of `block` is unlike the others, all of them words where the rows `above` have values."""
    row, *body = block
    width = len(row)
    if any(len(other) != width or not all(cell_type(cell) == "text" for cell in other) for other in block):
        return False
    if not any(has_values(_column(above, place)) for place in range(width)):
        return False
    shown = sum(_is_unlike((cell or "").strip(), _column(body, place)) for place, cell in enumerate(row))
    return shown >= max(FEWEST, width / 2)


def _are_usual(names: Sequence[str], header: Row) -> bool:
    """Whether a name has a usual word of headers, or is in the header above."""
    known = {(cell or "").strip().lower() for cell in header}
    return any(name.lower() in known or COMMON & set(WORD.findall(name[:80].lower())) for name in names if name)


def _is_proof(name: str, cells: Sequence[str]) -> bool:
    """Whether a year is above other cells, or a word above codes with digits."""
    if _style(name) == "year":
        return _is_unlike(name, cells)
    return bool(cells) and all(map(DIGIT.search, cells)) and not DIGIT.search(name)


def _style(cell: str | None) -> str:
    """A year, a name in small letters, or another name."""
    text = (cell or "").strip()
    return "year" if YEAR.fullmatch(text) else "small" if text[:1].islower() else "other"


def _column(rows: Sequence[Row], place: int) -> list[str]:
    """The cells of a column that are not blank."""
    return [cell.strip() for row in rows if place < len(row) and (cell := row[place]) and not cell.isspace()]


def _is_unlike(name: str, cells: Sequence[str]) -> bool:
    if not cells:
        return False
    if _style(name) == "year":
        return not any(map(YEAR.fullmatch, cells))
    lengths = {len(cell) for cell in cells}
    if len(cells) >= FEWEST_CODES and len(lengths) == 1 and len(name) not in lengths:
        return True
    return name[:1].islower() and sum(cell[0].isupper() for cell in cells) >= CAPITALS * len(cells)
