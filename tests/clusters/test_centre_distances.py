from datetime import date
from random import Random

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.clusters.centre_distances import CentreDistances, allowed, distances, noise, numbers_of
from shoal.clusters.metric import Axis, Metric
from shoal.foundation.errors import CertificateError
from shoal.kernels.clusters.metrics import EARTH, EQUAL, HOLED, NUMBER, TABLE, distances_between
from shoal.tables.hierarchies.suppression import Suppression
from shoal.tables.table import Role, Table

KINDS = {"number": NUMBER, "holed": HOLED, "day": NUMBER, "equal": EQUAL, "table": TABLE, "earth": EARTH}


def _values(kind: str, draw: Random) -> list[str]:
    if kind in ("number", "holed"):
        return sorted({f"{draw.randint(-500, 500) / 10:g}" for _ in range(8)})
    if kind == "day":
        return sorted({date.fromordinal(730_000 + draw.randint(0, 999)).isoformat() for _ in range(8)})
    return [f"v{i}" for i in range(6)]


def random_metric(kinds: list[str], seed: int, *, squares: bool) -> Metric:
    """Return a metric with an axis of each kind; that of the earth has two columns."""
    draw = Random(seed)  # noqa: S311
    columns: list[QuasiColumn] = []
    axes = []

    def add(values: list[str]) -> int:
        tree = Suppression().build(values, "q")
        columns.append(QuasiColumn(f"q{len(columns)}", tree, np.ones(tree.n_leaves, dtype=np.int64)))
        return len(columns) - 1

    for kind in kinds:
        weight = draw.choice((0.25, 1.0, 3.5))
        if kind == "earth":
            places = [add([f"{draw.randint(-90 * 10, 90 * 10) / 10:g}" for _ in range(1)] + ["0"]) for _ in range(2)]
            leaves = tuple(np.array([float(str(v)) for v in columns[place].hierarchy.values]) for place in places)
            axes.append(Axis(EARTH, tuple(places), leaves, weight))
            continue
        place = add(_values(kind, draw))
        if kind == "holed":
            tree = columns[place].hierarchy.with_missing()
            columns[place] = QuasiColumn(columns[place].name, tree, np.ones(tree.n_leaves, dtype=np.int64))
        values = columns[place].hierarchy.values
        table = None
        if kind in ("number", "holed"):
            leaf = np.array([np.nan if value is None else float(value) for value in values])
        elif kind == "day":
            leaf = np.array([float(date.fromisoformat(str(value)).toordinal()) for value in values])
        else:
            leaf = np.arange(len(values), dtype=np.float64)
        if kind == "holed":
            table = np.array([[200.0]])
        elif kind == "table":
            table = np.abs(np.subtract.outer(leaf, leaf)) * 2
        axes.append(Axis(KINDS[kind], (place,), (leaf,), weight, table, days=kind == "day"))
    return Metric(tuple(columns), tuple(axes), squares)


def random_codes(metric: Metric, n: int, seed: int) -> NDArray[np.int32]:
    draw = np.random.default_rng(seed)
    sizes = [column.hierarchy.n_leaves for column in metric.columns]
    return np.column_stack([draw.integers(0, size, n) for size in sizes]).astype(np.int32)


def table_of(metric: Metric, codes: NDArray[np.int32]) -> Table:
    frame = pl.DataFrame(
        {
            column.name: pl.Series([column.hierarchy.values[code] for code in codes[:, j]], dtype=pl.String)
            for j, column in enumerate(metric.columns)
        }
    )
    return Table.of(frame, dict.fromkeys(frame.columns, Role.QUASI))


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize(
    "kinds", [[kind] for kind in KINDS] + [["number", "equal", "earth"], ["table", "holed", "day", "number"]]
)
def test_plain_arithmetic_measures_as_the_loops_do(kinds: list[str], squares: bool) -> None:
    metric = random_metric(kinds, len(kinds), squares=squares)
    codes, others = random_codes(metric, 40, 1), random_codes(metric, 15, 2)
    centres = metric.rounded(metric.positions(others))
    wanted = distances_between(metric.space, np.ascontiguousarray(metric.positions(codes)), centres)
    here = numbers_of(
        metric,
        {c.name: [c.hierarchy.values[code] for code in codes[:, j]] for j, c in enumerate(metric.columns)},
    )
    there = numbers_of(metric, metric.texts(centres))
    found = distances(metric, {j: row[:, None] for j, row in here.items()}, {j: row[None] for j, row in there.items()})
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=noise(metric) + 1e-9)


def test_a_number_between_the_values_is_read_as_it_is_published() -> None:
    metric = random_metric(["number", "day"], 3, squares=True)
    found = numbers_of(metric, {"q0": ["12.345678"], "q1": ["2001-02-03"]})
    assert found[0].tolist() == [12.345678]
    assert found[1].tolist() == [float(date(2001, 2, 3).toordinal())]


@pytest.mark.parametrize(("kind", "text"), [("number", "x"), ("number", None), ("equal", "7"), ("day", "12")])
def test_what_stands_nowhere_is_no_centre(kind: str, text: str | None) -> None:
    metric = random_metric([kind], 3, squares=True)
    with pytest.raises(CertificateError, match="value in column 'q0' that has no distance"):
        numbers_of(metric, {"q0": [text]})


@pytest.mark.parametrize("kinds", [["number"], ["equal", "number"], ["table"], ["earth", "number"], ["holed"]])
def test_records_beyond_every_centre_are_counted(kinds: list[str]) -> None:
    metric = random_metric(kinds, 11, squares=True)
    codes, others = random_codes(metric, 700, 5), random_codes(metric, 4, 6)
    reach = CentreDistances.of(metric, codes, np.ones(700, dtype=np.int64))
    assert reach.counts.sum() == 700
    there = numbers_of(metric, metric.texts(metric.rounded(metric.positions(others))))
    here = numbers_of(
        metric,
        {c.name: [c.hierarchy.values[code] for code in codes[:, j]] for j, c in enumerate(metric.columns)},
    )
    far = distances(metric, {j: r[:, None] for j, r in here.items()}, {j: r[None] for j, r in there.items()})
    nearest = far.min(axis=1)
    for radius in (0.0, *np.quantile(nearest, [0.2, 0.5, 0.9, 1.0]).tolist()):
        assert reach.beyond(there, radius) == int((nearest > allowed(metric, np.array([radius]))[0]).sum())
        assert reach.beyond(there, radius, 0) is None


def test_radii_are_those_of_the_records_of_each_cluster() -> None:
    metric = random_metric(["number"], 1, squares=True)
    codes = random_codes(metric, 30, 1)
    clusters = np.arange(30) % 3 - 1
    reach = CentreDistances.of(metric, codes, np.ones(30, dtype=np.int64), clusters)
    centres = numbers_of(metric, {"q0": ["0", "10"]})
    here = metric.positions(codes)[0]
    wanted = [np.abs(here[clusters == c] - middle).max() * metric.axes[0].weight for c, middle in enumerate((0, 10))]
    assert reach.radii(centres, 2).tolist() == pytest.approx(wanted)
    assert reach.far(centres)[reach.clusters < 0].tolist() == [0.0] * int((reach.clusters < 0).sum())
