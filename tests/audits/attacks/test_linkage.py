from collections import Counter
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audits.attacks.linkage import Linkage
from tests.audits import attacks_plain as plain
from tests.audits import papers

AGE = st.one_of(st.none(), st.sampled_from(["*", "21", "25", "20-24", "[20, 30)", "[25, 30)", "30-39"]))
ZIP = st.one_of(st.none(), st.sampled_from(["*", "0111", "011*", "01**", "0222", "02**"]))
VALUE = st.one_of(st.none(), st.sampled_from(["x", "y"]))
RELEASE = st.lists(st.tuples(AGE, ZIP, VALUE), min_size=1, max_size=16)
YEARS = st.one_of(st.none(), st.sampled_from(["21", "25", "29", "33"]))
PERSONS = st.lists(
    st.tuples(YEARS, st.one_of(st.none(), st.sampled_from(["0111", "0112", "0222"]))), min_size=1, max_size=10
)
ANYBODY = [("21", "0111"), ("33", "0222"), ("25", "0112")]  # so that every column has a cell that covers something


def linked(release: pl.DataFrame, public: pl.DataFrame) -> Linkage:
    found = shoal.attack(release, quasi=["age", "zip"], sensitive=["s"], public=public, attacks=["linkage"]).linkage
    assert found is not None
    return found


@settings(deadline=None, max_examples=30)
@given(RELEASE, PERSONS)
def test_a_linkage_counts_what_all_pairs_say(release: list[plain.Row], persons: list[plain.Row]) -> None:
    release = [*release, ("*", "*", "x")]
    persons = [*persons, *ANYBODY]
    found = linked(papers.frame(release, "age", "zip", "s"), papers.frame(persons, "age", "zip"))
    matched = [plain.matches(release, person) for person in persons]
    numbers = [len(part) for part in matched]
    assert (found.n_persons, found.n_records) == (len(persons), len(release))
    for one in found.matches:
        assert one.count == sum(one.least <= n and (one.most is None or n <= one.most) for n in numbers)
    assert found.unique == numbers.count(1)
    assert found.fewest == min(n for n in numbers if n)
    assert found.expected == pytest.approx(float(sum(Fraction(1, n) for n in numbers if n)))
    candidates = [sum(row in part for part in matched) for row in release]
    for one in found.candidates:
        assert one.count == sum(one.least <= n and (one.most is None or n <= one.most) for n in candidates)
    assert found.lone_records == candidates.count(1)
    assert found.expected_records == pytest.approx(float(sum(Fraction(1, n) for n in candidates if n)))
    assert found.certain["s"] == sum(len({row[2] for row in part}) == 1 for part in matched)
    alone = {part[0][:2] for part in matched if len(part) == 1}
    assert {tuple(one.cells.values()) for one in found.exposed} == alone
    sizes = Counter(row[:2] for row in release)
    assert all(sizes[one.cells["age"], one.cells["zip"]] == one.size for one in found.exposed)


@settings(deadline=None, max_examples=25)
@given(RELEASE, PERSONS, st.data())
def test_the_truth_counts_own_records(release: list[plain.Row], persons: list[plain.Row], data: st.DataObject) -> None:
    release, persons = [*release, ("*", "*", "x")], [*persons, *ANYBODY]
    names = [data.draw(st.one_of(st.none(), st.integers(0, 14))) for _ in release]
    frame = papers.frame(release, "age", "zip", "s").with_columns(pl.Series("id", names, dtype=pl.Int64))
    public = papers.frame(persons, "age", "zip").with_columns(pl.Series("id", range(len(persons))))
    found = shoal.attack(frame, quasi=["age", "zip"], public=public, truth=["id"], attacks=["linkage"]).linkage
    assert found is not None
    assert found.truth is not None
    own, alone, right = [], [], Fraction(0)
    for number, person in enumerate(persons):
        matched = [i for i, row in enumerate(release) if all(map(plain.covers, row, person))]
        mine = [i for i in matched if names[i] == number]
        own.append(len(mine))
        right += Fraction(len(mine), len(matched)) if matched else 0
        if len(matched) == 1:
            alone.append(bool(mine))
    assert found.truth.present == sum(number in names for number in range(len(persons)))
    assert found.truth.found == sum(n > 0 for n in own)
    assert (found.truth.unique_right, found.truth.unique_wrong) == (alone.count(True), alone.count(False))
    assert found.truth.right == pytest.approx(float(right))


def test_the_persons_of_the_chapter_against_its_table() -> None:
    """002 Figures 1, 3 and 18: everybody hides among three, but Hellen's disease is known."""
    recipe = {"type": "taxonomy", "tree": papers.STATUS}
    private = papers.frame(papers.FIGURE_1, "number", *papers.CHAPTER, "disease")
    found = shoal.attack(
        papers.figure_18(),
        quasi={"zip": "masking", "status": recipe, "sex": None},
        sensitive=["disease"],
        public=papers.voters(),
        truth=["number"],
        raw=private,
    ).linkage
    assert found is not None
    assert {(one.least, one.count) for one in found.matches if one.count} == {(0, 1), (2, 9)}
    assert (found.unique, found.fewest) == (0, 3)
    assert found.expected == pytest.approx(3.0)
    assert found.certain == {"disease": 3}
    assert found.truth is not None
    assert (found.truth.present, found.truth.found) == (9, 9)
    assert found.truth.right == pytest.approx(3.0)


def test_names_taken_out_are_not_enough() -> None:
    """002 section 2: the private table without names is 1-anonymous, e.g. by (22030, single, M)."""
    private = papers.frame(papers.FIGURE_1, "number", *papers.CHAPTER, "disease")
    found = shoal.attack(
        private, quasi=papers.CHAPTER, sensitive=["disease"], public=papers.voters(), truth=["number"]
    ).linkage
    assert found is not None
    assert found.truth is not None
    assert found.unique == found.truth.unique_right == 4  # tuples 3, 6, 7 and 10
    assert found.truth.unique_wrong == 0
    assert found.expected == found.truth.right == pytest.approx(7.0)
    assert {tuple(one.cells.values()) for one in found.exposed} == {papers.FIGURE_1[i - 1][1:4] for i in (3, 6, 7, 10)}


def test_the_raw_microdata_against_its_partitions() -> None:
    """004 Tables 1 and 2: Danny, an elder with a doctorate, is record 8 and has cancer for sure."""
    public = papers.frame([row[:4] for row in papers.TABLE_1], "number", *papers.MICRODATA)
    table = papers.frame(papers.TABLE_2, *papers.MICRODATA, "disease")
    found = shoal.attack(table, quasi=papers.MICRODATA, sensitive=["disease"], public=public).linkage
    assert found is not None
    numbers = [len(plain.matches(papers.TABLE_2, row[1:4])) for row in papers.TABLE_1]
    assert numbers == [7, 3, 3, 4, 4, 4, 4, 3, 3, 7]
    assert found.expected == pytest.approx(sum(1 / n for n in numbers))
    assert found.certain == {"disease": 2}  # records 8 and 9; record 10 may be in the second group as well
    danny = papers.frame([("69", "Doctorate")], "age", "education")
    alone = shoal.attack(table, quasi=papers.MICRODATA, sensitive=["disease"], public=danny).linkage
    assert alone is not None
    assert (alone.columns, alone.fewest, alone.certain) == (("age", "education"), 3, {"disease": 1})
