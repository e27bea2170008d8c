"""The rules of a release: its recoding, without what only the raw table discloses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.classes.recoding import Subsets
from shoal.classes.tally import QuasiColumn
from shoal.clusters.cluster_table import rounded_up
from shoal.clusters.distances import DistanceSpec
from shoal.clusters.distances.number import Number
from shoal.foundation.versions import version_of
from shoal.jobs.context import OF_ONE_RELEASE
from shoal.jobs.job import Job
from shoal.jobs.sections import ColumnRequest
from shoal.releases.gathered import Gathered, nearest
from shoal.releases.rules.rules import Cell, ColumnRule, RecodingKind, Rules, files_of
from shoal.search.problem import Solution
from shoal.tables.hierarchies import Hierarchy, HierarchySpec, Order, Ranges, Sets, Suppression
from shoal.tables.hierarchies.ranges import ordered_by


def rules_of(
    job: Job,
    solution: Solution,
    gathered: Gathered | None,
    folder: Path,
    apart: Mapping[str, Collection[str]],
    merged: Collection[str],
) -> Rules:
    """Return the rules of a release, with paths relative to `folder`.

    Args:
        job: The request, with all defaults filled in.
        solution: The classes and their published cells.
        gathered: The clusters, if the classes are published as centres.
        folder: The folder of the rules.
        apart: The missing codes of each column that stay distinct values.
        merged: The columns whose missing codes became the plain missing value.
    """
    quasi = solution.recoding.columns
    asked = dict(job.columns)
    rules: dict[str, ColumnRule] = {}
    numbers: list[np.ndarray[Any, Any]] = []
    for j, column in enumerate(quasi):
        recipe = job.columns[column.name].hierarchy or Suppression()
        level = solution.levels.get(column.name)
        shown, codes = solution.recoding.shown[j], solution.recoding.cells[:, j]
        missing_codes = () if isinstance(recipe, Sets) else apart.get(column.name, ())
        values = [value for value in column.hierarchy.values if value is not None and value not in missing_codes]
        if level is not None and not _grouped(recipe, column, level):
            recipe, level = _pinned_level(recipe, column, level, values)
            rule = ColumnRule(level=level)
        else:
            cells, places = _cells(column, shown, codes, recipe, gathered)
            recipe = _pinned_cells(recipe, values, cells)
            rule = ColumnRule(cells=cells)
            numbers.append(places)
        published = {shown.labels[at] for at in np.unique(codes).tolist()}
        found = sorted(code for code in missing_codes if code in published)
        told = {"apart": found or None, "merged": column.name in merged or None}
        rules[column.name] = rule.model_copy(update=told)
        asked[column.name] = job.columns[column.name].model_copy(update={"hierarchy": recipe})
    asked |= _pinned_distances(asked, gathered)
    pinned = job.model_copy(update={"columns": asked})
    kind = _kind(solution, numbers != [])
    classes, radii = _classes(solution, gathered, numbers) if kind in ("local", "centres") else (None, None)
    return Rules(
        shoal=version_of("shoal"),
        recoding=kind,
        request=_request(pinned, folder),
        columns=rules,
        files=files_of(pinned),
        classes=classes,
        radii=radii,
        folder=folder,
    )


def moved(rules: Rules, folder: Path) -> Rules:
    """Return the same rules for another folder."""
    job = rules.job(input={"path": "data.csv"})
    return rules.model_copy(update={"request": _request(job, folder), "files": files_of(job), "folder": folder})


def _kind(solution: Solution, celled: bool) -> RecodingKind:
    if solution.spread is not None:
        return "centres"
    if solution.levels:
        return "single-dimensional" if celled else "full-domain"
    return "single-dimensional" if solution.alike else "local"


def _groups(recipe: HierarchySpec) -> bool:
    """Tell whether the nodes of a hierarchy are groups of the values of the raw table itself."""
    return isinstance(recipe, Order) and recipe.order is None


def _grouped(recipe: HierarchySpec, column: QuasiColumn, level: int) -> bool:
    return _groups(recipe) and 0 < level < column.hierarchy.height


def _pinned_level(
    recipe: HierarchySpec, column: QuasiColumn, level: int, values: Sequence[str]
) -> tuple[HierarchySpec, int]:
    """Return a recipe and a level of it that recode other values in the same way."""
    if _groups(recipe) or (isinstance(recipe, Ranges) and recipe.order is None):
        if level in (0, column.hierarchy.height):
            return Suppression(), int(level > 0)
        recipe = recipe.levels_recipe(values) if isinstance(recipe, Ranges) else recipe
    return recipe.pinned(values), level


def _pinned_cells(recipe: HierarchySpec, values: Sequence[str], cells: Sequence[Cell]) -> HierarchySpec:
    """Return a recipe that gives the published cells the same meaning for other values."""
    if _groups(recipe):
        by = ordered_by(values)
        return Ranges(by="text" if by == "day" else by, grid="none")  # as the groups were ordered
    if isinstance(recipe, Ranges) and any(cell.level for cell in cells):  # nodes, and no ranges
        recipe = recipe.levels_recipe(values)
    return recipe.pinned(values)


def _cells(
    column: QuasiColumn,
    shown: Subsets,
    codes: "np.ndarray[Any, Any]",
    recipe: HierarchySpec,
    gathered: Gathered | None,
) -> tuple[list[Cell], "np.ndarray[Any, Any]"]:
    """Return the published cells of a column in text order, and the index of each class's cell."""
    used = np.unique(codes).tolist()
    used.sort(key=lambda at: (shown.labels[at] is None, shown.labels[at] or ""))
    place = np.zeros(len(shown), dtype=np.int64)
    place[used] = np.arange(len(used))
    if gathered is not None:
        return [Cell(label=shown.labels[at]) for at in used], place[codes]
    plain = _Shown(column.hierarchy, shown, grouped=_groups(recipe))
    return [plain.cell(at) for at in used], place[codes]


