"""The clinic as a series: its six months by the commands of its page, and what they come to."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.releases.series.state import WITHHELD, SeriesState
from tests.cli.run import Ran, done

CLINIC = Path(__file__).parents[2] / "examples" / "clinic"
PAGE = (CLINIC / "README.md").read_text(encoding="utf-8")
MONTHS = ("january", "february", "march", "april", "may", "june")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Ran]]:
    """Run the commands of the page in a folder of their own; return it, and what they printed."""
    folder = tmp_path_factory.mktemp("clinic")
    shutil.copytree(CLINIC, folder / "examples" / "clinic")
    commands = re.findall(r"^shoal .*$", PAGE[PAGE.index("## As a series") :], re.MULTILINE)
    with pytest.MonkeyPatch.context() as place:
        place.chdir(folder)
        return folder, [done(*shlex.split(one)[1:], *QUIET.get(one.split()[1], [])) for one in commands]


QUIET: dict[str, list[str]] = {"verify": ["--json"]}


def told(folder: Path, month: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"series-{month}/private/certificate.json").read_text("utf-8"))
    return found


def test_the_chain_of_six_is_derived_by_the_steward_and_by_others(ran: tuple[Path, list[Ran]]) -> None:
    steward, others = (one.json["series"] for one in ran[1][-2:])
    assert steward["posterior"] == others["posterior"] == "1/3"
    assert steward["linked"] == steward["compared"] == others["compared"] == [1, 2, 3, 4, 5]
    assert (steward["table"], others["linked"]) == (True, [])


def test_who_was_forgotten_is_a_pseudonym_and_nothing_else(ran: tuple[Path, list[Ran]]) -> None:
    folder = ran[0]
    her = shoal.pseudonym("P0007", key=folder / "clinic.key", linked="patient")
    states = [SeriesState.read(folder / f"series-{month}" / "private") for month in MONTHS]
    entries = [(one.held[at], one.marks[at], one.places[at]) for one in states for at in one.places_of([her])]
    assert all(held >= 0 and mark >= 0 and place >= 0 for held, mark, place in entries[:2])
    assert entries[2:] == [(WITHHELD, -1, -1)] * 4


def test_the_page_says_what_it_comes_to(ran: tuple[Path, list[Ran]]) -> None:
    first, last = told(ran[0], "january"), told(ran[0], "june")
    series, records = last["series"], last["records"]
    assert (
        f"In June {series['counterfeits']} of {records['released']} records are counterfeits, {series['withheld']} "
        f"patients are withheld for good and {series['waiting']} wait;\nthe loss has risen from "
        f"{first['loss']['share']:.1%} to {last['loss']['share']:.1%}."
    ) in PAGE
