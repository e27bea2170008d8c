"""The rooms of the house: few, none overfull; each verb in the file of its name; one name for one thing."""

import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from tests.test_house import MEMBERS, ROOT, SHELVES

SOURCE = ROOT / "src" / "shoal"
FOLDERS = sorted(
    path.relative_to(ROOT)
    for name in ("src", "tests", "docs", "examples", "benchmarks")
    for path in (ROOT / name).rglob("*")
    if path.is_dir() and not {"__pycache__", "release"} & set(path.parts) and "egg-info" not in path.name
)
VERBS = sorted(path.stem for path in (SOURCE / "actions").glob("*.py") if path.stem != "__init__")
SHELF_FOLDERS = {Path("src", *member.__module__.split(".")[:-1]) for _, member in MEMBERS}
PAGES_AND_TESTS_OF_SHELVES = {
    Path("docs/algorithms"),
    Path("tests/measures"),
    Path("tests/models"),
    Path("tests/search/algorithms"),
}


def test_there_are_at_most_sixteen_rooms_on_eleven_floors() -> None:
    rooms = [path.name for path in SOURCE.iterdir() if path.suffix in ("", ".py") and not path.name.startswith("__")]
    assert len(rooms) <= 16
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    floors = next(one for one in contracts if one["type"] == "layers" and one["containers"] == ["shoal"])
    assert floors["exhaustive"]
    assert len(floors["layers"]) <= 11


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_no_folder_is_overfull(folder: Path) -> None:
    assert fullness(ROOT / folder) <= (32 if folder in SHELF_FOLDERS | PAGES_AND_TESTS_OF_SHELVES else 25)


def fullness(folder: Path) -> int:
    """Return how many files of Python a folder has, or others if more; `__init__.py` is one like any other."""
    kinds = Counter(path.suffix == ".py" for path in folder.iterdir() if path.is_file())
    return max(kinds.values(), default=0)


def test_init_counts_as_a_file_of_its_folder(tmp_path: Path) -> None:
    for name in ("__init__.py", *(f"file{number}.py" for number in range(25)), "style.css", "page.html"):
        (tmp_path / name).touch()
    assert fullness(tmp_path) == 26


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_one_name_everywhere(verb: str) -> None:
    assert (SOURCE / "cli" / f"{verb}.py").is_file()
    assert (ROOT / "docs" / "actions" / f"{verb}.md").is_file()
    assert (ROOT / "tests" / "actions" / f"test_{verb}.py").is_file() or (ROOT / f"tests/cli/test_{verb}.py").is_file()


def test_every_public_function_is_an_action_but_the_nouns_for_a_table_and_for_limits() -> None:
    homes = {name: getattr(shoal, name) for name in dir(shoal) if name.islower()}
    functions = {name: one.__module__ for name, one in homes.items() if callable(one)}
    assert functions.pop("table") == "shoal.jobs.given_table"
    assert functions.pop("limits") == "shoal.foundation.budgets"
    assert {home.rpartition(".")[0] for home in functions.values()} == {"shoal.actions"}


def test_no_two_classes_share_a_name() -> None:
    """Members of shelves are called as people write them, and a tree is both a measure and a distance."""
    members = {(f"{member.__module__}", member.__name__) for _, member in MEMBERS}
    names = Counter(name for module, name in _classes() if (module, name) not in members)
    assert [name for name, count in names.items() if count > 1] == []
    assert len(SHELVES) == 7


def _classes() -> Iterator[tuple[str, str]]:
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield module, node.name
