"""A steward's certificate says of the search what the job and the rules beside it say."""

import json
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certificate import CERTIFICATE
from shoal.foundation.errors import CertificateError
from shoal.jobs.job import JOB_FILE
from shoal.releases.claims.job_agreement import check_job, told_by_job
from shoal.releases.claims.reading import claims_in
from tests.forging import forge, made_first, relist
from tests.jobs.test_disclosure import released
from tests.releases.claims.in_regions import released_in_regions
from tests.releases.test_cluster_release import released as clusters

SIDES = "The certificate and the job or the rules beside it differ in"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told["loss"].update(measure="ncp"), "the measure"),
        (lambda told: told["algorithm"].update(name="samarati"), "the algorithm"),
        (lambda told: told["algorithm"].update(levels={"age": 0, "ill": 0}), "the columns that have levels"),
        (lambda told: told["algorithm"].update(levels={}, recoding="local"), "the grids, the recoding"),
    ],
)
def test_how_it_was_made(tmp_path: Path, change: Any, words: str) -> None:
    released().write(tmp_path / "out")
    forge(tmp_path / "out" / "private" / CERTIFICATE, change)
    with pytest.raises(CertificateError, match=rf"{SIDES} {words}\.$"):
        shoal.verify(tmp_path / "out")


def test_what_the_job_leaves_open_may_be_anything(tmp_path: Path) -> None:
    released(algorithm=None).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out")
    check_job(claims_in(tmp_path / "out/public/certificate-public.json"))  # it has no job
    name = json.loads((tmp_path / "out" / "private" / CERTIFICATE).read_bytes())["algorithm"]["name"]
    forge(tmp_path / "out" / "private" / CERTIFICATE, lambda told: told["algorithm"].update(name=f"not {name}"))
    check_job(claims_in(tmp_path / "out"))


