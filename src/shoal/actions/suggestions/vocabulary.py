"""Vocabulary: words in column names and their meanings, in English and the larger languages of Europe.

They are listed in `vocabulary.csv`, in lower case and without accents, as `naming` normalizes them. An entry of two
words such as `birth date` matches `patient_birth_date`, `date_of_birth` and, written together, `birthdate`.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from shoal.tables.table import Role


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a column name.

    Args:
        noun: The content of the column, in words.
        role: The usual role of such a column.
        why: The reason for the role.
        weak: Whether the words are so common that another word, or the values, may override them.
    """

    noun: str
    role: Role
    why: str
    weak: bool = False


_NAMES = "it names the person"
_NUMBERS = "it is a number that stands for one person"
_REACHES = "it reaches the person"
_KNOWN = "neighbours, colleagues or public records may know it"
_SEEN = "anybody who sees the person knows it"
_HEALTH = "it is about health"
_MONEY = "it is about money"
_SPECIAL = "the law protects it (GDPR article 9)"

_DISEASE = "diagnosis or disease"
_SHORT = 4  # letters; shorter names of diseases are words for other things too

_I, _Q, _S = Role.IDENTIFIER, Role.QUASI, Role.SENSITIVE
_HOUSEHOLD = "it leads to one household; k counts persons or records, and not households"
_WEIGHT = (
    "a weight tells the stratum, and often the record; name it to shoal risk (weights) and for the loss "
    "(sampling_weights), and release it only with reason"
)
_DESIGN = "a stratum or a sampling unit tells where the person lives; release it only with reason"

MEANINGS: tuple[Meaning, ...] = (
    Meaning("name of a person", _I, _NAMES),
    Meaning("name", _I, "it may name the person", weak=True),
    Meaning("e-mail address", _I, _REACHES),
    Meaning("telephone number", _I, _REACHES),
    Meaning("address", _I, "it leads to one household"),
    Meaning("national number", _I, _NUMBERS),
    Meaning("account or card number", _I, _NUMBERS),
    Meaning("number of a record", _I, "it leads back to the record in another table"),
    Meaning("number of a household", _I, _HOUSEHOLD),
    Meaning("sampling weight", Role.OMITTED, _WEIGHT),
    Meaning("sampling design", Role.OMITTED, _DESIGN),
    Meaning("number", _I, "it may lead back to the record in another table", weak=True),
    Meaning("trace on the internet", _I, "it leads to a device or an account"),
    Meaning("biometric trace or picture", _I, "it shows one person"),
    Meaning("free text", _I, "free text may name persons"),
    Meaning("date of birth", _Q, "it is known to many, and in many registers"),
    Meaning("age", _Q, _KNOWN),
    Meaning("date", _Q, "who knows when something happened finds the record"),
    Meaning("sex", _Q, _SEEN),
    Meaning("zip code", _Q, "it tells where the person lives"),
    Meaning("place", _Q, "it tells where the person lives, works or was"),
    Meaning("nationality or origin", _Q, _KNOWN),
    Meaning("ethnic group", _Q, "others see it or know it; the law protects it too (GDPR article 9)"),
    Meaning("marital status", _Q, _KNOWN),
    Meaning("household", _Q, _KNOWN),
    Meaning("education", _Q, _KNOWN),
    Meaning("work", _Q, _KNOWN),
    Meaning("looks", _Q, _SEEN),
    Meaning("product or contract", _Q, "who sold it, and who sees it, knows it"),
    Meaning("length of stay", _Q, "who knows of the stay may know how long it was"),
    Meaning(_DISEASE, _S, _HEALTH),
    Meaning("treatment or measurement", _S, _HEALTH),
    Meaning("income or wealth", _S, _MONEY),
    Meaning("belief or politics", _S, _SPECIAL),
    Meaning("sexual life", _S, _SPECIAL),
    Meaning("offence", _S, "it harms who is known by it (GDPR article 10)"),
    Meaning("judgement of a person", _S, "it harms who is known by it"),
)


def vocabulary() -> tuple[tuple[Meaning, tuple[str, ...]], ...]:
    """Return the words of each meaning, from `vocabulary.csv`; a column is called by the name of a disease too."""
    found = listed("vocabulary.csv")
    diseases = tuple(word for word in listed("contents.csv")[_DISEASE] if len(word) > _SHORT)
    return tuple(
        (meaning, (*found[meaning.noun], *(diseases if meaning.noun == _DISEASE else ()))) for meaning in MEANINGS
    )


def meaning_named(noun: str) -> Meaning:
    """Return the meaning of a noun."""
    return next(meaning for meaning in MEANINGS if meaning.noun == noun)


@cache
def listed(file: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each meaning that a file of this folder lists."""
    found: dict[str, list[str]] = {}
    for line in _lines(file):
        noun, _, words = line.partition(";")
        found.setdefault(noun, []).extend(word.strip() for word in words.split(","))
    return {noun: tuple(words) for noun, words in found.items()}


def _lines(file: str) -> list[str]:
    """Return the lines of a file of this folder, without the header."""
    return (files("shoal.actions.suggestions") / file).read_text(encoding="utf-8").splitlines()[1:]
