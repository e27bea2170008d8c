"""Invariance: classes in which everybody has the signature of before, and that show each value of it equally often."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.progress import Progress, silent
from shoal.search.series.apportioning import sign_up_few
from shoal.search.series.exchanging import exchange
from shoal.search.series.filling import fill_holes
from shoal.search.series.newcomers import sign_up
from shoal.search.series.parting import part_large
from shoal.search.series.people import People
from shoal.search.series.settling import counterfeits_of, dissolve_open, join_small, trim_open
from shoal.search.series.signatures import Signature, SignatureClasses

_AT_FIRST, _AT_LAST = 4, 24  # orders in which persons are exchanged, before newcomers sign up and at the end


@dataclass(frozen=True, slots=True, eq=False)
class InvariantClasses:
    """Who is in which class of a release that continues a series by signatures.

    Args:
        label: The class of each person; -1 for who is not published.
        owned: The signature of each class, none of which is empty.
        signatures: All signatures, those of before first.
        fakes: The class of each counterfeit.
        faked: The value of each counterfeit.
    """

    label: NDArray[np.int64]
    owned: NDArray[np.int64]
    signatures: list[Signature]
    fakes: NDArray[np.int64]
    faked: NDArray[np.int64]


def invariant_classes(
    people: People,
    signatures: list[Signature],
    n_values: int,
    *,
    m: int,
    column: str,
    counterfeits: bool,
    few: bool = False,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> InvariantClasses:
    """Return classes that keep the signatures of all who have one, with a low loss.

    Everybody who has a signature stays in the class of before, as far as it still has members. Where more members of a
    value are lacking than newcomers have it, classes that lack members give theirs to others of their signature. Holes
    are filled by newcomers of the same value. What is lacking then is filled by counterfeits, or, without these, those
    who have no counterpart are withheld. Classes that have become large are parted. The other newcomers get signatures
    of their own.

    Args:
        people: Everybody who may be published.
        signatures: The signatures that persons have.
        n_values: The number of values.
        m: The least number of values of a new signature.
        column: The sensitive column.
        counterfeits: Whether there may be some.
        few: Whether newcomers get few signatures, so that later releases lose less, and this one more.
        rng: Draws what is drawn.
        progress: Called with the share of the work that is done.
    """
    label, owned = _homes(people)
    classes = SignatureClasses(people, label, list(signatures), owned, n_values)
    newcomers = np.flatnonzero(people.held < 0)
    if len(owned):
        progress("filling the places of those who left")
        coming = np.bincount(people.values[newcomers], minlength=n_values)
        dissolve_open(classes, coming)
        fill_holes(classes, newcomers)
        dissolve_open(classes, np.zeros_like(coming))
        if not counterfeits:
            trim_open(classes)
        join_small(classes, people.problem.k)
        if not counterfeits:
            trim_open(classes)
        part_large(classes, people.problem.k)
        exchange(classes, rng, progress, _AT_FIRST)
    progress("making classes of newcomers")
    if few:
        sign_up_few(classes, newcomers[classes.label[newcomers] < 0], m, rng)
    sign_up(classes, newcomers[classes.label[newcomers] < 0], m, column, rng, progress)
    exchange(classes, rng, progress, _AT_LAST)
    return compact(classes)


def _homes(people: People) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes of before with those who are still there; who returns to none opens one."""
    held = people.held >= 0
    homes = np.where(held, people.homes, -1)
    lost = np.flatnonzero(held & (homes < 0))
    homes[lost] = int(homes.max(initial=-1)) + 1 + np.arange(len(lost))
    found, first, label = np.unique(homes[held], return_index=True, return_inverse=True)
    everybody = np.full(len(people), -1, dtype=np.int64)
    everybody[held] = label
    return everybody, people.held[held][first] if len(found) else np.zeros(0, dtype=np.int64)


def compact(classes: SignatureClasses) -> InvariantClasses:
    """Return the classes that have members, and the counterfeits that they need."""
    fakes = list(counterfeits_of(classes))
    used = np.flatnonzero(classes.sizes() > 0)
    number = np.full(classes.n_classes + 1, -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    return InvariantClasses(
        number[classes.label],
        classes.owned[used],
        classes.signatures,
        number[np.array([owner for owner, _ in fakes], dtype=np.int64)],
        np.array([value for _, value in fakes], dtype=np.int64),
    )
