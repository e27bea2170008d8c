"""Weighing: what may be asked where a column tells how many of the population a record stands for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.measures import MEASURES
from shoal.measures.measure import CellMeasure
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.jobs.job import Job

_ROLES = (Role.OMITTED, Role.INSENSITIVE, Role.SENSITIVE)


def weighing_errors(job: "Job") -> Iterator[str]:
    """Say what stands in the way of a loss that is weighted; of other jobs nothing."""
    name, search = job.search.sampling_weights, job.search
    if name is None:
        return
    column, measure, algorithm = job.columns.get(name), search.measure, search.algorithm
    if column is None or column.role not in _ROLES:
        has = "no role" if column is None else f"the role '{column.role}'"
        yield (
            f"the sampling weights are those of column '{name}', which has {has}: give it 'omitted', so that it never "
            "leaves, or 'insensitive' or 'sensitive', so that it leaves as it is"
        )
    if not isinstance(measure, CellMeasure) or not measure.weighable:
        yield (
            f"no weighted form is defined for the measure {measure.name}, which does not add up prices of cells that "
            f"are the same however many records there are: with sampling weights use one of {', '.join(_measures())}"
        )
    if algorithm is not None and not algorithm.weighs:
        yield (
            f"the algorithm {algorithm.name} does not search by a weighted loss: with sampling "
            f"weights use one of {', '.join(_algorithms())}, or leave the algorithm to 'auto'"
        )
    if search.blind:
        yield "blind = true makes classes without the sampling weights, by the quasi columns alone: leave one out"
    if search.suppress == "records" and not (algorithm is not None and algorithm.local):
        yield (
            "suppress = 'records' does not go by the weights of single records, so that no loss is proven the least: "
            "with sampling weights use suppress = 'classes', or an algorithm that recodes each class, such as "
            "'tightest'"
        )


def _measures() -> list[str]:
    """Return the measures that have a weighted form."""
    found = {name: MEASURES[name] for name in MEASURES.names}
    return [name for name, one in found.items() if issubclass(one, CellMeasure) and one.weighable]


def _algorithms() -> list[str]:
    """Return the algorithms that search by a weighted loss."""
    return [name for name in ALGORITHMS.names if ALGORITHMS[name].weighs]
