"""A catalog that keeps Iceberg tables in a folder: what writing one takes, without a database."""

from __future__ import annotations

from typing import Any

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.io import load_file_io
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import CommitTableResponse, Table
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER


class FolderCatalog(NoopCatalog, MetastoreCatalog):
    def __init__(self, folder: str) -> None:
        MetastoreCatalog.__init__(self, "test")
        self.folder = folder
        self.newest: dict[Any, str] = {}

    def create_table(self, name: str, schema: Any, **ignored: Any) -> Table:
        place = f"file://{self.folder}/{name}"
        spec, order = UNPARTITIONED_PARTITION_SPEC, UNSORTED_SORT_ORDER
        return self._written(("ns", name), self._create_staged_table(("ns", name), schema, place, spec, order, {}))

    def load_table(self, identifier: Any) -> Table:
        location = self.newest[identifier]
        io = load_file_io({}, location)
        metadata = FromInputFile.table_metadata(io.new_input(location))
        return Table(identifier=identifier, metadata=metadata, metadata_location=location, io=io, catalog=self)

    def commit_table(self, table: Table, requirements: Any, updates: Any) -> CommitTableResponse:
        current = self.load_table(table.name())
        staged = self._update_and_stage_table(current, table.name(), requirements, updates)
        written = self._written(table.name(), staged)
        return CommitTableResponse(metadata=written.metadata, metadata_location=written.metadata_location)

    def _written(self, identifier: Any, staged: Any) -> Table:
        self._write_metadata(staged.metadata, staged.io, staged.metadata_location)
        self.newest[identifier] = staged.metadata_location
        return self.load_table(identifier)
