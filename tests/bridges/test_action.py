"""The entry points of the GitHub Action and of the pre-commit hook end with the exit codes of `shoal check`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
HOOK = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
COMMANDS = Path(sys.executable).parent


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = ["age,sex,ill", *["30,F,flu", "30,F,cold"] * 2, *["40,M,flu", "40,M,ulcer", "40,M,cold"]]
    path = tmp_path / "-released $(touch here).csv"  # a name that a shell or a parser of flags would trip over
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def acted(table: Path, **asked: str) -> tuple["subprocess.CompletedProcess[str]", str]:
    """Run the entry as the runner does, and return what it hands on as well."""
    told = table.parent / "outputs"
    told.touch()
    named = {f"SHOAL_{name.upper()}": value for name, value in asked.items()}
    settings = {**os.environ, "PATH": f"{COMMANDS}{os.pathsep}{os.environ['PATH']}", "GITHUB_OUTPUT": str(told)}
    entry = [sys.executable, str(ROOT / "packages" / "action" / "check.py")]
    given = {"SHOAL_FILE": table.name, "SHOAL_QUASI": "age,sex", **named}
    ran = subprocess.run(entry, cwd=table.parent, env=settings | given, capture_output=True, text=True, check=False)
    return ran, told.read_text(encoding="utf-8")


def test_a_table_that_keeps_its_promises_passes(table: Path) -> None:
    ran, told = acted(table, require="k-anonymity:k=3\n\n  distinct-l-diversity:l=2,column=ill\n", sensitive="ill")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        "k-anonymity: asked 3, found 3: holds",
        "distinct-l-diversity: asked 2, found 2: holds",
    ]
    assert told == "k=3\nholds=true\n"
    assert not (table.parent / "here").exists()


def test_a_promise_that_fails_ends_with_4(table: Path) -> None:
    ran, told = acted(table, require="k-anonymity:k=4")
    assert ran.returncode == 4
    assert ran.stdout == "k-anonymity: asked 4, found 3: FAILS\n"
    assert told == "k=3\nholds=false\n"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"require": " \n"}, "Nothing is required"),
        ({"require": "k-anonimity:k=4"}, "Did you mean 'k-anonymity'"),
        ({"require": "k-anonymity:k=4", "quasi": "aeg"}, "aeg"),
        ({"require": "k-anonymity:k=4", "file": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_a_request_at_fault_ends_with_2(table: Path, asked: dict[str, str], words: str) -> None:
    ran, told = acted(table, **asked)
    assert ran.returncode == 2
    assert words in ran.stderr
    assert told == ""


def test_the_action_hands_each_of_its_inputs_to_the_entry() -> None:
    inputs = set(re.findall(r"^  (\w+):\n    description", ACTION.partition("outputs:")[0], re.MULTILINE))
    handed = set(re.findall(r"SHOAL_\w+: \$\{\{ inputs\.(\w+) \}\}", ACTION))
    assert inputs == handed
    entry = (ROOT / "packages" / "action" / "check.py").read_text(encoding="utf-8")
    assert all(re.search(rf"['\"]{name}['\"]", entry, re.IGNORECASE) for name in inputs - {"extras"})
    assert not re.search(r"run: .*\$\{\{", ACTION)  # an input never becomes a part of a line for the shell


@pytest.mark.parametrize(("k", "code"), [("3", 0), ("4", 4), ("none", 2)])
def test_the_hook_ends_with_the_exit_code_of_the_check(table: Path, k: str, code: int) -> None:
    entry = re.search(r"^  entry: (.+)$", HOOK, re.MULTILINE)
    assert entry is not None
    program, *words = entry[1].split()
    args = ["--quasi", "age,sex", "--require", f"k-anonymity:k={k}", "--", table.name]
    ran = subprocess.run([COMMANDS / program, *words, *args], cwd=table.parent, capture_output=True, check=False)
    assert ran.returncode == code
    assert "pass_filenames: false" in HOOK  # each table has columns of its own, which stand beside it in `args`


def test_the_page_names_the_inputs_outputs_and_hook_that_there_are() -> None:
    page = (ROOT / "docs" / "bridges" / "pipelines.md").read_text(encoding="utf-8")
    block = re.search(r"- uses: OWNER/shoal@\S+\n  with:\n((?:    .*\n)+)", page)
    assert block is not None
    named = set(re.findall(r"^    (\w+):", block[1], re.MULTILINE))
    assert named == {"file", "quasi", "sensitive", "require"}
    assert all(f"\n  {name}:\n    description" in ACTION for name in (*named, *re.findall(r"outputs\.(\w+)`", page)))
    ids = set(re.findall(r"- id: (\S+)", page))
    assert ids == set(re.findall(r"^- id: (\S+)", HOOK, re.MULTILINE))
