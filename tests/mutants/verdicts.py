"""Verdicts of earlier runs: which test noticed which change."""

import ast
import hashlib
from functools import cache
from pathlib import Path

from tests.mutants.changes import Change
from tests.mutants.order import file_of


class Verdicts:
    """Which test noticed which change. It does so while the changed file is the same, and the test with its file.

    Other tests of that file may change: they are no part of it.

    Args:
        root: The house.
        path: Where the verdicts are kept, a line each.
        anew: Whether those that are there are not believed.
    """

    def __init__(self, root: Path, path: Path, *, anew: bool = False) -> None:
        self._root, self._path = root, path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() and not anew else []
        found = [line.split(maxsplit=3) for line in lines]
        self._noticed = {(changed, digest, test) for changed, digest, _, test in found}
        self._tests: dict[str, set[str]] = {}
        for changed, _, _, test in found:
            self._tests.setdefault(changed, set()).add(test)

    def noticed(self, change: Change) -> bool:
        """Tell whether a test is known to notice a change."""
        changed = _hashed(change.text)
        tests = self._tests.get(changed, ())
        return any((changed, digest_of(self._root, test), test) in self._noticed for test in tests)

    def add(self, change: Change, file: str, test: str) -> None:
        """Remember which test noticed a change of a file."""
        place = f"{file}:{change.number}"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as kept:
            print(_hashed(change.text), digest_of(self._root, test), place, test, file=kept)


def digest_of(root: Path, test: str) -> str:
    """Return a digest of a test with all of its file but other tests; none if the file is gone."""
    path = root / file_of(test)
    return (
        _digest(path.read_text(encoding="utf-8"), test.rpartition("::")[2].partition("[")[0]) if path.is_file() else ""
    )


@cache
def _digest(source: str, name: str) -> str:
    tree = ast.parse(source)
    tree.body = [
        part
        for part in tree.body
        if not (isinstance(part, ast.FunctionDef) and part.name.startswith("test_") and part.name != name)
    ]
    return _hashed(ast.dump(tree))


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
