"""Tables of Spark are released by Spark, and verified by code that knows nothing of it."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.search.engines.spark import session
from tests.actions.test_counted_engines import SAME, asked, folder, table
from tests.search.engines.spark.server import java_processes

__all__ = ["folder"]  # a fixture
PROGRAM = [sys.executable, "-m", "shoal"]
CLUSTER = "local-cluster[2,1,1024]"  # two executors, which are processes of their own


def records(frame: Any) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row) for row in frame.collect())


def test_a_dataframe_is_released_as_one(spark: Any, tmp_path: Path) -> None:
    rows = table(90).rows()
    raw = spark.createDataFrame(rows, "id string, age long, zip string, sex string, ill string, note string")
    told = raw.withMetadata("zip", {"comment": "Canary"})
    release = shoal.anonymize(told, **asked("optimal"))
    local = shoal.anonymize(table(90), **asked("optimal"))
    for key in SAME:
        assert release.certificate[key] == local.certificate[key], key
    assert release.job.engine.name == "spark"
    assert records(release.data) == Counter(local.data.rows())
    release.data.write.parquet(str(tmp_path / "out"))
    assert not any(b"Canary" in path.read_bytes() for path in (tmp_path / "out").iterdir())
    release.write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release", raw=told, bound=True).verdict == "all claims hold"
    assert shoal.check(release.data, quasi=["age", "zip", "sex"])["k"] >= 3
    in_memory = shoal.anonymize(told, **{**asked("optimal"), "order": "input"})
    assert in_memory.job.engine.name == "auto"
    assert records(in_memory.data) == records(release.data)
    with pytest.raises(SpecError, match="the engine 'duckdb' reads files"):
        shoal.anonymize(told, **asked("optimal"), engine="duckdb")


@pytest.mark.engines
def test_pseudonyms_are_made_by_the_driver_with_a_key_that_nothing_sent_holds(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.serializers import CPickleSerializer

    shoal.new_pseudonym_key(tmp_path / "a.key")
    sent: list[bytes] = []
    dumps = CPickleSerializer.dumps

    def kept(self: Any, one: Any) -> bytes:
        sent.append(dumps(self, one))
        return sent[-1]

    monkeypatch.setattr(CPickleSerializer, "dumps", kept)
    plain = asked("optimal")
    plain["drop"] = [name for name in plain["drop"] if name != "id"]
    given = {**plain, "pseudonyms": {"id": "person"}, "pseudonym_key": tmp_path / "a.key"}
    persons = table(90).unique("id", maintain_order=True)
    raw = spark.createDataFrame(persons.rows(), "id string, age long, zip string, sex string, ill string, note string")
    with _logged(spark, tmp_path / "spark.log"):
        release = shoal.anonymize(raw, **given)
    assert records(release.data) == Counter(shoal.anonymize(persons, **given).data.rows())
    secret = (tmp_path / "a.key").read_bytes().split()[-1]
    plans = [one._jdf.queryExecution().toString().encode() for one in (raw, release.data)]  # noqa: SLF001
    logged = (tmp_path / "spark.log").read_bytes()
    assert b"Fixed point reached" in logged  # it says what Spark did, in all detail
    assert not any(word in one for one in (*sent, *plans, logged) for word in (secret, bytes.fromhex(secret.decode())))


@contextmanager
def _logged(spark: Any, file: Path) -> Iterator[None]:
    """Write all that Spark logs, at its lowest level, into a file."""
    log4j = spark._jvm.org.apache.logging.log4j  # noqa: SLF001
    levels, root = log4j.Level, log4j.LogManager.getContext(False).getConfiguration().getRootLogger()
    layout = log4j.core.layout.PatternLayout.createDefaultLayout()
    made = log4j.core.appender.FileAppender.newBuilder().withFileName(str(file)).setName("kept").setLayout(layout)
    appender = made.build()
    appender.start()
    root.addAppender(appender, levels.ALL, None)
    spark.sparkContext.setLogLevel("ALL")
    try:
        yield
    finally:
        spark.sparkContext.setLogLevel("OFF")
        root.removeAppender("kept")
        appender.stop()


def test_java_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SpecError, match=r"needs Java 17 or newer, and there is none\. Install Java 17"):
        session.check_java()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    for version, old in (("1.8.0_292", True), ("11.0.2", True), ("17.0.1", False), ("21", False)):
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", encoding="utf-8")
        java.chmod(stat.S_IRWXU)
        if old:
            with pytest.raises(SpecError, match=r"is Java (8|11)\. Install"):
                session.check_java()
        else:
            session.check_java()


def test_without_the_package_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[spark\]'"):
        shoal.anonymize(folder, **asked("optimal"), engine="spark")


def test_sizes_are_told_as_spark_wants_them() -> None:
    assert [session.mebibytes(size) for size in ("1GiB", "512 MiB", "2GB", "1.5GiB")] == [
        "1024m",
        "512m",
        "1907m",
        "1536m",
    ]


def job(folder: Path, place: Path) -> Path:
    """Write the job of a release, which the command line repeats."""
    shoal.anonymize(folder, **asked("mondrian"), engine="local").write(place / "local")
    return place / "local/private/job.toml"


@pytest.mark.engines
def test_executors_of_their_own_count_and_nothing_is_left(folder: Path, tmp_path: Path) -> None:
    given = job(folder, tmp_path)
    spill = tmp_path / "spill"
    spill.mkdir()
    command = [*PROGRAM, "anonymize", str(given), "--master", CLUSTER, "--out", str(tmp_path / "out")]
    ran = subprocess.run(
        command, env={**os.environ, "TMPDIR": str(spill)}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "WARN" not in ran.stderr
    assert "Stage" not in ran.stderr
    assert not list(spill.iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"local", "out", "spill"}
    one, two = (json.loads((tmp_path / name / "private/certificate.json").read_text()) for name in ("local", "out"))
    assert all(one[key] == two[key] for key in SAME)
    assert shoal.verify(tmp_path / "out", raw=folder).verdict == "all claims hold"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of files that take Spark some seconds to count."""
    place = tmp_path_factory.mktemp("large") / "data"
    place.mkdir()
    whole = pl.concat([table(30_000).with_columns(note=pl.lit(str(number))) for number in range(10)])
    for number in range(8):
        whole.sample(fraction=1, shuffle=True, seed=number).write_parquet(place / f"{number}.parquet")
    return place


