"""The tables of the shelves: promises, measures, algorithms, hierarchies and the rest, one row for each member."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from docs.site.markdown import Docstring, first_sentence, table
from shoal.clusters.distances import DISTANCES
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.databases import DATABASES
from shoal.tables.formats import FORMATS
from shoal.tables.hierarchies import HIERARCHIES

DOCS = Path(__file__).parents[1]
Cells = Callable[[Any], Sequence[object]]


@dataclass(frozen=True, slots=True)
class ShelfPage:
    """The page of a shelf.

    Args:
        shelf: The shelf.
        title: The title of the page.
        words: What the table shows, in a paragraph.
        header: The titles of the columns after the name.
        cells: What a row says of a member.
    """

    shelf: Any
    title: str
    words: str
    header: tuple[str, ...]
    cells: Cells

    def page(self) -> str:
        """Return the page: a table that is sorted by a click on a header."""
        folder = self.shelf.plural
        rows = [(f"[{name}](../{folder}/{name}.md)", *self.cells(self.shelf[name])) for name in self.shelf.own]
        own = DOCS / folder / "README.md"
        more = f"\n[More on all of them](../{folder}/README.md).\n" if own.is_file() else ""
        sorting = "A click on the head of a column sorts by it."
        return f"# {self.title}\n\n{self.words} {sorting}\n\n{table(('name', *self.header), rows, sortable=True)}{more}"


def _yes(given: object) -> str:
    return "yes" if given else "no"


def _model(member: Any) -> Sequence[object]:
    looks = "one sensitive column" if "column" in member.__dataclass_fields__ else "the quasi columns"
    grows = "yes" if member.absorbing else "while nothing is suppressed" if member.monotone else "no"
    return (
        Docstring.of(member).promise,
        ", ".join(member.thresholds),
        looks,
        grows,
        _yes(member.relative),
        member.reference,
    )


def _measure(member: Any) -> Sequence[object]:
    from shoal.measures import CellMeasure

    priced = "each cell" if issubclass(member, CellMeasure) else "each class"
    weighable = _yes(getattr(member, "weighable", False))
    return Docstring.of(member).promise, member.words, priced, _yes(member.monotone), weighable, member.reference


def guaranteed() -> dict[str, tuple[str, str]]:
    """Return for each algorithm what `guarantees.md` says: the factor, or among what it is optimal, and its needs."""
    found: dict[str, tuple[str, str]] = {}
    header: list[str] = []
    told = ""
    for line in (DOCS / "guarantees.md").read_text(encoding="utf-8").splitlines():
        cells = [one.strip() for one in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and cells[0] == "algorithm":
            header = cells
        linked = re.match(r"\[([\w-]+)\]\(algorithms/", cells[0]) if cells else None
        if linked is not None and linked[1] not in found:
            row = dict(zip(header, cells, strict=True))
            among = row.get("optimal among", "")
            told = told if among.startswith("the same") else among
            factor = row.get("factor") or f"optimal among: {among.replace('the same', told)}"
            found[linked[1]] = factor, row.get("needs", "")
    return found


def _algorithm(member: Any) -> Sequence[object]:
    docs = Docstring.of(member)
    factor, needs = guaranteed().get(member.name, ("", ""))
    kind = (
        "clusters"
        if member.objective is not None
        else "each class for itself"
        if member.local
        else "cuts, all records alike"
        if member.alike
        else "a column as it is, or starred"
        if member.whole
        else "one level for each column"
    )
    size = f"k = {member.most_k} at most" if member.most_k else ""
    return (
        docs.promise,
        kind,
        factor or first_sentence(docs.paragraph("Guarantee")),
        "; ".join(one for one in (needs, size if size not in needs else "") if one),
        first_sentence(docs.paragraph("Cost")),
        member.reference,
    )


def _promise_only(member: Any) -> Sequence[object]:
    return Docstring.of(member).promise, ", ".join(f"`{one.name}`" for one in fields(member))


def _place(member: Any) -> Sequence[object]:
    return (
        Docstring.of(member).promise,
        ", ".join(f"`{one}`" for one in getattr(member, "suffixes", ())),
        _yes(getattr(member, "writes", False)),
    )


PAGES = {
    "models": ShelfPage(
        MODELS,
        "Promises (privacy models)",
        "What a release can promise of every class. Several are asked for together. *Kept when classes are joined*: "
        "then a search may stop early.",
        (
            "what it promises",
            "parameters",
            "looks at",
            "kept when classes are joined",
            "compares with the whole table",
            "from",
        ),
        _model,
    ),
    "measures": ShelfPage(
        MEASURES,
        "Measures of loss",
        "What a release loses; lower is better. *Monotone*: coarser cells never lose less. *Weights*: it can go by "
        "sampling weights.",
        ("what it adds up", "in words", "prices", "monotone", "weights", "from"),
        _measure,
    ),
    "algorithms": ShelfPage(
        ALGORITHMS,
        "Algorithms",
        "How classes are found. `auto` chooses for you ([how](../how-it-works.md#three-kinds-of-recoding)). "
        "*Guarantee*: how many times the loss of the best release of its kind it may lose, proven beforehand; "
        "[the proofs and what was measured](../guarantees.md).",
        ("what it does", "recodes", "guarantee", "needs", "work and size", "from"),
        _algorithm,
    ),
    "hierarchies": ShelfPage(
        HIERARCHIES,
        "Hierarchies",
        "What the values of a column may be published as.",
        ("what it does", "parameters"),
        _promise_only,
    ),
    "distances": ShelfPage(
        DISTANCES,
        "Distances",
        "How far two values of a column are from each other, for clusters.",
        ("what it is", "parameters"),
        _promise_only,
    ),
    "formats": ShelfPage(
        FORMATS,
        "Formats of files",
        "Tables that are read from files, and written.",
        ("what it is", "endings", "written too"),
        _place,
    ),
    "databases": ShelfPage(
        DATABASES,
        "Databases",
        "Tables that are read from a database by its URL, and written.",
        ("what it is",),
        lambda member: [Docstring.of(member).promise],
    ),
}
