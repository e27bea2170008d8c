"""Parquet files of a real object store: every command, keys by every way, and what is said where one is missing."""

import socket
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import duckdb
import polars as pl
import pytest

import shoal
from shoal.kernels.cache import own_places
from shoal.search.engines.duckdb.session import opened
from tests.actions.test_counted_engines import SAME, asked, rows, table
from tests.cli.run import Ran, done
from tests.cli.run import shoal as run_shoal
from tests.tables.object_store import BUCKET, ObjectStore, install_httpfs, running

pytestmark = pytest.mark.engines
ROLES = ("--quasi", "age,zip,sex", "--sensitive", "ill")
FLAGS = (*ROLES, "--drop", "id,note", "--k", "3", "--algorithm", "mondrian")
FOLDER = f"s3://{BUCKET}/visits/"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a home without secrets, in which DuckDB has its extension, or skip."""
    made = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(own_places()[0].parent))  # it would be looked for in the home
        patch.setenv("HOME", str(made))
        missing = install_httpfs(made)
        if missing:
            pytest.skip(missing)
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the same files in a folder of this machine."""
    made = tmp_path_factory.mktemp("same") / "visits"
    for year, n_records in ((2025, 90), (2026, 60)):
        (made / f"year={year}").mkdir(parents=True)
        table(n_records).write_parquet(made / f"year={year}" / "x.parquet")
    return made


@pytest.fixture(scope="module")
def store(home: Path, folder: Path) -> Iterator[ObjectStore]:
    with running() as one:
        for file in folder.rglob("*.parquet"):
            one.put(f"visits/{file.relative_to(folder)}", pl.read_parquet(file, hive_partitioning=False))
        one.put("plain/a.parquet", table(90))
        one.put("plain/b.parquet", table(60))
        one.put("plain/_log/x.parquet", pl.DataFrame({"other": [1]}))
        yield one


@pytest.fixture
def keys(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)
    return store


def test_a_folder_of_a_store_gives_the_release_of_the_same_files(
    keys: ObjectStore, folder: Path, tmp_path: Path
) -> None:
    settings = {**asked("mondrian"), "insensitive": ["year"]}
    local, stored = shoal.anonymize(folder, **settings, engine="duckdb"), shoal.anonymize(FOLDER, **settings)
    assert rows(stored) == rows(local)
    assert all(stored.certificate[key] == local.certificate[key] for key in SAME)
    stored.write(tmp_path / "stored")
    local.write(tmp_path / "local")
    assert shoal.verify(tmp_path / "stored", raw=True, bound=True).verdict == "all claims hold"
    for verb in ("risk", "utility", "attack"):
        mine, other = (done(verb, tmp_path / one, "--json").json for one in ("stored", "local"))
        assert mine == other, verb
    kept = "".join(path.read_text("utf-8") for path in (tmp_path / "stored").iterdir() if path.is_file())
    assert keys.secret not in kept
    assert keys.key not in kept


def test_one_file_and_patterns_are_read(keys: ObjectStore, tmp_path: Path) -> None:
    for number, (url, n_records) in enumerate(
        {
            f"s3://{BUCKET}/plain/a.parquet": 90,
            f"s3://{BUCKET}/plain/?.parquet": 150,
            f"s3a://{BUCKET}/plain/*": 150,
            f"s3://{BUCKET}/plain": 150,
        }.items()
    ):
        ran = done("anonymize", url, *FLAGS, "--out", tmp_path / str(number))
        assert f"of {n_records}\n" in ran.out
        assert shoal.table(url).columns() == table().columns


def test_commands_read_what_is_in_the_store(keys: ObjectStore, folder: Path, tmp_path: Path) -> None:
    for verb in ("check", "attack", "risk"):
        roles = ROLES[:2] if verb == "risk" else ROLES
        mine, other = (done(verb, where, *roles, "--json").json for where in (FOLDER, folder))
        assert mine == other, verb
    done("init", FOLDER, "--yes", "--out", tmp_path / "job")
    done("anonymize", tmp_path / "job" / "job.toml", "--out", tmp_path / "release")
    done("hierarchy", FOLDER, "age")


