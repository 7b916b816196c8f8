"""The Spark SQL of a program, run by Spark: it gives what the program gives, in ANSI mode and without."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings

from mere.transform import Constant, Piece, Program, Split

from .programs import COLUMNS, programs_with_rows

pytestmark = pytest.mark.spark


def drawn(count):
    """Programs with rows from the strategies; the same ones every time."""
    cases = []

    @settings(max_examples=count, database=None, derandomize=True, phases=[Phase.generate])
    @given(programs_with_rows())
    def collect(case):
        cases.append(case)

    collect()
    return cases


@pytest.fixture(scope="module")
def sql(spark):
    from pyspark.sql import SparkSession

    session = SparkSession(spark)
    before = session.conf.get("spark.sql.ansi.enabled")
    yield session
    session.conf.set("spark.sql.ansi.enabled", before)


def frame_of(sql, rows, columns=COLUMNS):
    cells = zip(*rows, strict=True)
    return sql.createDataFrame(
        pa.table({name: pa.array(c, pa.string()) for name, c in zip(columns, cells, strict=True)})
    )


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_spark_sql_agrees_with_the_program(sql, ansi):
    """Every program of a query is run on the rows of all of them."""
    sql.conf.set("spark.sql.ansi.enabled", ansi)
    cases = drawn(400)
    for start in range(0, len(cases), 50):
        batch = cases[start : start + 50]
        rows = [row for _, own in batch for row in own]
        expressions = [f"{program.to_spark_sql()} AS o{i}" for i, (program, _) in enumerate(batch)]
        outputs = frame_of(sql, rows).selectExpr(*expressions).toArrow()
        for (program, _), output in zip(batch, outputs.columns, strict=True):
            got = dict(zip(rows, output.to_pylist(), strict=True))
            assert got == {row: program.row(row) for row in rows}, program.to_spark_sql()


EDGES = (
    [Piece(0, (Split(separator, first, last),))
     for separator in (" ", ".") for first in (-3, -1, 0, 1, 2) for last in (-3, -1, 0, 1, 2)]
    + [Piece(0, start=start, stop=stop) for start in (-5, -2, 0, 1, 3) for stop in (None, -5, -2, -1, 0, 1, 2, 6)]
    + [Piece(0, zeros=zeros, stop=stop) for zeros in (0, 1, 3, 5) for stop in (None, 2)]
)  # fmt: skip
EDGE_CELLS = [
    None,
    "",
    " ",
    "0",
    "000",
    "0 0",
    "a",
    "ab c",
    "a.b c.d",
    "a.b.c.d",
    " a  b ",
    "00a",
    "abcdefgh",
    "0\n",
    "😀é.😀",
]


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_spark_sql_agrees_at_every_edge(sql, ansi):
    sql.conf.set("spark.sql.ansi.enabled", ansi)
    edges = [Program(("c",), (piece,)) for piece in EDGES]
    frame = frame_of(sql, [(cell,) for cell in EDGE_CELLS], ["c"])
    outputs = frame.selectExpr(*[f"{program.to_spark_sql()} AS o{i}" for i, program in enumerate(edges)]).toArrow()
    for program, output in zip(edges, outputs.columns, strict=True):
        assert output.to_pylist() == program(EDGE_CELLS), program.to_spark_sql()


def test_spark_sql_writes_any_constant_also_as_the_text_of_a_query(sql):
    texts = [
        "'",
        '"',
        "\\",
        "\\\\n",
        "a\nb\r\t",
        "${user}",
        "$${",
        "\0" + "1",
        "\x1f\x85\u2028",
        "😀",
        "%_\\%",
        ":x ?",
        "--",
        "",
    ]
    constants = [Program(("c",), (Constant(text),)) for text in texts]
    query = "SELECT " + ", ".join(f"{program.to_spark_sql()} AS o{i}" for i, program in enumerate(constants))
    assert [column[0].as_py() for column in sql.sql(query).toArrow().columns] == texts


def test_spark_sql_reads_numbers_as_texts(sql):
    frame = sql.sql("SELECT 7 AS code UNION ALL SELECT NULL")
    outputs = frame.selectExpr(Program(("code",), (Piece(0, zeros=3),)).to_spark_sql()).toArrow()[0].to_pylist()
    assert sorted(outputs, key=str) == ["007", None]
