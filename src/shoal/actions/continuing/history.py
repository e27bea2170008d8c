"""History: what the state of a series knows of the records of a table, and of everybody after their release."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.jobs.series_request import SeriesPromise
from shoal.releases.series.histories import last_marks, longer
from shoal.releases.series.state import WITHHELD, SeriesState

NEW = -1
"""What a newcomer is bound to: nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownRecords:
    """What is known of each record of a table.

    Args:
        before: The state before.
        pseudonyms: The pseudonym of each record.
        marks: The marks of its sensitive values.
        forgotten: Who asked to be forgotten, in the table or not.
        at: Where the person stands in the state before; -1 for who is not in it.
        held: The signature, or the cohort, that the person is bound to; -1 for a newcomer.
        homes: The class of the person in the release before; -1 if there was none.
        histories: The history of the person with this release.
        barred: Who may not be published: withheld for good before, forgotten, or, where values are permanent, with
        another
            value than before.
    """

    before: SeriesState
    pseudonyms: pl.Series
    marks: NDArray[np.object_]
    forgotten: Sequence[str]
    at: NDArray[np.int64]
    held: NDArray[np.int64]
    homes: NDArray[np.int64]
    histories: NDArray[np.object_]
    barred: NDArray[np.bool_]

    @classmethod
    def of(
        cls, before: SeriesState, pseudonyms: pl.Series, marks: NDArray[np.object_], forgotten: Sequence[str]
    ) -> "KnownRecords":
        """Look everybody up."""
        at = before.places_of(pseudonyms.to_list())
        known = at >= 0
        held = np.append(before.held, NEW)[at].astype(np.int64)  # -1, who is not known, is the last entry
        homes = np.append(before.places, NEW)[at].astype(np.int64)
        old = before.histories(at)
        last = np.append(np.array([last_marks(one) for one in before.known_marks], dtype=object), "")
        same = last[np.append(before.marks, -1)[at]] == marks
        histories = old.copy()
        for place in np.flatnonzero(~same).tolist():
            histories[place] = longer(old[place], before.number + 1, marks[place])
        gone = pseudonyms.is_in(list(forgotten)).to_numpy() if forgotten else np.zeros(len(at), dtype=np.bool_)
        changed = known & ~same if before.promise == "m-invariance" else np.zeros(len(at), dtype=np.bool_)
        return cls(
            before,
            pseudonyms,
            marks,
            forgotten,
            at,
            held,
            homes,
            histories,
            (known & (held == WITHHELD)) | changed | gone,
        )

    def present(self) -> NDArray[np.bool_]:
        """Tell who of the state before is in the table and may be published."""
        found = np.zeros(len(self.before.persons), dtype=np.bool_)
        found[self.at[(self.at >= 0) & ~self.barred]] = True
        return found

    def after(self, held: NDArray[np.int64], label: NDArray[np.int64]) -> SeriesState:
        """Return the state after a release, as far as it tells of persons.

        Who leaves may return under m-invariance, and keeps the signature; companions who leave are gone for good. Of
        who is forgotten or withheld no more is kept than that.

        Args:
            held: What each record is bound to from now on.
            label: The class of each record; -1 if it is not published.
        """
        before, known = self.before, set(self.before.persons) if self.forgotten else set()
        coming = np.flatnonzero((label >= 0) & (self.at < 0))
        strangers = [one for one in self.forgotten if one not in known]
        there = np.flatnonzero(self.at >= 0)
        names = pl.concat(
            [before.persons, self.pseudonyms.gather(coming.astype(np.uint32)), pl.Series(strangers, dtype=pl.String)]
        )
        bound = np.concatenate([before.held, held[coming], np.full(len(strangers), WITHHELD)]).astype(np.int32)
        places = np.concatenate([np.full(len(before.held), -1), label[coming], np.full(len(strangers), -1)]).astype(
            np.int32
        )
        texts = np.concatenate(
            [
                before.histories(np.arange(len(before.held))),
                self.histories[coming],
                np.full(len(strangers), "", dtype=object),
            ]
        )
        places[self.at[there]] = label[there]
        texts[self.at[there]] = self.histories[there]
        bound[self.at[there[label[there] < 0]]] = WITHHELD
        if before.promise == "companions":
            bound[places < 0] = WITHHELD
        if self.forgotten:
            bound[names.is_in(list(self.forgotten)).to_numpy()] = WITHHELD
        texts[bound == WITHHELD] = ""
        order = names.arg_sort().to_numpy()
        known_marks = tuple(sorted(set(texts.tolist()) - {""}))
        code = {"": -1, **{text: number for number, text in enumerate(known_marks)}}
        return replace(
            before,
            number=before.number + 1,
            persons=names.gather(order.astype(np.uint32)),
            held=bound[order],
            marks=np.array([code[text] for text in texts[order].tolist()], dtype=np.int32),
            places=places[order],
            known_marks=known_marks,
        )


def empty_state(promise: SeriesPromise, columns: Sequence[str]) -> SeriesState:
    """Return the state before the first release."""
    none = np.zeros(0, dtype=np.int32)
    cells = np.zeros((0, len(columns)), dtype=np.int32)
    nobody = pl.Series([], dtype=pl.String)
    return SeriesState(promise, 0, nobody, none, none, none, (), (), none, dict.fromkeys(columns, ()), cells, ())
