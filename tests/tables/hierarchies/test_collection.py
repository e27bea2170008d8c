"""Collections of subsets as hierarchies: those that are given, and no others."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import FieldError
from shoal.tables.hierarchies import Collection, Hierarchy
from shoal.tables.hierarchies.proper import improper

LETTERS = "abcdef"
SUBSETS = st.lists(st.sets(st.sampled_from(LETTERS), min_size=1).map(sorted).map(tuple), min_size=1, max_size=4)


def meeting(hierarchy: Hierarchy, one: int, other: int) -> str | None:
    """Return the label of the lowest node above two leaves."""
    tree = hierarchy.tree()
    first, second = np.array([one], dtype=np.int32), np.array([other], dtype=np.int32)
    return tree.labels[int(tree.lowest_common_ancestor(first, second)[0])]


def test_the_nodes_are_the_subsets_the_values_and_the_star() -> None:
    hierarchy = Collection(subsets=(("a", "b"), ("c", "d"), ("a", "b", "c", "d"))).build(["a", "e", "c"], "x")
    assert hierarchy.values == ("a", "b", "c", "d", "e")
    assert hierarchy.labels[-1] == ("*",)
    assert set(hierarchy.tree().labels) >= {"{a, b}", "{c, d}", "{a, b, c, d}", "*"}
    assert meeting(hierarchy, 0, 2) == "{a, b, c, d}"
    assert meeting(hierarchy, 0, 4) == "*"


def test_labels_take_the_place_of_the_values() -> None:
    hierarchy = Collection(subsets=(("Bern", "Thun"), ("Genf", "Nyon")), labels=("east", "west")).build(["Nyon"], "x")
    assert hierarchy.labels[1] == ("east", "west")


@settings(deadline=None, max_examples=150)
@given(SUBSETS)
def test_a_collection_is_taken_if_and_only_if_it_is_proper(subsets: list[tuple[str, ...]]) -> None:
    """By the definition: two subsets have nothing in common, or one holds the other."""
    sets = [set(subset) for subset in subsets]
    proper = all(not one & other or one <= other or other <= one for one, other in combinations(sets, 2))
    if not proper:
        with pytest.raises(FieldError, match=r"no proper collection: subsets \d and \d overlap"):
            Collection(subsets=tuple(subsets))
        return
    hierarchy = Collection(subsets=tuple(subsets)).build(list(LETTERS), "x")
    for one, other in combinations(range(len(LETTERS)), 2):
        both = {LETTERS[one], LETTERS[other]}
        least = min((held for held in [*sets, set(LETTERS)] if both <= held), key=len)
        shown = meeting(hierarchy, one, other)
        assert shown == ("*" if least == set(LETTERS) else "{" + ", ".join(sorted(least)) + "}")


def test_as_many_labels_as_subsets() -> None:
    with pytest.raises(FieldError, match="'labels' names 1 of 2 subsets"):
        Collection(subsets=(("a", "b"), ("c", "d")), labels=("one",))


def test_intervals_that_overlap_are_not_proper() -> None:
    assert improper("abc", ["ab", "bc", "a", "b", "c", "abc"]) is not None
    with pytest.raises(FieldError, match="counted from 0"):
        Collection(subsets=(("a", "b"), ("b", "c")))


def test_a_subset_of_all_values_is_a_star() -> None:
    """A missing value lies below it as well: before, it was published as the label, as if it were one of the values."""
    for subsets, labels in (((("a",),), ("first",)), ((("a", "b"), ("b",)), ("both", "second"))):
        hierarchy = Collection(subsets=subsets, labels=labels).build(sorted(set(subsets[0])), "q").with_missing()
        assert hierarchy.labels[-1] == ("*",)
        assert not {"first", "both"} & {label for level in hierarchy.labels for label in level}
    wider = Collection(subsets=(("a", "b"),), labels=("both",)).build(["c"], "q").with_missing()
    assert "both" in wider.labels[-2]
