"""Which columns does the path of a file, or the log of its table, give to all rows of the file?

Hive partitions: a folder `year=2020` gives the column `year` the value `2020` in all files below it.  Names and values
are decoded (`%20` is a space); `__HIVE_DEFAULT_PARTITION__` and the empty text are null.  Months, days and hours lose
the zero that is put before them for the order of folders: `month=01` is 1, as it is in other tables.

A JSON object that is a row of a table gets the name of its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

import pyarrow as pa

_KEY = re.compile(r"([^=/]+)=([^/]*)")
_NULL = "__HIVE_DEFAULT_PARTITION__"
_PADDED_KEYS = {"month", "mm", "day", "dd", "hour", "hh", "minute", "week", "quarter"}

Values = Mapping[str, str | None]
FILE_NAME = "file_name"  # the column of a table of JSON objects that has the name of the file of each


def hive_partition(folders: list[str]) -> tuple[list[str], dict[str, str | None]]:
    """The folders above a partitioned table, and the values of the keys below; no values if it is not partitioned.

    >>> hive_partition(["sales", "year=2020", "month=01", "city=New%20York"])
    (['sales'], {'year': '2020', 'month': '1', 'city': 'New York'})
    >>> hive_partition(["a=1", "b"])
    (['a=1', 'b'], {})
    """
    above: list[str] = []
    values: dict[str, str | None] = {}
    for folder in folders:
        key = _KEY.fullmatch(folder)
        if key:
            name = unquote(key[1]).strip()
            values[name] = _value(name, unquote(key[2]))
        elif values:  # a plain folder below a key: some other meaning of the sign
            return folders, {}
        else:
            above.append(folder)
    return above, values


def _value(name: str, text: str) -> str | None:
    if text in ("", _NULL):
        return None
    return text.lstrip("0") or "0" if text.isdecimal() and name.casefold() in _PADDED_KEYS else text


def values_of_object(values: Values, columns: Iterable[str]) -> Values:
    """What a JSON object is given: the name of its file, unless the object has such a column itself."""
    own = set(columns)
    return {name: text for name, text in values.items() if name not in own}


def with_values(batch: pa.RecordBatch, values: Values) -> pa.RecordBatch:
    """The batch with the columns of its partition as the last ones; they replace columns of the same name."""
    if not values:
        return batch
    own = [(name, batch.column(i)) for i, name in enumerate(batch.schema.names) if name not in values]
    given = [(name, pa.repeat(pa.scalar(text, pa.string()), batch.num_rows)) for name, text in values.items()]
    return pa.RecordBatch.from_arrays([c for _, c in [*own, *given]], names=[name for name, _ in [*own, *given]])


def columns_with_values(columns: Iterable[str], values: Values) -> list[str]:
    """The names of the columns that `with_values` gives."""
    return [*(name for name in columns if name not in values), *values]
