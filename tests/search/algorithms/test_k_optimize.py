"""k-Optimize on the chapter's example, the errors of its pseudo-code, what it refuses, and large columns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.kernels.single_dimensional.step_classes import OUT, TAKEN
from shoal.measures import Classification, Discernibility
from shoal.models import DistinctLDiversity, KAnonymity, TCloseness
from shoal.search.algorithms import KOptimize
from shoal.search.lattice import selection
from shoal.search.single_dimensional.recodings import Recodings
from tests.oracles.cut_sets import optimum
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.papers import FIGURE_1
from tests.oracles.plain import Rules

ORDERS = {
    "zip": ("22030", "22032", "22045", "22047"),
    "marital": ("married", "widow", "divorced", "single"),
    "sex": "MF",
}
FIGURE_12 = LocalTable(
    FIGURE_1.records,
    {column: {value: (value, "*") for value in values} for column, values in ORDERS.items()},
    ("disease",),
    forms=dict.fromkeys(ORDERS, "ranges"),
)
"""The chapter's table with its values in the order of Figure 12."""

INDEXES = {
    2: ("zip", 1),
    3: ("zip", 2),
    4: ("zip", 3),
    6: ("marital", 1),
    7: ("marital", 2),
    8: ("marital", 3),
    10: ("sex", 1),
}
"""Which value of which column an index stands for, as Figure 12 numbers them; the least of each column has none."""


def space_of(k: int = 3) -> Recodings:
    problem = local_problem(FIGURE_12, Rules((KAnonymity(k=k),)), "discernibility", Fraction(1))
    return Recodings(problem, Discernibility(), 32)


def test_the_indexes_of_the_example() -> None:
    """Example 4.1: seven indexes, and {3, 8, 10} stands for [22030, 22032] and so on."""
    space = space_of()
    assert space.n_steps == space.n_possible == len(INDEXES)
    state = np.full(7, OUT, dtype=np.int8)
    state[[list(INDEXES).index(index) for index in (3, 8, 10)]] = TAKEN
    solution = space.solution(state, "")
    found = [set(solution.recoding.shown[j].labels) for j in range(3)]
    assert found == [{"22030 - 22032", "22045 - 22047"}, {"married - divorced", "single"}, {"M", "F"}]
    assert (solution.suppressed, solution.loss.total) == (1, 3 * 3**2 + 10)  # the single woman of 2204* is alone


def test_the_example_by_hand() -> None:
    """Classes of 3, 3 and 4 are the least squares that ten records have for k = 3: {2, 3} and {2, 4} reach them."""
    solution = KOptimize().solve(local_problem(FIGURE_12, Rules((KAnonymity(k=3),)), "discernibility"))
    assert solution.loss.total == 3**2 + 3**2 + 4**2
    assert (solution.bound, solution.guarantee, solution.alike) == (34.0, "optimal", True)
    assert sorted(solution.groups.sizes.tolist()) == [3, 3, 4]
    texts = sorted(solution.recoding.shown[0].labels, key=str)
    assert texts in (["22030", "22032", "22045 - 22047"], ["22030 - 22032", "22045", "22047"])


