"""Every example in the README and the docs runs."""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from shoal.cli import main

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/*/README.md")]
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def with_language(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


# What these say on the command line differs from other pages in the name of the algorithm only, and takes its time.
LONG = {"exact", "rk-center", "rk-center-outliers", "r-gather-outliers"}
FEW = 400  # lines of the table of the hospital in the quick run
WHOLE = re.compile(r"\bassert\b|\bsklearn\b")  # Python that looks at figures, or at the last records, needs them all


SHELL = [
    pytest.param(page, marks=[pytest.mark.deep] if page.stem in LONG else [], id=str(page.relative_to(ROOT)))
    for page in with_language("sh")
]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("release", "__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shorter(workplace: Path, request: pytest.FixtureRequest) -> Path:
    """In the quick run the hospital has its first records only, where what is printed is not looked at."""
    if request.config.getoption("--hypothesis-profile") != "deep":
        table = workplace / "examples/hospital/patients.csv"
        table.write_text("".join(table.read_text(encoding="utf-8").splitlines(keepends=True)[:FEW]), encoding="utf-8")
    return workplace


@pytest.mark.parametrize("page", with_language("python"), ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run(page: Path, request: pytest.FixtureRequest) -> None:
    whole = any(WHOLE.search(body) for body in blocks(page, "python"))
    request.getfixturevalue("workplace" if whole else "shorter")
    names: dict[str, object] = {"__name__": "__main__"}
    for body in blocks(page, "python"):
        exec(compile(body, str(page), "exec"), names)  # noqa: S102  (our own pages)


@pytest.mark.engines
@pytest.mark.parametrize("page", with_language("py"), ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_for_a_notebook_of_spark_run(page: Path, workplace: Path, spark: Any) -> None:
    spark.sql("CREATE DATABASE IF NOT EXISTS lake")
    table = spark.read.option("header", "true").csv(str(workplace / "examples/hospital/patients.csv"))
    table.select("name", "zip", "sex", "diagnosis").write.mode("overwrite").saveAsTable("lake.patients")
    names: dict[str, object] = {"__name__": "__main__", "spark": spark}
    for body in blocks(page, "py"):
        exec(compile(body, str(page), "exec"), names)  # noqa: S102  (our own pages)
    assert spark.table("lake.released").count() > 0


@pytest.mark.parametrize("page", SHELL)
def test_shell_blocks_run(page: Path, shorter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any("shoal example" in body for body in blocks(page, "sh")):  # whoever follows it has the package alone
        installed = (shorter / "examples").rename(shorter / "installed")
        monkeypatch.setattr("shoal.actions.example._PLACES", (installed,))
    for body in blocks(page, "sh"):
        for line in body.splitlines():
            if line.startswith("shoal "):
                monkeypatch.setattr(sys, "argv", shlex.split(line, comments=True))
                with pytest.raises(SystemExit) as ended:
                    main()
                assert ended.value.code == 0, line
