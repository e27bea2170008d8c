"""How far charges of parts fall for the classes across their borders: by hand, and against all such classes."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.bounds.charges import Charges
from shoal.kernels.bounds.families import PatternList
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.search.bounds import crossing
from shoal.search.bounds.crossing import ChargedGroups, _settle, overcharged
from shoal.search.bounds.families import Family, _closure_price
from shoal.search.local.forms import forms_of
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

ROWS = {value: (value, group, "*") for value, group in zip("abcd", "xxyy", strict=True)}  # a third, and all
FORMS = forms_of(
    local_problem(LocalTable([{"q": q} for q in "abcd"], {"q": ROWS}), Rules((KAnonymity(k=2),)), "lm").tally.quasi,
    Lm(),
)
TINY = 1e-9


def groups(
    values: str, parts: str, charges: list[float], counts: list[int] | None = None, low: list[float] | None = None
) -> ChargedGroups:
    """Return a group for each value; half of its records have the least charge and half the largest."""
    high, many = np.array(charges), np.array(counts or [1] * len(values))
    least = high if low is None else np.array(low)
    return ChargedGroups(
        np.array([["abcd".index(value)] for value in values], dtype=np.int32),
        np.array([int(part) for part in parts], dtype=np.int32),
        many,
        least,
        high,
        many * (least + high) / 2,
    )


def lost(found: ChargedGroups, k: int = 2) -> float:
    return overcharged(found, FORMS, [4], k)


@pytest.mark.parametrize(
    ("found", "fall"),
    [
        (groups("ab", "01", [0.3, 0.3]), 0.0),  # both together cost a third each
        (groups("ab", "01", [0.5, 0.1]), 0.0),  # one of them may be charged more
        (groups("ab", "01", [0.5, 0.5]), 1 / 3),
        (groups("ab", "00", [5.0, 5.0]), 0.0),  # no class across parts
        (groups("ac", "01", [1.0, 1.0]), 0.0),  # they cost a whole each
        (groups("ac", "01", [1.5, 1.0]), 0.5),
        (groups("ac", "01", [1.0, 1.5], [3, 1]), 0.5),
        (groups("ac", "01", [-1.0, 3.0]), 0.0),
        (groups("abcd", "0011", [9.0, 9.0, 9.0, 9.0]), 32.0),  # inside of a part any charge is right
        (groups("aa", "01", [1.0, 1.0]), 2.0),  # alike: they cost nothing
    ],
)
def test_charges_fall_to_what_classes_across_parts_cost(found: ChargedGroups, fall: float) -> None:
    assert lost(found) == pytest.approx(fall, abs=2e-3)
    assert lost(found) >= fall - TINY


def test_the_others_of_a_class_make_up_for_a_record_that_is_charged_much() -> None:
    """Three records cost a third each if they have two neighbours in another part."""
    assert lost(groups("ab", "01", [0.99, 0.0], [1, 2]), k=3) == 0
    assert lost(groups("ab", "01", [1.25, 0.0], [1, 2]), k=3) == pytest.approx(0.25, abs=2e-3)
    assert lost(groups("ab", "01", [1.25, 0.0], [1, 2]), k=4) == 0  # too few for a class


def test_charges_of_a_group_fall_by_the_part_that_its_largest_falls() -> None:
    """The largest of `a` falls from 1 to a third: two thirds of what its charges are above the least."""
    found = groups("ab", "01", [1.0, 1 / 3], [4, 4], low=[0.0, 1 / 3])
    assert lost(found) == pytest.approx(4 * (1 / 2) * (2 / 3), abs=2e-2)
    below = groups("ab", "01", [1.0, 1 / 3], [4, 4], low=[0.5, 1 / 3])  # all fall to a third
    assert lost(below) == pytest.approx(4 * (3 / 4 - 1 / 3), abs=2e-2)


def test_a_table_without_a_column_that_counts_is_charged_what_its_values_cost() -> None:
    free = FORMS._replace(weights=np.zeros(1), prices=np.zeros(len(FORMS.prices)))
    assert overcharged(groups("ac", "01", [1.0, -0.5]), free, [4], 2) == 1.0


TWO = forms_of(
    local_problem(
        LocalTable([{"q": q, "r": "u"} for q in "abcd"], {"q": ROWS, "r": {"u": ("u", "*")}}),
        Rules((KAnonymity(k=2),)),
        "lm",
    ).tally.quasi,
    Lm(),
)
EACH = 0.25


def lost_beside_a_column_of_one_value(found: ChargedGroups, k: int = 2) -> float:
    """Every value of both columns costs a quarter more; all records have the same in the second."""
    codes = np.column_stack([found.codes, np.zeros(len(found.codes), dtype=np.int32)])
    dearer = TWO._replace(prices=TWO.prices + EACH)
    return overcharged(replace(found, codes=codes), dearer, [4, 1], k)


def test_what_a_column_of_one_value_costs_is_charged_to_every_record(monkeypatch: pytest.MonkeyPatch) -> None:
    both = 2 * EACH
    alike = groups("aa", "01", [1 + both, 1 + both])  # nothing differs
    assert lost_beside_a_column_of_one_value(alike) == pytest.approx(2.0, abs=2e-3)
    found = groups("ab", "01", [1 / 3 + both, 1 / 3 + both + 0.5])
    assert lost_beside_a_column_of_one_value(found) == pytest.approx(0.5, abs=2e-3)
    monkeypatch.setattr(Family, "listed", lambda *_, **__: None)  # too many patterns: all fall to their floors
    assert lost_beside_a_column_of_one_value(found) == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize(
    ("above", "falls"), [(1.0, (1 / 3, 1 / 2, 3 / 4, 1.0)), (0.5, (0.0, 1 / 4, 3 / 8, 1 / 2))], ids=["much", "little"]
)
def test_what_is_listed_is_halved_until_there_is_room(
    above: float, falls: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Charges that are not looked at are lowered to their floors, which no class exceeds."""
    found, seen, own = groups("ab", "01", [above + 1 / 3, 0.0], [1, 2]), list[NDArray[np.float64]](), Family.listed

    def listed(
        self: Family, caps: NDArray[np.float64], floors: NDArray[np.float64], most_members: int | None = None
    ) -> PatternList | None:
        seen.append(caps.copy())
        return own(self, caps, floors, most_members) if len(seen) == enough else None

    monkeypatch.setattr(Family, "listed", listed)
    for enough, fall in zip((1, 2, 3, 9), falls, strict=True):
        seen.clear()
        assert lost(found, k=3) == pytest.approx(fall, abs=2e-3)
        caps = [1 / 3 + above * 0.5**number for number in range(min(enough, 8))]
        assert [one[0] for one in seen] == pytest.approx(caps)
        assert all(one[1] == 0 for one in seen)


