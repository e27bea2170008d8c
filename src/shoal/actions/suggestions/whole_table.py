"""The whole table: what the columns say of each other, once each has a role of its own."""

import re
from collections.abc import Sequence
from dataclasses import replace

from shoal.actions.suggestions.belonging import belonging_of, lasting_among
from shoal.actions.suggestions.hidden import without_hidden
from shoal.actions.suggestions.naming import words_of
from shoal.actions.suggestions.numbering import PERSONS, may_number
from shoal.actions.suggestions.profile import Profile
from shoal.actions.suggestions.relations import Relations
from shoal.actions.suggestions.roles import CODES, Certainty, Suggestion
from shoal.actions.suggestions.vocabulary import listed
from shoal.tables.hierarchies.numeric import scaled
from shoal.tables.national_numbers import NATIONAL_NUMBERS
from shoal.tables.table import Role

_FEW = 20  # records, or persons, below which nothing is said of numbers that repeat
_SHARE = 0.1  # least number of persons for each record, for an identifier that repeats and has few values
_MADE = re.compile(r"column [0-9]+|unnamed(:? ?[0-9]+)?(_level_[0-9]+)?|index|level_0|rownames|row names|_c0|\.\.\.1")
SEVERAL = "are of several persons"
_NUMBERS = ("number of a record", "national number", "account or card number", "e-mail", "UUID", "IBAN", "card num")


def settled(columns: Sequence[Suggestion], relations: Relations) -> tuple[Suggestion, ...]:
    """Return the columns with the roles that follow from the others: rows counted, persons, copies."""
    found = _of_several([without_hidden(_counting(column)) for column in columns])
    found = _with_household(_with_entity(found))
    for group in relations.copies:
        found = _without_copies(found, group)
    return tuple(found)


def told_of_relations(columns: Sequence[Suggestion], relations: Relations) -> list[str]:
    """Say which columns are copies of others, and where an attacker reads a sensitive value from what is known."""
    role = {column.name: column.role for column in columns}
    told = []
    for group in relations.copies:
        kept = [name for name in group if role[name].leaves]
        told.append(f"{_quoted(group)} say the same, in these words or others. Kept: {_quoted(kept) or 'none'}.")
    for first, then in relations.follows:
        if (role[first], role[then]) == (Role.QUASI, Role.SENSITIVE):
            told.append(
                f"'{then}' follows from '{first}': who knows the one knows the other, so '{first}' tells what is to be "
                "protected. Make it sensitive too, or leave one of them out."
            )
    return told


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def is_made(name: str) -> bool:
    """Tell whether a name is one that was made for a column without any, here or by another program."""
    return _MADE.fullmatch(name.strip().casefold()) is not None or not name.strip()


def repeats(column: Suggestion) -> bool:
    """Tell whether an identifier stands for persons, of whom some have several records."""
    profile = column.profile
    blank = sum(" " in value.strip() for value in profile.seen)  # names and texts, which persons share
    if profile.distinct >= profile.present or 2 * blank >= len(profile.seen):
        return False
    many = profile.distinct >= (_FEW if _of_persons(column) else PERSONS)
    return profile.present >= _FEW and (many or profile.distinct > _SHARE * profile.present)


def may_be_persons(column: Suggestion) -> bool:
    """Tell whether an identifier is none of names, and repeats: then a person may have several records."""
    return repeats(column) and (may_number(column.profile) or "e-mail" in column.reason)


def _counting(column: Suggestion) -> Suggestion:
    """Leave out a column without a name that only counts the records."""
    if not is_made(column.name) or not _counts_rows(column.profile):
        return column
    reason = "it has no name and only counts the records, as programs do that write an index: nobody needs it"
    return replace(column, role=Role.OMITTED, reason=reason, certainty="sure")


def _counts_rows(profile: Profile) -> bool:
    numbers = scaled(profile.values) if profile.distinct == profile.n_records > 1 else None
    return numbers is not None and numbers[1] == 1 and max(numbers[0]) - min(numbers[0]) == profile.n_records - 1


def _of_several(columns: list[Suggestion]) -> list[Suggestion]:
    """Say of identifiers that repeat where their records are of several persons: numbers of doctors, of cases."""
    lasting = lasting_among(columns)
    said = [belonging_of(one.profile, lasting) if _may_be_entity(one) else None for one in columns]
    return [
        replace(
            column,
            reason=f"{column.reason}; records that share a value differ in {_quoted(one.by)}, so they {SEVERAL}",
        )
        if one is not None and one.of_several
        else column
        for column, one in zip(columns, said, strict=True)
    ]


