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
        sorting = "Click on a column head to sort."
        return f"# {self.title}\n\n{self.words} {sorting}\n\n{table(('name', *self.header), rows, sortable=True)}{more}"


def _yes(given: object) -> str:
    return "yes" if given else "no"


def _model(member: Any) -> Sequence[object]:
    looks = "one sensitive column" if "column" in member.__dataclass_fields__ else "the quasi columns"
    grows = "yes" if member.absorbing else "if nothing is suppressed" if member.monotone else "no"
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
            again = among.startswith("the same")
            told = told if again else among
            factor = row.get("factor") or f"optimal among: {among.replace('the same', told) if again else among}"
            found[linked[1]] = factor, row.get("needs", "")
    return found


def _algorithm(member: Any) -> Sequence[object]:
    docs = Docstring.of(member)
    factor, needs = guaranteed().get(member.name, ("", ""))
    kind = (
        "clusters"
        if member.objective is not None
        else "each class separately"
        if member.local
        else "by cut points, all records alike"
        if member.alike
        else "each column unchanged or starred"
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
        "Privacy models",
        "Requirements on the classes of a release, which can be combined. *Kept when classes are merged*: "
        "a search may then prune.",
        (
            "what it requires",
            "parameters",
            "uses",
            "kept when classes are merged",
            "compares with the whole table",
            "from",
        ),
        _model,
    ),
    "measures": ShelfPage(
        MEASURES,
        "Measures of loss",
        "The loss of a release; lower is better. *Monotone*: coarser cells never lose less. *Weights*: it supports "
        "sampling weights.",
        ("definition", "in words", "charges", "monotone", "weights", "from"),
        _measure,
    ),
    "algorithms": ShelfPage(
        ALGORITHMS,
        "Algorithms",
        "How classes are formed. `auto` chooses for you ([how](../how-it-works.md#four-kinds-of-recoding)). "
        "*Guarantee*: the factor by which the loss may exceed that of the best release of its kind, proven in advance; "
        "[theorems and measurements](../guarantees.md).",
        ("what it does", "recodes", "guarantee", "needs", "cost", "from"),
        _algorithm,
    ),
    "hierarchies": ShelfPage(
        HIERARCHIES,
        "Hierarchies",
        "Defines what the values of a column may be published as.",
        ("what it does", "parameters"),
        _promise_only,
    ),
    "distances": ShelfPage(
        DISTANCES,
        "Distances",
        "How far apart two values of a column are, for algorithms that publish clusters.",
        ("what it is", "parameters"),
        _promise_only,
    ),
    "formats": ShelfPage(
        FORMATS,
        "Formats of files",
        "Files that tables can be read from and written to.",
        ("what it is", "file names", "written too"),
        _place,
    ),
    "databases": ShelfPage(
        DATABASES,
        "Databases",
        "Databases that tables can be read from and written to, by URL.",
        ("what it is",),
        lambda member: [Docstring.of(member).promise],
    ),
}
