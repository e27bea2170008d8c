"""A run that reached its time limit says so: on the terminal, in the certificate and in the report."""

import html
import json
from pathlib import Path

import pytest

from shoal.search.algorithms import ALGORITHMS
from tests.cli.run import HEADER, JOB, K_ANONYMITY, done, job_toml, patients, shoal, write_csv
from tests.contracts.cluster_variants import needed

TREES = JOB.replace('[columns.sex]\nrole = "quasi"', '[columns.sex]\nrole = "quasi"\nhierarchy = "suppression"')
REACHED = "the time limit of 1e-09 s was reached"


def asked(folder: Path, name: str, limit: str) -> Path:
    """Write the job of an algorithm with a time limit."""
    write_csv(folder / "data.csv", HEADER, [*patients(30), *patients(10)])  # ten have a twin
    kind = ALGORITHMS[name]
    measure = "discernibility" if kind.alike else "lm"
    fields = "".join(f", {field} = {value}" for field, value in needed(kind).items())
    loose = TREES + K_ANONYMITY.replace("k = 4", f"k = {min(2, kind.most_k or 2)}")
    search = f'[search]\nalgorithm = {{ name = "{name}"{fields} }}\nmax_suppressed = 0.9\ntime_limit = {limit}\n'
    return job_toml(folder, loose + search + ("" if kind.objective is not None else f'measure = "{measure}"\n'))


@pytest.mark.parametrize("name", ALGORITHMS.names)
def test_every_algorithm_tells_that_it_had_no_more_time(tmp_path: Path, name: str) -> None:
    ran = shoal("anonymize", asked(tmp_path, name, "1e-9"), "--out", tmp_path / "out")
    if ran.code == 3:  # nothing was found in time
        assert "time limit" in ran.err
        return
    assert ran.code == 0, ran.err
    certificate = json.loads((tmp_path / "out/private/certificate.json").read_text(encoding="utf-8"))
    optimal = certificate["algorithm"]["guarantee"] == "optimal"  # more time would change nothing
    assert (REACHED in ran.out) != optimal
    for file in ("private/certificate.json", "private/report.html"):
        assert (REACHED in html.unescape((tmp_path / "out" / file).read_text(encoding="utf-8"))) != optimal
    assert "bound" not in certificate["told"]["remark"] or certificate["loss"]["bound"] is not None


def test_a_limit_that_was_not_reached_stopped_nothing(tmp_path: Path) -> None:
    assert "time limit" not in done("anonymize", asked(tmp_path, "optimal", "600"), "--out", tmp_path / "out").out
