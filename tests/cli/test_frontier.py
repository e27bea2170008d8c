from pathlib import Path

import pytest

from tests.cli.run import done, job_toml, read_csv, shoal


def test_the_least_loss_for_every_k_and_limit(tmp_path: Path) -> None:
    job = job_toml(tmp_path)
    found = done("frontier", job, "--k", "2,4", "--max-suppressed", "0,0.05", "--json").json
    assert found["records"] == 160
    assert found["measure"] == "lm"
    assert [(row["k"], row["max_suppressed"]) for row in found["frontier"]] == [(2, 0), (2, 0.05), (4, 0), (4, 0.05)]
    made = done(
        "anonymize", job, "--out", tmp_path / "out", "--max-suppressed", "0.05", "--algorithm", "optimal", "--json"
    ).json
    assert found["frontier"][3]["best"]["loss"] == pytest.approx(made["loss"]["total"])
    losses = [row["best"]["loss"] for row in found["frontier"]]
    assert losses[1] <= losses[0] <= losses[2]


def test_people_get_a_table_and_a_file(tmp_path: Path) -> None:
    shown = done("frontier", job_toml(tmp_path), "--k", "2,200", "--out", tmp_path / "all.csv").out
    assert shown.splitlines()[0].split() == ["k", "limit", "suppressed", "lm", "levels"]
    assert "none is allowed" in shown
    rows = read_csv(tmp_path / "all.csv")
    assert list(rows[0]) == ["level of age", "level of zip", "level of sex", "k", "suppressed", "lm"]


@pytest.mark.parametrize(
    "flags", [("--k", "0"), ("--k", "x"), ("--k", ""), ("--max-suppressed", "nan"), ("--max-suppressed", "2")]
)
def test_a_mistake_is_told(tmp_path: Path, flags: tuple[str, str]) -> None:
    ran = shoal("frontier", job_toml(tmp_path), *flags)
    assert ran.code == 2
    assert "--k takes whole numbers from 1 on" in ran.err


def test_a_file_without_a_place_is_refused(tmp_path: Path) -> None:
    ran = shoal("frontier", job_toml(tmp_path), "--out", tmp_path / "no" / "all.csv")
    assert ran.code == 2
    assert "there is no folder" in ran.err
