"""Numbering: whether the values of a column number the records, or the persons, of the table."""

from shoal.actions.suggestions.profile import Profile
from shoal.tables.hierarchies.numeric import scaled

PERSONS = 100  # different numbers from which on they are of persons rather than of places, shops or wards


def may_number(profile: Profile) -> bool:
    """Tell whether values may be numbers of something: codes, whole numbers, or one word with digits, as in `P-17`."""
    if profile.kind.name == "number":
        numbers = scaled(profile.values)
        return numbers is not None and numbers[1] == 1
    return profile.kind.name == "code" or all(
        any(map(str.isdigit, value)) and len(value.split()) == 1 for value in profile.seen
    )


def counts_on(profile: Profile) -> bool:
    """Tell whether the values are whole numbers, of which at least every second one is taken."""
    numbers = scaled(profile.values)
    return numbers is not None and numbers[1] == 1 and max(numbers[0]) - min(numbers[0]) < 2 * profile.distinct