@pytest.fixture(scope="module")
def in_regions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released_in_regions(tmp_path_factory.mktemp("regions"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"recoding": "single-dimensional"}, "the recoding"),
        ({"recoding": "full-domain", "levels": {"age": 0}}, "the recoding"),
    ],
)
def test_in_regions_each_class_is_recoded_for_itself(
    in_regions: Path, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    out = Path(shutil.copytree(in_regions, tmp_path / "out"))
    forge(out / "private" / CERTIFICATE, lambda told: told["algorithm"].update(change))
    with pytest.raises(CertificateError, match=rf"{SIDES} {words}\.$") if words else nullcontext():
        check_job(claims_in(out))


def test_nothing_is_left_out_but_in_regions(in_regions: Path, tmp_path: Path) -> None:
    out = Path(shutil.copytree(in_regions, tmp_path / "out"))
    job = (out / "private" / JOB_FILE).read_text(encoding="utf-8")
    (out / "private" / JOB_FILE).write_text(job.replace("regions = 2\n", ""), encoding="utf-8")
    relist(out)
    with pytest.raises(CertificateError, match=rf"{SIDES} what is left out\.$"):
        check_job(claims_in(out))


@pytest.mark.parametrize("asked", [{}, {"algorithm": {"name": "r-gather", "centres": "records"}}])
def test_where_centres_may_be(tmp_path: Path, asked: dict[str, Any]) -> None:
    clusters(**asked).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out")
    forge(tmp_path / "out" / "private" / CERTIFICATE, lambda told: told["clusters"]["metric"].update(centres="any"))
    with pytest.raises(CertificateError, match=f"{SIDES} where centres may be"):
        shoal.verify(tmp_path / "out")


def test_rules_that_cannot_be_read(tmp_path: Path) -> None:
    released().write(tmp_path / "out")
    (tmp_path / "out/private/rules.json").write_text("{}", encoding="utf-8")
    relist(tmp_path / "out")
    with pytest.raises(CertificateError, match="The rules of the release are not as they were written"):
        shoal.verify(tmp_path / "out")
    made_first(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").verdict == "all claims hold"  # the first schema does not bind them


def test_what_the_job_tells(tmp_path: Path) -> None:
    released().write(tmp_path / "named")
    assert told_by_job(claims_in(tmp_path / "named")) == ("loss.measure", "loss.weighted", "algorithm.name")
    assert told_by_job(claims_in(tmp_path / "named/public/certificate-public.json")) == ()
    released(algorithm=None).write(tmp_path / "chosen")
    assert told_by_job(claims_in(tmp_path / "chosen")) == ("loss.measure", "loss.weighted")
    made_first(tmp_path / "named")
    assert told_by_job(claims_in(tmp_path / "named")) == ()


def test_a_release_by_rules_is_told_as_that(tmp_path: Path) -> None:
    table = pl.DataFrame({"q": list("aabb"), "s": list("uvuv")})
    shoal.anonymize(table, quasi=["q"], sensitive=["s"], k=2).write(tmp_path / "first")
    shoal.apply(tmp_path / "first", table).write(tmp_path / "applied")
    claims = claims_in(tmp_path / "applied")
    assert claims.job is not None
    assert claims.job.search.algorithm is None
    assert told_by_job(claims) == ("loss.measure", "loss.weighted", "algorithm.name")
    forge(tmp_path / "applied" / "private" / CERTIFICATE, lambda told: told["algorithm"].update(name="optimal"))
    with pytest.raises(CertificateError, match=rf"{SIDES} the algorithm\.$"):
        shoal.verify(tmp_path / "applied")


def test_one_column_of_groups_without_a_name_is_enough_for_that(tmp_path: Path) -> None:
    table = pl.DataFrame({"q": list("abcd"), "p": list("xxyy"), "s": list("uvuv")})
    quasi: Any = {"q": {"type": "order", "fanout": 2}, "p": "suppression"}
    shoal.anonymize(table, quasi=quasi, sensitive=["s"], k=2, algorithm="optimal").write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").not_derived == {}


def test_rules_of_groups_without_a_name_list_their_cells(tmp_path: Path) -> None:
    """So they are single-dimensional, where the release has one level for each column."""
    table = pl.DataFrame({"q": list("abcd"), "s": list("uvuv")})
    asked: Any = {"quasi": {"q": {"type": "order", "fanout": 2}}, "sensitive": ["s"], "k": 2, "algorithm": "optimal"}
    shoal.anonymize(table, **asked).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out")
    forge(
        tmp_path / "out" / "private" / CERTIFICATE, lambda told: told["algorithm"].update(recoding="local", levels={})
    )
    with pytest.raises(CertificateError, match="the recoding"):
        shoal.verify(tmp_path / "out")


GRIDS: dict[str, Any] = {
    "another step": lambda told: told["grid"]["wage"].update(step=1000),
    "a step for a step that is none": lambda told: told["grid"]["age"].update(step=5),
    "a column less": lambda told: told["grid"].pop("wage"),
    "a column more": lambda told: told["grid"].update(ill={"step": 5, "fine": False}),
    "none told": lambda told: told.pop("grid"),
}


@pytest.mark.parametrize("change", GRIDS.values(), ids=GRIDS)
def test_grids_are_those_of_the_job(tmp_path: Path, change: Any) -> None:
    table = pl.DataFrame({"age": [str(i % 7) for i in range(40)], "wage": [str(i * 97) for i in range(40)]})
    quasi: Any = {"age": {"type": "ranges", "grid": "none"}, "wage": {"type": "ranges", "grid": 500}}
    given = table.with_columns(ill=pl.Series(["flu", "gout"] * 20))
    shoal.anonymize(given, quasi=quasi, sensitive=["ill"], k=4, algorithm="mondrian").write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out")
    forge(tmp_path / "out" / "private" / CERTIFICATE, change)
    with pytest.raises(CertificateError, match=f"{SIDES} .*the grids"):
        shoal.verify(tmp_path / "out")
