"""Columns that are too different to count by: the release is that of all engines, and they join it at the end."""

import pickle
import tempfile
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.jobs import source, table_read
from shoal.search.engines.duckdb import JoinedRecords, apart, coding, counted_apart
from shoal.tables.folder import FolderLocation
from shoal.tables.formulas import FormulaColumn, formulas_in
from shoal.tables.rows import Rows
from tests.actions.test_counted_engines import SAME, table
from tests.actions.test_counted_engines import asked as asked_of

N = 300
KINDS: dict[str, dict[str, Any]] = {
    "optimal": {},
    "stars": {},
    "mondrian": {},
    "tightest": {"insensitive": ["note", "wage", "amount"]},
    "drop": {"format": "csv"},
}


def wide(n_records: int = N) -> pl.DataFrame:
    """Return records with two columns of different values, one of which is missing somewhere, and some alike."""
    rng = np.random.default_rng(8)
    amounts = np.round(rng.random(n_records) * 100, 3)
    amounts[: n_records // 10] = amounts[n_records // 10 : 2 * (n_records // 10)]
    missing = pl.Series(rng.random(n_records) < 0.05)
    return table(n_records).with_columns(
        pl.Series("amount", amounts).set(missing, None),
        pl.Series("wage", [f"w{number}" for number in rng.permutation(n_records)]),
    )


@pytest.fixture(autouse=True)
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (source, table_read):
        monkeypatch.setattr(room, "MOST_VALUES", 100)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(wide(), tmp_path_factory.mktemp("raw") / "data")


def written(frame: pl.DataFrame, place: Path) -> Path:
    place.mkdir()
    for number, part in enumerate(frame.iter_slices(110)):
        part.write_parquet(place / f"{number}.parquet")
    return place


def asked(kind: str, **more: Any) -> dict[str, Any]:
    given = {**asked_of(kind), "insensitive": ["amount"], **KINDS[kind], **more}
    roles = {*given["quasi"], *given["sensitive"], *given["insensitive"]}
    return {**given, "drop": [name for name in wide().columns if name not in roles]}


def bytes_of(release: Path) -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in sorted((release / "public/data").iterdir())]


