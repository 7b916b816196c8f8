"""Who runs the tasks: Spark, or this very process.

Both take a list of payloads and give back the list of results in the same order; only the caller's progress
callback can tell them apart.  `Inline` exists for tests that must reach every instruction of a run from one
process (a kill at every write, a thousand generated lakes).
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from mere.errors import LakeError
from mere.pipeline.tasks import TASKS, Payload
from mere.values.lean import spare_pandas

if TYPE_CHECKING:
    from pyspark import SparkContext

Advance = Callable[[int, int], None]  # units and bytes done so far, in all


class Engine(Protocol):
    cores: int

    def run(self, task: str, payloads: list[Payload], advance: Advance | None = None) -> list[Payload]: ...


class Inline:
    """One task after the other, here."""

    cores = 1

    def run(self, task: str, payloads: list[Payload], advance: Advance | None = None) -> list[Payload]:
        results, units, size = [], 0, 0
        for payload in payloads:
            results.append(json.loads(json.dumps(TASKS[task](json.loads(json.dumps(payload))))))
            units, size = units + _units(payload), size + _bytes(payload)
            if advance:
                advance(units, size)
        return results


class Spark:
    """One Spark task per payload, the heaviest first; what they did so far is read from accumulators."""

    def __init__(self, context: SparkContext, own: bool = False) -> None:
        self.own = own  # started by us: its workers are nobody else's
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
                spare_pandas()
            payload = json.loads(line)
            result = json.dumps(TASKS[task](payload))
            units.add(_units(payload))
            size.add(_bytes(payload))
            return number, result

        lines = [(i, json.dumps(payloads[i])) for i in order]
        with (
            self._job_group(f"mere: {task} {len(payloads)}"),
            _polling(lambda: advance(units.value, size.value) if advance else None),
        ):
            results = dict(self._collect(lines, job))
        return [json.loads(results[i]) for i in range(len(payloads))]

    def _collect(self, lines: list[tuple[int, str]], job: Any) -> list[tuple[int, str]]:
        from py4j.protocol import Py4JJavaError

        try:
            return self.context.parallelize(lines, len(lines)).map(job).collect()
        except Py4JJavaError as error:
            cause = [line for line in str(error).splitlines() if line.strip()]
            told = next((line for line in cause if "mere.errors" in line), cause[min(1, len(cause) - 1)])
            raise LakeError(f"a Spark task failed: {told.strip()}", "see Spark's log for the whole story") from error

    @contextmanager
    def _job_group(self, description: str) -> Iterator[None]:
        """Name the job, so that an interruption ends it and no other; leave the caller's settings as they were."""
        group = f"mere-{uuid.uuid4().hex}"
        names = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
        before = {name: self.context.getLocalProperty(name) for name in names}
        self.context.setJobGroup(group, description, interruptOnCancel=True)
        try:
            yield
        except KeyboardInterrupt:
            self.context.cancelJobGroup(group)
            raise
        finally:
            for name, value in before.items():
                self.context.setLocalProperty(name, value)  # type: ignore[arg-type]  # None removes it


class _polling:
    """Call `look` now and then from another thread while the body runs."""

    def __init__(self, look: Callable[[], None], every: float = 0.2) -> None:
        self._look, self._every, self._done = look, every, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._done.wait(self._every):
            self._look()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *fault: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()


def _units(payload: Payload) -> int:
    return len(payload.get("units") or payload.get("tables") or ()) or 1


def _bytes(payload: Payload) -> int:
    return payload.get("weight", 0)
