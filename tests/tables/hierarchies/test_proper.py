from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.proper import improper, tree_of_subsets

SINGLES: list[set[int]] = [{0}, {1}, {2}, {3}]


def test_intervals_are_not_proper() -> None:
    """Example 3.4: free intervals overlap."""
    assert improper(range(4), [*SINGLES, {0, 1, 2, 3}, {0, 1, 2}, {1, 2, 3}]) == (
        "subsets 5 and 6 overlap, and neither holds the other"
    )


@pytest.mark.parametrize(
    ("domain", "subsets", "reason"),
    [
        ([], [], "the domain is empty"),
        ([1, 1], [], "the domain holds an element twice"),
        ([1], [{1}, set()], "subset 1 is empty"),
        ([1], [{1}, {1, 7}], "subset 1 holds an element that is not in the domain"),
        ([0, 1], [{0}, {1}], "the whole domain is not among the subsets"),
        ([0, 1, 2], [{0, 1, 2}, {0}], "the singleton of element 1 is not among the subsets (2 singletons are lacking)"),
    ],
)
def test_what_is_lacking(domain: list[int], subsets: list[set[int]], reason: str) -> None:
    assert improper(domain, subsets) == reason
    with pytest.raises(SpecError) as caught:
        tree_of_subsets(domain, subsets)
    assert str(caught.value) == f"The collection of subsets is not proper: {reason}."


def test_the_tree_of_a_proper_collection() -> None:
    """Lemma 3.3, with a tree that is not balanced."""
    hierarchy = tree_of_subsets("abcd", [*"abcd", "abcd", "bc", "bc", "bcd"])
    assert hierarchy.values == ("a", "b", "c", "d")
    assert hierarchy.labels[1:] == (("a", "{b, c}", "d"), ("a", "{b, c, d}"), ("*",))


def test_given_labels() -> None:
    labels = ["-", "-", "-", "Any", "Rest"]
    assert tree_of_subsets("abc", ["a", "b", "c", "abc", "bc"], labels).labels[1:] == (("a", "Rest"), ("Any",))


def test_one_element() -> None:
    assert tree_of_subsets([7], [{7}]).labels == (("7",), ("*",))
    assert tree_of_subsets([7], [{7}], ["Any"]).labels == (("7",), ("Any",))


def test_labels_are_quoted_where_they_would_be_unclear() -> None:
    domain = ["a, b", "c", "a", "b, c"]
    hierarchy = tree_of_subsets(domain, [*([element] for element in domain), domain, domain[:2], domain[2:]])
    assert hierarchy.labels[1] == ("{'a, b', 'c'}", "{'a', 'b, c'}")


def test_elements_of_one_text() -> None:
    with pytest.raises(SpecError, match=r"^Two nodes of level 0 of the collection of subsets have the same label"):
        tree_of_subsets([1, "1"], [[1], ["1"], [1, "1"]])


@settings(deadline=None)
@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1), max_size=6))
def test_laminar_means_that_no_two_overlap(extra: list[frozenset[int]]) -> None:
    subsets = [*extra, *(frozenset([i]) for i in range(6)), frozenset(range(6))]
    overlaps = {(i, j) for (i, a), (j, b) in combinations(enumerate(subsets), 2) if a & b not in (frozenset(), a, b)}
    reason = improper(range(6), subsets)
    if not overlaps:
        assert reason is None
        hierarchy = tree_of_subsets(range(6), subsets)
        nodes = {frozenset(i for i in range(6) if level[i] == code) for level in hierarchy.codes for code in set(level)}
        assert nodes == set(subsets)
    else:
        assert reason in {f"subsets {i} and {j} overlap, and neither holds the other" for i, j in overlaps}
