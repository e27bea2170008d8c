"""What was built apart works together: formats and databases, init, rules, audits and reports."""

import html
import re
import shlex
import sqlite3
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal as front
from shoal import SpecError
from shoal.actions.suggestions.profile import Profile, read_described
from shoal.jobs.job import Job
from shoal.releases.release import Release
from shoal.releases.rules.rules import Rules
from shoal.reports import release_facts as told
from tests.cli.run import done, shoal
from tests.tables.formats.survey import frame as survey_frame
from tests.tables.formats.survey import write_dta, write_sav

ROLES: dict[str, Any] = {
    "quasi": {"age": {"type": "intervals", "widths": [10, 20]}, "sex": "suppression", "region": "suppression"},
    "sensitive": ["income"],
    "insensitive": ["score"],
    "drop": ["name"],
}
Places = dict[str, tuple[str, dict[str, Any]]]
CODES = {"998", "999"}  # declared as missing in the survey


@pytest.fixture
def survey(tmp_path: Path) -> Places:
    """The survey in several places: what to call it, and what else to say."""
    sav, dta = write_sav(tmp_path / "s.sav"), write_dta(tmp_path / "s.dta")
    table = survey_frame()
    table.write_parquet(tmp_path / "s.parquet")
    table.write_excel(tmp_path / "s.xlsx", worksheet="the answers")
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.execute(f"CREATE TABLE answers ({', '.join(table.columns)})")
    connection.executemany(f"INSERT INTO answers VALUES ({', '.join('?' * table.width)})", table.rows())  # noqa: S608
    connection.commit()
    connection.close()
    return {
        "sav": (str(sav), {}),
        "dta": (str(dta), {}),
        "parquet": (str(tmp_path / "s.parquet"), {}),
        "xlsx": (str(tmp_path / "s.xlsx"), {"sheet": "the answers"}),
        "sqlite": (f"sqlite:///{tmp_path}/s.db", {"table": "answers"}),
    }


def flags(named: dict[str, Any]) -> list[str]:
    return [word for name, value in named.items() for word in (f"--{name}", value)]


