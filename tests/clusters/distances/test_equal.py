from shoal.clusters.distances import Equal
from tests.clusters.distances.columns import between, column


def test_different_values_are_one_apart_and_a_missing_one_is_a_value() -> None:
    assert between(Equal(), column(["a", "b", None]), ["a", "b", "a", None]).tolist() == [
        [0, 1, 0, 1],
        [1, 0, 1, 1],
        [0, 1, 0, 1],
        [1, 1, 1, 0],
    ]


def test_the_weight_of_the_column_counts() -> None:
    assert between(Equal(), column(["a", "b"], weight=2.5), ["a", "b"])[0, 1] == 2.5
    assert between(Equal(), column(["a", "b"], weight=0), ["a", "b"])[0, 1] == 0
