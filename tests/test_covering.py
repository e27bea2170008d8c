"""What the quick run takes of a test with several lists of parameters."""

from itertools import product

import pytest

from tests.covering import Named, covering


def combined(*sizes: int) -> list[list[Named]]:
    return [[*enumerate(map(str, case))] for case in product(*(range(size) for size in sizes))]


@pytest.mark.parametrize("sizes", [(1,), (7,), (3, 3), (2, 13), (26, 8), (4, 3, 2)], ids=str)
def test_every_value_is_there_in_as_few_cases_as_the_longest_list_has(sizes: tuple[int, ...]) -> None:
    cases = combined(*sizes)
    taken = [cases[place] for place in covering(cases)]
    assert {value for case in taken for value in case} == {value for case in cases for value in case}
    assert len(taken) == max(sizes)


def test_values_of_one_list_meet_different_ones_of_another() -> None:
    cases = combined(26, 8)
    met = [cases[place][1] for place in covering(cases)]
    assert {met.count(value) for value in met} == {3, 4}


def test_cases_that_are_not_combined_all_stay() -> None:
    assert covering([[(0, "a-1")], [(0, "a-2")], [(0, "b-1")]]) == {0, 1, 2}
    assert covering([]) == set()


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("letter", "ab")
def test_the_quick_run_has_some_and_others_all(request: pytest.FixtureRequest, number: int, letter: str) -> None:
    own = [
        item for item in request.session.items if item.nodeid.partition("[")[0] == request.node.nodeid.partition("[")[0]
    ]
    quick = (request.config.getoption("--hypothesis-profile") or "quick") == "quick"
    assert len(own) in ((1, 3) if quick else (1, 6))  # one, if somebody asks for it by its name
