"""A promise as a certificate states it, and the numbers in it."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Histogram
from shoal.foundation.errors import SpecError
from shoal.models import AlphaKAnonymity, DistinctLDiversity, KAnonymity, KMap, TCloseness
from shoal.models.by_hand import classes_by_hand
from shoal.models.claim import claim_of
from shoal.models.frequencies import fewest_to_remove, largest_ratio, lost_together, too_frequent, too_rare
from shoal.models.model import Measured, PrivacyModel, SensitiveModel, holding


def test_a_claim_gives_one_threshold_as_a_number_and_names_files_without_their_folders() -> None:
    near = TCloseness(t=Fraction(3, 10), column="x", distance="matrix", distances="/home/me/distances.csv")
    assert claim_of(near, {"t": 0.25}, holds=True) == {
        "model": "t-closeness",
        "parameters": {
            "t": 0.3,
            "column": "x",
            "others": "ignored",
            "distance": "matrix",
            "distances": "distances.csv",
        },
        "asked": 0.3,
        "achieved": 0.25,
        "holds": True,
    }
    people = claim_of(KMap(k=3, population="data/people.csv"), {"k": 2}, holds=False)
    assert people["parameters"] == {"k": 3, "population": "people.csv"}
    assert (people["asked"], people["achieved"], people["holds"]) == (3, 2, False)


def test_a_claim_without_its_file_and_with_several_thresholds() -> None:
    assert claim_of(TCloseness(t=1, column="x"), {"t": 0.5}, holds=True)["parameters"] == {
        "t": 1,
        "column": "x",
        "others": "ignored",
        "distance": "equal",
    }
    assert claim_of(KMap(k=3, population="all.csv"), {"k": 2}, holds=True, strict={"k": 1})["strict"] == 1
    both = claim_of(AlphaKAnonymity(alpha=0.5, k=2, column="x"), {"alpha": 0.25, "k": 4}, holds=True)
    assert both["asked"] == {"alpha": 0.5, "k": 2}
    assert both["achieved"] == {"alpha": 0.25, "k": 4}


@pytest.mark.parametrize(
    ("numerators", "denominators", "largest"),
    [
        ([], [], 0),
        ([0], [0], 0),
        ([0, 1, 1], [0, 3, 2], 1 / 2),
        ([3, 5], [1, 2], 3),
        ([0, 1, 1], [5, 0, 2], "infinite"),
        ([7, 10**18], [9, 10**18 + 1], 10**18 / (10**18 + 1)),
    ],
)
def test_the_largest_ratio(numerators: list[int], denominators: list[int], largest: float | str) -> None:
    assert largest_ratio(np.array(numerators, dtype=np.int64), np.array(denominators, dtype=np.int64)) == largest


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare(PrivacyModel):
    """A promise that says nothing of itself: a class has two records."""

    name: ClassVar[str] = "bare"
    monotone: ClassVar[bool] = False
    absorbing: ClassVar[bool] = False
    thresholds: ClassVar[tuple[str, ...]] = ()

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        return np.asarray(groups.sizes >= 2)

    def achieved(self, groups: Grouping) -> Measured:
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class BareValues(SensitiveModel):
    """The same of the values of a column: a block has two records."""

    name: ClassVar[str] = "bare-values"
    monotone: ClassVar[bool] = False
    absorbing: ClassVar[bool] = False
    thresholds: ClassVar[tuple[str, ...]] = ()

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        return np.asarray(blocks.sizes >= 2)

    def measured(self, blocks: Histogram) -> Measured:
        return {"least": int(blocks.sizes.min())}


BOTH = classes_by_hand(
    [[("a", "x"), ("b", "x")], [("a", "x"), ("a", "y")], [("c", "y"), ("c", "y")]], ["illness", "wage"]
)


def test_a_promise_is_what_it_says_of_itself_and_nothing_else() -> None:
    bare, values = Bare(), BareValues(column="illness")
    for model in (bare, values):
        assert not any(
            (model.relative, model.by_sets, model.along_hierarchy, model.needs_hierarchy, model.others_known)
        )
        assert (model.monotone_without_suppression, model.monotone_with_suppression) == (False, False)
        assert (model.least_size, model.population_file, model.counted()) == (1, None, (model,))
        assert (model.told_by("multiset"), model.told_by("set")) == (True, False)
    assert (bare.sensitive_columns, values.sensitive_columns) == ((), ("illness",))
    assert (values.evened, values.records_asked, values.others) == (False, 0, "ignored")
    column, blocks = BOTH.sensitive[0], BOTH.blocks("illness", others_known=False)[0]
    assert values.sufficient_test(column, blocks.reference) is None
    assert values.linear(column, blocks.reference) is None
    assert values.limited(column).tolist() == [True] * 3
    assert values.may_pass(blocks, lambda _: (np.zeros(3), np.ones(3))).tolist() == [True] * 3


def test_a_promise_of_persons_is_not_monotone_and_forfeits_nothing() -> None:
    groups = classes_by_hand([[("a", "1"), ("a", "2")], [("a", "3"), ("b", "3")]], ["illness", "id"])
    records = DistinctLDiversity(l=2, column="illness")
    persons = replace(records, entity="id")
    assert (records.sensitive_columns, persons.sensitive_columns) == (("illness",), ("illness", "id"))
    for model, expected, lost in ((records, True, [2, 0]), (persons, False, [0, 0])):
        assert model.monotone_without_suppression == model.monotone_with_suppression == expected
        assert model.told_by("multiset") == model.told_by("set") == expected
        assert model.forfeits(groups, Fraction(0)).tolist() == lost


def test_sets_and_known_columns_decide_what_clusters_tell() -> None:
    for others, expected in (("ignored", [True, True]), ("known", [False, False])):
        model = DistinctLDiversity(l=2, column="illness", others=others)  # type: ignore[arg-type]
        assert [model.told_by("multiset"), model.told_by("set")] == expected
        assert model.others_known == (others == "known")
        assert model.monotone_with_suppression == (others == "ignored")
    assert KAnonymity(k=2).told_by("set")


@pytest.mark.parametrize(
    ("others", "kept", "least"), [("ignored", [True, True, True], 2), ("known", [True, False, True], 1)]
)
def test_a_class_keeps_a_promise_if_all_of_its_blocks_do(others: str, kept: list[bool], least: int) -> None:
    model = BareValues(column="illness", others=others)  # type: ignore[arg-type]
    assert model.holds(BOTH).tolist() == kept
    assert model.achieved(BOTH) == {"least": least}
    assert holding([Bare(), model], BOTH).tolist() == kept
    assert holding([], BOTH).tolist() == [True] * 3


def test_what_every_refinement_suppresses(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = classes_by_hand([list("aab"), ["c"], list("ab")], ["illness"])
    values = [{"monotone": monotone, "relative": relative} for monotone in (False, True) for relative in (False, True)]
    for kind, model in ((Bare, Bare()), (BareValues, BareValues(column="illness"))):
        for said in values:
            for name, value in said.items():
                monkeypatch.setattr(kind, name, value)
            for share in (Fraction(0), Fraction(1, 10)):
                certain = said["monotone"] and (not said["relative"] or share == 0)
                assert model.forfeits(groups, share).tolist() == [0, int(certain), 0]
    monkeypatch.setattr(Bare, "absorbing", True)
    assert Bare().forfeits(groups, Fraction(0)).tolist() == [0, 1, 0]
    assert Bare().monotone_with_suppression


def test_a_failing_class_is_given_up_whole_by_a_promise_that_absorbs() -> None:
    groups = classes_by_hand([list("aaaa"), list("aab")], ["illness"])
    assert KAnonymity(k=4).forfeits(groups, Fraction(0)).tolist() == [0, 3]
    assert KAnonymity(k=4).monotone_with_suppression


def test_an_outside_table_that_was_not_counted_is_told() -> None:
    groups = classes_by_hand([["a"]], ["illness"], populations={"all.csv": [4]}, outside={"all.csv": 1})
    assert KMap(k=2, population="all.csv").covered(groups).tolist() == [4]
    with pytest.raises(SpecError, match=r"The population 'other\.csv' of k-map was not counted"):
        KMap(k=2, population="other.csv").covered(groups)


@pytest.mark.parametrize(
    ("count", "size", "share", "fewest"),
    [
        *((3, 6, 0.5, 0), (4, 6, 0.5, 2), (2, 6, 0.5, 0), (6, 6, 0.5, 6), (3, 4, 0.25, 3), (2, 3, 0.4, 2)),
        *((4, 4, 1.0, 0), (2, 4, 2.0, 0), (1, 4, 0.0, 1), (10, 1000, 0.0099, 1)),
    ],
)
def test_the_fewest_records_that_bring_a_count_down_to_a_share(
    count: int, size: int, share: float, fewest: int
) -> None:
    found = fewest_to_remove(np.array([count]), np.array([size]), np.array([share]))
    assert found.tolist() == [fewest]
    if 0 <= share < 1:
        assert all(count - some > share * (size - some) for some in range(fewest))
        assert count - fewest <= share * (size - fewest)


def test_no_value_may_be_more_frequent_than_so_many_times_its_share_of_the_table() -> None:
    groups = classes_by_hand([list("aaab"), list("abbb"), list("aabb")], ["illness"])
    blocks = groups.blocks("illness", others_known=False)[0]
    for times, share, fewest in (
        (1.0, Fraction(0), [2, 2, 0]),
        (1.5, Fraction(0), [0, 0, 0]),
        (1.25, Fraction(0), [2, 2, 0]),
        (1.0, Fraction(1, 3), [0, 0, 0]),
        (1.0, Fraction(1, 6), [2, 2, 0]),
        (1.0, Fraction(1), [0, 0, 0]),
    ):
        assert too_frequent(blocks, times, share).tolist() == fewest


def test_no_value_may_be_rarer_than_its_share_of_the_table_over_so_much() -> None:
    blocks = classes_by_hand([list("aaaab"), list("bbb")], ["illness"]).blocks("illness", others_known=False)[0]
    for times, share, fewest in (
        (2.0, Fraction(0), [1, 3]),  # of b at least a quarter
        (2.0, Fraction(1, 8), [1, 3]),  # at least 3 of 14
        (4.0, Fraction(0), [0, 3]),
        (2.0, Fraction(1, 2), [0, 0]),  # each value may vanish
        (2.0, Fraction(1), [0, 0]),
    ):
        assert too_rare(blocks, times, share).tolist() == fewest


def test_what_blocks_lose_of_a_value_is_missing_from_its_share_of_the_release() -> None:
    groups = classes_by_hand([list("aaab"), list("abbb"), list("aabb"), list("aabb")], ["illness"])
    blocks, share = groups.blocks("illness", others_known=False)[0], Fraction(1, 4)
    alone = too_frequent(blocks, 1.0, share)
    assert alone.tolist() == [1, 1, 0, 0]  # of 12 records, 8 may have one value
    assert lost_together(blocks, 1.0, share, alone).tolist() == [2, 2, 0, 0]  # 6 of them if both lose two
    assert lost_together(blocks, 1.0, Fraction(0), alone) is alone  # stars stay in the table


def test_what_blocks_lose_of_other_values_is_no_loss_of_a_rare_one() -> None:
    groups = classes_by_hand([list("aaaab"), list("aaaabbbbb")], ["illness"])
    blocks, share = groups.blocks("illness", others_known=False)[0], Fraction(1, 14)
    alone = too_frequent(blocks, 1.25, share)
    assert alone.tolist() == [1, 0]
    assert too_rare(blocks, 1.25, share).tolist() == [2, 0]  # of b at least 5 of 13, over 1.25
    assert lost_together(blocks, 1.25, share, alone).tolist() == [2, 0]
    assert lost_together(blocks, 1.25, share, alone, rare=True).tolist() == [3, 0]  # 6 of 13: the one lost is of a
