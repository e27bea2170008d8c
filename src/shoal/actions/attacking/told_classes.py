"""Told classes: who was in which class of a series, by the states that its steward keeps."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.audits.attacks.series.histories import ClassSets, Histories, SeriesStep
from shoal.foundation.errors import CertificateError
from shoal.releases.release_view import ReleaseView
from shoal.releases.series.classes import ShownClasses
from shoal.releases.series.state import SeriesState


def told_histories(views: Sequence[ReleaseView]) -> Histories | None:
    """Return the histories that somebody knows who is told everybody's class, and who the counterfeits are.

    None if some release has no state at hand, or if they are of several series. A counterfeit is one more person, who
    is in that class alone.
    """
    states = [state for state in (view.state for view in views) if state is not None]
    if len(states) < len(views) or len({(state.promise, state.key) for state in states}) > 1:
        return None
    names, classes = [], []
    for number, (view, state) in enumerate(zip(views, states, strict=True)):
        inside = np.flatnonzero(state.places >= 0)
        nobody = pl.Series([f"counterfeit {number} {turn}" for turn in range(len(state.fakes))], dtype=pl.String)
        names.append(pl.concat([state.persons.gather(inside.astype(np.uint32)), nobody]))
        places = np.concatenate([state.places[inside], np.array([one for one, _, _ in state.fakes], dtype=np.int32)])
        classes.append(_numbers_in_file(view, state)[places])
    codes = pl.concat(names).rank("dense").to_numpy().astype(np.int64) - 1
    persons = np.split(codes, np.cumsum([len(one) for one in names])[:-1])
    steps = [
        SeriesStep(view.observed.groups.sizes, ClassSets.single(view.observed.groups.n_classes), there, placed)
        for view, there, placed in zip(views, persons, classes, strict=True)
    ]
    return Histories.of(steps, int(codes.max(initial=-1)) + 1)


def _numbers_in_file(view: ReleaseView, state: SeriesState) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    """Return the number that each class of a state has among those of the file."""
    found = {cells: number for number, cells in enumerate(ShownClasses(view.observed, view.sensitive).cells())}
    order = [list(state.columns).index(name) for name in view.quasi]
    texts = [state.columns[name] for name in view.quasi]
    stated = [tuple(texts[j][code] for j, code in enumerate(row)) for row in state.cells[:, order].tolist()]
    if found.keys() != set(stated) or len(stated) != len(found):
        raise CertificateError("The classes of a release are not those of the state beside it: verify the series.")
    return np.array([found[cells] for cells in stated], dtype=np.int32)
