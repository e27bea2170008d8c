"""With the raw table at hand, what a certificate tells of the loss and the search is derived again."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pyreadstat
import pytest

import shoal
from shoal.actions.verification.raw_table import RawTable, different_parts
from shoal.foundation.errors import CertificateError, SpecError
from shoal.measures import MEASURES
from shoal.releases.claims.reading import claims_in
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.location import FileLocation
from tests.forging import forge, forge_first, made_first, relist, stated

ROLES: dict[str, Any] = {"quasi": ["age", "sex", "job"], "sensitive": ["ill"]}
INTERVALS = {"type": "intervals", "widths": [5, 10]}


def people(n: int = 60, seed: int = 1) -> pl.DataFrame:
    """Return a table with missing values, and with values that hold what separates values in cells."""
    draw = Random(seed)  # noqa: S311
    rows = [
        (draw.choice([None, *range(20, 50)]), draw.choice("MF"), draw.choice(["a", "b - c", "x, y", "d"]), "uvw"[i % 3])
        for i in range(n)
    ]
    return pl.DataFrame(rows, schema=["age", "sex", "job", "ill"], orient="row", strict=False)


def written(folder: Path, data: pl.DataFrame | None = None, **asked: Any) -> Path:
    """Write a table and its release."""
    (people() if data is None else data).write_csv(folder / "raw.csv")
    shoal.anonymize(folder / "raw.csv", **{**ROLES, "k": 3, "seed": 1, **asked}).write(folder / "out")
    return folder / "out"


def tried(folder: Path, seed: int) -> bool:
    """Make a random release and derive all of it; return whether there is one."""
    draw = Random(seed)  # noqa: S311
    asked: dict[str, Any] = {
        "quasi": {
            "age": draw.choice([None, INTERVALS, "ranges"]),
            "sex": "suppression",
            "job": draw.choice([None, "sets", "suppression"]),
        },
        "k": draw.choice([2, 3]),
        "algorithm": draw.choice([one.name for one in ALGORITHMS]),
        "max_suppressed": draw.choice([0, 0.2, 0.4]),
        "missing": draw.choice(["category", "drop", "wildcard"]),
        "suppressed": draw.choice(["drop", "star"]),
        "format": draw.choice(["csv", "parquet"]),
        "weights": {"age": 2.5},
        "seed": seed,
    }
    if draw.random() < 0.8:
        asked["measure"] = draw.choice([one.name for one in MEASURES])
    try:
        out = written(folder, people(draw.choice([20, 30, 60]), seed), **asked)
    except (SpecError, shoal.InfeasibleError):
        return False
    assert "loss.total" not in shoal.verify(out, raw=True).told
    assert set(shoal.verify(out, raw=True, bound=True).told) <= {"shoal", "told"}
    shutil.rmtree(out)
    return True


@pytest.mark.parametrize("releases", [6, pytest.param(300, marks=pytest.mark.deep)])
def test_random_releases_of_all_algorithms_and_measures_are_derived(releases: int, tmp_path: Path) -> None:
    found, seed = 0, 0
    while found < releases:
        found += tried(tmp_path, seed)
        seed += 1


def test_what_is_derived_by_what_is_at_hand(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="optimal", max_suppressed=0.2)
    whole, raw = set(shoal.verify(out).told), set(shoal.verify(out, raw=True).told)
    assert {"records.input", "records.suppressed", "loss.total", "loss.share", "loss.columns", "loss.bound"} <= whole
    assert not {"loss.measure", "algorithm.name"} & whole  # the job tells them
    assert raw == {"loss.bound", "loss.ratio", "algorithm.guarantee", "algorithm.factor", "shoal", "told"}
    assert set(shoal.verify(out, raw=True, bound=True).told) == {"shoal", "told"}
    assert {"loss.share", "algorithm.name", "shoal"} <= set(shoal.verify(out / "public/certificate-public.json").told)


def test_the_raw_table_may_be_elsewhere_or_in_memory(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mondrian")
    (tmp_path / "raw.csv").rename(tmp_path / "moved.csv")
    with pytest.raises(SpecError, match=r"raw\.csv"):
        shoal.verify(out, raw=True)
    moved = tmp_path / "moved.csv"
    for raw in (moved, str(moved), shoal.table(moved), pl.read_csv(moved, infer_schema=False)):
        assert shoal.verify(out, raw=raw, bound=True).verdict == "all claims hold"


def test_the_raw_table_may_be_in_a_database_by_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths of a file and of a database start from where we are, and not from the folder of the release."""
    monkeypatch.chdir(tmp_path)
    data = people().cast(pl.String)
    data.write_csv("moved.csv", separator="~")  # which is not found out
    with closing(sqlite3.connect("clinic.db")) as connection, connection:
        connection.execute("create table people (age text, sex text, job text, ill text)")
        connection.executemany("insert into people values (?, ?, ?, ?)", data.rows())
    asked: dict[str, Any] = {**ROLES, "k": 3, "algorithm": "mondrian"}
    shoal.anonymize(shoal.table("moved.csv", delimiter="~"), **asked).write("out")
    database = shoal.table("sqlite:///clinic.db", table="people")
    for raw in ("moved.csv", Path("moved.csv"), database, data):
        assert shoal.verify("out", raw=raw, bound=True).not_derived == {}


