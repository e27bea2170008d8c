"""All worlds of a few persons, one by one: who has which value, if every class shows what it shows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

Release = Mapping[str, Sequence[str]]  # by class the values that it shows
Where = Mapping[str, Sequence[str]]  # by person who is in the release the classes that may hold this person

LEFT_OUT = ""  # the class of persons whose record was not published: it shows nothing


def posteriors(releases: Sequence[Release], places: Sequence[Where]) -> dict[str, dict[str, Fraction]]:
    """Return for each person the probability of each value; nobody is in a world if none fits.

    Args:
        releases: What each release shows.
        places: Who is in it, and where.
    """
    persons = sorted({person for release in places for person in release})
    values = sorted({value for release in releases for shown in release.values() for value in shown})
    found: dict[str, Counter[str]] = {person: Counter() for person in persons}
    total = 0
    for having in product(values, repeat=len(persons)):
        world = dict(zip(persons, having, strict=True))
        ways = 1
        for release, where in zip(releases, places, strict=True):
            ways *= sum(1 for _ in _fitting(release, where, world)) if ways else 0
        total += ways
        for person, value in world.items():
            found[person][value] += ways
    if total == 0:
        return {}
    return {
        person: {value: Fraction(ways, total) for value, ways in counts.items() if ways}
        for person, counts in found.items()
    }


def _fitting(release: Release, where: Where, world: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the ways to put everybody into a class so that all classes show what they show."""
    wanted = {(name, value): number for name, shown in release.items() for value, number in Counter(shown).items()}
    for classes in product(*where.values()):
        held = Counter((name, world[person]) for person, name in zip(where, classes, strict=True) if name != LEFT_OUT)
        if held == wanted:
            yield dict(zip(where, classes, strict=True))
