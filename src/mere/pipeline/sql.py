"""What does Spark's SQL engine need, besides Spark?  A session, and pandas for tasks that take Arrow batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mere.errors import SparkError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def sql_session(running: SparkContext, given: SparkSession | SparkContext | None) -> SparkSession:
    """The caller's session, or one on the same Spark."""
    from pyspark.sql import SparkSession

    return given if isinstance(given, SparkSession) else SparkSession(running)


def require_pandas() -> None:
    """Fail, before a task does, if pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise SparkError("Spark needs pandas to run Arrow tasks", "run pip install 'mere[pandas]'") from error
