from pathlib import Path

from shoal.tables.hierarchies import Sets, Suppression


def test_a_value_or_a_star_where_all_records_are_treated_alike() -> None:
    hierarchy = Sets().build(["b", "a", "c"], "job", Path())
    assert hierarchy.form == "sets"
    assert hierarchy.labels == Suppression().build(["b", "a", "c"], "job", Path()).labels
    assert hierarchy.positions is None
    assert hierarchy.spans is None
    assert Sets().fixed


def test_numbers_are_in_their_own_order() -> None:
    assert Sets().build(["10", "9"], "age", Path()).values == ("9", "10")


def test_the_form_stays_when_a_value_is_missing() -> None:
    hierarchy = Sets().build(["a"], "job", Path()).with_missing()
    assert hierarchy.form == "sets"
    assert hierarchy.labels == (("a", None), ("*",))
    assert Sets().build([], "job", Path()).with_missing().labels == ((None,), ("*",))
