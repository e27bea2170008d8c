from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest

from shoal.classes.observed import COUNT, Observed, sensitive_column
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.table import Column


def _frame(**columns: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def test_records_with_the_same_published_values_are_a_class() -> None:
    observed = Observed.of(_frame(a=["1", "1", None, None, "*"], b=["x", "x", "x", "x", "x"]), ["a", "b"])
    assert sorted(observed.groups.sizes.tolist()) == [1, 2, 2]
    assert sorted(observed.open_cells[:, 0].tolist()) == [False, True, True]


def test_only_missing_values_are_wildcards_unless_stars_are_asked_for() -> None:
    observed = Observed.of(_frame(a=["1", "1", None, "*"]), ["a"])
    assert sorted(observed.wildcard(stars=False).sizes.tolist()) == [2, 3, 4]
    assert sorted(observed.wildcard(stars=True).sizes.tolist()) == [4, 4, 4]


def test_populations_are_counted_cell_by_cell_missing_ones_too() -> None:
    observed = Observed.of(_frame(a=["1", "2", None], b=["x", "x", "x"]), ["a", "b"])
    cells = _frame(a=["1", None, "3"], b=["x", "x", "x"]).with_columns(pl.Series(COUNT, [10, 20, 30]))
    groups = observed.with_populations({"all": cells}, ["a", "b"]).groups
    assert sorted(groups.populations["all"].tolist()) == [0, 10, 20]
    assert groups.outside == {"all": 30}


def test_suppressed_records_may_be_anybody_whom_no_class_covers() -> None:
    observed = Observed.of(_frame(a=["1", "*"], b=["x", "*"]), ["a", "b"])
    cells = _frame(a=["1", "2"], b=["x", "x"]).with_columns(pl.Series(COUNT, [10, 20]))
    groups = observed.with_populations({"all": cells}, ["a", "b"]).groups
    assert sorted(groups.populations["all"].tolist()) == [10, 20]
    assert groups.outside == {"all": 0}
    partly = Observed.of(_frame(a=["1", "*"], b=["x", "x"]), ["a", "b"])
    assert sorted(partly.with_populations({"all": cells}, ["a", "b"]).groups.populations["all"].tolist()) == [0, 10]


@pytest.mark.parametrize(
    ("values", "order"),
    [(["10", "9", "2"], ("2", "9", "10")), (["b", "a", None], ("a", "b", None)), (["10", "9", "x"], ("10", "9", "x"))],
)
def test_sensitive_values_stand_in_their_natural_order(values: list[str | None], order: tuple[str | None, ...]) -> None:
    column, codes = sensitive_column("s", Column.of(pl.Series(values, dtype=pl.String)), None)
    assert column.values == order
    assert [column.values[code] for code in codes] == values


def test_a_hierarchy_gives_the_order_and_the_domain() -> None:
    tree = Hierarchy.of_rows([("z", "*"), ("a", "*"), ("m", "*")], "hierarchy")
    column, codes = sensitive_column("s", Column.of(pl.Series(["a", None, "z"], dtype=pl.String)), tree)
    assert column.values == ("z", "a", "m", None)
    assert codes.tolist() == [1, 3, 0]


def test_no_sensitive_column_needs_none() -> None:
    observed = Observed.of(_frame(a=["1", "1"]), ["a"])
    assert observed.groups.sensitive == ()
    assert np.array_equal(observed.groups.sizes, [2])


def _classes(observed: Observed) -> list[tuple[str | None, ...]]:
    """Return what each class is published as."""
    texts = [[*values, None] for values in observed.published]
    return [tuple(texts[j][code] for j, code in enumerate(row)) for row in observed.cells.tolist()]


def test_no_two_cells_are_taken_for_one() -> None:
    values = ["1", "2", None]
    rows = [
        row for row in product(values, repeat=3) for _ in range(1 + values.index(row[0]) + 3 * values.index(row[2]))
    ]
    observed = Observed.of(_frame(**{name: [row[j] for row in rows] for j, name in enumerate("abc")}), list("abc"))
    assert dict(zip(_classes(observed), observed.groups.sizes.tolist(), strict=True)) == Counter(rows)


def test_a_cell_is_open_where_it_is_missing_or_a_star() -> None:
    observed = Observed.of(_frame(a=["1", "2", None, "*"], b=["x", "y", "x", "y"]), ["a", "b"])
    opened = dict(zip(_classes(observed), observed.open_cells.tolist(), strict=True))
    assert opened == {
        ("1", "x"): [False, False],
        ("2", "y"): [False, False],
        (None, "x"): [True, False],
        ("*", "y"): [True, False],
    }


def test_a_class_without_stars_is_nobody_whom_the_population_lacks() -> None:
    observed = Observed.of(_frame(a=["1", "2"], b=["x", "y"]), ["a", "b"])
    cells = _frame(a=["1", "3"], b=["x", "x"]).with_columns(pl.Series(COUNT, [10, 20]))
    groups = observed.with_populations({"all": cells}, ["a", "b"]).groups
    assert sorted(groups.populations["all"].tolist()) == [0, 10]
    assert groups.outside == {"all": 20}


def test_each_class_has_the_sensitive_values_of_its_records() -> None:
    frame = _frame(a=["1", "1", "2", "2"], b=["x", "x", "x", "y"], s=["m", "a", "z", "z"])
    tree = Hierarchy.of_rows([("z", "*"), ("a", "*"), ("m", "*")], "hierarchy")
    for hierarchies, values in ((None, ("a", "m", "z")), ({"s": tree}, ("z", "a", "m"))):
        observed = Observed.of(frame, ["a", "b"], ["s"], hierarchies)
        assert observed.groups.sensitive[0].values == values
        held = observed.groups.histogram("s")
        found = {
            cell: {values[code] for code in held.values[start:end].tolist()}
            for cell, start, end in zip(_classes(observed), held.offsets[:-1], held.offsets[1:], strict=True)
        }
        assert found == {("1", "x"): {"a", "m"}, ("2", "x"): {"z"}, ("2", "y"): {"z"}}


def test_a_hierarchy_must_hold_the_values_and_knows_no_missing_one_by_itself() -> None:
    tree = Hierarchy.of_rows([("z", "*"), ("a", "*")], "hierarchy")
    assert sensitive_column("s", Column.of(pl.Series(["a", "z"])), tree)[0].values == ("z", "a")
    with pytest.raises(SpecError, match="lacks 1 of"):
        sensitive_column("s", Column.of(pl.Series(["a", "q"])), tree)
