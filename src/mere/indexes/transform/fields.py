"""Which main fields does the evidence of a join after a transformation have, besides those of every join?"""

from __future__ import annotations

from mere.answers import Field

PROGRAM_FIELDS = (
    Field("program", "string", "what makes one column's values out of the other's, in words: the first program"),
    Field("direction", "string", "mine to theirs: the program reads my values; theirs to mine: the column's"),
    Field("python", "string", "the first program as a Python function"),
    Field("spark_sql", "string", "the first program as an expression of Spark SQL"),
    Field(
        "programs",
        "json",
        "all programs: direction, text, key_text (with what it is compared), and as code",
    ),
    Field("pairs", "json", "[my value, the column's value] of every match"),
    Field("equal", "int64", "pairs of equal values"),
    Field(
        "agreement",
        "double",
        "how much of what is rare in my values their partners have, on average, from 0 to 1",
    ),
    Field("column_share", "double", "the share of the column's distinct values that match"),
)
