"""The link between releases, from the states of their steward: who is in which class, and what became of everybody."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.recoding import Subsets
from shoal.foundation.errors import CertificateError
from shoal.releases.series.classes import ShownClasses
from shoal.releases.series.histories import last_marks
from shoal.releases.series.state import WITHHELD, SeriesState
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label


def check_file(state: SeriesState, shown: ShownClasses, quasi: Sequence[str]) -> None:
    """Raise a CertificateError unless the persons of the state and its counterfeits are the records of a file.

    Args:
        state: The state beside the file.
        shown: The classes of the file.
        quasi: Its quasi columns, in the order of the cells.
    """
    names = list(state.columns)
    texts = [state.columns[name] for name in quasi] if set(names) == set(quasi) else []
    order = [names.index(name) for name in quasi] if texts else []
    stated = [tuple(texts[j][code] for j, code in enumerate(row)) for row in state.cells[:, order].tolist()]
    place = {cells: number for number, cells in enumerate(stated)}
    found = shown.cells()
    if len(place) < len(stated) or place.keys() != set(found):
        raise _refused("the classes of the file are not those of the state")
    own = np.array([place[cells] for cells in found], dtype=np.int64)
    persons = np.bincount(state.places[state.places >= 0], minlength=len(stated))
    fakes = np.bincount([one for one, _, _ in state.fakes], minlength=len(stated))
    if (persons[own] + fakes[own] != shown.sizes).any():
        raise _refused("the persons of a class and its counterfeits are not as many as its records")
    if state.promise == "m-invariance":
        signatures = [frozenset(state.signatures[one]) for one in state.owned[own].tolist()]
        if signatures != shown.values():
            raise _refused("a class shows other values than those of its signature")


def check_step(state: SeriesState, before: SeriesState) -> None:
    """Raise a CertificateError unless everybody has the signature of before, and who was withheld still is.

    Args:
        state: The state of a release.
        before: The state of the release before it.
    """
    if (state.promise, state.number, state.key) != (before.promise, before.number + 1, before.key):
        raise _refused("it is not the state of the next release of that series")
    if state.signatures[: len(before.signatures)] != before.signatures:
        raise _refused("signatures of the release before are not as they were")
    at = state.places_of(before.persons.to_list())
    if (at < 0).any():
        raise _refused("persons of the release before are not in it")
    held, stays = state.held[at], state.held[at] != WITHHELD
    if (held[stays] != before.held[stays]).any():
        raise _refused(
            "a person has another signature than before, or is published again after being withheld for good"
        )
    old, new = before.histories(np.flatnonzero(stays)), state.histories(at[stays])
    if state.promise == "m-invariance" and (old != new).any():
        raise _refused("a person has another value than before")
    if not all(now == then or now.startswith(f"{then} ") for now, then in zip(new, old, strict=True)):
        raise _refused("the history of a person is not as it was")
    if (state.places[state.held == WITHHELD] >= 0).any():
        raise _refused("a person is published who was withheld for good")


def check_table(
    state: SeriesState, pseudonyms: Sequence[str], values: pl.Series | None, marks: NDArray[np.object_]
) -> NDArray[np.int32]:
    """Return the class of each record of the raw table, which must be the one person of the state with that value.

    Args:
        state: The state of the release.
        pseudonyms: The pseudonym of each record.
        values: Its sensitive value, for m-invariance.
        marks: The marks of its sensitive values.

    Raises:
        CertificateError: The table and the state differ.
    """
    at = state.places_of(pseudonyms)
    places = np.where(at >= 0, state.places[at], -1).astype(np.int32)
    if int((places >= 0).sum()) != int((state.places >= 0).sum()) or len(set(pseudonyms)) < len(pseudonyms):
        raise _refused("persons of the release are not in the raw table")
    inside = places >= 0
    if any(last_marks(one) != mark for one, mark in zip(state.histories(at[inside]), marks[inside], strict=True)):
        raise _refused("persons have other values in the raw table")
    if values is not None:
        _check_values(state, places[inside], values.filter(pl.Series(inside)).to_list())
    return places


def _check_values(state: SeriesState, places: NDArray[np.int32], values: list[Label]) -> None:
    """Compare the values of each class with its signature: persons and counterfeits have each equally often."""
    known = sorted({*values, *(value for _, value, _ in state.fakes)}, key=lambda value: (value is None, value or ""))
    code = {value: number for number, value in enumerate(known)}
    owners = np.concatenate([places, np.array([one for one, _, _ in state.fakes], dtype=np.int32)])
    codes = np.array([code[value] for value in (*values, *(value for _, value, _ in state.fakes))], dtype=np.int64)
    keys, counts = np.unique(owners.astype(np.int64) * len(known) + codes, return_counts=True)
    classes = keys // len(known)
    lengths = np.array([len(one) for one in state.signatures], dtype=np.int64)[state.owned]
    sizes = np.bincount(owners, minlength=len(state.owned))
    allowed = [{code.get(value, -1) for value in one} for one in state.signatures]
    strange = any(
        one not in allowed[signature]
        for one, signature in zip((keys % len(known)).tolist(), state.owned[classes].tolist(), strict=True)
    )
    if strange or (counts * lengths[classes] != sizes[classes]).any():
        raise _refused(
            "the persons of a class and its counterfeits do not have each value of its signature equally often"
        )


def check_cells(
    state: SeriesState,
    places: NDArray[np.int32],
    name: str,
    leaves: NDArray[np.int32],
    hierarchy: Hierarchy,
    read: Subsets,
) -> None:
    """Raise a CertificateError unless the cell of everybody's class covers the own value, in one column.

    Args:
        state: The state of the release.
        places: The class of each record of the raw table; -1 if it is not published.
        name: The column.
        leaves: The leaf of each record.
        hierarchy: The hierarchy of the column.
        read: What its cells stand for, in the order in which the state lists their texts.
    """
    inside = np.flatnonzero(places >= 0)
    shown, own = state.cells[places[inside], list(state.columns).index(name)], leaves[inside]
    covered = hierarchy.codes[read.levels[shown], own] == read.codes[shown]
    if read.offsets is not None and read.members is not None:
        lengths = np.diff(read.offsets)
        for subset in np.flatnonzero(lengths).tolist():
            here = np.flatnonzero(shown == subset)
            members = read.members[read.offsets[subset] : read.offsets[subset + 1]]
            if hierarchy.form == "ranges":
                covered[here] = (own[here] >= members[0]) & (own[here] <= members[-1])
            else:
                covered[here] = np.isin(own[here], members)
    if not covered.all():
        raise _refused(f"a person's value in column '{name}' is not in the cell of the class")


def _refused(words: str) -> CertificateError:
    return CertificateError(f"The series does not hold: {words}.")
