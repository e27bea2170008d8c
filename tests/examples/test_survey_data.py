import runpy
import tomllib
from pathlib import Path

import polars as pl

from shoal.tables.formats.codebook import Entry
from shoal.tables.formats.sav import Sav

SURVEY = Path(__file__).parents[2] / "examples" / "survey"
ITEMS = ["q1_pay", "q2_manager", "q3_workload", "q4_colleagues", "q5_leave"]


def answers() -> pl.DataFrame:
    return Sav().read(SURVEY / "survey.sav")


def entry(name: str) -> Entry:
    return Sav().codebook(SURVEY / "survey.sav", answers())[name]


def test_the_script_makes_the_same_values_and_labels(tmp_path: Path) -> None:
    runpy.run_path(str(SURVEY / "make_data.py"))["main"](tmp_path)
    made = Sav().read(tmp_path / "survey.sav")
    assert made.equals(answers())
    assert Sav().codebook(tmp_path / "survey.sav", made) == Sav().codebook(SURVEY / "survey.sav", answers())


def test_shape_and_labels() -> None:
    assert answers().columns == ["respondent", "site", "sex", "age", "years", "contract", "pay", *ITEMS]
    assert answers().height == 420
    assert answers()["respondent"].n_unique() == 420
    assert entry("site").values["5"] == "Call centre"
    assert entry("pay").codes == {"99997", "99998"}
    assert all(entry(name).codes == {"8", "9"} and len(entry(name).values) == 7 for name in ITEMS)


def test_pay_rises_with_the_years_and_moods_differ_by_site() -> None:
    told = answers().cast(pl.String).with_columns(pl.col("pay", "years", "age", "q2_manager").cast(pl.Int64))
    paid = told.filter((pl.col("pay") < 99997) & (pl.col("contract") == "1"))
    long, new = (paid.filter(test)["pay"].median() for test in (pl.col("years") > 15, pl.col("years") < 5))
    assert isinstance(long, float)
    assert isinstance(new, float)
    assert long > new
    heard = told.filter(pl.col("q2_manager") <= 5).group_by("site").agg(pl.col("q2_manager").mean())
    moods = dict(heard.iter_rows())
    assert min(moods, key=lambda site: moods[site]) == "5"
    assert told.filter(pl.col("years") > pl.col("age") - 15).is_empty()


def test_the_job_gives_every_column_a_role() -> None:
    job = tomllib.loads((SURVEY / "job.toml").read_text(encoding="utf-8"))
    assert list(job["columns"]) == answers().columns
    assert (SURVEY / job["input"]["path"]).exists()
