"""The corpus: all cases, made by hand and by chance."""

from functools import cache

from tests.hostile.by_hand import by_hand
from tests.hostile.case import Case
from tests.hostile.mutated import mutated


@cache
def corpus() -> tuple[Case, ...]:
    """Return all cases; each has a name of its own."""
    return (*by_hand(), *mutated())
