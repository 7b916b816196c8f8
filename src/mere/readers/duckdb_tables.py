"""DuckDB databases (extra `duckdb`): every table is a table, nested columns as in Parquet.

Opened read-only, without access to other files, extensions or the network. Views are left out, with a note. A file
that a much newer or older DuckDB wrote is refused with DuckDB's reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mere.errors import Unreadable
from mere.readers.arrow_tables import Batches, Columnar, arrow_tables
from mere.readers.extras import need
from mere.readers.limits import Limits
from mere.readers.names import quoted_name
from mere.readers.nested_tables import Origin
from mere.readers.source import Source
from mere.readers.spool import Spooled
from mere.readers.table import BATCH_ROWS, RawTable, brief

CONFIG = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "lock_configuration": "true",
    "temp_directory": "",
    "threads": "1",
    "memory_limit": "1GB",
}
TABLES = "SELECT schema_name, table_name, estimated_size FROM duckdb_tables() WHERE NOT internal ORDER BY table_oid"
VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal"


def open_duckdb(
    source: Source, limits: Limits, failures: list[tuple[str, str]], member: str = ""
) -> Iterator[RawTable]:
    """The tables in the order they were made; one that cannot be read goes to `failures`."""
    duckdb = need("duckdb", "duckdb", source)
    content = Spooled(source)
    try:
        with _connected(duckdb, content) as connection:
            tables = connection.execute(TABLES).fetchall()
            views = [name for (name,) in connection.execute(VIEWS).fetchall()]
    except duckdb.Error as fault:
        raise Unreadable(f"{source.name}: DuckDB cannot open it: {brief(fault)}", "export it to Parquet") from fault
    note = f"{len(views):,} view{'' if len(views) == 1 else 's'} left out: only tables are read" if views else ""
    if note and not tables:
        failures.append((member, note))
    for number, (schema, name, rows) in enumerate(tables):
        below = name if schema == "main" else f"{schema}.{name}"
        label = f"{member}/{below}" if member else below
        if number >= limits.members:
            failures.append((label, f"more than {limits.members:,} tables"))
            continue
        origin = Origin(source, member, "duckdb", {"table": below}, "" if number else note)
        try:
            table = _columnar(duckdb, content, f"{quoted_name(schema)}.{quoted_name(name)}", rows)
            yield from arrow_tables(table, origin, limits, below)
        except Unreadable as fault:
            failures.append((label, str(fault)))
        except duckdb.Error as fault:
            failures.append((label, f"DuckDB cannot read it: {brief(fault)}"))


@contextmanager
def _connected(duckdb: Any, content: Spooled) -> Iterator[Any]:
    connection = duckdb.connect(content.path(), read_only=True, config=CONFIG)
    try:
        yield connection
    finally:
        connection.close()


def _columnar(duckdb: Any, content: Spooled, name: str, rows: int) -> Columnar:
    with _connected(duckdb, content) as connection:
        schema = _reader(connection, f"SELECT * FROM {name} LIMIT 0").schema  # noqa: S608 - the name is quoted

    def scan(positions: Sequence[int]) -> Batches:
        columns = ", ".join(quoted_name(schema.names[position]) for position in positions)
        with _connected(duckdb, content) as connection:
            yield from _reader(connection, f"SELECT {columns} FROM {name}")  # noqa: S608 - the names are quoted

    return Columnar(schema, rows, scan)


def _reader(connection: Any, query: str) -> Any:
    relation = connection.sql(query)
    reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return reader(BATCH_ROWS)
