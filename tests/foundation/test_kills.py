"""A command that is killed at any moment leaves the old release or the new one, and the next run clears up after it."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import polars as pl
import pytest

import shoal
from tests.foundation.faults import stands

COMMAND = [sys.executable, "-m", "shoal", "anonymize", "data.csv", "--quasi", "q", "--sensitive", "s", "--seed", "1"]


def started(folder: Path, k: int) -> subprocess.Popen[bytes]:
    flags = ["--k", str(k), "--out", "out", "--force", "--quiet"]
    return subprocess.Popen([*COMMAND, *flags], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("kills", [2, pytest.param(1_000, marks=pytest.mark.deep)])
def test_nothing_is_half_after_a_kill(kills: int, tmp_path: Path) -> None:
    """Runs with k = 2 and k = 8 replace each other; kills come sooner after a run that ended before its kill."""
    rows = [(letter, secret) for letter in "abcd" for secret in "xyxy"]
    pl.DataFrame(rows, schema=["q", "s"], orient="row").write_csv(tmp_path / "data.csv")
    known, seconds = {}, 0.0
    for k in (2, 8):
        begun = time.monotonic()
        assert started(tmp_path, k).wait() == 0
        seconds = time.monotonic() - begun
        known[str(k)] = (tmp_path / "out").rename(tmp_path / f"k{k}")
    rng, found, killed = Random(kills), [], 0  # noqa: S311
    for number in range(kills):
        run = started(tmp_path, (2, 8)[number % 2])
        time.sleep(rng.uniform(0.3, 1.1) * seconds)
        run.send_signal(signal.SIGKILL)
        was_killed = run.wait() == -signal.SIGKILL
        killed += was_killed
        seconds *= 1.01 if was_killed else 0.9
        found.append(stands(tmp_path / "out", known))
    assert "half" not in found
    assert killed or kills < 10
    assert started(tmp_path, 2).wait() == 0
    assert stands(tmp_path / "out", known) == "2"
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "k2", "k8", "out"}
    shoal.verify(tmp_path / "out")
