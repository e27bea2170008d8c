"""Session: the Spark that is there, or one of our own, which is silent, private, and ended with the run."""

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.foundation.progress import Progress
from shoal.foundation.watching import watched
from shoal.search.engines.spill_folder import spill_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local[*]"
MEMORY = "2GB"
_JAVA = 17  # the oldest that Spark 4 runs with
_UNITS = {"K": 1, "M": 2, "G": 3, "T": 4}
_PYTHON = "PYSPARK_PYTHON"
_SUBMITTED = "PYSPARK_GATEWAY_PORT"  # set by spark-submit
_LOCAL_JAVA = " ".join(  # of Spark on this machine, which runs for a minute or less
    (
        "-XX:+UseParallelGC",
        "-XX:+IgnoreUnrecognizedVMOptions",  # what follows makes it cheaper, and no other Java need know it
        *(  # the costly compiler is for the loops over records: by its own limits it takes all that starting uses
            f"-XX:Tier4{name}={times}"
            for name, times in {
                "InvocationThreshold": 100_000,
                "MinInvocationThreshold": 20_000,
                "CompileThreshold": 300_000,
                "BackEdgeThreshold": 800_000,
            }.items()
        ),
    )
)
_FULL = {  # what its errors say, whose texts are looked at and never shown
    "No space left on device|File too large|Disk quota exceeded": (
        "a disk is full, on which it keeps what it shuffles and spills. Free space there, or name another folder "
        "(TMPDIR for a Spark that is started here, spark.local.dir for another)"
    ),
    "OutOfMemoryError|GC overhead limit": (
        "its memory is full. Give the driver more (memory of the engine), and executors too (spark.executor.memory)"
    ),
}
_READING = {  # of every session in which we read; none changes what is in the files
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
}


@contextmanager
def opened(master: str | None = None, memory: str | None = None) -> "Iterator[SparkSession]":
    """Take the Spark session that is active, as in a notebook or by `spark-submit`, or start one and end it again.

    Args:
        master: The master of a session that is started, such as `spark://host:7077`; Spark on this machine if left out.
        memory: The memory of its driver, such as `4GB`.
    """
    _check_packages()
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
    elif _SUBMITTED in os.environ:
        yield SparkSession.builder.getOrCreate()
    else:
        with spill_folder() as folder, _started(master or MASTER, memory or MEMORY, folder) as session:
            yield session


def reading_session(session: "SparkSession") -> "SparkSession":
    """Return a session of the same Spark with settings of its own, those that we read with."""
    made = session.newSession()
    for name, value in _READING.items():
        made.conf.set(name, value)
    return made


@contextmanager
def _started(master: str, memory: str, folder: Path) -> "Iterator[SparkSession]":
    """Start Spark with a Java process of its own, which says nothing: what Spark prints may hold values."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    check_java()
    conf = SparkConf().setMaster(master).setAppName("shoal").setAll(list(_settings(master, memory, folder).items()))
    silent = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    gateway: Any = None
    try:
        with _without_warnings(), _own_python(master):
            gateway = launch_gateway(conf, popen_kwargs=silent)
            session = SparkSession(SparkContext(conf=conf, gateway=gateway))
    except (PySparkException, Py4JError, OSError) as error:
        end(gateway)
        raise SpecError(
            f"Spark could not be started with the master '{master}' ({type(error).__name__}): see that it is spelled "
            "as Spark wants it ('local[*]', 'spark://host:7077', 'yarn'), that it can be reached, and that there is "
            f"enough memory ({memory})."
        ) from None
    try:
        yield session
    finally:
        session.stop()
        end(gateway)


@contextmanager
def _own_python(master: str) -> Iterator[None]:
    """Let workers on this machine be our Python, unless another is named: it has our packages."""
    named = _PYTHON in os.environ or not master.startswith("local")
    if not named:
        os.environ[_PYTHON] = sys.executable
    try:
        yield
    finally:
        if not named:
            del os.environ[_PYTHON]


def _settings(master: str, memory: str, folder: Path) -> dict[str, str]:
    """Return how Spark is started: what it spills and sends is encrypted, and it is seen by nobody who need not."""
    settings = {
        "spark.driver.memory": mebibytes(memory),
        "spark.driver.maxResultSize": "0",  # the different rows come to us whatever their size
        "spark.local.dir": str(folder),
        "spark.io.encryption.enabled": "true",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
    }
    if master.startswith("local"):
        settings |= {"spark.driver.extraJavaOptions": _LOCAL_JAVA}
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
        settings |= {"spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1))}
    return settings


def mebibytes(size: str) -> str:
    """Return a size such as `4GB` or `512 MiB` as Spark writes it, in whole mebibytes."""
    number, unit, binary = re.fullmatch(r"([0-9.]+) ?([KMGT])(i?)B", size).groups()  # type: ignore[union-attr]
    return f"{int(float(number) * (1024 if binary else 1000) ** _UNITS[unit]) >> 20}m"


def end(gateway: Any) -> None:
    """End the Java process, and let pyspark forget it: else the next session would ask it."""
    from pyspark import SparkContext

    if gateway is None:
        return
    gateway.shutdown()
    if gateway.proc is not None:
        gateway.proc.stdin.close()
        gateway.proc.wait()
    SparkContext._gateway = None  # noqa: SLF001  (pyspark has no other way)
    SparkContext._jvm = None  # noqa: SLF001


def check_workers(session: "SparkSession") -> None:
    """Raise a SpecError unless the executors' Python has the shoal that runs here: they solve regions with it."""
    from pyspark.errors import PySparkException

    version = import_module("shoal").__version__
    try:
        found = {row.version for row in session.range(1).mapInArrow(_versions, "version string").collect()}
    except PySparkException:
        found = set()
    if found != {version}:
        raise SpecError(
            f"Regions are solved where their rows are, and the Python of Spark's executors has no shoal {version}: "
            "install shoal[spark] there, in the same version, and name that Python (PYSPARK_PYTHON). Or leave "
            "'regions' out, if the different rows fit into the driver's memory."
        )


