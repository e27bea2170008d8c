"""Values declared as missing: apart from all others below the top, or plainly missing."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.jobs.missing_codes import MissingCodes, hierarchy_for
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.hierarchies.intervals import Intervals
from shoal.tables.hierarchies.sets import Sets
from tests.tables.formats import survey

AGES = ["25", "34", "998", "999", None, "47"]
BOOK = Codebook({"age": Entry(missing=(("998", "999"),)), "sex": Entry(values={"1": "male", "2": "female"})})


def job_of(missing: str, hierarchy: object) -> Job:
    column = {"role": "quasi", **({"hierarchy": hierarchy} if hierarchy else {})}
    return Job.of(
        {
            "input": {"path": "survey.sav", "missing": missing},
            "columns": {"age": column},
            "require": [{"model": "k-anonymity", "k": 2}],
        },
        Path(),
    )


INTERVALS = {"type": "intervals", "widths": [10, 20]}


@pytest.mark.parametrize(
    ("missing", "hierarchy", "left"),
    [
        ("category", INTERVALS, {"25", "34", "998", "999", "47", None}),
        ("category", "ranges", {"25", "34", "47", None}),
        ("category", None, {"25", "34", "47", None}),
        ("category", "sets", {"25", "34", "998", "999", "47", None}),
        ("wildcard", INTERVALS, {"25", "34", "47", None}),
        ("drop", INTERVALS, {"25", "34", "47", None}),
    ],
)
@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_what_becomes_of_missing_codes(
    missing: str, hierarchy: object, left: set[str | None], dtype: pl.DataType
) -> None:
    frame = pl.DataFrame({"age": AGES}, schema={"age": pl.String}).cast(dtype)
    codes = MissingCodes.of(job_of(missing, hierarchy), frame, BOOK)
    settled = codes.settled(frame)
    assert settled["age"].dtype == dtype
    assert set(settled["age"].cast(pl.String).to_list()) == left
    assert (set(codes.cleared) == {"age"}) == ("998" not in left)


def test_missing_codes_meet_others_at_the_top_alone() -> None:
    frame = pl.DataFrame({"age": AGES})
    codes = MissingCodes.of(job_of("category", INTERVALS), frame, BOOK)
    values = ["25", "34", "47", "998", "999"]
    hierarchy = codes.build(Intervals(widths=(10, 20)), values, "age", job_of("category", INTERVALS)).with_missing()
    place = {value: code for code, value in enumerate(hierarchy.values)}
    for level in range(hierarchy.height):
        labels = [hierarchy.labels[level][code] for code in hierarchy.codes[level]]
        for value in ("998", "999", None):
            assert labels[place[value]] == value
            assert labels.count(value) == 1
    assert set(hierarchy.codes[-1]) == {0}
    assert hierarchy.missing_leaf == place[None]
    spans = hierarchy.spans
    assert spans is not None
    assert spans[-1].max() < 100  # the range of the ages, which 999 is not one of


@given(added=st.lists(st.integers(100, 999).map(str), unique=True, max_size=4))
def test_leaves_apart_keep_the_hierarchy_sound(added: list[str]) -> None:
    hierarchy = Intervals(widths=(5, 10)).build(["3", "17", "42"], "age")
    wider = hierarchy.with_apart(added)
    assert wider.values == (*hierarchy.values, *added)
    for level in range(wider.height + 1):
        assert (wider.codes[level][: hierarchy.n_leaves] == hierarchy.codes[level]).all()
        assert sorted(set(wider.codes[level])) == list(range(wider.size(level)))


def test_numbers_that_stand_for_words_are_categories() -> None:
    assert isinstance(hierarchy_for(["1", "2"], BOOK, "sex"), Sets)
    assert not isinstance(hierarchy_for(["1", "2", "3"], BOOK, "sex"), Sets)
    assert not isinstance(hierarchy_for(["1", "2"], BOOK, "age"), Sets)


MATRIX = {"type": "matrix", "path": "far.csv"}


@pytest.mark.parametrize(
    ("distance", "hierarchy", "stay"),
    [
        (None, None, False),  # numbers, whose differences are distances
        ("number", None, False),
        ("equal", None, True),
        ("tree", INTERVALS, True),
        ("equal", "ranges", False),
        (MATRIX, None, False),
        ({"type": "place", "longitude": "sex"}, None, False),
    ],
)
def test_missing_codes_have_a_place_in_some_metrics_alone(distance: object, hierarchy: object, stay: bool) -> None:
    frame = pl.DataFrame({"age": AGES}, schema={"age": pl.String})
    given = {"distance": distance} if distance else {}
    codes = MissingCodes.of(clusters_of({**given, **({"hierarchy": hierarchy} if hierarchy else {})}), frame, BOOK)
    assert (set(codes.apart), set(codes.cleared)) == (({"age"}, set()) if stay else (set(), {"age"}))


def clusters_of(age: dict[str, object], missing: str = "category") -> Job:
    return Job.of(
        {
            "input": {"path": "survey.sav", "missing": missing},
            "columns": {"age": {"role": "quasi", **age}, "sex": {"role": "quasi"}},
            "require": [{"model": "k-anonymity", "k": 2}],
            "search": {"algorithm": "mdav"},
        },
        Path(),
    )


def test_a_column_on_the_axis_of_another_is_measured_as_that_one() -> None:
    book = Codebook({"sex": Entry(values={"1": "male", "2": "female"}, missing=(("9",),))})
    frame = pl.DataFrame({"sex": ["1", "2", "9"]})
    assert set(MissingCodes.of(clusters_of({}), frame, book).apart) == {"sex"}  # words, and no numbers
    beside = clusters_of({"distance": {"type": "place", "longitude": "sex"}})
    assert set(MissingCodes.of(beside, frame, book).cleared) == {"sex"}


@pytest.mark.parametrize("missing", ["wildcard", "drop"])
def test_missing_codes_are_plainly_missing_where_missing_values_are_none(missing: str) -> None:
    frame = pl.DataFrame({"age": AGES}, schema={"age": pl.String})
    assert set(MissingCodes.of(clusters_of({"distance": "equal"}, missing), frame, BOOK).cleared) == {"age"}


def ages(release: Path) -> dict[str, Any]:
    (found,) = (
        one for one in shoal.utility(release, figures=["columns"]).as_dict()["columns"] if one["column"] == "age"
    )
    assert found["missing"]["before"] > 0
    return dict(found)


def test_a_job_declares_what_its_file_cannot(tmp_path: Path) -> None:
    """A CSV with the codes of an SPSS file gives the same release, and audits take the codes alike."""
    asked: dict[str, Any] = {
        "quasi": {"age": {"type": "intervals", "widths": [10, 20]}, "sex": None, "region": None},
        "sensitive": ["income"],
        "insensitive": ["score"],
        "drop": ["name"],
        "k": 3,
        "algorithm": "optimal",
        "seed": 1,
        "format": "csv",
    }
    first = shoal.anonymize(survey.write_sav(tmp_path / "in.sav"), **asked)
    survey.frame().with_columns(pl.col(pl.Float64).cast(pl.String).str.strip_suffix(".0")).write_csv(
        tmp_path / "in.csv"
    )
    content = first.job.content(tmp_path)
    content["input"] = {"path": "in.csv"}
    content["columns"]["age"]["missing"] = ["998", "999"]
    second = shoal.run(Job.of(content, tmp_path))
    assert second.frame.cast(pl.String).equals(first.frame.cast(pl.String))
    assert Job.of(second.job.content(tmp_path), tmp_path) == second.job
    second.write(tmp_path / "out")
    first.write(tmp_path / "first")
    assert ages(tmp_path / "out") == ages(tmp_path / "first")
    applied = shoal.apply(tmp_path / "first", tmp_path / "in.csv", seed=1)
    assert applied.job.columns["age"].missing == ("998", "999")
    applied.write(tmp_path / "applied")
    assert ages(tmp_path / "applied") == ages(tmp_path / "first")
    content["columns"]["score"]["missing"] = ["1.5"]
    with pytest.raises(SpecError, match="column 'score' has 'missing' but the role 'insensitive'"):
        Job.of(content, tmp_path)
