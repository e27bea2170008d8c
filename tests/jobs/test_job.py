import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from shoal.clusters.distances import Number, Tree
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.models import KAnonymity, TCloseness
from shoal.tables.table import Role
from tests.cli.run import FULL, JOB, K_ANONYMITY, done, job_toml, patients_csv, shoal, write_csv


def test_every_key_is_read(tmp_path: Path) -> None:
    job = Job.read(job_toml(tmp_path, FULL))
    assert job.input.delimiter == ";"
    assert job.input.missing == "wildcard"
    assert job.columns["age"].weight == 2.5
    assert job.names(Role.QUASI) == ("age", "zip", "born", "job", "land", "rank", "sex")
    assert job.require[0] == KAnonymity(k=5)
    closeness = job.require[1]
    assert isinstance(closeness, TCloseness)
    assert closeness.t == Fraction(1, 10)
    assert closeness.distances == str(tmp_path / "far.csv")
    assert job.search.max_suppressed == Fraction(1, 50)
    assert (job.search.seed, job.search.time_limit) == (7, 1.5)
    assert job.search.measure.name == "classification"
    assert (job.release.format, job.release.order, job.release.suppressed) == ("parquet", "input", "star")
    assert job.watched() == ("disease",)
    assert job.columns["age"].distance == Number(unit=0.5)
    assert job.columns["rank"].distance == Tree()
    assert job.search.metric == "l1"
    tables = ["data.csv", "people/all.csv"]
    wanted = [*tables, "trees/job.csv", "trees/jobs apart.csv", "trees/disease.json", "far.csv"]
    assert set(job.files()) == {tmp_path / name for name in wanted}


@pytest.mark.parametrize("where", [".", "below", "../beside", "../wörter und leere/tief"])
def test_a_job_written_elsewhere_means_the_same(tmp_path: Path, where: str) -> None:
    home = tmp_path / "häuser mit lücke"
    home.mkdir()
    job = Job.read(job_toml(home, FULL))
    other = home / where
    other.mkdir(parents=True, exist_ok=True)
    copy = other / "copy.toml"
    copy.write_text(job.toml(other), encoding="utf-8")
    again = Job.read(copy)
    assert [path.resolve() for path in again.files()] == [path.resolve() for path in job.files()]
    assert again.toml(home) == job.toml(home)
    assert again.search == job.search
    assert {name: column.distance for name, column in again.columns.items() if name != "job"} == {
        name: column.distance for name, column in job.columns.items() if name != "job"
    }
    assert again.release == job.release
    assert [model.asked for model in again.require] == [model.asked for model in job.require]


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    job = Job.read(job_toml(tmp_path))
    assert job.search.algorithm is None
    assert job.search.measure.name == "lm"
    assert job.search.max_suppressed == 0
    assert job.search.metric == "l2"
    assert job.input.missing == "category"
    assert (job.release.format, job.release.order, job.release.suppressed) == ("csv", "random", "drop")
    assert Job.read(job_toml(tmp_path, JOB + K_ANONYMITY + '[search]\nalgorithm = "auto"\n')).search.algorithm is None


@pytest.mark.parametrize("written", ["0.1", '"1/3"', "1e-3", "0.30000000000000004", '"0.12345678901234567890123"'])
def test_a_threshold_is_the_decimal_that_was_written_also_after_a_round_trip(tmp_path: Path, written: str) -> None:
    text = f'{JOB}[[require]]\nmodel = "t-closeness"\nt = {written}\ncolumn = "disease"\n'
    text += f"[search]\nmax_suppressed = {written}\n"
    job = Job.read(job_toml(tmp_path, text))
    again = Job.read(job_toml(tmp_path, job.toml(tmp_path)))
    for one in (job, again):
        closeness = one.require[0]
        assert isinstance(closeness, TCloseness)
        assert closeness.t == Fraction(written.strip('"'))
        assert one.search.max_suppressed == Fraction(written.strip('"'))


