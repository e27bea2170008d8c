from fractions import Fraction

import pytest
from hypothesis import given, settings

import shoal
from tests.audits import attacks_plain as plain
from tests.audits import papers
from tests.audits.attacks.test_homogeneity import RELEASE


@settings(deadline=None, max_examples=30)
@given(RELEASE)
def test_shares_of_classes_are_compared_with_shares_of_the_whole(release: list[plain.Row]) -> None:
    frame = papers.frame(release, "p", "q", "s")
    found = shoal.attack(frame, quasi=["p", "q"], sensitive=["s"], attacks=["skewness"], gain=0.25).skewness["s"]
    assert [rise.least for rise in found.gains] == [0.1, 0.2, 0.25, 0.3, 0.5]
    for rise in found.gains:
        wanted = plain.risen(release, 2, Fraction(str(rise.least)))
        assert (rise.records, rise.holders, rise.classes) == (wanted.records, wanted.holders, wanted.classes)
    for rise in found.ratios:
        wanted = plain.risen(release, 2, Fraction(rise.least), times=True)
        assert (rise.records, rise.holders, rise.classes) == (wanted.records, wanted.holders, wanted.classes)
    assert found.records == found.gains[2].records == sum(one.size for one in found.exposed)
    parts = plain.classes(release, 2)
    for one in found.values:
        shares = [Fraction([row[2] for row in part].count(one.value), len(part)) for part in parts]
        assert one.posterior == pytest.approx(float(max(shares)))
        assert one.lowest == pytest.approx(float(min(shares)))
        assert one.prior == pytest.approx([row[2] for row in release].count(one.value) / len(release))
        assert one.size in [len(part) for part, share in zip(parts, shares, strict=True) if share == max(shares)]
    assert {rise.value for rise in found.values} == {row[2] for row in release}
    assert found.largest_gain == found.values[0].gain


def test_single_men_and_diabetes() -> None:
    """002 Figure 19: two of three single men of 2203* have diabetes, a third of all do."""
    frame = papers.frame(papers.FIGURE_19, *papers.CHAPTER, "diabetes", "cholesterol")
    found = shoal.attack(frame, quasi=papers.CHAPTER, sensitive=["diabetes"], gain=0.3).skewness["diabetes"]
    ill = next(rise for rise in found.values if rise.value == "Y")
    assert [ill.prior, ill.posterior, ill.gain, ill.ratio] == pytest.approx([1 / 3, 2 / 3, 1 / 3, 2.0])
    assert (ill.number, ill.size) == (2, 3)
    assert ill.lowest == 0.0
    assert found.records == 6  # the single men, and the women, who have none
    assert "value" not in ill.as_dict()
    assert ill.as_dict(show=True)["value"] == "Y"


def test_alice_does_not_have_cancer() -> None:
    """004 Table 3: the first group lacks cancer, which 40% of all have; the others rise from 0.3 to 0.5."""
    frame = papers.frame(papers.TABLE_3, *papers.MICRODATA, "disease")
    found = shoal.attack(frame, quasi=papers.MICRODATA, sensitive=["disease"]).skewness["disease"]
    cancer = next(rise for rise in found.values if rise.value == "cancer")
    heart = next(rise for rise in found.values if rise.value == "heart")
    assert [cancer.prior, cancer.lowest] == pytest.approx([0.4, 0.0])
    assert [heart.prior, heart.posterior] == pytest.approx([0.3, 0.5])
    assert found.records == 0  # nothing gains a half
