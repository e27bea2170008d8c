"""The distances of columns for which none were given, chosen by what their values look like."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.clusters.distances.equal import Equal
from shoal.clusters.distances.number import Number, ScaledBy
from shoal.clusters.distances.reading import read_days, read_numbers
from shoal.clusters.distances.spec import DistanceSpec
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.numeric import DecimalMark, pointed

_GROUP = 3  # digits between two marks
_NUMBERS, _MOST = 10, 0.9  # from so many numbers on, and this share of the values, a column is one of numbers


def automatic_distance(values: Sequence[str], form: str | None = None) -> DistanceSpec:
    """Choose a distance by the distinct values of a column; their order does not matter.

    Numbers and dates get the distance `number`, everything else `equal`. A comma may stand before decimals, unless all
    of them may as well stand between groups of three digits, as in 1,234. Digits are codes, not numbers, if some value
    has a leading zero, such as 02138.

    Args:
        values: The values, without the missing one.
        form: The date format, if it is known.
    """
    if not values:
        return Equal()
    if form is not None and read_days(values, form) is not None:
        return Number(format=form)
    if not _are_codes(values) and (read_numbers(values) is not None or read_days(values) is not None):
        return Number()
    if any(map(_has_decimals, values)) and read_numbers(values, ",") is not None:
        return Number(decimal=",")
    return Equal()


def _has_decimals(value: str) -> bool:
    """Tell whether a comma can stand before decimals alone: it is the only one, and not before three digits."""
    whole, _, decimals = value.strip().partition(",")
    return decimals.isdecimal() and (len(decimals) != _GROUP or "." in whole)


def completed(
    given: Mapping[str, DistanceSpec | None],
    values: Mapping[str, Sequence[str]],
    forms: Mapping[str, str | None] | None = None,
) -> dict[str, DistanceSpec]:
    """Return the distance of each column, with defaults for distances and scales that were not given.

    A number without a scale is measured in standard deviations if all columns are numbers. Otherwise it is measured in
    units of its range, so that its largest distance is 1, like that of two different categories.

    Args:
        given: The distance of each quasi column, or None; the columns are those of the table, in their order.
        values: The distinct values of each, without the missing one.
        forms: The date format of each column, where it is known.

    Returns:
        A distance for each column, except those that share the axis of another column.

    Raises:
        SpecError: Nearly all values of a column are numbers, and some are not: these would make categories of all.
    """
    taken = {recipe.partner for recipe in given.values() if recipe is not None}
    found = {
        name: recipe or _chosen(values[name], (forms or {}).get(name), name)
        for name, recipe in given.items()
        if name not in taken
    }
    scale: ScaledBy = "deviation" if all(isinstance(recipe, Number) for recipe in found.values()) else "range"
    return {name: _scaled(recipe, scale) for name, recipe in found.items()}


def _chosen(values: Sequence[str], form: str | None, name: str) -> DistanceSpec:
    chosen, strangers = automatic_distance(values, form), _strangers(values)
    if isinstance(chosen, Equal) and strangers and len(values) - strangers >= max(_NUMBERS, _MOST * len(values)):
        raise SpecError(
            f"Column '{name}' holds numbers, but {strangers} of its {len(values)} different values are not "
            "numbers (they are not shown here, since they are data), so that the distance of two values is "
            "not defined. Say that these mean a missing value (missing_values), or choose a distance, such "
            "as 'equal'."
        )
    return chosen


def _strangers(values: Sequence[str]) -> int:
    """Return how many values are no numbers, in the notation that more of them have."""
    marks: Sequence[DecimalMark] = (".", ",") if any(map(_has_decimals, values)) else (".",)
    return min(sum(pointed(value, mark) is None for value in values) for mark in marks)


def _scaled(recipe: DistanceSpec, scale: ScaledBy) -> DistanceSpec:
    without = isinstance(recipe, Number) and recipe.scale is None and recipe.unit is None
    return replace(recipe, scale=scale) if without else recipe  # type: ignore[call-arg]


def _are_codes(values: Sequence[str]) -> bool:
    return all(value.isascii() and value.isdigit() for value in values) and any(
        len(value) > 1 and value[0] == "0" for value in values
    )
