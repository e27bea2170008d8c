"""What a statistics file says beside its records is used: labels make categories, declared values are missing."""

import re
import tomllib
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.formats.dta import Dta
from shoal.tables.formats.sav import Sav

SURVEY = Path(__file__).parents[3] / "examples" / "survey" / "survey.sav"


def test_codes_with_labels_are_categories_and_declared_values_are_missing() -> None:
    columns = {column.name: column for column in shoal.init(SURVEY).columns}
    raw = Sav().read(SURVEY)
    assert {name for name, column in columns.items() if column.profile.labelled} == {
        *("site", "sex", "contract"),
        *(name for name in columns if re.match("q[1-5]", name)),
    }
    assert columns["q2_manager"].profile.kind.name == "category"
    assert columns["pay"].profile.kind.name == "number"
    for name, codes in (("pay", ["99997", "99998"]), ("sex", ["9"]), ("q2_manager", ["8", "9"]), ("age", [])):
        texts = raw[name].cast(pl.String).to_list()
        assert columns[name].profile.missing == sum(text in codes for text in texts)
        assert not set(codes) & set(columns[name].profile.values)


def test_the_job_tells_the_words_keeps_the_format_and_runs(tmp_path: Path) -> None:
    roles = {f"q{i}_{word}": "sensitive" for i, word in enumerate(("pay", "manager", "workload", "colleagues"), 1)}
    job = shoal.init(SURVEY, roles=roles | {"pay": "quasi", "q5_leave": "insensitive"}).write(tmp_path / "job")
    text = job.read_text(encoding="utf-8")
    assert "# Labels: 1 is Head office, 2 is Warehouse" in text
    assert tomllib.loads(text)["release"]["format"] == "sav"
    assert "99997;" not in (tmp_path / "job/hierarchies/pay.csv").read_text(encoding="utf-8")
    release = shoal.run(shoal.Job.read(job, {"search": {"algorithm": "mondrian"}}))
    assert release.certificate["verdict"] == "all claims hold"


def test_a_hierarchy_of_labelled_codes_groups_no_neighbours() -> None:
    sheet = shoal.hierarchy(SURVEY, "site")
    assert sheet.rows[0] == ["2", "2", "*"]  # the most frequent one, and not an interval


@pytest.mark.parametrize("form", [Sav(), Dta()], ids=lambda form: form.name)
def test_a_label_that_is_lacking_leaves_numbers(tmp_path: Path, form: Sav | Dta) -> None:
    frame = pl.DataFrame({"score": [str(i % 40) for i in range(80)], "group": ["1", "2"] * 40})
    book = Codebook({"score": Entry("", {"0": "none"}), "group": Entry("", {"1": "a", "2": "b", "3": "unused"})})
    path = tmp_path / f"table{form.suffixes[0]}"
    form.write(frame, path, codebook=book)
    score, group = (column.profile for column in shoal.init(path).columns)
    assert (score.labelled, score.kind.name) == (False, "number")
    assert (group.labelled, group.kind.name) == (True, "category")


def test_what_cannot_be_written_is_released_as_csv() -> None:
    assert shoal.init(pl.DataFrame({"age": ["1", "2"] * 10})).format == "csv"
    assert shoal.init(SURVEY).format == "sav"
