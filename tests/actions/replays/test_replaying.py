"""Replays and posteriors of an attacker who knows the algorithm, against all tables that there are."""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.anonymize import counted_of, solved
from shoal.actions.replays import replaying
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.jobs.arguments import request
from shoal.jobs.posing import problem_of
from shoal.jobs.source import read
from tests.cli.run import done

ALPHA = {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 1, "column": "s", "value": "hiv"}
Q = ("q1", "q1", "q2", "q2", "q2", "q2")
"""The textbook table: two persons of q1 and four of q2; at most half of a class may be shown with the illness."""


def table_of(values: tuple[str, ...], q: tuple[str, ...] = Q) -> pl.DataFrame:
    return pl.DataFrame({"q": q, "s": values})


def released(values: tuple[str, ...], **more: Any) -> shoal.Release:
    asked = {"quasi": {"q": "suppression"}, "sensitive": ["s"], "require": ALPHA, "seed": 1}
    return shoal.anonymize(table_of(values), **{**asked, **more})


def rows(release: shoal.Release) -> tuple[Any, ...]:
    """Return what an attacker sees: the published records, in no order."""
    return tuple(sorted(Counter(release.frame.cast(pl.String).rows()).items()))


def posteriors(**asked: Any) -> dict[tuple[Any, ...], list[tuple[str, ...]]]:
    """Return for each release all tables that lead to it."""
    leading: dict[tuple[Any, ...], list[tuple[str, ...]]] = defaultdict(list)
    for values in product(("hiv", "flu"), repeat=len(Q)):
        try:
            leading[rows(released(values, **asked))].append(values)
        except InfeasibleError:
            continue
    return leading


