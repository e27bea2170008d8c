"""Which raw values a released cell may stand for, by the judge's own reading of the hierarchies."""

import calendar
import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any

Covers = Callable[[str, str], bool]
"""Tells whether a cell, the first text, may stand for a raw value, the second."""
Levels = list[dict[str, str]]
"""The label of each value at each level, from the values themselves to the top."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_STEPS = ("day", "month", "quarter", "year", "decade")
_MASKS = 12


def numeral(text: str) -> Fraction | None:
    """Read a plain number."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def moment(text: str, form: str | None = None) -> date | None:
    """Read a date, with or without a time."""
    try:
        return datetime.strptime(text, form).date() if form else datetime.fromisoformat(text).date()
    except ValueError:
        return None


def covering(recipe: Mapping[str, Any] | None, values: Sequence[str], files: Mapping[str, str]) -> Covers:
    """Return which cells cover which values of a column, by its hierarchy; without one, any automatic one will do."""
    values = sorted({value for value in values if value})
    if recipe is None:
        return _any(_masked({}, values), _ranged({}, values), _listed, _within({}), _calendar({}))
    kind = recipe["type"]
    if kind == "ranges":
        return _any(_ranged(recipe, values), _within({}), _calendar({}))
    if kind == "sets":
        return _any(_listed)
    if kind == "intervals":
        return _any(_within(recipe))
    if kind == "dates":
        return _any(_calendar(recipe))
    if kind == "masking":
        return _any(_masked(recipe, values))
    if kind == "order":
        return _any(_ranged(recipe, values))
    if kind == "collection":
        named = dict(zip(recipe["labels"], recipe["subsets"], strict=True))
        return _any(lambda cell, value: value in named.get(cell, ()))
    levels = levels_of(recipe, values, files)
    if levels is None:
        raise ValueError(f"The judge cannot read a hierarchy of type {kind}.")
    return _any(
        lambda cell, value: any(labels.get(value) == cell for labels in levels),
        top=next(iter(levels[-1].values()), "*"),
    )


def _any(*ways: Covers, top: str = "*") -> Covers:
    """A star and the top cover all; a missing value is covered by itself, and a value in these ways, too."""

    def covers(cell: str, value: str) -> bool:
        if cell in ("*", top, value):
            return True
        return bool(cell and value) and any(way(cell, value) for way in ways)

    return covers


def _listed(cell: str, value: str) -> bool:
    if not (cell.startswith("{") and cell.endswith("}")):
        return False
    inner = cell[1:-1]
    for length in range(1, _MASKS):
        comma = "," * length + " "
        if inner.startswith(value + comma) or inner.endswith(comma + value) or comma + value + comma in inner:
            return True
    return False


def _masked(recipe: Mapping[str, Any], values: Sequence[str]) -> Covers:
    labels = [
        {value: mask(value, hidden, recipe, values) for value in values}
        for hidden in range(longest(recipe, values) + 1)
    ]
    return lambda cell, value: any(one.get(value) == cell for one in labels)


def longest(recipe: Mapping[str, Any], values: Sequence[str]) -> int:
    """Return how many characters the longest value has."""
    return int(recipe.get("longest") or max(map(len, values), default=0))


def mask(value: str, hidden: int, recipe: Mapping[str, Any], values: Sequence[str]) -> str:
    """Hide so many positions, counted from one end of the longest value; a value that does not reach them stays."""
    kept = longest(recipe, values) - hidden
    if len(value) < kept or hidden == 0:
        return value
    character = recipe.get("character", "*") * hidden
    left = recipe.get("from", "right") == "left"
    return character + value[len(value) - kept :] if left else value[:kept] + character


def _calendar(recipe: Mapping[str, Any]) -> Covers:
    def covers(cell: str, value: str) -> bool:
        day = moment(value, recipe.get("format"))
        return day is not None and cell in {period(day, step) for step in recipe.get("steps", _STEPS)}

    return covers


def period(day: date, step: str) -> str:
    """Return the period of the calendar that a day lies in."""
    return {
        "day": day.isoformat(),
        "month": f"{day.year:04d}-{day.month:02d}",
        "quarter": f"{day.year:04d}-Q{(day.month + 2) // 3}",
        "year": f"{day.year:04d}",
        "decade": f"{day.year // 10 * 10:04d}s",
    }[step]


def _within(recipe: Mapping[str, Any]) -> Covers:
    """An interval holds the number, and its ends are those that the recipe allows."""
    start, widths = Fraction(str(recipe.get("start", 0))), [Fraction(str(one)) for one in recipe.get("widths") or ()]
    cuts = {Fraction(str(cut)) for level in recipe.get("cuts") or () for cut in level}

    def allowed(low: Fraction | None, high: Fraction | None) -> bool:
        if cuts:
            return all(end is None or end in cuts for end in (low, high))
        if not widths:
            return True
        return low is not None and high is not None and high - low in widths and (low - start) % (high - low) == 0

    def covers(cell: str, value: str) -> bool:
        point, ends = numeral(value), interval(cell)
        if point is None or ends is None:
            return False
        low, high = ends
        return allowed(low, high) and (low is None or low <= point) and (high is None or point < high)

    return covers


def interval(cell: str) -> tuple[Fraction | None, Fraction | None] | None:
    """Read `20-24`, `[20, 25)`, `<18` and `>=65` as ends of which the last is not included; a number is one of 1."""
    if found := re.fullmatch(r"\[(.+), (.+)\)", cell):
        low, high = numeral(found[1]), numeral(found[2])
        return None if low is None or high is None else (low, high)
    if found := re.fullmatch(r"(\d+)-(\d+)", cell):
        return Fraction(found[1]), Fraction(found[2]) + 1
    if found := re.fullmatch(r"(<|>=)(.+)", cell):
        end = numeral(found[2])
        return None if end is None else ((None, end) if found[1] == "<" else (end, None))
    whole = numeral(cell)
    return None if whole is None or whole.denominator != 1 else (whole, whole + 1)


