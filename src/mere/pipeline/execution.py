"""Where do the tasks of a run execute?  On the caller's Spark, on one started for the run, or on a given engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mere.pipeline.engine import Engine, Spark
from mere.pipeline.progress import Progress, Silent, Stages

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Execution:
    """Where tasks run, and where their progress is reported."""

    spark: SparkSession | SparkContext | None = None  # used as it is, never stopped
    master: str | None = None  # of the Spark to start; default: this machine, all cores
    engine: Engine | None = None  # runs the tasks instead of Spark
    progress: Progress | None = None

    def stages(self) -> Stages:
        return Stages(self.progress or Silent())

    def check_spark(self) -> None:
        """Fail, before anything is written, if Spark is needed and pyspark is not installed."""
        if self.engine is None:
            from mere.pipeline.session import require_pyspark

            require_pyspark()

    def start(self, stack: ExitStack, stages: Stages) -> Engine:
        """The engine; a Spark that is started here ends with the stack."""
        if self.engine:
            return self.engine
        from mere.pipeline.session import context

        stages.begin("start Spark")
        return Spark(*stack.enter_context(context(self.master, self.spark)))

    def session(self, stack: ExitStack, start: Callable[[], Engine]) -> SparkSession:
        """A session for tables of Spark, on the Spark that `start` starts, or beside an engine that is not Spark."""
        from mere.pipeline.session import context
        from mere.pipeline.sql import sql_session

        start()
        running, _ = stack.enter_context(context(self.master, self.spark))
        warehouse = os.path.abspath("spark-warehouse")  # Spark makes it when a catalog is first used
        if not os.path.exists(warehouse):
            stack.callback(_remove_empty, warehouse)
        return sql_session(running, self.spark)


def _remove_empty(folder: str) -> None:
    with suppress(OSError):
        os.rmdir(folder)
