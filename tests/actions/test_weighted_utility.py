"""Usefulness by sampling weights, against sums in plain Python."""

from random import Random

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.audits.utility.utility import Utility

N = 120


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = Random(5)  # noqa: S311  (tables, not secrets)
    ages = [rng.randint(20, 59) for _ in range(N)]
    pay = [1000 + 30 * age + rng.randint(0, 900) for age in ages]
    return pl.DataFrame(
        {
            "age": [str(age) for age in ages],
            "town": [rng.choice("abcd") for _ in ages],
            "pay": [str(one) for one in pay],
            "weight": [f"{rng.lognormvariate(3, 1):.2f}" for _ in ages],
        }
    )


@pytest.fixture(scope="module")
def found(table: pl.DataFrame) -> Utility:
    release = shoal.anonymize(
        table,
        quasi=["age", "town"],
        sensitive=["pay"],
        insensitive=["weight"],
        k=4,
        sampling_weights="weight",
        algorithm="mondrian",
        seed=2,
    )
    return shoal.utility(release, raw=table, figures=["columns", "pairs"], named_from=4)


def test_means_and_deviations_are_weighted(found: Utility, table: pl.DataFrame) -> None:
    weights = np.array([float(one) for one in table["weight"]])
    for name in ("age", "pay"):
        numbers = np.array([float(one) for one in table[name]])
        column = next(one for one in found.columns if one.name == name)
        assert column.before is not None
        mean = float(np.average(numbers, weights=weights))
        assert column.before.records == N
        assert column.before.mean == pytest.approx(mean)
        assert column.before.deviation == pytest.approx(
            float(np.average((numbers - mean) ** 2, weights=weights)) ** 0.5
        )
        assert column.before.mean != pytest.approx(float(numbers.mean()), rel=1e-6)


def test_distributions_and_correlations_are_weighted(found: Utility, table: pl.DataFrame) -> None:
    weights = np.array([float(one) for one in table["weight"]])
    town = next(one for one in found.columns if one.name == "town")
    shares = {value: weights[(table["town"] == value).to_numpy()].sum() / weights.sum() for value in "abcd"}
    told = {place["label"]: place["before"] for place in town.as_dict()["distribution"]["places"]}
    assert {value: told[value] for value in "abcd"} == pytest.approx(shares)
    pair = next(one for one in found.pairs if set(one.columns) == {"age", "pay"})
    age, pay = (np.array([float(one) for one in table[name]]) for name in ("age", "pay"))
    spread = np.cov(age, pay, aweights=weights, ddof=0)
    assert pair.pearson is not None
    assert pair.pearson[0] == pytest.approx(spread[0, 1] / (spread[0, 0] * spread[1, 1]) ** 0.5)


def test_the_loss_of_columns_is_that_of_the_certificate(table: pl.DataFrame) -> None:
    release = shoal.anonymize(
        table,
        quasi=["age", "town"],
        sensitive=["pay"],
        insensitive=["weight"],
        k=4,
        sampling_weights="weight",
        algorithm="mondrian",
        max_suppressed=0.1,
        seed=2,
    )
    found = shoal.utility(release, raw=table, figures=["columns"])
    lost = {one.name: one.loss.total for one in found.columns if one.loss is not None and one.role == "quasi"}
    assert lost == pytest.approx(release.certificate["loss"]["columns"])
    assert any("go by the sampling weights in 'weight'" in note for note in found.notes)


def test_weights_that_did_not_leave_are_told(table: pl.DataFrame) -> None:
    release = shoal.anonymize(
        table, quasi=["age", "town"], sensitive=["pay"], k=4, sampling_weights="weight", algorithm="mondrian", seed=2
    )
    assert "weight" not in release.data.columns
    found = shoal.utility(release, raw=table, figures=["columns"])
    assert any("did not leave, so every record counts once" in note for note in found.notes)
    pay = next(one for one in found.columns if one.name == "pay")
    assert pay.before is not None
    assert pay.before.mean == pytest.approx(float(table["pay"].cast(pl.Float64).mean()))  # type: ignore[arg-type]
    with pytest.raises(shoal.SpecError, match="The release has no column 'weight' of sampling weights"):
        shoal.utility(release, raw=table, weights="weight")
