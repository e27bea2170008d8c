"""Companions from the first release to the verification of the chain."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import CertificateError, SpecError
from shoal.models import TCloseness
from shoal.releases.series.companions import CompanionGroups
from shoal.releases.series.state import WITHHELD, SeriesState
from tests.actions.continuing.conftest import CLINIC, MONTHS

PROMISE = "distinct-l-diversity:l=3,column=diagnosis"


def asked(key: Path) -> dict[str, Any]:
    return {
        "quasi": ["age", "town", "sex"],
        "sensitive": ["diagnosis"],
        "drop": ["patient"],
        "k": 5,
        "require": PROMISE,
        "max_suppressed": 0.5,
        "seed": 1,
        "series": {"promise": "companions", "cohort": 20, "person": "patient", "key": str(key)},
    }


@pytest.fixture(scope="module")
def cohorts(months: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cohorts")
    after: dict[str, Any] = {}
    for month in MONTHS:
        shoal.anonymize(CLINIC / f"{month}.csv", **asked(months / "clinic.key"), **after).write(folder / month)
        after = {"after": folder / month}
    return folder


def test_the_chain_is_derived_by_everybody_as_far_as_it_can_be(cohorts: Path) -> None:
    found = shoal.verify(cohorts / "march", raw=True, bound=True)
    assert found.series is not None
    assert found.series.linked == (1, 2)
    assert not found.not_derived
    public = shoal.verify(cohorts / "march" / "public", earlier=[cohorts / month / "public" for month in MONTHS[:2]])
    assert list(public.not_derived) == ["series (link)"]


def test_who_leaves_takes_companions_along(cohorts: Path) -> None:
    before, state = (SeriesState.read(cohorts / month / "private") for month in MONTHS[:2])
    stayed = state.places[state.places_of(before.persons.to_list())] >= 0
    left = before.held[~stayed & (before.places >= 0)]
    assert len(left) >= 20  # about so many leave; the others are withheld with them
    assert min(np.bincount(left)[np.unique(left)]) >= 5
    assert (state.held[state.places_of(before.persons.to_list())][~stayed] == WITHHELD).all()


def test_one_let_go_alone_is_refused(cohorts: Path) -> None:
    models = [claim.model for claim in shoal.verify(cohorts / "march").findings.claims]
    before, state = (SeriesState.read(cohorts / month / "private") for month in MONTHS[:2])
    CompanionGroups.of(state, before, models, ["diagnosis"])
    again = state.places_of(before.persons.to_list())
    left = [place for place, now in enumerate(again.tolist()) if before.places[place] >= 0 and state.places[now] < 0]
    held, places = state.held.copy(), state.places.copy()
    for place in left[1:]:  # all but one are published as if they had stayed
        same = before.held == before.held[place]
        stayed = again[same][state.places[again[same]] >= 0]
        if len(stayed):
            held[again[place]], places[again[place]] = state.held[stayed[0]], state.places[stayed[0]]
    marks = state.marks.copy()
    marks[held >= 0] = np.maximum(marks[held >= 0], 0)
    changed = replace(state, held=held, places=places, marks=marks)
    with pytest.raises(CertificateError, match="keeps less"):
        CompanionGroups.of(changed, before, models, ["diagnosis"])


def test_what_nobody_can_decide_of_those_who_leave_is_refused(months: Path) -> None:
    given = asked(months / "clinic.key")
    with pytest.raises(SpecError, match="and not t-closeness"):
        shoal.anonymize(CLINIC / "january.csv", **{**given, "require": TCloseness(t=0.5, column="diagnosis")})


def test_one_let_go_alone_is_refused_whoever_it_is(cohorts: Path, seeds: Callable[[int], range]) -> None:
    """One person is missing from a cohort that nobody else leaves, and is withheld as if that were enough."""
    models = [claim.model for claim in shoal.verify(cohorts / "march").findings.claims]
    before, state = (SeriesState.read(cohorts / month / "private") for month in MONTHS[1:])
    now = state.held[state.places_of(before.persons.to_list())]
    whole = set(before.held.tolist()) - set(before.held[(before.held != WITHHELD) & (now == WITHHELD)].tolist())
    inside = [one for one in np.flatnonzero(state.places >= 0).tolist() if int(state.held[one]) in whole]
    assert inside
    for seed in seeds(120):
        alone = np.random.default_rng(seed).choice(inside)
        held, marks, places = state.held.copy(), state.marks.copy(), state.places.copy()
        held[alone], marks[alone], places[alone] = WITHHELD, -1, -1
        with pytest.raises(CertificateError, match="keeps less"):
            CompanionGroups.of(replace(state, held=held, marks=marks, places=places), before, models, ["diagnosis"])


def test_several_columns_are_one_history(months: Path, tmp_path: Path) -> None:
    """A second sensitive column and an insensitive one are exchanged with the first, and may change."""
    tables = [pl.read_csv(CLINIC / f"{month}.csv", infer_schema=False) for month in MONTHS[:2]]
    change = pl.Series(np.arange(tables[1].height) % 50 == 0)
    moved = pl.when(change).then(pl.lit("3999")).otherwise(pl.col("town"))
    tables[1] = tables[1].with_columns(moved.alias("town"))
    given = asked(months / "clinic.key") | {"quasi": ["age"], "sensitive": ["diagnosis", "sex"]}
    given |= {"insensitive": ["town"]}
    after: dict[str, Any] = {}
    for month, table in zip(MONTHS, tables, strict=False):
        shoal.anonymize(table, **given, **after).write(tmp_path / month)
        after = {"after": tmp_path / month}
    found = shoal.verify(tmp_path / "february", raw=tables[1])
    assert found.series is not None
    assert (found.series.linked, found.series.table) == ((1,), True)
    assert max(Fraction(one["posterior"]) for one in found.series.releases) < 1
