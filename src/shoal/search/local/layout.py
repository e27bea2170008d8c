"""Layout: classes as the arrays that compiled loops change."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.classes import RECORD, Classes, fill_classes
from shoal.kernels.local.states import Columns


def laid_out(
    columns: Columns,
    states: NDArray[np.int64],
    point: NDArray[np.int64],
    profile: NDArray[np.int32],
    label: NDArray[np.int64],
    groups: NDArray[Any],
    weights: NDArray[np.int64] | None = None,
) -> Classes:
    """Return classes with their closures and prices computed.

    Args:
        columns: The meaning of states.
        states: The closure of each point alone.
        point: The point of each record.
        profile: The sensitive profile of each record.
        label: The class of each record.
        groups: The classes, with the `capacity` and the `least` size of each, and the `price` where it is given.
        weights: The sampling weight of each record; 1 if left out.
    """
    capacity: NDArray[np.int64] = groups["capacity"]
    groups["begin"] = np.cumsum(capacity) - capacity
    records = np.zeros(len(label), dtype=RECORD)
    records["point"], records["profile"], records["label"] = point, profile, label
    records["weight"] = 1 if weights is None else weights
    classes = Classes(
        states=states,
        records=records,
        groups=groups,
        members=np.zeros(int(groups["capacity"].sum()), dtype=np.int64),
        closed=np.zeros((len(groups), states.shape[1]), dtype=np.int64),
        without=np.zeros((len(label), states.shape[1]), dtype=np.int64),
    )
    fill_classes(columns, classes)
    return classes
