"""Open a snapshot, plan, map over segments, merge, explain."""

from mere.search.ask import Asker
from mere.search.catalog import ColumnProfile, Profile, TableInfo, Tables, all_tables, find_rows, find_table, profile

__all__ = [
    "Asker", "ColumnProfile", "Profile", "TableInfo", "Tables", "all_tables", "find_rows", "find_table", "profile",
]  # fmt: skip
