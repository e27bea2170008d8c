"""What the attacks find, by looking at all pairs, written as plainly as possible."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = tuple[str | None, ...]


def covers(cell: str | None, value: str | None) -> bool:
    """Tell whether a cell of the notations that the tests draw may stand for a value, missing ones being wildcards."""
    if cell is None or value is None or cell == "*" or cell == value:
        return True
    if cell.startswith("["):
        low, high = cell.strip("[)").split(", ")
        return int(low) <= int(value) < int(high)
    if "-" in cell:
        low, high = cell.split("-")
        return int(low) <= int(value) <= int(high)
    return cell.endswith("*") and len(cell) == len(value) and value.startswith(cell.rstrip("*"))


def printed(cell: str) -> list[str]:
    """Return the values that a range such as `20 - 29` or a set such as `{a, b}` prints."""
    if " - " in cell:
        return cell.split(" - ")
    return cell.strip("{}").split(", ") if cell.startswith("{") else []


def matches(release: Sequence[Row], person: Row) -> list[Row]:
    """Return the records that may be a person's; the quasi columns come first."""
    return [row for row in release if all(map(covers, row, person))]


def classes(release: Sequence[Row], n_quasi: int) -> list[list[Row]]:
    found: dict[Any, list[Row]] = {}
    for row in release:
        found.setdefault(row[:n_quasi], []).append(row)
    return list(found.values())


def certain(release: Sequence[Row], n_quasi: int, ruled_out: int) -> int:
    """Count the records whose value alone is left once so many other values of their class are ruled out."""
    return sum(len(part) for part in classes(release, n_quasi) if len({row[n_quasi] for row in part}) - 1 <= ruled_out)


def expected_guesses(release: Sequence[Row], n_quasi: int, ruled_out: int) -> Fraction:
    """Sum, over the records, the chance to draw its value once the most frequent others of its class are out."""
    total = Fraction(0)
    for part in classes(release, n_quasi):
        counts = Counter(row[n_quasi] for row in part)
        for value, count in counts.items():
            others = sorted((n for v, n in counts.items() if v != value), reverse=True)
            total += count * Fraction(count, len(part) - sum(others[:ruled_out]))
    return total


@dataclass
class Risen:
    records: int
    holders: int
    classes: int


def risen(release: Sequence[Row], n_quasi: int, least: Fraction, *, times: bool = False) -> Risen:
    """Count what lies in classes in which a value's share of the class has risen over its share of the whole."""
    whole = Counter(row[n_quasi] for row in release)
    found = Risen(0, 0, 0)
    for part in classes(release, n_quasi):
        counts = Counter(row[n_quasi] for row in part)
        shares = {v: (Fraction(n, len(part)), Fraction(whole[v], len(release))) for v, n in counts.items()}
        up = [v for v, (own, all_) in shares.items() if (own >= least * all_ if times else own - all_ >= least)]
        if up:
            found.records += len(part)
            found.classes += 1
            found.holders += sum(counts[v] for v in up)
    return found


def within_range(release: Sequence[Row], n_quasi: int, width: Fraction) -> int:
    """Count the records in classes whose numbers lie within a share of the whole range."""
    numbers = [Fraction(str(row[n_quasi])) for row in release if row[n_quasi] is not None]
    reach = max(numbers) - min(numbers)
    total = 0
    for part in classes(release, n_quasi):
        if all(row[n_quasi] is not None for row in part):
            own = [Fraction(str(row[n_quasi])) for row in part]
            total += len(part) * (max(own) - min(own) <= width * reach)
    return total


def left(first: Sequence[Row], second: Sequence[Row], n_quasi: int, person: Row) -> int:
    """Return how many records may be a person's in both releases, by what stands behind the quasi columns."""
    one, other = (Counter(row[n_quasi:] for row in matches(side, person)) for side in (first, second))
    return (one & other).total()
