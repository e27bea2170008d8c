"""Signs: recognizable forms of the values of a column, whatever its name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.actions.suggestions.naming import words_of
from shoal.tables.national_numbers import NATIONAL_NUMBERS, is_card, is_iban
from shoal.tables.table import Role
from shoal.tables.value_forms import (
    is_email,
    is_ip_address,
    is_mac_address,
    is_phone,
    is_uuid,
    is_web_address,
    matcher,
)

_MOST = 0.9  # least share of the sampled values that must have the form
_FEW = 5  # with fewer values, forms that a random number may have by chance do not count


@dataclass(frozen=True, slots=True)
class Sign:
    """A recognizable form of the values of a column.

    Args:
        noun: The name of the form, in the plural.
        role: The role that follows.
        test: Tells whether a value has the form.
        plain: Whether hardly anything else has the form; else several values are needed.
        why: Why the role follows.
    """

    noun: str
    role: Role
    test: Callable[[str], bool]
    why: str
    plain: bool = True


_MEN = (
    "m",
    "male",
    "man",
    "mann",
    "mannlich",
    "homme",
    "hombre",
    "masculino",
    "masculin",
    "uomo",
    "maschio",
    "homem",
    "h",
)
_WOMEN = ("f", "w", "female", "woman", "frau", "weiblich", "femme", "mujer", "donna", "femmina", "vrouw", "mulher", "v")
_ALSO = ("femenino", "feminino", "feminin", "mannelijk", "vrouwelijk", "divers", "d", "x", "other", "unknown", "u")

_ONE_PERSON = "each leads to one person"
_TRACES = "each leads to a device, an account or a page"

SIGNS: tuple[Sign, ...] = (
    Sign("e-mail addresses", Role.IDENTIFIER, is_email, "each reaches one person"),
    Sign("UUIDs", Role.IDENTIFIER, is_uuid, _ONE_PERSON),
    Sign("web addresses", Role.IDENTIFIER, is_web_address, _TRACES),
    Sign("MAC addresses", Role.IDENTIFIER, is_mac_address, _TRACES),
    Sign("IP addresses", Role.IDENTIFIER, is_ip_address, _TRACES),
    Sign("IBANs", Role.IDENTIFIER, is_iban, _ONE_PERSON),
    *(
        Sign(noun, Role.IDENTIFIER, test, _ONE_PERSON, noun.startswith(("US", "British", "Italian", "Finnish")))
        for noun, test in NATIONAL_NUMBERS.items()
    ),
    Sign("card numbers", Role.IDENTIFIER, is_card, _ONE_PERSON, plain=False),
)
PHONES = Sign("telephone numbers", Role.IDENTIFIER, is_phone, "each reaches one person", plain=False)
ICD = Sign("ICD codes", Role.SENSITIVE, matcher(r"[A-TV-Z][0-9][0-9AB]\.?[0-9A-Z]{0,4}[*+!]?"), "they are diagnoses")


def sign_of(values: Sequence[str]) -> Sign | None:
    """Return the form of most of the values, among the signs; None if there is none."""
    return next((sign for sign in SIGNS if shows(sign, values)), None)


def shows(sign: Sign, values: Sequence[str]) -> bool:
    """Tell whether most of the values have a form."""
    if not values or (not sign.plain and len(values) < _FEW):
        return False
    allowed = int(len(values) * (1 - _MOST))
    for value in values:
        allowed -= not sign.test(value.strip())
        if allowed < 0:
            return False
    return True


def are_icd(values: Sequence[str]) -> bool:
    """Tell whether the values are ICD codes; some must have a point, since other codes look like those without."""
    return len(values) >= 3 and shows(ICD, values) and any("." in value for value in values)


def are_sexes(values: Sequence[str]) -> bool:
    """Tell whether the values are words for the sexes, with at least one for women."""
    words = {"".join(words_of(value)) for value in values}
    return 2 <= len(words) <= 6 and words <= {*_MEN, *_WOMEN, *_ALSO} and bool(words & {*_WOMEN})


def are_texts(values: Sequence[str]) -> bool:
    """Tell whether the values are free text: at least five words, or 40 letters, on average."""
    if not values:
        return False
    words = sum(len(value.split()) for value in values) / len(values)
    return words >= 5 or (words >= 3 and sum(map(len, values)) / len(values) >= 40)
