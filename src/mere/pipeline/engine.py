"""What runs the tasks: Spark, or this process.

Both take a list of payloads and return the list of results in the same order.  `Inline` exists for tests that run
everything in one process (a kill at every write, a thousand generated lakes).
"""

from __future__ import annotations

import json
import re
import sys
import threading
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from mere.errors import CannotWrite, Corrupt, LakeError, SparkError, WorkerLost
from mere.pipeline.session import java_has_ended
from mere.pipeline.tasks import TASKS, Payload
from mere.pipeline.worker_memory import kept_memory
from mere.pipeline.workplace import see_log
from mere.values.pandas_import import block_pandas_import

if TYPE_CHECKING:
    from pyspark import SparkContext

Result = TypeVar("Result")
Advance = Callable[[int, int], None]  # units and bytes done so far


class Engine(Protocol):
    cores: int
    may_end: bool  # whether a process that runs a task may be ended: it is a worker, and its task is tried again

    def run(self, task: str, payloads: list[Payload], advance: Advance | None = None) -> list[Payload]: ...


class Inline:
    """Runs one task after the other, in this process."""

    cores = 1
    may_end = False

    def run(self, task: str, payloads: list[Payload], advance: Advance | None = None) -> list[Payload]:
        results, units, size = [], 0, 0
        for payload in payloads:
            results.append(json.loads(json.dumps(TASKS[task](json.loads(json.dumps(payload))))))
            units, size = units + _units(payload), size + _bytes(payload)
            if advance:
                advance(units, size)
        return results


class Spark:
    """Runs one Spark task per payload, the heaviest first; progress is read from accumulators."""

    may_end = True

    def __init__(self, context: SparkContext, own: bool = False) -> None:
        self.own = own  # started for this run: its workers run nothing else
        self.context = context
        self.cores = self.context.defaultParallelism

    def run(self, task: str, payloads: list[Payload], advance: Advance | None = None) -> list[Payload]:
        if not payloads:
            return []
        order = sorted(range(len(payloads)), key=lambda i: -_bytes(payloads[i]))
        units, size, own = self.context.accumulator(0), self.context.accumulator(0), self.own

        def job(numbered: tuple[int, str]) -> tuple[int, str]:
            number, line = numbered
            if own:
                block_pandas_import()
            payload = json.loads(line)
            with kept_memory():
                result = json.dumps(_run(task, payload))
            units.add(_units(payload))
            size.add(_bytes(payload))
            return number, result

        lines = [(i, json.dumps(payloads[i])) for i in order]
        report = (lambda: advance(units.value, size.value)) if advance else (lambda: None)
        collect = self.context.parallelize(lines, len(lines)).map(job).collect
        results = dict(cancellable(self.context, f"mere: {task} {len(payloads)}", collect, report))
        return [_checked(json.loads(results[i])) for i in range(len(payloads))]


_FAULT = "fault of the disk"


def _run(task: str, payload: Payload) -> Payload:
    """The result of a task; a fault of the disk is a result, too: to try again would only take time."""
    try:
        return TASKS[task](payload)
    except (CannotWrite, Corrupt) as error:
        return {_FAULT: [isinstance(error, Corrupt), error.message, error.remedy]}


def _checked(result: Payload) -> Payload:
    if _FAULT in result:
        is_corrupt, message, remedy = result[_FAULT]
        raise (Corrupt if is_corrupt else CannotWrite)(message, remedy)
    return result


def cancellable(context: SparkContext, title: str, work: Callable[[], Result], report: Callable[[], None]) -> Result:
    """Run Spark jobs in a second thread, and report progress from this one.

    So Ctrl-C never interrupts an exchange with the JVM, it cancels these jobs and no others, and the caller's own
    thread keeps its Spark settings.
    """
    group = f"mere-{uuid.uuid4().hex}"
    outcome: list[Any] = []

    def run() -> None:
        try:
            context.setJobGroup(group, title, interruptOnCancel=True)
            outcome.append(work())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_REPORT_EVERY)
            report()
    except KeyboardInterrupt:
        context.cancelJobGroup(group)
        thread.join(_CANCEL_WITHIN)
        raise
    if isinstance(outcome[0], Exception):
        raise _cause_of(outcome[0]) from outcome[0]
    return cast(Result, outcome[0])


_REPORT_EVERY = 0.2  # seconds
_CANCEL_WITHIN = 10.0  # seconds for a cancelled job to end


def _cause_of(error: Exception) -> Exception:
    """The error of the task itself, without Spark's messages around it."""
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    lost_connection = isinstance(error, Py4JNetworkError | ConnectionError | EOFError)
    if lost_connection or java_has_ended(wait=isinstance(error, Py4JError) and not isinstance(error, Py4JJavaError)):
        return SparkError(
            "Spark's Java process ended during the run",
            f"give the machine more memory, and run it again{see_log()}",
        )
    if not isinstance(error, Py4JError | PySparkException):
        return error
    if _LOST.search(str(error)):
        return WorkerLost(
            "a process of Spark that ran a task ended",
            f"give the machine more memory, and run it again{see_log()}",
        )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if missing := _MISSING.search(str(error)):
        remedy = f"install it on the workers, or set PYSPARK_PYTHON={sys.executable} before Spark starts"
        return SparkError(f"Spark's workers cannot import {missing[1]}", remedy)
    causes = [line for line in lines if _CAUSE.match(line)]
    return LakeError(
        f"a Spark task failed: {(causes or lines)[-1 if causes else 0]}", f"look at Spark's log{see_log()}"
    )


_LOST = re.compile(
    r"Python worker (exited unexpectedly|failed to connect)|ExecutorLostFailure|worker.{0,40}crashed", re.I
)
_MISSING = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_CAUSE = re.compile(r"(mere\.errors\.)?\w*(Error|Exception|Corrupt|Locked)\b.*:")  # the last line of a Python traceback


def _units(payload: Payload) -> int:
    return len(payload.get("units") or payload.get("tables") or ()) or 1


def _bytes(payload: Payload) -> int:
    return payload.get("weight", 0)