@pytest.mark.parametrize("measure", ["discernibility", "classification"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_the_example_for_every_k(k: int, measure: str) -> None:
    for limit in (Fraction(0), Fraction(2, 10), Fraction(1)):
        rules = Rules((KAnonymity(k=k),))
        solution = KOptimize().solve(local_problem(FIGURE_12, rules, measure, limit))
        assert solution.loss.total == optimum(FIGURE_12, rules, measure, limit)


Index = tuple[int, ...]


@dataclass
class PseudoCode:
    """Algorithm 4.1 as it is printed or as it is meant, on the chapter's table by discernibility."""

    k: int
    indexes: Index = tuple(INDEXES)
    later: Callable[[int, int], bool] = int.__gt__
    suppression: bool = True
    prunes_the_parent: bool = False
    visited: list[Index] = field(default_factory=list)
    best: tuple[float, Index | None] = (float("inf"), None)
    pruned: list[frozenset[int]] = field(default_factory=list)

    def classes(self, node: Index) -> list[int]:
        """Return the sizes of the classes of a node."""
        keys: dict[tuple[int, ...], int] = {}
        for record in FIGURE_12.records:
            place = {column: list(ORDERS[column]).index(str(record[column])) for column in ORDERS}
            cuts = [INDEXES[index] for index in node if index in INDEXES]
            key = tuple(sum(c == column and place[c] >= at for c, at in cuts) for column in ORDERS)
            keys[key] = keys.get(key, 0) + 1
        return list(keys.values())

    def cost(self, node: Index) -> float:
        return sum(size**2 if size >= self.k else size * 10 for size in self.classes(node))

    def bound(self, node: Index) -> float:
        """Charge what a node suppresses in full, and k for each other record."""
        return sum(size * (self.k if size >= self.k else 10) for size in self.classes(node))

    def optimize(self, node: Index = ()) -> None:
        self.visited.append(node)
        if self.suppression or min(self.classes(node)) >= self.k:
            self.best = min(self.best, (self.cost(node), node), key=lambda one: one[0])
        for index in self.indexes:
            if not all(self.later(index, one) for one in node):
                continue
            child = tuple(sorted({*node, index}))
            if any(some <= frozenset(child) for some in self.pruned):
                continue
            if self.bound(child) <= self.best[0]:
                self.optimize(child)
            else:
                self.pruned.append(frozenset(node if self.prunes_the_parent else child))


def every_set() -> Iterator[Index]:
    for number in range(len(INDEXES) + 1):
        yield from combinations(INDEXES, number)


def test_the_pseudo_code_corrected_finds_the_optimum() -> None:
    for k in range(1, 6):
        meant = PseudoCode(k)
        meant.optimize()
        assert (
            meant.best[0]
            == min(map(meant.cost, every_set()))
            == optimum(FIGURE_12, Rules((KAnonymity(k=k),)), "discernibility", Fraction(1))
        )


def test_an_index_that_may_be_equal_never_ends() -> None:
    """T19: with idx >= j the child of a node is the node itself."""
    with pytest.raises(RecursionError):
        PseudoCode(2, later=int.__ge__).optimize()


def test_pruning_the_parent_loses_the_optimum() -> None:
    """T19: what is pruned is the child, or all of its sisters go with it."""
    printed, meant = (PseudoCode(3, indexes=(3, 7, 8), prunes_the_parent=parent) for parent in (True, False))
    printed.optimize()
    meant.optimize()
    assert (printed.best, meant.best) == ((52, (3,)), (37, (3, 8)))


def test_the_least_values_are_no_indexes() -> None:
    """T19: with 1, 5 and 9 among the indexes every generalization stands in the tree eight times."""
    meant, printed = PseudoCode(1), PseudoCode(1, indexes=(1, 5, 9, *INDEXES))
    for one in (meant, printed):
        one.bound = lambda node: 0.0  # type: ignore[method-assign]
        one.indexes = tuple(sorted(one.indexes))
        one.optimize()
    assert (len(meant.visited), len(printed.visited)) == (2**7, 2**10)


def test_without_suppression_a_dearer_release_is_taken() -> None:
    """T19: Satisfy must allow suppression, which the cost charges for."""
    strict, meant = PseudoCode(5, suppression=False), PseudoCode(5)
    strict.optimize()
    meant.optimize()
    assert (strict.best, meant.best) == ((100, ()), (75, (2, 6, 7)))


@pytest.mark.parametrize("measure", ["lm", "class-size", "stars"])
def test_other_measures_are_refused(measure: str) -> None:
    problem = local_problem(FIGURE_12, Rules((KAnonymity(k=2),)), measure)
    with pytest.raises(SpecError, match=r"bounds for 'discernibility' and 'classification', not for .* Use one of"):
        KOptimize().solve(problem)


def test_wildcards_are_refused_where_values_are_missing() -> None:
    table = LocalTable([{"q": "a"}, {"q": None}], {"q": {"a": ("a", "*")}}, forms={"q": "ranges"})
    rules = Rules((KAnonymity(k=1),), wildcard=True)
    with pytest.raises(SpecError, match=r"classes overlap.* Use missing = 'category', or the algorithm 'optimal'"):
        KOptimize().solve(local_problem(table, rules, "discernibility"))
    whole = table.with_records([{"q": "a"}])
    assert KOptimize().solve(local_problem(whole, rules, "discernibility")).loss.total == 1


def test_single_records_are_not_suppressed() -> None:
    problem = local_problem(FIGURE_12, Rules((KAnonymity(k=3),)), "discernibility", Fraction(1, 5))
    with pytest.raises(SpecError, match=r"suppresses whole classes\. Use suppress = 'classes'\."):
        KOptimize().solve(replace(problem, by_record=True))


def test_a_missing_value_is_parted_from_all_others_first() -> None:
    table = pl.DataFrame({"age": ["1", "1", "2", "2", None, None]})
    release = shoal.anonymize(
        table, quasi={"age": "ranges"}, k=2, algorithm="k-optimize", measure="discernibility", missing="category"
    )
    assert sorted(release.frame["age"].cast(pl.String).fill_null("").to_list()) == ["", "", "1", "1", "2", "2"]
    asked: dict[str, Any] = {"algorithm": "k-optimize", "measure": "discernibility", "missing": "category"}
    one = shoal.anonymize(table[:5], quasi={"age": "ranges"}, k=2, **asked)
    assert one.frame["age"].to_list() == ["*"] * 5


def test_promises_that_are_not_monotone_with_suppression() -> None:
    """Every set is put to all promises before it is taken, whatever its bound."""
    frame = pl.DataFrame({"age": [str(age) for age in range(12)], "illness": list("aabbccababca")})
    for model in (TCloseness(t=Fraction(3, 10), column="illness"), DistinctLDiversity(l=3, column="illness")):
        for limit in (0, 0.25):
            release = shoal.anonymize(
                frame,
                quasi={"age": "ranges"},
                sensitive=["illness"],
                require=[model, KAnonymity(k=2)],
                max_suppressed=limit,
                algorithm="k-optimize",
                measure="discernibility",
            )
            assert release.certificate["algorithm"]["guarantee"] == "optimal"
            assert release.certificate["algorithm"]["recoding"] == "single-dimensional"


def test_a_promise_that_only_suppression_can_keep() -> None:
    """One class of all records fails, and so does every other set: t = 0 asks for equal shares."""
    frame = pl.DataFrame({"q": list("aabbb"), "s": list("xyxyy")})
    asked: dict[str, Any] = {
        "quasi": {"q": "ranges"},
        "sensitive": ["s"],
        "algorithm": "k-optimize",
        "measure": "discernibility",
        "require": [shoal.FrequencyLDiversity(l=2, column="s")],
    }
    with pytest.raises(InfeasibleError, match="frequency-l-diversity"):
        shoal.anonymize(frame, **asked)
    release = shoal.anonymize(frame, **asked, max_suppressed=0.6)
    assert release.frame.height == 2
    with pytest.raises(InfeasibleError, match=r"No set of cut points .* at most 2 of the 5 records"):
        shoal.anonymize(frame, **asked, max_suppressed=0.4)


def test_many_values_are_thinned_out_evenly() -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"wage": rng.integers(0, 20_000, 5_000).astype(str), "zip": rng.integers(0, 4, 5_000).astype(str)}
    )
    release = shoal.anonymize(
        frame,
        quasi={"wage": "ranges", "zip": "ranges"},
        k=50,
        algorithm={"name": "k-optimize", "cuts": 6},
        measure="discernibility",
    )
    remark = release.certificate["told"]["remark"]
    assert "cut points 9 are candidates (cuts = 6)" in remark
    assert release.certificate["algorithm"]["guarantee"] == "none"  # other cut points might lose less
    assert release.certificate["loss"]["bound"] is None
    sizes = release.solution.groups.sizes
    assert sizes.max() < 3 * sizes.min()