def chances(tables: list[tuple[str, ...]]) -> list[Fraction]:
    """Return how likely each person has the illness, if all of these tables are as likely."""
    return [Fraction(sum(values[i] == "hiv" for values in tables), len(tables)) for i in range(len(Q))]


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_who_knows_the_algorithm_is_sure_where_one_half_was_promised(algorithm: str) -> None:
    leading = posteriors(algorithm=algorithm, k=2)
    release = rows(released(("hiv", "hiv", "flu", "flu", "flu", "flu"), algorithm=algorithm, k=2))
    assert {row[0][0] for row in release} == {"*"}  # all are one class, of which a third have it
    assert chances(leading[release]) == [1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
@pytest.mark.parametrize("k", [2, 3])
def test_of_a_blind_release_everybody_is_as_likely_as_their_class_says(algorithm: str, k: int) -> None:
    n_shown = n_hidden = 0
    for release, tables in posteriors(algorithm=algorithm, k=k, blind=True, max_suppressed=0.9).items():
        shown: dict[str, list[str]] = defaultdict(list)
        for (cell, value), count in release:
            shown[cell] += [value] * count
        for person, chance in zip(Q, chances(tables), strict=True):
            own = shown.get(person, shown.get("*"))
            if own is None:
                n_hidden += 1
                continue
            assert chance == Fraction(own.count("hiv"), len(own))
            n_shown += 1
    assert n_shown > 0
    assert (n_hidden > 0) == (k == 2)  # for k = 3 there is one class


def test_replays_tell_the_textbook_table_from_a_blind_one() -> None:
    """All 15 ways to deal two of six are drawn; the attacker rules out 14, and none if the release is blind."""
    textbook = ("hiv", "hiv", "flu", "flu", "flu", "flu")
    found = shoal.attack(released(textbook, k=2, algorithm="optimal"), attacks=["replay"], swaps=150).replay
    assert found is not None
    equal = [[Q[i] for i in range(6) if dealt[i] == "hiv"] == ["q1", "q1"] for dealt in permutations(textbook)]
    expected = Fraction(sum(equal), len(equal))
    assert expected == Fraction(1, 15)
    assert 0 < found.equal < 30
    assert found.equal == found.unchanged  # only the table itself leads to this release
    assert (found.swaps, found.refused, found.blind, found.at_most) == (150, 0, False, None)
    assert found.share == 1 - found.equal / 150
    blind = shoal.attack(released(textbook, k=3, blind=True, algorithm="optimal"), attacks=["replay"], swaps=150).replay
    assert blind is not None
    assert (blind.equal, blind.share, blind.blind, blind.at_most) == (150, 0.0, True, 0.02)
    assert 0 < blind.unchanged < 30


def mixed(seed: int, n: int = 40) -> pl.DataFrame:
    rng = Random(seed)  # noqa: S311
    columns = {
        "age": [str(rng.choice([20, 21, 25, 30])) for _ in range(n)],
        "zip": [rng.choice("abc") for _ in range(n)],
    }
    others = {"s": [rng.choice("uuvwx") for _ in range(n)], "t": [rng.choice("12") for _ in range(n)]}
    return pl.DataFrame({**columns, **others, "id": [str(i) for i in range(n)]})


DIVERSE = {"model": "distinct-l-diversity", "l": 3, "column": "s"}
ASKED: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": ["s", "t"], "insensitive": ["id"], "k": 4, "seed": 3}


@pytest.mark.parametrize(
    "algorithm", ["mondrian", pytest.param("tightest", marks=pytest.mark.deep), "optimal", "samarati"]
)
def test_the_count_is_that_of_whole_runs_on_the_same_swapped_tables(algorithm: str, monkeypatch: Any) -> None:
    """Each swapped table is also released by `anonymize`, as if nothing were known."""
    n_equal = n_other = 0
    for seed in (2, 4):
        for blind in (False, True):
            asked = {**ASKED, "require": DIVERSE, "algorithm": algorithm, "blind": blind}
            asked["max_suppressed"] = 0.9 if blind else 0.1
            if algorithm in ("optimal", "samarati"):
                asked |= {"quasi": {"age": "suppression", "zip": "suppression"}, "k": 2}
            release = shoal.anonymize(mixed(seed), **asked)
            drawn: list[pl.DataFrame] = []
            kept = replaying.Swaps.drawn

            def noted(swaps: Any, rng: Any, drawn: list[pl.DataFrame] = drawn, kept: Any = kept) -> Any:
                source = kept(swaps, rng)
                drawn.append(pl.DataFrame([column.texts(name) for name, column in source.table.columns.items()]))
                return source

            with monkeypatch.context() as patched:
                patched.setattr(replaying.Swaps, "drawn", noted)
                found = shoal.attack(release, attacks=["replay"], swaps=5, seed=seed).replay
            assert found is not None
            shown = seen(release)
            again = [seen(shoal.anonymize(table, **asked)) for table in drawn]
            assert found.equal == sum(one == shown for one in again)
            assert found.columns == ("s", "t", "id")
            assert found.blind is blind
            assert not blind or found.equal == 5
            n_equal, n_other = n_equal + found.equal, n_other + found.swaps - found.equal
            for table in drawn:
                inside(mixed(seed), table, release)
    assert n_equal > 0
    assert n_other > 0


def seen(release: shoal.Release) -> Counter[tuple[Any, ...]]:
    return Counter(release.frame.cast(pl.String).select("age", "zip", "s").rows())


def inside(table: pl.DataFrame, swapped: pl.DataFrame, release: shoal.Release) -> None:
    """Check that rows were dealt inside of published classes, and suppressed records kept theirs."""
    cells = {row["id"]: (row["age"], row["zip"]) for row in release.frame.cast(pl.String).rows(named=True)}
    assert swapped.select("age", "zip").equals(table.select("age", "zip"))
    rows_of = {row[-1]: row for row in table.select("s", "t", "id").rows()}
    for old, new in zip(table["id"], swapped.select("s", "t", "id").rows(), strict=True):
        assert rows_of[new[-1]] == new
        assert cells.get(old) == cells.get(new[-1])
        assert old in cells or old == new[-1]


@pytest.mark.parametrize("algorithm", ["mondrian", "optimal", "r-gather", "tightest"])
def test_k_anonymity_alone_has_nothing_to_tell(algorithm: str) -> None:
    release = shoal.anonymize(mixed(5), **ASKED, algorithm=algorithm)
    found = shoal.attack(release, attacks=["replay"], swaps=5).replay
    assert found is not None
    assert (found.equal, found.unchanged, found.blind) == (5, 5, True)


def test_persons_are_swapped_with_their_records() -> None:
    ages = pl.Series([str(20 + i * 7 % 50) for i in range(80)])
    table = mixed(0, 80).with_columns(id=pl.Series([f"p{i // 2}" for i in range(80)]), age=ages)
    asked: dict[str, Any] = {
        "algorithm": "mondrian",
        "quasi": ["age", "zip"],
        "sensitive": ["s", "t"],
        "entity": "id",
        "k": 4,
        "seed": 1,
        "max_suppressed": 0.9,
    }
    blind = shoal.attack(shoal.anonymize(table, **asked, blind=True), attacks=["replay"], swaps=20).replay
    seeing = shoal.attack(shoal.anonymize(table, **{**asked, "max_suppressed": 0}), attacks=["replay"], swaps=20).replay
    assert blind is not None
    assert seeing is not None
    assert (blind.equal, blind.blind, seeing.blind) == (20, True, False)
    assert seeing.equal < 20
    assert seeing.columns == ("s", "t", "id")


def test_a_search_that_fails_counts_as_ruled_out() -> None:
    """Where there is no release at all, it is not the one that was seen."""
    release = shoal.anonymize(mixed(1), **ASKED, algorithm="mondrian", require=DIVERSE, max_suppressed=0.1)

    def refuse(*_: Any) -> Any:
        raise InfeasibleError("none")

    def following(*given: Any) -> Any:
        return next(runs)(*given)

    runs = iter([solved, refuse, solved, refuse])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(replaying, "solved", following)
        found = replaying.replayed(release.run.source, release.run.rows, 3, 1)
    assert (found.swaps, found.refused) == (3, 2)
    assert found.equal <= 1


@pytest.mark.parametrize(
    "algorithm", ["mondrian", "top-down", "forest", "greedy-cover", "optimal-2", "m-approximation"]
)
def test_no_class_depends_on_whether_a_bound_is_looked_for(algorithm: str) -> None:
    recipes = {"age": "suppression", "zip": "suppression"}
    job = request(mixed(1), **{**ASKED, "quasi": recipes, "k": 2, "algorithm": algorithm})
    problem = problem_of(job, counted_of(read(job, mixed(1))).tally)
    found = [solved(job, replace(problem, unbounded=one), lambda *_: None)[2] for one in (False, True)]
    assert found[0].loss.total == found[1].loss.total
    cells = [sorted(map(tuple, one.recoding.cells.tolist())) for one in found]
    assert cells[0] == cells[1]


def test_a_folder_is_replayed_with_the_table_that_its_job_names(tmp_path: Path) -> None:
    mixed(2).write_csv(tmp_path / "t.csv")
    asked = {**ASKED, "require": DIVERSE, "algorithm": "optimal", "max_suppressed": 0.1, "k": 2}
    release = shoal.anonymize(tmp_path / "t.csv", **{**asked, "quasi": {"age": "suppression", "zip": "suppression"}})
    release.write(tmp_path / "out")
    wanted = shoal.attack(release, attacks=["replay"], swaps=8, seed=2).replay
    for given in ({}, {"raw": tmp_path / "t.csv"}, {"raw": mixed(2)}):
        assert shoal.attack(tmp_path / "out", attacks=["replay"], swaps=8, seed=2, **given).replay == wanted
    other = mixed(3).write_csv(tmp_path / "other.csv") or tmp_path / "other.csv"
    with pytest.raises(SpecError, match="does not reproduce it from this table"):
        shoal.attack(tmp_path / "out", attacks=["replay"], raw=other)
    said = done("attack", tmp_path / "out", "--attack", "replay", "--swaps", "8", "--seed", "2").out
    assert wanted is not None
    assert f"same release: {wanted.equal} of 8 swapped tables" in said
    assert "swapped inside of each class: s, t, id" in said
    words = "who knows the algorithm rules out the tables that lead to another one"
    assert wanted.equal < 8
    assert f"the job does not make blind releases: {words}" in said
    one = done("attack", tmp_path / "out", "--attack", "replay", "--swaps", "1", "--seed", "0").out
    assert "the job does not make blind releases: nothing is proven of the others" in one
    told = done("attack", tmp_path / "out", "--attack", "replay", "--swaps", "8", "--seed", "2", "--json").json
    assert told["attacks"] == [wanted.as_dict()]
    (tmp_path / "t.csv").unlink()
    with pytest.raises(SpecError, match=r"needs the table that the release was made of \(--raw\)"):
        shoal.attack(tmp_path / "out", attacks=["replay"])


def test_a_blind_release_says_that_it_is_proven(tmp_path: Path) -> None:
    mixed(2).write_csv(tmp_path / "t.csv")
    shoal.anonymize(tmp_path / "t.csv", **ASKED, require=DIVERSE, blind=True, max_suppressed=0.9).write(
        tmp_path / "out"
    )
    said = done("attack", tmp_path / "out", "--attack", "replay", "--swaps", "30").out
    assert "same release: 30 of 30 swapped tables" in said
    assert "of all swapped tables at most 10.00% lead to another release (95% confidence)" in said
    assert "the job makes blind releases: it is proven that none does" in said


def test_it_is_not_run_unless_it_is_asked_for_and_says_what_it_needs() -> None:
    release = shoal.anonymize(mixed(2), **ASKED)
    assert shoal.attack(release).replay is None
    again = shoal.apply(release.rules(), mixed(2))
    bare = shoal.anonymize(mixed(2), quasi=["age", "zip"], drop=["s", "t", "id"], k=2)
    for one, more, words in (
        (again, {}, "needs a release that was searched for; this one was made by the rules of another"),
        (bare, {}, "needs a sensitive column, whose values are swapped"),
        (mixed(2), {"quasi": ["age"], "sensitive": ["s"]}, "needs a release of shoal with its job, which is run again"),
        (release, {"swaps": 0}, "'swaps' is 0 and 'seed' is 0: give 1 or more, and 0 or more"),
        (release, {"seed": -1}, "'swaps' is 100 and 'seed' is -1"),
    ):
        with pytest.raises(SpecError, match=words):
            shoal.attack(one, attacks=["replay"], **more)


def test_progress_tells_the_share(tmp_path: Path) -> None:
    told: list[tuple[str, float | None]] = []
    release = shoal.anonymize(mixed(2), **ASKED)
    shoal.attack(release, attacks=["replay"], swaps=4, progress=lambda step, share=None: told.append((step, share)))
    assert [share for step, share in told if step == "releasing swapped tables"] == [0.0, 0.25, 0.5, 0.75]
