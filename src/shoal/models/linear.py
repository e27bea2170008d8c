"""Linear: a promise as rows of a linear program, for searches that decide all classes at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FEW = 3
_ROOM = 10**6  # the largest whole coefficient; a row with larger ones is divided


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Rows over one class, each of which sums up to at most 0.

    A class that keeps the promise has whole counts of values with which all rows hold, for some amounts of at least 0.
    With whole counts, and `open` as 1, none but such a class does, up to rounding. An empty class has zeros only, and
    `open` as 0.

    Args:
        values: `values[row, value]`, the coefficient of the number of records with each value of the column.
        opened: `opened[row]`, the coefficient of whether the class has records.
        amounts: `amounts[row, amount]`, the coefficients of further amounts, which are at least 0.
        either: Whether an amount is 0 or 1.
    """

    values: NDArray[np.float64]
    opened: NDArray[np.float64]
    amounts: NDArray[np.float64]
    either: bool = False

    @classmethod
    def of(cls, values: Sequence[Sequence[Fraction | int]], opened: Sequence[Fraction | int] | None = None) -> "Linear":
        """Return rows without further amounts."""
        return cls.joined(values, opened if opened is not None else [0] * len(values), [[] for _ in values])

    @classmethod
    def joined(
        cls,
        values: Sequence[Sequence[Fraction | int]],
        opened: Sequence[Fraction | int],
        amounts: Sequence[Sequence[Fraction | int]],
        *,
        either: bool = False,
    ) -> "Linear":
        """Return rows, each made whole by what makes all of its coefficients whole."""
        rows = [_whole([*a, b, *c]) for a, b, c in zip(values, opened, amounts, strict=True)]
        n_values = len(values[0]) if values else 0
        n_amounts = len(amounts[0]) if amounts else 0
        table = np.array(rows, dtype=np.float64).reshape(len(rows), n_values + 1 + n_amounts)
        return cls(table[:, :n_values], table[:, n_values], table[:, n_values + 1 :], either)

    @classmethod
    def distinct(cls, least: int, n_values: int) -> "Linear":
        """Ask for a number of different values: an amount is 1 only if the value is shown."""
        one, none = np.eye(n_values, dtype=np.int64).tolist(), [[0] * n_values] * n_values
        return cls.joined(
            [*(-np.eye(n_values, dtype=np.int64)).tolist(), *none, [0] * n_values],
            [*[0] * n_values, *[-1] * n_values, least],
            [*one, *one, [-1] * n_values],
            either=True,
        )

    @classmethod
    def shares(cls, caps: Sequence[Fraction], floors: Sequence[Fraction] | None = None) -> "Linear":
        """Ask that the share of each value is at most its cap and at least its floor."""
        n_values = len(caps)
        rows = [
            [(1 if value == other else 0) - cap for other in range(n_values)]
            for value, cap in enumerate(caps)
            if cap < 1
        ]
        rows += [
            [floor - (1 if value == other else 0) for other in range(n_values)]
            for value, floor in enumerate(floors or [])
            if floor > 0
        ]
        return cls.of(rows) if rows else cls(np.zeros((0, n_values)), np.zeros(0), np.zeros((0, 0)))

    @classmethod
    def tail(cls, times: Fraction, least: int, n_values: int) -> "Linear":
        """Ask that the most frequent value is below `times` the sum of all but the `least - 1` most frequent ones.

        With the largest count r1 and the sum s of the least - 1 largest ones: r1 + times * s < times * N, so that in
        whole numbers the left side is smaller by 1 at least. The amounts are r1, a level, and by how much each count is
        above it: s is the least of (least - 1) * level + all excesses.
        """
        up, down = times.numerator, times.denominator
        eye = np.eye(n_values, dtype=np.int64).tolist()
        values: list[list[Any]] = [[-up] * n_values, *eye, *eye]
        amounts: list[list[Any]] = [[down, up * (least - 1), *[up] * n_values]]
        amounts += [[-1, 0, *[0] * n_values] for _ in range(n_values)]
        amounts += [[0, -1, *(-1 if value == other else 0 for other in range(n_values))] for value in range(n_values)]
        return cls.joined(values, [1, *[0] * (2 * n_values)], amounts)

    @classmethod
    def work(
        cls, sides: NDArray[np.bool_], lengths: Sequence[Fraction], shares: Sequence[Fraction], limit: Fraction
    ) -> "Linear":
        """Ask that the earth mover's distance along the edges of a tree is at most `limit`.

        What moves along an edge is the difference of the class from its share of the table, on one side of it; each
        amount is at least that, either way.

        Args:
            sides: `sides[edge, value]`, which values are on one side of each edge.
            lengths: How long each edge is.
            shares: The share of each value in the table.
            limit: The distance.
        """
        n_values, n_edges = len(shares), len(lengths)
        rows: list[list[Any]] = []
        for side in sides:
            inside = sum((share for share, here in zip(shares, side, strict=True) if here), Fraction(0))
            rows.append([(1 if here else 0) - inside for here in side])
        if n_edges == 1:
            above = [
                [lengths[0] * entry - limit for entry in rows[0]],
                [-lengths[0] * entry - limit for entry in rows[0]],
            ]
            return cls.of(above)
        eye = [[-1 if edge == other else 0 for other in range(n_edges)] for edge in range(n_edges)]
        turned = [[-entry for entry in row] for row in rows]
        return cls.joined([*rows, *turned, [-limit] * n_values], [0] * (2 * n_edges + 1), [*eye, *eye, list(lengths)])

    @classmethod
    def apart(cls, shares: Sequence[Fraction], limit: Fraction) -> "Linear":
        """Ask that what is above the table's shares adds up to at most `limit`: any two values are 1 apart.

        Of up to three values, all but one are above or all but one below: caps and floors say it all.
        """
        n_values = len(shares)
        if n_values <= _FEW:
            return cls.shares([share + limit for share in shares], [share - limit for share in shares])
        rows = [[(value == other) - share for other in range(n_values)] for value, share in enumerate(shares)]
        eye = [[-(value == other) for other in range(n_values)] for value in range(n_values)]
        return cls.joined([*rows, [-limit] * n_values], [0] * (n_values + 1), [*eye, [1] * n_values])

    @classmethod
    def flow(cls, distances: Sequence[Sequence[Fraction]], shares: Sequence[Fraction], limit: Fraction) -> "Linear":
        """Ask that the earth mover's distance by any metric is at most `limit`; the amounts are what moves where."""
        n_values = len(shares)
        pairs = [(a, b) for a in range(n_values) for b in range(n_values) if a != b]
        rows = [
            [(1 if value == other else 0) - share for other in range(n_values)] for value, share in enumerate(shares)
        ]
        flows: list[list[Any]] = [[(b == value) - (a == value) for a, b in pairs] for value in range(n_values)]
        return cls.joined(
            [*rows, [-limit] * n_values], [0] * (n_values + 1), [*flows, [distances[a][b] for a, b in pairs]]
        )


def _whole(row: Sequence[Fraction | int]) -> list[float]:
    """Return a row times what makes it whole, or less where that would be too large."""
    entries = [Fraction(entry) for entry in row]
    scale = Fraction(lcm(*(entry.denominator for entry in entries)))
    largest = max((abs(entry) for entry in entries), default=Fraction(0)) * scale
    if largest > _ROOM:
        scale *= _ROOM / largest
    return [float(entry * scale) for entry in entries]
