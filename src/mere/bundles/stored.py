"""Which sample of a table was made when it was indexed?

The lake has a sketch of each table (`segments.row_sketch`): the numbers of the distinct rows with the smallest hashes,
over all columns of the table.  If the schema has all of these columns, the hashes of the rows are those of the compared
rows, and the sketch is the sample that `sample_of` would make of the table; a table with other columns has none.

Cost: the cells of the sample's rows, whatever the number of rows of the table.  A table with no more rows than a sketch
is read in full.
"""

from __future__ import annotations

import numpy as np

from mere.bundles.relation import (
    Column,
    Relation,
    has_days_and_months,
    relation_of_stored,
    stored_column,
    stored_places,
    used_values,
)
from mere.bundles.sample import WHOLE, Sample, sample_of
from mere.bundles.schema import Reading, Schema
from mere.segments import Segment
from mere.store import Container
from mere.values import Type, day_order, written_numbers


def stored_sample(segment: Segment, number: int, schema: Schema, size: int | None = None) -> Sample | None:
    """The sample of a table of the lake, as it was stored or smaller; None if it has to be made of the table's rows.

    That is so if the segment has no sketches, the table has columns that are not compared or are compared in another
    form than they were hashed in, its dates are read otherwise than when it was indexed, only its profile is known, or
    the sample is to be larger than the sketch.
    """
    sketches, columns = segment.sketches, segment.columns_of(number)
    names = segment.column_names[columns.start : columns.stop]
    types = [Type(code) for code in segment.catalog["column.types"][columns.start : columns.stop].tolist()]
    if sketches is None or segment.profile_only[number] or not schema.same_rows(names, types):
        return None
    if _has_other_dates(segment, number, schema) or _has_other_numbers(segment, number, schema):
        return None
    rows, stored = int(segment.catalog["table.rows"][number]), int(sketches.meta["size"])
    wanted = stored if size is None else size
    if rows <= stored:
        return sample_of(relation_of_stored(segment, number, schema), wanted)
    if wanted > stored and int(sketches["distinct"][number]) > stored:
        return None
    return smaller(_sketch(segment, number, schema, sketches), wanted)


def _has_other_dates(segment: Segment, number: int, schema: Schema) -> bool:
    """Whether dates of a table do not tell the order of day and month, and were taken for another one when indexed."""
    pairs = stored_places(segment, number, schema)
    dated = [column for column, reading in pairs if column is not None and reading.day_first]
    texts = (stored_column(segment, column).texts for column in dated)
    return any(has_days_and_months(each) and day_order(each) is None for each in texts)


def _has_other_numbers(segment: Segment, number: int, schema: Schema) -> bool:
    """Whether cells that are no numbers in their table are numbers when they are compared."""
    misfits = segment.catalog["column.misfits"]
    return any(
        written_numbers(stored_column(segment, column).texts, reading.form)[0].size
        for column, reading in stored_places(segment, number, schema)
        if column is not None and reading.form.numbers and misfits[column]
    )


def _sketch(segment: Segment, number: int, schema: Schema, sketches: Container) -> Sample:
    """The sample of the size that was stored."""
    starts = sketches["starts"]
    rows = sketches["rows"][starts[number] : starts[number + 1]]
    relation = rows_of_stored(segment, number, schema, rows)
    distinct = int(sketches["distinct"][number])
    threshold = 1.0 if distinct == len(rows) else float(sketches["threshold"][number]) / WHOLE
    return Sample(relation, relation.hashes(), threshold, distinct)


def smaller(sample: Sample, size: int) -> Sample:
    """The sample that would have been made with this size, if it is smaller."""
    if len(sample.hashes) <= size:
        return sample
    threshold = float(sample.hashes[size]) / WHOLE
    return Sample(sample.relation.take(np.arange(size)), sample.hashes[:size], threshold, sample.distinct)


def rows_of_stored(segment: Segment, number: int, schema: Schema, rows: np.ndarray | slice) -> Relation:
    """Some rows of a table of the lake; values that only other rows have are not read."""
    taken = tuple(
        None if column is None else _cells_of_stored(segment, column, rows, reading)
        for column, reading in stored_places(segment, number, schema)
    )
    count = (
        len(range(*rows.indices(int(segment.catalog["table.rows"][number])))) if isinstance(rows, slice) else len(rows)
    )
    return Relation(segment.names[number], count, schema, taken)


def _cells_of_stored(segment: Segment, column: int, rows: np.ndarray | slice, reading: Reading) -> Column:
    places, codes = used_values(segment.codes_of(column)[rows])
    ids = segment.set_of(column)[places]
    return Column(
        segment.dictionary.values.take(ids),
        segment.dictionary.hashes[ids],
        codes,
        whole_moments=lambda: stored_column(segment, column, reading).moments[places],
        reading=reading,
    )
