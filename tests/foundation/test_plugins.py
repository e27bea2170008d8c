"""A package of somebody else: its members work as shoal's own do, and a broken one stops no other."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.foundation.installed import installed

THEIRS = '''
"""Members of every shelf, as another package would write them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.clusters.distances import Equal
from shoal.measures import Stars
from shoal.models import PrivacyModel
from shoal.search.algorithms import Optimal
from shoal.tables.formats import Format
from shoal.tables.hierarchies import Hierarchy, HierarchySpec


class Piped(Format):
    """Fields between bars; no column holds one."""

    name: ClassVar[str] = "piped"
    suffixes: ClassVar[tuple[str, ...]] = (".bars", ".piped")

    def columns(self, path, delimiter=None):
        return path.read_text(encoding="utf-8").split("\\n")[0].split("|")

    def read(self, path, *, keep=None, text=(), delimiter=None):
        frame = pl.read_csv(path, separator="|", infer_schema=False)
        kept = [name for name in frame.columns if keep is None or name in keep]
        return pl.DataFrame([frame[name].cast(pl.String if name in text else pl.Categorical) for name in kept])

    def write(self, frame, path, delimiter=None, codebook=None):
        frame.write_csv(path, separator="|", check_extension=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSize(PrivacyModel):
    """Each class has `times` as many records as the file `ledger` says."""

    name: ClassVar[str] = "ledger-size"
    reference: ClassVar[str] = "a test"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("times",)
    files: ClassVar[Mapping[str, str]] = {"ledger": "the ledger of sizes"}

    times: int
    ledger: str

    def holds(self, groups):
        return groups.sizes >= self.times * int(Path(self.ledger).read_text(encoding="utf-8"))

    def achieved(self, groups):
        return {"times": int(groups.sizes.min()) // int(Path(self.ledger).read_text(encoding="utf-8"))}


@dataclass(frozen=True, slots=True)
class Rows(Stars):
    name: ClassVar[str] = "rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine(Optimal):
    name: ClassVar[str] = "mine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped(HierarchySpec):
    """Values, then the group that each has in the file `groups`, then a star."""

    name: ClassVar[str] = "grouped"
    files: ClassVar[Mapping[str, str]] = {"groups": "the groups of values"}

    groups: str

    def build(self, values, column, folder=Path()):
        rows = [line.split("=") for line in (folder / self.groups).read_text(encoding="utf-8").split()]
        return Hierarchy.of_rows([[value, group, "*"] for value, group in rows], "groups")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike(Equal):
    name: ClassVar[str] = "alike"
'''
POINTS = {
    "shoal.formats": {"piped": "theirs:Piped"},
    "shoal.models": {"ledger-size": "theirs:LedgerSize", "lost": "theirs:Lost"},
    "shoal.measures": {"rows": "theirs:Rows"},
    "shoal.algorithms": {"mine": "theirs:Mine", "gone": "gone_with_the_wind:Gone"},
    "shoal.hierarchies": {"grouped": "theirs:Grouped"},
    "shoal.distances": {"alike": "theirs:Alike"},
}
BOTH = """
import sys
from shoal.cli import main

for place in sys.argv[1:]:
    sys.argv = ["shoal", "verify", place]
    try:
        main()
    except SystemExit as end:
        print("ended with", end.code, flush=True)
"""
TABLE = "town|age|illness\n" + "".join(f"{town}|{age}|flu\n" for town in "abcd" for age in (30, 30, 31))
JOB = """
[input]
path = "table.piped"
[columns.town]
role = "quasi"
hierarchy = { type = "grouped", groups = "lists/groups.txt" }
[columns.age]
role = "quasi"
[columns.illness]
role = "sensitive"
[[require]]
model = "ledger-size"
times = 2
ledger = "lists/ledger.txt"
[search]
algorithm = "mine"
measure = "rows"
seed = 1
[release]
format = "piped"
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("site"), "theirs", POINTS, THEIRS, package="Their-Members")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "groups.txt").write_text("a=north b=north c=south d=south", encoding="utf-8")
    (tmp_path / "lists" / "ledger.txt").write_text("2", encoding="utf-8")
    (tmp_path / "table.piped").write_text(TABLE, encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    return tmp_path


def ran(site: Path, folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), *sys.path])
    return subprocess.run(
        [sys.executable, *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def check_release(site: Path, folder: Path, out: Path) -> None:
    """Look at a release with members of the plug-in alone; its files are found again from its own folder."""
    assert {line.count("|") for line in (out / "public/data.bars").read_text(encoding="utf-8").split()} == {2}
    job = tomllib.loads((out / "private/job.toml").read_text(encoding="utf-8"))
    [promise] = job["require"]
    recipe = job["columns"]["town"]["hierarchy"]
    assert (out / "private" / promise["ledger"]).resolve() == (folder / "lists" / "ledger.txt").resolve()
    assert (out / "private" / recipe["groups"]).resolve() == (folder / "lists" / "groups.txt").resolve()
    certificate = json.loads((out / "private/certificate.json").read_text(encoding="utf-8"))
    assert certificate["claims"][0]["parameters"] == {"times": 2, "ledger": "ledger.txt"}
    assert certificate["algorithm"]["name"] == "mine"
    assert certificate["loss"]["measure"] == "rows"
    public = json.loads((out / "public/certificate-public.json").read_text(encoding="utf-8"))
    assert public["claims"][0]["parameters"] == {"times": 2, "ledger": None}
    assert "hierarchy" not in public["columns"]["town"]
    rules = json.loads((out / "private/rules.json").read_text(encoding="utf-8"))
    assert set(rules["files"]) == {"town"}
    told = ran(site, folder, "-c", BOTH, str(out), str(out / "public/certificate-public.json"))
    assert told.returncode == 0, told.stderr
    kept, separator, rest = told.stdout.partition("ended with 0\n")
    assert separator, kept + told.stderr
    assert "needs the ledger of sizes, which the public certificate does not tell" in rest + told.stderr


def test_a_job_file_names_them(site: Path, folder: Path) -> None:
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    done = ran(site, elsewhere, "-m", "shoal", "anonymize", "../job.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    check_release(site, folder, elsewhere / "out")
    (folder / "lists" / "ledger.txt").unlink()
    again = ran(site, folder, "-m", "shoal", "verify", str(elsewhere / "out"))
    assert "ledger.txt" in again.stdout + again.stderr


@pytest.mark.deep  # as a job file does, which the test above shows
def test_flags_name_them(site: Path, folder: Path) -> None:
    flags = ["table.piped", "--quasi", "town,age", "--sensitive", "illness", "--out", "out", "--format", "piped"]
    flags += ["--hierarchy", "town={ type = 'grouped', groups = 'lists/groups.txt' }", "--algorithm", "mine"]
    flags += ["--require", "ledger-size:times=2,ledger=lists/ledger.txt", "--measure", "rows"]
    done = ran(site, folder, "-m", "shoal", "anonymize", *flags)
    assert (done.returncode, done.stderr) == (0, "")
    check_release(site, folder, folder / "out")
    clusters = ["table.piped", "--quasi", "town,age", "--drop", "illness", "--k", "3", "--out", "clusters"]
    clusters += ["--distance", "town=alike", "--algorithm", "mdav", "--quiet"]
    done = ran(site, folder, "-m", "shoal", "anonymize", *clusters)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.deep  # likewise
def test_python_names_them(site: Path, folder: Path) -> None:
    code = """
import shoal
from theirs import LedgerSize

release = shoal.anonymize(
    "table.piped",
    quasi={"town": {"type": "grouped", "groups": "lists/groups.txt"}, "age": None},
    sensitive=["illness"],
    require=[LedgerSize(times=2, ledger="lists/ledger.txt")],
    algorithm="mine",
    measure="rows",
    format="piped",
    seed=1,
)
release.write("out")
near = shoal.anonymize("table.piped", quasi=["town", "age"], drop=["illness"], k=3, distances={"town": "alike"},
                       algorithm="mdav")
assert near.data.height == 12
print(shoal.Job.model_json_schema()["$defs"]["ReleaseRequest"]["properties"]["format"]["enum"][-1])
"""
    done = ran(site, folder, "-W", "ignore::shoal.PluginWarning", "-c", code)
    assert (done.returncode, done.stdout) == (0, "piped\n"), done.stderr
    check_release(site, folder, folder / "out")


def test_a_broken_one_is_named_where_all_are_listed_or_it_is_asked_for(site: Path, folder: Path) -> None:
    done = ran(site, folder, "-m", "shoal", "anonymize", "job.toml", "--require", "k-anonimity:k=2")
    lost = "The plug-in 'lost' of the package 'Their-Members' cannot be loaded"
    assert done.returncode == 2
    first, *rest = done.stderr.splitlines()
    assert first.startswith(f"Warning: {lost} (AttributeError: ")
    assert rest[-1] == "- require[2]: unknown privacy model 'k-anonimity'. Did you mean 'k-anonymity'?"
    text = JOB.replace('"mine"', '"gone"').replace('"rows"', '"row"')
    (folder / "job.toml").write_text(text, encoding="utf-8")
    done = ran(site, folder, "-m", "shoal", "anonymize", "job.toml")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "In the job file 'job.toml', 2 things are wrong:",
        "- search.algorithm: The algorithm 'gone' cannot be used. The plug-in 'gone' of the package 'Their-Members' "
        "cannot be loaded (ModuleNotFoundError: No module named 'gone_with_the_wind').",
        "- search.measure: unknown measure 'row'. Did you mean 'rows'?",
    ]
    done = ran(site, folder, "-m", "shoal", "schema")
    assert done.returncode == 0
    assert [line.partition(" of ")[0] for line in done.stderr.splitlines()] == [
        "Warning: The plug-in 'lost'",
        "Warning: The plug-in 'gone'",
    ]
    assert all(name in done.stdout for points in POINTS.values() for name in points if name not in ("lost", "gone"))
