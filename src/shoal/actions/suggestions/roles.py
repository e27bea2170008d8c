"""Roles: the rules by which the role of a column is suggested, each with its reason."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from shoal.actions.suggestions.contents import content_of
from shoal.actions.suggestions.fits import HEAVIEST, SHORT, may_be_of_bodies, misfit_of, numbers_in, of_no_body
from shoal.actions.suggestions.kinds import ValueKind, are_years
from shoal.actions.suggestions.naming import meanings_of, words_of, words_pair
from shoal.actions.suggestions.numbering import PERSONS, counts_on, may_number
from shoal.actions.suggestions.persons import are_titles, are_word_like, persons_among
from shoal.actions.suggestions.profile import Profile
from shoal.actions.suggestions.signs import PHONES, are_flags, are_icd, are_sexes, are_texts, shows, sign_of
from shoal.actions.suggestions.vocabulary import Meaning, meaning_named
from shoal.tables.table import Role

Certainty = Literal["sure", "likely", "undecided"]

_FEW = 20  # with fewer records, it means nothing that all values are distinct, or all equal
_ZIP = 5  # digits of most zip codes
_WEIGHT = re.compile(r"(?<!birth)(?<=[a-z]{2})_?(wt|wgt|wght)$")
_TITLE = 5  # most words of a label that is a title
_SERIAL = 100  # records from which on numbers that count on are none of ages, weeks and the like
_HOMES = 30  # different numbers that may still tell how large a household is, or how old
_CODE = 6  # signs from which on a code may be a number of a person
_REACHED = ("telephone number", "e-mail address", "account or card number", "national number", "trace on the internet")
_CLAUSE = re.compile(r"[,:;(?]")  # what ends the title of a longer label
CODES = "many codes of one form may number persons, who then have several records"
TEXTS = "tools that find names in texts can mask it (see the docs of shoal init), or leave it out"
_SAFE = {
    Role.IDENTIFIER: "left out, which is the safe choice",
    Role.QUASI: "taken as known to an attacker, which is the safe choice",
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The role of a column, and why.

    Args:
        profile: The column and its figures.
        role: The role.
        reason: Why, in a sentence without any value of the data.
        certainty: `sure` if the values leave no doubt, or the name is plain and the values can be that; `likely` if the
            values say it and the name does not; `undecided` if they contradict each other, or nothing is known.
        by_person: Whether a person chose the role.
    """

    profile: Profile
    role: Role
    reason: str
    certainty: Certainty = "sure"
    by_person: bool = False

    @property
    def decided(self) -> bool:
        """Whether a rule decided; else the role is the safe choice."""
        return self.certainty != "undecided"

    @property
    def name(self) -> str:
        """The column."""
        return self.profile.name

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "column": self.name,
            "role": str(self.role),
            "decided": self.decided or self.by_person,
            "certainty": self.certainty,
            "reason": self.reason,
            "kind": self.profile.kind.name,
            **self.profile.figures(),
        }

    def given(self, role: Role) -> "Suggestion":
        """Return the suggestion with the role that a person chose."""
        if role is self.role:
            return replace(self, by_person=True, reason=_once(self.reason, "confirmed"))
        suggested = f"chosen by a person; suggested was {self.role} ({self.reason})"
        return replace(self, role=role, by_person=True, reason=suggested)


def _once(reason: str, word: str) -> str:
    return reason if reason.endswith(word) else f"{reason}; {word}"


