"""The second half of a verdict: its limits, its words, and what is not told to the public."""

import shlex
from typing import Any

import pytest

from shoal.audits.utility.usefulness import Change, Usefulness


def stated(share: float | None = 0.2, suppressed: int | None = 0, released: int = 100, **more: Any) -> dict[str, Any]:
    return {"records": {"released": released, "suppressed": suppressed}, "loss": {"share": share}, **more}


def test_a_release_that_says_something_is_useful() -> None:
    found = Usefulness.of(stated(0.5, 10, 90), ())
    assert found
    assert found.shortcomings == ()
    assert found.verdict == ("useful: every column is informative; 50.0% of the information is lost, 10.0% suppressed")
    assert Usefulness.of(stated(), ()).verdict.endswith("20.0% of the information is lost, no record suppressed")
    assert found.tried == ""
    assert str(found) == found.verdict


@pytest.mark.parametrize(
    ("certificate", "silent", "words"),
    [
        (stated(0.501), (), "50.1% of the information is lost, more than half"),
        (stated(0.2, 11, 90), (), "11 of 101 records are suppressed, more than one in ten"),
        (stated(), ("zip",), "zip is no longer informative"),
        (stated(), ("zip", "job", "age"), "zip, job and age are no longer informative"),
        (stated(0.6, clusters={}), (), "60.0% of what one cluster would cost is lost, more than half"),
    ],
)
def test_each_shortcoming_is_said(certificate: dict[str, Any], silent: tuple[str, ...], words: str) -> None:
    found = Usefulness.of(certificate, silent)
    assert not found
    assert found.shortcomings == (words,)
    assert found.verdict == f"of little use: {words}"


def test_all_shortcomings_are_said_in_one_line() -> None:
    assert Usefulness.of(stated(0.9, 50, 50), ("zip",)).verdict.count(";") == 2


def test_what_is_held_back_is_not_judged() -> None:
    found = Usefulness.of(stated(None, None), ())
    assert found
    assert found.verdict == "every column is informative; the loss is not disclosed"
    assert not Usefulness.of(stated(None, None), ("zip",))


def test_the_input_counts_where_the_certificate_tells_it() -> None:
    certificate = {"records": {"input": 40, "released": 30, "suppressed": 10}, "loss": {"share": 0.1}}
    assert Usefulness.of(certificate, ()).records == 40


CHANGE = Change(
    "leave out my job", ("--omit", "my job"), {"omit": ["my job"]}, "without-2", 0.25, 0.01, (), ("my job",)
)


def test_a_command_is_one_line_for_a_shell() -> None:
    told = CHANGE.command("a folder/job.toml", "a folder")
    assert shlex.split(told) == [
        *("shoal", "anonymize", "a folder/job.toml", "--omit", "my job", "--out", "a folder-without-2"),
    ]
    told = CHANGE.command("job.toml", "out", "released")
    assert shlex.split(told)[-4:] == ["--output-table", "released_without_2", "--out", "out-without-2"]


def test_a_change_says_what_its_loss_is_of() -> None:
    assert CHANGE.remarks == "of the remaining columns; 1.0% suppressed"
    assert CHANGE.python == "omit=['my job'] instead of quasi"
    other = Change("k = 2", ("--k", "2"), {"k": 2}, "k2", 0.25, 0.0, ("zip",))
    assert other.remarks == "zip is no longer informative"
    assert other.python == "k=2"


def test_it_is_said_how_changes_were_tried() -> None:
    found = Usefulness(("zip",), 0.6, 0, 100, changes=(CHANGE,), algorithm="the quick algorithm x", alike=0.7)
    assert str(found) == (
        "of little use: zip is no longer informative; 60.0% of the information is lost, more than half\n"
        "Changes that would help, each tried by the quick algorithm x (70.0% lost without a change; "
        "the algorithm of the job may lose less):\n"
        " 25.0% lost  leave out my job\n"
        "             of the remaining columns; 1.0% suppressed\n"
        "             omit=['my job'] instead of quasi"
    )
    none = Usefulness(("zip",), 0.6, 0, 100, algorithm="the quick algorithm x", alike=0.7)
    assert none.tried == "None of the changes that the quick algorithm x tried helps."
    untried = Usefulness(("zip",), 0.6, 0, 100, untried="it is blind")
    assert untried.tried == "No changes were tried: it is blind."
