"""Proper collections of subsets (003 Definition 3.2), and their trees (Lemma 3.3)."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy

T = TypeVar("T", bound=Hashable)


def improper(domain: Sequence[T], subsets: Sequence[Collection[T]]) -> str | None:
    """Return why a collection of subsets is not proper, or None if it is.

    Proper means: the collection has every singleton and the whole domain, and of two subsets that intersect one
    contains the other (it is laminar). Subsets and elements are named by their index, from 0. A subset may occur twice.
    O(s log s + total size) for s subsets.
    """
    if not domain:
        return "the domain is empty"
    position = {element: i for i, element in enumerate(domain)}
    if len(position) < len(domain):
        return "the domain holds an element twice"
    sets = [frozenset(subset) for subset in subsets]
    return _lack(position, sets) or _overlap(position, sets)


def tree_of_subsets(
    domain: Sequence[T], subsets: Sequence[Collection[T]], labels: Sequence[str] | None = None
) -> Hierarchy:
    """Return the tree of a proper collection (003 Lemma 3.3), which need not be balanced.

    The parent of a subset is the smallest other subset that contains it: all subsets that contain it intersect, so they
    form a chain. The leaves are the elements, as texts, in the order of the domain.

    Args:
        domain: The distinct elements.
        subsets: A proper collection; a SpecError says why it is not.
        labels: The published label of each subset (a leaf is published as its element); by default `{a, b}`, and a star
            for the whole domain.
    """
    reason = improper(domain, subsets)
    if reason is not None:
        raise SpecError(f"The collection of subsets is not proper: {reason}.")
    position = {element: i for i, element in enumerate(domain)}
    index: dict[frozenset[T], int] = {}
    for i, subset in enumerate(subsets):
        index.setdefault(frozenset(subset), i)
    inner = sorted((subset for subset in index if len(subset) > 1), key=lambda subset: (-len(subset), index[subset]))
    inner = inner or [frozenset(domain)]  # a single element gets a node above it too
    smallest = [0] * len(domain)
    above = []
    for rank, subset in enumerate(inner):
        members = [position[element] for element in subset]
        above.append(smallest[members[0]])
        for member in members:
            smallest[member] = rank
    last = len(domain) + len(inner) - 1
    parent = [last - rank for rank in smallest] + [last - rank for rank in reversed(above)]
    texts = [str(element) for element in domain]
    names = _labels(inner, position, texts) if labels is None else [labels[index[subset]] for subset in inner]
    return Hierarchy.of_parents(
        len(domain), np.array(parent, dtype=np.int32), [*texts, *reversed(names)], "collection of subsets"
    )


def _lack(position: Mapping[T, int], sets: Sequence[frozenset[T]]) -> str | None:
    for i, subset in enumerate(sets):
        if not subset:
            return f"subset {i} is empty"
        if any(element not in position for element in subset):
            return f"subset {i} holds an element that is not in the domain"
    if not any(len(subset) == len(position) for subset in sets):
        return "the whole domain is not among the subsets"
    single = {element for subset in sets if len(subset) == 1 for element in subset}
    lacking = [i for element, i in position.items() if element not in single]
    if lacking:
        return f"the singleton of element {lacking[0]} is not among the subsets ({len(lacking)} singletons are lacking)"
    return None


def _overlap(position: Mapping[T, int], sets: Sequence[frozenset[T]]) -> str | None:
    """Return an overlap of two subsets, by assigning elements to subsets from the largest to the smallest.

    Each subset must lie within a single earlier one. If its elements were last assigned to several subsets, the latest
    of these does not contain all of them and is no smaller than the subset: so the two intersect, and neither contains
    the other.
    """
    order = sorted(range(len(sets)), key=lambda i: (-len(sets[i]), i))
    laid = [-1] * len(position)
    for rank, i in enumerate(order):
        members = [position[element] for element in sets[i]]
        below = {laid[member] for member in members}
        if len(below) > 1:
            other = order[max(below)]
            return f"subsets {min(i, other)} and {max(i, other)} overlap, and neither holds the other"
        for member in members:
            laid[member] = rank
    return None


def _labels(inner: Sequence[frozenset[T]], position: Mapping[T, int], texts: Sequence[str]) -> list[str]:
    """Return labels of the elements of each subset; elements with special characters are quoted."""
    unclear = any(sign in text for text in texts for sign in ",{}'\"")
    shown = [repr(text) for text in texts] if unclear else texts
    names = ["{" + ", ".join(shown[i] for i in sorted(position[e] for e in subset)) + "}" for subset in inner[1:]]
    return ["*", *names]
