"""Records that are suppressed so that one class of all others keeps the promises: against all ways to remove some."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import InfeasibleError
from shoal.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KMap,
    PrivacyModel,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.search.algorithms import Exact, Mondrian, Optimal, Optimal2, Tightest, TopDown
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.algorithms.auto import choices, solved
from shoal.search.lattice.diagnosis import _proven, _rounded_up
from shoal.search.removal import Removal, broken_by, removal_of
from tests.oracles.local.checks import check_case, check_claims
from tests.oracles.local.random_jobs import Case, uneven_request
from tests.oracles.local.tables import LocalTable
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import PEOPLE, problem_of
from tests.oracles.promises import keeps


def removable(case: Case) -> int | None:
    """Return the fewest records without which all others, as one class, keep the promises; None if there are none."""
    records = case.table.records
    for some in sorted(product([True, False], repeat=len(records)), key=lambda some: -sum(some)):
        kept = [record for record, stays in zip(records, some, strict=True) if stays]
        if kept and all(keeps(model, kept, kept, case.table.sensitive) for model in case.rules.models):
            return len(records) - len(kept)
    return None


def test_the_fewest_records_are_suppressed_until_one_class_keeps_the_promises() -> None:
    n_proven = 0
    for seed in range(150):
        case, removal = uneven_request(seed), removal_of(uneven_request(seed).problem)
        fewest = removable(case)
        if removal is None:
            assert fewest is None or len(broken_by(case.problem.models, case.problem.tally)) > 1
            continue
        assert fewest is not None
        assert removal.least <= fewest <= removal.n_records
        assert not broken_by(removal.problem.models, removal.problem.tally)
        assert removal.problem.limit == max(case.problem.limit - removal.n_records, 0)
        n_proven += removal.least == removal.n_records
    assert n_proven > 60


def test_classes_of_the_others_are_classes_of_the_whole_table() -> None:
    for seed in range(40):
        problem = uneven_request(seed).problem
        removal = removal_of(problem)
        if removal is None:
            continue
        labels = np.arange(removal.problem.tally.n_points, dtype=np.int32) % 2
        whole = removal.whole(type(removal.gone).whole(removal.problem.tally, labels))
        counts = np.bincount(whole.points, whole.counts, problem.tally.n_points)
        assert counts.tolist() == problem.tally.counts.tolist()
        assert whole.counts[whole.classes < 0].sum() == removal.n_records


def test_outliers_are_suppressed_first() -> None:
    """Two of six `u` are too many; the numbers far from the others go."""
    ages = ["30", "31", "32", "33", "1", "99", "30", "31", "32", "33"]
    table = LocalTable(
        [{"age": age, "illness": value} for age, value in zip(ages, "uuuuuuvvww", strict=True)],
        {"age": {age: (age, "*") for age in sorted(set(ages), key=int)}},
        ("illness",),
        forms={"age": "numbers"},
    )
    case = Case(table, Rules((FrequencyLDiversity(l=2, column="illness"),)), "lm", Fraction(1, 2))
    removal = removal_of(case.problem)
    assert removal is not None
    assert removal.n_records == removal.least == 2
    shown = case.problem.tally.codes[removal.gone.points, 0]
    assert [case.problem.tally.quasi[0].hierarchy.values[code] for code in shown] == ["1", "99"]


ALGORITHMS: tuple[Algorithm, ...] = (Exact(), Tightest(effort=5), Mondrian(), TopDown(), Optimal2())


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
def test_records_inside_of_a_class_are_suppressed(algorithm: Algorithm, seeds: Callable[[int], range]) -> None:
    """With bounds and guarantees that hold, against all partitions of all choices of records."""
    n_solved = 0
    for seed in seeds(120):
        case = uneven_request(seed)
        if algorithm.name == Optimal2.name:
            halves = (KAnonymity(k=2), FrequencyLDiversity(l=2, column="illness"))
            case = Case(case.table, Rules(halves), "lm", case.limit)
        found = check_case(case, algorithm)
        if algorithm.name in (Exact.name, Optimal2.name) and case.optimum is not None:
            assert found is not None
            assert found.guarantee == "optimal"
        n_solved += found is not None
    assert n_solved > len(seeds(120)) / 6


def test_auto_finds_a_release_if_there_is_one() -> None:
    names = set()
    for seed in (*range(60), 301, 377, 601, 647):
        case = uneven_request(seed)
        if case.optimum is None:
            with pytest.raises(InfeasibleError):
                solved(case.problem)
            continue
        choice, found = solved(case.problem)
        check_claims(case, found)
        names.add(choice.algorithm.name)
    assert "exact" in names


def test_where_it_is_not_known_which_records_to_suppress_all_are_generalized_alike() -> None:
    case = uneven_request(301)
    assert [choice.algorithm.name for choice in choices(case.problem)][-1] == "optimal"
    assert removal_of(case.problem) is None


def asked(algorithm: str, *models: PrivacyModel, limit: float = 0.4, **more: object) -> shoal.Release:
    table = pl.DataFrame({"q": ["a3", "a2", "a1", "a0", "a1", "a2"], "s": list("uuuuwv")})
    return shoal.anonymize(
        table,
        quasi=["q"],
        sensitive=["s"],
        k=3,
        require=list(models),
        max_suppressed=limit,
        algorithm=algorithm,
        **more,  # type: ignore[arg-type]
    )


HALF = FrequencyLDiversity(l=2, column="s")


@pytest.mark.parametrize("algorithm", ["exact", "tightest", "mondrian", "top-down", "auto"])
def test_two_of_four_records_with_one_value_are_suppressed(algorithm: str) -> None:
    release = asked(algorithm, HALF)
    assert release.certificate["records"]["suppressed"] == 2
    assert release.certificate["loss"]["total"] == pytest.approx(10 / 3)
    assert sorted(release.data["s"]) == ["u", "u", "v", "w"]


@pytest.mark.parametrize("algorithm", ["tightest", "auto"])
def test_the_advice_is_the_least_number_of_records(algorithm: str) -> None:
    with pytest.raises(InfeasibleError) as told:
        asked(algorithm, HALF, limit=0.3)
    assert str(told.value).startswith("No release keeps every promise with at most 30.00% of the 6 records suppressed.")
    assert "Suppressing 2 records (33.33%) would be enough: set max_suppressed to at least 0.3334." in str(told.value)
    assert told.value.diagnosis["suppression"]["records"] == 2
    assert told.value.diagnosis["proven"] is True


def test_a_share_is_rounded_up_to_what_is_enough() -> None:
    assert [_rounded_up(share) for share in (0, 0.5, 1 / 3, 0.00011)] == [0, 0.5, 0.3334, 0.0002]


def test_stars_do_not_help() -> None:
    """They are a class themselves: if it kept the promises, so would all records together."""
    with pytest.raises(InfeasibleError, match=r"set max_suppressed to at least 0.3334, and suppressed to drop\."):
        asked("tightest", HALF, suppressed="star")


def test_full_domain_releases_suppress_classes_and_the_advice_says_what_records_would_do() -> None:
    with pytest.raises(InfeasibleError) as told:
        asked("optimal", HALF)
    words = "Suppressing classes does not help: every class of every generalization fails. If each class is recoded on "
    assert words + "its own, as by the algorithm 'auto', it is enough to suppress 2 records (33.33%)." in str(
        told.value
    )


def test_full_domain_releases_suppress_records_on_request() -> None:
    release = asked("optimal", HALF, suppress="records")
    assert release.certificate["records"]["suppressed"] == 2
    assert sorted(release.data["s"]) == ["u", "u", "v", "w"]
    with pytest.raises(InfeasibleError, match="Suppressing 2 records"):
        asked("optimal", HALF, suppress="records", limit=0.3)


def test_what_fails_in_every_part_is_not_helped_by_suppression() -> None:
    for algorithm, kind in (("tightest", "release"), ("optimal", "generalization")):
        with pytest.raises(InfeasibleError, match="No amount of suppression helps") as told:
            asked(algorithm, DistinctLDiversity(l=4, column="s"), limit=0.9)
        assert str(told.value).startswith(f"No {kind} keeps every promise")
        with pytest.raises(InfeasibleError, match="No amount of suppression helps"):
            asked(algorithm, HALF, DistinctLDiversity(l=4, column="s"), limit=0.9)


def test_of_outside_tables_only_classes_are_spoken_of() -> None:
    table = PlainTable([{"q": "a"}] * 3, {"q": {"a": ("a", "*")}}, (), people=[{"q": "a"}] * 4)
    problem = problem_of(table, Rules((KMap(k=5, population=PEOPLE),)), "lm", Fraction(1, 2))
    with pytest.raises(InfeasibleError, match="Suppressing classes does not help: every class of every generalization"):
        Optimal().solve(problem)


def test_where_missing_values_match_everything_little_is_proven() -> None:
    """Classes overlap there, so that each may keep a promise that all records together break."""
    with pytest.raises(InfeasibleError, match=r"No release was found that keeps every promise with at most 0\.00%"):
        asked("tightest", HALF, limit=0, missing="wildcard")
    with pytest.raises(InfeasibleError, match=r"No release keeps every promise with at most 0\.00%"):
        asked("tightest", HALF, limit=0)


@pytest.mark.parametrize(
    ("limit", "rules", "least", "expected"),
    [
        (Fraction(0), {}, None, True),
        (Fraction(1, 3), {"stars": True}, None, True),
        (Fraction(1, 3), {"stars": True, "wildcard": True}, None, False),
        (Fraction(1, 3), {}, None, False),
        (Fraction(1, 3), {}, 2, False),
        (Fraction(1, 3), {}, 3, True),
        (Fraction(1, 3), {"wildcard": True}, 3, False),
    ],
    ids=str,
)
def test_nothing_is_proven_to_be_impossible_unless_too_many_records_must_go(
    limit: Fraction, rules: dict[str, bool], least: int | None, expected: bool
) -> None:
    """Two of six records may be suppressed, or none; how many must be is known or not."""
    records = [{"q": "x", "illness": value} for value in "uuuuvw"]
    table = LocalTable(records, {"q": {"x": ("x", "*")}}, ("illness",))
    promise = FrequencyLDiversity(l=2, column="illness")
    problem = Case(table, Rules((promise,), **rules), "lm", limit).problem
    assert _proven(problem, None if least is None else {"least": least}) is expected


def test_what_was_not_found_is_not_said_to_be_impossible() -> None:
    case = uneven_request(301)
    assert case.optimum is not None
    with pytest.raises(InfeasibleError) as told:
        Tightest().solve(case.problem)
    assert str(told.value).startswith("No release was found that keeps every promise")
    assert "- It is not proven that there is none. Use the algorithm 'exact' for a small table, or 'optimal'." in str(
        told.value
    )
    assert told.value.diagnosis["proven"] is False


def test_algorithms_that_part_one_class_of_all_records_say_what_does_more() -> None:
    with pytest.raises(
        InfeasibleError, match=r"splitting that class\. Use 'tightest', which suppresses some records first"
    ):
        asked("m-approximation", HALF)


def test_promises_that_compare_with_the_release_stay_true() -> None:
    """Records are suppressed for one promise, and the others are compared with what is left."""
    rng = Random(3)  # noqa: S311
    n = 400
    table = {
        "age": [str(rng.randint(20, 60)) for _ in range(n)],
        "zip": [str(rng.randint(0, 9)) for _ in range(n)],
        "s": [rng.choice("uuuuuuuvw") for _ in range(n)],
    }
    require = [FrequencyLDiversity(l=Fraction(3, 2), column="s"), TCloseness(t=Fraction(1, 4), column="s")]
    release = shoal.anonymize(
        pl.DataFrame(table),
        quasi=["age", "zip"],
        sensitive=["s"],
        k=4,
        require=require,
        max_suppressed=0.3,
        algorithm="tightest",
        seed=1,
    )
    assert 0 < release.certificate["records"]["suppressed"] <= 120
    assert all(claim["holds"] for claim in release.certificate["claims"])


def test_several_promises_on_several_columns() -> None:
    models: tuple[PrivacyModel, ...] = (
        AlphaKAnonymity(alpha=Fraction(1, 2), k=2, column="illness", value="a"),
        RecursiveClDiversity(c=2, l=2, column="wage"),
    )
    records = [{"q": "x", "illness": "a", "wage": "x"}] * 6 + [
        {"q": "x", "illness": "b", "wage": wage} for wage in "xxyy"
    ]
    table = LocalTable(records, {"q": {"x": ("x", "*")}}, ("illness", "wage"))
    case = Case(table, Rules(models), "lm", Fraction(1))
    removal = removal_of(case.problem)
    assert isinstance(removal, Removal)
    assert (removal.least, removal.n_records) == (5, 5)
