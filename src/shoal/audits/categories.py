"""Categories: which columns hold categories, even if their values are written in digits."""

from collections.abc import Sequence
from pathlib import Path

from shoal.audits.notations import number, read_range
from shoal.foundation.errors import SpecError
from shoal.tables.formats.codebook import Entry
from shoal.tables.hierarchies import HierarchySpec, Levels, Masking, Sets, Taxonomy


def are_categories(
    values: Sequence[str], entry: Entry, recipe: HierarchySpec | None, name: str, folder: Path = Path()
) -> bool:
    """Tell whether the values of a column are categories, whose differences and mean have no meaning.

    They are if each value has a label in the file, or if the hierarchy of the column groups them by name: a taxonomy,
    sets, masking, or levels with a group that is not a range of numbers.

    Args:
        values: The distinct values, without the missing one.
        entry: The column's entry in the codebook of the file.
        recipe: The hierarchy of the column.
        name: The column.
        folder: Where the file of the hierarchy is found.
    """
    told = [value for value in values if value not in entry.codes]
    if entry.labels_all(told) or isinstance(recipe, Masking | Taxonomy | Sets):
        return True
    return isinstance(recipe, Levels) and _by_name(recipe, told, name, folder)


def _by_name(recipe: Levels, values: Sequence[str], name: str, folder: Path) -> bool:
    """Tell whether some group between the values and the star is not a range; False if the levels cannot be read."""
    try:
        hierarchy = recipe.build(values, name, folder)
    except SpecError:
        return False
    groups = {label for level in hierarchy.labels[1:-1] for label in level if label is not None}
    return any(read_range(group) is None and number(group) is None for group in groups)
