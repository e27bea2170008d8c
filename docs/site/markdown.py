"""Markdown: tables, and docstrings in Google's style as Markdown."""

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_HEADED = re.compile(r"^(Args|Returns|Raises|Yields):$", re.MULTILINE)
_NUMBERED = re.compile(
    r"\s*\((?:\w+ in )?00\d (?:s\.|Def|Theorem|Algorithm|section)[^()]*\)"
)  # places in our own collection of papers
_ENTRY = re.compile(r"^ {4}(\*{0,2}\w+): (.*)$")


def cell(text: object) -> str:
    """Return a text as a cell of a table: on one line, without what would end the cell."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(header: Sequence[str], rows: Sequence[Sequence[object]], *, sortable: bool = False) -> str:
    """Return a table; one that is `sortable` is sorted by a click on its header."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    lines += [f"| {' | '.join(map(cell, row))} |" for row in rows]
    return ("{.sortable}\n" if sortable else "") + "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Docstring:
    """What a docstring says.

    Args:
        promise: Its first line.
        text: All paragraphs below, down to the first section.
        sections: What is in each section, such as `Returns`, as text.
        entries: The names of the section `Args`, with what is said of each.
    """

    promise: str
    text: str
    sections: dict[str, str]
    entries: dict[str, str]

    @classmethod
    def of(cls, thing: Any) -> "Docstring":
        """Read the docstring of a function, a class or a module."""
        first, _, rest = _NUMBERED.sub("", inspect.getdoc(thing) or "").partition("\n")
        parts = _HEADED.split(rest)
        sections = {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}
        return cls(first, parts[0].strip(), sections, _entries(sections.get("Args", "")))

    def paragraph(self, word: str) -> str:
        """Return the paragraph that begins with a word and a colon, such as `Guarantee`, without them."""
        found = re.search(rf"^{word}: (.*?)(?=\n\n|\Z)", self.text, re.DOTALL | re.MULTILINE)
        return " ".join(found[1].split()) if found else ""

    def markdown(self, types: Mapping[str, str] | None = None) -> str:
        """Return all of it: the promise, the text, a table of the arguments, what is returned and raised.

        Args:
            types: The types of the arguments, if they are to be told; those without one are not arguments.
        """
        parts = [self.promise, self.text]
        if self.entries:
            rows = [
                (f"`{name}`", *([] if types is None else [f"`{types[name]}`"]), text)
                for name, text in self.entries.items()
                if types is None or name in types
            ]
            parts.append(table(("argument", *([] if types is None else ["type"]), "what it is"), rows))
        parts += [
            f"**{name}:** {' '.join(body.split())}"
            for name, body in self.sections.items()
            if name != "Args" and body.strip()
        ]
        return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _entries(body: str) -> dict[str, str]:
    """Return the entries of a section; a line that is indented deeper goes on with the entry above it."""
    found: dict[str, str] = {}
    name = ""
    for line in body.splitlines():
        entry = _ENTRY.match(line)
        if entry is not None:
            name = entry[1]
            found[name] = entry[2]
        elif name:
            found[name] += " " + line.strip()
    return found


def first_sentence(text: str) -> str:
    """Return a text up to the end of its first sentence."""
    return re.split(r"(?<=[.;])\s", text, maxsplit=1)[0].rstrip(".;")
