"""Each file operation of writing a release fails once: nothing is lost, nothing is half, and the message is right."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("step", [15, pytest.param(1, marks=pytest.mark.deep)])
def test_a_file_operation_that_fails_leaves_the_old_or_the_new(step: int, tmp_path: Path) -> None:
    run = [sys.executable, "-m", "tests.foundation.faults", str(tmp_path), str(step)]
    told = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    assert told["wrong"] == []
    assert len(told["tried"]) == 6
    assert min(told["tried"].values()) >= 40 // step