def _promise(fields: str) -> str:
    return JOB + "[[require]]\n" + fields


def _diverse(fields: str) -> str:
    return _promise(f'model = "distinct-l-diversity"\nl = 2\n{fields}')


MISTAKES: list[tuple[str, list[str]]] = [
    ("", ["- input: is missing", "- columns: is missing", "- require: is missing"]),
    (JOB, ["- require: is missing"]),
    (JOB + '[require]\nmodel = "k-anonymity"\n', ["- require: a list is needed", "[[require]]"]),
    ("require = []\n" + JOB, ["- require: is empty: at least one entry is needed"]),
    (
        _promise('model = "k-anonimity"\nk = 2'),
        ["- require[1]: unknown privacy model 'k-anonimity'. Did you mean 'k-anonymity'?"],
    ),
    (_promise("k = 2"), ["- require[1]: the privacy model is not named. Known are: k-anonymity, "]),
    (
        _promise('model = "k-anonymity"\nk = 0'),
        ["- require[1].k-anonymity.k: Input should be greater than or equal to 1"],
    ),
    (_promise('model = "k-anonymity"\nk = 2.5'), ["- require[1].k-anonymity.k: Input should be a valid integer"]),
    (_promise('model = "k-anonymity"\nk = true'), ["- require[1].k-anonymity: 'k' cannot be true or false"]),
    (_promise('model = "k-anonymity"\nk = 2\nkk = 3'), ["- require[1].k-anonymity.kk: this key is not known here"]),
    (_promise('model = "k-anonymity"'), ["- require[1].k-anonymity.k: is missing"]),
    (
        _promise('model = "t-closeness"\nt = "abc"\ncolumn = "disease"'),
        ["- require[1].t-closeness.t: Input should be a number"],
    ),
    (
        _promise('model = "t-closeness"\nt = inf\ncolumn = "disease"'),
        ["- require[1].t-closeness.t: Input should be a number"],
    ),
    (
        _promise('model = "t-closeness"\nt = 1.5\ncolumn = "disease"'),
        ["t-closeness.t: Input should be less than or equal to 1"],
    ),
    (
        _diverse('column = "age"'),
        ["distinct-l-diversity refers to column 'age', which does not have the role 'sensitive'", "disease"],
    ),
    (_diverse('column = "disease"\nother = "known"'), ["distinct-l-diversity.other: this key is not known here"]),
    (
        JOB + K_ANONYMITY + "[search]\nmax_suppressed = 1.5\n",
        ["- search.max_suppressed: Input should be less than or equal to 1"],
    ),
    (JOB + K_ANONYMITY + "[search]\nmax_suppressed = true\n", ["- search.max_suppressed: Input should be a number"]),
    (
        JOB + K_ANONYMITY + '[search]\nalgorithm = "optimale"\n',
        ["- search.algorithm: unknown algorithm 'optimale'. Did you mean"],
    ),
    (
        JOB + K_ANONYMITY + '[search]\nmeasure = "entropi"\n',
        ["- search.measure: unknown measure 'entropi'. Did you mean 'entropy'?"],
    ),
    (JOB + K_ANONYMITY + "[search]\ntime_limit = 0\nseed = -1\n", ["- search.time_limit: ", "- search.seed: "]),
    ("search = 5\n" + JOB + K_ANONYMITY, ["- search: a table is needed"]),
    (JOB + K_ANONYMITY + "[quest]\nseed = 1\n", ["- quest: this key is not known here"]),
    (
        JOB + K_ANONYMITY + '[release]\nformat = "docx"\n',
        ["- release.format: Input should be 'csv', 'parquet', 'xlsx', 'sav' or 'dta'"],
    ),
    (
        JOB.replace('role = "quasi"', 'role = "quassi"') + K_ANONYMITY,
        ["columns.age.role: Input should be 'identifier', 'quasi'"],
    ),
    (
        JOB.replace('"masking" }', '"maskng" }') + K_ANONYMITY,
        ["columns.zip.hierarchy: unknown type of hierarchy 'maskng'. Did you"],
    ),
    (JOB.replace("[5, 10, 20, 40]", "[5, 7]") + K_ANONYMITY, ["columns.age.hierarchy.intervals: 'widths' do not nest"]),
    (
        JOB.replace("[columns.ssn]", '[columns.ssn]\nhierarchy = { type = "masking" }') + K_ANONYMITY,
        ["column 'ssn' has a hierarchy but the role 'identifier', which is never generalized"],
    ),
    (
        JOB.replace("[columns.age]", '[columns.age]\ndistance = "nummer"') + K_ANONYMITY,
        ["columns.age.distance: unknown type of distance 'nummer'. Did you mean 'number'?"],
    ),
    (
        JOB.replace("[columns.age]", '[columns.age]\ndistance = { type = "number", unit = 0 }') + K_ANONYMITY,
        ["columns.age.distance.number.unit: Input should be greater than 0"],
    ),
    (
        JOB.replace("[columns.age]", '[columns.age]\ndistance = "matrix"') + K_ANONYMITY,
        ["columns.age.distance.matrix.path: is missing"],
    ),
    (
        JOB.replace("[columns.note]", '[columns.note]\ndistance = "equal"') + K_ANONYMITY,
        ["column 'note' has a distance but the role 'insensitive': only quasi columns are measured"],
    ),
    (
        JOB.replace("[columns.age]", '[columns.age]\ndistance = { type = "place", longitude = "note" }') + K_ANONYMITY,
        ["the distance of column 'age' needs 'note' to be another column, a quasi one"],
    ),
    (
        JOB.replace("[columns.age]", '[columns.age]\ndistance = { type = "place", longitude = "sex" }').replace(
            "[columns.sex]", '[columns.sex]\ndistance = "equal"'
        )
        + K_ANONYMITY,
        ["column 'sex' is measured with 'age', and so has no other distance"],
    ),
    (JOB + K_ANONYMITY + '[search]\nmetric = "l3"\n', ["- search.metric: Input should be 'l2' or 'l1'"]),
    (
        JOB + K_ANONYMITY + '[search]\nalgorithm = "mdav"\nmeasure = "lm"\n',
        ["the algorithm mdav publishes clusters and lowers the sum of the squared distances", "leave the measure out"],
    ),
]


