"""How charges are raised: which rounds there are, in which steps, up to which caps, and when it is enough."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.foundation.progress import silent
from shoal.kernels.bounds.charges import Charges
from shoal.kernels.bounds.families import PatternList
from shoal.search.bounds import bounds
from shoal.search.bounds.bounds import (
    _FINE,
    _LIGHT,
    _ROUNDS,
    _TIMES,
    FULL,
    LIGHT,
    QUICK,
    Round,
    _ascended,
    _higher,
    _listed,
    _raised,
    _raised_in_all,
)
from shoal.search.bounds.families import Family

NONE = PatternList(np.zeros(0), np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))


@dataclass
class Table:
    """The family of a table whose patterns are told: None stands for too many, and so does the end of what is told."""

    values: NDArray[np.float64]
    whole: float = 8.0
    top: float = 9.0
    told: list[PatternList | None] = field(default_factory=list)
    asked: list[tuple[list[float], int | None]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def tops(self) -> NDArray[np.float64]:
        return np.full(len(self), self.top)

    def charged(self, own: NDArray[np.float64]) -> float:
        return float(own.sum())

    def listed(
        self, caps: NDArray[np.float64], floors: NDArray[np.float64], most_members: int | None = None
    ) -> PatternList | None:
        self.asked.append((caps.tolist(), most_members))
        return self.told.pop(0) if self.told else None


def charges_of(own: list[float], counts: list[int] | None = None, k: int = 3) -> Charges:
    charged = np.array(own)
    return Charges(charged.copy(), charged, np.array(counts or [1] * len(own)), k)


def never() -> bool:
    return False


def test_steps_are_a_geometric_sequence() -> None:
    assert list(Round(0.0, 0.0, 0.8, 0.2, 3).steps(10.0)) == pytest.approx([8, 4, 2])
    assert list(Round(0.0, 0.0, 0.8, 0.2, 2).steps(10.0)) == pytest.approx([8, 2])
    assert list(Round(0.0, 0.0, 0.8, 0.2, 1).steps(10.0)) == [8]


def test_the_larger_the_table_the_fewer_rounds() -> None:
    assert (len(_ROUNDS), _ROUNDS[1].gain, _ROUNDS[-1].gain) == (10, 0.0, 0.02)
    assert FULL.rounds(100_000) == _ROUNDS
    assert FULL.rounds(100_001) == FULL.rounds(3_000_000) == LIGHT.rounds(1) == LIGHT.rounds(3_000_000) == _LIGHT
    assert QUICK.rounds(1) == QUICK.rounds(30_000) == _LIGHT
    assert FULL.rounds(3_000_001) == LIGHT.rounds(3_000_001) == QUICK.rounds(30_001) == ()
    assert (FULL.quick, LIGHT.quick, QUICK.quick) == (False, False, True)


def test_the_page_says_which_rounds_there_are() -> None:
    """A bound depends on them and on the table alone, so who reads the page can tell why it is what it is."""
    page = (Path(__file__).parents[3] / "docs" / "bounds.md").read_text(encoding="utf-8")
    lines = page.partition("| round |")[2].partition("\n\n")[0].splitlines()[2:]
    told = [[cell.strip().removesuffix("%") for cell in line.strip("|").split("|")] for line in lines]
    rounds = [
        Round(float(grown) / 100, float(added), float(first), float(last), int(steps))
        for _, grown, added, first, last, steps in told[:4]
    ]
    more, least = re.findall(r"[0-9.]+", told[2][0].replace("seven", "7"))
    times, least_fine = re.findall(r"[0-9.]+", told[4][0])
    assert (*rounds[:2], *[replace(rounds[2], gain=float(least) / 100)] * (1 + int(more))) == _ROUNDS
    assert (rounds[3],) == _LIGHT
    assert (_FINE.first, _FINE.last, _FINE.sweeps) == (float(told[4][3]), float(told[4][4]), int(told[4][5]))
    assert int(times) == _TIMES
    assert float(least_fine) / 100 == pytest.approx(_FINE.gain)


def test_caps_are_a_share_above_the_charges_and_twice_that_where_they_were_met() -> None:
    """The first has met its cap; the last has k records, and one is above the top."""
    table = Table(np.array([1.0, 1.0, 1.0, 1.0, 1.0]), top=5.0)
    charges = charges_of([2.96, 2.95, 1.0, 4.5, 2.0], [1, 1, 1, 1, 3])
    caps = np.array([3.0, 3.0, 3.0, 9.0, 9.0])
    found = _higher(cast(Family, table), charges, caps, Round(0.5, 0.25, 1.0, 1.0, 1), 2.0)
    assert found == pytest.approx([1 + 1.96 * 2, 1 + 1.95 * 1.5, 1.5, 5.0, 1.0])


def test_a_charge_that_is_just_below_its_cap_has_met_it() -> None:
    table, turn = Table(np.array([0.0]), top=500.0), Round(0.5, 0.0, 1.0, 1.0, 1)
    assert _higher(cast(Family, table), charges_of([98.0]), np.array([100.0]), turn, 1.0) == [196]


def test_where_there_are_too_many_patterns_caps_come_down_to_the_charges() -> None:
    """One charge is above its cap, and stays its own."""
    charges, caps = charges_of([1.0, 3.0]), np.array([2.0, 2.0])
    table = Table(np.zeros(2), told=[None, None, None, NONE])
    found = _listed(cast(Family, table), charges, caps)
    assert found is not None
    expected = [[2.0, 2.0], *([1.0 + 0.4**time, 3.0] for time in (1, 2, 3))]
    assert [one for one, _ in table.asked] == [pytest.approx(one) for one in expected]
    assert found[0].tolist() == table.asked[-1][0]
    assert found[1] is NONE
    hopeless = Table(np.zeros(2))
    assert _listed(cast(Family, hopeless), charges, caps) is None
    assert len(hopeless.asked) == 4


def test_charges_are_raised_step_by_step_up_to_their_caps(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[float], float, bool]] = []

    def lower(charges: Charges, patterns: PatternList, quiet: Any, raised: float, forward: bool) -> None:
        seen.append((charges.own.tolist(), raised, forward))

    monkeypatch.setattr(bounds, "lower_charges", lower)
    table, charges = Table(np.zeros(2)), charges_of([1.0, 3.0])
    total = _ascended(cast(Family, table), charges, np.array([2.0, 3.5]), NONE, iter([0.5, 0.25, 4.0]), never)
    assert seen == [([1.5, 3.5], 0.5, True), ([1.75, 3.5], 0.75, False), ([2.0, 3.5], 4.75, True)]
    assert total == 5.5
    looks = iter([False, True])
    assert (
        _ascended(cast(Family, table), charges_of([1.0]), np.full(1, 9.0), NONE, iter([1.0] * 9), looks.__next__) == 2
    )


def scripted(totals: list[float], steps: list[list[float]], monkeypatch: pytest.MonkeyPatch) -> Iterator[float]:
    """Let each ascent give the next of these totals, and keep its steps; return what is left."""
    left = iter(totals)

    def ascended(*given: Any) -> float:
        steps.append(list(given[4]))
        return next(left)

    monkeypatch.setattr(bounds, "_ascended", ascended)
    return left


def raised_in_all(totals: list[float], monkeypatch: pytest.MonkeyPatch, **more: Any) -> tuple[float, int]:
    """Return the best total, and how many ascents there were; the values cost 10."""
    steps: list[list[float]] = []
    scripted(totals, steps, monkeypatch)
    table, charges = Table(np.array([4.0, 6.0])), charges_of([5.0, 7.0], [1, 3])
    found = _raised_in_all(cast(Family, table), charges, table.tops, NONE, more.get("enough", never))
    mean = (1 * (8 - 5) + 3 * (8 - 7)) / 4
    assert all(one == pytest.approx(list(_FINE.steps(mean))) for one in steps)
    return found.total, len(steps)


def test_few_points_are_raised_until_that_adds_less_than_a_ten_thousandth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is above the values: a ten-thousandth of 5 is 0.0005."""
    assert raised_in_all([14.9, 15.0, 15.0006, 15.0009, 99.0], monkeypatch) == (15.0009, 4)
    assert raised_in_all([10.0, 10.0, 99.0], monkeypatch) == (10.0, 2)
    assert raised_in_all([14.0, 13.0, 99.0], monkeypatch) == (14.0, 2)
    assert raised_in_all([12.0 + turn for turn in range(99)], monkeypatch) == (31.0, 20)
    looks = iter([False, True])
    assert raised_in_all([12.0, 13.0, 14.0], monkeypatch, enough=looks.__next__) == (13.0, 2)


