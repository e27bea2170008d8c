"""Whether a release is blind, by its job; and a certificate that says otherwise is refused."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import CertificateError
from shoal.jobs.disclosure import PUBLIC
from tests.forging import forge, stated

TABLE = pl.DataFrame(
    {
        "age": [str(20 + i % 10) for i in range(40)],
        "ill": ["flu", "gout", "cold", "flu"] * 10,
        "name": [f"p{i // 2}" for i in range(40)],
    }
)
DIVERSE = {"model": "distinct-l-diversity", "l": 2, "column": "ill"}
EVERYBODY = pl.DataFrame({"age": [str(20 + i % 10) for i in range(400)]})


def released(**more: Any) -> shoal.Release:
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "drop": ["name"], "k": 4, "seed": 2}
    if "entity" in more:
        del asked["drop"]
    return shoal.anonymize(TABLE, **{**asked, **more})


@pytest.mark.parametrize(
    ("asked", "blind"),
    [
        ({}, True),
        ({"algorithm": "mondrian"}, True),
        ({"algorithm": "optimal", "max_suppressed": 0.2}, True),
        ({"algorithm": "r-gather"}, True),
        ({"measure": "entropy"}, True),
        ({"missing": "wildcard"}, True),
        ({"measure": "classification", "algorithm": "optimal"}, False),
        ({"require": DIVERSE}, False),
        ({"require": DIVERSE, "blind": True, "max_suppressed": 0.9}, True),
        ({"require": DIVERSE, "algorithm": "r-gather"}, False),
        ({"entity": "name"}, False),
        ({"entity": "name", "blind": True, "max_suppressed": 0.9}, True),
    ],
)
def test_the_certificates_say_whether_a_release_is_blind(asked: dict[str, Any], blind: bool) -> None:
    release = released(**asked)
    assert release.certificate["blind"] is release.public_certificate["blind"] is blind
    for audience in ("steward", "public"):
        page = release.report(audience=audience)
        assert ("It is blind: the classes were made without the sensitive values" in page) is blind
        assert ("It is not blind: the search read more than the quasi columns" in page) is not blind


def test_promises_on_an_outside_table_read_no_sensitive_value(tmp_path: Path) -> None:
    EVERYBODY.write_csv(tmp_path / "all.csv")
    outside = {"model": "k-map", "k": 5, "population": str(tmp_path / "all.csv")}
    assert released(require=outside, algorithm="optimal").certificate["blind"] is True


def test_rules_place_records_by_their_values_too() -> None:
    for asked, blind in (({}, True), ({"require": DIVERSE, "blind": True, "max_suppressed": 0.9}, False)):
        rules = released(**asked, algorithm="mondrian").rules()
        again = shoal.apply(rules, TABLE)
        assert again.certificate["blind"] is again.public_certificate["blind"] is blind


@pytest.mark.parametrize("asked", [{}, {"require": DIVERSE}, {"require": DIVERSE, "blind": True}])
@pytest.mark.parametrize("said", [True, False, None, 1, "yes"])
def test_a_certificate_that_says_otherwise_is_refused(tmp_path: Path, asked: dict[str, Any], said: Any) -> None:
    out = tmp_path / "out"
    released(**asked, max_suppressed=0.9).write(out)
    was = stated(out / "private" / CERTIFICATE)["blind"]
    forge(out / "private" / CERTIFICATE, lambda told: told.update(blind=said))
    if said is was:
        assert shoal.verify(out).verdict == "all claims hold"
        return
    with pytest.raises(CertificateError, match=r"differ in whether it is blind|'blind' is not what may stand there"):
        shoal.verify(out)


@pytest.mark.parametrize("said", [None, 1, "yes"])
def test_those_who_got_the_data_take_a_word_for_it_but_no_other_value(tmp_path: Path, said: Any) -> None:
    out = tmp_path / "out"
    released().write(out)
    for name in (CERTIFICATE, "job.toml", "rules.json", "report.html", "manifest.json"):
        (out / "private" / name).unlink()
    forge(out / "public" / PUBLIC, lambda told: told.update(blind=said))
    with pytest.raises(CertificateError, match="'blind' is not what may stand there"):
        shoal.verify(out)


def test_the_public_one_may_not_say_otherwise_than_the_stewards(tmp_path: Path) -> None:
    out = tmp_path / "out"
    released().write(out)
    forge(out / "public" / PUBLIC, lambda told: told.update(blind=False))
    with pytest.raises(CertificateError, match="it differs in blind"):
        shoal.verify(out)
