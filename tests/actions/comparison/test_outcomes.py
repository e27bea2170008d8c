from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from shoal.actions.comparison.outcomes import Figures, SettingOutcome, dominators
from shoal.actions.comparison.settings import Setting
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.jobs.arguments import request

JOB = request("data.csv", quasi=["age"], k=2)


def figures(smallest: int, loss: float, kept: frozenset[int] = frozenset()) -> Figures:
    return Figures(
        algorithm="optimal",
        loss=loss,
        lowered="lm",
        lowered_share=loss,
        lowered_total=loss,
        bound=None,
        ratio=None,
        guarantee="none",
        recoding="local",
        records=100,
        released=90,
        suppressed=10,
        gone=Fraction(1, 10),
        classes=4,
        smallest=smallest,
        shown=90,
        above=0,
        kept=kept,
    )


def outcome(number: int, found: Figures | None) -> SettingOutcome:
    return SettingOutcome(Setting(number, JOB, "", ""), found, "" if found else "infeasible")


def plainly(settings: list[tuple[int, float, frozenset[int]]]) -> list[set[int]]:
    """Say who dominates whom in a few lines: nothing worse, and something better."""
    found = []
    for smallest, loss, kept in settings:
        better = set()
        for number, (other_smallest, other_loss, other_kept) in enumerate(settings, start=1):
            risk, other_risk = Fraction(1, smallest), Fraction(1, other_smallest)
            worse = other_risk > risk or other_loss > loss or not kept.issubset(other_kept)
            gains = other_risk < risk or other_loss < loss or other_kept > kept
            if gains and not worse:
                better.add(number)
        found.append(better)
    return found


FEW = st.tuples(st.integers(1, 4), st.sampled_from([0.0, 0.1, 0.25, 0.5]), st.frozensets(st.integers(0, 1), max_size=2))


@given(st.lists(FEW, min_size=1, max_size=8))
def test_domination_is_that_of_the_plain_definition(settings: list[tuple[int, float, frozenset[int]]]) -> None:
    outcomes = [outcome(number, figures(*one)) for number, one in enumerate(settings, start=1)]
    found = [set(by) for by in dominators(outcomes)]
    assert found == plainly(settings)
    best = {number for number, by in enumerate(found, start=1) if not by}
    assert best
    assert all(by & best for by in found if by)  # who is dominated is so by one that is not


def test_ties_stay_and_what_has_no_release_neither_wins_nor_loses() -> None:
    same = [
        outcome(1, figures(5, 0.1 + 0.2)),
        outcome(2, figures(5, 0.3)),
        outcome(3, None),
        outcome(4, figures(4, 0.3)),
    ]
    assert dominators(same) == [[], [], [], [1, 2]]  # sums in another order are no difference


def test_a_promise_that_is_kept_counts_as_much_as_risk_and_loss() -> None:
    plain, careful = figures(5, 0.1), figures(5, 0.4, frozenset({0}))
    assert not plain.dominates(careful)
    assert not careful.dominates(plain)
    assert figures(5, 0.1, frozenset({0, 1})).dominates(careful)


def test_risks_are_exact() -> None:
    found = figures(3, 0.1)
    assert (found.highest, found.average) == (Fraction(1, 3), Fraction(4, 90))


def test_a_reason_is_one_line() -> None:
    setting = Setting(1, JOB, "", "")
    diagnosis = {"suppression": {"words": "Suppressing 3 records (1.00%) would be enough: set max_suppressed to 0.01."}}
    told = SettingOutcome.of_error(setting, InfeasibleError("No generalization does.\n- k fails.", diagnosis))
    assert (told.failed, told.diagnosis) == ("infeasible", diagnosis)
    assert told.reason == "No generalization does. Suppressing 3 records (1.00%) would be enough."
    refused = SettingOutcome.of_error(setting, SpecError("The algorithm does not."))
    assert (refused.failed, refused.reason) == ("refused", "The algorithm does not.")
