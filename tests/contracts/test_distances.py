"""What every type of distance promises, whatever the values, and what they promise together."""

import csv
import io
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances import DISTANCES, DistanceSpec, Equal, Matrix, Number, Place, Tree
from shoal.clusters.distances.combination import Norm, combined
from shoal.clusters.metric import Metric
from shoal.clusters.searches.middles import means
from shoal.kernels.clusters.metrics import distances_between
from shoal.tables.hierarchies import HierarchySpec, Masking, Suppression
from shoal.tables.hierarchies.hierarchy import Label
from tests.clusters.distances.columns import check_metric, codes_of, column
from tests.oracles.clusters.metrics import KINDS, random_matrix

N = 12


@dataclass(frozen=True)
class Case:
    """A recipe, the records of the columns on its axis, the first of them its own, and the file that it reads."""

    spec: DistanceSpec
    records: Sequence[Sequence[Label]]
    hierarchy: HierarchySpec = field(default_factory=Suppression)
    file: str = ""


def _some(draw: st.DrawFn, values: st.SearchStrategy[str], *, missing: bool = True) -> list[Label]:
    known: st.SearchStrategy[Label] = st.one_of(values, st.none()) if missing and draw(st.booleans()) else values
    return draw(st.lists(known, min_size=N, max_size=N))


@st.composite
def number(draw: st.DrawFn) -> Case:
    values = draw(
        st.sampled_from(
            [
                st.integers(-50, 50).map(str),
                st.decimals(-9, 9, places=3).map(str),
                st.dates().map(str),
                st.sampled_from(["1e-30", "5e-30", "0"]),
            ]
        )
    )
    recipe = draw(st.sampled_from([Number(), Number(scale="range"), Number(scale="deviation"), Number(unit=0.3)]))
    return Case(recipe, [_some(draw, values)])


@st.composite
def tree(draw: st.DrawFn) -> Case:
    return Case(Tree(), [_some(draw, st.text("01", min_size=1, max_size=4))], Masking())


@st.composite
def matrix(draw: st.DrawFn) -> Case:
    apart = random_matrix(draw(st.sampled_from(KINDS)), 5, draw(st.integers(0, 99)))
    apart = np.ceil(apart * 1000) / 1000  # rounding up keeps a sum above its parts
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["", *"abcde"])
    writer.writerows([name, *(f"{entry:.3f}" for entry in row)] for name, row in zip("abcde", apart, strict=True))
    return Case(Matrix(path="far.csv"), [_some(draw, st.sampled_from("abcde"))], file=text.getvalue())


@st.composite
def place(draw: st.DrawFn) -> Case:
    columns = [_some(draw, st.integers(-most, most).map(str), missing=False) for most in (90, 180)]
    return Case(Place(longitude="east", unit=draw(st.sampled_from([1.0, 250.0]))), columns)


CASES: dict[str, st.SearchStrategy[Case]] = {
    "number": number(),
    "equal": st.composite(lambda draw: Case(Equal(), [_some(draw, st.sampled_from("abc"))]))(),
    "tree": tree(),
    "matrix": matrix(),
    "place": place(),
}

few = settings(max_examples=30)
every_member = pytest.mark.parametrize("name", CASES)


def built(cases: Sequence[Case], norm: Norm = "l2", weights: Sequence[float] = (1.0,)) -> Metric:
    """Return the metric of some cases side by side."""
    columns: list[QuasiColumn] = []
    recipes: dict[str, DistanceSpec] = {}
    with tempfile.TemporaryDirectory() as folder:
        for at, (case, weight) in enumerate(zip(cases, weights, strict=True)):
            own = [f"q{at}", "east"][: len(case.records)]
            for name, records in zip(own, case.records, strict=True):
                columns.append(column(records, case.hierarchy, weight, name))
            recipes[own[0]] = case.spec
            if case.file:
                (Path(folder) / "far.csv").write_text(case.file, encoding="utf-8")
        return combined(columns, recipes, norm, Path(folder))