def _versions(batches: Iterable[Any]) -> Iterator[Any]:
    """Run in an executor: tell which shoal there is."""
    import pyarrow as pa

    for _ in batches:
        yield pa.RecordBatch.from_pydict({"version": [import_module("shoal").__version__]})


def _check_packages() -> None:
    """Raise a MissingExtraError unless what Spark needs of Python is there."""
    if not all(map(find_spec, ("pandas", "pyarrow", "pyspark"))):  # pandas takes long to load, and few runs need it
        raise MissingExtraError("pyspark", "spark")


def check_java() -> None:
    """Raise a SpecError unless there is a Java that Spark runs with."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    advice = f"Install Java {_JAVA} (Debian: openjdk-{_JAVA}-jre-headless), or set JAVA_HOME."
    try:
        told = subprocess.run([program or "java", "-version"], capture_output=True, text=True, check=True).stderr  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        raise SpecError(f"The engine spark needs Java {_JAVA} or newer, and there is none. {advice}") from None
    found = re.search(r'version "(?:1\.)?([0-9]+)', told)
    if found is not None and int(found[1]) < _JAVA:
        raise SpecError(f"The engine spark needs Java {_JAVA} or newer, and '{program}' is Java {found[1]}. {advice}")


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Keep to ourselves what pyspark warns of: a pandas that it does not know yet, and that we do not use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def stage_share(session: "SparkSession") -> float | None:
    """Return the share of the tasks of the stages that run now which are done; None if none runs."""
    tracker = session.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    n_tasks = sum(stage.numTasks for stage in stages if stage is not None)
    n_done = sum(stage.numCompletedTasks for stage in stages if stage is not None)
    return n_done / n_tasks if n_tasks else None


def stages_told(
    session: "SparkSession", progress: Progress, step: str = "counting the records"
) -> AbstractContextManager[None]:
    """Tell how far Spark is with a step, by the tasks of its stages."""
    return watched(progress, step, partial(stage_share, session))


@contextmanager
def told_plainly(where: str) -> Iterator[None]:
    """Tell an error of Spark without its own text, which may hold values.

    Args:
        where: The name of the table.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with _without_warnings():
            yield
    except (PySparkException, Py4JError, OSError) as error:
        full = next((words for sign, words in _FULL.items() if re.search(sign, str(error))), None)
        if full is not None:
            raise SpecError(f"Spark could not count or solve {where}: {full}. Nothing was released.") from None
        raise SpecError(
            f"Spark could not read {where} ({type(error).__name__}): it is not there, or of a kind that this Spark has "
            "no package for; or files are damaged, do not have the same columns and types, or are not seen by all its "
            "executors; or the run was ended, or ran out of memory or disk."
        ) from None
