"""Avro container files: records like those of JSON Lines, decoded by fastavro (extra `avro`) block by block."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from mere.errors import Unreadable
from mere.readers.as_text import plain_value
from mere.readers.avro_blocks import Damaged, read_blocks, read_header
from mere.readers.extras import need
from mere.readers.json_records import check_depth
from mere.readers.limits import Limits
from mere.readers.nested_tables import Origin, nested_tables
from mere.readers.source import Source
from mere.readers.table import Findings, RawTable

FAULTS = (Damaged, ValueError, KeyError, TypeError, EOFError, IndexError, StopIteration, OverflowError, LookupError)
STEP = 1 << 16
SCHEMA_DEPTH = 64
_DECIMAL = '"logicalType": "decimal"'


def open_avro(source: Source, limits: Limits, member: str = "") -> Iterator[RawTable]:
    """The records of the file as a table, and the arrays in them."""
    fastavro = need("fastavro", "avro", source)
    try:
        with _open(source) as stream:
            header = read_header(stream)
        schema = fastavro.parse_schema(check_depth(json.loads(header.schema), SCHEMA_DEPTH))
        check_items(schema, {})
    except (*FAULTS, fastavro.schema.SchemaParseException, fastavro.schema.UnknownType) as fault:
        raise Unreadable(f"{source.name}: corrupt Avro file: {fault}", "write it again") from fault

    def records(findings: Findings) -> Iterator[Any]:
        yield from _records(source, limits, schema, findings)

    origin = Origin(source, member, "avro", {"codec": header.codec})
    for table in nested_tables(records, origin, limits):
        table.typed = table.typed or _DECIMAL in json.dumps(schema)  # such numbers come as text
        yield table


def _open(source: Source) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, source.stream(Findings())), STEP))


def _records(source: Source, limits: Limits, schema: Any, findings: Findings) -> Iterator[Any]:
    """The records up to a damaged block, which is reported."""
    from fastavro import schemaless_reader

    count = 0
    raw = source.stream(findings)
    with io.BufferedReader(cast(io.RawIOBase, raw), STEP) as stream:
        try:
            header = read_header(cast(BinaryIO, stream))
            for block in read_blocks(cast(BinaryIO, stream), header):
                count += block.records
                limits.check_extent(source.name, count, 1, source.size)
                data = io.BytesIO(block.data)
                for _ in range(block.records):
                    yield check_depth(plain_value(schemaless_reader(data, schema)), limits.nesting)
        except FAULTS as fault:
            findings.note(
                f"the file is damaged ({' '.join(str(fault).split())[:120]}): what follows is lost", lost=True
            )
        source.finish(raw, findings)


def check_items(schema: Any, named: dict[str, Any]) -> None:
    """Refuse arrays whose items take no bytes: a few bytes could declare any number of them."""
    if isinstance(schema, list):
        for branch in schema:
            check_items(branch, named)
    elif isinstance(schema, dict):
        if "name" in schema:
            named[str(schema["name"])] = schema
        parts = [schema.get("items"), schema.get("values"), *(each["type"] for each in schema.get("fields", ()))]
        for part in (*parts, schema.get("type")):
            check_items(part, named)
        if schema.get("type") == "array" and _takes_no_bytes(schema.get("items"), named, SCHEMA_DEPTH):
            raise Damaged("an array of values without bytes")


def _takes_no_bytes(schema: Any, named: dict[str, Any], depth: int) -> bool:
    schema = named.get(schema, schema) if isinstance(schema, str) else schema
    if not isinstance(schema, dict) or not depth:
        return schema == "null"
    kind = schema.get("type")
    if kind == "record":
        return all(_takes_no_bytes(each["type"], named, depth - 1) for each in schema.get("fields", ()))
    return kind == "null" or (kind == "fixed" and schema.get("size") == 0)
