"""Risk: the probability that an attacker re-identifies a record, by what the attacker knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.risk.individual_risk import fitted_risk, individual_risk, weights_of
from shoal.audits.risk.person_classes import PersonClasses, identities
from shoal.audits.risk.singling_out import shares_unique
from shoal.audits.risk.suda import Suda, dis, dis_suda, suda
from shoal.audits.risk.thresholds import THRESHOLDS, k_for
from shoal.classes.population_estimates import population_uniques
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.rows import Rows
from shoal.tables.table import totals

_SHOWN = {"strict": "journalist", "wildcard": "journalist_wildcard", "fitted": "journalist_fitted"}
_SLACK = 1e-12  # tolerance for a risk that is not the inverse of a count: far above its rounding error


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """What an attacker knows besides the table, and what to measure.

    Args:
        population: The quasi columns of everybody, one record for each person, generalized as the table is.
        fraction: The sampling fraction, if the table is a simple random sample of the population.
        weights: The column of sampling weights.
        entity: The column that identifies the person of each record, if a person may have several.
        household: The column that identifies the household.
        local: Whether the numbers in `entity` identify persons within an equivalence class only.
        suda: The largest size of minimal sample uniques to search for; 0 is none, None is every size.
        threshold: A further threshold besides the usual ones.
    """

    population: Rows | None = None
    fraction: float | None = None
    weights: str | None = None
    entity: str | None = None
    household: str | None = None
    local: bool = False
    suda: int | None = 3
    threshold: Fraction | None = None

    def __post_init__(self) -> None:
        if sum(known is not None for known in (self.population, self.fraction, self.weights)) > 1:
            raise SpecError("Give a population, sampling weights or a sampling fraction: one of them, not several.")
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise SpecError(f"A sampling fraction is above 0 and at most 1, not {self.fraction}.")
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise SpecError(f"A threshold of risk is above 0 and at most 1, not {self.threshold}.")
        if self.suda is not None and self.suda < 0:
            raise SpecError(f"The largest size of minimal sample uniques is 0 or more, not {self.suda}.")

    @property
    def columns(self) -> list[str]:
        """The columns that are read besides the quasi columns."""
        return [name for name in (self.weights, self.entity, self.household) if name is not None]

    @property
    def thresholds(self) -> list[Fraction]:
        """All thresholds, the largest first."""
        own = () if self.threshold is None else (self.threshold,)
        return sorted({*THRESHOLDS, *own}, reverse=True)


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """The risks of a table.

    Args:
        summary: The figures of the table, as JSON.
        of_rows: The figures of each record, row by row.
        sizes: The number of records, or persons, of each class.
    """

    summary: dict[str, Any]
    of_rows: pl.DataFrame
    sizes: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """The risk of each class under one treatment of missing values; 1 / `counts` if it comes from counts."""

    risks: NDArray[np.float64]
    counts: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """Figures of persons, or of records: `weights` tells how many of them have each figure."""

    values: NDArray[Any]
    weights: NDArray[np.int64]

    @property
    def number(self) -> int:
        """The number of persons, or records."""
        return int(self.weights.sum())

    @property
    def total(self) -> float:
        """The sum of the figures."""
        return float((self.values * self.weights).sum())

    def count(self, where: NDArray[np.bool_]) -> int:
        """Return how many persons, or records, there are where something holds."""
        return int(self.weights[where].sum())


def assess(
    rows: Rows, quasi: Sequence[str], scenario: Scenario | None = None, progress: Progress = silent
) -> Assessment:
    """Return the prosecutor, journalist and marketer risk of a table, and what makes its records unique.

    Args:
        rows: The rows of the table, with nulls where a value is missing.
        quasi: The columns that an attacker may know.
        scenario: What an attacker knows besides the table.
        progress: Called with the step and the share of it that is done.
    """
    scenario = scenario or Scenario()
    if rows.frame.height == 0:
        raise SpecError("The table has no records.")
    classes = PersonClasses.of(rows, quasi, scenario.entity, scenario.population, local=scenario.local)
    weights = _weights(rows, scenario, classes)
    prosecutor = {"strict": _of_counts(classes.persons), "wildcard": _of_counts(classes.matching)}
    journalist = _journalist(classes, weights)
    known = journalist or prosecutor
    found = {
        **_counts(classes, scenario),
        "prosecutor": _all_read(classes, prosecutor, scenario),
        "journalist": None if journalist is None else _with_basis(classes, journalist, scenario),
        "marketer": _marketer(classes, known, scenario),
        "global": _global(classes, known, scenario),
        "singling_out": shares_unique(classes, quasi, progress),
    }
    shown: dict[str, NDArray[Any]] = {
        "k": classes.persons[classes.class_of],
        "k_wildcard": classes.matching[classes.class_of],
    }
    shown |= {"prosecutor": prosecutor["strict"].risks[classes.class_of]}
    shown |= {"prosecutor_wildcard": prosecutor["wildcard"].risks[classes.class_of]}
    shown |= {name: each[classes.class_of] for name, each in _in_population(classes, weights).items()}
    if journalist is not None:
        shown |= {name: journalist[key].risks[classes.class_of] for key, name in _SHOWN.items() if key in journalist}
    if scenario.household is not None:
        worst = known.get("fitted", known["strict"])
        shown["household"], found["household"] = _households(rows, classes, worst, scenario)
        shown["household_strict"], strict = _households(rows, classes, known["strict"], scenario)
        if "fitted" in known:
            found["household"]["strict"] = strict
        found["global"]["household"] = {name: strict[name] for name in ("expected", "share")}
    fraction = _fraction(classes, weights, scenario)
    found["uniqueness"] = None if fraction is None else population_uniques(classes.sizes, fraction)
    if scenario.suda != 0:
        special = suda(classes, quasi, scenario.suda, progress)
        figures, scores = _special(special, classes, fraction)
        loosely = special if classes.pairs is None else suda(classes, quasi, scenario.suda, progress, wildcard=True)
        found["suda"] = figures | {"wildcard": loosely.numbers()}
        shown |= {name: special.of_rows(classes, values) for name, values in scores.items()}
    return Assessment(found, pl.DataFrame(shown), classes.sizes)


def _counts(classes: PersonClasses, scenario: Scenario) -> dict[str, Any]:
    named = scenario.entity is not None
    persons = _of_units(classes, classes.persons, np.minimum)
    alone = persons.count(persons.values == 1)
    return {
        "records": classes.n_records,
        "persons": classes.n_persons if named else None,
        "unit": "persons" if named else "records",
        "classes": len(classes.sizes),
        "k": int(classes.sizes.min()),
        "k_wildcard": int(classes.matching[classes.persons > 0].min()),
        "unique": {"number": alone, "share": alone / persons.number},
    }


def _weights(rows: Rows, scenario: Scenario, classes: PersonClasses) -> NDArray[np.float64] | None:
    """Return the estimated number of persons of the population in each class, by weights or the sampling fraction."""
    if scenario.weights is not None:
        return weights_of(rows, scenario.weights, classes)
    return None if scenario.fraction is None else classes.persons / scenario.fraction


def _fraction(classes: PersonClasses, weights: NDArray[np.float64] | None, scenario: Scenario) -> float | None:
    if scenario.fraction is not None:
        return scenario.fraction
    if weights is not None:
        return float(classes.sizes.sum() / weights.sum())
    if classes.population is None:
        return None
    return min(classes.n_persons / max(int(classes.population.sum()), 1), 1.0)


def _of_counts(persons: NDArray[np.int64]) -> _Reading:
    """Return the risk by the number of persons of each class; a class without any has none of the table's records."""
    return _Reading(1 / np.maximum(persons, 1), persons)


