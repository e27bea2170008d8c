"""SeriesRequest: what is asked of a release that others follow, and what stands in the way of that."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from shoal.jobs.sections import Section, relative
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.table_model import TableModel
from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.jobs.job import Job

SeriesPromise = Literal["m-invariance", "companions"]


class SeriesRequest(Section):
    """What all releases of a table that changes promise together.

    `person` names the column of identifiers that tells who is who, and `key` the file of the key that makes pseudonyms
    of them for the state. `after` is the folder of the release before this one; without it the series begins. `m` is
    the least number of values of a class, for m-invariance. `signatures` is `few` for a long series: the first release
    loses more, and later ones less. `cohort` is the least number of persons who come together,
    for companions. `forget` is a table with the persons who asked to be forgotten, in a column that is named as theirs.
    """

    promise: SeriesPromise
    person: Annotated[str, Field(min_length=1)]
    key: Path
    m: Annotated[int, Field(ge=2)] | None = None
    cohort: Annotated[int, Field(ge=2)] | None = None
    counterfeits: Literal["published", "none"] | None = None
    signatures: Literal["any", "few"] | None = None
    after: Path | None = None
    forget: Path | None = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and "promise" not in given:
            raise ValueError(
                "a series needs a 'promise', 'm-invariance' or 'companions'; the job of the previous release has "
                "it, so you can give that release in place of the table, with --input for the new table"
            )
        return given

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        invariant = self.promise == "m-invariance"
        if invariant and self.m is None:
            raise ValueError("m-invariance needs 'm', the smallest number of values in a class")
        if invariant and self.cohort is not None:
            raise ValueError("'cohort' is for companions: m-invariance has signatures, and 'm'")
        if not invariant and any(one is not None for one in (self.m, self.counterfeits, self.signatures)):
            raise ValueError("'m', 'counterfeits' and 'signatures' are for m-invariance: companions have 'cohort'")
        return self

    @property
    def paths(self) -> dict[str, Path]:
        """The files and folders that it names."""
        named = {"key": self.key, "after": self.after, "forget": self.forget}
        return {name: path for name, path in named.items() if path is not None}

    def content(self, start: Path, folder: Path) -> dict[str, Any]:
        """Return it as plain values, with the paths that start from `start` as they are seen from `folder`."""
        moved = {name: relative(start / path, folder) for name, path in self.paths.items()}
        return {**self.model_dump(mode="json", exclude_none=True), **moved}


def series_errors(job: "Job") -> Iterator[str]:
    """Say what stands in the way of a series."""
    asked = job.series
    if asked is None:
        return
    column = job.columns.get(asked.person)
    if column is None or column.role is not Role.IDENTIFIER:
        yield f"the series tells persons apart by column '{asked.person}', which must have the role 'identifier'"
    if job.pseudonyms:
        yield (
            f"column '{next(iter(job.pseudonyms))}' leaves as a pseudonym, which would link the rows of a person "
            f"across "
            "the releases of the series: leave it out"
        )
    for role in (Role.ENTITY, Role.HOUSEHOLD):
        if job.names(role):
            yield f"a series needs one record for each person, but a column has the role '{role}': leave it out"
    yield from _unsearched(job)
    yield from _not_invariant(job) if asked.promise == "m-invariance" else _not_companions(job)


def _unsearched(job: "Job") -> Iterator[str]:
    """Say what the search of a series does not do."""
    if job.input.missing != "category":
        yield f"a series reads missing values as a category, and missing is '{job.input.missing}'"
    if job.engine.name not in ("auto", "local"):
        yield f"a series has its records in memory, and the engine is '{job.engine.name}': take 'local'"
    if job.objective is not None:
        yield "a series publishes cells, and the algorithm publishes clusters"
    elif job.search.algorithm is not None and job.search.algorithm.name != "tightest":
        yield f"a series makes classes its own way, and the algorithm is '{job.search.algorithm.name}': leave it out"
    if job.search.sampling_weights is not None:
        yield "classes of a series are made without sampling weights: leave sampling_weights out"
    if job.search.blind:
        yield "classes of a series are made by sensitive values too, so that they are not blind"
    if job.release.suppressed == "star":
        yield "who is not published in a series is left out: suppressed = 'star' would publish the values"
    for promise in job.require:
        if promise.population_file is not None or promise.others_known or isinstance(promise, TableModel):
            yield f"{promise.name} is not decided for the releases of a series"


def _not_companions(job: "Job") -> Iterator[str]:
    """Say what stands in the way of companions: what nobody can decide of those who leave together."""
    for promise in job.require:
        if not isinstance(promise, KAnonymity | DistinctLDiversity | FrequencyLDiversity):
            yield (
                f"companions keep k-anonymity, distinct-l-diversity and frequency-l-diversity for those who leave "
                f"together, "
                f"and not {promise.name}: leave it out"
            )


def _not_invariant(job: "Job") -> Iterator[str]:
    """Say what stands in the way of m-invariance: anything but the one sensitive column that is published as it is."""
    sensitive, plain = job.names(Role.SENSITIVE), job.names(Role.INSENSITIVE)
    if len(sensitive) != 1:
        yield f"m-invariance protects one sensitive column, and there are {len(sensitive)}"
    if plain:
        yield (
            f"column '{plain[0]}' leaves as it is and would be a part of everybody's history, which m-invariance does "
            f"not "
            "hide: make it 'quasi' or 'omitted', or take the promise 'companions'"
        )