def suggest(profile: Profile, others: Collection[str] = ()) -> Suggestion:
    """Suggest the role of a column by its values and its name: the name is evidence, and the values decide.

    In this order: values of a form that leaves no doubt; names of persons, which never leave; a name with a known
    meaning, unless the values cannot be that; values that a list knows; free text; a common word in the name; the
    figures. What contradicts each other, and what nothing is known of, is undecided and gets the safe choice.

    Args:
        profile: The column.
        others: The names of all columns of the table: `first` beside `last` is a name of persons.
    """
    meanings = _meanings(profile)
    meaning, words, said = meanings[0] if meanings else (None, "", "")
    if words_pair(profile.name, others) and profile.kind.name == "category":
        meaning, words, said = (
            meaning_named("name of a person"),
            profile.name,
            "beside the other columns, the name says",
        )
    told = f"{said} '{words}'"
    rules: tuple[Callable[[], Suggestion | None], ...] = (
        lambda: _by_sign(profile),
        lambda: _by_persons(profile, meaning, told),
        lambda: _by_one_value(profile, meaning),
        lambda: _by_numbering(profile, meaning, told, meanings[1:]) if meaning is not None else None,
        lambda: _by_homes(profile, meaning, told, meanings[1:]) if meaning is not None else None,
        lambda: _by_name(profile, meaning, told, meanings[1:]) if meaning is not None and not meaning.weak else None,
        lambda: _by_values(profile),
        lambda: _by_weak_name(profile, meaning, told) if meaning is not None else None,
        lambda: _by_figures(profile),
    )
    return next(found for rule in rules if (found := rule()) is not None)


def _meanings(profile: Profile) -> Sequence[tuple[Meaning, str, str]]:
    """Return the meanings of a column's name, or else of its label if that is a title; and which of the two it is."""
    label = _CLAUSE.split(profile.entry.label)[0]
    titled = label if len(label.split()) <= _TITLE else ""
    for text, said in ((profile.name, "the name says"), (titled, "the label says")):
        found = meanings_of(text)
        if found:
            return [(meaning, words, said) for meaning, words in found]
    short = "_".join(words_of(profile.name))
    if _WEIGHT.search(short) and may_be_of_bodies(profile):
        return [(meaning_named("looks"), "weight", "the name says")]
    if (_WEIGHT.search(short) and _are_spread(profile)) or (short.startswith("wt") and _are_weights(profile)):
        return [(meaning_named("sampling weight"), "weight", "the name says")]
    return []


def kind_by_name(profile: Profile) -> ValueKind:
    """Return the kind of the values of a column, corrected by its name: zip codes are codes in any notation."""
    meanings, kind = _meanings(profile), profile.kind
    if not meanings or meanings[0][0].noun != "zip code" or kind.name == "date" or profile.labelled:
        return kind
    lengths = {len(value) for value in profile.values if value.isdecimal()}
    lost = len(lengths) > 1 and max(lengths) <= _ZIP and kind.name == "number"
    doubt = "the codes are of different lengths: were zeros at their start lost? Codes of one length group better"
    return ValueKind("code", doubt=doubt if lost else "")


def _by_sign(profile: Profile) -> Suggestion | None:
    sign = sign_of(profile.words)
    if sign is None:
        return None
    looked = "" if len(profile.seen) == profile.distinct else f" (of {len(profile.seen)} values that were looked at)"
    often = "" if profile.distinct > profile.present / 2 else "different "
    return Suggestion(profile, sign.role, f"nearly all {often}values are {sign.noun}{looked}: {sign.why}")


def _by_persons(profile: Profile, meaning: Meaning | None, told: str) -> Suggestion | None:
    """Leave out what names persons, whatever the column is called; never make it quasi or sensitive."""
    if profile.kind.name != "category":
        return None
    hinted = meaning is not None and meaning.noun in ("name of a person", "name")
    found = persons_among(profile.words, hinted)
    if not found.likely:
        return None
    said = "the values are names of persons"
    if meaning is None or hinted or meaning.role is Role.IDENTIFIER:
        if found.few and not hinted:
            return _undecided(profile, Role.IDENTIFIER, f"{said}, though only a few different ones")
        return Suggestion(profile, Role.IDENTIFIER, f"{said}: they name the person, or another one who is concerned")
    return _undecided(profile, Role.IDENTIFIER, f"{told} ({meaning.noun}), but {said}")


