import json
from pathlib import Path
from typing import Any

import pytest

from shoal.actions.compare import Trials
from tests.cli.run import JOB, K_ANONYMITY, ROLES, done, entries, job_toml, patients_csv, shoal

GRID = ("--k", "2,8", "--algorithm", "optimal,mondrian:cut=loss,mode=relaxed")


def test_a_table_for_people_and_files_for_the_folder(tmp_path: Path) -> None:
    ran = done("compare", job_toml(tmp_path), *GRID, "--seed", 3, "--out", tmp_path / "out")
    lines = ran.out.splitlines()
    assert lines[1].split()[:3] == ["setting", "loss", "best"]
    assert [line.split()[0] for line in lines[2:6]] == ["1", "2", "3", "4"]
    assert "k 8, mondrian:mode=relaxed" in ran.out  # what is assumed anyway is not told
    assert "* not beaten" in ran.out
    assert "beaten by " in ran.out
    assert entries(tmp_path / "out") == {"frontier.csv", "frontier.svg", "jobs"}
    told = lines[-1].partition(": shoal ")[2].split()
    assert told[0] == "anonymize"
    released = done(*told[:2], "--out", tmp_path / "made", "--json").json
    rows = done("compare", job_toml(tmp_path), *GRID, "--seed", 3, "--json").json["settings"]
    chosen = next(row for row in rows if f"{row['number']}.toml" == Path(told[1]).name)
    assert released["loss"]["share"] == chosen["loss"]


def test_json_tells_all(tmp_path: Path) -> None:
    found = done("compare", job_toml(tmp_path), *GRID, "--max-suppressed", "0,0.1", "--json").json
    assert found["measure"] == "lm"
    assert found["threshold"] == {"risk": 0.09, "k": 12}
    assert found["judged_by"] == ["highest prosecutor risk", "loss by lm"]
    assert found["complete"] is True
    rows = found["settings"]
    assert [row["k"] for row in rows] == [2, 2, 8, 8, 2, 2, 8, 8]
    assert [row["max_suppressed"] for row in rows] == [0] * 4 + [0.1] * 4
    for row in rows:
        assert row["risk_highest"] == 1 / row["smallest_class"]
        assert (row["verdict"] == "dominated") == bool(row["dominated_by"])


def test_a_table_without_a_job_and_alternatives(tmp_path: Path) -> None:
    flags = (
        "--require",
        "distinct-l-diversity:l=2,column=disease",
        "--require",
        "distinct-l-diversity:l=3,column=disease",
    )
    ran = done(
        "compare",
        patients_csv(tmp_path),
        *ROLES,
        "--k",
        4,
        *flags,
        "--algorithm",
        "mondrian",
        "--measure",
        "ncp",
        "--json",
    )
    assert [row["promises"] for row in ran.json["settings"]] == [
        ["distinct-l-diversity:column=disease,l=2"],
        ["distinct-l-diversity:column=disease,l=3"],
    ]
    assert ran.json["measure"] == "ncp"


def test_one_that_is_infeasible_stays(tmp_path: Path) -> None:
    ran = done("compare", job_toml(tmp_path), "--k", "4,500", "--algorithm", "optimal,samarati,mondrian")
    assert ran.out.count("4, 5 infeasible: No generalization keeps every promise") == 1  # one reason is told once
    assert ran.out.count("6 infeasible: No release keeps every promise") == 1


def test_if_nothing_is_possible_nothing_is_written(tmp_path: Path) -> None:
    ran = shoal("compare", job_toml(tmp_path), "--k", 500, "--algorithm", "optimal,mondrian", "--out", tmp_path / "out")
    assert ran.code == 3
    assert "infeasible" in ran.out
    assert entries(tmp_path) == {"data.csv", "job.toml"}
    assert shoal("compare", job_toml(tmp_path), "--k", 9, "--algorithm", "two-factor-2").code == 2


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--k", "2,x"), "whole numbers"),
        (("--algorithm", ","), "--algorithm is empty"),
        (("--k", "0"), "greater than or equal to 1"),
        (("--k", "2", "--r", "2"), "both set the smallest"),
        (("--algorithm", "optimal,mondriam"), "Did you mean 'mondrian'"),
        (("--threshold", "2"), "above 0 and at most 1"),
        (("--max-suppressed", "0,2"), "less than or equal to 1"),
    ],
)
def test_a_mistake_is_told_before_the_table_is_read(tmp_path: Path, flags: tuple[str, ...], words: str) -> None:
    ran = shoal("compare", job_toml(tmp_path), *flags)
    assert ran.code == 2
    assert words in ran.err


def test_a_place_that_is_taken_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    ran = shoal("compare", job_toml(tmp_path), *GRID, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "exists already" in ran.err
    done("compare", job_toml(tmp_path), *GRID, "--out", tmp_path / "out", "--force")


def test_an_interrupt_shows_what_is_done_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = Trials.outcomes

    def interrupted(self: Trials, progress: Any) -> Any:
        for number, outcome in enumerate(every(self, progress)):
            if number == 2:
                raise KeyboardInterrupt
            yield outcome

    monkeypatch.setattr(Trials, "outcomes", interrupted)
    ran = shoal("compare", job_toml(tmp_path), *GRID, "--out", tmp_path / "out")
    assert ran.code == 130
    assert "interrupted: the settings that are left were not tried" in ran.out
    assert "k 2, optimal" in ran.out
    assert "k 8" not in ran.out
    assert entries(tmp_path) == {"data.csv", "job.toml"}
    shown = json.loads(shoal("compare", job_toml(tmp_path), *GRID, "--json").out)
    assert (shown["complete"], len(shown["settings"])) == (False, 2)


def test_what_a_job_says_of_clusters_is_for_clusters_alone(tmp_path: Path) -> None:
    text = JOB + K_ANONYMITY + '[search]\nalgorithm = "mdav"\n[release]\nshape = "clusters"\nradius = "largest"\n'
    found = done("compare", job_toml(tmp_path, text), "--algorithm", "mdav,optimal", "--json").json
    assert [row["recoding"] for row in found["settings"]] == ["centres", "full-domain"]
    assert [row["lowered"] for row in found["settings"]] == ["sse", "lm"]
    shown = done("compare", job_toml(tmp_path, text), "--algorithm", "mdav,optimal").out
    assert "clusters are priced by lm as the least cells that cover their records" in shown