@pytest.mark.parametrize(("text", "words"), MISTAKES)
def test_a_mistake_is_told_where_it_is(tmp_path: Path, text: str, words: list[str]) -> None:
    path = job_toml(tmp_path, text)
    with pytest.raises(SpecError) as caught:
        Job.read(path)
    message = str(caught.value)
    assert message.startswith(f"In the job file '{path}', ")
    for one in words:
        assert one in message


@pytest.mark.parametrize(("text", "words"), MISTAKES)
def test_flags_on_top_of_a_mistake_do_not_hide_it(tmp_path: Path, text: str, words: list[str]) -> None:
    ran = shoal("anonymize", job_toml(tmp_path, text), "--out", tmp_path / "out", "--seed", "1", "--order", "input")
    assert ran.code == 2
    assert "things are wrong" in ran.err or "one thing is wrong" in ran.err


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = JOB.replace("[5, 10, 20, 40]", "[5, 7]").replace('"insensitive"', '"public"')
    text += '[[require]]\nmodel = "k-anonymty"\n[search]\nmeasure = "x"\nfoo = 1\n[release]\norder = "up"\n'
    with pytest.raises(SpecError) as caught:
        Job.read(job_toml(tmp_path, text))
    message = str(caught.value)
    assert message.splitlines()[0].endswith("6 things are wrong:")
    for place in (
        "columns.age.hierarchy",
        "columns.note.role",
        "require[1]",
        "search.measure",
        "search.foo",
        "release.order",
    ):
        assert f"- {place}" in message