def counted(frame: pl.DataFrame, names: list[str]) -> Counter[tuple[Any, ...]]:
    return Counter(frame.select(names).cast(pl.String).rows())


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.deep if kind in ("optimal", "tightest") else ()) for kind in KINDS]
)
def test_the_same_job_gives_the_same_release(folder: Path, tmp_path: Path, kind: str) -> None:
    local = shoal.anonymize(folder, **asked(kind), engine="local")
    release = shoal.anonymize(folder, **asked(kind), engine="duckdb")
    assert isinstance(release.run.released, JoinedRecords)
    left = [name for name in wide().columns if name in ("amount", "wage") and name in release.frame.columns]
    assert f"not counted by column{'s' * (len(left) > 1)} {', '.join(map(repr, left))}" in str(
        release.certificate["told"]["remark"]
    )
    for key in SAME:
        assert release.certificate[key] == local.certificate[key], key
    assert release.frame.columns == local.frame.columns
    watched = [name for name in local.frame.columns if name not in (*left, "note")]
    assert counted(release.frame, watched) == counted(local.frame, watched)
    for name in left if kind not in ("optimal", "drop") else []:  # else others are suppressed
        assert counted(release.frame, [name]) == counted(local.frame, [name])
    release.write(tmp_path / "one")
    assert shoal.verify(tmp_path / "one", raw=True, bound=True).verdict == release.certificate["verdict"]
    assert {path.name for path in (tmp_path / "one/private").iterdir()} >= {"rules.json", "report.html"}
    shuffled = written(wide().sample(fraction=1.0, shuffle=True, seed=1), tmp_path / "shuffled")
    shoal.anonymize(shuffled, **asked(kind), engine="duckdb").write(tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_which_records_of_a_row_leave_is_found_again(tmp_path: Path) -> None:
    """Some records of a counted row are suppressed: who counts by all columns, as `local` does, suppresses others."""
    raw = written(wide().with_columns(pl.col("age") // 20 * 20), tmp_path / "raw")
    given = asked("mondrian", quasi={"age": None, "sex": None}, algorithm="optimal", max_suppressed="1/10")
    given |= {
        "suppress": "records",
        "require": "frequency-l-diversity:l=3,column=ill",
        "drop": ["id", "zip", "note", "wage"],
    }
    release, local = (shoal.anonymize(raw, **given, engine=engine) for engine in ("duckdb", "local"))
    assert release.certificate["records"]["suppressed"] > 0
    assert counted(release.frame, ["amount"]) != counted(local.frame, ["amount"])
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out", raw=True, bound=True).not_derived == {}


def test_delimited_text_is_joined_too(tmp_path: Path) -> None:
    wide().write_csv(tmp_path / "data.csv")
    given = asked("mondrian", format="csv", insensitive=["amount", "note"])
    release, local = (shoal.anonymize(tmp_path / "data.csv", **given, engine=engine) for engine in ("duckdb", "local"))
    assert isinstance(release.run.released, JoinedRecords)
    assert counted(release.frame, ["amount"]) == counted(local.frame, ["amount"])
    assert release.frame["amount"].null_count() > 0


def test_values_stay_with_their_records_and_keep_their_type(folder: Path, tmp_path: Path) -> None:
    """Each record has the values of one raw record of its class: what is published of it tells which that may be."""
    release = shoal.anonymize(folder, **asked("mondrian", k=2, insensitive=["amount", "wage", "note"]), engine="duckdb")
    raw = {row["wage"]: row for row in wide().iter_rows(named=True)}
    shown = release.frame.cast(pl.String)
    assert sorted(shown["wage"]) == sorted(raw)
    for row in shown.iter_rows(named=True):
        own = raw[row["wage"]]
        assert (row["ill"], row["note"]) == (own["ill"], own["note"])
        assert row["amount"] == (None if own["amount"] is None else str(own["amount"]))
        assert row["sex"] == "*" or own["sex"] in row["sex"]
        assert row["zip"].rstrip("*") == own["zip"][: len(row["zip"].rstrip("*"))]
    release.write(tmp_path / "release")
    file = pl.read_parquet(tmp_path / "release/public/data/part-00000.parquet")
    assert file.schema["amount"] == pl.Float64
    assert release.as_text == []
    whole = release.run.released
    assert whole.rows(["ill"]).n_records == whole.rows(["ill", "amount"]).n_records == N
    assert whole.rows().frame.columns == release.frame.columns
    assert whole.counted().frame.columns == [name for name in release.frame.columns if name not in ("amount", "wage")]
    assert release.run.released.head(7).equals(release.frame.head(7))
    assert [part.height for part in whole.parts(128)] == [128, 128, 44]
    sent = pickle.loads(pickle.dumps(release))  # noqa: S301  (made here)
    assert sent.frame.equals(release.frame)
    assert deepcopy(whole) is whole


def test_neither_the_order_nor_who_of_a_point_goes_where_follows_a_value(folder: Path) -> None:
    """Another seed draws another order, and other records of those that look alike."""
    one, two = (shoal.anonymize(folder, **asked("mondrian", seed=seed), engine="duckdb").frame for seed in (1, 2))
    assert not one.equals(two)
    names = ["age", "zip", "sex", "ill"]
    assert counted(one, names) == counted(two, names)
    amounts = one["amount"].cast(pl.Float64)
    assert 0.3 < (amounts.diff().drop_nulls() > 0).mean() < 0.7  # type: ignore[operator]


def test_what_is_published_alike_stands_together(tmp_path: Path) -> None:
    """There are two ways to be missing, and two zeros: the order must not tell which of them a record had."""
    base = wide(600).with_columns(age=pl.lit(30), zip=pl.lit("100"), sex=pl.lit("f"), ill=pl.lit("flu"))
    amounts = [*([None, float("nan"), 0.0, -0.0] * 100), *(number / 8 for number in range(200))]
    texts = [*([None, ""] * 150), *(f"t{number // 2}" for number in range(300))]
    frame = base.with_columns(pl.Series("amount", amounts), pl.Series("wage", texts))
    place = written(frame, tmp_path / "data")
    for name in ("amount", "wage"):
        release = shoal.anonymize(place, **asked("mondrian", k=2, require=[], insensitive=[name]), engine="duckdb")
        assert isinstance(release.run.released, JoinedRecords)
        shown = release.frame[name]
        assert shown.null_count() == (200 if name == "amount" else 300)
        changes = int((shown.fill_null("") != shown.fill_null("").shift()).sum())
        assert changes + 1 == shown.n_unique()


def test_timestamps_are_counted_by(tmp_path: Path) -> None:
    moments = pl.datetime_range(pl.datetime(2026, 1, 1), pl.datetime(2026, 1, 1, 4, 59), "1m", eager=True)
    place = written(wide().with_columns(moments.alias("amount")), tmp_path / "data")
    release = shoal.anonymize(place, **asked("mondrian"), engine="duckdb")
    assert not isinstance(release.run.released, JoinedRecords)


def test_a_column_is_kept_apart_by_its_number_of_values_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = wide()["amount"].n_unique() - 1  # a missing one is none
    for most, kept in ((values, False), (values - 1, True)):
        monkeypatch.setattr(source, "MOST_VALUES", most)
        release = shoal.anonymize(folder, **asked("mondrian"), engine="duckdb")
        assert isinstance(release.run.released, JoinedRecords) == kept


@pytest.mark.parametrize(
    "more",
    [
        {"engine": {"name": "duckdb", "regions": 1_000}},
        {"entity": "id", "algorithm": "optimal"},
        {"insensitive": [], "sensitive": ["ill", "amount"], "require": "distinct-l-diversity:l=2,column=amount"},
    ],
    ids=["regions", "persons", "watched"],
)
def test_what_is_looked_at_is_counted(folder: Path, more: dict[str, Any]) -> None:
    given = {"engine": "duckdb", **asked("mondrian"), **more}
    given["drop"] = [name for name in given["drop"] if name != given.get("entity")]
    assert not isinstance(shoal.anonymize(folder, **given).run.released, JoinedRecords)


def test_a_table_is_counted_as_others_if_nothing_is_won(folder: Path) -> None:
    """There are too many counted rows, or a quasi column is too different to be coded, or no column is kept apart."""
    location, names = FolderLocation(folder), ["age", "zip", "sex", "wage"]
    found = counted_apart(location, names, ["wage"], None, (100, 10**6))
    assert found is not None
    n_rows = found[0].frame.height
    assert found[0].n_records == N
    assert found[1].names == ["wage"]
    assert counted_apart(location, names, ["wage"], None, (100, n_rows)) is not None
    assert counted_apart(location, names, ["wage"], None, (100, n_rows - 1)) is None
    assert counted_apart(location, names, [], None, (100, n_rows)) is None
    assert counted_apart(location, names, ["wage"], None, (N, n_rows)) is None
    assert counted_apart(location, names, ["wage"], None, (N - 1, n_rows)) is not None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(coding, "MOST_VALUES", 5)
        assert counted_apart(location, names, ["wage"], None, (100, n_rows)) is None


def test_formulas_are_found_in_columns_that_stay_apart(tmp_path: Path) -> None:
    frame = wide().with_columns(pl.when(pl.col("wage") == "w7").then(pl.lit("=SUM(1)")).otherwise("wage").alias("wage"))
    given = asked("mondrian", format="csv", insensitive=["wage"])
    release = shoal.anonymize(written(frame, tmp_path / "data"), **given, engine="duckdb")
    assert "=SUM(1)" in release.frame["wage"].to_list()
    found = formulas_in([release.run.rows, *map(Rows.each, release.run.released.uncounted())])
    assert found == (FormulaColumn("wage", False, 1),)
    assert "formula" in release.report()


def test_a_table_that_changes_meanwhile_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, joined = written(wide(), tmp_path / "data"), apart.DuckDbApart.joined

    def changing(self: Any, *given: Any) -> Any:
        (place / "0.parquet").unlink()
        wide().head(100).write_parquet(place / "0.parquet")
        return joined(self, *given)

    monkeypatch.setattr(apart.DuckDbApart, "joined", changing)
    with pytest.raises(SpecError, match="changed while it was read"):
        shoal.anonymize(place, **asked("mondrian"), engine="duckdb")


def test_what_was_spilled_is_gone_with_the_release(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    release = shoal.anonymize(folder, **asked("mondrian"), engine="duckdb")
    assert list(tmp_path.glob("shoal-spill-*"))
    release.write(tmp_path / "release")
    del release
    assert not list(tmp_path.glob("shoal-spill-*"))
