"""Completion in a shell: the words of flags, light enough for a key; files are left to the shell."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from shoal.audits.attacks import NAMES, attacks
from shoal.cli import completion
from shoal.clusters.distances import DISTANCES
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.formats import FORMATS
from shoal.tables.hierarchies import HIERARCHIES
from tests.cli.run import shoal
from tests.foundation.installed import installed

HEAVY = "{'numba', 'numpy', 'polars', 'scipy', 'sklearn', 'pandas', 'pyarrow'}"


def completed(words: str, shell: str = "bash") -> list[str]:
    """Return what a shell is offered for the last of the words, and make sure that little was loaded for it."""
    code = (
        "import atexit, sys\nsys.argv = ['shoal']\n"
        f"atexit.register(lambda: print('heavy:', {HEAVY} & set(sys.modules), file=sys.stderr))\n"
        "from shoal.cli import main\nmain()"
    )
    given = {
        "_SHOAL_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
        "_TYPER_COMPLETE_ARGS": words,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **given}, capture_output=True, text=True, check=True
    )
    assert ran.stderr == "heavy: set()\n"
    return ran.stdout.split("\n")[:-1]


def test_the_words_are_those_of_the_shelves() -> None:
    assert completion.algorithms() == ["auto", *ALGORITHMS.names]
    assert completion.measures() == MEASURES.names
    assert completion.models() == MODELS.names
    assert completion.hierarchies() == HIERARCHIES.names
    assert completion.distances() == DISTANCES.names
    assert completion.formats() == [member.name for member in FORMATS if member.writes]
    assert tuple(kind.name for kind in get_args(attacks.AttackFinding)) == NAMES


FLAGS = {
    "anonymize --algorithm ti": ["tightest"],
    "anonymize --measure mono": ["monotone-entropy"],
    "anonymize --require t-": ["t-closeness"],
    "anonymize --hierarchy zip=ma": ["zip=masking"],
    "anonymize --distance zip=m": ["zip=matrix"],
    "anonymize --series c": ["companions"],
    "anonymize --format sa": ["sav"],  # and no sas, which is not written
    "hierarchy data.csv zip --type fr": ["frequency"],
    "attack --attack linkage,sk": ["linkage,skewness"],
    "utility --figure pa": ["pairs"],
    "utility --learner tree,f": ["tree,forest"],
}


@pytest.fixture(scope="module")
def offered() -> dict[str, list[str]]:
    """Return what bash is offered for each of the flags, by one process that completes them in turn."""
    code = (
        "import os, sys\nfrom shoal.cli import main\nasked, sys.argv = sys.argv[1:], ['shoal']\nfor words in asked:\n"
        "    os.environ |= {'COMP_WORDS': words, 'COMP_CWORD': str(len(words.split(' ')) - 1)}\n"
        "    try:\n        main()\n    except SystemExit:\n        print('--')\n"
        f"print('heavy:', {HEAVY} & set(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *(f"shoal {words}" for words in FLAGS)]
    env = {**os.environ, "_SHOAL_COMPLETE": "complete_bash"}
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert ran.stderr == "heavy: set()\n"
    found = [part.split("\n")[:-1] for part in ran.stdout.split("--\n")[:-1]]
    return dict(zip(FLAGS, found, strict=True))


@pytest.mark.parametrize("words", FLAGS)
def test_flags_are_completed_lightly(words: str, offered: dict[str, list[str]]) -> None:
    assert offered[words] == FLAGS[words]


def test_plugins_are_offered_and_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"shoal.formats": {"piped": "theirs:Piped"}, "shoal.models": {"t-theirs": "theirs:Model"}}
    installed(tmp_path, "theirs", points, "raise SystemExit('it is loaded')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    assert completed("shoal anonymize --format pi") == ["piped"]
    assert completed("shoal anonymize --require t-") == ["t-closeness", "t-theirs"]


def test_commands_and_words_are_completed_lightly() -> None:
    assert completed("shoal an") == ["anonymize"]
    assert completed("shoal compare job.toml --algorithm optimal,mo") == ["optimal,mondrian"]
    assert completed("shoal verify exam") == [""]  # nothing: the shell looks for files itself


def test_each_shell_gets_its_script() -> None:
    for shell, sign in (
        ("bash", "complete -o default"),
        ("zsh", "#compdef shoal"),
        ("fish", "complete --command shoal"),
    ):
        ran = shoal("--show-completion", shell)
        assert ran.code == 0
        assert sign in ran.out
        assert "_SHOAL_COMPLETE" in ran.out
    ran = shoal("--show-completion", "tcsh")
    assert ran.code == 2
    assert "Name one: shoal --show-completion bash|zsh|fish." in ran.err


def test_the_shell_of_the_user_is_taken_if_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert "#compdef shoal" in shoal("--show-completion").out
    monkeypatch.delenv("SHELL")
    assert shoal("--show-completion").code == 2


def test_completion_is_installed_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    ran = shoal("--install-completion", "fish")
    assert ran.code == 0, ran.err
    assert "shoal" in (tmp_path / ".config/fish/completions/shoal.fish").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_script_works_in_bash(tmp_path: Path) -> None:
    command = tmp_path / "shoal"
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'shoal'\nfrom shoal.cli import start\nstart()\n",
        encoding="utf-8",
    )
    command.chmod(0o755)
    lines = [
        shoal("--show-completion", "bash").out,
        "COMP_WORDS=(shoal anonymize --measure mono); COMP_CWORD=3; _shoal_completion shoal",
        'echo "${COMPREPLY[@]}"',
    ]
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(
        [shutil.which("bash") or "", "-c", "\n".join(lines)], env=env, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "monotone-entropy\n", ran.stderr


def test_words_after_a_comma_and_a_column() -> None:
    some, after = completion.some_of("tree", "forest"), completion.after_column("masking", "dates")
    assert some("") == ["tree", "forest"]
    assert some("tree,") == ["tree,forest"]
    assert after("zip") == []
    assert after("zip=ma") == ["zip=masking"]
