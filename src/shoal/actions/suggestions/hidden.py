"""Hidden: what reaches or describes a person in some cells of a column that is otherwise something else."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from shoal.actions.suggestions.profile import Profile
from shoal.actions.suggestions.roles import Suggestion
from shoal.actions.suggestions.signs import are_texts
from shoal.tables.hierarchies.numeric import scaled
from shoal.tables.national_numbers import is_us_ssn
from shoal.tables.table import Role
from shoal.tables.value_forms import is_email, is_mac_address, is_phone, is_web_address

_PARTS = re.compile(r"[\s,;<>(){}\[\]\"]+")
_TEXTS = 20  # values of one record each from which on they may be texts among labels
_CLEAN = "left out, which is the safe choice; with these cells cleaned, it may leave"


def _international(text: str) -> bool:
    return text.startswith("+") and is_phone(text)


_HELD: Mapping[str, tuple[str, Callable[[str], bool]]] = {  # the sign that each of them has
    "e-mail addresses": ("@", is_email),
    "US social security numbers": ("-", is_us_ssn),
    "web addresses": (".", is_web_address),
    "MAC addresses": (":", is_mac_address),
}


def without_hidden(column: Suggestion) -> Suggestion:
    """Leave out a column of which some values reach a person, or are texts: nobody expects them there.

    Args:
        column: The column with the role that most of its values have.
    """
    if not column.role.leaves or not _may_hold(column.profile):
        return column
    said = _reaching(column.profile) or _texts_among(column.profile)
    if said is None:
        return column
    reason = f"{column.reason.partition(';')[0]}; but {said}: {_CLEAN}"
    return replace(column, role=Role.IDENTIFIER, reason=reason, certainty="undecided")


def _may_hold(profile: Profile) -> bool:
    plain = profile.kind.name in ("date", "clock", "span")
    return not plain and not profile.labelled and not (profile.kind.name == "number" and scaled(profile.values))


def _reaching(profile: Profile) -> str | None:
    """Say of which form some values are, or hold; None if there are none. All values are looked at."""
    values = profile.values
    for noun, (sign, test) in _HELD.items():
        n_found = sum(any(map(test, _PARTS.split(value))) for value in values if sign in value)
        if n_found:
            return f"{n_found:,} of {len(values):,} different values hold {noun}"
    n_found = sum(_international(value.strip()) for value in values)
    return f"{n_found:,} of {len(values):,} different values are telephone numbers" if n_found else None


def _texts_among(profile: Profile) -> str | None:
    """Say that what single records alone have are texts, beside labels that many share."""
    own = [value for value, count in profile.by_value.items() if count == 1]
    if len(own) < _TEXTS or not are_texts(own):
        return None
    return f"{len(own):,} of {len(profile.values):,} different values are free text, which may name persons"
