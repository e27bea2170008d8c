"""Which changes are of functions that are newer than a commit."""

import subprocess
from pathlib import Path

from tests.mutants.changes import changes
from tests.mutants.since import added, newer

OLD = """
def weigh(a):
    return a + 1


def lift(a):
    b = a - 1
    return b - 2
"""


def test_a_changed_line_counts_for_its_whole_function_alone(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        command = ["git", *words]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "weights.py").write_text(OLD, encoding="utf-8")
    git("init")
    git("add", "weights.py")
    git("-c", "user.name=N", "-c", "user.email=n@localhost", "commit", "-m", "Weights")
    new = OLD.replace("b - 2", "b - 3")
    (tmp_path / "weights.py").write_text(new, encoding="utf-8")
    made = changes(new)
    found = newer(tmp_path, "weights.py", made, "HEAD")
    assert {change.function for change in found} == {"lift"}
    assert {change.number for change in found} == {7, 8}
    assert newer(tmp_path, "weights.py", made, "") == made


def test_the_lines_that_a_diff_adds() -> None:
    assert added("@@ -3 +4 @@ def weigh\n@@ -7,2 +9,3 @@\n@@ -20,4 +22,0 @@\n") == {4, 9, 10, 11}
