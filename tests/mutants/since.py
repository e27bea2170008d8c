"""Which changes are of functions that are newer than a commit."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.changes import Change

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def newer(root: Path, file: str, changes: Sequence[Change], commit: str) -> list[Change]:
    """Return the changes of functions in which a line came since a commit; all of them if none is named."""
    if not commit:
        return list(changes)
    command = ["git", "diff", "--unified=0", commit, "--", file]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    lines = added(told)
    functions = {change.function for change in changes if change.number in lines}
    return [change for change in changes if change.function in functions]


def added(told: str) -> set[int]:
    """Return the numbers of the lines that a diff without context adds."""
    hunks = [(int(begin), int(number or 1)) for begin, number in _HUNK.findall(told)]
    return {line for begin, number in hunks for line in range(begin, begin + number)}
