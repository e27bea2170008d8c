"""The dialogue of `shoal init`: what was found, and what a person says to it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.prompt import Confirm, IntPrompt, Prompt
from rich.table import Table

from shoal.cli.show import plain_console
from shoal.foundation.errors import SpecError
from shoal.foundation.systems import interrupts
from shoal.foundation.wording import number_of
from shoal.jobs.context import QUESTIONS, answered

if TYPE_CHECKING:
    from shoal.actions.init import Proposal

_COLUMNS, _PAIRS = 12, 5  # columns and pairs of columns that are shown
_REST = "."  # leaves this question on the context and all that follow open


def shown(text: str) -> str:
    """Return a text with what a terminal would obey made visible."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def print_columns(found: "Proposal", console: Console | None = None) -> None:
    """Print the role of each column with its figures and reason."""
    table = Table("", "column", "role", "values", "unique", "missing", "why", box=None, pad_edge=False)
    for column in table.columns[3:6]:
        column.justify, column.no_wrap = "right", True
    for number, one in enumerate(found.columns, 1):
        figures = one.profile.figures()
        role = str(one.role) if one.decided or one.by_person else f"{one.role} ?"
        shares = (f"{figures['unique_share']:.1%}", f"{figures['missing_share']:.1%}")
        table.add_row(str(number), shown(one.name), role, str(figures["distinct"]), *shares, shown(one.reason))
    (console or plain_console()).print(table)


def print_telling(telling: Mapping[str, Any], console: Console | None = None) -> None:
    """Print which columns single people out."""
    out = console or plain_console()
    out.print(f"unique by all quasi columns: {telling['all']:.2%} of the records")
    table = Table("columns", "unique alone", "unique without", box=None, pad_edge=False)
    for row in [*telling["columns"][:_COLUMNS], *telling["pairs"][:_PAIRS]]:
        names = " + ".join(map(shown, row["columns"]))
        table.add_row(names, f"{row['alone']:.2%}", f"{row['without']:.2%}")
    out.print(table)
    if (left := len(telling["columns"]) - _COLUMNS) > 0:
        out.print(f"and {number_of(left, 'more column')} by themselves, which tell less (--json lists all)")


def confirmed(found: "Proposal", telling: Mapping[str, Any]) -> "Proposal":
    """Ask a person for the roles, k and the promises; an end of input is as an interrupt."""
    console = plain_console(stderr=True)
    print_columns(found, console)
    console.print()
    print_telling(telling, console)
    console.print()
    interrupts.reach_questions()
    try:
        return _asked(found, console)
    except EOFError:
        raise KeyboardInterrupt from None


def _asked(found: "Proposal", console: Console) -> "Proposal":
    if found.undecided:
        console.print("Roles with a question mark could not be told: the safe choice stands there.")
    while True:
        question = "Column to change (name or number; Enter if all is right)"
        answer = Prompt.ask(question, console=console, default="", show_default=False)
        if answer:
            found = _with_role(found, answer, console)
            continue
        if any(column.role == "quasi" for column in found.columns):
            break
        console.print("A job needs a quasi column: name one that an attacker may know.")
    k = _number("k, the least number of records that look alike", found.k, console)
    found = found.changed(k=k)
    for name, one in found.diversities.items():
        question = f"Different values of '{shown(name)}' in each class (1 asks nothing)"
        found = found.changed(diversity={name: _number(question, one.l, console)})
    for warning in found.warnings:
        console.print(f"note: {warning}")
    found = replace(found, context=context_asked(console))
    if not Confirm.ask("Write the job", console=console, default=True):
        raise KeyboardInterrupt
    return found


def _with_role(found: "Proposal", answer: str, console: Console) -> "Proposal":
    names = [column.name for column in found.columns]
    name = names[int(answer) - 1] if answer.isdecimal() and 0 < int(answer) <= len(names) else answer
    if name not in names:
        console.print(f"There is no column '{shown(name)}'.")
        return found
    now = found.columns[names.index(name)].role
    role = Prompt.ask(f"Role of '{shown(name)}'", console=console, choices=list(type(now)), default=str(now))
    try:
        return found.changed({name: role})
    except SpecError as refusal:
        console.print(str(refusal))
        return found


def _number(question: str, now: int, console: Console) -> int:
    while True:
        number = IntPrompt.ask(question, console=console, default=now)
        if number >= 1:
            return number
        console.print("A number from 1 on is needed.")


def context_asked(console: Console) -> dict[str, str]:
    """Ask each question; what is not answered stays open."""
    console.print(f"An officer asks twelve questions. Enter leaves one open, '{_REST}' all that follow; see the job.")
    told: dict[str, str] = {}
    for key, (_, question) in QUESTIONS.items():
        answer = _answer(key, question, console)
        if answer is None:
            break
        told |= answer
    return told


def _answer(key: str, question: str, console: Console) -> dict[str, str] | None:
    """Return the answer to a question, nothing if it stays open, None if the rest does; ask again if it is not one."""
    while True:
        text = Prompt.ask(question, console=console, default="", show_default=False).strip()
        if text == _REST:
            return None
        try:
            return answered({key: text})
        except SpecError as refusal:
            console.print(str(refusal))
