"""A release with formulas: told in both reports, quoted if asked for, and verified either way."""

import json
from pathlib import Path
from shutil import copy
from typing import Any

import openpyxl
import polars as pl
import pytest

import shoal
from tests.forging import forge, relist

TABLE = pl.DataFrame(
    {
        "=age": ["20", "20", "20", "-5", "-5", "-5"],
        "zip": ["=1+1", "=1+1", "=1+1", "'=1+1", "'=1+1", "'=1+1"],
        "'@ill": ["=flu", "'=flu", "cold", "=flu", "'=flu", "+ulcer"],
        "note": ["\ttab", "-5", "plain", "\rreturn", "@x", "\nfeed"],
    }
)
LEVELS = "=flu;any\n'=flu;any\ncold;any\n+ulcer;any\n"


def _released(folder: Path, form: str = "csv", **given: Any) -> Path:
    (folder / "ill.csv").write_text(LEVELS, encoding="utf-8")
    release = shoal.anonymize(
        TABLE,
        quasi={"=age": "suppression", "zip": "suppression"},
        sensitive={"'@ill": {"type": "levels", "path": str(folder / "ill.csv")}},
        insensitive=["note"],
        k=3,
        require=[
            {"model": "distinct-l-diversity", "l": 3, "column": "'@ill"},
            {"model": "t-closeness", "t": 0.9, "column": "'@ill", "distance": "hierarchical"},
            {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "column": "'@ill", "value": "=flu"},
        ],
        format=form,
        **given,
    )
    release.write(folder / "out")
    assert release.data.sort("note").equals(TABLE.sort("note"))
    return folder / "out"


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize("escape", [None, True])
def test_it_is_told_and_verified_by_steward_and_public(tmp_path: Path, form: str, escape: bool | None) -> None:
    out = _released(tmp_path, form, escape_formulas=escape)
    for name in ("private/report.html", "public/report-public.html"):
        page = (out / name).read_text(encoding="utf-8")
        section = page.partition('<section id="formulas">')[2].partition("</section>")[0]
        for row in (
            "=age</td><td>yes</td><td class=n>0",
            "zip</td><td>no</td><td class=n>3",
            "note</td><td>no</td><td class=n>4",
        ):
            assert f"<td>{row}" in section
        assert "<td>&#x27;@ill</td><td>no</td><td class=n>3" in section
        assert ("one more apostrophe" in section) == bool(escape)
        assert "flu" not in section
    assert shoal.verify(out).not_derived == {}
    public = tmp_path / "public"
    public.mkdir()
    for name in (f"data.{form}", "certificate-public.json"):
        copy(out / "public" / name, public / name)
    assert set(shoal.verify(public).not_derived) == {"t-closeness ('@ill)"}  # its levels are in a file
    certificate = json.loads((out / "private/certificate.json").read_bytes())
    assert certificate.get("escape_formulas", False) == bool(escape)
    assert set(certificate["file"]["columns"]) == set(TABLE.columns)


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_what_the_file_holds(tmp_path: Path, form: str) -> None:
    out = _released(tmp_path, form, escape_formulas=True)
    if form == "csv":
        held = pl.read_csv(out / "public/data.csv", infer_schema=False)
    else:
        rows = list(openpyxl.load_workbook(out / "public/data.xlsx")["data"].iter_rows())
        assert all(cell.data_type in ("s", "n") for row in rows for cell in row)
        held = pl.DataFrame(
            [[str(cell.value) for cell in row] for row in rows[1:]], [c.value for c in rows[0]], orient="row"
        )
    assert set(held.columns) == {"'=age", "zip", "''@ill", "note"}
    assert set(held["zip"]) == {"'=1+1", "''=1+1"}
    assert set(held["''@ill"]) == {"'=flu", "''=flu", "cold", "'+ulcer"}
    assert {"'\ttab", "-5", "plain", "'@x"} <= set(held["note"])


def test_a_workbook_holds_texts_and_no_formulas_in_any_case(tmp_path: Path) -> None:
    out = _released(tmp_path, "xlsx")
    for row in openpyxl.load_workbook(out / "public/data.xlsx")["data"].iter_rows():
        assert all(cell.data_type != "f" for cell in row)


def test_a_release_without_formulas_says_nothing(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["-1", "-1"], "b": ["x", "y"]})
    page = shoal.anonymize(frame, quasi=["a"], insensitive=["b"], k=2).report()
    assert 'id="formulas"' not in page


@pytest.mark.parametrize("side", ["job", "certificate"])
def test_job_and_certificate_must_agree(tmp_path: Path, side: str) -> None:
    out = _released(tmp_path, escape_formulas=True)
    if side == "job":
        text = (out / "private/job.toml").read_text(encoding="utf-8").replace("escape_formulas = true", "")
        (out / "private/job.toml").write_text(text, encoding="utf-8")
        relist(out)
    else:
        forge(out / "private/certificate.json", lambda told: told.pop("escape_formulas"))
    with pytest.raises(shoal.CertificateError, match="whether formulas are quoted"):
        shoal.verify(out)


def test_the_public_certificate_cannot_leave_it_out(tmp_path: Path) -> None:
    out = _released(tmp_path, escape_formulas=True)
    for name in ("job.toml", "certificate.json", "rules.json", "report.html", "manifest.json"):
        (out / "private" / name).unlink()
    forge(out / "public/certificate-public.json", lambda told: told.pop("escape_formulas"))
    with pytest.raises(shoal.CertificateError, match="columns"):
        shoal.verify(out)


@pytest.mark.parametrize("form", ["parquet", "sav"])
def test_other_formats_refuse_it(form: str) -> None:
    with pytest.raises(shoal.SpecError, match=r"escape_formulas.*csv.*xlsx"):
        shoal.anonymize(TABLE, quasi=["=age"], drop=["zip", "'@ill", "note"], k=2, format=form, escape_formulas=True)


def test_rules_quote_too_unless_they_write_something_else(tmp_path: Path) -> None:
    out = _released(tmp_path, escape_formulas=True)
    again = shoal.apply(out, TABLE).write(tmp_path / "again")
    assert again["escape_formulas"] is True
    shoal.verify(tmp_path / "again")
    other = shoal.apply(out, TABLE, format="parquet").write(tmp_path / "other")
    assert "escape_formulas" not in other
