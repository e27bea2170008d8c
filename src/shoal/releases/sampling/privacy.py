"""The differential privacy of a sample in which small classes are dropped (Li, Qardaji, Su 2012), worked out exactly.

Each record is recoded by a fixed function, kept with probability `beta`, and left out if fewer than `k` kept records
look like it. A table with one record more differs in the size of one class only. If that class has `m` records with it,
`Binomial(m, beta)` of them are kept, and without it `Binomial(m - 1, beta)`; sizes below `k` are told as none. So
`delta` is the greatest hockey-stick divergence of these two distributions for any `m`:

- The larger table is never too unlikely. For each size `y`, and for sizes below `k` together, the probability with the
  record is at least `1 - beta` times that without it, which `epsilon >= -ln(1 - beta)` makes enough.
- The larger table is too likely where `P[y of m] > e^epsilon P[y of m - 1]`, which is where
  `y > m (1 - (1 - beta) e^-epsilon)`. Of sizes below `k` together it is less likely. So `delta` is the greatest
  difference of the tails `P[m kept >= t] - e^epsilon P[m - 1 kept >= t]` from the least such `t` on, or from `k`.

The theorem of the paper takes the first of these two tails alone, which is several times as much.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from math import ceil, comb, exp, expm1, floor, lgamma, log, log1p

from shoal.foundation.errors import SpecError
from shoal.foundation.wording import number_of

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 20), Fraction(20)
"""For each record: less takes numbers of a length that is not worked out exactly, and more is no protection."""
LEAST_DELTA, MOST_DELTA = Fraction(1, 10**15), Fraction(1, 100)
_LEAST_TOLD = 1e-18  # smaller ones are told as this
_LEAST_DISTANCE = 0.007  # with which classes of some 5,000 records settle it
_MOST_DENOMINATOR = 10_000  # of a share, so that numbers stay short
_BITS = 200  # of numbers between, which are rounded to the safe side
_ONE = 1 << _BITS
_MARGIN = 1e-9  # far above the rounding of a few operations of float64
_STEP = Fraction(1, 20)  # of the shares to choose from


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What holds for each person: outputs are at most `e^epsilon` times likelier with one of them, but for `delta`."""

    epsilon: Fraction
    delta: Fraction

    def __add__(self, other: "Guarantee") -> "Guarantee":
        """Return what holds for two releases together."""
        return Guarantee(self.epsilon + other.epsilon, self.delta + other.delta)


def check_asked(asked: Guarantee, records: int = 1) -> None:
    """Raise a SpecError unless what is asked for can be worked out, and means something."""
    if not LEAST_EPSILON <= asked.epsilon / records <= MOST_EPSILON:
        raise SpecError(
            f"'epsilon' is {float(asked.epsilon):g}: allowed are {float(LEAST_EPSILON):g} to {float(MOST_EPSILON):g} "
            f"for each of the {number_of(records, 'record')} of a person."
        )
    if not LEAST_DELTA <= asked.delta <= MOST_DELTA:
        raise SpecError(
            f"'delta' is {float(asked.delta):g}: allowed are {float(LEAST_DELTA):g} to {float(MOST_DELTA):g}. Take one "
            "far below 1 divided by the number of persons."
        )


def power_below(epsilon: Fraction) -> Fraction:
    """Return a number that is at most `e^epsilon`, and less by no more than one part in 2^190."""
    total, term, number = Fraction(0), Fraction(1), 0
    while term * _ONE > 1 or number < epsilon:
        total, number = total + term, number + 1
        term = Fraction(floor(term * epsilon / number * _ONE * _ONE), _ONE * _ONE)
    return Fraction(floor(total * _ONE), _ONE)


def power_above(epsilon: Fraction) -> Fraction:
    """Return a number that is at least `e^epsilon`, and hardly more."""
    return power_below(epsilon) * (1 + Fraction(1, 1 << 150))


