"""Work on both cores."""

import numpy as np
import pytest

from shoal.foundation.parallel import side_by_side


def test_work_is_shared_out() -> None:
    for n in (0, 1, 2, 7):
        done = np.zeros(n, dtype=np.int64)

        def work(begin: int, end: int, done: np.ndarray = done) -> None:
            done[begin:end] += 1

        side_by_side(n, work)
        assert done.tolist() == [1] * n


def test_an_error_on_a_core_is_raised() -> None:
    def work(begin: int, end: int) -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        side_by_side(4, work)
