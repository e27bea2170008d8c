"""Settings: the requests that are compared with each other, and their labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from shoal.foundation.errors import SpecError
from shoal.foundation.members import fields_of
from shoal.jobs.changes import has_objective
from shoal.jobs.job import Job
from shoal.jobs.source import population_files
from shoal.measures.measure import Measure
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel
from shoal.search.algorithms.algorithm import Algorithm

USUAL_KS = (2, 5, 10, 50)
USUAL_ALGORITHMS = ("optimal", "mondrian", "tightest")
"""The settings that are compared if none are given."""


Promise = Mapping[str, Any]
"""As in a job file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridEntry:
    """One combination of a grid; None keeps the value of the request."""

    k: int | None = None
    algorithm: Any = None
    measure: Any = None
    max_suppressed: Any = None
    promises: tuple[Any, ...] = ()


def grid_entries(
    *,
    ks: Sequence[int] = (),
    algorithms: Sequence[Any] = (),
    measures: Sequence[Any] = (),
    limits: Sequence[Any] = (),
    promises: Iterable[Promise] = (),
    promised: bool = False,
) -> list[GridEntry]:
    """Return every combination; algorithms vary fastest, then k.

    Args:
        ks: The values of k.
        algorithms: The algorithms, by name or as tables with their parameters.
        measures: The measures, likewise.
        limits: The shares of records that may be suppressed.
        promises: More promises; those of one model on one column are alternatives.
        promised: Whether the request itself has promises.
    """
    alternatives: dict[tuple[Any, Any], list[Promise]] = {}
    for promise in promises:
        alternatives.setdefault(_about(promise), []).append(promise)
    nothing = not (ks or algorithms or measures or limits or alternatives)
    ks = ks or (USUAL_KS if nothing or not (alternatives or promised) else ())
    algorithms = algorithms or (USUAL_ALGORITHMS if nothing else ())
    axes = (
        product(*alternatives.values()),
        limits or (None,),
        measures or (None,),
        ks or (None,),
        algorithms or (None,),
    )
    return [
        GridEntry(
            k=k,
            algorithm=algorithm,
            measure=measure,
            max_suppressed=limit,
            promises=together,
        )
        for together, limit, measure, k, algorithm in product(*axes)
    ]


def _about(promise: Promise) -> tuple[Any, Any]:
    """Return the model and the column of a promise."""
    return promise.get("model"), promise.get("column")


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A request that is compared with others.

    Args:
        number: Its number, from 1.
        job: The request.
        label: What distinguishes it, in few words.
        short: The same without the algorithm.
    """

    number: int
    job: Job
    label: str
    short: str

    @property
    def k(self) -> int | None:
        """The k of its k-anonymity; None if it does not ask for that."""
        return _k(self.job)

    @property
    def algorithm(self) -> str:
        """The requested algorithm, with its parameters."""
        return _flag(self.job.search.algorithm) if self.job.search.algorithm is not None else "auto"

    @property
    def measure(self) -> str | None:
        """The measure that the search minimizes; None if it minimizes an objective of clusters."""
        return None if self.job.objective is not None else _flag(self.job.search.measure)

    @property
    def promises(self) -> list[str]:
        """All promises but k-anonymity."""
        return [_flag(promise) for promise in self.job.require if not isinstance(promise, KAnonymity)]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Settings of one table, with the request whose measure is used for all losses.

    Args:
        settings: The settings, all different.
        reference: A request of the same table; all losses are by its measure.
    """

    settings: tuple[Setting, ...]
    reference: Job

    @classmethod
    def of(cls, chosen: Sequence[GridEntry], make: Callable[[GridEntry], Job]) -> "Grid":
        """Make the requests of the grid entries; equal ones are merged.

        An algorithm that publishes clusters uses no measure, so it is tried once for all measures.

        Args:
            chosen: The grid entries; the first one gives the common measure.
            make: Returns the request of a grid entry.
        """
        reference = make(replace(chosen[0], algorithm="auto"))
        looked = [replace(one, measure=None) if has_objective(one.algorithm) else one for one in chosen]
        jobs = list({job.toml(job.folder): job for job in map(make, looked)}.values())
        _check_comparable([reference, *jobs])
        varying = _varying(jobs)
        settings = []
        for number, job in enumerate(jobs, start=1):
            words = _words(job, varying)
            algorithm = words.pop("algorithm")
            short = ", ".join(words.values())
            label = ", ".join(filter(None, (words.pop("k", ""), algorithm, *words.values())))
            settings.append(Setting(number, job, label, short or algorithm))
        return cls(tuple(settings), reference)

    @property
    def promises(self) -> tuple[PrivacyModel, ...]:
        """The promises, except k-anonymity, that some settings have and others do not."""
        asked = [set(map(_flag, setting.job.require)) for setting in self.settings]
        always = set.intersection(*asked)
        every = {
            _flag(promise): promise
            for setting in self.settings
            for promise in setting.job.require
            if not isinstance(promise, KAnonymity)
        }
        return tuple(promise for name, promise in every.items() if name not in always)

    def asked(self, number: int) -> frozenset[int]:
        """Return which of these promises a setting has."""
        own = set(map(_flag, self.settings[number - 1].job.require))
        return frozenset(place for place, promise in enumerate(self.promises) if _flag(promise) in own)


