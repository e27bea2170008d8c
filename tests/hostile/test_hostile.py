"""No hostile input hangs a command, exhausts the memory, breaks it, or makes it tell a value of the table."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.case import Case
from tests.hostile.child import Outcome, Runner
from tests.hostile.corpus import corpus

QUICK = {
    "job: t is tiny",
    "job: longest = 1e9",
    "job: lists in lists",
    "job: a key of 200,000 parts",
    "place: a pipe as csv",
    "place: a pipe as a job",
    "place: a link to a device as levels",
    "place: a link to itself as certificate.json of a release",
    "place: a sparse file of 1 TB as data.csv of a release",
    "csv: more records than allowed",
    "csv: 30,000 columns",
    "workbook: one cell at XFD1048576",
    "database: an endless view without a record",
    "database: a value of 1 GB",
    "release: lists in lists as certificate-public.json",
    "release: a number of 100,000 digits as rules.json",
    "rules: mutated 1",
    "certificate: mutated certificate.json 1",
    "table: mutated parquet 1",
}
"""A few of each kind; all of them in `make test-deep`."""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as made:
        yield made


def test_the_corpus_is_large_and_has_names() -> None:
    cases = corpus()
    assert len(cases) >= 1_000
    assert [name for name, count in Counter(map(str, cases)).items() if count > 1] == []
    assert set(map(str, cases)) >= QUICK


@pytest.mark.parametrize(
    "case",
    [pytest.param(one, marks=() if str(one) in QUICK else pytest.mark.deep, id=str(one)) for one in corpus()],
)
def test_a_hostile_input_ends_with_a_message(case: Case, runner: Runner, tmp_path: Path) -> None:
    outcome = runner.run(case, tmp_path)
    assert outcome.faults == [], outcome.text


@pytest.mark.parametrize(
    ("code", "text", "seconds", "megabytes", "faults"),
    [
        (2, "No.", 4.9, 1024, []),
        (4, "No.", 0, 0, []),
        (0, "", 0, 0, ["exit code 0"]),
        (1, "No.", 0, 0, ["exit code 1"]),
        (-9, "", 0, 0, ["exit code -9", "says nothing"]),
        (2, "Internal error", 0, 0, ["says 'Internal error'"]),
        (2, "Traceback (most", 0, 0, ["says 'Traceback'"]),
        (2, "thread panicked at", 0, 0, ["says 'panicked'"]),
        (2, "No CanaryDisease.", 0, 0, ["says 'CanaryDisease'"]),
        (2, "No.", 5.1, 0, ["5.1 s"]),
        (2, "No.", 0, 1025, ["1025 MB"]),
    ],
)
def test_what_is_a_fault(code: int, text: str, seconds: float, megabytes: float, faults: list[str]) -> None:
    case = Case("kind", "name", lambda folder: [])
    assert Outcome(case, code, text, seconds, 9.0, megabytes).faults == faults