def _journalist(classes: PersonClasses, weights: NDArray[np.float64] | None) -> dict[str, _Reading] | None:
    """Return the journalist risk: strictly, with wildcards, and, for a sample, by a model fitted to the table.

    The persons of the table belong to the population, so a class is at least as large there as in the table.
    """
    if classes.population is not None:
        strict = np.maximum(classes.population, classes.persons)
        return {"strict": _of_counts(strict), "wildcard": _of_counts(classes.summed(strict))}
    if weights is None:
        return None
    average = classes.summed(weights) / classes.summed(classes.persons)  # a person who matches twice has one weight
    return {
        "strict": _Reading(individual_risk(classes.persons, weights)),
        "wildcard": _Reading(individual_risk(classes.matching, classes.matching * average)),
        "fitted": _Reading(fitted_risk(classes.persons, weights)),
    }


def _of_units(classes: PersonClasses, values: NDArray[Any], choose: np.ufunc) -> _Units:
    """Return the value of each person, given those of the classes: that of the record with the highest risk."""
    if classes.person_of is None:
        there = classes.persons > 0
        return _Units(values[there], classes.persons[there])
    order = np.argsort(classes.person_of, kind="stable")
    starts = np.searchsorted(classes.person_of[order], np.arange(classes.n_persons))
    chosen = np.asarray(choose.reduceat(values[classes.class_of[order]], starts))
    return _Units(chosen, np.ones(len(chosen), dtype=np.int64))


def _described(risks: _Units, counts: _Units | None, scenario: Scenario) -> dict[str, Any]:
    """Return the largest and the average risk, and the number above each threshold; counts are compared exactly."""
    rows = []
    for threshold in scenario.thresholds:
        k, limit = k_for(threshold), float(threshold)
        where = counts.values < k if counts is not None else risks.values > limit * (1 + _SLACK)
        above = risks.count(where)
        rows.append({"threshold": limit, "k": k, "above": above, "share": above / risks.number})
    return {"largest": float(risks.values.max()), "average": risks.total / risks.number, "thresholds": rows}