def test_another_table_is_refused(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mondrian")
    with pytest.raises(CertificateError, match="the number of records of the input"):
        shoal.verify(out, raw=people(61))
    with pytest.raises(CertificateError, match=r"The raw table and the certificate differ in the loss|do not explain"):
        shoal.verify(out, raw=people(60, seed=9))


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mondrian")
    with pytest.raises(SpecError, match="give --raw as well"):
        shoal.verify(out, bound=True)
    with pytest.raises(SpecError, match="Give the steward's folder"):
        shoal.verify(out / "public/certificate-public.json", raw=True)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("records", "the number of records of the input"),
        ("missing.merged", "the columns whose missing values were merged"),
        ("loss", "the loss, the loss of the columns"),
        ("loss.share", "the share of the loss"),
        ("loss.columns", "the loss of the columns"),
        ("loss.columns.ghost", "the loss of the columns"),
        ("labels", "the labels"),
    ],
)
def test_each_figure_is_put_to_the_raw_table(tmp_path: Path, path: str, words: str) -> None:
    out = written(tmp_path, algorithm="mondrian")

    def change(told: dict[str, Any]) -> None:
        loss = told["loss"]
        if path == "records":
            told["records"] |= {"input": told["records"]["input"] + 1, "suppressed": told["records"]["suppressed"] + 1}
        elif path == "missing.merged":
            told["missing"]["merged"] = ["age"]
        elif path == "loss":
            loss["columns"]["age"] += 1
            loss["total"] = sum(loss["columns"].values())
            loss["ratio"] = None if loss["bound"] is None else loss["total"] / loss["bound"]
        elif path == "loss.share":
            loss["share"] /= 2
        elif path == "loss.columns":
            loss["columns"]["age"] += 1
            loss["columns"]["job"] -= 1
        elif path == "loss.columns.ghost":
            loss["columns"]["ghost"] = 0.0
        else:
            told["labels"] = {"kept": ["age"], "dropped": []}

    forge(out / "private/certificate.json", change)
    assert shoal.verify(out).verdict == "all claims hold"
    with pytest.raises(CertificateError, match=f"The raw table and the certificate differ in {words}"):
        shoal.verify(out, raw=True)


def test_a_release_that_loses_nothing_is_derived(tmp_path: Path) -> None:
    out = written(tmp_path, pl.concat([people(20)] * 3), algorithm="mondrian")
    assert stated(out / "private/certificate.json")["loss"]["total"] == 0
    assert "loss.total" not in shoal.verify(out, raw=True).told


def test_what_is_rounding_is_measured_by_all_that_may_be_lost(tmp_path: Path) -> None:
    data = pl.DataFrame({"job": ["a"] * 10_000 + ["b"] * 10_000 + ["c", "d"], "ill": ["u", "v"] * 10_001})
    quasi: Any = {"job": {"type": "taxonomy", "tree": {"all": {"x": ["a", "b"], "y": ["c", "d"]}}}}
    out = written(tmp_path, data, quasi=quasi, k=2, algorithm="mondrian", measure="lm")
    total = stated(out / "private/certificate.json")["loss"]["total"]
    assert total == pytest.approx(2 / 3)

    def change(told: dict[str, Any], by: float) -> None:
        told["loss"]["columns"]["job"] = told["loss"]["total"] = total + by
        told["loss"] |= {"bound": None, "ratio": None}

    forge(out / "private/certificate.json", lambda told: change(told, 5e-9))
    assert "loss.total" not in shoal.verify(out, raw=True).told
    forge(out / "private/certificate.json", lambda told: change(told, 5e-8))
    with pytest.raises(CertificateError, match="differ in the loss, the loss of the columns"):
        shoal.verify(out, raw=True)


