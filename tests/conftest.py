"""How all tests run: no example has a deadline, since a kernel may have to be compiled; CI draws the same examples."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.kernels import calls

settings.register_profile("house", deadline=None, max_examples=60, derandomize="CI" in os.environ)
settings.load_profile("house")
calls.watch()


@pytest.fixture(autouse=True)
def kernels_are_called_as_listed() -> Iterator[None]:
    """Let a test fail that makes shoal call a kernel with types that `signatures.toml` does not list."""
    yield
    unlisted = [*dict.fromkeys(calls.UNLISTED)]
    calls.UNLISTED.clear()
    assert not unlisted, "List these calls in src/shoal/kernels/signatures.toml:\n" + "\n".join(unlisted)
