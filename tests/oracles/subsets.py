"""The least loss of k-anonymity by brute force over sets of records: the same as over partitions, some times faster."""

from tests.oracles.local.losses import Pricing
from tests.oracles.local.tables import LocalTable


def class_prices(table: LocalTable, measure: str) -> list[float]:
    """Return what each set of records costs as a class; record i is bit i of a set's number.

    For measures by which a cell costs the same whatever value it hides: all of cells but nonuniform-entropy. Of what
    may be published the cheapest counts.
    """
    pricing = Pricing(table, measure)
    assert pricing.additive
    assert measure != "nonuniform-entropy"
    n = len(table.records)
    sizes = [subset.bit_count() for subset in range(2**n)]
    prices = [0.0] * 2**n
    for column in table.quasi:
        values = [record[column] for record in table.records]
        different = list(dict.fromkeys(values))
        bits = [1 << different.index(value) for value in values]
        weight = table.weights.get(column, 1.0)
        shown = [0] * 2**n
        known: dict[int, float] = {}
        for subset in range(1, 2**n):
            low = subset & -subset
            shown[subset] = mine = shown[subset ^ low] | bits[low.bit_length() - 1]
            if mine not in known:
                covered = [value for place, value in enumerate(different) if mine >> place & 1]
                cells = table.choices(column, covered)
                known[mine] = weight * min(pricing.price(column, covered[0], cell) for cell in cells)
            prices[subset] += sizes[subset] * known[mine]
    return prices


def least_loss(table: LocalTable, k: int, measure: str) -> float | None:
    """Return the least loss of all partitions into classes of k or more, None if there is none.

    The best for some records is a class of the first of them, and the best for the others.
    """
    n = len(table.records)
    prices = class_prices(table, measure)
    best = [0.0] + [float("inf")] * (2**n - 1)
    for subset in range(1, 2**n):
        rest = subset & (subset - 1)
        first = subset ^ rest
        others = rest
        least = float("inf")
        while True:  # all sets of others, from all to none
            if others.bit_count() >= k - 1:
                loss = prices[first | others] + best[rest ^ others]
                least = min(least, loss)
            if others == 0:
                break
            others = (others - 1) & rest
        best[subset] = least
    return None if best[-1] == float("inf") else best[-1]
