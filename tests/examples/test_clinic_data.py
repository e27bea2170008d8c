"""The clinic: the script makes its six tables, and together they tell what its page says."""

import runpy
from pathlib import Path

import shoal

CLINIC = Path(__file__).parents[2] / "examples" / "clinic"
MONTHS = ("january", "february", "march", "april", "may", "june")


def test_the_script_makes_the_same_bytes(tmp_path: Path) -> None:
    runpy.run_path(str(CLINIC / "make_data.py"))["main"](tmp_path)
    for name in MONTHS:
        assert (tmp_path / f"{name}.csv").read_bytes() == (CLINIC / f"{name}.csv").read_bytes()


def test_six_releases_tell_what_none_of_them_does() -> None:
    tables = [CLINIC / f"{name}.csv" for name in MONTHS]
    first = shoal.anonymize(
        tables[0],
        quasi=["age", "town", "sex"],
        sensitive=["diagnosis"],
        drop=["patient"],
        k=5,
        require=["distinct-l-diversity:l=3,column=diagnosis"],
        algorithm="optimal",
    )
    releases = [first, *(shoal.apply(first, table) for table in tables[1:])]
    found = shoal.attack(releases, persons=tables, truth=["patient"]).series["diagnosis"]
    assert (found.n_persons, found.exact, found.certain, found.alone[0]) == (480, 480, (72, 72), 0)
    assert (found.misfits, found.strangers, found.crowded, found.untried) == (0, 0, 0, 0)
    assert "72 of the\n480 patients" in (CLINIC / "README.md").read_text(encoding="utf-8")
