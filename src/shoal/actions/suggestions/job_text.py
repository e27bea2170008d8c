"""The text of a proposed job: TOML with the reason for every choice, and the figures as comments."""

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.actions.suggestions.roles import kind_by_name
from shoal.foundation.members import fields_of
from shoal.foundation.wording import number_of
from shoal.jobs.context import QUESTIONS
from shoal.tables.hierarchies.numeric import decimal_text
from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.actions.init import Proposal
    from shoal.actions.suggestions.ladders import Ladder
    from shoal.actions.suggestions.roles import Suggestion
    from shoal.tables.hierarchies import HierarchySpec

_COLUMNS, _PAIRS = 12, 5  # most columns and pairs of columns in the comments
_WIDTH = 110
_MANY = 12  # from this many quasi columns on, a faster algorithm is proposed
_LABELS = 20  # most values whose labels are listed


def job_text(proposal: "Proposal", location: Mapping[str, str]) -> str:
    """Return a job file for a proposal; `location` is that of its table, as keys of `input`."""
    blocks = [
        _head(proposal, location.get("path") or location.get("table") or location["url"]),
        _input(proposal, location),
        _telling(proposal),
        *(_column(proposal, column) for column in proposal.columns),
        _promises(proposal),
        _rest(proposal),
        _context(proposal),
    ]
    return "\n".join(blocks)


def text(value: str) -> str:
    """Return a text as a TOML string."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def key(name: str) -> str:
    """Return a TOML key, bare if possible."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else text(name)


def inline_table(recipe: "HierarchySpec") -> str:
    """Return a recipe as an inline table."""
    fields = {"type": recipe.name, **fields_of(recipe)}
    return "{ " + ", ".join(f"{key(name)} = {_value(value)}" for name, value in fields.items()) + " }"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        return value  # an exact number
    return text(value) if isinstance(value, str) else json.dumps(value)


def comment(words: str) -> str:
    """Return words as lines of comment."""
    plain = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in words)
    lines, line = [], "#"
    for word in plain.split(" "):
        if len(line) + len(word) >= _WIDTH and line != "#":
            lines.append(line)
            line = "#"
        line += f" {word}"
    return "\n".join([*lines, line]) + "\n"


def _head(proposal: "Proposal", path: str) -> str:
    unknown = ", ".join(key(column.name) for column in proposal.undecided)
    check = (
        f"UNDECIDED, so please decide: {unknown}."
        if unknown
        else "No column is undecided; still, you know the table, and the rules do not: read the reasons."
    )
    told = "".join(comment(f"NOTE: {warning}") for warning in proposal.warnings)
    records = number_of(proposal.n_records, "record")
    return (
        comment(f"A job for {text(path)} ({records}), proposed by shoal init. Change it, then run:")
        + comment("  shoal anonymize job.toml --out release")
        + "#\n"
        + comment(check)
        + told
        + "#\n"
        + comment(
            "Roles: identifier (names somebody; never leaves), omitted (nobody needs it; never leaves), quasi (an "
            "attacker may know it; leaves generalized), sensitive (leaves as it is; promises "
            "protect whom it belongs to), insensitive (leaves as it is), entity (tells whose record "
            "it is, if a person may have several: k counts persons). Every column needs one. Its reason stands in the "
            "steward's report: change it with the role."
        )
    )


def _input(proposal: "Proposal", location: Mapping[str, str]) -> str:
    quasi = proposal.of_role(Role.QUASI)
    missing = sum(column.profile.missing for column in quasi)
    lines = ["[input]", *(f"{name} = {text(value)}" for name, value in location.items())]
    blanks = proposal.blanks
    if blanks.words:
        lines.append(f"missing_values = [{', '.join(map(text, blanks.words))}]  # what stands for a missing value")
    if missing:
        declared = " or declared as missing" if any(column.profile.entry.codes for column in quasi) else ""
        cells = number_of(missing, "cell", "are")
        lines.append(
            f'missing = "category"  # {cells} empty{declared} in quasi columns; or wildcard, or drop (the record)'
        )
    return "\n".join(lines) + "\n"


def _telling(proposal: "Proposal") -> str:
    """Return which columns make records unique, as a comment."""
    if not proposal.of_role(Role.QUASI):
        return ""
    found = proposal.telling
    lines = [
        f"# Which quasi columns single people out: {found['all']:.2%} of the records are unique by all of them.",
        "#   alone: the share of records that are unique if only these columns are known;",
        "#   without: the share that stays unique if they are left out.",
        "#      alone   without",
    ]
    for row in [*found["columns"][:_COLUMNS], *found["pairs"][:_PAIRS]]:
        names = " + ".join(key(name) for name in row["columns"])
        lines.append(f"#   {row['alone']:>7.2%}   {row['without']:>7.2%}   {names}")
    left = len(proposal.of_role(Role.QUASI)) - min(len(found["columns"]), _COLUMNS)
    if left:
        lines.append(f"#   (and {number_of(left, 'more column')} by themselves, which tell less)")
    return "\n".join(lines) + "\n"


