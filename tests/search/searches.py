"""Random problems for the search of classes, and what it keeps in its arrays, worked out from the records alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.kernels.local.classes import Classes
from shoal.kernels.local.closures import Forms
from shoal.kernels.sufficient_tests import SufficientTests, passes_tests
from shoal.measures import MEASURES
from shoal.measures.measure import CellMeasure
from shoal.models import KAnonymity
from shoal.models.model import PrivacyModel
from shoal.search.local.annealing import Annealer
from shoal.search.local.closure import recoding_of
from shoal.search.local.forms import forms_of
from shoal.search.local.sufficient_tests import sufficient_tests_of
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies import Ranges
from shoal.tables.hierarchies.hierarchy import Form as HierarchyForm
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.local.tables import GRID, Form
from tests.oracles.random_tables import random_rows

FORMS: tuple[Form, ...] = ("tree", "ranges", "numbers", "grid", "sets")
MEASURE_NAMES = [name for name in MEASURES.names if issubclass(MEASURES[name], CellMeasure)]
ILLNESSES = ("a", "b", "c", "d")


def random_hierarchy(rng: Random, form: Form, size: int, *, missing: bool) -> Hierarchy:
    """Return a hierarchy of `size` values, and one for the missing value if asked."""
    if form in ("numbers", "grid"):
        recipe = Ranges(grid=GRID) if form == "grid" else Ranges()
        hierarchy = recipe.build([str(value) for value in sorted(rng.sample(range(3 * size), size))], "a column")
    elif form == "tree":
        hierarchy = Hierarchy.of_rows(list(random_rows(rng, size, rng.randint(1, 4)).values()), "hierarchy")
    else:
        kind: HierarchyForm = "sets" if form == "sets" else "ranges"
        hierarchy = replace(Hierarchy.below_star([f"v{value}" for value in range(size)], []), form=kind)
    return hierarchy.with_missing() if missing else hierarchy


def random_tally(
    rng: Random, n: int, *, forms: Sequence[Form] = FORMS, n_columns: int = 4, size: int = 12, wide: bool = False
) -> Tally:
    """Return n records, some alike, with weights and now and then a missing value, and one sensitive column.

    There are up to `n_columns` quasi columns of up to `size` values, or, if `wide`, as many.
    """
    hierarchies = [
        random_hierarchy(rng, rng.choice(forms), size if wide else rng.randint(1, size), missing=rng.random() < 0.3)
        for _ in range(n_columns if wide else rng.randint(1, n_columns))
    ]
    columns = [
        np.array([min(rng.randrange(h.n_leaves), rng.randrange(h.n_leaves)) for _ in range(n)], dtype=np.int32)
        for h in hierarchies
    ]
    illness = np.array([min(rng.randrange(4), rng.randrange(4)) for _ in range(n)], dtype=np.int32)
    sizes = [h.n_leaves for h in hierarchies]
    point_of, points = distinct_rows([*columns, illness], [*sizes, len(ILLNESSES)], n)
    quasi = [
        QuasiColumn(
            f"q{j}", h, np.bincount(columns[j], minlength=h.n_leaves), rng.choice([1.0, 1.0, 1.0, 0.5, 3.0, 0.0])
        )
        for j, h in enumerate(hierarchies)
    ]
    return Tally(
        quasi=tuple(quasi),
        sensitive=(SensitiveColumn("illness", ILLNESSES),),
        codes=np.ascontiguousarray(points[:, :-1]),
        profiles=np.ascontiguousarray(points[:, -1]),
        profile_codes=np.arange(len(ILLNESSES), dtype=np.int32)[:, None],
        counts=np.bincount(point_of, minlength=len(points)).astype(np.int64),
    )


def weighed(rng: Random, tally: Tally) -> Tally:
    """Return the tally, in half of the cases with a random sampling weight for the records of each point."""
    if rng.random() < 0.5:
        return tally
    values = [rng.randint(1, 30) for _ in range(rng.randint(1, 5))]
    column = SensitiveColumn("weight", tuple(map(str, values)), weights=np.array(values, dtype=np.int64))
    pairs = [[code, w] for code in tally.profile_codes[:, 0].tolist() for w in range(len(values))]
    own = np.array([rng.randrange(len(values)) for _ in range(tally.n_points)])
    return replace(
        tally,
        sensitive=(*tally.sensitive, column),
        profiles=(tally.profiles * len(values) + own).astype(np.int32),
        profile_codes=np.array(pairs, dtype=np.int32),
    )


@dataclass(frozen=True)
class Search:
    """A problem with the search that is tested on it."""

    problem: Problem

    @classmethod
    def of(
        cls, tally: Tally, measure: str = "ncp", k: int = 2, *models: PrivacyModel, limit: int = 0, seed: int = 0
    ) -> "Search":
        share = Fraction(limit, int(tally.counts.sum()))
        return cls(Problem(tally, (KAnonymity(k=k), *models), MEASURES[measure](), max_suppressed=share, seed=seed))

    @property
    def tally(self) -> Tally:
        return self.problem.tally

    @property
    def measure(self) -> CellMeasure:
        assert isinstance(self.problem.measure, CellMeasure)
        return self.problem.measure

    @cached_property
    def forms(self) -> Forms:
        return forms_of(self.tally.quasi, self.measure)

    @cached_property
    def annealer(self) -> Annealer:
        return Annealer(self.problem, self.forms, self.sufficient_tests)

    @cached_property
    def sufficient_tests(self) -> SufficientTests:
        sufficient_tests = sufficient_tests_of(self.problem)
        assert sufficient_tests is not None
        return sufficient_tests

    def random_label(self, rng: Random, least: int) -> NDArray[np.int64]:
        """Return random classes of at least `least` records; one if there are fewer than twice as many."""
        n = len(self.annealer.records.point)
        n_classes = rng.randint(1, max(n // least, 1))
        label = np.arange(n) % n_classes
        rng.shuffle(label)  # type: ignore[arg-type]
        return label.astype(np.int64)

    def prices(self, groups: Sequence[Sequence[int]]) -> list[float]:
        """Return what a record pays in each class of some points, by what is published and the measure's own prices."""
        parts = Parts(
            points=np.array([point for group in groups for point in group], dtype=np.int32),
            classes=np.array([c for c, group in enumerate(groups) for _ in group], dtype=np.int32),
            counts=np.ones(sum(map(len, groups)), dtype=np.int64),
        )
        points = replace(self.tally, codes=self.annealer.records.codes)
        recoding = recoding_of(points, parts, self.measure)
        total = np.zeros(len(groups))
        for j, column in enumerate(self.tally.quasi):
            shown = self.measure.costs(column).of(column, recoding.shown[j])
            total += column.weight * shown[recoding.cells[:, j]]
        return [float(price) for price in total]

    def loss(self, label: NDArray[np.int64]) -> float:
        """Return what all records of some classes pay by their weights; the label -1 pays for being suppressed."""
        point, weight = self.annealer.records.point, self.annealer.records.weight
        found = [label == c for c in np.unique(label[label >= 0])]
        prices = self.prices([point[own].tolist() for own in found])
        paid = sum(int(weight[own].sum()) * price for own, price in zip(found, prices, strict=True))
        return paid + int(weight[label < 0].sum()) * self.forms.full

    def keeps(self, label: NDArray[np.int64]) -> bool:
        """Tell whether all classes keep all promises, by the models themselves."""
        parts = self.annealer.records.parts(label).filled()
        groups = Grouping.of_parts(self.tally, parts, parts.n_classes)
        return all(bool(model.holds(groups).all()) for model in self.problem.models)


