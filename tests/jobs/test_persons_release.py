"""Releases with promises that count persons: what the written file tells, and what its checker says of it."""

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import CertificateError, SpecError
from shoal.models import MODELS
from tests.forging import file_in, forge
from tests.oracles.persons import kept_by_hand, persons_of

PROMISES: list[dict[str, Any]] = [
    {"model": "distinct-l-diversity", "l": 3},
    {"model": "p-sensitive-k-anonymity", "p": 2, "k": 3},
    {"model": "frequency-l-diversity", "l": 1.5},
    {"model": "alpha-k-anonymity", "alpha": 0.7, "k": 2},
    {"model": "recursive-cl-diversity", "c": 3, "l": 2},
    {"model": "k-e-anonymity", "k": 2, "e": 2},
    {"model": "t-closeness", "t": 0.4},
    {"model": "t-closeness", "t": 0.2, "distance": "ordered"},
    {"model": "beta-likeness", "beta": 1.5},
    {"model": "delta-disclosure", "delta": 1.5},
]


def visits(seed: int = 1) -> pl.DataFrame:
    """Return visits of twenty persons, who come once to four times, mostly at one age, and hold one to three values."""
    rng = Random(seed)  # noqa: S311  (a table, no secret)
    rows = []
    for person in range(20):
        age, favourite = rng.randrange(8), rng.choice("1234")
        for _ in range(rng.randint(1, 4)):
            value = favourite if rng.random() < 0.6 else rng.choice("1234")
            rows.append((str(age + (rng.random() < 0.2)), rng.choice("FM"), value, f"p{person}"))
    return pl.DataFrame(rows, schema=["age", "sex", "value", "id"], orient="row")


def asked(promise: dict[str, Any], **more: Any) -> dict[str, Any]:
    quasi = {"age": {"type": "intervals", "widths": [2, 4, 8]}, "sex": "suppression"}
    require = [{**promise, "column": "value"}]
    request = {"quasi": quasi, "sensitive": ["value"], "entity": "id", "k": 2, "require": require, "seed": 3}
    return {**request, "max_suppressed": 0.2, **more}


def told_by(file: Path, promise: dict[str, Any]) -> bool:
    """Tell from a written file alone whether all of its classes keep a promise for each person."""
    frame = pl.read_csv(file, infer_schema=False)
    found: dict[tuple[Any, ...], list[tuple[str, str]]] = {}
    for age, sex, value, person in frame.select("age", "sex", "value", "id").iter_rows():
        found.setdefault((age, sex), []).append((value, person))
    persons = [persons_of(one) for one in found.values()]
    exact = {name: Fraction(str(one)) if isinstance(one, float) else one for name, one in promise.items()}
    kind: Any = MODELS[str(exact.pop("model"))]
    model = kind(**exact, column="value", entity="id")
    everybody = [held for one in persons for held in one]
    return all(kept_by_hand(model, one, everybody) for one in persons)


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: "-".join(map(str, promise.values())))
@pytest.mark.parametrize("suppressed", ["drop", pytest.param("star", marks=pytest.mark.deep)])
def test_the_written_file_tells_that_each_promise_is_kept_for_persons(
    promise: dict[str, Any], suppressed: str, tmp_path: Path
) -> None:
    release = shoal.anonymize(visits(), **asked(promise, suppressed=suppressed))
    release.write(tmp_path / "out")
    claim = release.certificate["claims"][1]
    assert claim["parameters"]["entity"] == "id"
    assert claim["holds"]
    assert release.certificate["algorithm"]["name"] == "optimal"
    assert told_by(tmp_path / "out" / "public" / "data.csv", promise)
    for folder in (tmp_path / "out", tmp_path / "out" / "public"):
        shoal.verify(folder)


def test_a_claim_that_persons_do_not_bear_out_is_found(tmp_path: Path) -> None:
    release = shoal.anonymize(visits(), **asked({"model": "frequency-l-diversity", "l": 1.5}))
    release.write(tmp_path / "out")
    reached = release.certificate["claims"][1]["achieved"]

    def change(content: dict[str, Any]) -> None:
        content["claims"][1]["achieved"] = reached + 0.5

    forge(file_in(tmp_path / "out", "certificate.json"), change)
    for folder in (tmp_path / "out", tmp_path / "out" / "public"):
        with pytest.raises(CertificateError, match=r"the claim frequency-l-diversity"):
            shoal.verify(folder)


def test_a_certificate_from_before_persons_were_counted_is_judged_by_records(tmp_path: Path) -> None:
    promise = {"model": "frequency-l-diversity", "l": 1.5}
    shoal.anonymize(visits(), **asked({**promise, "per": "record"})).write(tmp_path / "out")

    def change(content: dict[str, Any]) -> None:
        del content["claims"][1]["parameters"]["per"]

    job = file_in(tmp_path / "out", "job.toml")
    job.write_text(job.read_text("utf-8").replace(', per = "record"', ""), "utf-8")
    forge(file_in(tmp_path / "out", "certificate.json"), change)
    for folder in (tmp_path / "out", tmp_path / "out" / "public"):
        shoal.verify(folder)


def test_records_are_counted_where_that_is_asked_for() -> None:
    promise = {"model": "t-closeness", "t": 0.4, "per": "record"}
    release = shoal.anonymize(visits(), **asked(promise))
    assert "entity" not in release.certificate["claims"][1]["parameters"]
    assert release.certificate["claims"][1]["parameters"]["per"] == "record"


@pytest.mark.parametrize("algorithm", ["mondrian", "tightest", "top-down", "k-optimize"])
def test_what_recodes_each_class_for_itself_refuses_and_says_what_does_not(algorithm: str) -> None:
    with pytest.raises(SpecError, match=r"counts persons: .*'optimal', or per = 'record'"):
        shoal.anonymize(visits(), **asked({"model": "t-closeness", "t": 0.4}, algorithm=algorithm))


def test_single_records_are_not_suppressed_by_a_promise_on_persons() -> None:
    with pytest.raises(SpecError, match="'t-closeness' counts persons"):
        shoal.anonymize(visits(), **asked({"model": "t-closeness", "t": 0.4}, algorithm="optimal", suppress="records"))


def test_an_engine_that_counts_gives_the_same(tmp_path: Path) -> None:
    visits().write_csv(tmp_path / "visits.csv")
    request = asked({"model": "t-closeness", "t": 0.4})
    local, counted = (
        shoal.anonymize(tmp_path / "visits.csv", engine=engine, **request) for engine in ("local", "duckdb")
    )
    assert counted.certificate["claims"] == local.certificate["claims"]
