"""The context of a release: twelve questions in the steward's own words, told to nobody else but for three facts."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.jobs.context import QUESTIONS, Context, answered
from tests.cli.run import JOB, K_ANONYMITY, done, files_of, job_toml
from tests.cli.run import shoal as command

TABLE = pl.DataFrame({"age": ["1", "2"] * 6, "ill": [*"abcabc" * 2]})
CONTEXT = {
    "dataset": "Visits <i>2024</i>",
    "owner": "Ownership & Sons",
    "purpose": "purposeword",
    "recipients": "recipientsword",
    "release_model": "contract",
    "legal_basis": "legalword",
    "threats": "threatsword\nsecond line",
    "controls": "controlsword",
    "earlier_releases": "earlierword",
    "review": "2027-01-31",
    "expiry": date(2028, 1, 31),
    "responsible": "responsibleword",
    "date": "2026-02-03",
}


def released(**context: Any) -> shoal.Release:
    return shoal.anonymize(TABLE, quasi=["age"], sensitive=["ill"], k=3, seed=1, context=context)


def test_there_are_twelve_questions_and_a_date() -> None:
    assert len(QUESTIONS) == 12
    assert [*QUESTIONS, "date"] == list(Context.model_fields)
    assert Context().answers == tuple((title, None) for title, _ in QUESTIONS.values())


def test_answers_reach_the_steward_and_three_facts_the_public(tmp_path: Path) -> None:
    made = released(**CONTEXT)
    made.write(tmp_path / "out")
    words = [text for key, text in CONTEXT.items() if isinstance(text, str) and text.endswith("word")]
    for name in files_of(tmp_path / "out"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        holds = name in ("private/report.html", "private/job.toml", "private/rules.json")
        assert all((word in text) == holds for word in words), name
        assert "<i>2024" not in text or not name.endswith("html")
        heads = name in ("private/report.html", "public/report-public.html")
        assert ("Ownership &amp; Sons" in text, "Visits &lt;i&gt;2024" in text) == (heads, heads)
        assert ("2026-02-03" in text) == (heads or name == "private/job.toml")
    page = made.report()
    assert "threatsword<br>second line" in page
    assert 'class="open"' not in page
    assert page.index('id="context"') < page.index('id="verdict"') < page.index('id="signatures"')
    again = shoal.run(shoal.Job.read(tmp_path / "out/private/job.toml"), TABLE)
    assert again.job.context == made.job.context
    assert again.certificate["file"] == made.certificate["file"]


def test_what_is_not_answered_is_open_and_the_public_does_not_see_that() -> None:
    page = released(dataset="  ", owner="Ann").report()
    assert page.count('<span class="open">open</span>') == 11 + 2  # and data set and date of the head
    assert "11 questions are open of 12" in page
    public = released(owner="Ann").report(audience="public")
    assert "Ann" in public
    assert "open</span>" not in public
    assert "Data set" not in public


def test_rules_keep_what_is_true_of_other_years_too() -> None:
    made = released(**CONTEXT)
    kept = made.rules().request["context"]
    assert set(CONTEXT) - set(kept) == {"date", "review", "expiry"}
    assert shoal.apply(made, TABLE).job.context.content() == kept


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ownr": "x"}, r"context: the key 'ownr' is not known\. Did you mean 'owner'\?"),
        ({"zzz": "x"}, r"Known are: dataset, owner, .*, responsible, date\."),
        ({"review": "soon"}, "context.review: a date is needed, such as 2027-01-31"),
        ({"review": "2027-01-31T10:00:00"}, "a date is needed"),
        ({"release_model": "open"}, "Input should be 'public', 'contract' or 'in-house'"),
        ({"owner": 7}, "context.owner"),
        ({"owner": "x" * 4001}, "at most 4000 characters"),
    ],
)
def test_what_is_no_answer_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        released(**given)


def test_answers_one_by_one() -> None:
    assert answered({"review": "2027-01-31"}) == {"review": "2027-01-31"}
    assert answered({"review": "", "owner": " "}) == {}
    with pytest.raises(SpecError, match="a date is needed"):
        answered({"expiry": "never"})


def test_a_job_file_has_dates_as_toml_has_them(tmp_path: Path) -> None:
    job = job_toml(tmp_path, JOB + K_ANONYMITY + '[context]\nowner = "Ann"\nreview = 2027-01-31\n')
    assert shoal.Job.read(job).context.content() == {"owner": "Ann", "review": "2027-01-31"}
    wrong = job_toml(tmp_path, JOB + K_ANONYMITY + '[context]\nowners = "Ann"\n', "wrong.toml")
    ran = command("anonymize", wrong, "--out", tmp_path / "out")
    assert (ran.code, "Did you mean 'owner'?" in ran.err) == (2, True)
    told = json.loads(done("schema").out)["$defs"]["Context"]
    assert set(told["properties"]) == set(Context.model_fields)
    assert told["additionalProperties"] is False


def test_a_job_without_one_says_nothing_of_it() -> None:
    assert "context" not in shoal.anonymize(TABLE, quasi=["age"], k=3, omit=["ill"]).job.content(Path())
