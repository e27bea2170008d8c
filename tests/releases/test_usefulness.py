"""Which columns say nothing, and which changes help: each is what the changed job itself gives, or more."""

import pickle
import random
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.actions import anonymize as action
from shoal.classes.recoding import Recoding, Subsets
from shoal.jobs.posing import problem_of
from shoal.releases import usefulness
from shoal.releases.release import Release
from shoal.search.algorithms.mondrian import Mondrian
from tests.cli.run import done

N = 240


def people(seed: int = 5, n: int = N) -> pl.DataFrame:
    draw = random.Random(seed)  # noqa: S311
    return pl.DataFrame(
        {
            "age": [draw.randrange(18, 90) for _ in range(n)],
            "zip": [f"{draw.randrange(10, 99)}{draw.randrange(100, 999)}" for _ in range(n)],
            "job": [draw.choice(["baker", "clerk", "nurse", "pilot"]) for _ in range(n)],
            "sex": [draw.choice("FM") for _ in range(n)],
            "illness": [draw.choice(["flu", "cold", "asthma", "gout"]) for _ in range(n)],
        }
    )


QUASI = {"age": {"type": "intervals", "widths": [10, 40]}, "zip": "masking", "job": "suppression", "sex": "suppression"}


def released(frame: pl.DataFrame | None = None, **given: Any) -> Release:
    asked: dict[str, Any] = {
        "quasi": QUASI,
        "sensitive": ["illness"],
        "k": 12,
        "algorithm": "optimal",
        "seed": 3,
        **given,
    }
    return shoal.anonymize(people() if frame is None else frame, **asked)


@pytest.fixture(scope="module")
def poor() -> Release:
    return released()


def test_a_column_says_nothing_if_nearly_all_of_its_cells_cover_all_values(poor: Release) -> None:
    by_hand = [name for name in QUASI if poor.data[name].n_unique() == 1]
    assert list(poor.useful.silent) == by_hand != []
    assert poor.judged.silent == poor.useful.silent
    assert not poor.useful
    assert "of little use" in repr(poor)
    assert '<p style="color:#b3121f">of little use' in poor._repr_html_()


def test_a_column_of_one_value_does_not_count() -> None:
    frame = people().with_columns(country=pl.lit("DE"))
    found = released(frame, quasi={**QUASI, "country": "suppression"})
    assert "country" not in found.useful.silent


@pytest.mark.parametrize(("n_stars", "silent"), [(38, True), (37, False)])
def test_nearly_all_are_nineteen_of_twenty(n_stars: int, silent: bool) -> None:
    """Forty records in classes of one; so many of them have a star by hand."""
    frame = pl.DataFrame({"city": [f"c{i}" for i in range(40)], "x": ["1"] * 40})
    release = shoal.anonymize(frame, quasi={"city": "suppression"}, insensitive=["x"], k=1, algorithm="optimal")
    solution = release.solution
    column = solution.recoding.columns[0]
    both = Subsets(
        (*column.hierarchy.labels[0], *column.hierarchy.labels[1]),
        np.array([0] * 40 + [1], dtype=np.int32),
        np.array([*range(40), 0], dtype=np.int32),
    )
    cells = np.arange(40, dtype=np.int32)
    cells[:n_stars] = 40
    recoded = replace(solution, recoding=Recoding(solution.recoding.columns, (both,), cells[:, None]))
    assert usefulness.silent_in(recoded) == (("city",) if silent else ())


