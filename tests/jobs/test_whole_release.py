"""Promises about a whole release, and estimated ones, from the job to the certificate and the reports."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.verify import verify
from shoal.foundation.errors import SpecError

TABLE = pl.DataFrame(
    {
        "zip": [f"{4000 + n // 3}" for n in range(60)],
        "sex": ["f", "m", "m"] * 20,
        "ill": ["flu", "cold"] * 30,
    }
)
WHOLE: list[dict[str, Any]] = [
    {"model": "average-risk", "most": 0.2},
    {"model": "sample-uniqueness", "most": 0.1},
    {"model": "population-uniqueness", "most": 0.05, "fraction": 0.2},
]
ESTIMATE = {"model": "k-map-estimate", "k": 20, "fraction": 0.1}


def released(**given: Any) -> Any:
    asked: dict[str, Any] = {
        "quasi": {"zip": "masking", "sex": "suppression"},
        "sensitive": ["ill"],
        "seed": 1,
        **given,
    }
    return shoal.anonymize(TABLE, **asked)


@pytest.mark.parametrize("algorithm", ["optimal", "tightest", "mondrian", "k-optimize", "mdav", None])
@pytest.mark.parametrize("promise", [*WHOLE, ESTIMATE], ids=lambda promise: promise["model"])
def test_every_kind_of_algorithm_keeps_the_promise(algorithm: str | None, promise: dict[str, Any]) -> None:
    chosen = {} if algorithm is None else {"algorithm": algorithm}
    chosen |= {"measure": "discernibility"} if algorithm == "k-optimize" else {}
    release = released(require=[promise], **chosen)
    (claim,) = release.certificate["claims"]
    assert claim["holds"] is True
    assert claim.get("estimated", False) == (promise["model"] in ("population-uniqueness", "k-map-estimate"))
    if promise is WHOLE[0]:
        sizes = release.data.group_by("zip", "sex").len()["len"].to_list()
        assert len(sizes) <= 0.2 * sum(sizes)
        assert claim["achieved"] == len(sizes) / sum(sizes) or algorithm == "mdav"


def test_what_is_written_says_what_is_estimated_and_verifies(tmp_path: Path) -> None:
    release = released(require=[*WHOLE, ESTIMATE], algorithm="optimal", max_suppressed=0.1)
    release.write(tmp_path / "out")
    assert verify(tmp_path / "out").not_derived == {}
    page = (tmp_path / "out" / "private" / "report.html").read_text()
    assert "population-uniqueness, estimated" in page
    assert "That of average-risk, sample-uniqueness, population-uniqueness is of all classes together." in page
    assert "rests on a model of the population" in page


def test_a_local_release_says_what_was_asked_for_in_place_of_the_promise() -> None:
    release = released(require=WHOLE[:1], algorithm="tightest")
    assert "for average-risk, each class has 5 records or more" in release.run.remark
    assert release.certificate["loss"]["bound"] <= release.certificate["loss"]["total"]


@pytest.mark.parametrize("promise", WHOLE, ids=lambda promise: promise["model"])
def test_overlapping_classes_and_persons_are_refused(promise: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="adds up over classes, which overlap with missing = 'wildcard'"):
        released(require=[promise], missing="wildcard")
    with pytest.raises(SpecError, match="counts records, and a column has the role 'entity'"):
        released(require=[promise, {"model": "k-anonymity", "k": 2}], entity="ill", sensitive=[])


def test_an_estimate_counts_no_persons() -> None:
    with pytest.raises(SpecError, match="k-map-estimate counts records, and a column has the role 'entity'"):
        released(require=[ESTIMATE, {"model": "k-anonymity", "k": 2}], entity="ill", sensitive=[])
