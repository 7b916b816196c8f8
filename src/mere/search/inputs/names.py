"""Which columns does a user name?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

from mere.errors import UsageError


def only_column(names: list[str], on: str | None, what: str) -> str:
    """The column that was named; if none was, the only one there is."""
    if on is not None and names.count(on) > 1:
        raise UsageError(f"{what} has several columns called '{on}'", "give them different names")
    if on is None and len(names) == 1:
        return names[0]
    listed = ", ".join(map(_quoted_name, names[:20])) + (" ..." if len(names) > 20 else "")
    if on is None:
        raise UsageError(f"{what} has {len(names)} columns: on which?", f"choose from {listed}")
    if on not in names:
        folded = [name for name in names if str(name).casefold() == on.casefold()]
        if len(folded) == 1:
            return folded[0]
        raise UsageError(f"{what} has no column '{on}'", f"it has {listed}")
    return on


def _quoted_name(name: Any) -> str:
    """A name in a list of names; in quotes if it could be taken for several."""
    text = str(name)
    return f'"{text}"' if any(mark in text for mark in ',"\n') else text


def several_columns(names: list[str], wanted: Sequence[str] | None, what: str, most: int | None = None) -> list[str]:
    """The columns that were named, each once; if none were, all there are, at most so many."""
    if wanted is None and most is not None and len(names) > most:
        raise UsageError(f"{what} has {len(names)} columns: on which ones?", f"name up to {most} of them with on=")
    columns = [only_column(names, name, what) for name in (names if wanted is None else wanted)]
    if not columns:
        raise UsageError("no columns were named", f"choose from {', '.join(names[:20])}")
    if repeated := [name for name in columns if columns.count(name) > 1]:
        raise UsageError(f"column '{repeated[0]}' is named twice", "name each column of a key once")
    return columns


def split_names(text: str, names: list[str]) -> list[str]:
    """The columns in a comma-separated list; a name that contains a comma stands alone, or in quotes.

    >>> split_names("city,year", ["city", "year"]), split_names("a,b", ["a,b"]), split_names('"a,b",c', ["a,b", "c"])
    (['city', 'year'], ['a,b'], ['a,b', 'c'])
    """
    if text in names or text.casefold() in [name.casefold() for name in names]:
        return [text]
    try:
        [parts] = csv.reader([text], skipinitialspace=True)
    except (csv.Error, ValueError) as error:
        remedy = "separate names by commas; put one with a comma or a line end in double quotes"
        raise UsageError(f"cannot read column names from {text!r}", remedy) from error
    return [part.strip() for part in parts] or [text]