def started(command: list[str], folder: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Start a run with executors, and wait until there are two of them beside the driver, which is named first.

    What the run says is in `said.txt` beside the folder that it spills to.
    """
    environment = {**os.environ, "TMPDIR": str(folder)}
    with (folder.parent / "said.txt").open("wb") as said:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=said)
    while process.poll() is None:
        found = java_processes(process.pid)
        if len(found) >= 3:
            return process, found
        time.sleep(0.05)
    raise AssertionError("the run ended before its executors were seen")


def gone(pids: list[int], seconds: float = 60) -> bool:
    """Wait for the end of processes."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.2)
    return False


@pytest.mark.engines
def test_a_killed_executor_and_a_killed_driver_leave_a_whole_release_or_nothing(large: Path, tmp_path: Path) -> None:
    release = {**asked("mondrian"), "insensitive": ["note"]}
    release["drop"] = [name for name in release["drop"] if name != "note"]
    shoal.anonymize(large, **release, engine="local").write(tmp_path / "local")
    spill = tmp_path / "spill"
    spill.mkdir()
    command = [*PROGRAM, "anonymize", str(tmp_path / "local/private/job.toml"), "--master", CLUSTER, "--out"]
    process, java = started([*command, str(tmp_path / "one")], spill)
    os.kill(java[-1], signal.SIGKILL)
    assert process.wait(600) == 0, (tmp_path / "said.txt").read_text()
    one, two = (json.loads((tmp_path / name / "private/certificate.json").read_text()) for name in ("local", "one"))
    assert all(one[key] == two[key] for key in SAME)
    assert gone(java)
    process, java = started([*command, str(tmp_path / "two")], spill)
    process.kill()
    process.wait()
    assert gone(java), "Java goes on without the run that started it"
    assert {path.name for path in tmp_path.iterdir()} == {"local", "one", "said.txt", "spill"}
    left = list(spill.glob("shoal-spill-*"))
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(spill))
        shoal.anonymize(large, **asked("mondrian"), engine="duckdb")
    assert left
    assert not list(spill.glob("shoal-spill-*"))


@pytest.mark.parametrize("engine", ["spark", "spark:regions=2000"])
@pytest.mark.engines
def test_a_full_disk_is_told_and_leaves_nothing(large: Path, tmp_path: Path, engine: str) -> None:
    """No process may write files larger than the limit, as if each disk were that small."""
    spill = tmp_path / "spill"
    spill.mkdir()
    flags = ["--quasi", "age,zip,sex", "--sensitive", "ill", "--insensitive", "note", "--drop", "id", "--k", "3"]
    command = [*PROGRAM, "anonymize", str(large), *flags, "--algorithm", "mondrian", "--engine", engine]
    ran = subprocess.run(
        [*command, "--out", str(tmp_path / "out")],
        env={**os.environ, "TMPDIR": str(spill)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, 16_384)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "a disk is full, on which it keeps what it shuffles" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["spill"]
    assert not list(spill.iterdir())


@pytest.mark.engines
def test_a_program_for_spark_submit_runs_in_the_session_that_it_is_given(folder: Path, tmp_path: Path) -> None:
    program = tmp_path / "release.py"
    program.write_text(
        f"import shoal\n"
        f"made = shoal.anonymize({str(folder)!r}, **{asked('mondrian')!r}, engine='spark')\n"
        f"made.write({str(tmp_path / 'out')!r})\n",
        encoding="utf-8",
    )
    import pyspark

    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), "--master", "local[2]", "--conf", f"spark.local.dir={tmp_path / 'spark'}", str(program)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert shoal.verify(tmp_path / "out").verdict == "all claims hold"


@pytest.mark.engines
def test_a_master_that_is_none_is_told(folder: Path) -> None:
    roles = ["--quasi", "age,zip", "--drop", "id,sex,ill,note"]
    ran = subprocess.run(
        [
            *PROGRAM,
            "anonymize",
            str(folder),
            "--k",
            "3",
            "--master",
            "nowhere",
            *roles,
            "--out",
            str(folder.parent / "x"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "Spark could not be started with the master 'nowhere'" in ran.stderr
    assert "Traceback" not in ran.stderr
