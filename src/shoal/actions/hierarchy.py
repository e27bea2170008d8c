"""Sheet: the hierarchy of one column over its values, to be looked at, mended and edited as a levels file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shoal.actions.suggestions import OWN_TYPES
from shoal.actions.suggestions.kinds import day_of
from shoal.actions.suggestions.ladders import date_rows, ladder_of, number_rows
from shoal.actions.suggestions.naming import words_of
from shoal.actions.suggestions.profile import Profile, read_described
from shoal.foundation.atomic_write import check_file, write_file
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.members import explain, member_of, named_files
from shoal.foundation.progress import Progress, silent
from shoal.foundation.shelf import did_you_mean
from shoal.jobs.given_table import frame_or_location
from shoal.jobs.job import Job
from shoal.tables.formats.codebook import Entry
from shoal.tables.hierarchies import HIERARCHIES, Dates, Hierarchy, HierarchySpec, Intervals, Levels, edits
from shoal.tables.hierarchies.coarsening import coarsened
from shoal.tables.hierarchies.levels import read_rows
from shoal.tables.hierarchies.numeric import count_others
from shoal.tables.hierarchies.rows import Rows, by_frequency, by_groups, rows_of, rows_text, with_ungrouped
from shoal.tables.hierarchies.spec import read_text


@dataclass(frozen=True, slots=True)
class SheetNode:
    """A node of a hierarchy, with what lies below it, and what it stands for if it is a value with a label.

    Args:
        label: What is published.
        values: How many values it stands for.
        records: How many records have one of them.
        below: The nodes right below it.
        means: What it stands for, if it is a value and the table's file says it.
        level: The lowest level that has it.
        place: The first row that has it.
    """

    label: str
    values: int
    records: int
    below: tuple["SheetNode", ...] = ()
    means: str = ""
    level: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The rows of a hierarchy, with the values of a column.

    Args:
        column: The column.
        rows: One row for each value, from the value to the top.
        counts: The number of records with each value of the data.
        missing: The number of records without a value; they need no row.
        lacking: The values of the data without a row, the most frequent first.
        words: Descriptions of the levels, for readers.
        labels: What the values stand for, if the table's file contains labels.
    """

    column: str
    rows: Rows
    counts: Mapping[str, int]
    missing: int = 0
    lacking: tuple[str, ...] = ()
    words: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy itself."""
        return Hierarchy.of_rows(self.rows, f"hierarchy of column '{self.column}'")

    @property
    def text(self) -> str:
        """The levels file."""
        return rows_text(self.rows)

    def completed(self) -> "Sheet":
        """Return the sheet with a row for every value that lacks one: it stays itself up to the top."""
        return replace(self, rows=with_ungrouped(self.rows, self.lacking), lacking=())

    def coarsened(self) -> "Sheet":
        """Return the sheet with groups put together until no group tells less of its values than the one above it.

        By the entropy of the values among their records (003 section 4.2.2), which a guarantee of the measure `entropy`
        needs.
        """
        counts = [self.counts.get(row[0], 0) for row in self.rows]
        return replace(self, rows=rows_of(coarsened(self.hierarchy, counts)))

    @checked
    def grouped(self, labels: Sequence[str], name: str) -> "Sheet":
        """Return the sheet with values or groups put together as one group; one that has the name already is joined.

        Args:
            labels: The values, and the labels of groups.
            name: The label of the group, which is published in place of them.
        """
        return replace(self, rows=edits.grouped(self.rows, labels, name))

    @checked
    def moved(self, labels: Sequence[str], group: str) -> "Sheet":
        """Return the sheet with values or groups in another group; in that of the top, they belong to none.

        Args:
            labels: The values, and the labels of groups.
            group: The label of the group.
        """
        return replace(self, rows=edits.moved(self.rows, labels, group))

    @checked
    def renamed(self, label: str, name: str) -> "Sheet":
        """Return the sheet with another label for a group.

        Args:
            label: Its label.
            name: Its new one.
        """
        return replace(self, rows=edits.renamed(self.rows, label, name))

    @checked
    def with_level(self, level: int) -> "Sheet":
        """Return the sheet with one more level, on which all nodes of a level stay what they are.

        Args:
            level: The level that the new one stands above; the values are level 0.
        """
        return replace(self, rows=edits.with_level(self.rows, level))

    @checked
    def without_level(self, level: int) -> "Sheet":
        """Return the sheet without a level between the values and the top.

        Args:
            level: The level; the values are level 0.
        """
        return replace(self, rows=edits.without_level(self.rows, level))

    @checked
    def remade(self, type: str, *, folder: str | Path = ".", **fields: Any) -> "Sheet":  # noqa: A002  (as above)
        """Return the sheet of the same values by another type of hierarchy, without reading the table again.

        Args:
            type: As for `hierarchy`.
            folder: The folder that relative paths start from.
            fields: The parameters of the type.
        """
        values = sorted(self.counts)
        profile = Profile.counted(self.column, values, [*(self.counts[one] for one in values), self.missing])
        return _made(replace(profile, entry=Entry(values=dict(self.labels))), type, fields, Path(folder))

    def nearest(self, value: str) -> str | None:
        """Return the value of the sheet that differs from a value of the data by case, accents or blanks alone."""
        plain = words_of(value)
        return next((row[0] for row in self.rows if plain and words_of(row[0]) == plain), None)

    def tree(self) -> SheetNode:
        """Return the nodes from the top down; a level that changes nothing below a node is passed over."""
        return self._node(range(len(self.rows)), len(self.rows[0]) - 1)

    def _node(self, places: Sequence[int], level: int) -> SheetNode:
        rows, first = self.rows, self.rows[places[0]]
        label, records = first[level], sum(self.counts.get(rows[place][0], 0) for place in places)
        lowest = first.index(label)
        if len(places) == 1:
            value = () if lowest == 0 else (self._node(places, 0),)
            return SheetNode(label, 1, records, value, self.labels.get(label, ""), lowest, places[0])
        parts: dict[str, list[int]] = {}
        while len(parts) < 2:
            level -= 1
            parts = {}
            for place in places:
                parts.setdefault(rows[place][level], []).append(place)
        below = tuple(self._node(part, level) for part in parts.values())
        return SheetNode(label, len(places), records, below, "", lowest, places[0])

    @checked
    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the levels file: all of it or nothing.

        Args:
            path: The file.
            force: Whether an existing file may be replaced.
        """
        target = Path(path)
        check_file(target, force=force)

        def write(draft: Path) -> None:
            draft.write_bytes(self.text.encode("utf-8-sig" if self.text.startswith("\ufeff") else "utf-8"))
            Levels(path=draft.name).build([], self.column, draft.parent)

        write_file(target, write, force=force)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON; it shows the values of the column."""
        return {
            "column": self.column,
            "records": sum(self.counts.values()) + self.missing,
            "missing": self.missing,
            "levels": [len({row[level] for row in self.rows}) for level in range(len(self.rows[0]))],
            "words": self.words,
            "rows": self.rows,
            "lacking": {value: self.counts[value] for value in self.lacking},
        }

    def __repr__(self) -> str:
        sizes = " > ".join(str(size) for size in self.as_dict()["levels"])
        lacks = f"; lacks {len(self.lacking)} values of the data" if self.lacking else ""
        return f"<Sheet of '{self.column}': {sizes} nodes{lacks}>"


@checked
def hierarchy(
    data: Any,
    column: str,
    type: str = "auto",  # noqa: A002  (the job file's word)
    *,
    delimiter: str | None = None,
    progress: Progress = silent,
    **fields: Any,
) -> Sheet:
    """Make the hierarchy of a column, to look at it or to edit it as a levels file.

    Args:
        data: The path of a table or of a job file, a `shoal.table`, or a frame of polars, pandas or pyarrow.
        column: The column.
        type: `auto` (that of the job, otherwise chosen by the values), `frequency` (groups rare values), `groups` (read
            from a file with rows `value;group`), or a type of a job file: `levels`, `intervals`, `masking`, `dates`,
            ...
        delimiter: The field separator of a CSV file; detected by default.
        progress: Called with the current step.
        fields: The parameters of the type, as in a job file, e.g. `widths=[5, 10]`, `path="zip.csv"`.
    """
    _check_type(type)
    job = Job.read(Path(data)) if isinstance(data, str | Path) and Path(data).suffix.lower() == ".toml" else None
    progress("reading the table")
    frame, codebook = read_described(frame_or_location(data, delimiter) if job is None else job.location, [column])
    profile = Profile.of(frame.get_column(column), codebook[column])
    progress("making the hierarchy")
    if job is not None and type == "auto" and not fields:
        asked = job.columns.get(column)
        if asked is not None and asked.hierarchy is not None:
            return _by_recipe(profile, asked.hierarchy, job.folder)
    return _made(profile, type, fields, Path())


def _check_type(name: str) -> None:
    if name not in OWN_TYPES and HIERARCHIES.find(name) is None:
        raise SpecError(f"Unknown type of hierarchy '{name}'. {did_you_mean(name, [*OWN_TYPES, *HIERARCHIES.names])}")


def _made(profile: Profile, kind: str, fields: Mapping[str, Any], folder: Path) -> Sheet:
    _check_type(kind)
    if kind in OWN_TYPES:
        return _own(profile, kind, fields, folder)
    return _by_recipe(profile, _recipe(kind, _found_out(profile, kind, fields), profile.name), folder)


def _found_out(profile: Profile, kind: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add what the values tell and nobody said: how dates are written, and nice widths up to the range."""
    values = profile.kind
    if kind == "dates" and "format" not in fields and values.name == "date":
        return {**fields, "format": values.form}
    if kind == "intervals" and not fields.keys() & {"widths", "cuts"} and values.name == "number":
        fitting = number_rows(profile.values, values.form or "plain")[1]
        return fields if fitting is None else {**fields, "widths": fitting.widths}
    return fields