def _read(classes: PersonClasses, reading: _Reading, scenario: Scenario) -> dict[str, Any]:
    counts = None if reading.counts is None else _of_units(classes, reading.counts, np.minimum)
    return _described(_of_units(classes, reading.risks, np.maximum), counts, scenario)


def _all_read(classes: PersonClasses, readings: Mapping[str, _Reading], scenario: Scenario) -> dict[str, Any]:
    return {name: _read(classes, reading, scenario) for name, reading in readings.items()}


def _with_basis(classes: PersonClasses, readings: Mapping[str, _Reading], scenario: Scenario) -> dict[str, Any]:
    """Return the journalist risk, and what it is based on.

    The average is the larger of the two directions of matching: from a record to the persons of the population, and
    from a person of the population to the records.
    """
    found = _all_read(classes, readings, scenario)
    found["basis"] = _basis(scenario)
    if classes.population is not None:
        inside = classes.persons > 0
        outward = np.maximum(classes.population, classes.persons)[inside]
        found["strict"]["average"] = max(found["strict"]["average"], len(outward) / int(outward.sum()))
        found["population"] = int(classes.population.sum())
        found["not_covered"] = int(classes.records[classes.population < classes.persons].sum())
    return found


def _basis(scenario: Scenario) -> str:
    names = {"population": scenario.population, "weights": scenario.weights, "fraction": scenario.fraction}
    return next((name for name, known in names.items() if known is not None), "table")


def _marketer(classes: PersonClasses, readings: Mapping[str, _Reading], scenario: Scenario) -> dict[str, Any]:
    """Return the marketer risk, the expected number of right matches if all are matched: the sum of the risks."""
    found: dict[str, Any] = {"basis": _basis(scenario)}
    for name, reading in readings.items():
        risks = _of_units(classes, reading.risks, np.maximum)
        found[name] = {"expected": risks.total, "share": risks.total / risks.number}
    return found


def _global(classes: PersonClasses, readings: Mapping[str, _Reading], scenario: Scenario) -> dict[str, Any]:
    """Return the global risk, the expected number of records that are re-identified: the sum of their risks.

    It is that of the marketer, but of records: a person with several is counted for each.
    """
    records, number = classes.records, classes.n_records
    found: dict[str, Any] = {"basis": _basis(scenario)}
    for name, reading in readings.items():
        expected = float(reading.risks @ records)
        found[name] = {"expected": expected, "share": expected / number}
    return found


def _in_population(classes: PersonClasses, weights: NDArray[np.float64] | None) -> dict[str, NDArray[Any]]:
    """Return how many persons of the population have the values of each class: counted, or estimated by weights."""
    if classes.population is not None:
        counts = np.maximum(classes.population, classes.persons)
        return {"population": counts, "population_wildcard": classes.summed(counts)}
    if weights is None:
        return {}
    average = classes.summed(weights) / classes.summed(classes.persons)
    return {"population": weights, "population_wildcard": classes.matching * average}


def _households(
    rows: Rows, classes: PersonClasses, reading: _Reading, scenario: Scenario
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Return the risk that any member of a household is re-identified, for each row and for the table.

    A person with several records in a household counts once, with the highest risk.
    """
    homes = identities(rows, str(scenario.household))
    members = classes.class_of if classes.person_of is None else classes.person_of  # of one class: alike in risk
    sizes = [int(homes.max()) + 1, int(members.max()) + 1]
    member_of, once = distinct_rows([homes, members], sizes, len(homes))
    if classes.person_of is None:
        risks, number = reading.risks[once[:, 1]], totals(member_of, classes.counts, len(once))
    else:
        risks, number = np.zeros(len(once)), np.ones(len(once), dtype=np.int64)
        np.maximum.at(risks, member_of, reading.risks[classes.class_of])
    with np.errstate(divide="ignore"):  # a member with risk 1 gives the household risk 1
        missed = np.bincount(once[:, 0], number * np.log1p(-risks))
    found = -np.expm1(missed)
    each = _Units(found, np.ones(len(found), dtype=np.int64))
    expected = float(found @ np.bincount(homes, rows.counts))
    together = {"expected": expected, "share": expected / rows.n_records}
    return found[homes], {"households": len(found), **together, **_described(each, None, scenario)}


def _special(
    special: Suda, classes: PersonClasses, fraction: float | None
) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Return the SUDA figures of the table, and the scores of the classes."""
    figures, scores = special.describe(), {"suda": special.scores}
    figures["dis"] = None if fraction is None else dis(classes.sizes, fraction)
    if fraction is not None:
        scores["dis_suda"] = dis_suda(special.scores, figures["dis"], len(special.columns))
        figures["largest_dis_suda"] = float(scores["dis_suda"].max(initial=0.0))
    return figures, scores
