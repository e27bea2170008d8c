"""Blind releases: no permutation of the sensitive values inside of the released classes changes anything."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, PrivacyModel, TCloseness
from tests.oracles.promises import keeps

PROMISES: tuple[PrivacyModel, ...] = (
    DistinctLDiversity(l=3, column="s"),
    FrequencyLDiversity(l=Fraction(3, 2), column="s"),
    EntropyLDiversity(l=Fraction(3, 2), column="s"),
    TCloseness(t=Fraction(1, 3), column="s"),
)
ALGORITHMS = ("mondrian", "top-down", "tightest", "optimal", "samarati")


def table_of(seed: int, n: int = 40) -> pl.DataFrame:
    """Return a table with few different quasi values, so that equal records go to different classes."""
    rng = Random(seed)  # noqa: S311
    columns = {
        "age": [str(rng.choice([20, 21, 25, 30])) for _ in range(n)],
        "zip": [rng.choice("abc") for _ in range(n)],
    }
    return pl.DataFrame({**columns, "s": [rng.choice("uuvwx") for _ in range(n)], "id": [str(i) for i in range(n)]})


def released(table: pl.DataFrame, promise: PrivacyModel, algorithm: str, **more: Any) -> shoal.Release:
    asked = {"quasi": ["age", "zip"], "sensitive": ["s"], "insensitive": ["id"], "k": 4, "seed": 3, "blind": True}
    asked |= {"require": promise, "max_suppressed": 0.9, "algorithm": algorithm}
    return shoal.anonymize(table, **{**asked, **more})


def rows(release: shoal.Release) -> Counter[tuple[Any, ...]]:
    return Counter(release.frame.cast(pl.String).select("age", "zip", "s").rows())


def permuted(table: pl.DataFrame, release: shoal.Release, rng: Random) -> pl.DataFrame:
    """Return the table with the sensitive values of each released class in another order."""
    classes: dict[tuple[Any, ...], list[int]] = {}
    for age, code, number in release.frame.cast(pl.String).select("age", "zip", "id").rows():
        classes.setdefault((age, code), []).append(int(number))
    values = table["s"].to_list()
    for members in classes.values():
        shuffled = [values[number] for number in members]
        rng.shuffle(shuffled)
        for number, value in zip(members, shuffled, strict=True):
            values[number] = value
    return table.with_columns(pl.Series("s", values))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_permuted_values_give_the_same_release(algorithm: str) -> None:
    n_other = n_seen = 0
    for seed in range(4):
        table, promise = table_of(seed), PROMISES[seed % 4]
        try:
            release = released(table, promise, algorithm)
        except InfeasibleError:
            continue
        rng = Random(seed)  # noqa: S311
        for _ in range(3):
            other = permuted(table, release, rng)
            assert rows(released(other, promise, algorithm)) == rows(release)
            n_other += not other.equals(table)
        members: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for age, code, value in release.frame.cast(pl.String).select("age", "zip", "s").rows():
            members.setdefault((age, code), []).append({"s": value})
        everybody = [record for own in members.values() for record in own]
        assert all(keeps(promise, own, everybody, ("s",)) for own in members.values())
        assert all(len(own) >= 4 for own in members.values())
        n_seen += len(everybody) < 40
    assert n_other > 4
    assert n_seen > 0


def test_a_release_that_is_not_blind_may_change() -> None:
    changed = 0
    for seed in range(12):
        table = table_of(seed)
        release = released(table, PROMISES[0], "mondrian", blind=False)
        other = permuted(table, release, Random(seed))  # noqa: S311
        changed += rows(released(other, PROMISES[0], "mondrian", blind=False)) != rows(release)
    assert changed > 0


def test_classes_are_those_of_k_alone_without_those_that_fail() -> None:
    table, promise = table_of(2), PROMISES[0]
    k_alone = released(table, promise, "mondrian", require=[])
    release = released(table, promise, "mondrian")
    cells = [set(one.frame.cast(pl.String).select("age", "zip").rows()) for one in (k_alone, release)]
    assert cells[1] < cells[0]
    certificate = release.certificate
    assert certificate["algorithm"]["guarantee"] == "none"
    assert certificate["loss"]["bound"] is None
    lost = len(cells[0]) - len(cells[1])
    assert f"made without the sensitive values; {lost} classes that broke a promise were suppressed" in str(certificate)
    assert certificate["records"]["suppressed"] == 40 - release.frame.height


def test_stars_of_suppressed_classes_keep_the_promises() -> None:
    n_starred = n_failing = 0
    for seed in range(24):
        try:
            release = released(table_of(seed), PROMISES[seed % 2], "mondrian", suppressed="star")
        except InfeasibleError as told:
            assert "and as stars they break a promise themselves." in str(told)  # noqa: PT017  (it need not come)
            n_failing += 1
            continue
        assert release.frame.height == 40
        assert all(claim["holds"] for claim in release.certificate["claims"])
        n_starred += release.certificate["records"]["suppressed"] > 0
    assert n_failing > 0
    assert n_starred > 0


def test_too_many_classes_that_fail_are_told() -> None:
    with pytest.raises(InfeasibleError, match="and nothing would be left"):
        released(table_of(2), DistinctLDiversity(l=5, column="s"), "mondrian", max_suppressed=1)
    with pytest.raises(InfeasibleError, match=r"and at most 0\.00% may be suppressed") as told:
        released(table_of(2), PROMISES[0], "mondrian", max_suppressed=0)
    assert "classes that were made without the sensitive values break a promise." in str(told.value)
    assert "Ask for a larger k" in str(told.value)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"measure": {"name": "classification", "column": "s"}}, "the measure 'classification' looks at them"),
        ({"algorithm": "mdav"}, "without clusters and outside tables"),
    ],
    ids=str,
)
def test_what_looks_at_secrets_or_at_no_cells_is_refused(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        released(table_of(1), PROMISES[0], **{"algorithm": "optimal", **asked})
