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
    *("erkek", "mezczyzna", "mand", "mies", "м", "муж", "мужской", "мужчина", "ч", "чоловік", "чоловіча", "ανδρας"),
    *("αρρεν", "αρσενικο", "ذكر", "זכר", "पुरुष", "مرد", "ชาย", "男", "男性", "남", "남자", "남성"),
)
_WOMEN = (
    "f",
    "w",
    "female",
    "woman",
    "frau",
    "weiblich",
    "femme",
    "mujer",
    "donna",
    "femmina",
    "vrouw",
    "mulher",
    "v",
    *("kadin", "kobieta", "kvinde", "kvinna", "nainen", "ж", "жен", "женский", "женщина", "жінка", "жіноча", "γυναικα"),
    *("θηλυ", "θηλυκο", "أنثى", "انثى", "נקבה", "महिला", "स्त्री", "زن", "หญิง", "女", "女性", "여", "여자", "여성"),
)
_ALSO = ("femenino", "feminino", "feminin", "mannelijk", "vrouwelijk", "divers", "d", "x", "other", "unknown", "u")

_FLAGS = {
    *(
        "yes",
        "no",
        "none",
        "y",
        "n",
        "true",
        "false",
        "t",
        "f",
        "0",
        "1",
        "unknown",
        "ja",
        "nein",
        "j",
        "oui",
        "non",
        "o",
    ),
    *(
        "si",
        "s",
        "sim",
        "nao",
        "tak",
        "nie",
        "evet",
        "hayir",
        "да",
        "нет",
        "так",
        "ні",
        "是",
        "否",
        "有",
        "无",
        "예",
        "아니오",
    ),
}
_SOME = 0.3
_CLINICAL = matcher(
    r".*\((disorder|finding|procedure|situation|regime/therapy|morphologic abnormality|event|substance)\)"
)

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
    words = _plain(values)
    men, women = _plain(_MEN), _plain(_WOMEN)
    return 2 <= len(words) <= 6 and words <= {*men, *women, *_ALSO} and bool(words & women)


def are_flags(values: Sequence[str]) -> bool:
    """Tell whether the values say yes and no."""
    return 0 < len(values) <= 6 and _plain(values) <= _FLAGS


def _plain(values: Sequence[str]) -> set[str]:
    """Return texts in small letters without accents and marks; a digit stays: `M1204` is no word for a sex."""
    return {"".join(words_of(value, digits=True)) for value in values}


def are_clinical(values: Sequence[str]) -> bool:
    """Tell whether a part of the values are terms of SNOMED CT, which end with their kind in brackets."""
    return len(values) > 1 and sum(_CLINICAL(value.strip()) for value in values) >= _SOME * len(values)


def are_texts(values: Sequence[str]) -> bool:
    """Tell whether the values are free text: at least five words, or 40 letters, on average."""
    if not values:
        return False
    words = sum(len(value.split()) for value in values) / len(values)
    return words >= 5 or (words >= 3 and sum(map(len, values)) / len(values) >= 40)