def _check_comparable(jobs: Sequence[Job]) -> None:
    """Raise a SpecError if the losses of the settings would refer to different tables, or to those of a series."""
    if any(job.series is not None for job in jobs):
        raise SpecError(
            "The releases of a series depend on each other, and settings are compared for one release alone: leave "
            "[series] out of the job."
        )
    if len({tuple(population_files(job)) for job in jobs}) > 1:
        raise SpecError(
            "Settings can be compared only if all promises refer to the same external tables, because their "
            "values are part of the loss."
        )
    if jobs[0].input.missing == "drop" and len({job.watched() for job in jobs}) > 1:
        raise SpecError(
            "With missing = 'drop', settings can be compared only if all use the same sensitive columns, "
            "because otherwise different records are dropped. Use missing = 'category'."
        )


def _varying(jobs: Sequence[Job]) -> set[str]:
    """Return what differs among some requests; a measure that is not used does not count."""
    every = [_all_words(job) for job in jobs]
    return {name for words in every for name in words if len({other.get(name) for other in every} - {""}) > 1}


def _words(job: Job, varying: set[str]) -> dict[str, str]:
    """Return the label of a request in parts: k and the algorithm always, all else only if it differs."""
    return {
        name: word for name, word in _all_words(job).items() if name in ("k", "algorithm") or (name in varying and word)
    }


def _all_words(job: Job) -> dict[str, str]:
    algorithm = "auto" if job.search.algorithm is None else _flag(job.search.algorithm)
    found = {"k": f"k {k}"} if (k := _k(job)) is not None else {}
    found |= {"algorithm": algorithm, "measure": "" if job.objective is not None else _flag(job.search.measure)}
    found["limit"] = f"up to {_percent(Fraction(job.search.max_suppressed))}"
    for promise in job.require:
        if not isinstance(promise, KAnonymity):
            found[f"{promise.name} {promise.sensitive_columns}"] = _promised(promise, job)
    return found


def _promised(promise: PrivacyModel, job: Job) -> str:
    """Return a promise in few words; with its column only if there are several of its model."""
    alone = sum(other.name == promise.name for other in job.require) == 1
    left_out = {*promise.files, *(["column"] if alone else [])}
    fields = [f"{key}={value}" for key, value in fields_of(promise).items() if key not in left_out]
    return " ".join([promise.name, *fields])


def _k(job: Job) -> int | None:
    return max((promise.k for promise in job.require if isinstance(promise, KAnonymity)), default=None)


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.6g}%"


def _flag(member: Algorithm | Measure | PrivacyModel) -> str:
    """Return a member of a shelf as it is written in a flag."""
    fields = ",".join(f"{key}={value}" for key, value in fields_of(member).items())
    return f"{member.name}:{fields}" if fields else str(member.name)
