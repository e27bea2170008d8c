"""Linear: a promise as constraints of a linear program, for searches that choose all classes at once."""

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
    """Constraints on one class: rows of coefficients, each with a sum of at most 0.

    The variables are the counts of the values in the class, `open` (1 if the class has records, else 0), and further
    amounts that are at least 0. A class with whole counts keeps the promise if and only if some amounts satisfy all
    rows, up to rounding. An empty class has only zeros.

    Args:
        values: `values[row, value]`, the coefficient of the number of records with each value of the column.
        opened: `opened[row]`, the coefficient of whether the class has records.
        amounts: `amounts[row, amount]`, the coefficients of the further amounts.
        either: Whether every amount must be 0 or 1.
    """

    values: NDArray[np.float64]
    opened: NDArray[np.float64]
    amounts: NDArray[np.float64]
    either: bool = False

    @classmethod
    def of(cls, values: Sequence[Sequence[Fraction | int]]) -> "Linear":
        """Return rows about the counts of the values alone."""
        return cls.joined(values, [0] * len(values), [[] for _ in values])

    @classmethod
    def joined(
        cls,
        values: Sequence[Sequence[Fraction | int]],
        opened: Sequence[Fraction | int],
        amounts: Sequence[Sequence[Fraction | int]],
        *,
        either: bool = False,
    ) -> "Linear":
        """Return rows, at least one, each multiplied so that all of its coefficients are whole."""
        rows = [_whole([*a, b, *c]) for a, b, c in zip(values, opened, amounts, strict=True)]
        n_values = len(values[0])
        table = np.array(rows, dtype=np.float64)
        return cls(table[:, :n_values], table[:, n_values], table[:, n_values + 1 :], either)

    @classmethod
    def distinct(cls, least: int, n_values: int) -> "Linear":
        """Require `least` distinct values: an amount is 1 only if the class has the value."""
        one, none = np.eye(n_values, dtype=np.int64).tolist(), [[0] * n_values] * n_values
        return cls.joined(
            [*(-np.eye(n_values, dtype=np.int64)).tolist(), *none, [0] * n_values],
            [*[0] * n_values, *[-1] * n_values, least],
            [*one, *one, [-1] * n_values],
            either=True,
        )

    @classmethod
    def spread(cls, least: int, ranks: Sequence[int], far: Sequence[int]) -> "Linear":
        """Require `least` distinct numbers, two of them far apart.

        An amount of a number is 1 only if the class has it; another one only if the class has it and one far above.

        Args:
            least: The number of distinct numbers.
            ranks: The place of the number of each value in the order of the numbers; -1 if it is none.
            far: By number, the place of the first that is far enough above it; their count if there is none.
        """
        has = [[-1 if rank == one else 0 for rank in ranks] for one in range(len(far))]
        above = [[-1 if rank >= first else 0 for rank in ranks] for first in far]
        none, size = [0] * len(ranks), len(far)
        one = np.eye(2 * size, dtype=np.int64).tolist()
        return cls.joined(
            [*has, *has, *above, *[none] * size, none, none],
            [*[0] * 3 * size, *[-1] * size, least, 1],
            [*one, *one[size:], *one[:size], [-1] * size + [0] * size, [0] * size + [-1] * size],
            either=True,
        )

    @classmethod
    def shares(cls, caps: Sequence[Fraction], floors: Sequence[Fraction] | None = None) -> "Linear":
        """Require the share of each value to be at most its cap and at least its floor."""
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
        """Require the largest count to be below `times` the sum of all but the `least - 1` largest ones.

        With the largest count r1 and the sum s of the least - 1 largest counts: r1 + times * s < times * N; in whole
        numbers, the left side is smaller by at least 1. The amounts are r1, a level, and the excess of each count above
        the level: s is the minimum of (least - 1) * level + all excesses.
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
        """Require the earth mover's distance along the edges of a tree to be at most `limit`.

        The mass that moves along an edge is the difference, on one side of it, between the class and its share of the
        table; each amount is at least its absolute value.

        Args:
            sides: `sides[edge, value]`, which values are on one side of each edge.
            lengths: The length of each edge.
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
        """Require the excess over the table's shares to be at most `limit` in total: the equal distance.

        With up to three values, all but one are above their share or all but one below, so caps and floors suffice.
        """
        n_values = len(shares)
        if n_values <= _FEW:
            return cls.shares([share + limit for share in shares], [share - limit for share in shares])
        rows = [[(value == other) - share for other in range(n_values)] for value, share in enumerate(shares)]
        eye = [[-(value == other) for other in range(n_values)] for value in range(n_values)]
        return cls.joined([*rows, [-limit] * n_values], [0] * (n_values + 1), [*eye, [1] * n_values])

    @classmethod
    def flow(cls, distances: Sequence[Sequence[Fraction]], shares: Sequence[Fraction], limit: Fraction) -> "Linear":
        """Require the earth mover's distance by any metric to be at most `limit`; the amounts are the flows."""
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
    """Return a row multiplied to whole coefficients, or by less if these were too large."""
    if all(type(entry) is int and abs(entry) <= _ROOM for entry in row):
        return list(map(float, row))
    entries = [Fraction(entry) for entry in row]
    scale = Fraction(lcm(*(entry.denominator for entry in entries)))
    largest = max(abs(entry) for entry in entries) * scale
    if largest > _ROOM:
        scale *= _ROOM / largest
    return [float(entry * scale) for entry in entries]
