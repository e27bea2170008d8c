"""The three phases against brute force, and what they claim."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from shoal.foundation.errors import SpecError
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel
from shoal.search.algorithms import ThreePhase
from tests.oracles.local.checks import check_case
from tests.oracles.local.random_jobs import Case, random_local
from tests.oracles.local.tables import LocalTable
from tests.oracles.plain import Rules
from tests.oracles.promises import keeps

TWO = FrequencyLDiversity(l=2, column="illness")
FLAT = {letter: (letter, "*") for letter in "abcd"}


def case_of(words: str, *models: PrivacyModel, limit: Fraction = Fraction(0)) -> Case:
    """Return a table with a record for each word: its place and, after a colon, its illness."""
    records = [dict(zip(("q", "illness"), word.split(":"), strict=True)) for word in words.split()]
    return Case(LocalTable(records, {"q": FLAT}, ("illness",)), Rules(models), "stars", limit)


def test_classes_that_keep_it_stay_as_they_are() -> None:
    solution = check_case(case_of("a:u a:v b:u b:w", TWO), ThreePhase())
    assert solution is not None
    assert (solution.loss.total, solution.guarantee) == (0, "optimal")


def test_what_exceeds_the_share_is_starred_with_company() -> None:
    """Two u too many in a, and two of the other illnesses of b: four stars, which is the least."""
    solution = check_case(case_of("a:u a:u a:u a:v b:u b:v b:v b:w b:w", TWO), ThreePhase())
    assert solution is not None
    assert solution.loss.total == 4
    assert solution.bound == 4
    assert solution.guarantee == "optimal"


@pytest.mark.parametrize("measure", ["stars", "lm", "entropy"])
def test_the_factor_holds_and_is_at_most_l_times_the_columns(measure: str, seeds: Callable[[int], range]) -> None:
    told = 0
    for seed in seeds(120):
        rng = Random(seed)  # noqa: S311
        table = random_local(rng, rng.randint(4, 8), forms=("ranges",), n_columns=3)
        weightless = LocalTable(table.records, table.hierarchies, table.sensitive, forms=table.forms)
        models = (TWO, KAnonymity(k=2)) if seed % 2 else (FrequencyLDiversity(l=Fraction(3, 2), column="illness"),)
        if not all(keeps(model, table.records, table.records, table.sensitive) for model in models):
            continue
        solution = check_case(Case(weightless, Rules(models), measure, Fraction(0)), ThreePhase())
        assert solution is not None
        if solution.factor is not None and solution.guarantee == "factor" and measure == "stars":
            assert solution.factor <= 2 * len(table.quasi)
            told += 1
    assert told > 0 or measure != "stars"


def test_no_factor_is_claimed_where_records_may_be_suppressed() -> None:
    solution = check_case(case_of("a:u a:u a:v b:u b:v b:v b:w", TWO, limit=Fraction(1, 2)), ThreePhase())
    assert solution is not None
    assert solution.factor is None or solution.guarantee == "optimal"


def test_other_models_are_refused() -> None:
    with pytest.raises(SpecError, match="Use 'tightest'"):
        ThreePhase().solve(case_of("a:u a:v", DistinctLDiversity(l=2, column="illness")).problem)
