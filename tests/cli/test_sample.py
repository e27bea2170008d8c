"""`shoal sample`: what it prints, and how it ends."""

import json
from pathlib import Path

from tests.actions.test_sample import people, rules_of
from tests.cli.run import done, shoal

WORDS = "made of other persons"


def given(folder: Path) -> list[str]:
    """Write rules and a table; return the arguments that draw from it."""
    rules_of().write(folder / "rules")
    people(2, 3000).write_csv(folder / "table.csv")
    asked = ["--epsilon", "1", "--delta", "1e-5", "--independent", WORDS]
    return ["sample", str(folder / "rules"), str(folder / "table.csv"), *asked, "--out", str(folder / "out")]


def test_a_sample_is_written_and_told(tmp_path: Path) -> None:
    arguments = given(tmp_path)
    ran = done(*arguments)
    assert "claimed:     epsilon 1, delta 9.77e-06 for each person" in ran.out
    assert "drawn:       each record with probability 0.25; classes below 11 dropped" in ran.out
    assert "3000" not in ran.out
    checked = done("verify", tmp_path / "out")
    assert "not derived here: differential privacy: no file can prove how it was drawn" in checked.out
    said = json.loads(done(*arguments[:-1], tmp_path / "second", "--after", tmp_path / "out", "--json").out)
    assert said["together"]["epsilon"] == 2
    assert said["declared"]["rules"] == WORDS


def test_how_it_ends(tmp_path: Path) -> None:
    arguments = given(tmp_path)
    refused = shoal(*arguments, "--seed", "3")
    assert (refused.code, "takes no seed" in refused.err) == (2, True)
    people(2, 20).write_csv(tmp_path / "table.csv")
    assert shoal(*arguments).code == 3
    assert not (tmp_path / "out").exists()