def test_a_stored_secret_of_duckdb_is_enough(store: ObjectStore, tmp_path: Path) -> None:
    made = (
        f"CREATE PERSISTENT SECRET clinic (TYPE s3, KEY_ID '{store.key}', SECRET '{store.secret}', "
        f"REGION 'us-east-1', ENDPOINT '{store.address}', URL_STYLE 'path', USE_SSL false)"
    )
    with duckdb.connect() as connection:
        connection.execute("LOAD httpfs")
        connection.execute(made)
    try:
        done("anonymize", FOLDER, *FLAGS, "--insensitive", "year", "--out", tmp_path / "release")
        done("check", FOLDER, *ROLES)
    finally:
        with duckdb.connect() as connection:
            connection.execute("LOAD httpfs")
            connection.execute("DROP PERSISTENT SECRET clinic")


def refused(store: ObjectStore, words: str, url: str = f"s3://{BUCKET}/plain/a.parquet") -> None:
    """See that two commands end soon, with a message that shows no key."""
    for argv in (("anonymize", url, *FLAGS), ("check", url, *ROLES)):
        start = monotonic()
        ran: Ran = run_shoal(*argv)
        assert ran.code == 2, ran.err
        assert words in " ".join(ran.err.split()), ran.err
        assert monotonic() - start < 60  # not a timing: DuckDB itself would wait for minutes
        assert store.secret not in ran.err + ran.out
        assert store.key not in ran.err + ran.out


def test_what_is_missing_or_wrong_is_told(keys: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(keys, "no such bucket", "s3://none/visits/")
    refused(keys, "no such file", f"s3://{BUCKET}/none.parquet")
    refused(keys, "There is no Parquet file in", f"s3://{BUCKET}/none/")
    for secret in (keys.secret, f"{keys.secret[:9]}/{keys.secret[9:]}"):
        refused(keys, "looks like a key", f"s3://{keys.key}:{secret}@{BUCKET}/plain/")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    refused(keys, "the key is missing or wrong")
    refused(keys, "the key is missing or wrong", FOLDER)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "wrong")
    refused(keys, "the key is missing or wrong", FOLDER)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    refused(keys, "the key is missing or wrong")


def test_a_store_that_does_not_answer_is_told(keys: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(20)
        port = silent.getsockname()[1]
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        refused(keys, "the store does not answer")
    refused(keys, "the store does not answer", FOLDER)  # now the port is closed
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://store.invalid")
    refused(keys, "the store does not answer")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"https://{keys.address}")
    refused(keys, "the store does not answer")


def test_spilled_files_are_encrypted_by_openssl(home: Path, tmp_path: Path) -> None:
    many = "CREATE TABLE spilled AS SELECT range AS n, 'Canary' || hash(range) AS text FROM range(3000000)"
    alone: dict[str, str | int | float | list[str]] = {
        "memory_limit": "60MB",
        "temp_directory": str(tmp_path),
        "temp_file_encryption": True,
        "autoload_known_extensions": False,
    }
    with (
        duckdb.connect(config=alone) as connection,
        pytest.raises(duckdb.Error, match="LOAD httpfs"),  # which brings OpenSSL; else its own cipher is asked for
    ):
        connection.execute(many)
    with opened("60MB") as session:
        asked = "SELECT value FROM duckdb_settings() WHERE name = 'force_mbedtls_unsafe'"
        assert session.frame(asked, "").item() != "true"
        session.run(many, "spilled")
        files = [Path(path) for path in session.frame("SELECT path FROM duckdb_temporary_files()", "").to_series()]
        assert sum(path.stat().st_size for path in files) > 10_000_000
        assert not any(b"Canary" in path.read_bytes() for path in files)
