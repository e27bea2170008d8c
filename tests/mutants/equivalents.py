"""Changes that no test can notice, each with the reason: read from `equivalent.toml`."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from tests.mutants.changes import Change

_LIKE = 0.85  # a renamed word in a line leaves this much of it


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


def listed(path: Path) -> list[Equivalent]:
    """Read the list; a change without a reason is refused."""
    entries = [Equivalent(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])]
    for entry in entries:
        if not entry.reason.strip():
            raise ValueError(f"{path}: no reason for '{entry.change}' in {entry.file}")
    return entries


def matched(
    changes: Sequence[Change], entries: Sequence[Equivalent]
) -> tuple[dict[Change, Equivalent], list[Equivalent]]:
    """Return which changes of one file are listed, and the entries that name none.

    An entry names a change by its function, the text of its line and what became what. Where none agrees to the
    letter, it names the one that is most like it: a word was renamed.
    """
    exact = {entry.key: entry for entry in entries}
    found = {change: exact[change.key] for change in changes if change.key in exact}
    stale = [entry for entry in entries if entry not in found.values()]
    for entry in list(stale):
        rest = [change for change in changes if change not in found]
        nearest = max(rest, key=lambda change: _likeness(change, entry), default=None)
        if nearest is not None and _likeness(nearest, entry) >= _LIKE:
            for change in rest:
                if change.key == nearest.key:
                    found[change] = entry
            stale.remove(entry)
    return found, stale


def _likeness(change: Change, entry: Equivalent) -> float:
    pairs = zip(change.key, entry.key, strict=True)
    return min(SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in pairs)
