from pathlib import Path

import pytest

from tests.cli.run import done, job_toml, shoal, write_csv


@pytest.fixture
def release(tmp_path: Path) -> Path:
    done("anonymize", job_toml(tmp_path), "--algorithm", "optimal", "--out", tmp_path / "out")
    return tmp_path / "out"


def test_all_figures_as_text_and_as_json(release: Path) -> None:
    text = done("utility", release, "--sample", "80", "--distributions").out
    for words in (
        "160 before, 160 after",
        "age",
        "variation",
        "Cramér's V",
        "pMSE",
        "disease (tree)",
        "note: classification",
        "(suppressed)",
        "░",
    ):
        assert words in text, words
    found = done("utility", release, "--figure", "columns,pairs", "--json").json
    assert found["records"] == {"before": 160, "after": 160}
    assert not found["propensity"]
    assert "values" not in found["columns"][0]
    shown = done("utility", release, "--figure", "columns", "--json", "--show-values").json
    assert "values" in shown["columns"][0]


def test_a_table_by_another_tool(tmp_path: Path) -> None:
    raw = write_csv(tmp_path / "raw.csv", ("age", "größe"), [(20, "s"), (25, "m"), (31, "s"), (38, "m")] * 8)
    rows = [("20-29", "s"), ("20-29", "m"), ("[30, 40)", "*"), ("[30, 40)", "*")] * 8
    table = write_csv(tmp_path / "other.csv", ("age", "größe"), rows)
    found = done("utility", table, "--raw", raw, "--quasi", "age,größe", "--figure", "columns", "--json").json
    age, size = found["columns"]
    assert age["total_variation"] == 0
    assert size["suppressed"] == 16
    assert size["total_variation"] == 0.5
    assert "größe" in done("utility", table, "--raw", raw, "--quasi", "age,größe").out


def test_what_is_wrong_is_told(release: Path, tmp_path: Path) -> None:
    ran = shoal("utility", release, "--raw", tmp_path / "no.csv")
    assert ran.code == 2
    assert "no.csv" in ran.err
    assert shoal("utility", tmp_path / "nowhere").code == 2
    ran = shoal("utility", release, "--hierarchy", "age=masking")
    assert ran.code == 2
    assert "neither in --quasi" in ran.err
    assert shoal("utility", release, "--figure", "columns", "--measure", "class-size").code == 2