def delta_of(share: Fraction, k: int, epsilon: Fraction) -> Fraction:
    """Return the `delta` of one record, rounded up in the 200th binary place.

    Args:
        share: The probability with which a record is kept, above 0 and below 1.
        k: The least number of kept records of a class that is released.
        epsilon: With `epsilon >= -ln(1 - share)`; else a SpecError is raised.
    """
    power = power_below(epsilon)
    check_share(share, epsilon, power)
    best = 0
    for m, excess, scale in _excesses(share, k, power):
        best = max(best, -(-(excess * _ONE) // scale))
        beyond = exp(-m * _distance(share, power) * (1 - _MARGIN))  # of a tail (Chernoff), a little above it
        if _ONE * beyond < best or beyond < _LEAST_TOLD:
            return max(Fraction(best, _ONE), Fraction(min(beyond, _LEAST_TOLD)))
    raise AssertionError  # classes have no end


def check_share(share: Fraction, epsilon: Fraction, power: Fraction) -> None:
    """Raise a SpecError if a share is too large for an epsilon, whose power is given, or not worked out."""
    if not 0 < share < 1 or share.denominator > _MOST_DENOMINATOR:
        raise SpecError(
            f"The share 'beta' is {float(share):g}: it is above 0 and below 1, and has at most four decimals."
        )
    if (1 - share) * power < 1 or _distance(share, power) < _LEAST_DISTANCE:
        raise SpecError(_too_many(share, epsilon))


def _distance(share: Fraction, power: Fraction) -> float:
    """Return the relative entropy of the edge, beyond which it is too likely that so many are kept, and the share."""
    beta, edge = float(share), float(1 - (1 - share) / power)
    return edge * log(edge / beta) + (1 - edge) * (log1p(-edge) - log1p(-beta)) if edge < 1 else 0.0


def _excesses(share: Fraction, k: int, power: Fraction) -> Iterator[tuple[int, int, int]]:
    """Yield, for a class of `m` records from `k` on, the difference of the tails as a numerator and its denominator.

    With `share = p / q` the tail of `m` records from `t` on is `A / q^m`, and
    `A(m, t) = q A(m - 1, t) + p C(m - 1, t - 1) p^(t - 1) (q - p)^(m - t)`.
    """
    p, q = share.numerator, share.denominator
    edge = 1 - (1 - share) / power
    m, t, below = k, k, 0  # `below` is A(m - 1, t)
    while True:
        first = max(k, floor(m * edge) + 1)
        while t < first:
            below -= comb(m - 1, t) * p**t * (q - p) ** (m - 1 - t) if t < m else 0
            t += 1
        whole = q * below + p * comb(m - 1, t - 1) * p ** (t - 1) * (q - p) ** (m - t)
        scale = q**m * power.denominator
        yield m, whole * power.denominator - power.numerator * q * below, scale
        m, below = m + 1, whole


def for_persons(guarantee: Guarantee, records: int) -> Guarantee:
    """Return what holds for a person with at most so many records, given what holds for each record (group privacy)."""
    power = power_above(guarantee.epsilon)
    return Guarantee(guarantee.epsilon * records, guarantee.delta * sum(power**i for i in range(records)))


def guarantee_of(share: Fraction, k: int, epsilon: Fraction, records: int = 1) -> Guarantee:
    """Return what holds for a person with at most so many records, at that `epsilon` for all of them."""
    one = epsilon / records
    return for_persons(Guarantee(one, delta_of(share, k, one)), records)


def rounded_up(number: Fraction) -> Fraction:
    """Return a number above 0 with three digits that is no smaller, to be written."""
    with localcontext() as context:
        context.prec, context.rounding = 60, ROUND_CEILING
        exact = Decimal(number.numerator) / Decimal(number.denominator)
        context.prec = 3
        return Fraction(+exact)


def least_k(share: Fraction, asked: Guarantee, records: int = 1) -> int:
    """Return the least size of classes with which a share of the records keeps what is asked.

    Larger `k` only drops more, which is worked out from what a smaller one releases: so `delta` falls with `k`.
    """
    k = _estimated_k(share, asked, records)
    while guarantee_of(share, k, asked.epsilon, records).delta > asked.delta:
        k += 1
    while k > 1 and guarantee_of(share, k - 1, asked.epsilon, records).delta <= asked.delta:
        k -= 1
    return k


def best_share(asked: Guarantee, records: int = 1) -> Fraction:
    """Return the share, in steps of a twentieth, with which the smallest classes of the table survive.

    That is the one of the least `k / share`, since a class of so many records has `k` kept ones on average. It does not
    look at the table: to choose by the table would tell something of it.
    """
    most = -expm1(-float(asked.epsilon / records))
    shares = [_STEP * i for i in range(1, ceil(most / float(_STEP))) if float(_STEP * i) < most * (1 - _MARGIN)]
    if not shares:
        raise SpecError(
            f"An epsilon of {float(asked.epsilon / records):g} for each record leaves less than a twentieth of the "
            "records. Allow a larger epsilon, or fewer records for a person; or give the share (beta) yourself."
        )
    return min(shares, key=lambda share: (_estimated_k(share, asked, records) / share, -share))


def _estimated_k(share: Fraction, asked: Guarantee, records: int) -> int:
    """Return about the least `k`, by floating point."""
    one = float(asked.epsilon / records)
    most = float(asked.delta) / sum(exp(one * i) for i in range(records))
    low, high = 0, 1
    while _estimated_delta(float(share), high, one) > most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _estimated_delta(float(share), middle, one) > most else (low, middle)
    return high


def _estimated_delta(beta: float, k: int, epsilon: float) -> float:
    """Return about the `delta` of one record: the same as `delta_of`, in floating point, near its greatest."""
    edge = -expm1(log1p(-beta) - epsilon)
    start = max(k, floor(k / edge) - 2)
    return max(_estimated_excess(beta, m, max(k, floor(m * edge) + 1), epsilon) for m in range(start, start + 6))


def _estimated_excess(beta: float, m: int, t: int, epsilon: float) -> float:
    """Return about `P[m kept >= t] - e^epsilon P[m - 1 kept >= t]`, as a sum of positive terms."""
    total = 0.0
    for y in range(t, m + 1):
        chance = exp(lgamma(m + 1) - lgamma(y + 1) - lgamma(m - y + 1) + y * log(beta) + (m - y) * log1p(-beta))
        term = chance * (1 - exp(epsilon) * (m - y) / (m * (1 - beta)))
        total += max(term, 0.0)
        if chance == 0 or 0 < term < total * 1e-12:
            break
    return total


def _too_many(share: Fraction, epsilon: Fraction) -> str:
    most = -expm1(-float(epsilon))
    return (
        f"A share (beta) of {float(share):g} is too large for an epsilon of {float(epsilon):g} for each record: who is "
        f"not in the sample would tell too much. It must be below {floor(most * 1000) / 1000:g}, and well below for a "
        "large epsilon."
    )
