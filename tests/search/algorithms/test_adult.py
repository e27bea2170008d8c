"""Regression figures on the Adult table; an independent prototype found the same."""

from fractions import Fraction
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from shoal.classes.tally import Tally
from shoal.measures import MEASURES
from shoal.models import KAnonymity
from shoal.search.algorithms import Exhaustive, Optimal
from shoal.search.engines.local import count
from shoal.search.problem import Problem
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.table import Role, Table

ADULT = Path(__file__).resolve().parents[4] / "shared" / "data" / "adult"
COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)

pytestmark = pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult table is not at hand (shared/data/adult)")


@cache
def adult(n_columns: int) -> Tally:
    columns = COLUMNS[:n_columns]
    frame = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False).select(columns)
    hierarchies = {}
    for column in columns:
        lines = (ADULT / f"hierarchy_{column}.csv").read_text().splitlines()
        hierarchies[column] = Hierarchy.of_rows([line.split(";") for line in lines], f"hierarchy of '{column}'")
    return count(Table.of(frame, dict.fromkeys(columns, Role.QUASI)), hierarchies, {}).tally


@pytest.mark.parametrize(
    ("limit", "loss", "suppressed"),
    [("0", 0.6355438467, 0), ("0.05", 0.2696346628, 1346), ("1", 0.2277003233, 2553)],
)
def test_the_optimum_for_9_columns_and_k_5(limit: str, loss: float, suppressed: int) -> None:
    tally = adult(9)
    solution = Optimal().solve(Problem(tally, (KAnonymity(k=5),), MEASURES["lm"](), Fraction(limit)))
    assert solution.loss.total / (9 * tally.n_records) == pytest.approx(loss, abs=5e-11)
    assert solution.suppressed == suppressed
    assert solution.guarantee == "optimal"
    assert int(solution.groups.sizes.min()) >= 5


@pytest.mark.parametrize("limit", ["0", "0.02"])
@pytest.mark.parametrize("measure", ["lm", "discernibility", "entropy"])
def test_five_columns_agree_with_the_exhaustive_search(measure: str, limit: str) -> None:
    problem = Problem(adult(5), (KAnonymity(k=5),), MEASURES[measure](), Fraction(limit))
    best, plain = Optimal().solve(problem), Exhaustive().solve(problem)
    assert best.loss.total == pytest.approx(plain.loss.total, rel=1e-12)
    assert best.nodes_checked <= plain.nodes_checked