def _by_one_value(profile: Profile, meaning: Meaning | None) -> Suggestion | None:
    """Publish what all records share, unless its name says that it names somebody."""
    if profile.distinct != 1 or profile.missing or profile.n_records < _FEW:
        return None
    if meaning is not None and meaning.role is Role.IDENTIFIER and not meaning.weak:
        return None
    return Suggestion(profile, Role.INSENSITIVE, "every record has the same value: it tells nobody apart")


def _by_numbering(
    profile: Profile, meaning: Meaning, told: str, others: Sequence[tuple[Meaning, str, str]]
) -> Suggestion | None:
    """Leave out what numbers the records, whatever else the name says: `stop_id`, or a `lab` that counts on."""
    if meaning.weak or meaning.role in (Role.IDENTIFIER, Role.OMITTED) or profile.present < _FEW:
        return None
    if not profile.nearly_unique or not may_number(profile):
        return None
    said = f"{told} ({meaning.noun})"
    number = next((words for other, words, _ in others if other.noun in ("number", "number of a record")), None)
    if number is not None:
        why = f"{said}, but '{number}' as well, and nearly every record has a number of its own"
        return Suggestion(profile, Role.IDENTIFIER, why, "likely")
    if meaning.role is Role.SENSITIVE and profile.present >= _SERIAL and counts_on(profile):
        return _undecided(profile, Role.IDENTIFIER, f"{said}, but the values number the records one by one")
    return None


def _by_homes(
    profile: Profile, meaning: Meaning, told: str, others: Sequence[tuple[Meaning, str, str]]
) -> Suggestion | None:
    """Leave out what numbers households, though its name may say how large one is: `hogar`, with many numbers."""
    if meaning.noun != "household" or not all(other.weak for other, _, _ in others):
        return None
    if not may_number(profile) or profile.distinct <= max(_HOMES, profile.present / 5):
        return None
    why = f"{told} ({meaning.noun}), and few records share each of many values: it is a number of a household"
    return Suggestion(profile, Role.IDENTIFIER, why, "likely")


def _by_name(
    profile: Profile, meaning: Meaning, told: str, others: Sequence[tuple[Meaning, str, str]] = ()
) -> Suggestion:
    """Follow the name of a column, unless its values contradict it; then another of its words may be meant."""
    said = f"{told} ({meaning.noun})"
    plain = Suggestion(profile, meaning.role, f"{said}: {meaning.why}")
    values, n = profile.kind.name, profile.present
    if meaning.role is Role.IDENTIFIER and (are_flags(profile.words) or _are_two_codes(profile, meaning)):
        why = f"{said}, but the values are yes and no: it tells whether there is one, which others may know"
        return Suggestion(profile, Role.QUASI, why, "likely")
    if values in ("category", "code") and profile.distinct > n / 2 and meaning.role is not Role.IDENTIFIER:
        if are_texts(profile.words):
            return _undecided(profile, Role.IDENTIFIER, f"{said}, but the values are free text, which may name persons")
        if meaning.role is Role.QUASI and meaning.noun != "zip code" and profile.nearly_unique and n >= _FEW:
            return _undecided(profile, Role.IDENTIFIER, f"{said}, but nearly every record has a value of its own")
    if _numbers_records(profile) and meaning.role is not Role.IDENTIFIER and meaning.noun != "zip code":
        return _undecided(profile, Role.IDENTIFIER, f"{said}, but nearly every record has a code of its own")
    if values == "date" and meaning.role is Role.SENSITIVE:
        why = f"{said}, but the values are dates: who knows the day finds the record"
        return Suggestion(profile, Role.QUASI, why, "likely")
    misfit = misfit_of(meaning, profile)
    content = None if values == "number" else content_of(profile.words)
    if not misfit and (content is None or content.role is meaning.role or meaning.role is Role.IDENTIFIER):
        if meaning.role is Role.IDENTIFIER and profile.distinct <= 2 and n >= _FEW:
            return _hardly(plain, said)
        if meaning.noun == "sampling weight" and may_be_of_bodies(profile):
            return replace(plain, certainty="likely", reason=f"{plain.reason}; if it is of bodies, make it quasi")
        return plain
    return _contradicted(profile, meaning, said, misfit or "the values say something else", others)


