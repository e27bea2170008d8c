import shutil
from pathlib import Path

from tests.cli.run import done, job_toml, shoal


def test_people_and_programs_get_the_same_verdict(tmp_path: Path) -> None:
    done("anonymize", job_toml(tmp_path), "--out", tmp_path / "out")
    moved = shutil.move(tmp_path / "out", tmp_path / "ander er")
    shown = done("verify", moved).out
    assert shown.startswith("verdict: all claims hold, and the file is the one that was certified\n")
    assert "k-anonymity" in shown
    found = done("verify", moved, "--json").json
    assert found["verdict"] == "all claims hold"
    assert found["claims"][0]["holds"] is True


def test_a_refusal_ends_with_4(tmp_path: Path) -> None:
    done("anonymize", job_toml(tmp_path), "--out", tmp_path / "out")
    with (tmp_path / "out/public/data.csv").open("a", encoding="utf-8") as file:
        file.write("0-39,*,M,flu,seen\n")
    ran = shoal("verify", tmp_path / "out", "--json")
    assert ran.code == 4
    assert ran.json["error"]["kind"] == "CertificateError"
    assert "its digest differs" in ran.err


def test_what_is_no_release_ends_with_2(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere", job_toml(tmp_path)):
        ran = shoal("verify", folder)
        assert ran.code == 2
        assert "is not a release" in ran.err


def test_the_raw_table_and_the_bound_are_asked_for(tmp_path: Path) -> None:
    done("anonymize", job_toml(tmp_path), "--out", tmp_path / "out")
    assert "not derived here: records.input" in done("verify", tmp_path / "out").out
    assert "not derived here: loss.bound" in done("verify", tmp_path / "out", "--raw").out
    (tmp_path / "data.csv").rename(tmp_path / "moved.csv")
    assert shoal("verify", tmp_path / "out", "--raw").code == 2
    shown = done("verify", tmp_path / "out", "--raw-table", tmp_path / "moved.csv", "--bound").out
    assert "not derived here: shoal, told\n" in shown
    assert shoal("verify", tmp_path / "out", "--bound").code == 2


def test_what_is_no_part_of_the_release_is_named(tmp_path: Path) -> None:
    done("anonymize", job_toml(tmp_path), "--out", tmp_path / "out")
    (tmp_path / "out/note.txt").write_text("mine", encoding="utf-8")
    assert "in the folder, but not bound by the release: note.txt" in done("verify", tmp_path / "out").out
    assert done("verify", tmp_path / "out", "--json").json["others"] == ["note.txt"]
