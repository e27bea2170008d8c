"""The house keeps itself: names, files, tests and docs agree, and nothing grows too long."""

import ast
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.clusters.distances import DISTANCES
from shoal.foundation.shelf import Shelf
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.databases import DATABASES
from shoal.tables.formats import FORMATS
from shoal.tables.hierarchies import HIERARCHIES

ROOT = Path(__file__).parent.parent
SHELVES: list[Shelf[Any]] = [MODELS, MEASURES, HIERARCHIES, DISTANCES, ALGORITHMS, FORMATS, DATABASES]
MEMBERS = [(shelf, member) for shelf in SHELVES for member in shelf]
SOURCES = sorted(
    path for folder in ("src", "tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize(("shelf", "member"), MEMBERS, ids=[member.name for _, member in MEMBERS])
def test_a_member_has_one_name_everywhere(shelf: Shelf[Any], member: Any) -> None:
    snake = member.name.replace("-", "_")
    _, *rooms, file = member.__module__.split(".")
    assert (rooms[-1], file) == (shelf.plural, snake)
    assert member.__name__.lower() == snake.replace("_", "")
    assert (ROOT / "tests" / Path(*rooms) / f"test_{snake}.py").is_file()
    assert (ROOT / "docs" / shelf.plural / f"{member.name}.md").is_file()
    assert member.__doc__


@pytest.mark.parametrize("shelf", SHELVES, ids=[shelf.plural for shelf in SHELVES])
def test_every_docs_page_of_a_shelf_has_a_member(shelf: Shelf[Any]) -> None:
    pages = {path.stem for path in (ROOT / "docs" / shelf.plural).glob("*.md")} - {"README", "frames"}
    assert pages == set(shelf.names)


def test_no_file_or_function_is_too_long() -> None:
    for path in SOURCES:
        _check_lengths(path)


def _check_lengths(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, path
    if path.is_relative_to(ROOT / "src"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                length = body[-1].end_lineno - body[0].lineno + 1 if body and body[-1].end_lineno else 0
                assert length <= 50, f"{node.name} of {path} has {length} lines"


def test_the_floors_hold() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("start", ["import shoal", "import sys; sys.argv = ['shoal', '--help']; import shoal.cli"])
def test_a_start_is_light(start: str) -> None:
    heavy = "import sys; print([name for name in ('numba', 'polars', 'numpy', 'pydantic') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", f"{start}; {heavy}"], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_version_stands_in_one_place() -> None:
    assert version("shoal") == shoal.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert newest is not None
    assert newest[1] == shoal.__version__


def test_a_commit_is_checked_by_the_programs_of_make_check() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert set(re.findall(r"repo: (\S+)", hooks)) == {"local"}
    called = re.findall(r"entry: \.venv/bin/(\S+)", hooks)
    assert called.count("ruff") == 2
    assert all(f"$(BIN)/{program}" in recipe for program in called)


def test_per_cent_is_written_in_one_form() -> None:
    apart = re.compile(r"""[0-9}] %([.,;:)"']| (?!for |if |else |and |or )[a-z]+ [a-z]|$)""", re.MULTILINE)
    sources = [path for path in SOURCES if path.is_relative_to(ROOT / "src")]
    assert not [path for path in sources if apart.search(path.read_text(encoding="utf-8"))]
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    assert not [page for page in pages if re.search("[0-9] %", page.read_text(encoding="utf-8"))]
