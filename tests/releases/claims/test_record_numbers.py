"""The numbers of records that a certificate states, against all that are near the true ones."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.jobs.disclosure import PUBLIC
from shoal.releases.claims.reading import claims_in
from shoal.releases.claims.record_numbers import numbers_agree
from tests.releases.test_cluster_release import released as clusters

QUASI = {"age": {"type": "intervals", "widths": [10]}, "sex": "suppression"}
TABLE = pl.DataFrame({"age": [20] * 20 + [100, 200, 300, None, None], "sex": ["F"] * 20 + ["M"] * 5})
ASKED: dict[str, Any] = {"quasi": QUASI, "k": 3, "max_suppressed": 0.5, "algorithm": "optimal"}


def made(folder: Path, suppressed: Any, missing: Any) -> Path:
    """Write a release of twenty records, with three that are suppressed, and two without an age."""
    release = shoal.anonymize(TABLE, **ASKED, suppressed=suppressed, missing=missing)
    release.write(folder / "out")
    return folder / "out"


@pytest.mark.parametrize("suppressed", ["drop", "star"])
@pytest.mark.parametrize("missing", ["category", "drop"])
def test_the_numbers_of_the_steward_add_up(tmp_path: Path, suppressed: str, missing: str) -> None:
    claims = claims_in(made(tmp_path, suppressed, missing))
    there = claims.certificate["file"]["records"]
    assert there == (20 if suppressed == "drop" else 23 if missing == "drop" else 25)
    assert numbers_agree(claims, there)
    for part, key in (("records", "suppressed"), ("missing", "dropped")):  # which the first schema may leave out
        certificate = {**claims.certificate, part: {**claims.certificate[part], key: None}}
        assert not numbers_agree(replace(claims, certificate=certificate), there)
    agreed = 0
    for total, released, gone, dropped in product((24, 25, 26), range(19, 26), range(7), range(7)):
        certificate = {
            **claims.certificate,
            "records": {"input": total, "released": released, "suppressed": gone},
            "missing": {"reading": missing, "dropped": dropped},
        }
        shown = released + (gone - dropped if suppressed == "star" else 0)
        true = total == released + gone and shown == there and dropped <= (gone if missing == "drop" else 0)
        assert numbers_agree(replace(claims, certificate=certificate), there) is true
        agreed += true
    assert agreed > 0


@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_the_public_numbers_fit_the_records_and_stars_that_are_there(tmp_path: Path, suppressed: str) -> None:
    claims = claims_in(made(tmp_path, suppressed, "drop") / "public" / PUBLIC)
    there, stars = (20, 0) if suppressed == "drop" else (23, 3)
    for released, gone in product(range(15, 30), (None, *range(6))):
        certificate = {**claims.certificate, "records": {"released": released, "suppressed": gone}}
        starred = there - released
        true = 0 <= starred <= stars and (gone is None or starred <= gone)
        assert numbers_agree(replace(claims, certificate=certificate), there) is true


def test_no_record_of_clusters_became_stars(tmp_path: Path) -> None:
    clusters(shape="clusters").write(tmp_path / "out")
    claims = claims_in(tmp_path / "out" / "public" / PUBLIC)
    for released in (59, 60, 61):
        certificate = {**claims.certificate, "records": {"released": released, "suppressed": 1}}
        assert numbers_agree(replace(claims, certificate=certificate), 60) is (released == 60)
