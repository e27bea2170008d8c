"""Progress on a terminal: shown for what is long, with the time left; never where nobody looks."""

import json
import os
import pty
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from shoal.cli.printing import bar as module
from shoal.cli.printing.bar import Bar, left
from shoal.cli.show import progress
from shoal.foundation.progress import silent
from tests.cli.run import done, job_toml, shoal, write_csv

SLOW = """
import sys, time
from shoal.cli import main
from shoal.cli.printing import bar
from shoal.cli import show
from shoal.search.engines import Local
bar._PATIENCE = 0.05
known = Local.count
def slow(*given):
    time.sleep(0.6)
    return known(*given)
Local.count = slow
sys.argv = ["shoal", *sys.argv[1:]]
main()
"""


def on_terminal(*argv: object) -> tuple[int, str, str]:
    """Run a command whose stderr is a terminal; return its code, its output, and what the terminal got."""
    master, slave = pty.openpty()
    command = [sys.executable, "-c", SLOW, *map(str, argv)]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=slave, text=True, env={**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    )
    os.close(slave)
    shown = []
    while True:
        ready, _, _ = select.select([master], [], [], 300)
        try:
            part = os.read(master, 65536) if ready else b""
        except OSError:  # the other side is closed
            part = b""
        if not part:
            break
        shown.append(part)
    out, _ = running.communicate(timeout=300)
    os.close(master)
    return running.returncode, out, b"".join(shown).decode(errors="replace")


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_a_terminal_sees_the_steps_and_the_output_stays_clean(tmp_path: Path) -> None:
    job = job_toml(tmp_path)
    code, out, shown = on_terminal("anonymize", job, "--algorithm", "optimal", "--out", tmp_path / "a", "--json")
    assert code == 0, shown
    assert json.loads(out)["verdict"] == "all claims hold"
    assert "counting the records" in shown
    assert "0:00:0" in shown


def test_quiet_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress(quiet=True) as shown:
        assert shown is silent
    with progress(quiet=False) as shown:
        assert isinstance(shown, Bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    with progress(quiet=False) as shown:
        assert shown is silent


def test_a_release_tells_its_steps(tmp_path: Path) -> None:
    import shoal as front

    told: list[tuple[str, float | None]] = []
    write_csv(tmp_path / "t.csv", "ab", [(i % 3, i % 2) for i in range(60)])
    release = front.anonymize(tmp_path / "t.csv", quasi=["a"], sensitive=["b"], k=2, algorithm="optimal")
    release.write(tmp_path / "out", progress=lambda step, share=None: told.append((step, share)))
    steps = list(dict.fromkeys(step for step, _ in told))
    assert steps == [
        "writing the release",
        "deriving the claims again",
        "looking for who is singled out",
        "making the reports",
    ]
    again: list[str] = []
    front.verify(tmp_path / "out", progress=lambda step, share=None: again.append(step))
    assert again == ["comparing the files with their digests", "deriving the claims again"]


def test_the_time_left_is_that_of_the_step() -> None:
    assert left(None, 3.0) is None
    assert left(0.0, 3.0) is None
    assert left(0.25, 3.0) == 9.0
    assert left(1.0, 3.0) == left(1.5, 3.0) == 0.0


def test_a_clock_opens_the_bar_though_the_command_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    before = threading.active_count()
    with Bar() as bar:
        bar("reading [the] table")
        end = time.monotonic() + 60
        while bar._bar is None and time.monotonic() < end:  # noqa: SLF001
            time.sleep(0.005)
        assert bar._bar is not None  # noqa: SLF001
        bar("searching", 0.5)
        assert bar.times().endswith("left")
    assert threading.active_count() <= before + 1


def test_a_short_command_shows_no_bar() -> None:
    with Bar() as bar:
        bar("reading the table")
        assert bar._bar is None  # noqa: SLF001


COMMANDS = {
    "init": ("init", "data.csv", "--out", "made"),
    "hierarchy": ("hierarchy", "data.csv", "age"),
    "check": ("check", "data.csv", "--quasi", "age,zip"),
    "risk": ("risk", "data.csv", "--quasi", "age,zip"),
    "attack": ("attack", "data.csv", "--quasi", "age,zip", "--sensitive", "disease"),
    "utility": ("utility", "data.csv", "--raw", "data.csv", "--quasi", "age,zip", "--figure", "columns"),
    "compare": ("compare", "job.toml", "--k", "2,3", "--algorithm", "optimal"),
    "frontier": ("frontier", "job.toml", "--k", "2"),
    "minimal": ("minimal", "job.toml"),
    "anonymize": ("anonymize", "job.toml", "--algorithm", "optimal", "--out", "released"),
    "verify": ("verify", "released"),
    "apply": ("apply", "released", "data.csv", "--failing", "suppress", "--max-suppressed", "1", "--out", "applied"),
}


def test_json_is_all_that_is_printed_by_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job_toml(tmp_path)
    monkeypatch.chdir(tmp_path)
    for argv in COMMANDS.values():
        ran = done(*argv, "--json", "--quiet")
        assert isinstance(ran.json, dict), argv
        assert ran.err == "", argv


def test_an_error_as_json_is_told_to_people_too(tmp_path: Path) -> None:
    for argv in (("init", tmp_path / "none.csv"), ("utility", tmp_path / "none"), ("apply", tmp_path, tmp_path / "x")):
        ran = shoal(*argv, "--json")
        assert ran.code == 2
        assert ran.json["error"]["message"] in ran.err
