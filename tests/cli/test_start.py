"""How the command starts and ends: light, with help, and with nothing left behind when it is stopped."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer.core

from shoal import cli
from shoal.cli import _COMMANDS
from shoal.search.engines import Local
from shoal.tables.location import FileLocation
from tests.cli.run import entries, job_toml, shoal, write_csv

COMMANDS = [command.__name__ for command in _COMMANDS]
HEAVY = "{'numba', 'polars', 'pyspark', 'pandas', 'pyarrow', 'numpy', 'duckdb'}"


def _python(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_importing_is_light() -> None:
    assert _python(f"import sys, shoal; print(({HEAVY} | {{'pydantic', 'typer'}}) & set(sys.modules))") == "set()"


def test_help_is_light() -> None:
    code = (
        "import sys\nfrom shoal.cli import main\nsys.argv = ['shoal', 'anonymize', '--help']\n"
        f"try:\n    main()\nexcept SystemExit as end:\n    print('heavy:', {HEAVY} & set(sys.modules), end.code)"
    )
    assert _python(code).splitlines()[-1] == "heavy: set() 0"


def test_a_run_imports_only_what_it_needs(tmp_path: Path) -> None:
    job = job_toml(tmp_path)
    code = (
        "import sys\nfrom shoal.cli import main\n"
        f"sys.argv = ['shoal', 'anonymize', {str(job)!r}, '--algorithm', 'optimal', '--k', '2', '--json', '--quiet',"
        f" '--out', {str(tmp_path / 'out')!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "rooms = ('shoal.search.algorithms.', 'shoal.measures.', 'shoal.models.', 'shoal.tables.formats.')\n"
        "print([name for name in sys.modules if name.startswith(rooms)])\n"
        "print({'highspy', 'sklearn', 'rich.table', 'shoal.search.solver'} & set(sys.modules))"
    )
    *_, rooms, heavy = _python(code).splitlines()
    assert heavy == "set()"
    assert "shoal.search.algorithms.optimal" in rooms
    for name in ("algorithms.tightest", "algorithms.auto", "measures.ncp", "models.t_closeness", "formats.parquet"):
        assert name not in rooms


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    for flag in ("--help", "-h"):
        ran = shoal(command, flag)
        assert ran.code == 0
        assert "Usage: shoal" in ran.out


def test_the_command_itself() -> None:
    for command in COMMANDS:
        assert command in shoal("--help").out
    assert shoal().code == 2
    assert shoal("--version").out.strip().count(".") == 2
    assert shoal("anonymise").code == 2
    assert shoal("anonymize").code == 2


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "Interrupted: nothing was written."),
        (KeyboardInterrupt("by a library"), 130, "Interrupted: nothing was written."),
        (KeyboardInterrupt(signal.SIGTERM), 143, "Interrupted: nothing was written."),
        (MemoryError(), 1, "There is not enough memory for this table: nothing was written."),
        (SystemError("secret"), 1, "Internal error (SystemError at test_start.py:"),
        (RuntimeError("secret"), 1, "Internal error (RuntimeError at test_start.py:"),
    ],
)
def test_how_a_run_ends_that_does_not_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, words: str
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise raised

    job = job_toml(tmp_path)
    before = entries(tmp_path)
    monkeypatch.setattr(Local, "count", stopped)
    ran = shoal("anonymize", job, "--out", tmp_path / "out")
    assert ran.code == code
    assert ran.err.splitlines()[-1].startswith(words)  # on the first run ever after a word on compiling
    assert "secret" not in ran.err + ran.out
    assert entries(tmp_path) == before


@pytest.mark.parametrize(
    ("number", "made"),
    [
        (signal.SIGINT, (typer.core.TyperGroup, "make_context")),
        (signal.SIGTERM, (typer.core.TyperGroup, "make_context")),
        (signal.SIGTERM, (cli, "_parser")),
    ],
)
def test_an_interrupt_while_the_arguments_are_read_is_told(
    number: signal.Signals, made: tuple[object, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt(int(number))

    monkeypatch.setattr(*made, interrupted)
    ran = shoal("check", "nothing.csv")
    assert ran.code == 128 + number
    assert ran.err == "Interrupted: nothing was written.\n"


def test_an_interrupt_within_a_kernel_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python tells an interrupt that comes as a kernel returns as the cause of the cause of a SystemError."""

    def stopped(*_: object, **__: object) -> None:
        inner = SystemError("inner")
        inner.__cause__ = KeyboardInterrupt()
        raise SystemError("outer") from inner

    monkeypatch.setattr(Local, "count", stopped)
    assert shoal("anonymize", job_toml(tmp_path), "--out", tmp_path / "out").code == 130


_TELLING = """
import sys
from shoal.cli import start
from shoal.search.algorithms import Exhaustive
solve = Exhaustive.solve
def told(*given):
    print("searching", flush=True)
    return solve(*given)
Exhaustive.solve = told
start()
"""


