"""The pages of docs/distances: each has recipes for a job file that are read. That the examples run, all docs test."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from shoal.clusters.distances import DISTANCES

PAGES = Path(__file__).parents[3] / "docs" / "distances"


def recipes(page: str) -> list[Any]:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [tomllib.loads(line)["distance"] for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("name", DISTANCES.names)
def test_the_recipes_are_read(name: str) -> None:
    assert recipes(name)
    for recipe in recipes(name):
        fields = dict(recipe) if isinstance(recipe, dict) else {"type": recipe}
        assert fields.pop("type") == name
        TypeAdapter(DISTANCES[name]).validate_python(fields)


def test_the_overview_lists_all() -> None:
    page = (PAGES / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\S+)` \|", page, flags=re.MULTILINE) == DISTANCES.names
