"""SufficientTest: a promise as a test of one class by its counts, for compiled searches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.sufficient_tests import DISTINCT, ENTROPY, SHARES, SPREAD, TAIL, WORK

_ROOM = 2**30  # the largest denominator: times a number of records it stays below 2^62


@dataclass(frozen=True, slots=True, eq=False)
class SufficientTest:
    """A sufficient condition for a promise: a class that passes keeps it; rounding may refuse one that barely keeps it.

    The arrays are indexed by the values of the column, and for `WORK` by the nodes of a tree whose first nodes are the
    values; see `kernels.sufficient_tests.SufficientTests`.
    """

    kind: int
    least: int = 0
    scale: int = 1
    limit: float = 0.0
    caps: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    floors: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    parents: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    edges: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    references: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def distinct(cls, least: int) -> "SufficientTest":
        """Require `least` distinct values."""
        return cls(DISTINCT, least=least)

    @classmethod
    def spread(cls, least: int, width: Fraction, ranks: NDArray[np.int64], numbers: Sequence[int]) -> "SufficientTest":
        """Require `least` distinct numbers, the last of them at least `width` above the first.

        Of several texts of one number the first alone counts. Numbers too large for the kernel are rounded down, so
        that a difference grows by less than 1, and 1 more is asked.

        Args:
            least: The number of distinct numbers.
            width: The least range.
            ranks: The place of the number of each value among `numbers`; -1 if it is none.
            numbers: The distinct numbers, ascending.
        """
        first = numbers[0] if numbers else 0
        step = max(1, -(-(max(numbers, default=0) - first) // _ROOM))
        places = [(number - first) // step for number in numbers]
        asked = -(-width // step) + (step > 1)
        new = np.zeros(len(ranks), dtype=np.int64)
        new[np.unique(ranks, return_index=True)[1]] = 1
        return cls(
            SPREAD,
            least=least,
            scale=min(asked, 2 * _ROOM),
            caps=np.array([places[rank] if rank >= 0 else -1 for rank in ranks.tolist()], dtype=np.int64),
            floors=new,
        )

    @classmethod
    def entropy(cls, least: Fraction) -> "SufficientTest":
        """Require the entropy of `least` equally frequent values; exactly that many of them pass despite rounding."""
        return cls(ENTROPY, least=-(-least.numerator // least.denominator), limit=float(np.log(float(least))))

    @classmethod
    def tail(cls, times: Fraction, least: int) -> "SufficientTest":
        """Require the largest count to be below `times` the sum of all but the `least - 1` largest ones."""
        scale = min(times.denominator, _ROOM)
        cap = min(times.numerator * scale // times.denominator, _ROOM)
        return cls(TAIL, least=least, scale=scale, caps=np.array([cap], dtype=np.int64))

    @classmethod
    def shares(cls, caps: Sequence[Fraction], floors: Sequence[Fraction] | None = None) -> "SufficientTest":
        """Require the share of each value to be at most its cap and at least its floor; a share is at most 1."""
        floors = [Fraction(0)] * len(caps) if floors is None else floors
        denominators = {number.denominator for number in (*caps, *floors)}
        scale = max(denominators) if len(denominators - {1}) == 1 and max(denominators) <= _ROOM else _ROOM
        high = [min(cap.numerator * scale // cap.denominator, scale) for cap in caps]
        low = [-(-floor.numerator * scale // floor.denominator) for floor in floors]
        return cls(SHARES, scale=scale, caps=np.array(high, dtype=np.int64), floors=np.array(low, dtype=np.int64))

    @classmethod
    def work(
        cls, parents: NDArray[np.int32], edges: NDArray[np.float64], reference: NDArray[np.int64], limit: Fraction
    ) -> "SufficientTest":
        """Require the earth mover's distance from the reference, along the edges of a tree, to be at most `limit`."""
        references = np.zeros(len(parents))
        references[: len(reference)] = reference / max(int(reference.sum()), 1)
        longest = float(limit) if limit < 1 else np.inf  # no distance is above 1
        return cls(WORK, limit=longest, parents=parents, edges=edges, references=references)
