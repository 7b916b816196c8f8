"""How is a question answered from a snapshot, and which tables are in it?"""

from mere.search.ask import Asker
from mere.search.catalog import ColumnProfile, Profile, TableInfo, Tables, all_tables, find_rows, find_table, profile
from mere.search.overview import describe_lake
from mere.search.raw import raw_rows

__all__ = [
    "Asker", "ColumnProfile", "Profile", "TableInfo", "Tables", "all_tables", "describe_lake", "find_rows",
    "find_table", "profile", "raw_rows",
]  # fmt: skip
