"""What does Spark's SQL engine need, besides Spark?  A session, and pandas for tasks that take Arrow batches.

pyspark writes every error of a query to standard error, as a page of JSON; errors that are handled are kept from that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mere.errors import SparkError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def sql_session(running: SparkContext, given: SparkSession | SparkContext | None) -> SparkSession:
    """The caller's session, or one on the same Spark."""
    from pyspark.sql import SparkSession

    return given if isinstance(given, SparkSession) else SparkSession(running)


@contextmanager
def errors_not_printed() -> Iterator[None]:
    """Errors of queries in the block are raised, but not printed by pyspark as well."""
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def require_pandas() -> None:
    """Fail, before a task does, if pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise SparkError("Spark needs pandas to run Arrow tasks", "run pip install 'mere[pandas]'") from error