def check_arrays(search: Search, classes: Classes) -> None:
    """Assert that what is noted of each record and class is so."""
    records, groups, members = classes.records, classes.groups, classes.members
    label: NDArray[np.int64] = records["label"]
    slot: NDArray[np.int64] = records["slot"]
    size: NDArray[np.int64] = groups["size"]
    begins: NDArray[np.int64] = groups["begin"][label]
    assert np.bincount(label, minlength=len(groups)).tolist() == size.tolist()
    assert records["weight"].tolist() == search.annealer.records.weight.tolist()
    assert np.bincount(label, records["weight"], len(groups)).tolist() == groups["weight"].tolist()
    assert sorted(slot.tolist()) == sorted(set(slot.tolist()))
    assert members[slot].tolist() == list(range(len(records)))
    assert np.all((slot >= begins) & (slot < begins + size[label]))
    assert np.all(size <= groups["capacity"])
    suppressed = groups[groups["least"] == 0]
    assert np.all(suppressed["price"] == search.forms.full)
    assert np.all(suppressed["fresh"] == 1)
    assert suppressed["size"].sum() <= search.problem.limit
    filled = np.flatnonzero((size > 0) & (groups["least"] > 0))
    own = [records["point"][label == c].tolist() for c in filled]
    assert np.allclose(groups["price"][filled], search.prices(own), atol=1e-9)
    for c in filled:
        check_class(search, classes, int(c))


def check_class(search: Search, classes: Classes, c: int) -> None:
    """Assert that what is noted of a class without each of its records is so, if it is said to be fresh."""
    records, group = classes.records, classes.groups[c]
    if not group["fresh"] or group["size"] < 2:
        return
    mine = np.flatnonzero(records["label"] == c)
    rests = [records["point"][mine[mine != i]].tolist() for i in mine]
    assert np.allclose(records["left"][mine], search.prices(rests), atol=1e-9)


def passing(search: Search, classes: Classes) -> list[bool]:
    """Return which of the classes that have records pass all tests."""
    found = []
    for group in classes.groups[(classes.groups["size"] > 0) & (classes.groups["least"] > 0)]:
        begin, end = int(group["begin"]), int(group["begin"] + group["size"])
        found.append(bool(passes_tests(search.sufficient_tests, classes.records, classes.members, begin, end, 0)))
    return found