def _contradicted(
    profile: Profile, meaning: Meaning, said: str, but: str, others: Sequence[tuple[Meaning, str, str]]
) -> Suggestion:
    """Suggest a role where the values contradict the likeliest meaning of the name."""
    content = None if profile.kind.name == "number" else content_of(profile.words)
    label = meaning.noun == "free text"  # a short text that repeats names what a code stands for
    if content is not None:
        vague: Certainty = "likely" if label else "undecided"
        return Suggestion(profile, content.role, f"{said}, but {but}: they are of {content.noun}", vague)
    if meaning.noun == "looks" and _are_weights(profile):
        weight = meaning_named("sampling weight")
        return Suggestion(
            profile, weight.role, f"{said}, but the values look like sampling weights: {weight.why}", "likely"
        )
    if profile.kind.name in ("category", "code") and profile.nearly_unique and profile.present >= _FEW:
        return _undecided(profile, Role.IDENTIFIER, f"{said}, but {but}: nearly every record has one of its own")
    for second, words, _ in others if label or but == SHORT or meaning.role is not Role.IDENTIFIER else ():
        if not second.weak and not misfit_of(second, profile):
            why = f"{said}, but {but}; it says '{words}' too ({second.noun}): {second.why}"
            return Suggestion(profile, second.role, why, "likely")
    return _undecided(profile, meaning.role if meaning.role in _SAFE else Role.QUASI, f"{said}, but {but}")


def _numbers_records(profile: Profile) -> bool:
    """Tell whether nearly every record has a code of its own, with more than digits, which numbers records."""
    if profile.present < _FEW or not profile.nearly_unique or profile.kind.name not in ("code", "category"):
        return False
    plain = sum(map(str.isdecimal, profile.seen))
    return may_number(profile) and 10 * plain <= len(profile.seen) and not are_icd(profile.words)


def _are_two_codes(profile: Profile, meaning: Meaning) -> bool:
    """Tell whether there are two short codes alone, as of yes and no, where many numbers should be."""
    short = profile.distinct == 2 and all(len(value) < _CODE for value in profile.seen)
    return short and profile.kind.name in ("code", "number") and meaning.noun in _REACHED and profile.present >= _FEW


def _hardly(plain: Suggestion, said: str) -> Suggestion:
    return _undecided(plain.profile, Role.IDENTIFIER, f"{said}, but hardly any values differ")


def _are_weights(profile: Profile) -> bool:
    """Tell whether numbers look like sampling weights: positive, many different ones, and none of a body."""
    numbers = sorted(numbers_in(profile) or [])
    if not numbers or numbers[0] <= 0 or profile.distinct <= 20:
        return False
    return numbers[-1] > HEAVIEST or of_no_body(numbers)


def _are_spread(profile: Profile) -> bool:
    """Tell whether values are positive numbers, many of them different."""
    numbers = numbers_in(profile)
    return numbers is not None and min(numbers) > 0 and profile.distinct > 20


