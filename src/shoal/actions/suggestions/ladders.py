"""Ladders: suitable generalization levels for a column, by the kind of its values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.actions.suggestions.kinds import ValueKind, day_of, hour_of, plain_number, span_of
from shoal.foundation.wording import number_of
from shoal.tables.hierarchies import Dates, HierarchySpec, Intervals, Masking, Order, Suppression
from shoal.tables.hierarchies.hierarchy import STAR
from shoal.tables.hierarchies.intervals import fitting
from shoal.tables.hierarchies.numeric import scaled
from shoal.tables.hierarchies.rows import Rows, by_frequency, rows_of, with_distinct_labels, with_ungrouped


@dataclass(frozen=True, slots=True)
class Ladder:
    """The generalization levels of a column.

    Args:
        rows: One row for each value, from the value to the top; None if a recipe is better.
        recipe: The recipe that gives the same levels, if there is one.
        words: A description of the levels.
        freer: The type of hierarchy that publishes any range or set of values; empty if it is no better.
    """

    rows: Rows | None
    recipe: HierarchySpec | None
    words: str
    freer: str


def ladder_of(counts: Mapping[str, int], kind: ValueKind, most: int) -> Ladder:
    """Return suitable levels for the values of a column.

    Args:
        counts: The number of records of each value.
        kind: The kind of the values.
        most: The number of distinct values above which a recipe is better than a file.
    """
    values = list(counts)
    if not values:
        return Ladder(None, Suppression(), "a star: all values are missing", "")
    if kind.name == "number":
        made = _numbers(values, kind.form or "plain", most)
    elif kind.name == "date":
        made = _dates(values, kind.form, most)
    elif kind.name == "clock" and len(values) <= most and all(map(hour_of, values)):
        made = _clocks(values)
    elif kind.name == "span" and len(values) <= most and all(map(span_of, values)):
        made = _spans(values)
    elif kind.name == "code" and _few_lengths(values):
        made = _codes(values, most)
    else:
        made = None
    return made or _categories(counts, most)


def number_rows(values: Sequence[str], form: str, recipe: Intervals | None = None) -> tuple[Rows, Intervals | None]:
    """Return rows of intervals for the numbers among values, and the recipe; other values are kept.

    Args:
        values: The values.
        form: The format of the numbers.
        recipe: The intervals; by default of round widths up to the range, and none if the range is too small.
    """
    plain = {value: number for value in values if (number := plain_number(value, form)) is not None}
    found = scaled(sorted(set(plain.values())))
    widths = recipe or (fitting(*found) if found is not None and found[0] else None)
    if widths is None:
        return [], None
    built = {row[0]: row[1:] for row in rows_of(widths.build(sorted(set(plain.values())), "numbers"))}
    place = {number: i for i, number in enumerate(built)}
    ordered = sorted(plain, key=lambda value: (place[plain[value]], value))
    others = sorted(value for value in values if value not in plain)
    return with_distinct_labels(with_ungrouped([[value, *built[plain[value]]] for value in ordered], others)), widths


def date_rows(values: Sequence[str], recipe: Dates) -> Rows:
    """Return rows of calendar periods for the dates among values; other values are kept."""
    days = [value for value in values if day_of(value, recipe.format)]
    others = sorted(set(values) - set(days))
    return with_distinct_labels(with_ungrouped(rows_of(recipe.build(days, "dates")), others))


def _numbers(values: Sequence[str], form: str, most: int) -> Ladder | None:
    others = sum(plain_number(value, form) is None for value in values)
    numbers = None if form != "plain" or others else scaled(values)
    if len(values) > most:
        widths = None if numbers is None else fitting(*numbers)
        return None if widths is None else Ladder(None, widths, _widths(widths), "ranges")
    rows, widths = number_rows(values, form)
    if widths is None:
        return None
    return Ladder(rows, None if numbers is None else widths, _widths(widths) + _kept(others), "ranges")


def _dates(values: Sequence[str], form: str | None, most: int) -> Ladder | None:
    recipe = Dates(format=form)
    others = sum(not day_of(value, form) for value in values)
    freer = "ranges" if form is None else "sets"
    if len(values) > most:
        return None if others else Ladder(None, recipe, _calendar(), freer)
    return Ladder(date_rows(values, recipe), None if others else recipe, _calendar() + _kept(others), freer)


def _codes(values: Sequence[str], most: int) -> Ladder:
    words = "the codes with ever more signs masked from the right"
    rows = None if len(values) > most else with_distinct_labels(rows_of(Masking().build(values, "codes")))
    return Ladder(rows, Masking(), words, "")


def _clocks(values: Sequence[str]) -> Ladder:
    """Return hours, and quarters of the day; if all are plain minutes, also for minutes that the values lack."""
    minutes = [f"{hour:02d}:{minute:02d}" for hour in range(24) for minute in range(60)]
    every = minutes if set(values) <= set(minutes) else values
    hours = {value: int(hour_of(value) or 0) for value in every}
    ordered = sorted(every, key=lambda value: (hours[value], value))
    rows = [[value, *(_hours(hours[value], width) for width in (1, 6)), STAR] for value in ordered]
    return Ladder(with_distinct_labels(rows), None, "hour, six hours", "sets")


def _hours(hour: int, width: int) -> str:
    first = hour - hour % width
    return f"{first:02d}:00-{first + width - 1:02d}:59"


def _spans(values: Sequence[str]) -> Ladder:
    """Return groups of two consecutive spans, then of four, and so on."""
    ordered = sorted(values, key=lambda value: (span_of(value) or (0, 0), value))
    joined = Order(fanout=2, order=tuple(ordered)).build(values, "spans")
    return Ladder(
        with_distinct_labels(rows_of(joined)), None, "neighbours two by two, then four by four, and so on", "sets"
    )


def _categories(counts: Mapping[str, int], most: int) -> Ladder:
    if len(counts) > most or not counts:
        return Ladder(None, Suppression(), "the value or a star", "")
    rows = by_frequency(counts)
    steps = len(rows[0]) - 2
    words = (
        "rare values are put together first; put together what belongs together instead"
        if steps
        else ("the value or a star")
    )
    return Ladder(rows, None if steps else Suppression(), words, "sets")


def _few_lengths(values: Sequence[str]) -> bool:
    return max(map(len, values), default=0) <= 12


def _widths(recipe: Intervals) -> str:
    return "intervals of " + ", ".join(f"{float(width):g}" for width in recipe.widths or ()) + ", counted from 0"


def _calendar() -> str:
    return "day, month, quarter, year, decade"


def _kept(others: int) -> str:
    return f"; {number_of(others, 'other value', 'stay')} apart up to the top" if others else ""
