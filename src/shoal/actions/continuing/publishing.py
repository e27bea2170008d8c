"""Publishing: the classes of a series become cells and records, with counterfeits among them."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.actions.anonymize import published
from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding
from shoal.foundation.errors import InfeasibleError
from shoal.jobs.posing import problem_of
from shoal.jobs.source import Source
from shoal.releases.run import Run
from shoal.releases.series.counterfeits import with_counterfeits
from shoal.search.local.partition import cell_measure, solution_of
from shoal.search.problem import Problem, Solution
from shoal.search.series.cells import separate_cells
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Label


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Classes of the records of a table, and the counterfeits that they need.

    Args:
        label: The class of each record; -1 if it is not published.
        owned: The signature, or the cohort, of each class.
        fakes: The class of each counterfeit.
        faked: Its sensitive value.
    """

    label: NDArray[np.int64]
    owned: NDArray[np.int64]
    fakes: NDArray[np.int64]
    faked: tuple[Label, ...]

    def without(self, going: NDArray[np.bool_]) -> "Drawn":
        """Return the classes without some of them, whose records are not published."""
        number = np.append(np.where(going, -1, np.cumsum(~going) - 1), -1)
        fakes = number[self.fakes]
        return Drawn(
            number[self.label],
            self.owned[~going],
            fakes[fakes >= 0],
            tuple(value for value, place in zip(self.faked, fakes.tolist(), strict=True) if place >= 0),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PublishedClasses:
    """A release before it is certified, and what the state of the series keeps of its classes.

    Args:
        run: How it was made.
        label: The class of each record of the table; -1 if it is not published.
        owned: The signature, or the cohort, of each class.
        columns: The quasi columns, with the texts of their cells.
        cells: `cells[class, column]`, what each class is published as.
        fakes: The class, the value and the row that is copied of each counterfeit.
    """

    run: Run
    label: NDArray[np.int64]
    owned: NDArray[np.int32]
    columns: dict[str, tuple[Label, ...]]
    cells: NDArray[np.int32]
    fakes: tuple[tuple[int, Label, int], ...]


def published_classes(
    source: Source, columns: tuple[str, ...], drawn: Drawn, algorithm: str, rng: np.random.Generator, seconds: float
) -> PublishedClasses:
    """Recode and publish classes, except those that cannot be told apart from a class of another signature.

    Args:
        source: The table.
        columns: Its sensitive columns.
        drawn: Its classes.
        algorithm: The name of the search that found them.
        rng: Draws the leaves by which classes are widened.
        seconds: How long the search took.
    """
    drawn, recoding = _separate(source, columns, drawn, algorithm, rng)
    look, cells = distinct_rows(
        list(recoding.cells.T), [len(subsets) for subsets in recoding.shown], recoding.n_classes
    )
    owned = np.zeros(len(cells), dtype=np.int32)
    owned[look] = drawn.owned
    number = np.append(look, -1).astype(np.int64)
    final = Drawn(number[drawn.label], owned.astype(np.int64), number[drawn.fakes], drawn.faked)
    rows = _copied(final)
    full, labels = _full(source, columns[0] if columns else "", final, rows)
    counted = full.engine.count(tuple(dict.fromkeys((*source.job.watched(), *columns))))
    problem = replace(problem_of(full.job, counted.tally), max_suppressed=Fraction(1))
    parts = _parts(counted.point_of, labels)
    solution = _solved(problem, parts, replace(recoding, columns=counted.tally.quasi, cells=cells))
    run = published(full, counted, problem, solution, algorithm, "", seconds, classes=labels.astype(np.int32))
    evidence = replace(run.evidence, sensitive=tuple(dict.fromkeys((*run.evidence.sensitive, *columns))))
    return PublishedClasses(
        replace(run, evidence=evidence),
        final.label,
        owned,
        {quasi.name: subsets.labels for quasi, subsets in zip(recoding.columns, recoding.shown, strict=True)},
        cells,
        tuple(zip(final.fakes.tolist(), final.faked, rows.tolist(), strict=True)),
    )


def _separate(
    source: Source, columns: tuple[str, ...], drawn: Drawn, algorithm: str, rng: np.random.Generator
) -> tuple[Drawn, Recoding]:
    """Return the classes that can be told apart, and what they are published as."""
    while len(drawn.owned):
        full, labels = _full(source, columns[0] if columns else "", drawn, _copied(drawn))
        counted = full.engine.count(columns)
        parts = _parts(counted.point_of, labels)
        kept = Parts(
            parts.points[parts.classes >= 0], parts.classes[parts.classes >= 0], parts.counts[parts.classes >= 0]
        )
        measure = cell_measure(problem_of(source.job, counted.tally), algorithm)
        recoding, same = separate_cells(counted.tally, kept, drawn.owned, measure, rng)
        if not same.any():
            return drawn, recoding
        drawn = drawn.without(same)
    raise InfeasibleError(
        "No class of the table keeps the promise of the series: too few persons have balanced values. "
        "Allow more to wait (--max-suppressed), or use a smaller 'm'."
    )


def _copied(drawn: Drawn) -> NDArray[np.int64]:
    """Return for each counterfeit the record of its class whose quasi values it is given."""
    first = np.zeros(len(drawn.owned), dtype=np.int64)
    inside = np.flatnonzero(drawn.label >= 0)
    first[drawn.label[inside][::-1]] = inside[::-1]
    return first[drawn.fakes]


def _full(source: Source, column: str, drawn: Drawn, rows: NDArray[np.int64]) -> tuple[Source, NDArray[np.int64]]:
    """Return the table with its counterfeits, and the class of each of its records."""
    table = with_counterfeits(source.table, column, rows.tolist(), drawn.faked)
    return replace(source, table=table), np.concatenate([drawn.label, drawn.fakes])


def _parts(points: NDArray[np.int32], labels: NDArray[np.int64]) -> Parts:
    width = int(labels.max(initial=-1)) + 2
    keys, counts = np.unique(points.astype(np.int64) * width + labels + 1, return_counts=True)
    of_points, classes = np.divmod(keys, width)
    return Parts(of_points.astype(np.int32), (classes - 1).astype(np.int32), counts.astype(np.int64))


def _solved(problem: Problem, parts: Parts, recoding: Recoding) -> Solution:
    """Return the release of the classes, or raise an InfeasibleError that names what they do not keep."""
    try:
        return solution_of(problem, parts, recoding=recoding)
    except InfeasibleError:
        names = ", ".join(dict.fromkeys(model.name for model in problem.models))
        raise InfeasibleError(
            f"The classes of the series do not keep all promises of each release ({names}). Classes that show "
            "their values equally often keep k-anonymity and l-diversity up to 'm', but seldom models that "
            "compare a class with the table, such as t-closeness."
        ) from None