def plain(report: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", report)).split())


@pytest.mark.parametrize("kind", ["sav", "dta", "parquet", "xlsx", "sqlite"])
def test_a_proposed_job_runs_as_it_is(
    survey: Places, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, named = survey[kind]
    monkeypatch.chdir(tmp_path)
    done("init", data, *flags(named), "--out", "j", "--yes", "--quiet")
    job = Job.read(Path("j/job.toml"))
    assert job.input.sheet == named.get("sheet")
    assert job.input.table == named.get("table")
    assert job.release.format == (kind if kind != "sqlite" else "csv")
    done("anonymize", "j/job.toml", "--algorithm", "mondrian", "--out", "r", "--quiet")
    done("verify", "r")
    done("apply", "r", data, *flags(named), "--failing", "suppress", "--max-suppressed", "0.1", "--out", "again", "-q")
    assert (tmp_path / f"again/public/data.{job.release.format}").is_file()
    shown = done("hierarchy", data, "age", *flags(named)).out
    assert "998" not in shown or kind not in ("sav", "dta")


def test_labelled_codes_are_categories_and_labels_help(survey: Places) -> None:
    found = front.init(survey["sav"][0])
    columns = {column.name: column for column in found.columns}
    assert columns["sex"].profile.kind.name == "category"
    assert columns["age"].profile.kind.name == "number"
    assert columns["age"].profile.missing == sum(v in (None, 998.0, 999.0) for v in survey_frame()["age"])
    assert "1 is male, 2 is female" in found.toml()
    frame, codebook = read_described(pl.DataFrame({"q1": ["1", "2", "1"]}))
    assert Profile.of(frame["q1"], codebook["q1"]).kind.name != "category"


def test_rules_tell_declared_values_apart(survey: Places) -> None:
    data, _ = survey["sav"]
    recipes: dict[str, Any] = {
        "intervals": ROLES["quasi"]["age"],
        "order": {"type": "order", "fanout": 2},
        "ranges": "ranges",
        "sets": "sets",
        "masking": "masking",
    }
    for name, recipe in recipes.items():
        for algorithm, k in (("optimal", 20), ("mondrian", 4)):
            quasi = {**ROLES["quasi"], "age": recipe}
            release = front.anonymize(data, **{**ROLES, "quasi": quasi}, k=k, algorithm=algorithm)
            rule = release.rules().columns["age"]
            shown = set(release.frame["age"].cast(pl.String).to_list()) & CODES
            assert set(rule.apart or ()) == (shown if name not in ("ranges", "sets") else set())
            assert bool(rule.merged) == (name == "ranges")
            again = front.apply(release, data)
            assert again.certificate["classes"] == release.certificate["classes"], (name, algorithm)
            assert sorted(again.frame.cast(pl.String).rows(), key=str) == sorted(
                release.frame.cast(pl.String).rows(), key=str
            )


def test_a_table_that_declares_nothing_is_read_as_the_first(survey: Places, tmp_path: Path) -> None:
    release = front.anonymize(survey["sav"][0], **ROLES, k=4, algorithm="mondrian")
    assert release.rules().columns["age"].apart
    texts = survey_frame().with_columns(
        pl.col("age", "sex", "region", "income").cast(pl.Int64).cast(pl.String), pl.col("score").cast(pl.String)
    )
    texts.write_csv(tmp_path / "s.csv")
    again = front.apply(release, tmp_path / "s.csv")
    assert again.certificate["classes"] == release.certificate["classes"]
    assert CODES & set(again.frame["age"].cast(pl.String).to_list())


def test_declared_values_in_clusters(survey: Places) -> None:
    release = front.anonymize(
        survey["dta"][0], **ROLES, k=4, algorithm="mdav", distances={"age": "equal", "sex": "equal", "region": "equal"}
    )
    again = front.apply(release, survey["dta"][0])
    assert again.certificate["records"]["released"] == 120


def test_rules_name_no_database(survey: Places, tmp_path: Path) -> None:
    where, named = survey["sqlite"]
    data = front.table(where, **named)
    target = f"sqlite:///{tmp_path}/out.db"
    release = front.anonymize(data, **ROLES, k=4, algorithm="optimal", output=target, output_table="first")
    release.write(tmp_path / "first")
    rules = Rules.read(tmp_path / "first")
    assert "url" not in rules.request["release"]
    second = front.apply(tmp_path / "first", data, output=target, output_table="second", seed=1)
    second.write(tmp_path / "second")
    assert front.verify(tmp_path / "second").verdict == "all claims hold"
    front.apply(tmp_path / "first", data, seed=1).write(tmp_path / "third")
    assert (tmp_path / "third/public/data.csv").is_file()


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_an_applied_release_says_how_it_is_made_again(
    survey: Places, algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, _ = survey["dta"]
    front.anonymize(data, **ROLES, k=4, algorithm=algorithm).write(tmp_path / "first")
    applied = front.apply(tmp_path / "first", data, failing="suppress", max_suppressed="0.1", format="parquet", seed=3)
    applied.write(tmp_path / "second")
    steward, public = (
        (tmp_path / "second" / name).read_text() for name in ("private/report.html", "public/report-public.html")
    )
    for report in (steward, public):
        assert "by the rules of an earlier release" in plain(report)
        assert "none: the rules of an earlier release were applied" in plain(report)
    assert "the job alone does not make it again" in plain(steward)
    assert "seed" not in plain(public)
    command = (tmp_path / "second/private/job.toml").read_text().splitlines()[1].removeprefix("# ")
    assert command in html.unescape(steward)
    monkeypatch.chdir(tmp_path / "second/private")
    done(*shlex.split(command)[1:])
    assert (tmp_path / "again/public/data.parquet").read_bytes() == (
        tmp_path / "second/public/data.parquet"
    ).read_bytes()
    with pytest.raises(SpecError, match="not made by rules"):
        front.utility(tmp_path / "second", split=True)


@pytest.mark.parametrize("kind", ["xlsx", "sav", "dta", "sqlite", "applied"])
def test_audits_of_releases_in_every_place(survey: Places, kind: str, tmp_path: Path) -> None:
    where: dict[str, Any] = {"format": kind}
    if kind in ("sqlite", "applied"):
        where = {"output": f"sqlite:///{tmp_path}/out.db", "output_table": "t"}
    data, _ = survey["dta"]
    release: Release = front.anonymize(data, **ROLES, k=5, algorithm="mondrian", **where)
    if kind == "applied":
        release = front.apply(release, data)
    release.write(tmp_path / "r")
    assert front.verify(tmp_path / "r").verdict == "all claims hold"
    before = release.certificate["classes"]["smallest"]
    assert front.risk(tmp_path / "r").summary["k"] == before
    columns = front.utility(tmp_path / "r", figures=["columns", "pairs"]).columns
    ages = next(column for column in columns if column.name == "age")
    assert ages.missing[0] == sum(value in (None, 998.0, 999.0) for value in survey_frame()["age"])
    assert front.attack(tmp_path / "r", public=data).findings
    told = plain((tmp_path / "r/private/report.html").read_text())
    assert ("table t sha256" in told) == (kind == "sqlite")


def test_odd_names_of_columns(tmp_path: Path) -> None:
    names = ["^a.*$", "*", "<b>&", "größe"]
    table = pl.DataFrame([pl.Series(name, (["1", "2", None, "3"] * 15)[i : i + 40]) for i, name in enumerate(names)])
    table.write_csv(tmp_path / "population.csv")
    for extra in ({}, {"missing": "drop"}, {"missing": "wildcard"}, {"suppressed": "star", "max_suppressed": 0.2}):
        release = front.anonymize(
            table,
            quasi=names[:3],
            sensitive=names[3:],
            k=5,
            require=[{"model": "k-map", "k": 5, "population": str(tmp_path / "population.csv")}],
            algorithm="optimal",
            **extra,
        )
        for audience in ("steward", "public"):
            report = release.report(audience=audience)
            assert "<b>&" not in report
            assert "größe" in report


def test_a_column_of_many_cells_is_compared_by_some_records(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.DataFrame({"n": [str(number * 7 % 400) for number in range(400)], "s": ["a", "b"] * 200})
    release = front.anonymize(table, quasi={"n": "ranges"}, sensitive=["s"], k=4, algorithm="mondrian")
    whole = plain(release.report())
    monkeypatch.setattr(told, "_CELLS", 20)
    monkeypatch.setattr(told, "_SAMPLE", 50)
    some = plain(release.report())
    cells = release.frame["n"].n_unique()
    assert f"n has {cells} different cells, so one record in 8 stands for all of them here" in some
    assert "different cells" not in whole
    row = re.compile(rf"n [0-9.]+% 400 {cells} ")  # what it had, and what is left, are those of all records
    assert row.search(whole)
    assert row.search(some)


def test_an_earlier_table_of_clusters_is_dropped(survey: Places, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"output": f"sqlite:///{tmp_path}/o.db", "output_table": "t", "algorithm": "mdav"}

    def tables() -> set[str]:
        connection = sqlite3.connect(tmp_path / "o.db")
        found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        connection.close()
        return found

    front.anonymize(survey["sav"][0], **ROLES, k=4, shape="both", **asked).write(tmp_path / "r")
    assert tables() == {"t", "t_clusters"}
    front.anonymize(survey["sav"][0], **ROLES, k=4, shape="records", **asked).write(tmp_path / "r", force=True)
    assert tables() == {"t"}
    connection = sqlite3.connect(tmp_path / "o.db")
    connection.execute("CREATE TABLE t_clusters (mine)")
    connection.close()
    front.anonymize(survey["sav"][0], **ROLES, k=4, shape="records", **asked).write(tmp_path / "r", force=True)
    assert tables() == {"t", "t_clusters"}  # it is no table of clusters, and so not ours


def test_what_is_wrong_is_said(survey: Places, tmp_path: Path) -> None:
    for words in (("init", survey["sqlite"][0]), ("hierarchy", survey["sqlite"][0], "age")):
        assert "needs the name of a table" in shoal(*words).err
    assert "No sheet 'x'" in shoal("init", survey["xlsx"][0], "--sheet", "x", "--out", str(tmp_path / "j")).err
