"""A table that is solved in regions: the same promises, a loss near that of one node, a bound that holds, no traces."""

import gc
import json
import pickle
import shutil
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs import engine_limits
from shoal.jobs.job import Job
from shoal.search.engines.duckdb import coding, spilling
from tests.actions.test_counted_engines import QUASI, table
from tests.cli.run import shoal as run_shoal
from tests.forging import relist
from tests.soak.judge.evidence import Case
from tests.soak.judge.verdict import judge

JOBS: dict[str, dict[str, Any]] = {
    "mondrian": {"algorithm": "mondrian"},
    "diverse": {"algorithm": "mondrian", "require": "distinct-l-diversity:l=2,column=ill"},
    "close": {"algorithm": "mondrian", "require": "t-closeness:t=0.3,column=ill"},
    "top-down": {"algorithm": "top-down", "missing": "drop"},
    "tightest": {
        "algorithm": {"name": "tightest", "effort": 2},
        "quasi": {"age": "ranges", "zip": "masking", "sex": "sets"},
    },
    "auto": {"require": "t-closeness:t=0.4,column=ill"},
    "suppressed": {
        "algorithm": "mondrian",
        "max_suppressed": "1/10",
        "require": "frequency-l-diversity:l=3,column=ill",
    },
    "stars": {"algorithm": "top-down", "max_suppressed": "1/10", "suppressed": "star"},
    "other": {"algorithm": "mondrian", "insensitive": ["note"], "measure": "nonuniform-entropy", "sensitive": []},
    "two": {
        "algorithm": "mondrian",
        "require": ["distinct-l-diversity:l=2,column=ill", "distinct-l-diversity:l=2,column=note"],
    },
}
QUICK = ("mondrian", "tightest", "suppressed", "stars")  # the others in `make test-deep`
K = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of CSV files."""
    place = tmp_path_factory.mktemp("raw") / "data"
    place.mkdir()
    for number, part in enumerate(table(600).iter_slices(210)):
        part.write_csv(place / f"{number}.csv")
    return place


@pytest.fixture(autouse=True)
def spill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where DuckDB spills to."""
    place = tmp_path / "spill"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def asked(kind: str, regions: int | None = 60, **more: Any) -> dict[str, Any]:
    given = {"quasi": QUASI, "sensitive": ["ill"], "k": K, "seed": 4, "format": "csv", **JOBS[kind], **more}
    if kind == "two":
        given["sensitive"] = ["ill", "note"]
    roles = {*given["quasi"], *given["sensitive"], given.get("entity"), *given.get("insensitive", ())}
    engine = "duckdb" if regions is None else {"name": "duckdb", "regions": regions}
    return {**given, "engine": engine, "drop": [name for name in table().columns if name not in roles]}


def judged(folder: Path, release: Path, place: Path) -> list[str]:
    """Return what the judge finds wrong, who knows nothing of shoal and reads one file."""
    raw = pl.concat([pl.read_csv(path, infer_schema=False) for path in sorted(folder.iterdir())])
    job = json.loads(json.dumps(Job.read(release / "private/job.toml").content(folder.parent)))
    (place / "public").mkdir(parents=True)
    (place / "private").mkdir()
    parts = [path.read_text(encoding="utf-8") for path in sorted((release / "public/data").iterdir())]
    (place / "public/data.csv").write_text(
        "".join([parts[0], *(part.partition("\n")[2] for part in parts[1:])]), encoding="utf-8"
    )
    for name in ("private/certificate.json", "public/certificate-public.json"):
        shutil.copy(release / name, place / name)
    (place / "public/report-public.html").touch()
    rows = [tuple("" if value is None else value for value in row) for row in raw.rows()]
    verdict = judge(Case(tuple(raw.columns), rows, job), place)
    assert {"bound", "claims", "classes", "origin", "records input"} <= verdict.judged.keys()
    return verdict.wrong