class _Shown:
    """The published cells of a column, as plain lists for fast access: there may be as many cells as classes.

    Args:
        hierarchy: The hierarchy.
        shown: The published subsets.
        grouped: Whether the nodes of the hierarchy are groups of the values of the raw table itself.
    """

    def __init__(self, hierarchy: Hierarchy, shown: Subsets, *, grouped: bool) -> None:
        self.hierarchy, self.labels, self.grouped = hierarchy, shown.labels, grouped
        self.levels, self.codes = shown.levels.tolist(), shown.codes.tolist()
        self.offsets = [0] * (len(shown) + 1) if shown.offsets is None else shown.offsets.tolist()
        self.members = [] if shown.members is None else shown.members.tolist()

    def cell(self, at: int) -> Cell:
        """Return one of the subsets as a cell."""
        hierarchy, label, level = self.hierarchy, self.labels[at], self.levels[at]
        given: dict[str, Any] = {}
        members = self.members[self.offsets[at] : self.offsets[at + 1]]
        if label is not None and members:
            values = tuple([str(hierarchy.values[leaf]) for leaf in members])
            ends = (values[0], values[-1]) if hierarchy.grid is None else hierarchy.grid.texts(members[0], members[-1])
            given = {"range": ends} if hierarchy.form == "ranges" else {"set": values}
        elif label is not None and level == hierarchy.height:
            given = {"top": True}
        elif label is not None:
            given = self._node(level, self.codes[at]) if self.grouped and level > 0 else {"level": level}
        return Cell(label=label, **given)

    def _node(self, level: int, code: int) -> dict[str, Any]:
        """Return the range of a group of values."""
        leaves = np.flatnonzero(self.hierarchy.codes[level] == code)
        if len(leaves) == 1:
            return {"level": 0}
        return {"range": (str(self.hierarchy.values[leaves[0]]), str(self.hierarchy.values[leaves[-1]]))}


def _classes(
    solution: Solution, gathered: Gathered | None, numbers: "list[np.ndarray[Any, Any]]"
) -> tuple[list[list[int]], list[float] | None]:
    """Return the cells of each class, in order, and its published radius."""
    rows = np.column_stack(numbers)
    if gathered is None or solution.spread is None:
        return rows[np.lexsort(rows.T[::-1])].tolist(), None
    radii = solution.spread.radii[:, -1]
    if gathered.shape == "records" or gathered.radius == "largest":
        radii = np.full(len(radii), radii.max(initial=0.0))
    told = np.array([float(rounded_up(length)) for length in radii.tolist()])
    order = np.lexsort((told, *rows.T[::-1]))
    return rows[order].tolist(), told[order].tolist()


def _pinned_distances(columns: dict[str, ColumnRequest], gathered: Gathered | None) -> dict[str, ColumnRequest]:
    """Return the columns with the derived unit of their distance stated, rounded as in the certificate."""
    found: dict[str, ColumnRequest] = {}
    for axis in gathered.distances.metric.axes if gathered is not None else ():
        name = gathered.distances.metric.columns[axis.columns[0]].name if gathered is not None else ""
        request = columns[name]
        if isinstance(request.distance, Number) and request.distance.unit is None:
            unit = nearest(request.weight / axis.weight) if axis.weight > 0 else 1.0
            distance: DistanceSpec = replace(request.distance, scale=None, unit=unit)
            found[name] = request.model_copy(update={"distance": distance})
    return found


def _request(job: Job, folder: Path) -> dict[str, Any]:
    """Return a job without its tables, its seed and its time limit."""
    content = job.content(folder)
    words = {"missing_values": list(job.input.missing_values)} if job.input.missing_values else {}
    content["input"] = {"missing": job.input.missing, **words}
    content["release"] = {key: value for key, value in content["release"].items() if key not in ("url", "table")}
    content["search"] = {key: value for key, value in content["search"].items() if key not in ("seed", "time_limit")}
    told = {key: value for key, value in job.context.content().items() if key not in OF_ONE_RELEASE}
    content.pop("context", None)
    return {**content, **({"context": told} if told else {})}