def _by_values(profile: Profile) -> Suggestion | None:
    kind, seen = profile.kind.name, profile.words
    if kind == "date":
        return Suggestion(profile, Role.QUASI, "the values are dates: who knows the day finds the record")
    if kind == "clock":
        return Suggestion(profile, Role.QUASI, "the values are times of the day: who was there knows the hour")
    if are_sexes(seen):
        why = "the values are words for the sexes: anybody who sees the person knows it"
        return Suggestion(profile, Role.QUASI, why)
    if are_titles(seen):
        return Suggestion(
            profile, Role.QUASI, "the values are titles beside names: they tell the sex, the learning or the family"
        )
    if are_icd(seen):
        return Suggestion(profile, Role.SENSITIVE, "the values look like ICD codes, which are diagnoses")
    if kind == "number":
        return None
    if shows(PHONES, seen):
        return Suggestion(profile, Role.IDENTIFIER, "nearly all values are telephone numbers: each reaches one person")
    content = content_of(seen)
    if content is not None:
        return Suggestion(profile, content.role, f"most values are of {content.noun}: {content.why}", "likely")
    if are_texts(seen) and (profile.distinct > profile.present / 10 or profile.distinct > 50):
        return Suggestion(profile, Role.IDENTIFIER, f"the values are free text, which may name persons; {TEXTS}")
    return None


def _by_weak_name(profile: Profile, meaning: Meaning, told: str) -> Suggestion | None:
    """Follow a common word such as `id` if nearly all values are distinct; else leave the column undecided."""
    if profile.nearly_unique and profile.present >= _FEW:
        return Suggestion(profile, Role.IDENTIFIER, f"{told}, and nearly every record has a value of its own")
    but = "the same values stand in several records" if profile.present >= _FEW else "there are too few records to tell"
    said = f"{told}, and {meaning.why}; but {but}"
    named = meaning.noun == "name" and (are_word_like(profile.words) or profile.distinct > _FEW)
    if profile.distinct > profile.present / 10 or named or (profile.distinct >= PERSONS and may_number(profile)):
        return _undecided(profile, Role.IDENTIFIER, said)
    return _undecided(profile, Role.QUASI, said)


def _by_figures(profile: Profile) -> Suggestion:
    """Suggest a role by the figures alone, if name and values are not recognized."""
    many = profile.present >= _FEW
    if profile.distinct == 0:
        return Suggestion(profile, Role.INSENSITIVE, "it holds no value at all")
    if profile.kind.name == "number" and not are_years(profile.seen):
        return _by_numbers(profile)
    if profile.nearly_unique and many:
        why = "nearly every record has a value of its own, so it may name the record"
        return Suggestion(profile, Role.IDENTIFIER, why, "likely")
    unknown = "neither the name nor the values say what it is"
    if _are_codes(profile) and profile.distinct >= max(_FEW, profile.present / 10) and not are_years(profile.seen):
        return _undecided(profile, Role.IDENTIFIER, f"{unknown}; {CODES}")
    if profile.labelled:
        return _undecided(profile, Role.QUASI, f"the values are codes with labels, and {unknown}")
    if profile.distinct >= max(_FEW, profile.present / 20) and are_word_like(profile.words):
        return _undecided(
            profile, Role.IDENTIFIER, f"{unknown}; many short words with capitals may be names of persons"
        )
    if profile.distinct > profile.present / 2 and profile.distinct > 1:
        return _undecided(profile, Role.IDENTIFIER, f"{unknown}, and most values stand for one record alone")
    return _undecided(profile, Role.QUASI, unknown)


def _are_codes(profile: Profile) -> bool:
    """Tell whether values are codes of one form, or of several that are as long, as `12345678W01`."""
    if profile.kind.name != "category":
        return profile.kind.name == "code"
    return may_number(profile) and all(len(value) >= _CODE for value in profile.seen)


def _by_numbers(profile: Profile) -> Suggestion:
    """Distinguish serial numbers from measurements."""
    if profile.nearly_unique and may_number(profile):
        if profile.present >= _FEW and counts_on(profile):
            return Suggestion(profile, Role.IDENTIFIER, "the values number the records one by one")
        return _undecided(
            profile,
            Role.IDENTIFIER,
            "nearly every record has a whole number of its own, which may be its number elsewhere",
        )
    return _undecided(profile, Role.QUASI, "the values are numbers, and the name does not say of what")


def _undecided(profile: Profile, role: Role, why: str) -> Suggestion:
    return Suggestion(profile, role, f"{why}; {_SAFE[role]}", "undecided")