@pytest.mark.parametrize(
    "kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.deep) for kind in JOBS]
)
def test_regions_keep_what_one_node_keeps(folder: Path, tmp_path: Path, spill: Path, kind: str) -> None:
    whole, parts = shoal.anonymize(folder, **asked(kind, None)), shoal.anonymize(folder, **asked(kind))
    here, there = parts.certificate, whole.certificate
    assert "solved in " in here["told"]["remark"]
    assert int(here["told"]["remark"].partition("solved in ")[2].split()[0]) > 4
    assert here["records"]["input"] == there["records"]["input"] == 600
    assert here["missing"] == there["missing"]
    assert here["records"]["suppressed"] <= 60 + here["missing"]["dropped"]
    assert here["loss"]["total"] <= 1.25 * there["loss"]["total"]
    assert here["loss"]["bound"] <= min(here["loss"]["total"], there["loss"]["total"]) * (1 + 1e-9)
    parts.write(tmp_path / "release")
    assert (
        parts.certificate["claims"] == json.loads((tmp_path / "release/private/certificate.json").read_text())["claims"]
    )
    assert not {"rules.json", "report.html", "report-public.html"} & {p.name for p in (tmp_path / "release").rglob("*")}
    found = shoal.verify(tmp_path / "release", raw=True, bound=True)
    assert found.verdict == "all claims hold"
    assert judged(folder, tmp_path / "release", tmp_path / "judged") == []
    del whole, parts, found
    gc.collect()
    assert not list(spill.iterdir())


def test_the_job_of_a_release_repeats_it_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    shoal.anonymize(folder, **asked("suppressed")).write(tmp_path / "one")
    text = (tmp_path / "one/private/job.toml").read_text(encoding="utf-8")
    assert '[engine]\nname = "duckdb"\nregions = 60\n' in text
    ran = run_shoal("anonymize", tmp_path / "one/private/job.toml", "--out", tmp_path / "two")
    assert ran.code == 0
    assert "left out: too large" in ran.out
    for path in sorted((tmp_path / "one/public/data").iterdir()):
        assert path.read_bytes() == (tmp_path / "two/public/data" / path.name).read_bytes()
    ran = run_shoal(
        "anonymize", tmp_path / "one/private/job.toml", "--engine", "duckdb:regions=30", "--out", tmp_path / "three"
    )
    assert ran.code == 0
    assert "regions = 30" in (tmp_path / "three/private/job.toml").read_text(encoding="utf-8")
    assert run_shoal("verify", tmp_path / "three").code == 0


def test_the_order_tells_nothing_of_regions(folder: Path) -> None:
    """Equal records stand together though they come from several regions, in an order of the seed."""
    first = shoal.anonymize(folder, **asked("mondrian", 30)).frame.cast(pl.String)
    runs = (
        first.with_columns(run=pl.struct(first.columns).rle_id()).group_by(first.columns).agg(pl.col("run").n_unique())
    )
    assert set(runs["run"]) == {1}
    other = shoal.anonymize(folder, **asked("mondrian", 30, seed=5)).frame.cast(pl.String)
    assert Counter(first.rows()) == Counter(other.rows())
    assert first.rows() != other.rows()
    assert first.rows() != sorted(first.rows(), key=repr)