def _ranged(recipe: Mapping[str, Any], values: Sequence[str]) -> Covers:
    """A range runs from one end to the other in the order of the column; ends may be coarser than days."""
    order = list(recipe.get("order") or ())
    key: Callable[[str, bool], Any]
    if order:
        key = lambda text, _: order.index(text) if text in order else None  # noqa: E731
    elif all(numeral(value) is not None for value in values):
        key = lambda text, _: numeral(text)  # noqa: E731
    elif all(moment(value) is not None for value in values):
        key = _day
    else:
        key = lambda text, _: text  # noqa: E731

    def covers(cell: str, value: str) -> bool:
        point: Any = key(value, False)
        low: Any
        high: Any
        for found in re.finditer(r" -+ ", cell):
            low, high = key(cell[: found.start()], False), key(cell[found.end() :], True)
            if not {low, high, point} & {None} and low <= point <= high:
                return True
        return False

    return covers


def _day(text: str, last: bool) -> date | None:
    """Return a day, or the first or the last one of a period of the calendar."""
    if (day := moment(text)) is not None:
        return day
    found = re.fullmatch(r"(\d{4})(?:-(\d\d)|-Q([1-4])|(s))?", text)
    if found is None:
        return None
    year, month = int(found[1]), int(found[2] or 0)
    first, final = (month, month) if month else (1, 12)
    if found[3]:
        first, final = int(found[3]) * 3 - 2, int(found[3]) * 3
    until = year + 9 if found[4] else year
    return date(until, final, calendar.monthrange(until, final)[1]) if last else date(year, first, 1)


def levels_of(recipe: Mapping[str, Any] | None, values: Sequence[str], files: Mapping[str, str]) -> Levels | None:
    """Return the levels of a hierarchy over these values, from the values to the top; None if it is not read here."""
    values = sorted({value for value in values if value})
    kind = None if recipe is None else recipe["type"]
    if recipe is None or kind not in _LEVELS:
        return None
    return _LEVELS[kind](recipe, values, files)


def _file_levels(recipe: Mapping[str, Any], _: Sequence[str], files: Mapping[str, str]) -> Levels:
    rows = [row for row in csv.reader(io.StringIO(files[recipe["path"]], newline=""), delimiter=";") if row]
    return [{row[0]: row[level] for row in rows} for level in range(len(rows[0]))]


def _taxonomy(recipe: Mapping[str, Any], _: Sequence[str], files: Mapping[str, str]) -> Levels:
    """A leaf so many steps below the root stays itself until the level at which its way up begins."""
    path = recipe.get("path")
    if path is None:
        tree = recipe["tree"]
    else:
        tree = json.loads(files[path]) if path.endswith(".json") else tomllib.loads(files[path])
    ways = list(_ways_up(tree, ()))
    height = max(len(way) for way in ways) - 1
    return [
        {way[-1]: way[-1] if level <= height - len(way) + 1 else way[height - level] for way in ways}
        for level in range(height + 1)
    ]


def _ways_up(part: Any, above: tuple[str, ...]) -> Any:
    if isinstance(part, str):
        yield (*above, part)
    elif isinstance(part, list):
        for one in part:
            yield from _ways_up(one, above)
    else:
        for name, below in part.items():
            yield from _ways_up(below, (*above, name))


def _star(values: Sequence[str]) -> dict[str, str]:
    return dict.fromkeys(values, "*")


def _value_or_star(_: Mapping[str, Any], values: Sequence[str], __: Mapping[str, str]) -> Levels:
    return [{value: value for value in values}, _star(values)]


def _masking(recipe: Mapping[str, Any], values: Sequence[str], _: Mapping[str, str]) -> Levels:
    most = longest(recipe, values) - 1
    masked = min(recipe.get("levels") or most, most)
    return [
        *({value: mask(value, hidden, recipe, values) for value in values} for hidden in range(max(masked, 0) + 1)),
        _star(values),
    ]


def _dates(recipe: Mapping[str, Any], values: Sequence[str], _: Mapping[str, str]) -> Levels | None:
    days = {value: moment(value, recipe.get("format")) for value in values}
    if None in days.values():
        return None
    steps = [step for step in _STEPS if step in recipe.get("steps", _STEPS)]
    periods = [{value: period(day, step) for value, day in days.items() if day is not None} for step in steps]
    return [{value: value for value in values}, *periods, _star(values)]


def _intervals(recipe: Mapping[str, Any], values: Sequence[str], _: Mapping[str, str]) -> Levels | None:
    points = {value: numeral(value) for value in values}
    known = {value: point for value, point in points.items() if point is not None}
    if len(known) < len(points):
        return None
    start = Fraction(str(recipe.get("start", 0)))
    levels = [{value: value for value in values}]
    for width in recipe.get("widths") or ():
        levels.append({value: str((point - start) // Fraction(str(width))) for value, point in known.items()})
    for cuts in recipe.get("cuts") or ():
        ends = [Fraction(str(cut)) for cut in cuts]
        levels.append({value: str(sum(end <= point for end in ends)) for value, point in known.items()})
    return [*levels, _star(values)]


_LEVELS: dict[str, Callable[[Mapping[str, Any], Sequence[str], Mapping[str, str]], Levels | None]] = {
    "levels": _file_levels,
    "taxonomy": _taxonomy,
    "suppression": _value_or_star,
    "sets": _value_or_star,
    "masking": _masking,
    "dates": _dates,
    "intervals": _intervals,
}