def test_mistakes_across_sections_are_told_at_once(tmp_path: Path) -> None:
    text = JOB.replace(
        'role = "quasi"\nhierarchy = { type = "intervals"', 'role = "insensitive"\nhierarchy = { type = "intervals"'
    )
    text = text.replace('[columns.sex]\nrole = "quasi"', '[columns.sex]\nrole = "identifier"')
    text = text.replace(
        'role = "quasi"\nhierarchy = { type = "masking"', 'role = "insensitive"\nhierarchy = { type = "masking"'
    )
    text += '[[require]]\nmodel = "distinct-l-diversity"\nl = 2\ncolumn = "nobody"\n'
    with pytest.raises(SpecError) as caught:
        Job.read(job_toml(tmp_path, text))
    for words in ("no column has the role 'quasi'", "column 'age' has a hierarchy", "column 'zip'", "column 'nobody'"):
        assert words in str(caught.value)


def test_a_file_that_is_no_job_is_refused(tmp_path: Path) -> None:
    broken = job_toml(tmp_path, "[input]\npath = data.csv\n")
    with pytest.raises(SpecError, match=r"is not valid TOML: .*\(at line 2, column 8\)"):
        Job.read(broken)
    with pytest.raises(SpecError, match="There is no job file"):
        Job.read(tmp_path / "no.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match="cannot be read as UTF-8"):
        Job.read(tmp_path / "bytes.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(SpecError, match="cannot be read"):
        Job.read(tmp_path / "folder.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (JOB.replace("data.csv", "no.csv") + K_ANONYMITY, "There is no file"),
        (JOB.replace("data.csv", "data.docx") + K_ANONYMITY, "its format is not known"),
        (JOB.replace('{ type = "masking" }', '{ type = "levels", path = "no.csv" }') + K_ANONYMITY, "does not exist"),
        (_promise('model = "k-map"\nk = 2\npopulation = "no.csv"'), "There is no file"),
        (
            _promise('model = "t-closeness"\nt = 0.5\ncolumn = "disease"\ndistance = "matrix"\ndistances = "no.csv"'),
            "cannot be read: No such file or directory",
        ),
        (
            _promise('model = "t-closeness"\nt = 0.5\ncolumn = "disease"\ndistance = "hierarchical"'),
            "needs a hierarchy",
        ),
        (
            JOB.replace("[columns.note]", "[columns.nope]") + K_ANONYMITY,
            "The table has no column 'nope'. Did you mean 'note'",
        ),
        (JOB + '[columns.more]\nrole = "quasi"\n' + K_ANONYMITY, "The table has no column 'more'"),
    ],
)
def test_what_the_job_names_must_be_there(tmp_path: Path, text: str, words: str) -> None:
    ran = shoal("anonymize", job_toml(tmp_path, text), "--out", tmp_path / "out")
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "out").exists()


def test_flags_override_the_job(tmp_path: Path) -> None:
    job = Job.read(
        job_toml(tmp_path, JOB + K_ANONYMITY + "[search]\nseed = 3\n"),
        {"search": {"max_suppressed": "0.02"}, "release": {}},
        [{"model": "k-anonymity", "k": 10}, {"model": "distinct-l-diversity", "l": 2, "column": "disease"}],
    )
    assert [model.name for model in job.require] == ["k-anonymity", "distinct-l-diversity"]
    assert job.require[0] == KAnonymity(k=10)
    assert job.search.seed == 3
    assert job.search.max_suppressed == Fraction(1, 50)


