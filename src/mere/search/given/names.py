"""Which columns of a table are named?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

from mere.errors import UsageError


def only_column(names: list[str], on: str | None, owner: str) -> str:
    """The column that is named; if none is, the only column.  `owner` says in errors whose columns they are."""
    if on is not None and names.count(on) > 1:
        raise UsageError(f"{owner} has several columns called '{on}'", "rename one of them")
    if on is None and len(names) == 1:
        return names[0]
    listed = ", ".join(map(_quoted_name, names[:20])) + (" ..." if len(names) > 20 else "")
    if on is None:
        raise UsageError(f"{owner} has {len(names)} columns, and none is named", f"name one with on=: {listed}")
    if on not in names:
        same_letters = [name for name in names if str(name).casefold() == on.casefold()]
        if len(same_letters) == 1:
            return same_letters[0]
        raise UsageError(f"{owner} has no column '{on}'", f"it has {listed}")
    return on


def _quoted_name(name: Any) -> str:
    """A name in a list of names; in quotes if it contains what separates names."""
    text = str(name)
    return f'"{text}"' if any(mark in text for mark in ',"\n') else text


def several_columns(names: list[str], wanted: Sequence[str] | None, owner: str, most: int | None = None) -> list[str]:
    """The columns that are named, each once; if none is, all of them, if they are at most `most`."""
    if wanted is None and most is not None and len(names) > most:
        raise UsageError(f"{owner} has {len(names)} columns, and none is named", f"name up to {most} of them with on=")
    columns = [only_column(names, name, owner) for name in (names if wanted is None else wanted)]
    if not columns:
        raise UsageError("no column is named", f"choose from {', '.join(names[:20])}")
    if repeated := [name for name in columns if columns.count(name) > 1]:
        raise UsageError(f"column '{repeated[0]}' is named twice", "name each column of a key once")
    return columns


def split_names(text: str, names: list[str]) -> list[str]:
    """The columns in a comma-separated list; a name with a comma is given alone, or in double quotes.

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
