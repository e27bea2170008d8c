"""The examples come with the package: copied whole, without what runs have left, and never over something else."""

from pathlib import Path

import pytest

import shoal
from shoal.actions import example
from shoal.foundation.errors import SpecError
from tests.cli.run import done, files_of
from tests.cli.run import shoal as ran

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_copy_has_the_same_files_and_its_job_runs() -> None:
    folder = shoal.example("hospital")
    assert folder == Path("examples/hospital")
    names = files_of(folder)
    assert {"README.md", "patients.csv", "job.toml", "hierarchies/occupation.csv", "make_data.py"} <= names
    assert all((folder / name).read_bytes() == (EXAMPLES / "hospital" / name).read_bytes() for name in names)
    release = shoal.run(shoal.Job.read(folder / "job.toml", {"search": {"seed": 1}}))
    assert release.certificate["verdict"] == "all claims hold"


def test_what_runs_have_left_beside_an_example_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "installed"
    for name in ("README.md", "release/private/job.toml", "members/1.csv", "__pycache__/x.pyc"):
        path = place / "hospital" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# A hospital\n\nIt is small.\n", encoding="utf-8")
    monkeypatch.setattr(example, "_PLACES", (tmp_path / "nowhere", place))
    assert example.titles() == {"hospital": "A hospital"}
    assert files_of(shoal.example("hospital", "copy")) == {"README.md"}


def test_the_copy_of_an_example_that_is_for_reading_alone_can_be_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "installed" / "hospital"
    (place / "hierarchies").mkdir(parents=True)
    for name in ("README.md", "hierarchies/zip.csv"):
        (place / name).write_text("# A hospital\n", encoding="utf-8")
        (place / name).chmod(0o444)
    for folder in (place / "hierarchies", place):
        folder.chmod(0o555)
    monkeypatch.setattr(example, "_PLACES", (place.parent,))
    copy = shoal.example("hospital", "copy")
    modes = [path.stat().st_mode for path in (copy, *copy.rglob("*"))]
    for folder in (place, place / "hierarchies"):
        folder.chmod(0o755)
    assert len(modes) == 4
    assert all(mode & 0o200 for mode in modes)


def test_a_folder_that_exists_is_left_unless_it_may_go() -> None:
    kept = Path("mine")
    kept.mkdir()
    (kept / "note.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SpecError, match="'mine' exists already"):
        shoal.example("clusters", kept)
    assert files_of(kept) == {"note.txt"}
    assert "README.md" in files_of(shoal.example("clusters", kept, force=True))


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(SpecError, match=r"There is no example 'hospitl'. Did you mean 'hospital'\?"):
        shoal.example("hospitl")
    with pytest.raises(SpecError, match=r"There is no example '\.\.'\. Known are: census, "):
        shoal.example("..")


def test_a_package_without_examples_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "_PLACES", (tmp_path / "a", tmp_path / "b"))
    with pytest.raises(SpecError, match=r"were not found in '.*a' and '.*b'"):
        shoal.example("hospital")


def test_on_the_command_line_they_are_listed_and_copied() -> None:
    listed = done("example").out.splitlines()
    assert [line.split()[0] for line in listed] == sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))
    assert listed[3] == "hospital  A hospital releases its admissions"
    assert done("example", "--json").json["survey"] == "A staff survey"
    assert done("example", "clusters").out == "example: examples/clusters (begin with examples/clusters/README.md)\n"
    assert done("example", "clusters", "--out", "five", "--json").json == {"folder": "five"}
    again = ran("example", "clusters")
    assert again.code == 2
    assert "exists already" in again.err
