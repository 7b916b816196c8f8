"""How is a question answered from a snapshot, and which tables are in it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mere.deferred import deferred

if TYPE_CHECKING:
    from mere.search.asking.ask import Asker
    from mere.search.catalog import TableInfo, Tables, all_tables, find_rows, find_table
    from mere.search.overview import describe_lake
    from mere.search.raw import raw_rows
    from mere.search.table_profile import ColumnProfile, Profile, profile

__all__ = [
    "Asker", "ColumnProfile", "Profile", "TableInfo", "Tables", "all_tables", "describe_lake", "find_rows",
    "find_table", "profile", "raw_rows",
]  # fmt: skip

_HOMES = {
    "asking.ask": ("Asker",),
    "catalog": ("TableInfo", "Tables", "all_tables", "find_rows", "find_table"),
    "overview": ("describe_lake",),
    "raw": ("raw_rows",),
    "table_profile": ("ColumnProfile", "Profile", "profile"),
}
__getattr__ = deferred(__name__, _HOMES)
