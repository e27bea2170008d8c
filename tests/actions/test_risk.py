from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from tests.cli.run import JOB, K_ANONYMITY, done, patients_csv
from tests.forging import forge

QUASI = ["age", "zip", "sex"]


@pytest.fixture
def job(tmp_path: Path) -> Path:
    patients_csv(tmp_path)
    path = tmp_path / "job.toml"
    path.write_text(JOB + K_ANONYMITY, encoding="utf-8")
    return path


def test_a_job_is_measured_by_its_input(job: Path) -> None:
    found = shoal.risk(job)
    again = shoal.risk(job.parent / "data.csv", quasi=QUASI)
    assert found.as_dict() == again.as_dict()
    assert found.before is None
    assert found.records.equals(again.records)


def test_a_release_is_measured_before_and_after(job: Path, tmp_path: Path) -> None:
    release = shoal.run(shoal.Job.read(job, {"search": {"algorithm": "optimal"}}))
    release.write(tmp_path / "out")
    found = shoal.risk(tmp_path / "out")
    assert found.before is not None
    assert found.before.summary == shoal.risk(job).summary
    assert found.summary["k"] >= 4
    assert found.summary["prosecutor"]["strict"]["largest"] <= 0.25
    assert found.as_dict()["before"]["k"] == 1
    assert shoal.risk(release).as_dict() == found.as_dict()
    assert "k 1" not in repr(found)
    (tmp_path / "data.csv").rename(tmp_path / "elsewhere.csv")
    assert shoal.risk(tmp_path / "out").before is None


def test_a_population_is_put_in_the_words_of_a_full_domain_release(job: Path, tmp_path: Path) -> None:
    done("anonymize", job, "--algorithm", "optimal", "--out", tmp_path / "out")
    everybody = pl.concat([pl.read_csv(tmp_path / "data.csv", infer_schema=False).select(QUASI)] * 3)
    everybody.write_csv(tmp_path / "everybody.csv")
    found = shoal.risk(tmp_path / "out", population=tmp_path / "everybody.csv")
    assert found.before is not None
    for summary in (found.summary, found.before.summary):
        assert summary["journalist"]["population"] == everybody.height
        assert summary["journalist"]["not_covered"] == 0
        assert summary["journalist"]["strict"]["largest"] == pytest.approx(1 / (3 * summary["k"]))
    released = shoal.run(shoal.Job.read(job, {"search": {"algorithm": "mondrian"}}))
    with pytest.raises(SpecError, match="uses local recoding"):
        shoal.risk(released, population=tmp_path / "everybody.csv")
    assert shoal.risk(tmp_path / "out", population=everybody).as_dict() == found.as_dict()
    (tmp_path / "data.csv").unlink()
    with pytest.raises(SpecError, match="the input that its job names is needed"):
        shoal.risk(tmp_path / "out", population=everybody)


def test_a_frame_of_everybody_serves_a_frame() -> None:
    frame = pl.DataFrame({"q": ["a", "b", "b"]})
    found = shoal.risk(frame, quasi="q", population=pl.DataFrame({"q": ["a", "a", "b", "b"]}), threshold="1/3")
    assert found.summary["journalist"]["strict"]["largest"] == 0.5
    assert [row["k"] for row in found.summary["prosecutor"]["strict"]["thresholds"]] == [3, 4, 5, 10, 12, 20]
    assert shoal.risk(frame, quasi=["q"], threshold=Fraction(1, 3)).summary["k"] == 1
    numbers, everybody = pl.DataFrame({"q": [1.0, 2.5]}), pl.DataFrame({"q": [1, 1, 2]})
    found = shoal.risk(numbers, quasi="q", population=everybody.to_pandas())
    assert found.records["journalist"].to_list() == [0.5, 1.0]
    assert found.summary["journalist"]["not_covered"] == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "No quasi column is named"),
        ({"quasi": ["q"], "entity": "q"}, "cannot be both a quasi column"),
        ({"quasi": ["q"], "entity": "idd"}, "No column 'idd' in the frame. Did you mean 'id'"),
        ({"quasi": ["q"], "threshold": "x"}, "A threshold of risk is a number"),
        ({"quasi": ["q"], "population": "p.csv", "fraction": 0.1}, "one of them, not several"),
    ],
)
def test_a_mistake_is_told(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        shoal.risk(pl.DataFrame({"q": ["a"], "id": ["1"]}), **given)


def test_what_is_no_release_is_told(job: Path) -> None:
    with pytest.raises(SpecError, match="is not a release"):
        shoal.risk(job.parent)
    with pytest.raises(SpecError, match="names its quasi columns itself"):
        shoal.risk(job, quasi=["age"])


@pytest.mark.parametrize("levels", ["none", [1], {"age": "1"}, None])
def test_a_certificate_whose_levels_are_none_is_refused(tmp_path: Path, levels: Any) -> None:
    table = tmp_path / "table.csv"
    pl.DataFrame({"age": ["1", "1", "2", "2"], "ill": ["a", "b", "a", "b"]}).write_csv(table)
    shoal.anonymize(table, quasi=["age"], sensitive=["ill"], k=2, algorithm="optimal").write(tmp_path / "out")
    assert shoal.risk(tmp_path / "out")
    forge(tmp_path / "out" / "private/certificate.json", lambda told: told["algorithm"].update(levels=levels))
    with pytest.raises(shoal.CertificateError, match="lacks what a certificate states"):
        shoal.risk(tmp_path / "out")
