"""Small tables in the shapes of public ones, made from a recipe for each column, with the roles that are right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import polars as pl

RECORDS = 120
_LINES = Path(__file__).with_name("names.csv")
NAMES = {tuple(line.split(";")[:2]): line.split(";")[2] for line in _LINES.read_text(encoding="utf-8").splitlines()}
TEXT = (
    "seen again after two weeks and feels much better today",
    "came with her mother who lives next door and asked for help",
    "called twice about the letter that he did not get in March",
    "wants to move to another town because of the new job",
)


@dataclass(frozen=True)
class Golden:
    """A table with the roles that are right: `name: role: recipe`, a line for each column; `a|b` are both right."""

    frame: pl.DataFrame
    roles: dict[str, tuple[str, ...]]


def made(name: str, lines: str) -> Golden:
    """Make a table from its lines, the same each time."""
    draw = Random(name)  # noqa: S311
    columns: dict[str, list[str | None]] = {}
    roles = {}
    for line in lines.strip().splitlines():
        column, role, recipe = (part.strip() for part in line.split(":", 2))
        verb, _, rest = recipe.partition(" ")
        columns[column] = MAKERS[verb](draw, rest, columns)
        roles[column] = tuple(role.split("|"))
    return Golden(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)), roles)


Maker = Callable[[Random, str, dict[str, list[str | None]]], list[str | None]]


def _each(one: Callable[[Random, list[str]], str | None]) -> Maker:
    return lambda draw, rest, _: [one(draw, rest.split()) for _ in range(RECORDS)]


def _pick(draw: Random, rest: str, _: object) -> list[str | None]:
    values = rest.split("/")
    return [draw.choices(values, [1 / (i + 1) for i in range(len(values))])[0].strip() or None for _ in range(RECORDS)]


def _date(draw: Random, rest: Sequence[str]) -> str:
    first, last, form = int(rest[0]), int(rest[1]), rest[2] if len(rest) > 2 else "y-m-d"
    parts = {"y": str(draw.randint(first, last)), "m": f"{draw.randint(1, 12):02}", "d": f"{draw.randint(1, 28):02}"}
    return "".join(parts.get(sign, sign) for sign in form)


def _number(draw: Random, rest: Sequence[str]) -> str:
    """Draw a number: the least, the largest, decimals, and what stands for a point."""
    decimals = int(rest[2]) if len(rest) > 2 else 0
    text = f"{draw.uniform(float(rest[0]), float(rest[1])):.{decimals}f}"
    return text.replace(".", rest[3]) if len(rest) > 3 else text


def _form(draw: Random, rest: Sequence[str]) -> str:
    """Draw digits for `#` and letters for `?`."""
    signs = {"#": "0123456789", "?": "ABCDEFGHJKLMNPRSTUVWXYZ"}
    return "".join(draw.choice(signs[sign]) if sign in signs else sign for sign in " ".join(rest))


def _several(draw: Random, rest: str, _: object) -> list[str | None]:
    """Draw numbers of persons who have several records each."""
    persons = [f"{rest}{1000 + 7 * i}" for i in range(RECORDS // 2)]
    found: list[str | None] = [*persons, *draw.choices(persons, k=RECORDS - len(persons))]
    draw.shuffle(found)
    return found


def _copy(draw: Random, rest: str, columns: dict[str, list[str | None]]) -> list[str | None]:
    """Say another column in other words: `column a=b/c=d`, or the same ones."""
    name, _, words = rest.partition(" > ")
    told = dict(word.split("=") for word in words.split("/")) if words else {}
    return [value if value is None else told.get(value, value) for value in columns[name]]


def _rows(draw: Random, rest: str, _: object) -> list[str | None]:
    return [str(int(rest or 0) + i) for i in range(RECORDS)]


def _name(kind: str) -> Callable[[Random, list[str]], str]:
    return lambda draw, rest: draw.choice(NAMES[kind, rest[0]].split())


MAKERS: dict[str, Maker] = {
    "pick": _pick,
    "date": _each(_date),
    "number": _each(_number),
    "form": _each(_form),
    "several": _several,
    "copy": _copy,
    "rows": _rows,
    "given": _each(_name("given")),
    "family": _each(_name("family")),
    "full": _each(lambda draw, rest: f"{_name('given')(draw, rest)} {_name('family')(draw, rest)}"),
    "turned": _each(lambda draw, rest: f"{_name('family')(draw, rest)}, {_name('given')(draw, rest)}"),
    "mail": _each(lambda draw, rest: f"{_name('given')(draw, rest)}{draw.randint(1, 9_999_999)}@example.org".lower()),
    "text": _each(lambda draw, _: f"{draw.choice(TEXT)}, {draw.choice(TEXT)} ({draw.randint(1, 9999)})"),
    "wealth": _each(
        lambda draw, rest: f"{draw.lognormvariate(0, 0.7) * float(rest[0]):.{rest[1] if len(rest) > 1 else 0}f}"
    ),
}