def test_a_label_with_too_many_values_is_refused() -> None:
    n = 12_000
    frame = pl.DataFrame({"q": [str(i) for i in range(n)], "s": [str(i) for i in range(n)]})
    with pytest.raises(SpecError, match=r"12000 different values, too many .* Use 'discernibility'"):
        shoal.anonymize(
            frame,
            quasi={"q": "ranges"},
            sensitive=["s"],
            k=2,
            measure="classification",
            algorithm={"name": "k-optimize", "cuts": 20_000},
        )


@pytest.mark.parametrize("measure", [Discernibility(), Classification(column="disease")])
def test_a_state_without_a_step_is_out_with_all_that_need_it(measure: Discernibility | Classification) -> None:
    rows = {value: (value, value[0], "*") for value in ("a1", "a2", "b1", "b2")}
    records = [{"q": value, "disease": value[0]} for value in rows]
    table = LocalTable(records, {"q": rows}, ("disease",))
    space = Recodings(local_problem(table, Rules((KAnonymity(k=1),)), measure.name), measure, 32)
    assert space.steps.needs.tolist() == [-1, 0, 0]
    assert space.without(space.all_open(), np.arange(3) == 0).tolist() == [OUT] * 3


@pytest.mark.parametrize("limit", [Fraction(4, 10), Fraction(1)])
def test_choices_of_classes_that_are_not_settled_give_a_bound_and_no_optimum(
    limit: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The six x are close to each other, and not to the whole table; nothing was stopped by a time limit."""
    records = [{"q": value, "s": secret} for value, secret in zip("xxxxxxyyyz", "uvuvuvwwww", strict=True)]
    table = LocalTable(records, {"q": {value: (value, "*") for value in "xyz"}}, ("s",))
    rules = Rules((KAnonymity(k=2), TCloseness(t=Fraction(1, 10), column="s")))
    problem = local_problem(table, rules, "discernibility", limit)
    best = KOptimize().solve(problem)
    assert (best.guarantee, best.loss.total) == ("optimal", 36 + 4 * 10)
    monkeypatch.setattr(selection, "_MOST_STATES", 0)
    found = KOptimize().solve(problem)
    assert found.guarantee == "none"
    assert found.bound is not None
    assert found.bound <= best.loss.total < found.loss.total
    assert found.remark == selection.UNSETTLED
