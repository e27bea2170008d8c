"""Where missing values match everything, strict counting stands beside it: it is told, and derived again."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import CertificateError
from shoal.jobs.disclosure import PUBLIC
from tests.cli.run import done, write_csv
from tests.forging import file_in, forge, forge_first

FIVE = pl.DataFrame({"age": ["31", "32", "33", "34", None], "ill": ["flu", "flu", "gout", "cold", "flu"]})
BY_WILDCARDS = "all claims hold by the wildcard reading"


def released(table: pl.DataFrame = FIVE, **more: Any) -> shoal.Release:
    asked = {"quasi": {"age": "suppression"}, "sensitive": ["ill"], "k": 2, "missing": "wildcard"}
    return shoal.anonymize(table, **{**asked, "algorithm": "optimal", "seed": 1, **more})


@pytest.fixture
def out(tmp_path: Path) -> Path:
    released(require={"model": "distinct-l-diversity", "l": 2, "column": "ill"}, max_suppressed=0.9).write(
        tmp_path / "out"
    )
    return tmp_path / "out"


def test_five_rows_that_are_unique_but_for_a_blank_are_not_said_to_hide() -> None:
    release = released()
    [claim] = release.certificate["claims"]
    assert (claim["asked"], claim["achieved"], claim["strict"], claim["holds"]) == (2, 2, 1, True)
    assert release.public_certificate["claims"] == release.certificate["claims"]
    assert release.certificate["verdict"] == release.public_certificate["verdict"] == BY_WILDCARDS
    assert release.certificate["classes"]["smallest"] == 1
    assert "k-anonymity 1 strictly" in repr(release)
    shown = release._repr_html_()
    assert f"<b>{BY_WILDCARDS}</b>" in shown
    assert "<th>by wildcards</th><th>strictly</th>" in shown
    assert "<td>2</td><td>2</td><td>1</td><td>yes</td>" in shown


def test_other_readings_tell_one_figure() -> None:
    release = released(FIVE, missing="category", max_suppressed=1, quasi={"age": "suppression"})
    assert all("strict" not in claim for claim in release.certificate["claims"])
    assert release.certificate["verdict"] == "all claims hold"
    assert "<th>achieved</th>" in release._repr_html_()
    assert "strictly" not in repr(release)


def neighbours(rows: list[tuple[Any, ...]], own: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [
        row for row in rows if all(a == b or a is None or b is None for a, b in zip(row[:-1], own[:-1], strict=True))
    ]


def test_every_claim_is_what_counting_by_hand_gives() -> None:
    n_apart = 0
    for seed, l in product(range(10), (1, 2)):  # noqa: E741
        rng = Random(seed)  # noqa: S311
        data = {name: [rng.choice(["a", "b", "c", None]) for _ in range(30)] for name in ("age", "zip")}
        table = pl.DataFrame({**data, "ill": [rng.choice("uvw") for _ in range(30)]})
        release = released(
            table,
            quasi={"age": "suppression", "zip": "suppression"},
            k=3,
            require={"model": "distinct-l-diversity", "l": l, "column": "ill"},
            max_suppressed=0.5,
        )
        rows = release.frame.cast(pl.String).select("age", "zip", "ill").rows()
        k, diversity = release.certificate["claims"]
        near = [neighbours(rows, row) for row in rows]
        strict = [[other for other in rows if other[:-1] == row[:-1]] for row in rows]
        assert (k["achieved"], k["strict"]) == (min(map(len, near)), min(map(len, strict)))
        values = [min(len({row[-1] for row in some}) for some in classes) for classes in (near, strict)]
        assert [diversity["achieved"], diversity["strict"]] == values
        n_apart += k["achieved"] != k["strict"]
    assert n_apart > 3


def test_what_strict_counting_reaches_is_derived_again(out: Path) -> None:
    found = shoal.verify(out)
    assert found.verdict == BY_WILDCARDS
    stated = json.loads((out / "private" / CERTIFICATE).read_bytes())["claims"]
    assert found.as_dict()["claims"] == stated
    assert [claim["strict"] for claim in stated] == [1, 1]


CHANGED: dict[str, Callable[[dict[str, Any]], object]] = {
    "the claim k-anonymity": lambda told: told["claims"][0].update(strict=2),
    "the claim distinct-l-diversity (ill)": lambda told: told["claims"][1].update(strict=2),
    "the claim k-anonymity.": lambda told: told["claims"][0].pop("strict"),
    "the verdict": lambda told: told.update(verdict="all claims hold"),
}


@pytest.mark.parametrize("words", CHANGED)
@pytest.mark.parametrize("name", [CERTIFICATE, PUBLIC])
def test_another_figure_or_verdict_is_refused(out: Path, name: str, words: str) -> None:
    if name == PUBLIC:
        for other in (CERTIFICATE, "job.toml", "rules.json", "report.html", "manifest.json"):
            file_in(out, other).unlink()
    forge(file_in(out, name), CHANGED[words])
    with pytest.raises(CertificateError, match="differ in") as told:
        shoal.verify(out)
    assert words in str(told.value)


def test_the_public_one_may_not_say_more_than_the_other(out: Path) -> None:
    forge(out / "public" / PUBLIC, lambda told: told["claims"][0].update(strict=2))
    with pytest.raises(CertificateError, match="it differs in claims"):
        shoal.verify(out)


def earlier(told: dict[str, Any]) -> None:
    """Make a certificate one of an earlier version."""
    told["verdict"] = "all claims hold"
    told.pop("blind")
    for claim in told["claims"]:
        claim.pop("strict", None)


def without_strict_clusters(told: dict[str, Any]) -> None:
    for claim in told["clusters"]["claims"]:
        claim.pop("strict", None)


@pytest.mark.parametrize("missing", ["wildcard", "category"])
def test_a_certificate_of_an_earlier_version_verifies(tmp_path: Path, missing: str) -> None:
    released(missing=missing, max_suppressed=1, k=1).write(tmp_path / "out")
    for name in (CERTIFICATE, PUBLIC):
        forge_first(file_in(tmp_path / "out", name), earlier)
    found = shoal.verify(tmp_path / "out")
    assert found.verdict == (BY_WILDCARDS if missing == "wildcard" else "all claims hold")
    assert ("strict" in found.as_dict()["claims"][0]) == (missing == "wildcard")
    forge_first(tmp_path / "out" / "private" / CERTIFICATE, lambda told: told["claims"][0].update(strict=1))
    with pytest.raises(CertificateError, match="the claim k-anonymity"):
        shoal.verify(tmp_path / "out")


def test_clusters_of_whole_values_say_the_same_by_both_readings(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [str(i) for i in range(12)], "ill": ["flu", "gout"] * 6})
    for shape in ("both", "clusters"):
        release = released(table, quasi=["age"], algorithm="r-gather", shape=shape, k=3)
        release.write(tmp_path / shape)
        assert all(claim["strict"] == claim["achieved"] for claim in release.certificate["claims"])
        assert shoal.verify(release).verdict == BY_WILDCARDS
        words = "1 claims hold by the wildcard reading, 1 could not be derived here"  # the radius: no table is at hand
        assert shoal.verify(tmp_path / shape).verdict == words
        for name in (CERTIFICATE, PUBLIC):
            forge_first(file_in(tmp_path / shape, name), earlier)
            forge_first(file_in(tmp_path / shape, name), without_strict_clusters)
        assert shoal.verify(tmp_path / shape).verdict == words


def test_the_terminal_tells_both(tmp_path: Path) -> None:
    rows = [[value or "" for value in row] for row in FIVE.rows()]
    table = write_csv(tmp_path / "five.csv", FIVE.columns, rows)
    flags: tuple[Any, ...] = ("--quasi", "age", "--hierarchy", "age=suppression", "--sensitive", "ill", "--k", "2")
    flags += ("--missing", "wildcard", "--algorithm", "optimal", "--out", tmp_path / "out")
    made, verified = done("anonymize", table, *flags).out, done("verify", tmp_path / "out").out
    for said in (made, verified):
        assert BY_WILDCARDS in said
        assert " ".join(said.split()).count("promise asked by wildcards strictly holds k-anonymity 2 2 1 yes") == 1
        assert (
            "strictly: a missing value is a value of its own, because an attacker may know that it is missing" in said
        )
    assert "5, of 1 to 1 records" in made
    assert "verdict:     safe by one reading: " + BY_WILDCARDS in made
    said = done("check", tmp_path / "out/public/data.csv", "--quasi", "age").out
    assert "k:          1 (with missing values and stars as wildcards: 2)" in said


@pytest.mark.parametrize("audience", ["steward", "public"])
def test_reports_tell_both(audience: Any) -> None:
    page = released().report(audience=audience)
    assert "<b>Safe by one reading: all claims hold by the wildcard reading.</b>" in page
    assert "<th>reached by wildcards</th><th>strictly</th>" in page
    assert "The promises hold by the wildcard reading, in which it matches every value." in page
    assert "somebody is: the fewest records that show the same values are 1" in page
    assert "Not by the cells" not in page
    assert "For some with certainty, by strict counting" in page
    assert "Every record shares its quasi values with at least 0 others" in page
    strict = released(missing="category", k=1, max_suppressed=1).report(audience=audience)
    assert "<b>Safe: all claims hold.</b>" in strict
    assert "by wildcards" not in strict
