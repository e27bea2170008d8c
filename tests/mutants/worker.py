"""Try changes in a copied tree, one after the other: a line of JSON in, a line of JSON out.

The packages that shoal stands on are imported once; each trial is a fork that imports shoal with the change in place
and runs the tests that it is given. Nothing of shoal, nor of its tests, may be imported here.
"""

import json
import os
import sys
from functools import partial
from pathlib import Path

from tests.mutants.forks import PROFILE, QUIETLY, Kept, imported_once, tried


def main() -> None:
    """Answer every line of the input."""
    imported_once()
    for number, line in enumerate(sys.stdin):
        asked = json.loads(line)
        path = Path(asked["file"])
        original = path.read_text(encoding="utf-8")
        _write(path, asked["text"] or original, 2 * number)
        try:
            kept = Kept(asked["log"])
            answer = tried(
                partial(_trial, asked["tests"], asked["noticed"], asked["place"], kept), asked["seconds"], kept
            )
        finally:
            _write(path, original, 2 * number + 1)
        print(json.dumps(answer), flush=True)


def _trial(tests: list[str], noticed: list[str], place: str, kept: Kept) -> int:
    """Import shoal and run the tests, those first that noticed much lately; return the exit code of pytest."""
    import pytest

    from tests.mutants.order import Order
    from tests.mutants.watch import Sorted, Watch

    order = Order(kept.order)
    for test in noticed:
        order.add("", test)
    plugins = [Watch(kept.running, order.seconds), Sorted(order, tests[0], place)]
    return int(pytest.main(["-x", *QUIETLY, f"--hypothesis-profile={PROFILE}", *tests], plugins=plugins))


def _write(path: Path, text: str, second: int) -> None:
    """Write a source with a time that no other version of it has: by that Python knows which bytecode is stale."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (second, second))


if __name__ == "__main__":
    main()
