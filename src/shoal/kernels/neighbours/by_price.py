"""The nearest points of each point by the price of the closure of both: candidates for a search, not a proof."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.local.closures import RANGES, TREE, Forms, meet, range_price, set_price
from shoal.kernels.orders import sort_indices

_BINS = 1024  # bins of distances, to select the nearest points without sorting all


@kernel
def closure_pair_prices(forms: Forms, column: int, leaves: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return, for each two of some leaves of a column, the price of their closure minus the mean of their own prices.

    Never below 0. O(leaves^2).
    """
    n = leaves.shape[0]
    start = forms.nodes[column]
    prices = np.zeros((n, n), dtype=np.float32)
    for a in range(n):
        for b in range(a + 1, n):
            low, high = min(leaves[a], leaves[b]), max(leaves[a], leaves[b])
            if forms.kinds[column] == TREE:
                price = forms.prices[start + meet(forms.parent, start, low, high)]
            elif forms.kinds[column] == RANGES:
                price = range_price(forms, column, low, high)
            else:
                first = forms.adds[0, start + low] + forms.adds[0, start + high]
                second = forms.adds[1, start + low] + forms.adds[1, start + high]
                price = set_price(forms, column, 2, first, second, high)
            price -= 0.5 * (forms.prices[start + low] + forms.prices[start + high])
            prices[a, b] = max(price, 0.0)
            prices[b, a] = prices[a, b]
    return prices


@kernel
def nearest_points(
    codes: NDArray[np.int32],
    prices: NDArray[np.float32],
    starts: NDArray[np.int64],
    widths: NDArray[np.int64],
    begin: int,
    end: int,
    near: NDArray[np.int32],
) -> None:
    """Write the nearest points of the points `begin` to `end`, comparing every pair. O(points^2 x columns).

    `codes[column, point]` index the column's table of pair prices, which begins at `starts` and has rows of `widths`. A
    histogram of the distances tells a limit below which there are enough points; only these are sorted.
    """
    n_columns, n = codes.shape
    wanted = near.shape[1]
    distance = np.empty(n, dtype=np.float32)
    counts = np.empty(_BINS + 1, dtype=np.int64)
    found, apart = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.float32)
    order, workspace = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    most = np.float32(0)
    for j in range(n_columns):
        highest = np.float32(0)
        for cell in range(starts[j], starts[j] + widths[j] * widths[j]):
            highest = max(highest, prices[cell])
        most += highest
    scale = np.float32(_BINS - 1) / (most * np.float32(1.001) + np.float32(1e-9))
    for p in range(begin, end):
        distance[:] = 0
        for j in range(n_columns):
            row = starts[j] + codes[j, p] * widths[j]
            for q in range(n):
                distance[q] += prices[row + codes[j, q]]
        distance[p] = most
        counts[:] = 0
        for q in range(n):
            counts[int(distance[q] * scale)] += 1
        inside, level = 0, 0
        while level < _BINS and inside + counts[level] < wanted:
            inside += counts[level]
            level += 1
        limit = np.float32(level + 1) / scale
        n_found = 0
        for q in range(n):
            if distance[q] <= limit and q != p:
                found[n_found], apart[n_found] = q, distance[q]
                n_found += 1
        sort_indices(apart, n_found, order, workspace)
        for i in range(wanted):
            near[p, i] = found[order[i]] if i < n_found else p


@kernel
def nearest_in_orders(
    codes: NDArray[np.int32],
    prices: NDArray[np.float32],
    starts: NDArray[np.int64],
    widths: NDArray[np.int64],
    begin: int,
    end: int,
    near: NDArray[np.int32],
    orders: NDArray[np.int32],
    positions: NDArray[np.int32],
    window: int,
) -> None:
    """Write the nearest of the points that are within `window` positions in one of several orders.

    `positions[order, point]` is the position of the point in the order. O(points x window x orders x columns).
    """
    n_columns, n = codes.shape
    wanted = near.shape[1]
    size = orders.shape[0] * (2 * window + 1)
    found, apart = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.float32)
    order, workspace = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for p in range(begin, end):
        n_found = 0
        for o in range(orders.shape[0]):
            position = positions[o, p]
            for other in range(max(0, position - window), min(n, position + window + 1)):
                q = orders[o, other]
                distance = np.float32(0)
                for j in range(n_columns):
                    distance += prices[starts[j] + codes[j, p] * widths[j] + codes[j, q]]
                found[n_found], apart[n_found] = q, distance
                n_found += 1
        sort_indices(apart, n_found, order, workspace)
        kept = 0
        for i in range(n_found):
            q = found[order[i]]
            known = q == p
            for earlier in range(kept):
                known = known or near[p, earlier] == q
            if not known:
                near[p, kept] = q
                kept += 1
                if kept == wanted:
                    break
        while kept < wanted:
            near[p, kept] = p
            kept += 1