def read_groups(path: Path, column: str) -> Rows:
    """Read a file of groups: rows `value;group;...`, separated by semicolons, tabs or commas."""
    where = f"groups '{path}' of column '{column}'"
    content = read_text(path, where)
    first = next((line for line in content.splitlines() if line.strip()), "")
    return read_rows(content, next((sign for sign in (";", "\t", ",") if sign in first), ";"), where)[0]


def _own(profile: Profile, kind: str, fields: Mapping[str, Any], folder: Path) -> Sheet:
    allowed = ("path",) if kind == "groups" else ()
    wrong = [name for name in fields if name not in allowed]
    if wrong or len(fields) < len(allowed):
        raise SpecError(
            f"A hierarchy by '{kind}' takes {'the path of a file of groups' if allowed else 'no parameters'}"
            + (f", and no '{wrong[0]}'." if wrong else ": give it (--path).")
        )
    _check_values(profile)
    if kind == "groups":
        where = f"groups '{fields['path']}' of column '{profile.name}'"
        rows = by_groups(profile.values, read_groups(folder / fields["path"], profile.name), where)
        return _sheet(profile, rows, "the groups that were given")
    if kind == "frequency":
        return _sheet(profile, by_frequency(profile.by_value), "rare values are put together")
    made = ladder_of(profile.by_value, profile.kind, profile.distinct)
    return _sheet(profile, made.rows or [], made.words)


