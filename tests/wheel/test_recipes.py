"""The recipes of other packagers say what the project says: requirements, version, licence, and no more rights."""

import re
import tomllib
from pathlib import Path

import pytest

import shoal
from shoal.cli.ui import ui

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "packages" / "conda" / "meta.yaml").read_text(encoding="utf-8")
CONTAINER = (ROOT / "packages" / "container" / "Containerfile").read_text(encoding="utf-8")


def listed(section: str) -> list[str]:
    """Return the entries of a list of the recipe, without spaces."""
    found = re.search(rf"^ +{section}:.*\n((?: +- .*\n)+)", RECIPE, re.MULTILINE)
    assert found is not None, section
    return [line.strip().removeprefix("- ").replace(" ", "") for line in found[1].splitlines()]


def test_the_recipe_needs_what_the_project_needs() -> None:
    needed = [one.replace(" ", "") for one in PROJECT["dependencies"]]
    assert sorted(listed("run")) == sorted([*needed, f"python{PROJECT['requires-python']}"])


def test_the_recipe_limits_the_extras_as_the_project_does() -> None:
    extras = {one.replace(" ", "") for group in PROJECT["optional-dependencies"].values() for one in group}
    assert {one.replace("python-duckdb", "duckdb") for one in listed("run_constrained")} <= extras


def test_the_recipe_has_the_version_and_the_licence() -> None:
    assert f'version: "{shoal.__version__}"' in RECIPE
    assert f"\nVersion: {shoal.__version__}\n" in (ROOT / "packages/r/shoal/DESCRIPTION").read_text(encoding="utf-8")
    assert f"\nversion: {shoal.__version__}\n" in (ROOT / "packages/dbt/dbt_project.yml").read_text(encoding="utf-8")
    assert f"license: {PROJECT['license']}" in RECIPE
    assert f"summary: {PROJECT['description']}" in RECIPE


def stages() -> dict[str, list[str]]:
    """Return the instructions of each stage of the Containerfile."""
    lines = re.sub(r"\\\n", " ", CONTAINER).splitlines()
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("FROM "):
            found[line.split()[-1]] = []
        elif found and line and not line.startswith("#"):
            list(found.values())[-1].append(line)
    return found


def test_the_container_runs_as_nobody_in_particular_and_fetches_nothing() -> None:
    known = stages()
    assert list(known) == ["installed", "command", "app"]
    assert "USER 10001:10001" in known["command"]
    assert not [line for line in known["app"] if line.startswith("USER")]  # it is that of `command`
    assert not re.search(
        r"^ADD|apt|curl|wget|sudo|chmod|--privileged",
        "\n".join(line for lines in known.values() for line in lines),
        re.MULTILINE,
    )
    assert "--no-index" in known["installed"][2]
    assert "--require-hashes" in known["installed"][2]


@pytest.mark.parametrize("stage", ["command", "app"])
def test_the_container_starts_shoal_with_flags_that_there_are(stage: str) -> None:
    entry = next(line for line in stages()[stage] if line.startswith("ENTRYPOINT"))
    words = re.findall(r'"([^"]+)"', entry)
    assert words[0] == "shoal"
    flags = {word.removeprefix("--").removeprefix("no-").replace("-", "_") for word in words if word.startswith("--")}
    assert flags <= set(ui.__annotations__)


def test_the_app_of_the_container_is_reachable_only_if_that_is_said() -> None:
    entry = next(line for line in stages()["app"] if line.startswith("ENTRYPOINT"))
    assert "--tls-certificate" in entry
    assert "--confirm" not in entry
    assert "--name" not in entry
