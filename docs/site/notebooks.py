"""Notebooks: run in one process, cell by cell, and shown as a page with what came out."""

import ast
import contextlib
import html
import io
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs.site.contents import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a notebook, and what came out of it: text that was printed, and the last value as HTML or text."""

    kind: str
    source: str
    printed: str = ""
    shown: str = ""


def cells_of(path: Path) -> list[Cell]:
    """Return the cells of a notebook, as they are written."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return [Cell(one["cell_type"], "".join(one["source"])) for one in told["cells"]]


def engine_of(path: Path) -> str:
    """Return the engine that a notebook needs beside Python; an empty text if none."""
    return str(json.loads(path.read_text(encoding="utf-8"))["metadata"].get("shoal", {}).get("engine", ""))


def ran(path: Path, names: dict[str, Any] | None = None) -> list[Cell]:
    """Run a notebook from the repository's root, and return its cells with what came out.

    Args:
        path: The notebook.
        names: What its cells know beside what they define.
    """
    known = {"__name__": "__main__"} | (names or {})
    return [_run(cell, known, f"{path.name}[{number}]") for number, cell in enumerate(cells_of(path), 1)]


def _run(cell: Cell, names: dict[str, Any], where: str) -> Cell:
    """Run a cell as a notebook does: the value of its last expression is shown."""
    if cell.kind != "code":
        return cell
    tree = ast.parse(cell.source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, where, "exec"), names)  # noqa: S102  (our own notebooks)
        shown = compile(ast.Expression(last.value), where, "eval") if isinstance(last, ast.Expr) else None
        value = None if shown is None else eval(shown, names)  # noqa: S307
    return Cell("code", cell.source, printed.getvalue(), as_html(value))


def as_html(value: Any) -> str:
    """Return a value as a notebook shows it: as a picture, as HTML, or as text."""
    if value is None:
        return ""
    for way in ("_repr_svg_", "_repr_html_"):
        found = getattr(value, way, lambda: None)()
        if found:
            return str(found)
    return f"<pre>{html.escape(repr(value))}</pre>"


@contextlib.contextmanager
def beside_the_examples() -> Iterator[None]:
    """Work in a folder of its own that has the examples, and leave nothing in the repository."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def page(path: Path, *, run: bool = True) -> str:
    """Return a notebook as a page; one that needs an engine is shown as it is written."""
    if run and not engine_of(path):
        with beside_the_examples():
            cells = ran(path)
    else:
        cells = cells_of(path)
        cells.insert(1, Cell("markdown", "*Shown as it is written, without what comes out of it.*"))
    return "\n\n".join(_markdown(cell) for cell in cells) + "\n"


def _markdown(cell: Cell) -> str:
    if cell.kind != "code":
        return cell.source.replace(".ipynb)", ".md)")
    parts = [f"```python\n{cell.source}\n```"]
    if cell.printed:
        parts.append(f"```text\n{cell.printed.rstrip()}\n```")
    if cell.shown:
        lines = "\n".join(line for line in cell.shown.splitlines() if line.strip())  # a blank line would end the HTML
        parts.append(f'<div class="cell-output">\n{lines}\n</div>')
    return "\n\n".join(parts)
