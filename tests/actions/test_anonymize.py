"""Nothing is handed out that was not proven: whatever publishing does wrong, `anonymize` and `apply` refuse it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import CertificateError, Release
from shoal.jobs.job import Job
from shoal.releases.run import Run
from shoal.search.engines import Local
from shoal.tables.published import PublishedRows

Change = Callable[[pl.DataFrame], pl.DataFrame]

FRAME = pl.DataFrame(
    {
        "age": [20, 21, 22, 23, 40, 41, 42, 43, 90],
        "ill": ["flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout", "pox"],
    }
)
ASKED: dict[str, Any] = {
    "quasi": {"age": {"type": "intervals", "widths": [20]}},
    "sensitive": ["ill"],
    "k": 4,
    "require": [{"model": "distinct-l-diversity", "l": 2, "column": "ill"}],
    "max_suppressed": "1/9",
    "algorithm": "optimal",
    "seed": 1,
}
CLUSTERED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 4, "algorithm": "mdav", "seed": 1}


def _texts(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.cast(pl.String)


SPOILED: dict[str, tuple[Change, str]] = {
    "unique records": (
        lambda frame: _texts(frame).with_columns(age=pl.int_range(pl.len()).cast(pl.String)),
        r"Refused: the release does not keep its promises \(k-anonymity: asked 4, found 1; distinct-l",
    ),
    "one sensitive value for all": (
        lambda frame: _texts(frame).with_columns(ill=pl.lit("flu")),
        r"Refused: the release does not keep .* \(distinct-l-diversity: asked 2, found 1\)",
    ),
    "sensitive values in order": (
        lambda frame: pl.DataFrame([_texts(frame)["age"].sort(), _texts(frame)["ill"].sort()]),
        r"distinct-l-diversity: asked 2, found 1",
    ),
    "a record that was to be suppressed": (
        lambda frame: pl.concat([_texts(frame), pl.DataFrame({"age": ["90"], "ill": ["pox"]})]),
        r"k-anonymity: asked 4, found 1",
    ),
    "a suppressed record in a class of others": (
        lambda frame: pl.concat([_texts(frame), _texts(frame).head(1)]),
        "Refused: 9 records would leave, and 8 are to",
    ),
    "a record is missing": (lambda frame: frame.head(7), r"k-anonymity: asked 4, found 3"),
    "none": (lambda frame: frame.head(0), "Refused"),
}


def spoil(monkeypatch: pytest.MonkeyPatch, change: Change, step: str = "publish") -> None:
    known = getattr(Local, step)

    def spoiled(*given: Any, **flags: Any) -> Any:
        made = known(*given, **flags)
        if step != "publish":
            return change(made[0]), made[1]
        frame = change(made.frame())
        return PublishedRows(frame, np.ones(frame.height, dtype=np.int64))

    monkeypatch.setattr(Local, step, spoiled)


@pytest.mark.parametrize("kind", SPOILED)
def test_what_is_published_wrongly_is_not_handed_out(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    assert shoal.anonymize(FRAME, **ASKED).data.height == 8
    change, words = SPOILED[kind]
    spoil(monkeypatch, change)
    with pytest.raises(CertificateError, match=words) as caught:
        shoal.anonymize(FRAME, **ASKED)
    assert "written" not in str(caught.value)
    assert not any(value in str(caught.value) for value in ("flu", "gout", "pox"))


@pytest.mark.parametrize("kind", SPOILED)
def test_nor_what_is_applied_wrongly(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    rules = shoal.anonymize(FRAME, **ASKED).rules()
    change, words = SPOILED[kind]
    assert shoal.apply(rules, FRAME, failing="suppress").data.height == 8
    spoil(monkeypatch, change)
    with pytest.raises(CertificateError, match=words):
        shoal.apply(rules, FRAME, failing="suppress")


SPOILED_CLUSTERS: dict[str, tuple[Change, str]] = {
    "a radius": (lambda frame: frame.with_columns(radius=pl.lit("0")), "farther from the centre than the radius"),
    "a centre": (
        lambda frame: frame.with_columns(age=pl.lit("0")),
        "farther from the centre than the radius|differ in their centres",
    ),
    "a cluster": (lambda frame: frame.head(1), "has 1 rows for 2 clusters"),
    "a value": (
        lambda frame: frame.with_columns(ill=pl.format('{{"pox": {}}}', "records")),
        "differ in the values of column 'ill'",
    ),
}


@pytest.mark.parametrize("shape", ["records", "clusters", "both"])
@pytest.mark.parametrize("kind", ["a radius", "a centre"])
def test_clusters_that_are_published_wrongly_are_not_handed_out(
    monkeypatch: pytest.MonkeyPatch, kind: str, shape: Any
) -> None:
    shoal.anonymize(FRAME, **CLUSTERED, shape=shape)
    change, words = SPOILED_CLUSTERS[kind]
    spoil(monkeypatch, change, "publish_clusters")
    with pytest.raises(CertificateError, match=words):
        shoal.anonymize(FRAME, **CLUSTERED, shape=shape)


@pytest.mark.parametrize("kind", ["a cluster", "a value"])
def test_records_and_clusters_that_differ_are_not_handed_out(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    change, words = SPOILED_CLUSTERS[kind]
    spoil(monkeypatch, change, "publish_clusters")
    with pytest.raises(CertificateError, match=words):
        shoal.anonymize(FRAME, **CLUSTERED, shape="both")


def test_the_records_of_clusters_are_proven_too(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, lambda frame: _texts(frame).with_columns(age=pl.int_range(pl.len()).cast(pl.String)))
    for shape in ("records", "both"):
        with pytest.raises(CertificateError, match=r"differ in their centres|k-anonymity"):
            shoal.anonymize(FRAME, **CLUSTERED, shape=shape)


def test_nothing_unproven_is_compared_or_trained_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = pl.concat([FRAME.head(8)] * 8)
    table.write_csv(tmp_path / "data.csv")
    roles = {"quasi": ASKED["quasi"], "sensitive": ["ill"]}
    made = shoal.anonymize(tmp_path / "data.csv", **roles, k=4, algorithm="optimal")
    spoil(monkeypatch, SPOILED["unique records"][0])
    found = shoal.compare(tmp_path / "data.csv", **roles, k=[2, 4], algorithm="optimal")
    assert all(outcome.figures is None for outcome in found.outcomes)
    with pytest.raises(CertificateError, match="k-anonymity: asked 4, found 1"):
        shoal.utility(made, split=True, target="ill", learner="tree", folds=2)


def test_the_classes_of_a_run_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses by another measure are those of the very classes that were released."""
    calls, known = [], Local.assign

    def counted(*given: Any, **flags: Any) -> Any:
        calls.append(given)
        return known(*given, **flags)

    monkeypatch.setattr(Local, "assign", counted)
    found = shoal.compare(
        FRAME, quasi=["age"], sensitive=["ill"], k=2, algorithm=["mondrian", "mdav"], measure=["lm", "ncp"]
    )
    made = [outcome for outcome in found.outcomes if outcome.figures is not None]
    assert len(made) > 2
    assert len(calls) == len(made)


def test_a_release_is_made_of_its_proof_and_its_run() -> None:
    made = shoal.anonymize(FRAME, **ASKED)
    assert isinstance(made.run, Run)
    assert isinstance(made.job, Job)
    assert made.certificate["claims"][0]["achieved"] == 4
    with pytest.raises(TypeError):
        Release()  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="A release does not change once it is proven"):
        made.certificate = {}
