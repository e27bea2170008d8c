"""A release that meets another setting is offered to it, and its job makes it."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.comparison.offers import with_offers
from shoal.actions.comparison.outcomes import SettingOutcome
from shoal.actions.comparison.settings import Grid
from tests.actions.comparison.test_outcomes import figures
from tests.actions.comparison.test_settings import grid


def outcomes_of(made: Grid, *losses: float | None, **more: Any) -> list[SettingOutcome]:
    """Return an outcome for each setting, with its loss and a smallest class of five; None is infeasible."""
    return [
        SettingOutcome(
            setting,
            None if loss is None else replace(figures(5, loss), gone=Fraction(0), **more),
            "infeasible" if loss is None else "",
        )
        for setting, loss in zip(made.settings, losses, strict=True)
    ]


def changed(outcome: SettingOutcome, **changes: Any) -> SettingOutcome:
    """Return the outcome of a release with other figures."""
    assert outcome.figures is not None
    return replace(outcome, figures=replace(outcome.figures, **changes))


def makers(made: Grid, outcomes: list[SettingOutcome]) -> list[int | None]:
    """Return which setting's job makes the release of each, or None if it has none."""
    return [None if one.figures is None else one.made_by.number for one in with_offers(outcomes, made)]


def test_the_release_that_loses_least_is_taken_and_its_job() -> None:
    made = grid(ks=[2, 3, 5], algorithms=["tightest"])
    outcomes = outcomes_of(made, 0.4, 0.2, 0.1)
    found = with_offers([changed(outcomes[0], bound=0.05), *outcomes[1:]], made)
    assert [one.made_by.number for one in found] == [3, 3, 3]
    assert [one.setting.number for one in found] == [1, 2, 3]
    assert found[2] is outcomes[2]
    first = found[0].figures
    assert first is not None
    assert (first.loss, first.bound, first.ratio, first.guarantee) == (0.1, 0.05, 2.0, "none")
    assert "setting 3, k 5, tightest" in first.remark
    assert found[1].figures is not None
    assert found[1].figures.ratio is None


def test_of_equal_losses_the_own_release_stays_and_then_the_first_is_taken() -> None:
    made = grid(ks=[2, 3, 5], algorithms=["tightest"])
    assert makers(made, outcomes_of(made, 0.2, 0.2, 0.2 + 1e-12)) == [1, 2, 3]
    assert makers(made, outcomes_of(made, 0.2 + 1e-12, 0.2, 0.2)) == [1, 2, 3]
    assert makers(made, outcomes_of(made, 0.3, 0.2, 0.2)) == [2, 2, 3]


def test_a_release_with_smaller_classes_is_not_taken() -> None:
    made = grid(ks=[2, 5, 6], algorithms=["tightest"])
    assert makers(made, outcomes_of(made, 0.1, 0.2, 0.2)) == [1, 1, 3]


def test_a_release_that_suppresses_more_than_may_be_is_not_taken() -> None:
    made = grid(ks=[2], algorithms=["tightest"], limits=["0", "0.25", "0.5"])
    outcomes = outcomes_of(made, 0.3, 0.2, 0.1)
    gone = [Fraction(0), Fraction(1, 8), Fraction(1, 4)]
    outcomes = [changed(one, gone=share) for one, share in zip(outcomes, gone, strict=True)]
    assert makers(made, outcomes) == [1, 3, 3]


def test_a_release_that_keeps_fewer_promises_is_not_taken() -> None:
    near = [{"model": "t-closeness", "t": t, "column": "ill"} for t in (0.1, 0.3)]
    made = grid(ks=[2], algorithms=["tightest"], promises=near)
    strict, loose = outcomes_of(made, 0.2, 0.1)
    assert made.asked(1) == {0}
    assert made.asked(2) == {1}
    weak = changed(loose, kept=frozenset({1}))
    assert makers(made, [strict, weak]) == [1, 2]
    strong = changed(loose, kept=frozenset({0, 1}))
    assert makers(made, [strict, strong]) == [2, 2]


@pytest.mark.parametrize("axes", [{"algorithms": ["tightest", "mondrian"]}, {"measures": ["lm", "ncp"]}])
def test_a_release_by_another_algorithm_or_measure_is_not_taken(axes: dict[str, Any]) -> None:
    made = grid(ks=[2], **{"algorithms": ["tightest"], **axes})
    assert makers(made, outcomes_of(made, 0.2, 0.1)) == [1, 2]


def test_clusters_and_blind_releases_stay() -> None:
    made = grid(ks=[2, 3], algorithms=["tightest"])
    assert makers(made, outcomes_of(made, 0.2, 0.1, recoding="centres")) == [1, 2]
    blind = [replace(one, job=one.job.model_copy(deep=True)) for one in made.settings]
    for one in blind:
        one.job.search.__dict__["blind"] = True
    blinded = Grid(tuple(blind), made.reference)
    assert makers(blinded, outcomes_of(blinded, 0.2, 0.1)) == [1, 2]


def test_where_nothing_was_found_another_release_will_do_but_not_where_the_algorithm_refuses() -> None:
    made = grid(ks=[2, 3], algorithms=["tightest"])
    failed, other = outcomes_of(made, None, 0.1)
    found = with_offers([failed, other], made)[0]
    assert found.figures is not None
    assert (found.made_by.number, found.failed, found.figures.bound, found.figures.guarantee) == (2, "", None, "none")
    assert with_offers([replace(failed, failed="refused"), other], made)[0].figures is None


def test_the_job_that_is_kept_makes_the_release(tmp_path: Path) -> None:
    draw = Random(2)  # noqa: S311
    rows = [(draw.choice("abcdef"), draw.choice("uvwx"), draw.choice("pqr"), draw.choice("1122345")) for _ in range(60)]
    pl.DataFrame(rows, schema=["a", "b", "c", "ill"], orient="row").write_csv(tmp_path / "raw.csv")
    asked: dict[str, Any] = {
        "quasi": {name: {"type": "suppression"} for name in "abc"},
        "sensitive": ["ill"],
        "measure": "stars",
        "algorithm": {"name": "tightest", "effort": 1},
        "max_suppressed": [0, 0.1],
        "seed": 2,
    }
    found = shoal.compare(tmp_path / "raw.csv", k=3, **asked)
    none, _ = found.outcomes
    assert none.figures is not None
    assert (none.made_by.number, none.figures.suppressed) == (2, 0)
    own = shoal.anonymize(tmp_path / "raw.csv", k=3, **{**asked, "max_suppressed": 0})
    assert none.figures.lowered_total < own.certificate["loss"]["total"]
    found.write(tmp_path / "compared")
    jobs = [shoal.Job.read(tmp_path / "compared" / "jobs" / f"{number}.toml") for number in (1, 2)]
    made = [shoal.run(job) for job in jobs]
    assert made[0].frame.equals(made[1].frame)
    assert made[0].certificate["loss"]["total"] == none.figures.lowered_total
    assert found.frame["found_by"].to_list() == [2, 2]
