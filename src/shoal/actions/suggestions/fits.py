"""Fits: whether the values of a column can be what its name says."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from shoal.actions.suggestions.contents import content_of
from shoal.actions.suggestions.kinds import are_years, plain_number, span_of
from shoal.actions.suggestions.naming import words_of
from shoal.actions.suggestions.persons import persons_among
from shoal.actions.suggestions.profile import Profile
from shoal.actions.suggestions.signs import are_flags, are_texts
from shoal.actions.suggestions.vocabulary import Meaning

HEAVIEST = 700  # of a body, in any unit but grams
_BODY = range(2, 251)  # the middle weight of a table of persons, in kilograms or pounds, children too
_COUNTED = 3  # digits of what is counted, and of no number of a person
SHORT = "the values are too short for such numbers"
_CATEGORIES = 30  # most different values of something that is told in categories
_SEASON = re.compile(r"(19|20)[0-9]{2} ?[-_/\u2013] ?([0-9]{2}){1,2}")  # a school year, a season, a wave of a survey
_PARTS_OF_YEAR = dict.fromkeys(("month", "months", "mth", "mths", "monate", "monaten", "mois", "meses", "mesi"), 12)
_PARTS_OF_YEAR |= dict.fromkeys(("day", "days", "tage", "tagen", "jours", "dias", "giorni", "dagen"), 366)
_PARTS_OF_YEAR |= dict.fromkeys(("week", "weeks", "wochen", "semaines", "semanas", "settimane", "weken"), 53)
_WEIGHTS = ("weight", "gewicht", "poids", "peso", "waga")


def misfit_of(meaning: Meaning, profile: Profile) -> str:
    """Say why the values cannot be what the name says; empty if they can, or nothing is known of it."""
    rule = _RULES.get(meaning.noun)
    if rule is None or not profile.distinct:
        return ""
    return rule(profile)


def numbers_in(profile: Profile) -> list[Fraction] | None:
    """Return the numbers among the values that were looked at; None if the column is none of numbers."""
    if profile.kind.name != "number":
        return None
    plain = (plain_number(value, profile.kind.form or "plain") for value in profile.seen)
    return [Fraction(text) for text in plain if text is not None]


def _date(profile: Profile) -> str:
    if profile.kind.name in ("date", "clock") or are_years(profile.seen):
        return ""
    numbers = numbers_in(profile)
    if numbers is None:
        content = content_of(profile.words)
        told = (content is not None and content.noun == "date") or profile.kind.name in ("span", "code")
        return "" if told or all(map(_SEASON.fullmatch, profile.seen)) else "the values are no dates"
    parts = {"day": 366, "week": 53, "month": 12, "quarter": 4, "hour": 24, "year": 2100}
    small = any(part in word for part in parts for word in words_of(profile.name))
    calendar = small and profile.distinct > 2 and min(numbers) >= 0 and max(numbers) <= 2100 and _whole(numbers)
    return "" if calendar else "the values are numbers and no dates"


def _age(profile: Profile) -> str:
    numbers = numbers_in(profile)
    if numbers is not None:
        parts = (parts for word, parts in _PARTS_OF_YEAR.items() if word in words_of(profile.name))
        return "" if min(numbers) >= 0 and max(numbers) <= 150 * next(parts, 1) else "the numbers are no ages"
    told = profile.kind.name == "span" or profile.distinct <= _CATEGORIES or any(map(span_of, profile.words))
    return "" if told else "the values are neither numbers nor groups"


def _few(most: int) -> Callable[[Profile], str]:
    return lambda profile: "" if profile.distinct <= most else "there are too many different values"


def _zip(profile: Profile) -> str:
    longest = max(map(len, profile.seen))
    if longest > 12 or any("." in value.strip(".0") for value in profile.seen):
        return "the values do not have the form of such codes"
    return "" if longest > 1 else "the values have one sign alone"


def _looks(profile: Profile) -> str:
    numbers = numbers_in(profile)
    if numbers is None:
        return "" if profile.distinct <= _CATEGORIES else "there are too many different values"
    weighed = any(word.startswith(_WEIGHTS) for word in words_of(profile.name))
    fits = min(numbers) > 0 and max(numbers) <= HEAVIEST and not (weighed and of_no_body(numbers))
    return "" if fits else "the numbers are none of a body"


def of_no_body(numbers: Sequence[Fraction]) -> bool:
    """Tell whether the number in the middle of many is the weight of no person."""
    middle = sorted(numbers)[len(numbers) // 2]
    return len(numbers) > 20 and not _BODY[0] <= middle <= _BODY[-1]


def may_be_of_bodies(profile: Profile) -> bool:
    """Tell whether numbers could be the weights of grown persons too: whole ones, or with one decimal."""
    numbers = sorted(numbers_in(profile) or [])
    tenths = all((10 * number).denominator == 1 for number in numbers)
    return bool(numbers) and tenths and numbers[0] >= 20 and numbers[-1] <= 250 and not of_no_body(numbers)


def _place(profile: Profile) -> str:
    """Tell whether values can be places: yes and no are none, nor are many whole numbers of any length."""
    if are_flags(profile.words):
        return "the values are yes and no"
    numbers = numbers_in(profile)
    lengths = len({len(str(abs(number))) for number in numbers or ()})
    measured = numbers is not None and _whole(numbers) and lengths > 2 and profile.distinct > profile.present / 3
    return "the values are measured numbers" if measured else ""


def _sex(profile: Profile) -> str:
    if are_flags(profile.words) and not all(value.strip().isdecimal() for value in profile.seen):
        return "the values are yes and no"
    return _few(8)(profile)


def _schooling(profile: Profile) -> str:
    numbers = numbers_in(profile)
    if numbers is not None:
        return "" if _whole(numbers) and max(numbers) <= 99 else "the values are measured numbers"
    return "" if profile.distinct <= 100 else "there are too many different values"


def _single(profile: Profile) -> str:
    """Tell whether values can lead to one person each: not if a few of them are shared by all records."""
    shared = profile.distinct <= 12 and profile.present >= 5 * profile.distinct
    return "a few values are shared by all records" if shared else ""


def _national(profile: Profile) -> str:
    """Tell whether values can be numbers that a state gives: short whole numbers count days, or something else."""
    if profile.kind.name == "number" and max(map(len, profile.seen)) <= _COUNTED:
        return SHORT
    return _single(profile)


def _text(profile: Profile) -> str:
    short = not are_texts(profile.words) and 2 * profile.distinct <= profile.present
    return "the values are short and repeated" if short else ""


def _named(profile: Profile) -> str:
    """Tell whether values can be names: not if they are numbers or dates, or a few words that all records share."""
    if profile.kind.name not in ("category", "code", "span"):
        return "the values are no words"
    return _single(profile) if not persons_among(profile.words, hinted=True).likely else ""


def _whole(numbers: Sequence[Fraction]) -> bool:
    return all(number.denominator == 1 for number in numbers)


_RULES: Mapping[str, Callable[[Profile], str]] = {
    "date": _date,
    "date of birth": _date,
    "age": _age,
    "sex": _sex,
    "place": _place,
    "zip code": _zip,
    "looks": _looks,
    "education": _schooling,
    "marital status": _few(_CATEGORIES),
    "trace on the internet": _single,
    "account or card number": _single,
    "national number": _national,
    "number of a record": _single,
    "number of a household": _single,
    "e-mail address": _single,
    "telephone number": _single,
    "address": _single,
    "biometric trace or picture": _single,
    "free text": _text,
    "name of a person": _named,
}