def _by_recipe(profile: Profile, recipe: HierarchySpec, folder: Path) -> Sheet:
    """Build a recipe over the values; in numbers and dates, what is neither stays itself."""
    values, name = profile.values, profile.name
    if not named_files(recipe):
        _check_values(profile)
    plain = sum(day_of(value, recipe.format) for value in values) if isinstance(recipe, Dates) else len(values)
    if isinstance(recipe, Intervals) and 0 < count_others(values) < len(values):
        return _sheet(profile, number_rows(values, "plain", recipe)[0], "")
    if isinstance(recipe, Intervals) and profile.kind.name == "number" and profile.kind.form not in (None, "plain"):
        return _sheet(profile, number_rows(values, profile.kind.form, recipe)[0], "")
    if isinstance(recipe, Dates) and 0 < plain < len(values):
        return _sheet(profile, date_rows(values, recipe), "")
    return _sheet(profile, rows_of(recipe.build(values, name, folder)), "")


def _sheet(profile: Profile, rows: Rows, words: str) -> Sheet:
    view, counts = {row[0] for row in rows}, profile.by_value
    lacking = sorted(
        (value for value in profile.values if value not in view), key=lambda value: (-counts[value], value)
    )
    return Sheet(profile.name, rows, counts, profile.missing, tuple(lacking), words, profile.entry.values)


def _check_values(profile: Profile) -> None:
    if not profile.distinct:
        raise SpecError(f"Column '{profile.name}' has no values, so no hierarchy can be made.")


def _recipe(name: str, fields: Mapping[str, Any], column: str) -> HierarchySpec:
    try:
        return TypeAdapter(member_of(HIERARCHIES, "type")).validate_python({"type": name, **fields})
    except ValidationError as error:
        raise SpecError(explain(error, f"hierarchy of column '{column}'", {"": HIERARCHIES})) from None