def places(metric: Metric, cases: Sequence[Case]) -> NDArray[np.float64]:
    """Return where the records are, and the middles of some of them."""
    records = [one for case in cases for one in case.records]
    here = metric.positions(codes_of(metric.columns, list(zip(*records, strict=True))))
    middles = [
        means(metric.space, here[:, :end], np.zeros(end, dtype=np.int64), np.ones(end, dtype=np.int64), 1)
        for end in (2, 5, N)
    ]
    return np.concatenate([here, *middles], axis=1)


def test_every_member_is_here() -> None:
    assert list(CASES) == DISTANCES.names


@every_member
@few
@given(data=st.data())
def test_it_is_a_metric_between_records_and_middles(name: str, data: st.DataObject) -> None:
    case = data.draw(CASES[name])
    metric = built([case], "l1")
    found = places(metric, [case])
    check_metric(distances_between(metric.space, found, found))


@every_member
@few
@given(data=st.data())
def test_the_order_of_the_records_does_not_matter(name: str, data: st.DataObject) -> None:
    case = data.draw(CASES[name])
    order = data.draw(st.permutations(range(N)))
    other = Case(case.spec, [[one[i] for i in order] for one in case.records], case.hierarchy, case.file)
    first, second = built([case]), built([other])
    here, there = places(first, [case])[:, :N], places(second, [other])[:, :N]
    apart = distances_between(first.space, here, here)
    moved = distances_between(second.space, there, there)
    np.testing.assert_allclose(apart[np.ix_(order, order)], moved, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in CASES if name != "place"])
@few
@given(data=st.data())
def test_a_missing_value_is_as_far_from_all_as_the_farthest(name: str, data: st.DataObject) -> None:
    case = data.draw(CASES[name].filter(lambda case: None in case.records[0]))
    metric = built([case])
    found = places(metric, [case])[:, :N]
    apart = distances_between(metric.space, found, found)
    missing = np.array([value is None for value in case.records[0]])
    gaps = apart[np.ix_(missing, ~missing)]
    assert (gaps == gaps.max(initial=0.0)).all()
    assert gaps.size == 0 or gaps.max() >= apart.max() * (1 - 1e-12) > 0
    assert not apart[np.ix_(missing, missing)].any()


@every_member
@few
@given(data=st.data())
def test_published_positions_are_told_by_their_texts(name: str, data: st.DataObject) -> None:
    """A record's own place is told by its own values, and what is published is published as it is."""
    case = data.draw(CASES[name])
    metric = built([case])
    rounded = metric.rounded(places(metric, [case]))
    texts = metric.texts(rounded)
    assert metric.texts(metric.rounded(rounded)) == texts
    for one, records in zip(metric.columns, case.records, strict=True):
        leaves = metric.axes[0].leaves[metric.axes[0].columns.index(metric.columns.index(one))]
        number = dict(zip(one.hierarchy.values, leaves.tolist(), strict=True))
        for text, value in zip(texts[one.name], records, strict=False):
            assert (text is None) == (value is None)
            assert text is None or number[text] == number[value]


@pytest.mark.parametrize("names", [*combinations(CASES, 2), tuple(CASES)], ids="-".join)
@pytest.mark.parametrize("norm", ["l1", "l2"])
@settings(max_examples=6)
@given(data=st.data())
def test_together_they_are_a_metric(names: tuple[str, ...], norm: Norm, data: st.DataObject) -> None:
    cases = [data.draw(CASES[name]) for name in names]
    weights = [data.draw(st.sampled_from([0.0, 0.25, 1.0, 3.0])) for _ in names]
    metric = built(cases, norm, weights)
    found = places(metric, cases)
    apart = distances_between(metric.space, found, found)
    check_metric(apart)
    alone = []
    for axis, start in zip(metric.axes, metric.space.starts, strict=True):
        own, part = Metric(metric.columns, (axis,), squares=False), found[start : start + axis.width]
        alone.append(distances_between(own.space, part, part))
    wanted = sum(alone) if norm == "l1" else np.sqrt(sum(one**2 for one in alone))
    np.testing.assert_allclose(apart, wanted, rtol=1e-12)
