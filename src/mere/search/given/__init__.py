"""What a question is asked with: lists, columns and frames of other libraries, files, tables of the lake."""

from mere.search.given.files import is_file, is_table_of_the_lake, limits_of
from mere.search.given.frames import same_type, texts
from mere.search.given.given import LakeInputs
from mere.search.given.names import only_column, several_columns, split_names
from mere.search.given.numbers import Decimal, code_given, decimal_of, number_share
from mere.search.given.whole import WholeTable, as_table, whole_table

__all__ = [
    "Decimal", "LakeInputs", "WholeTable", "as_table", "code_given", "decimal_of", "is_file", "is_table_of_the_lake",
    "limits_of", "number_share", "only_column", "same_type", "several_columns", "split_names", "texts",
    "whole_table",
]  # fmt: skip
