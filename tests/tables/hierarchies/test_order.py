from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Order


def build(spec: Order, *values: str) -> Hierarchy:
    return spec.build(values, "grade", Path())


def test_neighbours_are_joined_until_a_star_remains() -> None:
    hierarchy = build(Order(fanout=2), "e", "d", "c", "b", "a")
    assert hierarchy.labels == (
        ("a", "b", "c", "d", "e"),
        ("a - b", "c - d", "e"),
        ("a - d", "e"),
        ("*",),
    )
    assert hierarchy.spans is None


def test_numbers_are_ordered_by_value_and_have_spans() -> None:
    hierarchy = build(Order(fanout=3), "10", "9", "-1", "2.5")
    assert hierarchy.labels == (("-1", "2.5", "9", "10"), ("-1 - 9", "10"), ("*",))
    assert hierarchy.spans is not None
    assert [span.tolist() for span in hierarchy.spans] == [[0, 0, 0, 0], [10, 0], [11]]


def test_a_given_order_is_the_domain() -> None:
    hierarchy = build(Order(fanout=2, order=("low", "middle", "high", "top")), "high", "low")
    assert hierarchy.values == ("low", "middle", "high", "top")
    assert hierarchy.labels[1] == ("low - middle", "high - top")
    with pytest.raises(SpecError, match=r"^The hierarchy of column 'grade' lacks 1 of the 2 different values"):
        hierarchy.encode(["low", "SECRET"], "grade")


def test_a_given_order_of_numbers_has_spans_only_if_it_rises() -> None:
    assert build(Order(fanout=2, order=("1", "2", "3"))).spans is not None
    assert build(Order(fanout=2, order=("1", "3", "2"))).spans is None


def test_labels_stay_apart_whatever_the_values_hold() -> None:
    assert build(Order(fanout=2, order=("a", "b", "a - b"))).labels[1] == ("a -- b", "a - b")
    hierarchy = build(Order(fanout=2, order=("a -", "b", "a", "- b")))
    assert hierarchy.labels[1] == ("a - -- b", "a -- - b")


@pytest.mark.parametrize("values", [(), ("a",)])
def test_few_values(values: tuple[str, ...]) -> None:
    assert build(Order(fanout=2), *values).labels == (values, ("*",))


def test_a_fanout_of_all() -> None:
    assert build(Order(fanout=3), "a", "b", "c").labels == (("a", "b", "c"), ("*",))


def test_the_request_is_checked() -> None:
    with pytest.raises(SpecError, match=r"^Order: fanout is 1: Input should be greater than or equal to 2"):
        Order(fanout=1)
    with pytest.raises(ValueError, match=r"^'order' names a value twice: at positions 1 and 3$"):
        Order(fanout=2, order=("SECRET", "b", "SECRET"))
    with pytest.raises(ValidationError, match="Input should be greater than or equal to 2"):
        TypeAdapter(Order).validate_python({"fanout": 1})
    assert TypeAdapter(Order).validate_python({"fanout": 3, "order": ["a"]}) == Order(fanout=3, order=("a",))
