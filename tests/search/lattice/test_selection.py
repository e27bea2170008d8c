"""Which classes of a generalization are released: against all choices, and the examples by hand."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import inf
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.foundation.errors import InfeasibleError
from shoal.kernels.clock import clock
from shoal.measures import MEASURES
from shoal.models import (
    BetaLikeness,
    DeltaDisclosure,
    FrequencyLDiversity,
    KAnonymity,
    PrivacyModel,
    TCloseness,
)
from shoal.models.model import SensitiveModel
from shoal.search.algorithms import AttributeSuppression, Exhaustive, Optimal, TupleSuppression
from shoal.search.lattice import release_shares, selection
from shoal.search.lattice.boxes import search
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import minimal_nodes
from shoal.search.lattice.release_shares import ReleaseShares
from shoal.search.lattice.selection import (
    Mask,
    Selection,
    SelectionEffort,
    SelectionPrices,
    SelectionSearch,
    _covering,
    _State,
)
from tests.oracles.checks import check
from tests.oracles.full_domain import FullDomain
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import choosing_case, overlapping_case, random_case, random_table

LIMITS = (Fraction(1, 10), Fraction(3, 10), Fraction(4, 10), Fraction(1, 2), Fraction(1))
STAR = {value: (value, "*") for value in "xyz"}
ALONE = PlainTable(
    [{"q": value, "s": secret} for value, secret in zip("xxxxxxyyyz", "uvuvuvwwww", strict=True)], {"q": STAR}, ("s",)
)
"""The six x are close to each other, and not to the whole table: they may be released if all others are not."""
CLOSE = (KAnonymity(k=2), TCloseness(t=Fraction(1, 10), column="s"))


class Watched(SelectionSearch):
    """A search that remembers the states it split."""

    def __init__(self, case: "Case") -> None:
        super().__init__(case.problem, case.groups, case.recoding if case.problem.wildcard else None, case.prices)
        self.split: list[_State] = []

    def _parts(self, state: _State) -> Iterator[_State]:
        self.split.append(state)
        return super()._parts(state)


class Case:
    """Classes of a table, what suppressing each of them costs, and every choice that is allowed.

    A third of the cases has classes that cost more than to suppress them.
    """

    def __init__(self, table: PlainTable, rules: Rules, seed: int) -> None:
        rng = Random(seed)  # noqa: S311
        self.problem = problem_of(table, rules, "stars", rng.choice(LIMITS))
        lattice = Lattice(self.problem)
        cells = lattice.cells(lattice.bottom)
        self.groups, self.recoding = lattice.packing.grouping(cells), lattice.packing.recoding(cells)
        n = self.groups.n_classes
        gaps = np.array([float(rng.randint(-2 if seed % 3 == 0 else 0, 6)) for _ in range(n)])
        self.prices = SelectionPrices(lambda released: 10 + float(gaps[~released].sum()), gaps)
        every = (np.array(kept) for kept in product([False, True], repeat=n) if any(kept))
        self.allowed = [kept for kept in every if self.problem.keeps(self.groups, self.recoding, kept)]

    def least(self, state: _State | None = None) -> float:
        """Return the least loss of the allowed choices of a state, or of all."""
        found = [kept for kept in self.allowed if state is None or self._in(state, kept)]
        return min(map(self.prices.loss, found), default=inf)

    def _in(self, state: _State, kept: Mask) -> bool:
        gone = int(self.groups.sizes[~kept].sum())
        return not (kept & state.gone).any() and bool(kept[state.fixed].all()) and state.least <= gone <= state.most


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [
        *(Case(*choosing_case(seed), seed) for seed in range(140)),
        *(Case(*overlapping_case(seed), seed) for seed in range(30)),
    ]


def test_the_best_choice_is_found_and_proven(cases: list[Case]) -> None:
    """With as many states as are needed now: more would mean that fewer are pruned."""
    n_states = 0
    for case in cases:
        search = Watched(case)
        found = search.run()
        assert found.settled
        assert found.loss == found.bound == case.least()
        assert (found.released is None) == (not case.allowed)
        assert found.released is None or case.prices.loss(found.released) == found.loss
        assert all(state.bound <= case.least(state) for state in search.split)
        n_states += len(search.split)
    assert n_states == 376


def test_a_worse_choice_does_not_take_the_place_of_a_better_one() -> None:
    """It is best to suppress the first of three classes; it is known only that suppressing one adds -9 at least."""
    table = PlainTable([{"q": value} for value in "xyz"], {"q": STAR})
    case = Case(table, Rules((KAnonymity(k=1),)), 0)
    case.problem = replace(case.problem, max_suppressed=Fraction(1))
    best = np.array([False, True, True])
    case.prices = SelectionPrices(lambda kept: 10.0 if (kept == best).all() else 12.0 + kept.sum(), np.full(3, -9.0))
    for known in (None, best):
        found = Watched(case).run(known)
        assert found.released is not None
        assert (found.loss, found.released.tolist()) == (10.0, best.tolist())


def test_what_one_person_has_in_several_records_is_no_share() -> None:
    """In both classes one of two persons has u, and one of them three times."""
    rows = [("x", "u", "1"), ("x", "u", "1"), ("x", "u", "1"), ("x", "v", "2"), ("y", "u", "3"), ("y", "v", "4")]
    table = PlainTable([dict(zip(("q", "s", "id"), row, strict=True)) for row in rows], {"q": STAR}, ("s", "id"))
    case = Case(table, Rules((TCloseness(t=0, column="s", entity="id"),)), 0)
    case.problem = replace(case.problem, max_suppressed=Fraction(0))
    found = Watched(case).run()
    assert found.released is not None
    assert (found.loss, found.released.tolist()) == (10.0, [True, True])


def test_shares_of_a_huge_table_are_not_told(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    """Then fewer classes are known to fail, and more states are split."""
    monkeypatch.setattr(release_shares, "_MOST_ENTRIES", 0)
    n_states = 0
    for case in cases:
        search = Watched(case)
        assert search.run().loss == case.least()
        n_states += len(search.split)
    assert n_states == 818


def test_a_search_that_is_cut_short_has_a_bound(cases: list[Case], monkeypatch: pytest.MonkeyPatch) -> None:
    n_open = 0
    for case in cases:
        for most in range(0, 9, 2):
            monkeypatch.setattr(selection, "_MOST_STATES", most)
            found = Watched(case).run()
            assert found.bound <= case.least() <= found.loss
            assert found.released is None or any((found.released == kept).all() for kept in case.allowed)
            n_open += not found.settled
            for known in case.allowed[:1]:
                assert Watched(case).run(known).loss <= case.prices.loss(known)
    assert n_open == 218


def test_an_effort_is_spent_by_classes_and_more_where_they_overlap(cases: list[Case]) -> None:
    for case in cases:
        effort, search = SelectionEffort(1_000.0), Watched(case)
        search.run(effort=effort)
        work = (1 + case.groups.n_classes / 500) * (2 if case.problem.wildcard else 1)
        assert effort.left == pytest.approx(1_000 - work * len(search.split))
    assert [SelectionEffort(2.0).spend(work) for work in (1.0, 2.0, 2.1)] == [True, True, False]


def test_settled_is_what_is_proven() -> None:
    assert Selection(None, 2.0, 2.0).settled
    assert not Selection(None, 2.0, 1.99).settled


def test_a_known_choice_is_improved_or_will_do(cases: list[Case]) -> None:
    for case in cases:
        for known in case.allowed[:3]:
            assert Watched(case).run(known).loss == case.least()
            kept = Watched(case).run(known, any_will_do=True)
            assert kept.released is known
            assert kept.bound <= case.least() <= kept.loss == case.prices.loss(known)
        some = Watched(case).run(any_will_do=True)
        assert (some.released is None) == (not case.allowed)
        assert some.bound <= case.least() <= some.loss


def test_a_deadline_ends_it(cases: list[Case]) -> None:
    for case in cases:
        search = Watched(case)
        found = search.run(deadline=clock() - 1)
        assert search.split == []
        assert found.released is None
        assert found.bound <= case.least()


def test_the_least_price_of_records() -> None:
    """Two records of three for 6, and a third of three for 9."""
    gaps, sizes = np.array([9.0, 6.0]), np.array([3, 2])
    assert [_covering(gaps, sizes, records) for records in (-1, 0, 1, 2, 3, 5, 6)] == [0, 0, 3, 6, 9, 15, inf]


@pytest.mark.parametrize("algorithm", [Optimal(), Exhaustive(), AttributeSuppression(), TupleSuppression()])
def test_a_class_that_fails_beside_some_may_be_released_without_them(algorithm: Optimal) -> None:
    solution = check(FullDomain(ALONE, Rules(CLOSE)), algorithm, "stars", Fraction(4, 10))
    assert solution is not None
    assert (solution.loss.total, solution.suppressed, solution.guarantee) == (4, 4, "optimal")


def test_stars_take_as_many_records_as_they_need() -> None:
    """One record fails; for stars of two, a class of two must go with it."""
    records = [{"q": value} for value in "xyyyzz"]
    space = FullDomain(PlainTable(records, {"q": STAR}), Rules((KAnonymity(k=2),), stars=True))
    solution = check(space, TupleSuppression(), "stars", Fraction(1, 2))
    assert solution is not None
    assert (solution.suppressed, solution.groups.n_classes) == (3, 1)


@pytest.mark.parametrize("part", range(4))
def test_every_choice_of_classes_counts(part: int, seeds: Callable[[int], range]) -> None:
    """No false optimum, bound or infeasibility, and complete lists, whatever is promised and measured."""
    chosen = 0
    for seed in seeds(80):
        rng, space = Random(seed), FullDomain(*random_case(part * 1_000 + seed))  # noqa: S311
        limit, measure = rng.choice(LIMITS), rng.choice(MEASURES.names)
        problem = problem_of(space.table, space.rules, measure, limit)
        if not problem.selects or problem.wildcard or len(space.table.records) > 11:
            continue
        chosen += 1
        for algorithm in (Optimal(), TupleSuppression()):
            solution = check(space, algorithm, measure, limit)
            assert solution is None or solution.guarantee == "optimal"
        assert set(minimal_nodes(Lattice(problem))) == space.minimal(limit)
    assert chosen > len(seeds(80)) / 20


def test_without_states_a_bound_is_told_and_no_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(ALONE, Rules(CLOSE), "stars", Fraction(4, 10))
    monkeypatch.setattr(selection, "_MOST_STATES", 0)
    found = search(Lattice(problem))
    assert not found.complete
    assert found.bound <= 4
    solution = Optimal().solve(problem)
    assert (solution.guarantee, solution.loss.total) == ("none", 10)
    assert solution.bound is not None
    assert solution.bound <= 4
    assert "too many choices of the classes" in solution.remark
    with pytest.raises(InfeasibleError, match="too many choices of the classes"):
        TupleSuppression().solve(problem)


def grouped(seed: int) -> tuple[Grouping, Random]:
    """Return the classes of a random table, without generalization."""
    rng = Random(seed)  # noqa: S311
    table = random_table(rng, n_records=rng.randint(4, 8), n_columns=2)
    lattice = Lattice(problem_of(table, Rules((KAnonymity(k=1),))))
    return lattice.packing.grouping(lattice.cells(lattice.bottom)), rng


def releases(groups: Grouping, droppable: NDArray[np.bool_], spare: int) -> Iterator[NDArray[np.bool_]]:
    """Go through all ways to suppress some of the classes that may be."""
    numbers = np.flatnonzero(droppable).tolist()
    for size in range(len(numbers) + 1):
        for gone in combinations(numbers, size):
            kept = np.ones(groups.n_classes, dtype=np.bool_)
            kept[list(gone)] = False
            if kept.any() and groups.sizes[~kept].sum() <= spare:
                yield kept


def models(rng: Random) -> list[SensitiveModel]:
    column = rng.choice(["illness", "wage"])
    return [
        TCloseness(t=Fraction(rng.randint(0, 6), 10), column=column),
        TCloseness(t=Fraction(rng.randint(0, 6), 10), column=column, distance="ordered"),
        BetaLikeness(beta=Fraction(rng.randint(1, 12), 10), column=column),
        BetaLikeness(beta=Fraction(rng.randint(1, 12), 10), column=column, kind="enhanced", others="known"),
        DeltaDisclosure(delta=Fraction(rng.randint(1, 15), 10), column=column),
        FrequencyLDiversity(l=Fraction(2), column=column),
    ]


def test_shares_of_every_release_are_in_their_range() -> None:
    n_tight = 0
    for seed in range(40):
        groups, rng = grouped(seed)
        droppable = np.array([rng.random() < 0.7 for _ in range(groups.n_classes)])
        spare = rng.randint(0, groups.n_records)
        everything = np.ones(groups.n_classes, dtype=np.bool_)
        for column in ("illness", "wage"):
            blocks = groups.histogram(column)
            sets = np.array([[rng.random() < 0.5 for _ in blocks.reference] for _ in range(4)])
            low, high = ReleaseShares(groups, column).ranges(everything, droppable, spare)(sets)
            counts = blocks.dense() * blocks.sizes[:, None]
            for kept in releases(groups, droppable, spare):
                shares = sets @ counts[kept].sum(axis=0) / groups.sizes[kept].sum()
                assert (low <= shares).all()
                assert (shares <= high).all()
                n_tight += int((high - shares < 1e-9).sum())
    assert n_tight > 100


@pytest.mark.parametrize("column", ["illness", "wage"])
def test_a_table_of_counts_is_told_up_to_a_size(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    groups, _ = next(found for found in map(grouped, range(99)) if len({len(c.values) for c in found[0].sensitive}) > 1)
    size = groups.histogram(column).dense().size
    for most, told in ((size, True), (size - 1, False)):
        monkeypatch.setattr(release_shares, "_MOST_ENTRIES", most)
        assert ReleaseShares.can_tell(groups, column) is told


def test_a_class_that_passes_in_some_release_may_pass() -> None:
    """And some that pass in none are known to fail, by each model that compares with the release."""
    found: dict[PrivacyModel, int] = {}
    for seed in range(60):
        groups, rng = grouped(1_000 + seed)
        droppable = np.array([rng.random() < 0.5 for _ in range(groups.n_classes)])
        spare = rng.randint(0, groups.n_records // 3)
        everything = np.ones(groups.n_classes, dtype=np.bool_)
        for number, model in enumerate(models(rng)):
            ranges = ReleaseShares(groups, model.column).ranges(everything, droppable, spare)
            blocks, owners = groups.blocks(model.column, others_known=model.others_known)
            may = np.ones(groups.n_classes, dtype=np.bool_)
            may[owners[~model.may_pass(blocks, ranges)]] = False
            for kept in releases(groups, droppable, spare):
                passing = model.holds(groups.only(kept).own_totals())
                assert not (passing & ~may[kept]).any()
            kind = models(Random(0))[number]  # noqa: S311
            found[kind] = found.get(kind, 0) + int((~may).sum())
    assert all(number > 10 for model, number in found.items() if model.relative)


def test_a_choice_is_known_where_the_measure_charges_more_for_a_class_than_for_stars() -> None:
    """Of ten values one is frequent: to tell the two others apart takes a bit, and to tell any value less than that."""
    rows = {"a": ("a", "a", "*"), "b": ("b", "bc", "*"), "c": ("c", "bc", "*")}
    table = PlainTable([{"q": value} for value in "aaaaaaaabc"], {"q": rows})
    space = FullDomain(table, Rules((KAnonymity(k=2),)))
    solution = check(space, Optimal(), "entropy", Fraction(1, 5))
    assert solution is not None
    assert (solution.suppressed, solution.guarantee) == (2, "optimal")
    assert check(space, Optimal(), "entropy", Fraction(0)) is not None


def test_without_states_no_list_is_said_to_be_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_MOST_STATES", 0)
    problem = problem_of(ALONE, Rules(CLOSE), "stars", Fraction(4, 10))
    with pytest.raises(InfeasibleError, match="It is undecided whether 1 generalizations are"):
        minimal_nodes(Lattice(problem))
    solution = Exhaustive().solve(problem)
    assert (solution.guarantee, solution.loss.total) == ("none", 10)
    assert solution.bound is not None
    assert solution.bound <= 4
    assert "too many choices of the classes" in solution.remark
