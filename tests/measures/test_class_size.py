import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.measures import ClassSize
from tests.measures.build import build, full_domain
from tests.measures.papers import FIGURE_1, FIGURE_3, figure_5


def test_with_nothing_suppressed_it_is_the_average() -> None:
    loss = build(figure_5(2, 1, 1)).loss(ClassSize())
    assert loss.total == pytest.approx(10 / 2)
    assert loss.share == pytest.approx(0.5)


def test_a_suppressed_record_is_in_a_class_of_all() -> None:
    assert build(figure_5(1, 1, 0)).loss(ClassSize()).total == pytest.approx(0.9 * 3 + 0.1 * 10)


def test_nothing_released_is_one_class_of_all() -> None:
    loss = build(figure_5(0, 0, 0)).loss(ClassSize())
    assert (loss.total, loss.share) == (10, 1)
    assert set(loss.columns.values()) == {10}


def test_the_floor_is_the_average_over_all_classes() -> None:
    release = build(full_domain(FIGURE_3, FIGURE_1, (0, 0, 0)))
    assert ClassSize().floor(release.groups, release.recoding) == pytest.approx(10 / 7)


@pytest.mark.parametrize("n_classes", range(1, 9))
def test_the_floor_holds_for_all_sizes_and_suppressions(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    for _ in range(200):
        sizes = rng.integers(1, 30, n_classes)
        released = rng.random(n_classes) < 0.5
        groups, recoding = classes_of(sizes)
        total = ClassSize().total(groups, recoding, released)
        assert total >= ClassSize().floor(groups, recoding) - 1e-9


def classes_of(sizes: NDArray[np.int64]) -> tuple[Grouping, Recoding]:
    n_classes = len(sizes)
    none = np.zeros((n_classes, 0), dtype=np.int32)
    entries = np.arange(n_classes + 1, dtype=np.int64)
    profiles = np.zeros(n_classes, dtype=np.int32)
    no_codes = np.zeros((1, 0), dtype=np.int32)
    groups = Grouping(sizes, (), entries, profiles, sizes, no_codes, np.array([sizes.sum()]))
    return groups, Recoding((), (), none)
