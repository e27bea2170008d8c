import pytest

from shoal.clusters.distances import DistanceSpec, Equal, Number, Place, Tree
from shoal.clusters.distances.automatic import automatic_distance, completed
from shoal.foundation.errors import SpecError


@pytest.mark.parametrize(
    ("values", "recipe"),
    [
        (["17", "90", "-3.5"], Number()),
        (["2024-01-01", "2023-12-31 10:00"], Number()),
        (["1987", "2001"], Number()),
        (["0", "10"], Number()),
        (["02138", "90210"], Equal()),
        (["007", "12"], Equal()),
        (["0.5", "0.25"], Number()),
        (["0,5", "1.234,25", "3"], Number(decimal=",")),
        (["1,234", "5,678"], Equal()),
        (["0,5", "0.25"], Equal()),
        (["a", "b"], Equal()),
        (["1", "2", "many"], Equal()),
        ([], Equal()),
    ],
)
def test_the_values_tell_the_distance(values: list[str], recipe: DistanceSpec) -> None:
    assert automatic_distance(values) == recipe
    assert automatic_distance(values[::-1]) == recipe


def test_a_known_form_of_dates_is_used_where_it_fits() -> None:
    assert automatic_distance(["31.12.2020"], "%d.%m.%Y") == Number(format="%d.%m.%Y")
    assert automatic_distance(["2020"], "%d.%m.%Y") == Number()


def test_numbers_alone_are_measured_in_deviations_and_else_in_ranges() -> None:
    values = {"age": ["1", "2"], "pay": ["3", "4"], "sex": ["f", "m"]}
    assert completed({"age": None, "pay": None}, values) == {
        "age": Number(scale="deviation"),
        "pay": Number(scale="deviation"),
    }
    assert completed({"age": None, "pay": Number(unit=5), "sex": None}, values) == {
        "age": Number(scale="range"),
        "pay": Number(unit=5),
        "sex": Equal(),
    }
    assert completed({"age": Tree(), "pay": Number(scale="deviation")}, values) == {
        "age": Tree(),
        "pay": Number(scale="deviation"),
    }


def test_a_longitude_lies_on_the_axis_of_its_latitude() -> None:
    given: dict[str, DistanceSpec | None] = {"east": None, "north": Place(longitude="east"), "age": None}
    found = completed(given, {"age": ["1", "2"]})
    assert found == {"north": Place(longitude="east"), "age": Number(scale="range")}


def test_numbers_with_some_other_texts_do_not_silently_become_categories() -> None:
    numbers = [str(i) for i in range(57)]
    with pytest.raises(
        SpecError, match=r"Column 'age' holds numbers, but 3 of its 60 different values are not numbers"
    ) as told:
        completed({"age": None}, {"age": [*numbers, "n/a", "inf", "old"]})
    assert "inf" not in str(told.value)
    assert automatic_distance(["1", "2", "old"]) == Equal()  # too few to tell
    assert automatic_distance([*numbers[:20], *(f"x{i}" for i in range(9))]) == Equal()
    assert completed({"age": Equal()}, {"age": [*numbers, "old"]}) == {"age": Equal()}


def test_few_strangers_among_numbers_with_commas_are_told() -> None:
    values = [f"{number},5" for number in range(30)]
    with pytest.raises(SpecError, match="1 of its 31 different values are not numbers"):
        completed({"kg": None}, {"kg": [*values, "n/a"]})
