"""Records and back: a tally record by record."""

from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Parts
from shoal.classes.records import Records
from tests.search.searches import random_tally


@pytest.mark.parametrize("seed", range(20))
def test_records_are_listed_by_point(seed: int) -> None:
    tally = random_tally(Random(seed), 50)  # noqa: S311  (tables, not secrets)
    records = Records.of(tally)
    assert len(records.point) == tally.n_records
    assert records.codes[records.point].tolist() == tally.codes[records.origin].tolist()
    assert records.profile.tolist() == tally.profiles[records.origin].tolist()
    assert np.bincount(records.origin, minlength=tally.n_points).tolist() == tally.counts.tolist()
    assert len(np.unique(records.codes, axis=0)) == len(records.codes)
    for p in range(len(records.codes)):
        assert set(records.point[records.firsts[p] : records.firsts[p + 1]].tolist()) == {p}


@pytest.mark.parametrize("seed", range(20))
def test_labels_and_parts(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    tally = random_tally(rng, 50)
    records = Records.of(tally)
    label = np.array([rng.randrange(6) for _ in range(50)], dtype=np.int64)
    parts = records.parts(label)
    assert np.bincount(parts.points, weights=parts.counts).tolist() == tally.counts.tolist()
    again = records.labels(parts)
    assert sorted(zip(records.origin.tolist(), again.tolist(), strict=True)) == sorted(
        zip(records.origin.tolist(), label.tolist(), strict=True)
    )
    shuffled = rng.sample(range(len(parts.points)), len(parts.points))
    turned = Parts(parts.points[shuffled], parts.classes[shuffled], parts.counts[shuffled])
    assert records.labels(turned).tolist() == again.tolist()


def test_records_in_no_class() -> None:
    tally = random_tally(Random(4), 30)  # noqa: S311
    records = Records.of(tally)
    label = np.arange(30) % 4 - 1
    parts = records.parts(label)
    assert parts.counts[parts.classes < 0].sum() == (label < 0).sum()
    assert parts.n_classes == 3
