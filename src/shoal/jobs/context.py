"""Context: what an officer asks before reading any figure of a release, answered in the steward's own words."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, StringConstraints, ValidationError, model_validator

from shoal.foundation.errors import SpecError
from shoal.foundation.members import explain
from shoal.foundation.shelf import did_you_mean
from shoal.jobs.sections import Section

ReleaseModel = Literal["public", "contract", "in-house"]

QUESTIONS: Mapping[str, tuple[str, str]] = {
    "dataset": ("Data set", "What is the data set called?"),
    "owner": ("Owner", "Who answers for the data, by law or by contract?"),
    "purpose": ("Purpose", "What is the release for?"),
    "recipients": ("Recipients", "Who gets it?"),
    "release_model": ("Release model", "On what terms: public, contract or in-house?"),
    "legal_basis": ("Legal basis", "On what legal basis is it made and passed on?"),
    "threats": ("Threats", "Who could try what: with what knowledge, means and motive?"),
    "controls": ("Controls", "What keeps them from it: contracts, access, training, deletion?"),
    "earlier_releases": ("Earlier releases", "What was released of the same persons before, and to whom?"),
    "review": ("Review", "When is the release to be judged again (a date)?"),
    "expiry": ("Expiry", "When must those who got it delete it (a date)?"),
    "responsible": ("Responsible person", "Who decides on this release, and can be asked?"),
}
"""The twelve questions: by the key of the job file, a title and the question."""

OF_ONE_RELEASE = ("date", "review", "expiry")
"""What is true of one release alone, and not of another that is made by its rules."""


def _unless_empty(value: Any) -> Any:
    return None if isinstance(value, str) and not value.strip() else value


def _day(value: Any) -> Any:
    """Read a date as TOML has it, or as text; a time of day is none."""
    if _unless_empty(value) is None or type(value) is date:
        return _unless_empty(value)
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ValueError("a date is needed, such as 2027-01-31") from None


_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
_Answer = Annotated[_Text | None, BeforeValidator(_unless_empty)]
_Day = Annotated[date | None, BeforeValidator(_day)]


class Context(Section):
    """The context of a release; what is not answered, or answered by an empty text, is open.

    `date` is that of the release. It is given and not taken from a clock, so that the same job gives the same bytes.
    """

    dataset: _Answer = None
    owner: _Answer = None
    purpose: _Answer = None
    recipients: _Answer = None
    release_model: Annotated[ReleaseModel | None, BeforeValidator(_unless_empty)] = None
    legal_basis: _Answer = None
    threats: _Answer = None
    controls: _Answer = None
    earlier_releases: _Answer = None
    review: _Day = None
    expiry: _Day = None
    responsible: _Answer = None
    date: _Day = None

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        """Name a key that is meant where one is not known."""
        unknown = [key for key in given if key not in cls.model_fields] if isinstance(given, Mapping) else []
        if unknown:
            raise ValueError(
                f"the key '{unknown[0]}' is not known. {did_you_mean(str(unknown[0]), list(cls.model_fields))}"
            )
        return given

    def content(self) -> dict[str, str]:
        """Return what is answered, as keys of a job file."""
        return self.model_dump(mode="json", exclude_none=True)

    @property
    def answers(self) -> tuple[tuple[str, str | None], ...]:
        """The title of each of the twelve questions with its answer; None if it is open."""
        told = self.content()
        return tuple((title, told.get(key)) for key, (title, _) in QUESTIONS.items())

    @property
    def head(self) -> tuple[tuple[str, str | None], ...]:
        """What anybody may read, and what stands at the head of both reports: data set, owner and date."""
        told = self.content()
        return ("Data set", told.get("dataset")), ("Owner", told.get("owner")), ("Date", told.get("date"))


def answered(given: Mapping[str, Any]) -> dict[str, str]:
    """Return what of some answers is one, as keys of a job file; a SpecError tells what is wrong with them."""
    try:
        return Context.model_validate(given).content()
    except ValidationError as error:
        raise SpecError(explain(error, "context", {})) from None
