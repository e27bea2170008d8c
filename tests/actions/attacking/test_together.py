"""Several releases of a table that changes, attacked from Python."""

import csv
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.audits.attacks.series.series import Series
from shoal.foundation.errors import SpecError

QUASI = ["age", "town"]
PERSONS = [
    ("p", "21", "a", "x"),
    ("q", "22", "a", "y"),
    ("r", "24", "a", "z"),
    ("s", "41", "b", "x"),
    ("t", "42", "b", "y"),
    ("u", "43", "b", "z"),
]
NEW = ("n", "25", "a", "y")


def frame(rows: Sequence[Sequence[str]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=["name", *QUASI, "ill"], orient="row")


def released(rows: Sequence[Sequence[str]]) -> pl.DataFrame:
    return pl.DataFrame(
        [("20-29" if row[1] < "30" else "40-49", row[2], row[3]) for row in rows], schema=[*QUASI, "ill"], orient="row"
    )


def attacked(tables: Sequence[Sequence[Sequence[str]]], *, lists: bool = True, **more: object) -> Series:
    persons = [frame(rows) for rows in tables] if lists else []
    truth = ["name"] if lists else []
    releases = [released(rows) for rows in tables]
    found = shoal.attack(releases, quasi=QUASI, sensitive=["ill"], persons=persons, truth=truth, **more)  # type: ignore[arg-type]
    return found.series["ill"]


@pytest.mark.parametrize("lists", [True, False])
def test_who_leaves_alone_is_certain(*, lists: bool) -> None:
    found = attacked([PERSONS, PERSONS[1:]], lists=lists)
    assert (found.n_persons, found.exact, found.certain, found.alone) == (6, 6, (1, 1), (0, 0))
    assert [one.as_dict() for one in found.pairs] == [{"first": 1, "second": 2, "certain": 1, "above": 1}]
    one = (Fraction(1), Fraction(1))
    certain = [number for number in range(6) if one in found.of(number).values()]
    assert [list(found.of(number)) for number in certain] == [["x"]]
    half, third = (Fraction(1, 2),) * 2, (Fraction(1, 3),) * 2
    rest = sorted(next(iter(found.of(number).values())) for number in range(6) if number not in certain)
    assert rest == [third, third, third, half, half]


def test_a_newcomer_of_the_same_value_hides_who_leaves() -> None:
    same = [("m", "26", "a", "x"), *PERSONS[1:]]
    found = attacked([PERSONS, same])
    assert (found.n_persons, found.certain, found.largest) == (7, (0, 0), (1 / 3, 1 / 3))
    assert attacked([PERSONS, [NEW, *PERSONS[1:]]]).certain == (2, 2)


def test_changed_quasi_values_need_names() -> None:
    older = [("p", "25", "a", "x"), *PERSONS[1:]]
    assert attacked([PERSONS, older]).n_persons == 6
    unnamed = shoal.attack(
        [released(PERSONS), released(older)],
        quasi=QUASI,
        sensitive=["ill"],
        persons=[frame(PERSONS), frame(older)],
    )
    assert unnamed.series["ill"].n_persons == 7  # by quasi values, one left and one came


def test_a_value_that_changes_is_told_as_a_misfit() -> None:
    changed = [("p", "21", "a", "z"), *PERSONS[1:]]
    found = attacked([PERSONS, changed])
    assert (found.misfits, found.certain) == (3, (0, 0))


def test_a_record_of_nobody_is_a_stranger() -> None:
    releases = [released(PERSONS), released([NEW, *PERSONS[1:]])]
    found = shoal.attack(
        releases,
        quasi=QUASI,
        sensitive=["ill"],
        persons=[frame(PERSONS), frame(PERSONS[1:])],
        truth=["name"],
    ).series["ill"]
    assert (found.strangers, found.n_persons, found.certain) == (1, 6, (1, 1))


def test_k_and_l_are_those_that_are_asked_for() -> None:
    found = attacked([PERSONS, PERSONS[3:]], k=3, l=3)
    assert (found.above, found.below, found.share) == ((0, 0), (0, 0), 0.0)
    assert attacked([PERSONS, PERSONS[3:]], l=4).above == (6, 6)
    assert attacked([PERSONS, PERSONS[1:]], k=2).below == (1, 1)


def test_several_columns_are_taken_alone_and_together() -> None:
    releases = [released(rows).with_columns(pl.lit("v").alias("note")) for rows in (PERSONS, PERSONS[1:])]
    found = shoal.attack(releases, quasi=QUASI, sensitive=["ill", "note"])
    assert list(found.series) == ["ill", "note", "ill + note"]
    assert [one.certain for one in found.series.values()] == [(1, 1), (6, 6), (1, 1)]


def test_one_erased_patient_of_two_thousand(tmp_path: Path) -> None:
    """The two files differ by her row: whoever knows that she was erased reads it off."""
    with Path("examples/hospital/patients.csv").open(newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file))
    rows = rows[:2000]
    paths = [tmp_path / "before.csv", tmp_path / "after.csv"]
    for path, part in zip(paths, (rows, rows[:777] + rows[778:]), strict=True):
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *part])
    asked = {
        "quasi": ["birth_date", "zip", "sex"],
        "sensitive": ["diagnosis"],
        "drop": [name for name in names if name not in ("birth_date", "zip", "sex", "diagnosis")],
        "k": 5,
        "algorithm": "optimal",
        "require": ["distinct-l-diversity:l=3,column=diagnosis"],
    }
    first = shoal.anonymize(paths[0], **asked)  # type: ignore[arg-type]
    again = shoal.anonymize(paths[1], **asked)  # type: ignore[arg-type]
    applied = shoal.apply(first, paths[1])
    for second in (again, applied):
        found = shoal.attack([first, second], truth=["ssn"], persons=paths).series["diagnosis"]
        assert (found.n_persons, found.certain, found.alone, found.l) == (2000, (1, 1), (0, 0), 3)
        assert [(one.first, one.second, one.certain) for one in found.pairs] == [(1, 2, 1)]
    assert shoal.attack([first, again]).series["diagnosis"].certain == (1, 1)  # from the tables of the jobs


def test_what_cannot_be_put_together_is_refused() -> None:
    releases = [released(PERSONS), released(PERSONS)]
    asked = {"quasi": QUASI, "sensitive": ["ill"]}
    for wrong, words in (
        ({"release": releases[:1]}, "two releases or more"),
        ({"release": releases, "persons": [frame(PERSONS)]}, "2 releases and 1 list"),
        ({"release": releases, "truth": ["name"]}, "no lists are given"),
        ({"release": releases, "k": 0}, "1 or more"),
        ({"release": releases, "other": releases[0]}, "attacked together"),
        ({"release": releases[0], "l": 3}, "for a series"),
        ({"release": releases, "persons": [frame([*PERSONS, PERSONS[0]])] * 2, "truth": ["name"]}, "more than once"),
        ({"release": releases[0], "attacks": ["series"]}, "several releases"),
    ):
        with pytest.raises(SpecError, match=words):
            shoal.attack(**{**asked, **wrong})  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="nothing to learn"):
        shoal.attack(releases, quasi=QUASI)


def test_of_large_releases_not_all_pairs_are_tried_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.actions.attacking.together._WORK", 24)  # two pairs of six records each
    found = attacked([PERSONS, PERSONS[1:], PERSONS[2:]])
    assert found.untried == 1
    assert [(one.first, one.second, one.certain) for one in found.pairs] == [
        (1, 2, 1),
        (2, 3, 1),
    ]  # release 3 alone tells the third
    assert found.certain == (3, 3)  # all three together are looked at whatever their size
