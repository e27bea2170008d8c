"""The classes of least squared error of sorted numbers: each class is a run of them."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel


@kernel
def fill_run_starts(values: NDArray[np.float64], k: int, starts: NDArray[np.int64]) -> float:
    """Split sorted numbers into runs of k to 2k - 1 with the least sum of squared errors; return it. O(numbers x k).

    The best runs that end before number `j` are those that end before some `i`, and the run from `i` to `j`. Its error
    is updated as `i` decreases, from the mean so far, so that large numbers do not cancel.

    Args:
        values: The numbers, ascending; at least k.
        k: The least length of a run; a longer one than 2k - 1 is never better than its two parts.
        starts: Filled: `starts[j]`, where the last run of the best runs up to number `j - 1` begins; -1 if there are
            none. One entry more than numbers.
    """
    n = values.shape[0]
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    starts[:] = -1
    for j in range(k, n + 1):
        mean, error = 0.0, 0.0
        for length in range(1, min(2 * k - 1, j) + 1):
            i = j - length
            gap = values[i] - mean
            mean += gap / length
            error += gap * (values[i] - mean)
            if length >= k and best[i] + error < best[j]:
                best[j], starts[j] = best[i] + error, i
    return float(best[n])
