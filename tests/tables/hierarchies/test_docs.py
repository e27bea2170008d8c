"""The pages of docs/hierarchies: each has a recipe for a job file that is read, and an example that runs."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from shoal.tables.hierarchies import HIERARCHIES

PAGES = Path(__file__).parents[3] / "docs" / "hierarchies"


def blocks(page: str, language: str) -> list[str]:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_every_member_has_a_page() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == {"README", *HIERARCHIES.names}


@pytest.mark.parametrize("name", HIERARCHIES.names)
def test_the_recipes_are_read(name: str) -> None:
    recipes = [tomllib.loads(line)["hierarchy"] for block in blocks(name, "toml") for line in block.splitlines()]
    assert recipes
    for recipe in recipes:
        assert recipe.pop("type") == name
        TypeAdapter(HIERARCHIES[name]).validate_python(recipe)


@pytest.mark.parametrize("name", ["README", *HIERARCHIES.names])
def test_the_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = blocks(name, "python")
    assert examples
    for example in examples:
        assert set(re.findall(r"^(?:from|import) (\w+)", example, flags=re.MULTILINE)) == {"shoal"}
        exec(compile(example, f"{name}.md", "exec"), {})  # noqa: S102  (our own pages)