def raised(rounds: list[Round], totals: list[float], monkeypatch: pytest.MonkeyPatch, n_told: int = 9) -> list[Any]:
    """Return the best total and the steps of each ascent; the values cost 10, and records pay them at first."""
    steps: list[Any] = []
    scripted(totals, steps, monkeypatch)
    monkeypatch.setattr(bounds, "_FEW", 1)
    table, charges = Table(np.array([4.0, 6.0]), told=[NONE] * n_told), charges_of([4.0, 6.0], [1, 2])
    return [_raised(cast(Family, table), charges, tuple(rounds), never, silent).total, *steps]


def test_rounds_end_where_one_adds_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are measured by the mean charge above the values, and at first by a thousandth of the dearest."""
    first, later = Round(0.5, 0.1, 0.8, 0.2, 3), Round(0.5, 0.1, 0.8, 0.2, 2, gain=0.1)
    mean = (1 * (8 - 4) + 2 * (8 - 6)) / 3 / 1000
    wide, narrow = (pytest.approx(list(turn.steps(mean))) for turn in (first, later))
    assert raised([first, later, later, later], [12.0, 14.0, 14.4, 99.0], monkeypatch) == [14.4, wide, narrow, narrow]
    assert raised([first, later], [12.0, 14.0, 99.0], monkeypatch) == [14.0, wide, narrow]
    assert raised([first] * 4, [12.0, 12.0, 99.0], monkeypatch) == [12.0, wide, wide]
    assert raised([first] * 4, [12.0, 11.0, 99.0], monkeypatch) == [12.0, wide, wide]
    assert raised([first] * 4, [12.0, 13.0], monkeypatch, n_told=2) == [13.0, wide, wide]  # then there are too many
    assert raised([first] * 4, [], monkeypatch, n_told=0) == [-np.inf]


def test_the_charges_of_the_best_ascent_are_kept_whatever_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    totals = iter([12.0, 14.0, 13.0] * 2)

    def ascended(family: Family, charges: Charges, *given: Any) -> float:
        charges.own[:] = total = next(totals)
        return total

    monkeypatch.setattr(bounds, "_ascended", ascended)
    table, charges = Table(np.array([4.0, 6.0])), charges_of([5.0, 7.0])
    found = _raised_in_all(cast(Family, table), charges, table.tops, NONE, never)
    assert (found.total, found.own.tolist(), found.kind) == (14.0, [14.0, 14.0], "dual")
    monkeypatch.setattr(bounds, "_FEW", 1)
    table = Table(np.array([4.0, 6.0]), told=[NONE] * 3)
    found = _raised(cast(Family, table), charges_of([5.0, 7.0]), (Round(0.5, 0.1, 1.0, 1.0, 1),) * 3, never, silent)
    assert (found.total, found.own.tolist(), found.kind) == (14.0, [14.0, 14.0], "dual")


def test_caps_and_steps_of_a_round_go_by_the_charges_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_FEW", 1)
    monkeypatch.setattr(bounds, "lower_charges", lambda *given: None)
    table, charges = Table(np.array([4.0, 6.0]), told=[NONE] * 2), charges_of([5.0, 7.0], [1, 2])
    turns = (Round(0.5, 0.1, 0.25, 0.25, 1), Round(0.25, 0.1, 1.0, 1.0, 1))
    assert _raised(cast(Family, table), charges, turns, never, silent).total == pytest.approx(10 + 2 * 1.25 * 1.25)
    assert [caps for caps, _ in table.asked] == [[6.0, 8.0], pytest.approx([4 + 1.25 * 1.25, 6 + 1.25 * 1.25])]
    assert charges.own == pytest.approx([4 + 1.25 * 1.25, 6 + 1.25 * 1.25])


@pytest.mark.parametrize(("n_points", "told"), [(100, NONE), (100, None), (101, NONE)])
def test_all_patterns_of_few_points_are_listed(
    n_points: int, told: PatternList | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If there are not too many of them; then and for more points it goes by rounds."""
    scripted([2000.0] * 9, [], monkeypatch)
    table = Table(np.full(n_points, 1.0), told=[told, NONE])
    charges = charges_of([1.0] * n_points)
    assert _raised(cast(Family, table), charges, (Round(0.5, 0.25, 1.0, 1.0, 1),), never, silent).total == 2000
    in_all = ([9.0] * n_points, 200_000)
    by_caps = (pytest.approx([1 + 0.25 * 7e-3] * n_points), None)
    assert table.asked == ([by_caps] if n_points > 100 else [in_all] if told is NONE else [in_all, by_caps])


def test_no_pattern_is_listed_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_FEW", 1)
    table = Table(np.zeros(2))
    assert _raised(cast(Family, table), charges_of([1.0, 2.0]), _ROUNDS, lambda: True, silent).total == -np.inf
    assert table.asked == []
