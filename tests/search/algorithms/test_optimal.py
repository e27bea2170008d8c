"""The tables of the papers that a full-domain search can reach."""

from fractions import Fraction

import pytest

from shoal.models import FrequencyLDiversity, KAnonymity, TCloseness
from shoal.search.algorithms import Exhaustive, Optimal
from tests.oracles.checks import check, node_of
from tests.oracles.full_domain import FullDomain, lower, nodes
from tests.oracles.losses import sizes
from tests.oracles.papers import MAX_SUP, figure_1
from tests.oracles.plain import PlainTable, Rows, Rules

AGES = {age: (age, "young" if age < "40" else "old", "*") for age in ("20", "30", "50")}


def ill(pairs: str) -> PlainTable:
    """Return a table of ages and illnesses, written as `20 flu, 30 cold`."""
    records = [dict(zip(("age", "illness"), pair.split(), strict=True)) for pair in pairs.split(", ")]
    return PlainTable(records, {"age": AGES}, ("illness",))


NOT_MONOTONE = {
    "frequency-l-diversity": FullDomain(
        ill("20 acne, 30 flu, 30 acne, 50 cold, 50 flu"), Rules((FrequencyLDiversity(l=Fraction(2), column="illness"),))
    ),
    "t-closeness": FullDomain(
        ill("20 cold, 30 flu, 50 flu, 50 flu, 50 flu, 50 flu"),
        Rules((TCloseness(t=Fraction("0.3"), column="illness"),)),
    ),
}


def pruned(space: FullDomain, limit: Fraction) -> float:
    """Return the least loss that a search finds which takes it that nothing below a failure is allowed."""
    allowed = {one.node for one in space.feasible(limit)}
    failed: list[tuple[int, ...]] = []
    losses = []
    for node in sorted(nodes(space.table), key=sum, reverse=True):
        if any(lower(node, other) for other in failed):
            continue
        if node in allowed:
            losses.append(space.loss("lm", space.at(node)))
        else:
            failed.append(node)
    return min(losses)


@pytest.mark.parametrize("name", list(NOT_MONOTONE))
def test_pruning_that_trusts_monotonicity_misses_the_optimum(name: str) -> None:
    """One record is suppressed at the bottom, more at the level above, none at the top."""
    space, limit = NOT_MONOTONE[name], Fraction(3, 10)
    suppressed = {one.node: one.suppressed for one in space.judged}
    assert suppressed[0,] == 1 < suppressed[1,]
    assert suppressed[2,] == 0
    assert pruned(space, limit) == len(space.table.records)
    solution = check(space, Optimal(), "lm", limit)
    assert solution is not None
    assert solution.guarantee == "optimal"
    assert (node_of(space, solution), solution.suppressed, solution.loss.total) == ((0,), 1, 1)


def test_overlapping_neighbourhoods_are_not_inherited() -> None:
    """A missing value lets both single records hide; joined, they share it, and no longer do."""
    sexes: Rows = {sex: (sex, "*") for sex in "FM"}
    hierarchies: dict[str, Rows] = {"age": {"20": ("20", "young", "*"), "30": ("30", "young", "*")}, "sex": sexes}
    rows = (("20", "F", "flu"), ("30", "F", "flu"), (None, None, "cold"), ("20", "M", "acne"), ("20", "M", "gout"))
    records = [dict(zip(("age", "sex", "illness"), row, strict=True)) for row in rows]
    rules = Rules((FrequencyLDiversity(l=Fraction(2), column="illness"),), wildcard=True)
    space = FullDomain(PlainTable(records, hierarchies, ("illness",)), rules)
    assert [one.suppressed for one in space.judged if one.node in ((0, 0), (1, 0))] == [0, 2]
    for algorithm in (Optimal(), Exhaustive()):
        solution = check(space, algorithm)
        assert solution is not None
        assert (node_of(space, solution), solution.loss.total) == ((0, 0), 0)


def test_figure_5_as_the_chapter_shows_it() -> None:
    space = figure_1()
    shown = {(2, 2, 1): [10], (2, 1, 0): [3, 3, 3], (1, 1, 0): [3, 3, 3]}
    for node, classes in shown.items():
        one = space.at(node)
        assert sizes(space.table, node, one.kept) == classes
        assert one.suppressed == 10 - sum(classes)


def test_figure_5_c_is_the_optimum_of_the_chapters_request() -> None:
    space = figure_1()
    solution = check(space, Optimal(), "lm", MAX_SUP)
    assert solution is not None
    assert node_of(space, solution) == (1, 1, 0)
    # 9 records at 1/3 (zip), 6 of them at 2/3 (been married) and 3 at 0, one record lost in three columns
    assert solution.loss.columns == pytest.approx({"zip": 9 / 3 + 1, "marital": 6 * 2 / 3 + 1, "sex": 1})
    assert solution.bound == solution.loss.total


def hospital() -> PlainTable:
    """Return the medical table of Aggarwal et al., section 1, with suppression hierarchies."""
    rows = ("47 White Male 21004", "35 White Female 21004", "27 Hispanic Female 92010", "27 White Female 92010")
    names = ("age", "race", "gender", "zip")
    records = [dict(zip(names, row.split(), strict=True)) for row in rows]
    stars = {name: {str(v): (str(v), "*") for v in {record[name] for record in records}} for name in names}
    return PlainTable(records, stars)


def test_the_hospital_needs_12_stars_where_whole_columns_are_starred() -> None:
    """Cell by cell 6 stars are enough (the paper's second table); full-domain all but the zip must go."""
    space = FullDomain(hospital(), Rules((KAnonymity(k=2),)))
    solution = check(space, Optimal(), "stars")
    assert solution is not None
    assert node_of(space, solution) == (1, 1, 1, 0)
    assert solution.loss.total == 12


def test_the_digits_of_the_microdata_under_3_anonymity_and_closeness() -> None:
    """Table 1 of Liang and Yuan, every digit a column: only the first digit of the zip hides all."""
    rows = """98765 38 Bachelor viral, 98654 39 Doctorate heart, 98543 32 Master heart, 97654 65 Bachelor cancer,
              96689 45 Bachelor viral, 97427 33 Bachelor viral, 96552 54 Bachelor heart, 97017 69 Doctorate cancer,
              97023 55 Master cancer, 97009 62 Bachelor cancer"""
    records = []
    for row in rows.split(","):
        zip_, age, education, disease = row.split()
        digits = {f"zip {place}": digit for place, digit in enumerate(zip_, 1)}
        records.append({**digits, "tens": age[0], "ones": age[1], "education": education, "disease": disease})
    names = [name for name in records[0] if name != "disease"]
    stars = {name: {str(v): (str(v), "*") for v in {record[name] for record in records}} for name in names}
    table = PlainTable(records, stars, ("disease",))
    three = check(FullDomain(table, Rules((KAnonymity(k=3),))), Optimal(), "stars")
    assert three is not None
    assert [name for name, level in three.levels.items() if level == 0] == ["zip 1"]
    assert three.loss.total == 70  # the paper's partition, cell by cell, has 54
    near = check(
        FullDomain(table, Rules((TCloseness(t=Fraction("0.3"), column="disease"),))),
        Optimal(),
        "stars",
        Fraction(3, 10),
    )
    assert near is not None
    assert near.guarantee == "optimal"
