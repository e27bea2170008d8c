"""Every measure on the shelf keeps the same promises."""

import re
import runpy
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.classes.tally import QuasiColumn
from shoal.jobs.glossary import meaning
from shoal.measures import MEASURES, CellMeasure, ClassMeasure, Measure
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.measures.build import Release, build, publish, quasi_column
from tests.measures.oracle import TOTALS, PlainColumn, PlainRelease
from tests.measures.tables import Ascent, ascents, columns, patient, plain_tables, releases

ALL = [member() for member in MEASURES]
MONOTONE = [measure for measure in ALL if measure.monotone]
CELLS = [measure for measure in ALL if isinstance(measure, CellMeasure)]
CLASSES = [measure for measure in ALL if isinstance(measure, ClassMeasure)]
DOCS = Path(__file__).parents[2] / "docs" / "measures"

Table = tuple[list[PlainColumn], list[tuple[str, ...]], list[str]]


def each(measures: Sequence[Measure]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("measure", measures, ids=lambda measure: measure.name)


def total(release: Release, measure: Measure) -> float:
    return release.loss(measure).total


def at_most(left: float, right: float) -> bool:
    return left <= right + 1e-9 * max(abs(left), abs(right), 1.0)


def test_every_measure_has_an_oracle() -> None:
    assert sorted(TOTALS) == sorted(MEASURES.names)


@each(ALL)
@patient
@given(release=releases())
def test_total_columns_and_share_are_those_of_the_oracle(measure: Measure, release: PlainRelease) -> None:
    oracle = TOTALS[measure.name]
    loss = build(release).loss(measure)
    assert loss.measure == measure.name
    assert loss.total == pytest.approx(oracle(release), abs=1e-9)
    alone = {column.name: oracle(release.only(number)) for number, column in enumerate(release.columns)}
    assert loss.columns == pytest.approx(alone, abs=1e-9)
    worst = oracle(release.nothing())
    assert loss.share == pytest.approx(min(oracle(release) / worst, 1.0) if worst > 0 else 0.0, abs=1e-9)


@each(ALL)
@patient
@given(ascent=ascents())
def test_it_does_not_matter_how_the_suppressed_records_are_grouped(measure: Measure, ascent: Ascent) -> None:
    """The classes of `high` keep their nodes when they are suppressed, those of `cut` are one."""
    high = build(ascent.high)
    kept = [ascent.cut.published[members[0]] is not None for members in ascent.high.classes()]
    apart = measure.loss(high.groups, high.recoding, np.array(kept))
    together = build(ascent.cut).loss(measure)
    assert (apart.total, apart.share) == pytest.approx((together.total, together.share), abs=1e-9)
    assert apart.columns == pytest.approx(together.columns, abs=1e-9)


@each(ALL)
@patient
@given(release=releases())
def test_share_is_between_0_and_1_and_no_number_is_negative(measure: Measure, release: PlainRelease) -> None:
    loss = build(release).loss(measure)
    assert 0.0 <= loss.share <= 1.0
    assert loss.total >= 0.0
    assert all(value >= 0.0 for value in loss.columns.values())


@each(ALL)
@patient
@given(table=plain_tables())
def test_suppressing_everything_is_the_worst(measure: Measure, table: Table) -> None:
    """The share is 1, unless there is nothing to lose: no weight, or by entropy one value in every column."""
    drawn, records, labels = table
    loss = build(publish(drawn, records, [None] * len(records), labels)).loss(measure)
    constant = all(
        column.weight == 0 or ("entropy" in measure.name and len({record[number] for record in records}) == 1)
        for number, column in enumerate(drawn)
    )
    nothing_to_lose = isinstance(measure, CellMeasure) and constant
    assert loss.share == pytest.approx(0.0 if nothing_to_lose else 1.0)


@each(CELLS)
@patient
@given(table=plain_tables())
def test_publishing_the_values_costs_no_cell_anything(measure: CellMeasure, table: Table) -> None:
    drawn, records, labels = table
    release = build(publish(drawn, records, [[0] * len(drawn)] * len(records), labels))
    assert total(release, measure) == pytest.approx(0.0, abs=1e-9)


@each(CLASSES)
@patient
@given(table=plain_tables())
def test_classes_of_one_cost_least(measure: ClassMeasure, table: Table) -> None:
    """Discernibility and ambiguity count each record at least once, and a class has at least one record."""
    drawn, records, _ = table
    distinct = sorted(set(records))
    release = build(publish(drawn, distinct, [[0] * len(drawn)] * len(distinct), None))
    least = {"discernibility": len(distinct), "ambiguity": len(distinct), "class-size": 1}
    least["profitability"] = 300 * len(distinct)  # all are attacked
    assert total(release, measure) == pytest.approx(least.get(measure.name, 0))


@each(MONOTONE)
@patient
@given(ascent=ascents())
def test_generalizing_never_lowers_the_loss(measure: Measure, ascent: Ascent) -> None:
    assert at_most(total(build(ascent.low), measure), total(build(ascent.high), measure))


@each(MONOTONE)
@patient
@given(ascent=ascents())
def test_suppressing_never_lowers_the_loss_of_cells(measure: Measure, ascent: Ascent) -> None:
    if isinstance(measure, CellMeasure):
        assert at_most(total(build(ascent.high), measure), total(build(ascent.cut), measure))


@each(CLASSES)
@patient
@given(ascent=ascents())
def test_the_floor_bounds_every_generalization_whatever_is_suppressed(measure: ClassMeasure, ascent: Ascent) -> None:
    low = build(ascent.low)
    floor = measure.floor(low.groups, low.recoding)
    assert at_most(floor, total(build(ascent.high), measure))
    assert at_most(floor, total(build(ascent.cut), measure))


@each(CLASSES)
@patient
@given(release=releases())
def test_no_total_is_below_the_full_price_of_the_suppressed(measure: ClassMeasure, release: PlainRelease) -> None:
    built = build(release)
    full = measure.full(built.groups.n_records, built.recoding.columns)
    assert at_most(full * release.suppressed, total(built, measure))


@each([measure for measure in CELLS if measure.monotone])
@patient
@given(column=columns(), seed=st.lists(st.integers(0, 99), max_size=9))
def test_no_node_costs_more_than_one_above_it_or_than_full(
    measure: CellMeasure, column: PlainColumn, seed: list[int]
) -> None:
    values = [column.rows[number % len(column.rows)][0] for number in seed]
    quasi = quasi_column(column, values)
    costs = measure.costs(quasi)
    for level in range(quasi.hierarchy.height):
        above = costs.by_level[level + 1][quasi.hierarchy.lift(level, level + 1)]
        assert np.all(costs.by_level[level] <= above + 1e-12)
    assert np.all(costs.by_level[-1] <= costs.full + 1e-12)


@each(CELLS)
@patient
@given(column=columns(), seed=st.lists(st.integers(0, 99), max_size=9))
def test_every_price_is_finite_even_for_absent_values(
    measure: CellMeasure, column: PlainColumn, seed: list[int]
) -> None:
    values = [column.rows[number % len(column.rows)][0] for number in seed]
    quasi = quasi_column(column, values)
    costs = measure.costs(quasi)
    assert len(costs.by_level) == quasi.hierarchy.height + 1
    assert all(len(prices) == quasi.hierarchy.size(level) for level, prices in enumerate(costs.by_level))
    assert all(np.isfinite(prices).all() for prices in costs.by_level)
    assert np.isfinite([costs.full, costs.offset]).all()


@each(CELLS)
def test_a_column_without_values_has_prices_too(measure: CellMeasure) -> None:
    """Such a hierarchy is an empty level below the star."""
    empty = Hierarchy((), np.zeros((2, 0), dtype=np.int32), ((), ("*",)))
    costs = measure.costs(QuasiColumn("empty", empty, np.zeros(0, dtype=np.int64)))
    assert [len(prices) for prices in costs.by_level] == [0, 1]
    assert 0 <= costs.by_level[1][0] <= costs.full
    assert costs.offset == 0


@each(ALL)
@patient
@given(data=st.data())
def test_the_order_of_the_classes_does_not_matter(measure: Measure, data: st.DataObject) -> None:
    release = build(data.draw(releases()))
    order = data.draw(st.permutations(range(release.groups.n_classes)))
    loss, shuffled = release.loss(measure), release.shuffled(order).loss(measure)
    assert shuffled.total == pytest.approx(loss.total, abs=1e-9)
    assert shuffled.columns == pytest.approx(loss.columns, abs=1e-9)


@each(ALL)
def test_it_says_where_it_comes_from_and_whether_it_is_monotone(measure: Measure) -> None:
    assert measure.reference
    assert isinstance(measure.monotone, bool)
    assert (type(measure).__doc__ or "").strip()


@each(ALL)
def test_its_page_shows_how_to_ask_for_it_and_an_example_that_runs(measure: Measure, tmp_path: Path) -> None:
    page = (DOCS / f"{measure.name}.md").read_text()
    assert measure.name in re.findall(r'^measure = .*?"([a-z-]+)"', page, flags=re.MULTILINE)
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 1
    example = tmp_path / "example.py"
    example.write_text(blocks[0])
    runpy.run_path(str(example))


@each(ALL)
def test_what_a_measure_counts_is_said_in_half_a_line(measure: Measure) -> None:
    assert 10 < len(measure.words) <= 90
    assert meaning(measure.name) == measure.words