def test_where_a_cell_can_be_read_in_several_ways_the_release_is_made_again(tmp_path: Path) -> None:
    data = pl.DataFrame({"job": ["a", "b", "c", "a, b", "a, b", "a, b"], "ill": ["u", "v"] * 3})
    out = written(tmp_path, data, quasi={"job": "sets"}, algorithm="exact")
    assert set(pl.read_csv(out / "public/data.csv")["job"]) == {"{a, b, c}", "a, b"}
    assert not RawTable.of(claims_in(out), True).check()
    assert set(shoal.verify(out, raw=True).told) == {"shoal", "told"}

    def change(told: dict[str, Any]) -> None:
        told["loss"]["share"] /= 2

    forge(out / "private/certificate.json", change)
    with pytest.raises(CertificateError, match=r"differ in loss\.share"):
        shoal.verify(out, raw=True)


def test_dropped_records_are_counted(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mondrian", missing="drop", max_suppressed=0.1)

    def change(told: dict[str, Any]) -> None:
        told["missing"]["dropped"] -= 1

    assert shoal.verify(out, raw=True).not_derived == {}
    forge(out / "private/certificate.json", change)
    with pytest.raises(CertificateError, match="differ in the number of records that were dropped"):
        shoal.verify(out, raw=True)


@pytest.mark.parametrize("kind", ["cells", "clusters"])
def test_releases_of_the_first_schema_are_derived_too(kind: str) -> None:
    folder = Path(__file__).parents[2] / "releases/claims/schema_1" / kind
    assert shoal.verify(folder).verdict == "all claims hold"
    found = shoal.verify(folder, raw=True, bound=True)
    assert set(found.told) == {"shoal", *(f"algorithm.{name}" for name in ("nodes_checked", "remark", "seconds"))}
    assert shoal.verify(folder / "certificate-public.json").public


def test_a_release_of_the_first_schema_may_be_made_of_any_release(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="mondrian")
    made_first(out)
    assert shoal.verify(out, raw=True, bound=True).not_derived == {}
    relist(out)  # does nothing: there is no list
    assert not (out / "private/manifest.json").exists()


def test_certificates_of_the_first_schema_tell_of_no_grid(tmp_path: Path) -> None:
    quasi: Any = {"age": {"type": "ranges", "grid": "none"}, "sex": None, "job": None}
    out = written(tmp_path, quasi=quasi, algorithm="mondrian")
    assert "age" in stated(out / "private/certificate.json")["grid"]
    for name in ("private/certificate.json", "public/certificate-public.json"):
        forge_first(out / name, lambda told: told.pop("grid"))
    assert shoal.verify(out, raw=True).not_derived == {}


@pytest.mark.parametrize(
    ("derived", "told", "places"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 1}}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b"]),
        ({"a": {"b": 1}}, {"a": 1}, ["a"]),
        ({"a": 1}, {"a": {"b": 1}}, ["a"]),
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}, ["a", "c"]),
        ({"a": [1, 2, 3]}, {"a": [1, 0, 4]}, ["a.1", "a.2"]),
        ({"a": [1, 2]}, {"a": [1, 2, 3]}, ["a"]),
        ({"a": [1]}, {"a": 1}, ["a"]),
        ({"a": 1}, {"a": [1]}, ["a"]),
        ({"a": 1.0}, {"a": 1.0 + 1e-12}, []),
        ({"a": 1.0}, {"a": 1.0 + 1e-8}, ["a"]),
        ({"a": 1.0}, {"a": 1}, []),
        ({"a": 1.0}, {"a": True}, ["a"]),
        ({"a": 1.0}, {"a": "1"}, ["a"]),
        ({"a": 1.0}, {"a": None}, ["a"]),
        ({"a": 1}, {"a": 1.0}, ["a"]),
        ({"a": True}, {"a": 1}, ["a"]),
        ({"a": None, "b": "x"}, {"a": None, "b": "x"}, []),
        ({"a": "x"}, {"a": "y"}, ["a"]),
    ],
)
def test_the_places_that_differ_are_named(derived: Any, told: Any, places: list[str]) -> None:
    assert different_parts(derived, told) == places


