"""Modules by their old names: the same modules, with a warning, for packages written for the version before."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import shoal
from shoal.foundation.old_names import MOVED, new_name
from tests.foundation.installed import installed

SRC = Path(str(shoal.__file__)).parent

OLD = """
from dataclasses import dataclass
from typing import ClassVar

import shoal.metric
from shoal.algorithms.algorithm import Algorithm
from shoal.algorithms.optimal import Optimal
from shoal.databases.database import Database
from shoal.distances.equal import Equal
from shoal.distances.spec import DistanceSpec
from shoal.errors import SpecError
from shoal.exact import ExactNumber
from shoal.formats.csv import Csv
from shoal.grouping import Grouping
from shoal.hierarchies import Intervals
from shoal.hierarchies.suppression import Suppression
from shoal.models.model import PrivacyModel
from shoal.objectives import Objective
from shoal.observed import Observed
from shoal.problem import Problem, Solution
from shoal.progress import silent
from shoal.recoding import Recoding
from shoal.shelf import Shelf
from shoal.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Old(Optimal):
    name: ClassVar[str] = "old"
"""
WARNED = [  # `algorithms` and `hierarchies` themselves are namespaces of the front door
    "shoal.algorithms.algorithm",
    "shoal.algorithms.optimal",
    "shoal.databases",
    "shoal.databases.database",
    "shoal.distances",
    "shoal.distances.equal",
    "shoal.distances.spec",
    "shoal.errors",
    "shoal.exact",
    "shoal.formats",
    "shoal.formats.csv",
    "shoal.grouping",
    "shoal.hierarchies.suppression",
    "shoal.metric",
    "shoal.objectives",
    "shoal.observed",
    "shoal.problem",
    "shoal.progress",
    "shoal.recoding",
    "shoal.shelf",
    "shoal.tally",
]


def exists(module: str) -> bool:
    path = SRC.parent.joinpath(*module.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


@pytest.mark.parametrize("old", sorted(MOVED))
def test_every_old_name_has_a_module_and_is_free(old: str) -> None:
    assert not exists(old)
    assert exists(MOVED[old])


def test_what_is_in_a_folder_moves_with_it() -> None:
    assert new_name("shoal.formats.csv") == "shoal.tables.formats.csv"
    assert new_name("shoal.models.k_anonymity") is None
    assert new_name("shoal.table") is None  # a function of the front door
    assert new_name("numpy.matching") is None
    assert find_spec("shoal.nothing") is None


def test_the_namespaces_of_the_front_door_warn_of_nothing() -> None:
    code = """
import sys, shoal
print({name for name in ("numpy", "pydantic", "dataclasses", "importlib.metadata") if name in sys.modules})
from shoal.hierarchies import Intervals
from shoal.algorithms import Tightest
import shoal.hierarchies, shoal.algorithms
assert shoal.hierarchies.Intervals is Intervals and shoal.algorithms.Tightest is Tightest
assert shoal.models.KAnonymity is shoal.KAnonymity and shoal.measures.Stars is shoal.Stars
from shoal.models import KAnonymity
from shoal.tables import hierarchies
from shoal.tables.hierarchies import intervals
assert hierarchies is shoal.hierarchies and intervals.Intervals is Intervals
assert hierarchies.__spec__.name == hierarchies.__name__ == "shoal.tables.hierarchies"
"""
    ran = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("set()\n", "")


USER = """
from typing import assert_type
import shoal
import shoal.{namespace}
from shoal import {namespace}
from shoal.{namespace} import {member}
assert_type(shoal.{namespace}.{member}, type[{member}])
assert_type({namespace}.{member}, type[{member}])
assert_type({member}({parameters}), shoal.{namespace}.{member})
{member}.nothing
"""


@pytest.mark.deep
def test_a_type_checker_knows_the_namespaces_however_they_are_imported(tmp_path: Path) -> None:
    """Each member is its own class and not `Any`: what it does not have is the one error of each file."""
    members = {"models": "KAnonymity", "measures": "Lm", "algorithms": "Tightest", "hierarchies": "Ranges"}
    for namespace, member in members.items():
        parameters = "k=2" if member == "KAnonymity" else ""
        code = USER.format(namespace=namespace, member=member, parameters=parameters)
        (tmp_path / f"uses_{namespace}.py").write_text(code, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *(f"uses_{namespace}.py" for namespace in members)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    expected = [
        f'uses_{namespace}.py:10: error: "type[{member}]" has no attribute "nothing"  [attr-defined]'
        for namespace, member in members.items()
    ]
    assert sorted(ran.stdout.splitlines()[:-1]) == sorted(expected), ran.stdout + ran.stderr


def test_a_plugin_with_old_names_works_and_is_warned_once_for_each(tmp_path: Path) -> None:
    installed(tmp_path, "older", {"shoal.algorithms": {"old": "older:Old"}}, OLD)
    code = """
import polars as pl, shoal, older, importlib
release = shoal.anonymize(pl.DataFrame({"a": ["1", "1", "2", "2"]}), quasi=["a"], k=2, algorithm="old")
assert release.certificate["algorithm"]["name"] == "old"
from shoal.errors import SpecError
assert SpecError is shoal.SpecError is older.SpecError
assert older.Intervals is shoal.hierarchies.Intervals
for name, room in (("Csv", "tables.formats.csv"), ("Optimal", "search.algorithms.optimal"), ("Tally", "classes.tally"),
                   ("Problem", "search.problem"), ("Equal", "clusters.distances.equal")):
    module = importlib.import_module(f"shoal.{room}")
    assert getattr(older, name) is getattr(module, name)
    assert module.__spec__.name == module.__name__ == f"shoal.{room}"
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-W", "always::DeprecationWarning", "-c", code]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    warned = [line for line in ran.stderr.splitlines() if "DeprecationWarning" in line]
    assert all(line.startswith(str(tmp_path / "older.py")) for line in warned)
    assert sorted(line.split("'")[1] for line in warned) == WARNED
