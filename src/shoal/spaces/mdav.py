"""MDAV: classes of k records around the records that are farthest from the mean."""

from math import inf
from time import monotonic

import numpy as np

from shoal.kernels.mdav import part_extremes
from shoal.progress import Progress, silent
from shoal.spaces.middles import means
from shoal.spaces.points import Clusters, Points

_PART = 16  # after this part of the records that are left is in classes, the others are laid out anew


def mdav(points: Points, k: int, *, deadline: float = inf, progress: Progress = silent) -> Clusters:
    """Return the classes of MDAV, each around its mean. O(points^2 / k x axes).

    Args:
        points: The points.
        k: The number of records of a class; the last has up to 2k - 1.
        deadline: When to be done, by the monotonic clock: what is left then is one class.
        progress: Where to tell how far it is.
    """
    n = points.n_records
    left = points.counts.copy()
    entries = np.zeros((len(points) + n // k + 1, 3), dtype=np.int64)
    n_entries = n_classes = 0
    rest = n
    while rest >= 2 * k and (rest == n or monotonic() < deadline):
        progress("forming classes", 1 - (rest / n) ** 2)
        most = max(rest // (2 * k * _PART), 1)
        n_entries, n_classes = part_extremes(
            points.space, points.positions, left, k, most, entries, n_entries, n_classes
        )
        rest = int(left.sum())
    last = np.flatnonzero(left)
    place = np.concatenate([entries[:n_entries, 0], last])
    owner = np.concatenate([entries[:n_entries, 1], np.full(len(last), n_classes)])
    amount = np.concatenate([entries[:n_entries, 2], left[last]])
    order = np.lexsort((owner, place))
    place, owner, amount = place[order], owner[order], amount[order]
    centres = means(points.space, points.positions[:, place], owner, amount, n_classes + 1)
    return Clusters(place, owner, amount, centres)
