"""Reasons: values that a file declares as missing, such as 'refused', are missing and yet differ from each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from shoal.clusters.distances.automatic import automatic_distance as distance_by
from shoal.clusters.distances.equal import Equal
from shoal.jobs.job import Job
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.values import distinct_values
from shoal.tables.hierarchies import Hierarchy, HierarchySpec
from shoal.tables.hierarchies.automatic import automatic_hierarchy
from shoal.tables.hierarchies.ranges import Ranges
from shoal.tables.hierarchies.sets import Sets
from shoal.tables.table import Role, blanked


@dataclass(frozen=True, slots=True)
class MissingCodes:
    """What becomes of the declared values of a table.

    Where missing values are a category, each reason is a value of its own that no generalization but the top joins
    with others. In a free range it has no place, nor among numbers whose differences are distances, nor in a matrix of
    distances: there all reasons become the plain missing value. So they do where missing values match all others, and
    where records that miss a value are dropped.

    Args:
        apart: The declared values of each column that stay.
        cleared: The declared values of each column that become the plain missing value.
    """

    apart: Mapping[str, frozenset[str]]
    cleared: Mapping[str, frozenset[str]]

    @classmethod
    def of(
        cls, job: Job, frame: pl.DataFrame, codebook: Codebook, earlier: "MissingCodes | None" = None
    ) -> "MissingCodes":
        """Decide for each column of a table.

        Args:
            job: The request.
            frame: The table.
            codebook: What its file declares.
            earlier: What was decided for another table that this one must be like, with more declared values.
        """
        before = earlier or cls({}, {})
        quasi = job.names(Role.QUASI)
        concerned = (*quasi, *job.watched()) if job.input.missing == "drop" else quasi
        apart: dict[str, frozenset[str]] = {}
        cleared: dict[str, frozenset[str]] = {}
        for name in concerned:
            codes = codebook[name].codes.union(job.columns[name].missing, before.apart.get(name, ()))
            if not codes or name not in frame.columns:
                continue
            values = sorted(set(distinct_values(frame.get_column(name))) - codes)
            stays = name in before.apart or (name not in before.cleared and _has_place(job, name, values, codebook))
            (apart if stays else cleared)[name] = codes
        return cls(apart, cleared)

    def without(self, values: Sequence[str], name: str) -> list[str]:
        """Return the values of a column that are no reasons."""
        codes = self.apart.get(name, frozenset())
        return [value for value in values if value not in codes]

    def blank(self, job: Job) -> "MissingCodes":
        """Return the same where reasons are missing values, for who compares tables; among sets they are values."""
        alone = {n: codes for n, codes in self.apart.items() if not isinstance(job.columns[n].hierarchy, Sets)}
        return MissingCodes({}, {**self.cleared, **alone})

    def settled(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table in which the cleared values are plainly missing."""
        for name, codes in self.cleared.items():
            frame = frame.with_columns(blanked(frame.get_column(name), codes))
        return frame

    def build(self, recipe: HierarchySpec, values: Sequence[str], name: str, job: Job) -> Hierarchy:
        """Build the hierarchy of a quasi column over what is not missing, with the reasons apart."""
        codes = self.apart.get(name, frozenset())
        if not codes or isinstance(recipe, Sets):
            return recipe.build(values, name, job.folder)
        hierarchy = recipe.build(self.without(values, name), name, job.folder)
        known = set(hierarchy.values)  # a file may have rows for reasons: they are as it says
        return hierarchy.with_apart([value for value in values if value in codes and value not in known])


def _has_place(job: Job, name: str, values: Sequence[str], codebook: Codebook) -> bool:
    """Tell whether a reason can be a value among those of a column."""
    if job.input.missing != "category":
        return False
    column = job.columns[name]
    if job.objective is None:
        return not isinstance(column.hierarchy or hierarchy_for(values, codebook, name), Ranges)
    beside = any(one.distance is not None and one.distance.partner == name for one in job.columns.values())
    words = codebook[name].labels_all(values)
    distance = column.distance or (Equal() if words else distance_by(values, column.date_format))
    return distance.any_value and not beside and not isinstance(column.hierarchy, Ranges)


def hierarchy_for(values: Sequence[str], codebook: Codebook, name: str) -> HierarchySpec:
    """Choose a hierarchy by the values; numbers that all stand for words are categories, and not numbers."""
    return Sets() if codebook[name].labels_all(values) else automatic_hierarchy(values)
