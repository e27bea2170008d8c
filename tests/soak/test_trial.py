"""A trial notices what a command line does that is not right."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.cli.run import Ran
from tests.cli.run import shoal as command_line
from tests.soak import trial
from tests.soak.draw.cases import case
from tests.soak.trial import Outcome

_SEED = 16


def kinds(outcome: Outcome) -> set[str]:
    return {wrong.split(":")[0] for wrong in outcome.wrong}


def released(folder: Path) -> int:
    """Return the number of a case that is released."""
    for number in range(20):
        place = folder / f"try{number}"
        place.mkdir()
        if trial.trial(_SEED, number, place).tried["command line, released"]:
            return number
    raise AssertionError("no case is released")


def answering(real: Any, **answers: Ran) -> Any:
    """Return a command line that gives these answers to some verbs, and works for the others."""
    return lambda *words: answers.get(str(words[0])) or real(*words)


def test_faults_of_the_command_line_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number, real = released(tmp_path), command_line
    drawn = case(_SEED, number)
    faults: dict[str, dict[str, Ran]] = {
        "a changed byte": {"verify": Ran(0, "", "")},
        "verify": {"verify": Ran(4, "", "differs")},
        "exit code": {"anonymize": Ran(1, "", "Internal error")},
        "certified": {"anonymize": Ran(4, "", "refused")},
        "traceback": {"anonymize": Ran(2, "", "Traceback (most recent call last)")},
        "both ways end alike": {"anonymize": Ran(2, "", "refused")},
    }
    if drawn.canaries:
        faults["messages"] = {"anonymize": Ran(2, "", f"the value {drawn.canaries[0]} is wrong")}
    monkeypatch.setattr(trial, "_OFTEN", {**trial._OFTEN, "flip": 1.0, "process": 0.0, "format": 0.0})  # noqa: SLF001
    for place, (kind, answers) in enumerate(faults.items()):
        monkeypatch.setattr(trial, "command_line", answering(real, **answers))
        folder = tmp_path / f"fault{place}"
        folder.mkdir()
        assert kind in kinds(trial.trial(_SEED, number, folder)), kind


def test_a_false_no_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = released(tmp_path)
    (tmp_path / "no").mkdir()
    monkeypatch.setattr(trial, "possible", lambda _, of_any_kind: of_any_kind and "all records as one class")
    monkeypatch.setattr(trial, "_OFTEN", {**trial._OFTEN, "process": 0.0})  # noqa: SLF001
    monkeypatch.setattr(trial, "command_line", lambda *_: Ran(3, "", "No release keeps every promise."))
    assert "infeasible" in kinds(trial.trial(_SEED, number, tmp_path / "no"))


def test_other_bytes_and_figures_are_found(tmp_path: Path) -> None:
    number = released(tmp_path)
    folder, outcome = tmp_path / f"try{number}", Outcome()
    trial._alike(folder, outcome)  # noqa: SLF001
    assert outcome.wrong == []
    name = "data.csv" if (folder / "command/public/data.csv").is_file() else "clusters.csv"
    with (folder / "command/public" / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    path = folder / "command/private/certificate.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"released": ', '"released": 1'), encoding="utf-8")
    trial._alike(folder, outcome)  # noqa: SLF001
    assert kinds(outcome) == {"same bytes", "same certificate"}


def test_cells_of_other_formats() -> None:
    same = trial._means  # noqa: SLF001
    assert same("00501", "00501", padded=False)
    assert same(3.0, "3", padded=False)
    assert not same(501.0, "00501", padded=False)
    assert not same("x", "x ", padded=False)
    assert same("x", "x ", padded=True)
    assert same("{x, y}", "{x , y  }", padded=True)
    assert not same("{x, y}", "{x , y}", padded=False)
    assert not same("{x, z}", "{x , y}", padded=True)
    assert same(None, "", padded=False)
    assert not same(None, "0", padded=False)


def test_the_ways_are_drawn_apart_from_the_case() -> None:
    assert Random(f"ways {_SEED}:1").random() != Random(f"{_SEED}:1").random()  # noqa: S311


@pytest.mark.parametrize(
    ("codes", "timed", "alike"),
    [
        ((0, 0), False, True),
        ((3, 3), True, True),
        ((0, 3), False, False),
        ((0, 3), True, True),  # a time limit ends where it ends
        ((2, 0), True, False),
        ((2, 3), True, False),
        ((4, 0), True, False),
    ],
)
def test_both_ways_end_alike(codes: tuple[int, int], timed: bool, alike: bool) -> None:
    assert trial._alike_ends(*(Ran(code, "", "") for code in codes), timed=timed) is alike  # noqa: SLF001
