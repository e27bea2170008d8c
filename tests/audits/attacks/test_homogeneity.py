import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audits.attacks.homogeneity import Homogeneity
from tests.audits import attacks_plain as plain
from tests.audits import papers

CELL = st.one_of(st.none(), st.sampled_from(["*", "a", "b"]))
VALUE = st.one_of(st.none(), st.sampled_from(["x", "y", "z"]))
RELEASE = st.lists(st.tuples(CELL, CELL, VALUE), min_size=1, max_size=20)


@settings(deadline=None, max_examples=30)
@given(RELEASE)
def test_a_class_of_one_value_gives_all_its_records_away(release: list[plain.Row]) -> None:
    frame = papers.frame(release, "p", "q", "s")
    found = shoal.attack(frame, quasi=["p", "q"], sensitive=["s"], attacks=["homogeneity"]).homogeneity["s"]
    alike = [part for part in plain.classes(release, 2) if len({row[2] for row in part}) == 1]
    assert found.records == sum(map(len, alike)) == plain.certain(release, 2, 0)
    assert (found.classes, found.n_classes) == (len(alike), len(plain.classes(release, 2)))
    assert {(*one.cells.values(), one.value) for one in found.exposed} == {part[0] for part in alike}
    assert [one.size for one in found.exposed] == sorted(map(len, alike), reverse=True)
    assert (shoal.check(frame, quasi=["p", "q"], sensitive=["s"])["sensitive"]["s"]["distinct_l"] == 1) is bool(alike)


def test_hellen_suffers_from_hypertension() -> None:
    """002 Figure 18: all married women of 2203* do."""
    found = shoal.attack(papers.figure_18(), quasi=papers.CHAPTER, sensitive="disease").homogeneity["disease"]
    assert (found.records, found.classes, found.n_classes) == (3, 1, 3)
    assert found.share == pytest.approx(1 / 3)
    [hellen] = found.exposed
    assert hellen.as_dict() == {"class": 1, "size": 3, "records": 3}
    assert hellen.as_dict(show=True)["cells"] == {"zip": "2203*", "status": "been married", "sex": "F"}
    assert hellen.as_dict(show=True)["value"] == "hypertension"


def test_danny_has_cancer() -> None:
    """004 Table 2; in the 2-diverse Table 3 nobody is given away."""
    for table, records in ((papers.TABLE_2, 3), (papers.TABLE_3, 0)):
        frame = papers.frame(table, *papers.MICRODATA, "disease")
        found = shoal.attack(frame, quasi=papers.MICRODATA, sensitive=["disease"]).homogeneity["disease"]
        assert found.records == records


def test_who_knows_the_other_sensitive_columns_sees_fewer_records() -> None:
    """002 Figure 19: the cholesterol tells the diabetes of all but those with 250."""
    frame = papers.frame(papers.FIGURE_19, *papers.CHAPTER, "diabetes", "cholesterol")
    both: list[Homogeneity] = []
    for known in (False, True):
        found = shoal.attack(frame, quasi=papers.CHAPTER, sensitive=["diabetes", "cholesterol"], others_known=known)
        both.append(found.homogeneity["diabetes"])
    assert [one.records for one in both] == [3, 7]
    assert [one.classes for one in both] == [1, 3]
