"""The cases of the quick run: every value of every parameter once, and not all of them with each other."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import pytest

Named = tuple[int, str]  # the place of a parameter, and the name of its value


def covering(cases: Sequence[Sequence[Named]]) -> set[int]:
    """Return the places of cases that show every value at least once.

    The case with most values that were not shown yet is next; of equals the one whose values were shown least often, so
    that the values of one parameter meet different ones of another.
    """
    shown: Counter[Named] = Counter()
    left = dict(enumerate(cases))
    taken: set[int] = set()
    wanted = {value for case in cases for value in case}
    while len(shown) < len(wanted):
        best = min(left, key=lambda place: _order(left[place], shown))
        shown.update(left.pop(best))
        taken.add(best)
    return taken


def _order(case: Sequence[Named], shown: Counter[Named]) -> tuple[int, int]:
    return -sum(value not in shown for value in case), sum(shown[value] for value in case)


def quick_cases(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of the quick run, and those that are left to the deep one.

    A test with one list of parameters stays whole, and so does one that is not of pytest's own kind.
    """
    cases: dict[str, list[tuple[pytest.Item, list[Named]]]] = defaultdict(list)
    for item in items:
        names = item.callspec._idlist if isinstance(item, pytest.Function) and hasattr(item, "callspec") else []  # noqa: SLF001  (`id` does not tell where a name ends)
        cases[item.nodeid.partition("[")[0]].append((item, list(enumerate(names))))
    quick: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for found in cases.values():
        taken = covering([names for _, names in found]) if len(found[0][1]) > 1 else range(len(found))
        for place, (item, _) in enumerate(found):
            (quick if place in taken else left).append(item)
    return quick, left