@pytest.fixture(scope="module")
def long_job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    draw = random.Random(0)  # noqa: S311
    names = "abcdef"
    write_csv(folder / "data.csv", names, ([draw.randrange(100) for _ in names] for _ in range(60_000)))
    columns = "".join(f'[columns.{name}]\nrole = "quasi"\n' for name in names)
    search = '[search]\nalgorithm = "exhaustive"\n'
    text = f'[input]\npath = "data.csv"\n{columns}[[require]]\nmodel = "k-anonymity"\nk = 5\n{search}'
    return job_toml(folder, text)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "code"), [pytest.param(signal.SIGINT, 130, marks=pytest.mark.deep), (signal.SIGTERM, 143)]
)
def test_a_signal_leaves_nothing(long_job: Path, number: signal.Signals, code: int) -> None:
    before = entries(long_job.parent)
    command = [sys.executable, "-c", _TELLING, "anonymize", str(long_job), "--out", str(long_job.parent / "out")]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "searching\n"
    time.sleep(0.1)
    assert running.poll() is None, "the run was too short"
    running.send_signal(number)
    out, err = running.communicate(timeout=300)
    assert running.returncode == code, err
    assert err.endswith("Interrupted: nothing was written.\n")
    assert out == ""
    assert entries(long_job.parent) == before


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.deep)])
def test_a_signal_while_the_file_is_written_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """Polars raises an interrupt while Python still has its own to raise, which used to stop the clearing up."""
    draw = random.Random(1)  # noqa: S311
    write_csv(tmp_path / "data.csv", "ab", ((draw.randrange(5), draw.random()) for _ in range(200_000)))
    command = [sys.executable, "-m", "shoal", "anonymize", str(tmp_path / "data.csv"), "--quasi", "a"]
    command += ["--insensitive", "b", "--k", "5", "--out", str(tmp_path / "out")]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and len(entries(tmp_path)) == 1:
        time.sleep(0.001)
    time.sleep(0.01)
    running.send_signal(number)
    _, err = running.communicate(timeout=300)
    assert entries(tmp_path) == ({"data.csv"} if running.returncode else {"data.csv", "out"}), err


def test_names_that_a_terminal_cannot_show_do_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("größe\n1\n1\n", encoding="utf-8")
    command = [sys.executable, "-m", "shoal", "check", str(tmp_path / "data.csv"), "--quasi", "größe", "--json"]
    ran = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_the_main_function_never_returns() -> None:
    assert cli.main.__annotations__["return"].__name__ == "NoReturn"


def test_a_failure_is_told_though_nobody_reads_the_output(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "shoal", "check", str(tmp_path / "no.csv"), "--quasi", "a", "--json"]
    ran = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert ran.returncode == 128 + signal.SIGPIPE
    assert ran.stderr.startswith("There is no file")
    assert "Traceback" not in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("command", ["compile", pytest.param("anonymize", marks=pytest.mark.deep)])
def test_a_signal_while_kernels_are_compiled_ends_the_run(tmp_path: Path, command: str) -> None:
    """With a cache of its own there is nothing compiled yet; the kernel at hand is finished, and no other is begun."""
    job = job_toml(tmp_path)
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    argv = {"compile": ["compile"], "anonymize": ["anonymize", str(job), "--out", str(tmp_path / "out")]}[command]
    running = subprocess.Popen(
        [sys.executable, "-m", "shoal", *argv],
        env={**os.environ, "NUMBA_CACHE_DIR": str(kernels)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while running.poll() is None and not any(path.is_file() for path in kernels.rglob("*.kernel")):
        time.sleep(0.05)
    assert running.poll() is None, "nothing was compiled"
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=300)
    assert running.returncode == 143, err
    assert err.endswith("Interrupted: nothing was written.\n")
    assert not (tmp_path / "out").exists()


_STARVED = """
import resource, sys
from pathlib import Path
import shoal.actions.verify
from shoal.cli import main
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 150_000_000, resource.RLIM_INFINITY))
sys.argv = ["shoal", "verify", sys.argv[1]]
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is told by Linux")
def test_memory_that_runs_out_is_told(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text("", encoding="utf-8")
    (tmp_path / "certificate.json").write_bytes(b'{"a": "' + b"x" * 120_000_000 + b'"}')
    ran = subprocess.run(
        [sys.executable, "-c", _STARVED, str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "There is not enough memory for this table: nothing was written.\n"


@pytest.mark.parametrize("raised", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
@pytest.mark.parametrize(
    "argv", [("check", "data.csv", "--quasi", "age"), ("anonymize", "job.toml"), ("init", "data.csv", "--yes")]
)
def test_memory_that_runs_out_while_a_table_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], raised: Exception
) -> None:
    def starved(*_: object, **__: object) -> None:
        raise raised

    job_toml(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = entries(tmp_path)
    for step in ("read", "rows"):
        monkeypatch.setattr(FileLocation, step, starved)
    ran = shoal(*argv)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "There is not enough memory for this table: nothing was written.\n"
    assert entries(tmp_path) == before
