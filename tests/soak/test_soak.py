"""A small part of the soak test: `make soak` runs as much of it as is wanted."""

from pathlib import Path

import pytest

from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.hierarchies import HIERARCHIES
from tests.soak import run
from tests.soak.draw.cases import case
from tests.soak.run import figures, releases, soak
from tests.soak.trial import Outcome, trial


def tried(seed: int, wanted: int, folder: Path) -> Outcome:
    whole, number = Outcome(), 0
    while releases(whole) < wanted:
        place = folder / str(number)
        place.mkdir()
        outcome = trial(seed, number, place)
        outcome.wrong = [f"case {number}: {wrong}" for wrong in outcome.wrong]
        whole.add(outcome)
        number += 1
    return whole


def test_some_releases(tmp_path: Path) -> None:
    found = tried(16, 24, tmp_path)
    assert found.wrong == []
    assert found.judged["origin"] >= 3
    assert found.tried["Python, released"] == found.tried["command line, released"] >= 3


@pytest.mark.deep
def test_many_releases() -> None:
    whole = Outcome()
    for number, outcome, _ in soak(17, 2000, 2):
        outcome.wrong = [f"case {number}: {wrong}" for wrong in outcome.wrong]
        whole.add(outcome)
    assert whole.wrong == []
    assert releases(whole) >= 2000
    assert whole.judged["optimum"] >= 20


def test_a_case_is_drawn_again() -> None:
    assert case(3, 5) == case(3, 5)
    assert case(3, 5) != case(3, 6)


def test_every_member_of_the_shelves_is_drawn() -> None:
    drawn: dict[str, set[str]] = {"models": set(), "algorithms": {"auto"}, "measures": set(), "hierarchies": set()}
    for number in range(500):
        job = case(1, number).job
        drawn["models"] |= {one["model"] for one in job["require"]}
        drawn["hierarchies"] |= {one["hierarchy"]["type"] for one in job["columns"].values() if "hierarchy" in one}
        for key, kind in (("algorithm", "algorithms"), ("measure", "measures")):
            asked = job["search"].get(key)
            drawn[kind] |= {asked["name"] if isinstance(asked, dict) else asked} - {None}
    assert drawn["models"] == set(MODELS.names)
    assert drawn["algorithms"] == {*ALGORITHMS.names, "auto"}
    assert drawn["measures"] == set(MEASURES.names)
    assert drawn["hierarchies"] == set(HIERARCHIES.names)


def test_what_is_wrong_is_told_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def faulty(seed: int, number: int, folder: Path) -> Outcome:
        assert folder.is_dir()
        return Outcome(wrong=["origin: 1 released records have no raw record behind them"])

    monkeypatch.setattr(run, "trial", faulty)
    monkeypatch.setattr("sys.argv", ["run", "--seed", "5", "--only", "7", "--out", str(tmp_path)])
    assert run.main() == 1
    assert "case 7: origin" in capsys.readouterr().out
    assert '"seed": 5, "case": 7' in (tmp_path / "findings.jsonl").read_text(encoding="utf-8")


def test_a_judge_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(seed: int, number: int, folder: Path) -> Outcome:
        raise KeyError("records")

    monkeypatch.setattr(run, "trial", broken)
    _, outcome, _ = run.tried(1, 1)
    assert outcome.wrong == ["the soak test failed: KeyError: 'records'"]
    assert "1 wrong" in figures(outcome, 1, 1.0)
