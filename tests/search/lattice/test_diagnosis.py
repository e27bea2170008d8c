"""What a user is told whose request cannot be met."""

import re
from fractions import Fraction

import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.search.algorithms import Exhaustive, Optimal
from tests.oracles.checks import check
from tests.oracles.full_domain import FullDomain
from tests.oracles.papers import FIGURE_1
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case


def refused(table: PlainTable, *models: PrivacyModel, limit: Fraction = Fraction(0)) -> InfeasibleError:
    with pytest.raises(InfeasibleError) as caught:
        Optimal().solve(problem_of(table, Rules(models), "lm", limit))
    return caught.value


def test_fewer_records_than_k() -> None:
    error = refused(FIGURE_1, KAnonymity(k=11), limit=Fraction(1, 5))
    assert str(error).split("\n") == [
        "No generalization keeps every promise with at most 20.00% of the 10 records suppressed.",
        "- k-anonymity fails: asked is k = 11; even one class of all records reaches only k = 10 (10 records fail).",
        "- The largest k possible within that limit, by k-anonymity alone, is 10.",
        "- No amount of suppression helps: every class of every generalization fails.",
    ]
    assert error.diagnosis["largest_k"] == 10
    assert error.diagnosis["failing"][0]["reachable"] == {"k": 10}


def test_more_values_than_there_are() -> None:
    error = refused(FIGURE_1, KAnonymity(k=2), DistinctLDiversity(l=4, column="disease"))
    assert [failure["model"] for failure in error.diagnosis["failing"]] == ["distinct-l-diversity"]
    assert "distinct-l-diversity on 'disease' fails: asked is l = 4; even one class of all records" in str(error)
    assert "reaches only l = 3 (10 records fail)" in str(error)
    assert error.diagnosis["suppression"]["records"] is None


def test_closeness_is_never_to_blame_at_the_top() -> None:
    error = refused(FIGURE_1, KAnonymity(k=11), TCloseness(t=Fraction(0), column="disease"))
    assert [failure["model"] for failure in error.diagnosis["failing"]] == ["k-anonymity"]
    assert "t-closeness" not in str(error)
    solution = check(FullDomain(FIGURE_1, Rules((TCloseness(t=Fraction(0), column="disease"),))), Optimal())
    assert solution is not None
    assert solution.levels == {"zip": 2, "marital": 2, "sex": 1}


def dominated() -> PlainTable:
    """Return a table in which one value is too frequent as a whole, but not in one of its cells."""
    pairs = (("Zebulon", "Yersinia"), ("Zebulon", "Xanthoma"), ("Walachia", "Yersinia"), ("Walachia", "Yersinia"))
    records = [dict(zip(("town", "illness"), pair, strict=True)) for pair in pairs]
    towns = {town: (town, "anywhere", "*") for town in ("Zebulon", "Walachia")}
    return PlainTable(records, {"town": towns}, ("illness",))


def test_what_suppression_would_make_possible() -> None:
    model = FrequencyLDiversity(l=Fraction(2), column="illness")
    error = refused(dominated(), model, limit=Fraction(1, 4))
    assert "asked is l = 2.0; even one class of all records reaches only l = 1.333 (4 records fail)" in str(error)
    assert "Suppressing 2 records (50.00%) would be enough: set max_suppressed to at least 0.5" in str(error)
    assert "Column 'town' then loses most." in str(error)
    assert "largest k" not in str(error)
    expected = {"records": 2, "share": 0.5, "exact": True, "dearest_column": "town"}
    assert expected.items() <= error.diagnosis["suppression"].items()
    solution = check(FullDomain(dominated(), Rules((model,))), Optimal(), "lm", Fraction(1, 2))
    assert solution is not None
    assert (solution.levels, solution.suppressed) == ({"town": 0}, 2)


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("l", [2, 3])
def test_no_value_of_the_table_is_named(k: int, l: int) -> None:  # noqa: E741  (the paper's letter)
    error = refused(dominated(), KAnonymity(k=k), FrequencyLDiversity(l=Fraction(l), column="illness"))
    told = f"{error} {error.diagnosis}"
    for value in ("Zebulon", "Walachia", "Yersinia", "Xanthoma", "anywhere"):
        assert value not in told


def test_the_least_suppression_is_right_and_enough() -> None:
    """On random tables the number is that of brute force, and the share that is advised works."""
    n_refused = n_advised = 0
    for seed in range(4_000, 4_160):
        space = FullDomain(*random_case(seed))
        limit = LIMITS[seed % 2]
        if space.feasible(limit):
            continue
        n_refused += 1
        with pytest.raises(InfeasibleError) as caught:
            Exhaustive().solve(problem_of(space.table, space.rules, "lm", limit))
        least = min((one.suppressed for one in space.feasible(Fraction(1))), default=None)
        assert caught.value.diagnosis["suppression"]["records"] == least
        if least is not None:
            n_advised += 1
            advised = re.search(r"set max_suppressed to at least ([0-9.]+)\. ", str(caught.value))
            assert advised is not None
            assert space.feasible(Fraction(advised[1]))
    assert n_refused > 30
    assert n_advised >= 5
