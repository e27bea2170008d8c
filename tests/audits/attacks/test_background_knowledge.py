import pytest
from hypothesis import given, settings

import shoal
from tests.audits import attacks_plain as plain
from tests.audits import papers
from tests.audits.attacks.test_homogeneity import RELEASE


@settings(deadline=None, max_examples=30)
@given(RELEASE)
def test_what_is_certain_once_values_are_ruled_out(release: list[plain.Row]) -> None:
    frame = papers.frame(release, "p", "q", "s")
    asked = shoal.attack(
        frame, quasi=["p", "q"], sensitive=["s"], attacks=["background-knowledge", "homogeneity"], rule_out=4
    )
    found = asked.background_knowledge["s"]
    for b, step in enumerate(found.steps):
        assert step.values == b
        assert step.records == plain.certain(release, 2, b)
        assert step.expected == pytest.approx(float(plain.expected_guesses(release, 2, b)))
    assert found.steps[0].records == asked.homogeneity["s"].records
    assert found.steps[-1].records == len(release)  # there are four values at most
    assert found.share == 1.0


def test_bob_is_thin() -> None:
    """002 Figure 18: who can rule out obesity knows that Bob, a single man of 22032, has HIV."""
    found = shoal.attack(papers.figure_18(), quasi=papers.CHAPTER, sensitive=["disease"], rule_out=1)
    steps = found.background_knowledge["disease"].steps
    assert [step.records for step in steps] == [3, 9]
    assert [step.classes for step in steps] == [1, 3]
    assert steps[0].expected == pytest.approx(3 + 5 / 3 + 5 / 3)
    assert steps[1].expected == 9.0
