"""The prices that compiled searches read are those of the measures."""

import numpy as np
import pytest
from hypothesis import given, settings

from shoal.kernels.local.closures import RANGES, SETS, TREE, meet, range_price, set_price
from shoal.measures import MEASURES, CellMeasure
from shoal.search.local.closure import recoding_of
from shoal.search.local.forms import cheapest, forms_of, node_prices
from tests.measures.test_subsets import named, subsets_of
from tests.oracles.partitions import Case, cases

CELLS = [measure for member in MEASURES if isinstance(measure := member(), CellMeasure)]
each = pytest.mark.parametrize("measure", CELLS, ids=lambda measure: measure.name)
few = settings(deadline=None, max_examples=40)


@each
@few
@given(case=cases())
def test_prices_are_those_of_the_measure(measure: CellMeasure, case: Case) -> None:
    columns = case.counted.tally.quasi
    forms = forms_of(columns, measure)
    for number, column in enumerate(columns):
        hierarchy, costs, start = column.hierarchy, measure.costs(column), int(forms.nodes[number])
        singles = [frozenset([leaf]) for leaf in range(hierarchy.n_leaves)]
        wanted = [*singles, *(named(hierarchy) if hierarchy.form != "tree" else [])]
        prices = column.weight * costs.of(column, subsets_of(hierarchy, wanted))
        for leaves, paid in zip(wanted, prices.tolist(), strict=True):
            if forms.kinds[number] == RANGES:
                assert range_price(forms, number, min(leaves), max(leaves)) == pytest.approx(paid, abs=1e-12)
            elif forms.kinds[number] == SETS:
                sums = forms.adds[:, [start + leaf for leaf in leaves]].sum(axis=1)
                found = set_price(forms, number, len(leaves), sums[0], sums[1], max(leaves))
                assert found == pytest.approx(paid, abs=1e-12)
            else:
                node = min(leaves)
                for leaf in leaves:
                    node = meet(forms.parent, start, node, leaf)
                assert forms.prices[start + node] <= paid + 1e-12
                if measure.monotone:
                    assert forms.prices[start + node] == pytest.approx(paid, abs=1e-12)


@each
@few
@given(case=cases())
def test_a_mixed_class_pays_for_the_top(measure: CellMeasure, case: Case) -> None:
    forms = forms_of(case.counted.tally.quasi, measure)
    for number, column in enumerate(case.counted.tally.quasi):
        gap = column.hierarchy.missing_leaf
        assert forms.missing[number] == gap
        if gap > 0:
            assert forms.tops[number] == column.weight * measure.costs(column).by_level[-1][0]
            assert range_price(forms, number, 0, gap) == forms.tops[number] or forms.kinds[number] == TREE
            assert set_price(forms, number, 2, 0.0, 0.0, gap) == forms.tops[number]


@each
@few
@given(case=cases())
def test_the_search_sees_what_the_release_costs(measure: CellMeasure, case: Case) -> None:
    """The price of each class by the forms is the price of what is published, column by column."""
    parts = case.parts.filled()
    if parts.n_classes == 0:
        return
    columns = case.counted.tally.quasi
    forms, recoding = forms_of(columns, measure), recoding_of(case.counted.tally, parts, measure)
    for number, column in enumerate(columns):
        start = int(forms.nodes[number])
        published = column.weight * measure.costs(column).of(column, recoding.shown[number])
        for label in range(parts.n_classes):
            leaves = np.unique(case.counted.tally.codes[parts.points[parts.classes == label], number]).tolist()
            if forms.kinds[number] == RANGES:
                seen = range_price(forms, number, leaves[0], leaves[-1])
            elif forms.kinds[number] == SETS:
                sums = forms.adds[:, start + np.array(leaves)].sum(axis=1)
                seen = set_price(forms, number, len(leaves), sums[0], sums[1], leaves[-1])
            else:
                node = leaves[0]
                for leaf in leaves:
                    node = meet(forms.parent, start, node, leaf)
                seen = forms.prices[start + node]
            assert seen == pytest.approx(published[recoding.cells[label, number]], abs=1e-12)


@few
@given(case=cases())
def test_the_cheapest_node_above_is_the_node_itself_in_a_monotone_measure(case: Case) -> None:
    for column in case.counted.tally.quasi:
        tree = column.hierarchy.tree()
        for measure in CELLS:
            costs = measure.costs(column)
            prices, best = node_prices(column.hierarchy, costs), cheapest(column.hierarchy, costs)
            above = [_path(tree.parent.tolist(), node) for node in range(len(prices))]
            assert [prices[node] for node in best] == [min(prices[node] for node in nodes) for nodes in above]
            assert all(node in nodes for node, nodes in zip(best.tolist(), above, strict=True))
            if measure.monotone:
                assert best.tolist() == list(range(len(best)))


def _path(parent: list[int], node: int) -> list[int]:
    found = [node]
    while parent[found[-1]] != found[-1]:
        found.append(parent[found[-1]])
    return found