def test_what_is_useful_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = released(people().select("sex", "illness"), k=2, quasi={"sex": "suppression"})

    def fail(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(usefulness, "_Trial", fail)
    assert found.useful is not None
    assert found.useful
    assert "of little use" not in repr(found)
    assert "useful: every column is informative" in found._repr_html_()


DEEP = [pytest.param(name, marks=pytest.mark.deep) for name in ("samarati", "attribute-suppression")]


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", *DEEP])
def test_every_change_keeps_what_it_says(algorithm: str, tmp_path: Path) -> None:
    """The changed job itself loses no more than the quick algorithm said, by Python and by the pasted command."""
    people().write_csv(tmp_path / "people.csv")
    flags = ("--quasi", ",".join(QUASI), "--sensitive", "illness", "--k", "50", "--seed", "3")
    told = [f"{name}={kind}" for name, kind in QUASI.items() if isinstance(kind, str)]
    recipes = [part for one in told for part in ("--hierarchy", one)]
    out = tmp_path / "poor"
    shown = done("anonymize", tmp_path / "people.csv", *flags, *recipes, "--algorithm", algorithm, "--out", out).out
    commands = re.findall(r"^ {13}(shoal anonymize .*)$", shown, re.MULTILINE)
    release = action.run(shoal.Job.read(out / "private/job.toml"))
    assert "of little use" in shown
    assert commands
    changes = release.useful.changes
    assert [change.command(str(out), str(out)) for change in changes] == commands
    assert [change.loss for change in changes] == sorted(change.loss for change in changes)
    exact = algorithm in ("optimal", "mondrian", "attribute-suppression")
    for change, command in zip(changes, commands, strict=True):
        made = done(*shlex.split(command)[1:], "--json").json
        found = made["loss"]["share"]
        assert not exact or found <= change.loss + 1e-9, change
        assert set(made["loss"]["columns"]) == set(QUASI) - set(change.omitted)
    assert release.useful.alike is not None
    assert all(change.loss < release.useful.alike or change.silent != release.useful.silent for change in changes)


def test_the_same_release_names_the_same_changes(poor: Release) -> None:
    assert released().useful == poor.useful
    assert 0 < len(poor.useful.changes) <= 3
    words = " ".join(change.words for change in poor.useful.changes)
    assert "recode each class separately" in words


def test_of_a_large_table_one_change_of_each_kind_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    price, tried = vars(usefulness)["_price"], list[int]()

    def counted(problem: Any, quick: Any) -> Any:
        tried.append(len(problem.tally.quasi))
        return price(problem, quick)

    monkeypatch.setattr(usefulness, "_price", counted)
    sizes = ((10**7, 10**7, 10), (0, 10**7, 5), (0, 0, 2))
    for cells, many, times in sizes:  # as asked, recoding in two ways, k, two limits, four columns; one each; a column
        monkeypatch.setattr(usefulness, "_CELLS", cells)
        monkeypatch.setattr(usefulness, "_MANY_CELLS", many)
        tried.clear()
        assert released().useful.changes
        assert len(tried) == times
    assert sum(columns < len(QUASI) for columns in tried) == 1


def test_what_the_run_has_found_is_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run by mondrian is what the quick algorithm finds for the unchanged job."""
    found = released(algorithm="mondrian", k=100)
    again = Mondrian().answer(
        replace(problem_of(found.run.job, found.run.engine.count(found.run.job.counted()).tally), unbounded=True)
    )
    assert again.loss.share == found.run.solution.loss.share
    assert usefulness.silent_in(again) == usefulness.silent_in(found.run.solution)
    price, asked = vars(usefulness)["_price"], list[Any]()

    def counted(problem: Any, quick: Any) -> Any:
        asked.append(problem)
        return price(problem, quick)

    monkeypatch.setattr(usefulness, "_price", counted)
    assert found.alternatives.alike == again.loss.share
    tried = len(asked)
    asked.clear()
    assert released(algorithm="mondrian", k=100, time_limit=1000).alternatives.alike == again.loss.share
    assert len(asked) == tried + 1


def test_a_lower_k_is_a_usual_one() -> None:
    lower = {k: usefulness.lower_k(k) for k in (1, 2, 3, 4, 5, 9, 10, 12, 20, 1000)}
    assert lower == {1: None, 2: None, 3: 2, 4: 2, 5: 3, 9: 5, 10: 5, 12: 5, 20: 10, 1000: 100}


def test_where_too_many_are_suppressed_fewer_are_tried() -> None:
    quasi = {"job": "suppression", "sex": "suppression"}
    frame = people().select("job", "sex", "illness")
    found = released(frame, algorithm="tuple-suppression", quasi=quasi, k=30, max_suppressed=0.9)
    assert found.useful.much_suppressed
    words = [change.words for change in found.useful.changes]
    assert any(change.suppressed <= Fraction(1, 10) for change in found.useful.changes), words


def test_what_cannot_be_tried_is_said(tmp_path: Path) -> None:
    clusters = released(algorithm="mdav", quasi=["age"], drop=["zip", "job", "sex"], k=100)
    if not clusters.useful:
        assert "shoal compare" in clusters.useful.tried
    blind = released(blind=True, algorithm="mondrian", k=100)
    assert not blind.useful
    assert "blind" in blind.useful.untried
    copy = pickle.loads(pickle.dumps(blind))  # noqa: S301
    assert copy.useful.shortcomings == blind.useful.shortcomings
    assert repr(copy) == repr(blind)
    blind.write(tmp_path / "poor")
    applied = shoal.apply(tmp_path / "poor", people())
    assert "rules of an earlier one" in applied.useful.untried


def test_both_reports_say_it_and_the_public_one_no_more_than_its_certificate(poor: Release) -> None:
    texts = {
        audience: unescape(re.sub(r"<[^>]+>", " ", poor.report(audience=audience)))
        for audience in ("steward", "public")
    }
    for text in texts.values():
        assert "Of little use:" in text
    assert "shoal anonymize job.toml --algorithm auto --out ../../changed-local" in texts["steward"]
    assert "changed-" not in texts["public"]
    assert "would help" not in texts["public"]


def test_few_suppressed_are_told_to_the_steward_alone() -> None:
    frame = pl.DataFrame({"sex": ["F"] * 12 + ["M"] * 2 + ["X"] * 2, "y": ["1", "2"] * 8})
    asked: dict[str, Any] = {"quasi": {"sex": "suppression"}, "sensitive": ["y"], "k": 5, "seed": 1}
    found = shoal.anonymize(frame, **asked, algorithm="tuple-suppression", max_suppressed=0.5)
    assert found.certificate["records"]["suppressed"] == 4
    assert "4 of 16 records are suppressed" in found.useful.verdict
    public = unescape(re.sub(r"<[^>]+>", " ", found.report(audience="public")))
    assert "sex is no longer informative" in found.useful.verdict
    assert "Of little use" not in public
    assert "Every column is informative; the loss is not disclosed." in public
    assert "4 of 16" not in public


def test_alternatives_are_looked_for_even_if_the_release_is_of_use() -> None:
    good = released(k=3, algorithm="mondrian")
    assert good.useful
    assert not good.useful.changes
    assert good.alternatives.changes
    assert good.alternatives.alike is not None
    assert all(change.loss < good.alternatives.alike for change in good.alternatives.changes)
    poor = released()
    assert poor.alternatives is poor.useful


def test_the_folder_of_many_columns_has_a_short_name() -> None:
    names = [f"column_{number}" for number in range(40)]
    assert usefulness.folder_without(names[:2], names) == "without-column_0-column_1"
    assert usefulness.folder_without(names, names) == "without-40-columns"
