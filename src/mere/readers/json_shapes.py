"""Which tables does a JSON document contain?

    [{...}, {...}]                         one record per object
    [[...], [...]]                         rows, the first may be a header
    [1, 2, 3]                              one column, `value`
    {"a": [...], "b": [...]}               columns, if all lists of scalars have one length
    {"columns": [...], "data": [[...]]}    rows under a key, names next to them (pandas "split", Socrata, CKAN);
                                           records and rows under other keys are further tables
    [{"page": 1}, [{...}, {...}]]          records below what is about their page (World Bank)
    {"AF": {...}, "AL": {...}}             a dict of records; its key becomes the column `key`
    {"AF": "Afghanistan", ...}             a mapping of ten or more scalars of one type: `key`, `value`
    {"type": "FeatureCollection", ...}     GeoJSON: properties, `geometry.type` and the geometry as text
    {"result": {"codes": {"AF": {...}}}}   rows, columns and dicts of records under a key, at most four levels down:
                                           one table per key
    {"id": 1, "address": {...}}            any other object: one row

Lists of records, also those under a key, are found by `nested_plan` in the records that this module gives. A document
without a scalar, such as a topology without properties, has no records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mere.errors import Unreadable

DEPTH = 4  # levels that are searched for records
MAPPING = 10
ROWS = ("data", "rows", "records", "values")
NAMES = ("columns", "fields", "header", "headers", "cols", "columnNames", "column_names", "names")
ABOUT = ("meta", "schema")  # describe the rows beside them
LABELS = ("name", "id", "label", "title")  # of an object that stands for a column

Records = tuple[str, list[Any]]  # member name, records: dicts, or lists for rows


def find_tables(document: Any, name: str, of_part: bool = False) -> list[Records]:
    """Every table of the document: (member, records), or `Unreadable` with the reason.

    In a part of a table lists stay text, but a document that is nothing but one list of records is that list.
    """
    if of_part and isinstance(document, dict) and len(document) == 1 and any(map(_is_records, document.values())):
        tables = list(document.items())
    elif isinstance(document, list):
        tables = _paged(document) or ([("", document)] if document else [])
    elif isinstance(document, dict):
        tables = _of_object(document)
    else:
        tables = []
    if not tables:
        raise Unreadable(f"{name}: {_reason(document)}", "convert it to a list of records")
    return tables


def _paged(document: list[Any]) -> list[Records]:
    """The records of an answer whose first element is about the page, as the World Bank gives it; else nothing."""
    if len(document) != 2 or not isinstance(document[0], dict) or not _is_records(document[1]):
        return []
    return [("", document[1]), ("1", [document[0]])] if _is_scalars(document[0].values()) else []


def _reason(document: Any) -> str:
    if isinstance(document, dict) and document.get("type") == "Topology":
        return "a TopoJSON topology without properties has no records"
    if document in ({}, []):
        return "the JSON document is empty"
    return "the JSON document has no records"


def _of_object(document: dict[str, Any]) -> list[Records]:
    if not document:
        return []
    if document.get("type") == "FeatureCollection" and isinstance(document.get("features"), list):
        return [("", list(_features(document["features"])))]
    if document.get("type") == "Feature" and "geometry" in document:
        return [("", list(_features([document])))]
    if document.get("type") == "Topology":
        return _of_topology(document)
    records = _split(document)
    if records is not None:
        return [("", records), *_beside(document, "", DEPTH)]
    for shape in (_columns, _keyed, _mapping):
        records = shape(document)
        if records is not None:
            return [("", records)]
    tables: list[Records] = []
    rest = _take_tables(document, "", DEPTH, tables)
    return [*tables, ("", [rest])] if _has_values(rest) else tables


def _features(features: list[Any]) -> Iterator[dict[str, Any]]:
    for feature in features:
        if not isinstance(feature, dict):
            continue
        record = dict(feature.get("properties") or {}) if isinstance(feature.get("properties"), dict) else {}
        if "id" in feature:
            record = {"id": feature["id"], **record}
        geometry = feature.get("geometry")
        if isinstance(geometry, dict):
            record |= {"geometry.type": geometry.get("type"), "geometry": Verbatim(geometry)}
        yield record


class Verbatim(dict[str, Any]):
    """An object that stays one cell and is not flattened."""


def _of_topology(document: dict[str, Any]) -> list[Records]:
    objects = document.get("objects")
    tables = []
    for key, value in objects.items() if isinstance(objects, dict) else ():
        geometries = value.get("geometries") if isinstance(value, dict) else None
        records = [_properties(each) for each in geometries or () if isinstance(each, dict)]
        if any(len(record) > 1 for record in records):
            tables.append((key, records))
    return tables


def _properties(geometry: dict[str, Any]) -> dict[str, Any]:
    properties = geometry.get("properties")
    own = {"id": geometry["id"]} if "id" in geometry else {}
    return own | (properties if isinstance(properties, dict) else {})


def _split(document: dict[str, Any]) -> list[Any] | None:
    """Rows with the names of their columns beside them, as texts or as objects that have a name."""
    rows = _split_rows(document)
    names = _names(document) if rows else None
    if not rows or not names or len(names) != max(map(len, rows)):
        return None
    labels = [_label(name) for name in names]
    return [dict(zip(labels, row, strict=False)) for row in rows] if len(set(labels)) == len(labels) else None


def _split_rows(document: dict[str, Any]) -> list[Any] | None:
    return next((document[key] for key in ROWS if _is_rows(document.get(key), fewest=1)), None)


def _beside(document: dict[str, Any], path: str, depth: int) -> list[Records]:
    """The tables under the other keys of rows with names; scalars, and what describes the rows, are left out."""
    own = (_split_rows(document), _names(document))
    others = {
        key: value
        for key, value in document.items()
        if key not in ABOUT and not any(value is each for each in own) and isinstance(value, (dict, list))
    }
    tables: list[Records] = []
    rest = _take_tables(others, path, depth, tables)
    return [*tables, *_lists(rest, path)]


def _lists(rest: dict[str, Any], path: str) -> Iterator[Records]:
    """The lists of records at any level; the depth of the document has been checked."""
    for key, value in rest.items():
        if _is_records(value):
            yield _member(path, key), value
        elif isinstance(value, dict):
            yield from _lists(value, _member(path, key))


def _member(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _names(document: dict[str, Any]) -> list[Any] | None:
    view = document.get("meta")
    schema = view.get("view") if isinstance(view, dict) else document.get("schema")
    places = [schema, document] if isinstance(schema, dict) else [document]
    lists = (place[key] for place in places for key in NAMES if isinstance(place.get(key), list))
    return next(lists, None)


def _label(name: Any) -> str:
    if not isinstance(name, dict):
        return str(name)
    return str(next((name[key] for key in LABELS if name.get(key)), ""))


def _columns(document: dict[str, Any]) -> list[Any] | None:
    values = list(document.values())
    if all(isinstance(value, list) for value in values):
        lengths = set(map(len, values))
        if len(lengths) == 1 and len(values) > 1 and lengths != {0} and all(map(_is_scalars, values)):
            return [dict(zip(document, row, strict=True)) for row in zip(*values, strict=True)]
    if len(values) > 1 and all(isinstance(value, dict) and value for value in values):
        keys = list(values[0])
        if keys == [str(index) for index in range(len(keys))] and all(list(value) == keys for value in values):
            return [{name: column[key] for name, column in document.items()} for key in keys]
    return None


def _keyed(document: dict[str, Any]) -> list[Any] | None:
    """A dict of records: its values are objects with common keys, and contain scalars rather than more tables.

    Some may be null or empty; their records have a key only.
    """
    records = {key: value or {} for key, value in document.items() if value is None or isinstance(value, dict)}
    values = [value for value in records.values() if value]
    if len(values) < 2 or len(records) > 2 * len(values) or len(document) - len(records) > len(values) // 20:
        return None  # one other key per twenty records (an index, a note) is allowed
    seen: dict[str, int] = {}
    for value in values:
        for key in value:
            seen[key] = seen.get(key, 0) + 1
    if max(seen.values()) < max(2, 0.5 * len(values)) or (len(values) < 4 and any(map(_has_records, values))):
        return None
    label = "key" if "key" not in seen else "key_of_record"
    return [{label: key, **value} for key, value in records.items()]


def _has_records(value: dict[str, Any]) -> bool:
    return any(_is_records(inner) for inner in value.values())


def _mapping(document: dict[str, Any]) -> list[Any] | None:
    """Many scalars of one type."""
    if len(document) < MAPPING or not _is_scalars(document.values()):
        return None
    types = {type(value) for value in document.values() if value is not None}
    if len(types) == 1 or types == {int, float}:
        return [{"key": key, "value": value} for key, value in document.items()]
    return None


def _take_tables(document: dict[str, Any], path: str, depth: int, tables: list[Records]) -> dict[str, Any]:
    """The document without its rows, columns and dicts of records, which are added to `tables`."""
    rest: dict[str, Any] = {}
    for key, value in document.items():
        member = _member(path, key)
        if _is_rows(value):
            tables.append((member, value))
        elif isinstance(value, dict) and depth > 1:
            records = _split(value)
            if records is not None:
                tables += [(member, records), *_beside(value, member, depth - 1)]
            elif (records := _columns(value) or _keyed(value)) is not None:
                tables.append((member, records))
            elif inner := _take_tables(value, member, depth - 1, tables):
                rest[key] = inner
        else:
            rest[key] = value
    return rest


def _has_values(value: Any) -> bool:
    """Whether there is a scalar anywhere; the depth of the document has been checked."""
    if isinstance(value, (dict, list)):
        return any(map(_has_values, value.values() if isinstance(value, dict) else value))
    return value is not None


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _is_rows(value: Any, fewest: int = 2) -> bool:
    """Whether it is a list of at least so many rows, each a list of as many cells."""
    if not isinstance(value, list) or len(value) < fewest:
        return False
    return all(isinstance(row, list) and len(row) >= fewest for row in value)


def _is_scalars(value: Iterable[Any]) -> bool:
    return not any(isinstance(item, (dict, list)) for item in value)
