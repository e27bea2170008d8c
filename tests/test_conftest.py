"""The profiles of examples: a test gets its share of what it asks for."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

DRAWN: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def _counted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare the number of examples with the profile when all tests that this process got are done."""
    yield
    expected = {
        "quick": {"asked": 4, "default": 7},
        "mutants": {"asked": 6, "default": 9},
        "deep": {"asked": 160, "default": 250},
    }[request.config.getoption("--hypothesis-profile") or "quick"]
    assert DRAWN
    assert all(expected[kind] == number for kind, number in DRAWN.items())


@settings(max_examples=40)
@given(st.floats())
def test_examples_that_are_asked_for(number: float) -> None:
    DRAWN["asked"] += 1


@given(st.floats())
def test_examples_by_default(number: float) -> None:
    DRAWN["default"] += 1