def _column(proposal: "Proposal", column: "Suggestion") -> str:
    told = [] if column.decided or column.by_person else ["UNDECIDED: decide, and say why."]
    lines = comment(" ".join([*told, column_figures(column)]))
    ladder = proposal.ladders.get(column.name)
    if ladder is not None:
        lines += comment(f"Levels: {ladder.words}.")
        doubt = kind_by_name(column.profile).doubt
        lines += comment(f"NOTE: {doubt}.") if doubt else ""
        lines += _labels(column)
    lines += f"[columns.{key(column.name)}]\nrole = {text(str(column.role))}\n"
    lines += f"reason = {text(_sentence(column.reason))}\n"
    if ladder is None:
        return lines
    lines += _levels(proposal, column, ladder)
    if ladder.freer and column.profile.distinct > 2:
        lines += (
            f'# hierarchy = "{ladder.freer}"  # in its place: any {_freer(ladder.freer)} of values, which loses less\n'
        )
    return lines


def _levels(proposal: "Proposal", column: "Suggestion", ladder: "Ladder") -> str:
    """Return the recipe, which covers future values too, with the file of the same levels; or only one of them."""
    if column.name not in proposal.files:
        why = "too many values for a file that one edits" if column.profile.distinct else "there is no value"
        return "" if ladder.recipe is None else f"hierarchy = {inline_table(ladder.recipe)}  # {why}\n"
    file = f'hierarchy = {{ type = "levels", path = {text(proposal.files[column.name])} }}'
    if ladder.recipe is None:
        return f"{file}\n"
    recipe = inline_table(ladder.recipe)
    return f"hierarchy = {recipe}\n# {file}  # in its place: the same levels as a file, to be edited\n"


def _labels(column: "Suggestion") -> str:
    """Return the labels of codes as a comment, for those who edit their levels."""
    profile = column.profile
    if not profile.labelled or profile.distinct > _LABELS:
        return ""
    return comment(
        "Labels: " + ", ".join(f"{value} is {profile.entry.values[value]}" for value in profile.values) + "."
    )


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}."


def column_figures(column: "Suggestion") -> str:
    """Return the figures of a column in words."""
    one = column.profile.figures()
    values = number_of(one["distinct"], "different value")
    return (
        f"{values}; {one['unique_share']:.2%} of the records have a value of their own; {one['missing_share']:.2%} "
        "miss it."
    )


def _freer(name: str) -> str:
    return "range" if name == "ranges" else "set"


def _promises(proposal: "Proposal") -> str:
    lines = comment(
        f"Every record hides among at least {proposal.k}: a risk of at most 1/{proposal.k} to be named. Usual are 5, "
        "and 12 where a risk of 0.09 is asked (medicines agencies)."
    )
    lines += f'[[require]]\nmodel = "k-anonymity"\nk = {proposal.k}\n'
    for name, spread in proposal.spreads.items():
        width = decimal_text(spread.e)
        lines += "\n" + comment(
            f"{key(name)} has many different numbers, so that any three in a class would say nothing: each class "
            f"shows {spread.k} that are at least {width} apart, half of the middle half of the records. "
            'Stronger: t-closeness with distance = "ordered".'
        )
        lines += f'[[require]]\nmodel = "k-e-anonymity"\nk = {spread.k}\ne = {width}\ncolumn = {text(name)}\n'
        lines += 'decimal = ","\n' if spread.decimal == "," else ""
        lines += _PER_RECORD if name in proposal.by_record else ""
    for name, one in proposal.diversities.items():
        if one.l < 2:
            lines += "\n" + comment(f"No promise protects {key(name)}: it has one value only, or none was asked.")
            continue
        lines += "\n" + comment(
            f"Every class shows at least {one.l} values of {key(name)}; at most {number_of(one.classes, 'class')} can. "
            "Stronger: t-closeness, entropy-l-diversity (see the docs on models)."
        )
        lines += f'[[require]]\nmodel = "distinct-l-diversity"\nl = {one.l}\ncolumn = {text(name)}\n'
        lines += _PER_RECORD if name in proposal.by_record else ""
    return lines


_PER_RECORD = 'per = "record"  # all persons together do not show as many: some hold several values\n'


def _context(proposal: "Proposal") -> str:
    """Return the twelve questions on the context, with the answers that were given; an empty one is open."""
    lines = comment(
        "What an officer asks before reading a figure: answer in your own words. It stands first in the steward's "
        "report; what is empty is shown there as open. Data set, owner and date stand at the head of "
        "the public report, too."
    )
    asked = [f"{name} = {text(proposal.context.get(name, ''))}  # {asked}" for name, (_, asked) in QUESTIONS.items()]
    return lines + "\n".join(["[context]", *asked, 'date = ""  # of the release']) + "\n"


def _rest(proposal: "Proposal") -> str:
    """Return the search section; the bounds that `auto` proves take too long for many columns."""
    few = len(proposal.of_role(Role.QUASI)) <= _MANY
    persons = bool(proposal.of_role(Role.ENTITY) and proposal.of_role(Role.SENSITIVE))
    words = 'as close as can be; "optimal" treats all records alike' if few else 'quick in so many columns; or "auto"'
    if persons:
        words = "promises count persons, so it treats all records alike"
    return (
        "[search]\n"
        f"algorithm = {text('auto' if few or persons else 'mondrian'):<10} # {words}\n"
        'measure = "lm"          # the loss to keep small\n'
        "max_suppressed = 0.02   # up to this share of the records may be left out\n"
        + ("" if few else "time_limit = 60         # seconds; a search among so many columns may have no end\n")
        + "\n"
        "[release]\n"
        f"format = {text(proposal.format)}\n"
        'order = "random"\n'
        'suppressed = "drop"\n'
    )
