import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audits.attacks.drawn_sample import DrawnSample, drawn_classes
from tests.actions.test_counted_engines import asked, table


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), st.integers(0, 60), st.integers(0, 5))
def test_classes_are_drawn_as_long_as_their_records_suffice(sizes: list[int], most: int, seed: int) -> None:
    held = np.array(sizes, dtype=np.int64)
    drawn = drawn_classes(held, most, seed)
    assert len(drawn) >= 1
    assert sorted(set(drawn.tolist())) == drawn.tolist()
    assert int(held[drawn].sum()) <= most or len(drawn) == 1
    assert len(drawn_classes(held, sum(sizes), seed)) == len(sizes)
    assert drawn.tolist() == drawn_classes(held, most, seed).tolist()


def test_what_is_said_of_drawn_classes_is_what_is_said_of_them_among_all() -> None:
    """A description singles somebody out of the whole raw table: the sample decides only which are put to it."""
    given = asked("tightest") | {"quasi": {"age": "ranges", "zip": "sets", "sex": "sets"}, "k": 2}
    release = shoal.anonymize(table(), **given)
    whole = shoal.attack(release, attacks=["singling-out"]).singling_out
    part = shoal.attack(release, attacks=["singling-out"], sample=120, seed=3).singling_out
    assert whole is not None
    assert part is not None
    assert whole.sample is None
    assert part.sample == DrawnSample("classes", part.n_classes, whole.n_classes, 3)
    assert 0 < part.n_classes < whole.n_classes
    assert part.as_dict()["sample"] == {"unit": "classes", "drawn": part.n_classes, "of": whole.n_classes, "seed": 3}
    known = {one.number: one for one in whole.exposed}
    assert part.exposed
    for one in part.exposed:
        assert one == known[one.number]
    assert part.isolated <= part.n_records <= whole.n_records
    everything = shoal.attack(release, attacks=["singling-out"], sample=0).singling_out
    assert everything is not None
    assert everything.as_dict() == whole.as_dict()


@settings(max_examples=20)
@given(st.integers(0, 30))
def test_shares_of_samples_are_near_the_whole(seed: int) -> None:
    first, second = shared_releases()
    found = shoal.attack(first, other=second, attacks=["composition"], sample=150, seed=seed).composition
    whole = shoal.attack(first, other=second, attacks=["composition"]).composition
    assert found is not None
    assert whole is not None
    assert found.sample == DrawnSample("persons", 150, 300, seed)
    assert found.n_persons == 150
    assert found.best.fewest >= whole.best.fewest  # the candidates of who is drawn are those of the whole releases
    assert abs(found.possible / 150 - whole.possible / 300) < 0.2
    assert "sample" not in whole.as_dict()


_MADE: list[tuple[shoal.Release, shoal.Release]] = []


def shared_releases() -> tuple[shoal.Release, shoal.Release]:
    if not _MADE:
        _MADE.append((shoal.anonymize(table(), **asked("optimal")), shoal.anonymize(table(), **asked("mondrian"))))
    return _MADE[0]