def test_a_run_from_another_folder_finds_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "für viele"
    home.mkdir()
    patients_csv(home)
    write_csv(home / "sexes.csv", ("M", "*"), [("F", "*")])
    text = JOB.replace(
        '[columns.sex]\nrole = "quasi"',
        '[columns.sex]\nrole = "quasi"\nhierarchy = { type = "levels", path = "sexes.csv" }',
    )
    job_toml(home, text + K_ANONYMITY + "[search]\nseed = 5\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done("anonymize", "../für viele/job.toml", "--out", "one")
    monkeypatch.chdir(tmp_path)
    done("anonymize", "elsewhere/one/private/job.toml", "--out", "two")
    assert Path("elsewhere/one/public/data.csv").read_bytes() == Path("two/public/data.csv").read_bytes()


@pytest.mark.parametrize("recipe", [{"type": "order", "fanout": 2}, {"type": "masking"}, {"type": "dates"}])
def test_a_hierarchy_that_changes_with_the_values_is_no_yardstick_beside_suppression(recipe: dict[str, Any]) -> None:
    content: dict[str, Any] = {
        "input": {"path": "data.csv"},
        "columns": {"age": {"role": "quasi"}, "illness": {"role": "sensitive", "hierarchy": recipe}},
        "require": [{"model": "t-closeness", "t": 0.2, "column": "illness", "distance": "hierarchical"}],
    }
    assert Job.of(content, Path())
    assert Job.of({**content, "search": {"max_suppressed": 0.1}, "release": {"suppressed": "star"}}, Path())
    with pytest.raises(
        SpecError, match=f"a hierarchy of type '{recipe['type']}' changes with the values that are left"
    ):
        Job.of({**content, "search": {"max_suppressed": 0.1}}, Path())
    content["columns"]["illness"]["hierarchy"] = {"type": "taxonomy", "tree": {"*": ["a", "b"]}}
    assert Job.of({**content, "search": {"max_suppressed": 0.1}}, Path())


def test_a_password_is_in_no_job_that_is_written_or_shown(tmp_path: Path) -> None:
    place = {"url": "postgresql://ann:CANARY@host/db?sslpassword=CANARY", "table": "patients"}
    content: dict[str, Any] = {
        "input": place,
        "release": {**place, "table": "released"},
        "columns": {"age": {"role": "quasi"}},
        "require": [{"model": "k-anonymity", "k": 2}],
    }
    job = Job.of(content, tmp_path)
    assert job.input.address is not None
    assert job.input.address.password == "CANARY"  # noqa: S105
    assert job.input.url == "postgresql://ann@host/db"
    for text in (job.toml(tmp_path), repr(job), str(job), job.model_dump_json()):
        assert "CANARY" not in text
    assert Job.of(tomllib.loads(job.toml(tmp_path)), tmp_path).toml(tmp_path) == job.toml(tmp_path)
    for broken in ({"table": None}, {"path": "a.csv"}, {"delimiter": ";"}, {"sheet": "x"}, {"missing": "CANARY?"}):
        with pytest.raises(SpecError) as caught:
            Job.of({**content, "input": {**place, **broken}}, tmp_path)
        assert "CANARY" not in str(caught.value).replace("CANARY?", "")
        assert caught.value.__cause__ is None


def test_a_database_in_a_file_is_found_from_another_folder(tmp_path: Path) -> None:
    content = JOB.replace('path = "data.csv"', 'url = "sqlite:///data.db"\ntable = "t"') + K_ANONYMITY
    job = Job.of(tomllib.loads(content), tmp_path)
    assert job.input_files == [tmp_path / "data.db"]
    moved = Job.of(tomllib.loads(job.toml(tmp_path / "a" / "b")), tmp_path / "a" / "b")
    assert moved.input.url == "sqlite:///../../data.db"
    assert [path.resolve() for path in moved.input_files] == [tmp_path / "data.db"]


def test_a_promise_on_top_of_a_job_keeps_its_place(tmp_path: Path) -> None:
    models = ["k-anonymity", "distinct-l-diversity", "t-closeness"]
    promises = """
[[require]]
model = "k-anonymity"
k = 2
[[require]]
model = "distinct-l-diversity"
l = 2
column = "disease"
"""
    path = job_toml(tmp_path, JOB + promises)
    given: list[dict[str, Any]] = [
        {"model": "t-closeness", "t": "0.5", "column": "disease"},
        {"model": "k-anonymity", "k": 7},
    ]
    job = Job.read(path, promises=given)
    assert [promise.name for promise in job.require] == models
    assert job.require[0] == KAnonymity(k=7)
