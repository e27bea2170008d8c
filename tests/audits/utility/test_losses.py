"""What a column lost is what the certificate says, whatever the recoding."""

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.audits.utility.losses import column_loss
from shoal.audits.utility.readings import Reading
from shoal.measures import Entropy, Lm, Ncp, NonuniformEntropy, Stars, Tree
from shoal.measures.measure import CellMeasure
from tests.cli.run import patients

HEADER = ("name", "ssn", "age", "zip", "sex", "disease", "note")


def table() -> pl.DataFrame:
    rows = [
        [None if (i + j) % 37 == 0 else str(cell) for j, cell in enumerate(row)] for i, row in enumerate(patients())
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(HEADER, pl.String), orient="row")


@pytest.mark.parametrize("measure", ["lm", "ncp", "entropy", "tree", "stars", "nonuniform-entropy"])
@pytest.mark.parametrize(("algorithm", "age"), [("optimal", "intervals"), ("mondrian", "ranges")])
def test_it_is_what_the_certificate_says(algorithm: str, measure: str, age: str) -> None:
    recipe = {"type": "intervals", "widths": [5, 10, 20, 40]} if age == "intervals" else {"type": age}
    release = shoal.anonymize(
        table(),
        quasi={"age": recipe, "zip": "masking", "sex": "suppression", "disease": "sets"},
        insensitive=["note"],
        drop=["name", "ssn"],
        k=4,
        algorithm=algorithm,
        measure=measure,
        max_suppressed=0.05,
        seed=1,
    )
    found = shoal.utility(release, raw=table(), figures="columns")
    stated = release.certificate["loss"]["columns"]
    for name, lost in stated.items():
        loss = found[name].loss
        assert loss is not None
        assert loss.measure == measure
        assert loss.total == pytest.approx(lost), name


def loss(raw: list[str], shown: list[str], measure: CellMeasure) -> float:
    reading = Reading.of(pl.Series("x", raw), pl.Series("x", shown))
    found = column_loss(reading, measure, Path())
    assert found is not None
    return found.share


def test_a_release_by_any_tool_is_priced_by_what_cells_cover() -> None:
    ages = ["20", "21", "25", "40"]
    assert loss(ages, ["20-25", "20-25", "20-25", "40"], Lm()) == pytest.approx(3 * (5 / 20) / 4)
    assert loss(ages, ["20-25", "20-25", "*", "40"], Ncp()) == pytest.approx((2 * 5 / 20 + 1) / 4)
    assert loss(ages, ages[:3], Lm()) == pytest.approx(1 / 4)
    sexes = ["a", "b", "c", "c"]
    assert loss(sexes, ["{a, b}", "{a, b}", "c", "c"], Lm()) == pytest.approx(2 * (1 / 2) / 4)
    assert loss(sexes, ["{a, b}", "{a, b}", "c", "c"], Ncp()) == pytest.approx(2 * (2 / 3) / 4)
    assert loss(sexes, ["{a, b}", "{a, b}", "c", "c"], Entropy()) == pytest.approx(2 * 1 / (4 * 1.5))
    assert loss(sexes, ["{a, b}", "{a, b}", "c", "c"], NonuniformEntropy()) == pytest.approx(2 / (4 * 1.5))
    assert loss(sexes, ["{a, b}", "{a, b}", "c", "*"], Stars()) == pytest.approx(3 / 4)
    assert loss(sexes, ["{a, b}", "{a, b}", "c", "c"], Tree()) == pytest.approx(2 / 4)


def test_what_no_measure_prices_has_no_loss() -> None:
    noisy = Reading.of(pl.Series("x", ["1", "2"]), pl.Series("x", ["1.5", "2"]))
    assert column_loss(noisy, Lm()) is None