def _with_entity(columns: list[Suggestion]) -> list[Suggestion]:
    """Make the identifier of persons who have several records the entity, so that k counts persons."""
    candidates = [column for column in columns if _may_be_entity(column) and SEVERAL not in column.reason]
    if any(map(_numbers_persons_once, columns)):
        candidates = [column for column in candidates if _of_persons(column)]
    else:
        candidates += _agreeing(columns, candidates)
    if not candidates or any(column.role is Role.ENTITY for column in columns):
        return columns
    chosen = min(candidates, key=lambda one: (not _of_persons(one), one.profile.distinct))
    reason = (
        f"{chosen.reason}; several records share a value, so it tells whose records they are, and k counts persons; if "
        "they are not of one person, make it an identifier, and k counts records"
    )
    certainty: Certainty = "sure" if _of_persons(chosen) and chosen.certainty == "sure" else "likely"
    taken = replace(chosen, role=Role.ENTITY, reason=reason, certainty=certainty)
    return [taken if column.name == chosen.name else column for column in columns]


def _agreeing(columns: Sequence[Suggestion], known: Sequence[Suggestion]) -> list[Suggestion]:
    """Return the columns of unknown numbers whose records agree in what does not change of a person."""
    lasting, found = lasting_among(columns), []
    for column in columns:
        unknown = not column.decided and column.role in (Role.QUASI, Role.IDENTIFIER) and column not in known
        if not unknown or not may_number(column.profile) or not repeats(column) or column.profile.missing:
            continue
        said = belonging_of(column.profile, lasting)
        if said.of_one:
            why = f"the values may be numbers, and records that share one agree in {_quoted(said.by)}"
            found.append(replace(column, reason=why, certainty="likely"))
    return found


def _with_household(columns: list[Suggestion]) -> list[Suggestion]:
    """Make the number of households that have several records the household, unless persons are counted."""
    homes = [one for one in columns if one.role is Role.IDENTIFIER and "number of a household" in one.reason]
    chosen = next((one for one in homes if repeats(one) and not one.profile.missing), None)
    if chosen is None or any(column.role in (Role.ENTITY, Role.HOUSEHOLD) for column in columns):
        return columns
    reason = f"{chosen.reason.partition(';')[0]}; several records share a value, so k counts households"
    taken = replace(chosen, role=Role.HOUSEHOLD, reason=reason)
    return [taken if column is chosen else column for column in columns]


def _may_be_entity(column: Suggestion) -> bool:
    named = any(noun in column.reason for noun in _NUMBERS) or "it may lead back to the record" in column.reason
    numbered = CODES in column.reason or "it may name the person" in column.reason
    named |= numbered and may_number(column.profile) and _of_persons(column)
    of_others = _says(column, "other") and not _of_persons(column)
    own = column.role is Role.IDENTIFIER and named and not of_others
    return own and repeats(column) and not column.profile.missing


def _numbers_persons_once(column: Suggestion) -> bool:
    """Tell whether a number of persons stands in no record twice: then an e-mail address that does is shared."""
    profile = column.profile
    once = profile.distinct == profile.n_records > 1
    national = "national number" in column.reason or any(noun in column.reason for noun in NATIONAL_NUMBERS)
    return once and column.role is Role.IDENTIFIER and (national or _of_persons(column))


def _of_persons(column: Suggestion) -> bool:
    return _says(column, "person")


def _says(column: Suggestion, half: str) -> bool:
    """Tell whether the name of a column says of whom it is: of the `person` of the record, or of an `other` one."""
    return any(word.startswith(listed("persons.csv")[half]) for word in words_of(column.name))


def _without_copies(columns: list[Suggestion], group: Sequence[str]) -> list[Suggestion]:
    """Keep one of several columns that say the same: a decided one, and rather words than numbers."""
    same = [column for column in columns if column.name in group]
    if any(column.role in (Role.IDENTIFIER, Role.ENTITY, Role.OMITTED) for column in same):
        return columns
    order = {"sure": 0, "likely": 1, "undecided": 2}
    kept = min(same, key=lambda one: (order[one.certainty], one.profile.kind.name == "number"))
    reason = f"it says the same as '{kept.name}', which is kept: a second copy helps nobody but an attacker"
    return [
        replace(column, role=Role.OMITTED, reason=reason, certainty="sure")
        if column in same and column is not kept
        else column
        for column in columns
    ]
