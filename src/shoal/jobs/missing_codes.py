"""Missing codes: values that a file declares as missing, such as 'refused', which are missing and yet distinct."""

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
    """The missing codes of a table: those that stay distinct values, and those that become plain missing values.

    If missing values are a category, each missing code is a value of its own, which only the top node joins with
    others. In some columns this is impossible: in free ranges, in numbers whose differences are distances, and in a
    matrix of distances. There all missing codes become the plain missing value. The same holds if missing values match
    all others, and if records with missing values are dropped.

    Args:
        apart: The missing codes of each column that stay distinct.
        cleared: The missing codes of each column that become the plain missing value.
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
            earlier: The decision for another table that this one must follow, with further missing codes.
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
        """Return the values of a column that are not missing codes."""
        codes = self.apart.get(name, frozenset())
        return [value for value in values if value not in codes]

    def blank(self, job: Job) -> "MissingCodes":
        """Return the same with all missing codes as missing values, to compare tables; in sets they stay values."""
        alone = {n: codes for n, codes in self.apart.items() if not isinstance(job.columns[n].hierarchy, Sets)}
        return MissingCodes({}, {**self.cleared, **alone})

    def settled(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table in which the cleared codes are missing values."""
        for name, codes in self.cleared.items():
            frame = frame.with_columns(blanked(frame.get_column(name), codes))
        return frame

    def build(self, recipe: HierarchySpec, values: Sequence[str], name: str, job: Job) -> Hierarchy:
        """Build the hierarchy of a quasi column over the other values, with missing codes directly below the top."""
        codes = self.apart.get(name, frozenset())
        if not codes or isinstance(recipe, Sets):
            return recipe.build(values, name, job.folder)
        hierarchy = recipe.build(self.without(values, name), name, job.folder)
        known = set(hierarchy.values)  # a hierarchy file may have rows for missing codes
        return hierarchy.with_apart([value for value in values if value in codes and value not in known])


def _has_place(job: Job, name: str, values: Sequence[str], codebook: Codebook) -> bool:
    """Tell whether missing codes can stay distinct values in a column."""
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
    """Choose a hierarchy by the values; numbers that all have labels are categories."""
    return Sets() if codebook[name].labels_all(values) else automatic_hierarchy(values)
