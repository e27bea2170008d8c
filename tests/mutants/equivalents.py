"""Changes that no test can notice, each with the reason: read from the folder `equivalent/`, a file for each room."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.changes import Change


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A change that comes to the same, and why."""

    file: str
    function: str
    line: str
    change: str
    reason: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the change, wherever its line stands."""
        return self.function, self.line, self.change


def listed(folder: Path) -> list[Equivalent]:
    """Read the lists; a change without a reason is refused."""
    found = [(path, tomllib.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.toml"))]
    entries = [(path, Equivalent(**entry)) for path, told in found for entry in told["equivalent"]]
    for path, entry in entries:
        if not entry.reason.strip():
            raise ValueError(f"{path}: no reason for '{entry.change}' in {entry.file}")
    return [entry for _, entry in entries]


def matched(
    changes: Sequence[Change], entries: Sequence[Equivalent]
) -> tuple[dict[Change, Equivalent], list[Equivalent]]:
    """Return which changes of one file are listed, and the entries that name none: their line is another now."""
    known = {entry.key: entry for entry in entries}
    found = {change: known[change.key] for change in changes if change.key in known}
    return found, [entry for entry in entries if entry not in found.values()]
