"""History: what the state of a series knows of the records of a table, and the state after their release."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.jobs.series_request import SeriesPromise
from shoal.releases.series.state import WITHHELD, SeriesState

NEW = -1
"""What a newcomer is bound to: nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownRecords:
    """What is known of each record of a table.

    Args:
        at: Where the person stands in the state before; -1 for who is not in it.
        held: The signature, or the cohort, that the person is bound to; -1 for a newcomer.
        homes: The class of the person in the release before; -1 if there was none.
        barred: Who may not be published: withheld for good before, forgotten, or with another value than before.
    """

    at: NDArray[np.int64]
    held: NDArray[np.int64]
    homes: NDArray[np.int64]
    barred: NDArray[np.bool_]

    @classmethod
    def of(
        cls, before: SeriesState, pseudonyms: pl.Series, marks: NDArray[np.str_], forgotten: Sequence[str]
    ) -> "KnownRecords":
        """Look everybody up."""
        at = before.places_of(pseudonyms.to_list())
        known = at >= 0
        held = np.where(known, before.held[at], NEW).astype(np.int64) if len(before.persons) else np.full(len(at), NEW)
        homes = (
            np.where(known, before.places[at], NEW).astype(np.int64) if len(before.persons) else np.full(len(at), NEW)
        )
        stated = np.array(["", *before.known_marks])
        said = stated[before.marks[at] + 1] if len(before.persons) else np.full(len(at), "")
        changed = known & (said != marks)
        gone = pseudonyms.is_in(list(forgotten)).to_numpy() if forgotten else np.zeros(len(at), dtype=np.bool_)
        return cls(at, held, homes, (known & (held == WITHHELD)) | changed | gone)


def empty_state(promise: SeriesPromise, columns: Sequence[str]) -> SeriesState:
    """Return the state before the first release."""
    none = np.zeros(0, dtype=np.int32)
    return SeriesState(
        promise,
        0,
        pl.Series([], dtype=pl.String),
        none,
        none,
        none,
        (),
        (),
        none,
        dict.fromkeys(columns, ()),
        np.zeros((0, len(columns)), dtype=np.int32),
        (),
    )


def everybody(
    before: SeriesState,
    known: KnownRecords,
    pseudonyms: pl.Series,
    marks: NDArray[np.str_],
    held: NDArray[np.int64],
    label: NDArray[np.int64],
    forgotten: Sequence[str],
) -> tuple[pl.Series, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], tuple[str, ...]]:
    """Return the persons, what they are bound to, their marks and classes, and the known marks, after a release.

    Args:
        before: The state before.
        known: What it knows of the records.
        pseudonyms: The pseudonym of each record.
        marks: The mark of its value.
        held: The signature, or the cohort, of each record from now on.
        label: The class of each record; -1 if it is not published.
        forgotten: Who is forgotten: of them no more is kept than that they are withheld.
    """
    n = len(before.persons)
    coming = np.flatnonzero((label >= 0) & (known.at < 0))
    strangers = [one for one in forgotten if one not in set(before.persons)] if forgotten else []
    bound = np.concatenate([before.held, held[coming], np.full(len(strangers), WITHHELD)]).astype(np.int64)
    places = np.full(len(bound), -1, dtype=np.int64)
    texts = np.concatenate(
        [np.array(["", *before.known_marks])[before.marks + 1], marks[coming], [""] * len(strangers)]
    )
    there = np.flatnonzero(known.at >= 0)
    places[known.at[there]] = label[there]
    places[n : n + len(coming)] = label[coming]
    lost = there[label[there] < 0]
    bound[known.at[lost]] = WITHHELD
    names = pl.concat(
        [before.persons, pseudonyms.gather(coming.astype(np.uint32)), pl.Series(strangers, dtype=pl.String)]
    )
    if forgotten:
        bound[names.is_in(list(forgotten)).to_numpy()] = WITHHELD
    texts[bound == WITHHELD] = ""
    known_marks = tuple(sorted({*texts.tolist()} - {""}))
    code = {"": -1, **{text: number for number, text in enumerate(known_marks)}}
    order = names.arg_sort().to_numpy()
    of_text = np.array([code[text] for text in texts.tolist()], dtype=np.int32)
    return (
        names.gather(order.astype(np.uint32)),
        bound[order].astype(np.int32),
        of_text[order],
        places[order].astype(np.int32),
        known_marks,
    )
