import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import silent
from shoal.web.settings import key_of, with_setting
from shoal.web.tries import all_infeasible, infeasible, tried
from shoal.web.work.trying import work
from tests.web.tables import project_of


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def untimed(folder: Path) -> dict[str, bytes]:
    """Return all files, without the seconds of the search, which no two runs share, and what is computed from them."""
    found = files(folder)
    certificate = json.loads(found["private/certificate.json"])
    del certificate["told"]["seconds"], certificate["seal"]
    manifest = json.loads(found["private/manifest.json"])
    del manifest["files"]["private/certificate.json"]
    return found | {
        "private/certificate.json": json.dumps(certificate).encode(),
        "private/manifest.json": json.dumps(manifest).encode(),
    }


@pytest.mark.parametrize("setting", [{}, {"k": 4, "algorithm": "tightest", "max_suppressed": 0, "omit": ["ward"]}])
def test_the_release_is_byte_for_byte_that_of_the_command_line(tmp_path: Path, setting: dict[str, object]) -> None:
    project = project_of(tmp_path)
    found = work(folder=str(project.folder), version=project.version, settings=[setting], progress=silent)
    assert found == {"numbers": [1]}
    folder = project.folder / "tried" / "0001"
    again = CliRunner().invoke(app, ["anonymize", str(folder / "job.toml"), "--out", str(folder / "again"), "--quiet"])
    assert again.exit_code == 0, again.output
    made = untimed(folder / "release")
    assert {"private/job.toml", "private/report.html", "private/certificate.json"} <= set(made)
    assert any(name.startswith("public/") and name.endswith(".csv") for name in made)
    assert made == untimed(folder / "again")
    assert 'role = "omitted"' in (folder / "job.toml").read_text() or "omit" not in setting


def test_what_came_of_it_is_told(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    asked = {"k": 2, "max_suppressed": 0.1}
    work(folder=str(project.folder), version=project.version, settings=[asked], progress=silent)
    told = tried(project)[1]
    release = project.folder / "tried" / "0001" / "release"
    certificate = json.loads((release / "private" / "certificate.json").read_text())
    assert told["version"] == project.version
    assert told["setting"] == asked
    assert told["loss"]["share"] == certificate["loss"]["share"]
    assert told["records"]["suppressed"] == certificate["records"]["suppressed"]
    assert told["verdict"] == certificate["verdict"]
    assert told["classes"]["smallest"] >= 2
    changes = told["useful"]["changes"]
    assert changes
    for change in changes:
        assert change["loss"] < told["useful"]["alike"]
        with_setting(project.content, change["setting"])
    assert (project.folder / "tried" / "0001").stat().st_mode & 0o77 == 0


def test_the_same_setting_of_the_same_job_is_made_once(tmp_path: Path) -> None:
    project = project_of(tmp_path)

    def numbers(*settings: dict[str, object]) -> list[int | None]:
        found = work(folder=str(project.folder), version=project.version, settings=list(settings), progress=silent)
        made: list[int | None] = found["numbers"]
        return made

    assert numbers({}, {"k": 2}, {}, {"k": 2}) == [1, 2, 1, 2]
    project.change(lambda content: with_setting(content, {"k": 2}), "history.roles", columns="")
    assert numbers({}) == [3]
    assert not list((project.folder / "tried").glob(".*"))


def test_a_setting_that_no_release_meets_is_kept_with_its_reason(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    asked = {"k": 201}
    for _ in range(2):
        found = work(folder=str(project.folder), version=project.version, settings=[asked], progress=silent)
        assert found == {"numbers": [None]}
    told = infeasible(project, key_of(project.version, asked))
    assert told is not None
    assert told["message"]
    assert all_infeasible(project) == [told]
    assert tried(project) == {}
    assert infeasible(project, key_of(project.version, {})) is None


def test_a_setting_has_known_names(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no 'seed'"):
        with_setting(project_of(tmp_path).content, {"seed": 1})