def test_the_bound_is_below_the_proven_optimum(tmp_path: Path) -> None:
    """The same tables, solved exactly on one node."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({name: [str(v) for v in rng.integers(10, 16, 14)] for name in ("a", "b")})
        frame.write_parquet(tmp_path / f"{seed}.parquet")
        given: dict[str, Any] = {
            "quasi": {"a": "masking", "b": {"type": "intervals", "widths": [2]}},
            "k": 2,
            "seed": 1,
        }
        best = shoal.anonymize(tmp_path / f"{seed}.parquet", **given, algorithm="exact").certificate
        assert best["algorithm"]["guarantee"] == "optimal"
        for algorithm in ("mondrian", "tightest", "top-down"):
            engine = {"name": "duckdb", "regions": 4}
            found = shoal.anonymize(
                tmp_path / f"{seed}.parquet", **given, algorithm=algorithm, engine=engine
            ).certificate
            assert "regions" in found["told"]["remark"]
            assert found["loss"]["bound"] <= best["loss"]["total"] * (1 + 1e-9)
            assert found["loss"]["total"] >= best["loss"]["total"] * (1 - 1e-9)


def test_closeness_is_measured_to_the_whole_table(tmp_path: Path) -> None:
    """A value that only one half of the table has is far from the whole in each region, and near within it."""
    frame = pl.DataFrame(
        {"zip": [f"{half}{number % 9}" for half in (1, 2) for number in range(90)], "ill": ["a", "b"] * 45 + ["b"] * 90}
    )
    frame.write_parquet(tmp_path / "data.parquet")
    given: dict[str, Any] = {"quasi": {"zip": "masking"}, "sensitive": ["ill"], "k": 5, "algorithm": "mondrian"}
    engine = {"name": "duckdb", "regions": 6}
    far = shoal.anonymize(tmp_path / "data.parquet", **given, require="t-closeness:t=0.2,column=ill", engine=engine)
    assert far.certificate["classes"]["count"] == 1
    near = shoal.anonymize(tmp_path / "data.parquet", **given, require="t-closeness:t=0.3,column=ill", engine=engine)
    assert near.certificate["classes"]["count"] > 2


def test_missing_and_declared_values_are_as_on_one_node(tmp_path: Path) -> None:
    frame = table(600).with_columns(zip=pl.when(pl.col("sex") == "f").then(pl.lit("?")).otherwise("zip"))
    frame.write_parquet(tmp_path / "data.parquet")
    found = []
    for regions in (None, 40):
        given = asked("mondrian", regions, missing="category")
        job = {**given, "format": "parquet"}
        release = shoal.anonymize(tmp_path / "data.parquet", **job)
        found.append(release)
    assert found[0].certificate["loss"]["total"] == pytest.approx(found[1].certificate["loss"]["total"], rel=0.1)
    for name in ("age", "zip", "sex"):
        before, after = (one.frame[name].null_count() for one in found)
        assert (before > 0) == (after > 0)


def test_a_default_is_filled_in_by_the_number_of_rows(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_limits, "LARGE_ROWS", 200)
    monkeypatch.setattr(engine_limits, "REGION_ROWS", 100)
    release = shoal.anonymize(folder, **asked("mondrian", None))
    assert release.job.content(tmp_path)["engine"] == {"name": "duckdb", "regions": 100}
    assert "regions of at most 100 different rows, since the table has " in release.certificate["told"]["remark"]
    optimal = shoal.anonymize(folder, **asked("mondrian", None, algorithm="optimal"))
    assert optimal.job.content(tmp_path)["engine"] == "duckdb"
    few = shoal.anonymize(folder, **asked("mondrian", 10_000))
    assert "region" not in few.certificate["told"]["remark"]
    assert few.report()


def test_what_needs_all_rows_is_refused(folder: Path) -> None:
    for more, words in (
        ({"algorithm": "optimal"}, "none of mondrian, tightest, top-down"),
        ({"measure": "discernibility"}, "looks at classes as a whole"),
        ({"entity": "id"}, "persons may have records in several regions"),
        ({"max_suppressed": "1/10", "require": "t-closeness:t=0.3,column=ill"}, "left after suppression"),
        ({"format": "xlsx"}, "no folder of parts"),
        ({"engine": {"name": "local", "regions": 5}}, "is for the engines duckdb and spark"),
        ({"engine": {"name": "duckdb", "regions": 0}}, "regions"),
    ):
        given = asked("mondrian")
        given["drop"] = [name for name in given["drop"] if name != more.get("entity")]
        with pytest.raises(SpecError, match=words):
            shoal.anonymize(folder, **{**given, **more})


def test_what_is_left_out_is_told_where_it_is_asked_for(folder: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(folder, **asked("mondrian"))
    for wanted in (release.rules, release.report, lambda: release.report(audience="public")):
        with pytest.raises(SpecError, match="solved in regions"):
            wanted()
    assert deepcopy(release).frame.equals(release.frame)
    sent = pickle.loads(pickle.dumps(release))  # noqa: S301  (made here)
    assert sent.data.equals(release.data)
    with pytest.raises(SpecError, match="solved in regions"):
        sent.report(audience="public")
    release.write(tmp_path / "release")
    with pytest.raises(SpecError, match="no rules"):
        shoal.apply(tmp_path / "release", folder)
    assert shoal.risk(tmp_path / "release").as_dict()["records"] == 600
    public = tmp_path / "public"
    shutil.copytree(tmp_path / "release/public", public)
    assert shoal.verify(public).public
    assert "left_out" in json.loads((public / "certificate-public.json").read_text(encoding="utf-8"))


def test_what_is_left_out_agrees_with_the_job(folder: Path, tmp_path: Path) -> None:
    shoal.anonymize(folder, **asked("mondrian")).write(tmp_path / "release")
    path = tmp_path / "release/private/job.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("regions = 60\n", ""), encoding="utf-8")
    relist(tmp_path / "release")
    with pytest.raises(CertificateError, match="differ in what is left out"):
        shoal.verify(tmp_path / "release")


def test_a_column_of_too_many_values_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (coding, spilling):
        monkeypatch.setattr(room, "MOST_VALUES", 20)
    with pytest.raises(SpecError, match="Column 'age' has more than 20 different values"):
        shoal.anonymize(folder, **asked("mondrian"))


def test_other_verbs_say_that_the_rows_are_not_in_memory(folder: Path, tmp_path: Path) -> None:
    shoal.anonymize(folder, **asked("mondrian")).write(tmp_path / "release")
    job = tmp_path / "release/private/job.toml"
    ran = run_shoal("compare", job, "--k", "3,4")
    assert ran.code == 2
    assert "counted in regions" in ran.err