@pytest.mark.parametrize("measure", ["tree", "ncp"])
def test_the_loss_of_ranges_on_a_grid_is_derived_whether_they_are_priced_as_nodes_or_not(
    tmp_path: Path, measure: str
) -> None:
    quasi: Any = {"age": {"type": "ranges", "grid": 4}, "sex": "suppression"}
    data = people().with_columns(pl.col("age").fill_null(33)).drop("job")
    out = written(tmp_path, data, quasi=quasi, algorithm="mondrian", measure=measure)
    ages = pl.read_csv(out / "public/data.csv", infer_schema=False)["age"]
    assert ages.str.contains(" - ").any() == (measure == "ncp")
    assert ages.str.contains(r"^\d+-\d+$").any() == (measure == "tree")
    assert "loss.total" not in shoal.verify(out, raw=True).told


def test_whether_a_grid_is_as_fine_as_the_values(tmp_path: Path) -> None:
    table = pl.DataFrame({"wage": [str(i * 97) for i in range(40)], "ill": ["flu", "gout"] * 20})
    quasi: Any = {"wage": {"type": "ranges", "grid": 500}}
    shoal.anonymize(table, quasi=quasi, sensitive=["ill"], k=4, algorithm="mondrian").write(tmp_path / "out")
    assert "grid" not in shoal.verify(tmp_path / "out", raw=table).told
    assert "grid" in shoal.verify(tmp_path / "out").told
    forge(tmp_path / "out" / "private/certificate.json", lambda told: told["grid"]["wage"].update(fine=True))
    with pytest.raises(CertificateError, match="differ in the grids"):
        shoal.verify(tmp_path / "out", raw=table)


def test_a_release_of_clusters_does_not_tell_its_loss(tmp_path: Path) -> None:
    alike = pl.DataFrame({"age": [20, 20, 30, 30], "ill": ["u", "v", "u", "v"]})
    for algorithm, told in (("mdav", False), ("mondrian", True)):
        out = written(tmp_path, alike, quasi=["age"], k=2, algorithm=algorithm)
        assert RawTable.of(claims_in(out), True).check() is told
        shutil.rmtree(out)


@pytest.mark.parametrize(
    ("measure", "columns"), [("lm", ["age", "sex", "job"]), ("classification", [*ROLES["quasi"], "ill"])]
)
def test_only_the_columns_that_decide_the_loss_are_read_back(tmp_path: Path, measure: str, columns: list[str]) -> None:
    raw = RawTable.of(claims_in(written(tmp_path, algorithm="optimal", measure=measure)), True)
    assert raw._released.frame.columns == columns  # noqa: SLF001


def test_labels_of_columns_that_do_not_decide_the_loss_are_compared(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 20, 30, 30], "ill": [1, 2, 1, 2]})
    labels: dict[str, dict[Any, str]] = {"ill": {1: "flu", 2: "gout"}}
    pyreadstat.write_sav(frame, tmp_path / "raw.sav", variable_value_labels=labels)
    asked: Any = {"quasi": ["age"], "sensitive": ["ill"], "k": 2, "algorithm": "mondrian", "format": "sav"}
    shoal.anonymize(tmp_path / "raw.sav", **asked).write(tmp_path / "out")
    raw = RawTable.of(claims_in(tmp_path / "out"), True)
    assert raw.certificate["labels"] == {"kept": ["ill"], "dropped": []}
    assert raw.check()


def test_where_no_value_has_a_label_the_other_columns_stay_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = RawTable.of(claims_in(written(tmp_path, algorithm="optimal")), True)
    source = raw.source()
    assert raw._released.n_records == 60  # noqa: SLF001
    monkeypatch.setattr(FileLocation, "rows", None)
    assert list(raw._labels(source)) == []  # noqa: SLF001
