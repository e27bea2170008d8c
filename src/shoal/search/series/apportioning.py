"""Apportioning: newcomers get few signatures, the same ones wherever that can be, which many near them have too."""

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.search.series.parting import grouped
from shoal.search.series.people import People
from shoal.search.series.signatures import Signature, SignatureClasses

_REGION = 300  # groups of persons, at the least, among whom values must balance


def sign_up_few(classes: SignatureClasses, newcomers: NDArray[np.int64], m: int, rng: np.random.Generator) -> None:
    """Put newcomers into new classes of few signatures; those who do not balance in their region stay in none.

    The table is cut into regions of persons near each other. In each the values are shared out to signatures, those
    first that most persons have already. So where somebody leaves later, many persons near by have the same signature.

    Args:
        classes: All classes; new ones are opened.
        newcomers: Who is to be put into them.
        m: The number of values of a signature.
        rng: Decides which of the persons of a value gets which signature.
    """
    people, together = classes.people, ceil(classes.people.problem.k / m)
    wanted = _wanted(classes, newcomers, m, together)
    pools: dict[Signature, list[list[NDArray[np.int64]]]] = {}
    for region in _regions(people, newcomers, _REGION * together):
        mixed = rng.permutation(region)
        mixed = mixed[np.argsort(people.values[mixed], kind="stable")]
        counts = np.bincount(people.values[mixed], minlength=classes.n_values)
        used = np.cumsum(counts) - counts
        for signature, groups in apportioned(counts // together, m, wanted):
            own = [mixed[used[value] : used[value] + groups * together] for value in signature]
            used[list(signature)] += groups * together
            pools.setdefault(signature, []).append(own)
    for signature, parts in pools.items():
        groups_of = grouped(people, [np.concatenate(pool) for pool in zip(*parts, strict=True)], together)
        labels = classes.opened(np.full(len(groups_of), classes.number(signature), dtype=np.int64))
        for label, group in zip(labels.tolist(), groups_of, strict=True):
            classes.label[group] = label


def _wanted(classes: SignatureClasses, newcomers: NDArray[np.int64], m: int, together: int) -> list[Signature]:
    """Return the signatures that most persons have; where nobody has one, those that come of all newcomers."""
    persons = np.bincount(classes.owned, weights=classes.sizes(), minlength=len(classes.signatures))
    known = [classes.signatures[own] for own in np.argsort(-persons, kind="stable").tolist() if persons[own] > 0]
    if known:
        return [signature for signature in known if len(signature) == m]
    counts = np.bincount(classes.people.values[newcomers], minlength=classes.n_values)
    return [signature for signature, _ in apportioned(counts // together, m, [])]


def apportioned(counts: NDArray[np.int64], m: int, wanted: Sequence[Signature]) -> Iterator[tuple[Signature, int]]:
    """Yield signatures of m values, and how many groups of each, until no group is left that balances.

    So many groups as there are can be made as long as no value is left more often than groups are. A signature gets as
    many groups as keep that true; if it has the most frequent values, that is at least one.

    Args:
        counts: How many persons have each value.
        m: The number of values of a signature.
        wanted: The signatures that come first.
    """
    left, groups = _even(counts, m)
    for signature in wanted:
        taken = _most(left, groups, signature)
        if taken > 0:
            left[list(signature)] -= taken
            groups -= taken
            yield signature, taken
    while groups > 0:
        signature = tuple(sorted(np.argsort(-left, kind="stable")[:m].tolist()))
        taken = _most(left, groups, signature)
        left[list(signature)] -= taken
        groups -= taken
        yield signature, taken


def _even(counts: NDArray[np.int64], m: int) -> tuple[NDArray[np.int64], int]:
    """Return how many persons of each value can be in groups of m, and how many groups that makes."""
    low, high = 0, int(counts.sum()) // m
    while low < high:  # what can be made of fewer groups than can be made, can be made
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(counts, middle).sum() >= m * middle else (low, middle - 1)
    left = np.minimum(counts, low)
    for _ in range(int(left.sum()) - m * low):
        spare = np.where(left < low, left, 0)
        left[int((spare if spare.any() else left).argmax())] -= 1
    return left, low


def _most(left: NDArray[np.int64], groups: int, signature: Signature) -> int:
    """Return how many groups a signature may have, so that the rest can still be shared out."""
    own = np.zeros(len(left), dtype=np.bool_)
    own[list(signature)] = True
    return int(min(left[own].min(), groups - left[~own].max(initial=0)))


def _regions(people: People, persons: NDArray[np.int64], least: int) -> Iterator[NDArray[np.int64]]:
    """Yield regions of at least so many persons: halves of halves, each along the column in which it is widest."""
    waiting = [persons]
    while waiting:
        some = waiting.pop()
        if len(some) < 2 * least:
            yield some
            continue
        column = int((people.places[some].std(axis=0) / people.spans).argmax())
        order = some[np.argsort(people.places[some, column], kind="stable")]
        waiting += [order[: len(order) // 2], order[len(order) // 2 :]]