def test_charges_are_raised_again_in_falling_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """First all are lowered to their caps; then they are raised sixty times, by a tenth of the mean and less."""
    seen: list[tuple[list[float], float, bool]] = []

    def lower(charges: Charges, patterns: object, quiet: object, raised: float, forward: bool) -> None:
        seen.append((charges.own.tolist(), raised, forward))

    monkeypatch.setattr(crossing, "lower_charges", lower)
    charges = Charges(np.array([4.0, -1.0]), np.zeros(2), np.array([1, 2]), 2)
    patterns = PatternList(np.zeros(1), np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int32))
    _settle(charges, np.array([3.0, 0.0]), patterns)
    mean = (3 + 2 * 1) / 3
    steps = [mean * 0.1 * 0.01 ** (number / 59) for number in range(60)]
    assert seen[0] == ([3.0, -1.0], 0.0, True)
    assert [raised for _, raised, _ in seen[1:]] == pytest.approx(np.cumsum(steps).tolist())
    assert [forward for _, _, forward in seen[1:]] == [False, True] * 30
    assert seen[1][0] == pytest.approx([3.0, -1 + steps[0]])
    assert charges.own.tolist() == [3.0, 0.0]


def test_floors_are_searched_for_quickly_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, own = list[tuple[bool, bool]](), Family.floors

    def floors(self: Family, enough: Callable[[], bool], *, quick: bool) -> NDArray[np.float64]:
        seen.append((enough(), quick))
        return own(self, enough, quick=quick)

    monkeypatch.setattr(Family, "floors", floors)
    assert lost(groups("ab", "01", [0.3, 0.3])) == 0
    assert seen == [(False, True)]


def test_what_other_columns_cost_every_record_is_no_excess() -> None:
    rows = {"u": ("u", "*")}
    table = LocalTable([{"q": q, "p": "u"} for q in "abcd"], {"q": ROWS, "p": rows})
    forms = forms_of(local_problem(table, Rules((KAnonymity(k=2),)), "lm").tally.quasi, Lm())
    forms.prices[forms.nodes[1]] = 0.5
    for values, charges, fall in (("ab", [0.8, 0.8], 0.0), ("ab", [1.0, 1.0], 1 / 3), ("abc", [1.0, 0.6, 1.9], 0.0)):
        found = groups(values, "011"[: len(values)], charges)
        found = replace(found, codes=np.column_stack([found.codes, np.zeros(len(values), dtype=np.int32)]))
        assert overcharged(found, forms, [4, 1], 2) == pytest.approx(fall, abs=2e-3)


def test_what_is_left_of_an_excess_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing, "lower_charges", lambda *_: None)
    assert lost(groups("ac", "01", [1.5, 1.25])) == pytest.approx(0.75)


def test_no_class_across_parts_is_charged_more_than_it_costs(seeds: Callable[[int], range]) -> None:
    """Whatever is charged, the sum falls by as much as any class across parts is charged too much, at least.

    Several such classes that have no record in common add up.
    """
    some = 0
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311
        n, k = rng.randint(2, 7), rng.randint(2, 3)
        values = "".join(rng.choice("abcd") for _ in range(n))
        parts = "".join(rng.choice("012") for _ in range(n))
        found = groups(values, parts, [rng.choice([0.0, 0.2, 0.5, 1.0, 2.0]) for _ in range(n)])
        fall, worst = lost(found, k), 0.0
        for size in range(k, n + 1):
            for members in combinations(range(n), size):
                if len({parts[one] for one in members}) > 1:
                    price = _closure_price(FORMS, 0, np.unique(found.codes[list(members), 0]))
                    worst = max(worst, sum(found.high[one] - price for one in members))
        assert fall >= worst - TINY
        assert fall > 0 or worst <= 0
        some += worst > 0
    assert some
