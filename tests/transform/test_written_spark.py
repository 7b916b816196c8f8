"""The Spark SQL of a program, run by Spark: it gives what the program gives, in ANSI mode and without."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings

from mere.transform import Constant, Piece, Program

from .programs import EDGE_CELLS, EDGES, programs_with_rows

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


def outputs_of(sql, programs, rows, compiled):
    """The outputs of every program for all rows; Spark compiles expressions only over what is not a literal table."""
    columns = zip(programs[0].columns, zip(*rows, strict=True), strict=True)
    frame = sql.createDataFrame(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns}))
    if compiled:
        frame.cache()
    expressions = [f"{program.to_spark_sql()} AS o{i}" for i, program in enumerate(programs)]
    outputs = frame.selectExpr(*expressions).toArrow()
    frame.unpersist()
    return [output.to_pylist() for output in outputs.columns]


@pytest.mark.parametrize(("ansi", "compiled"), [("true", True), ("false", False)])
def test_spark_sql_agrees_with_the_program(sql, ansi, compiled):
    """Every program of a query is run on the rows of all of them."""
    sql.conf.set("spark.sql.ansi.enabled", ansi)
    cases = drawn(400)
    for start in range(0, len(cases), 50):
        programs = [program for program, _ in cases[start : start + 50]]
        rows = [row for _, own in cases[start : start + 50] for row in own]
        for program, outputs in zip(programs, outputs_of(sql, programs, rows, compiled), strict=True):
            got = dict(zip(rows, outputs, strict=True))
            assert got == {row: program.row(row) for row in rows}, program.to_spark_sql()


@pytest.mark.parametrize(("ansi", "compiled"), [("true", False), ("false", True)])
def test_spark_sql_agrees_at_every_edge(sql, ansi, compiled):
    sql.conf.set("spark.sql.ansi.enabled", ansi)
    rows = [(cell,) for cell in EDGE_CELLS]
    for program, outputs in zip(EDGES, outputs_of(sql, EDGES, rows, compiled), strict=True):
        assert outputs == program(EDGE_CELLS), program.to_spark_sql()


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
