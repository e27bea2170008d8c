"""Which files are the table, whatever program wrote them, and where another store than Amazon's is."""

from pathlib import Path

import duckdb
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.tables.databases.duckdb import told_plainly
from shoal.tables.store_files import _endpoint as endpoint


def test_patterns_and_folders_name_files(tmp_path: Path) -> None:
    root = tmp_path / "a=1" / "data"  # what is above the given folder tells no column
    for part in ("year=2025", "year=2026", "_temporary", "year=2026/.hidden"):
        (root / part).mkdir(parents=True)
        pl.DataFrame({"v": [part]}).write_parquet(root / part / "x.parquet")
    (root / "year=2025" / "read.me").write_text("no table", encoding="utf-8")
    for url, values, columns in (
        (f"file://{root}", ["year=2025", "year=2026"], ["v", "year"]),
        (f"file://{root}/", ["year=2025", "year=2026"], ["v", "year"]),
        (f"file://{root}/year=*/*.parquet", ["year=2025", "year=2026"], ["v", "year"]),
        (f"file://{root}/*/x.*", ["year=2025", "year=2026"], ["v", "year"]),
        (f"file://{root}/year=2025", ["year=2025"], ["v"]),
        (f"file://{root}/year=2025/x.parquet", ["year=2025"], ["v"]),
        (f"file://{root}/year=2025/*", ["year=2025"], ["v"]),
    ):
        found = shoal.table(url)
        assert found.columns() == columns, url
        assert found.read()["v"].to_list() == values, url
    pl.DataFrame({"v": ["no year"]}).write_parquet(root / "x.parquet")
    with pytest.raises(SpecError, match="do not have the same columns"):
        shoal.table(f"file://{root}").columns()


def test_files_of_several_programs_are_one_table(tmp_path: Path) -> None:
    pl.DataFrame({"a": ["1"], "b": ["2"]}).write_parquet(tmp_path / "polars.parquet")
    duckdb.sql(f"COPY (SELECT '3' AS b, '4' AS a) TO '{tmp_path}/duckdb.parquet'")
    found = shoal.table(f"file://{tmp_path}").read()
    assert sorted(found.select("a", "b").rows()) == [("1", "2"), ("4", "3")]
    pl.DataFrame({"a": ["1"], "c": ["2"]}).write_parquet(tmp_path / "other.parquet")
    with pytest.raises(SpecError, match="do not have the same columns"):
        shoal.table(f"file://{tmp_path}").read()


def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path: Path) -> None:
    for name in ("x", "[x]", "y*", "yy"):
        pl.DataFrame({"v": [name] * 3}).write_parquet(tmp_path / f"{name}.parquet")
    assert sorted(shoal.table(f"file://{tmp_path}/").read()["v"].unique()) == ["[x]", "x", "y*", "yy"]
    assert shoal.table(f"file://{tmp_path}/y?.parquet").read()["v"].to_list() == ["y*"] * 3 + ["yy"] * 3
    assert shoal.table(f"file://{tmp_path}/?.parquet").read()["v"].to_list() == ["x"] * 3
    release = shoal.anonymize(tmp_path, quasi=["v"], k=3, engine="duckdb")
    assert release.certificate["records"]["released"] == 12
    assert release.certificate["classes"]["count"] == 4


def test_the_environment_names_another_store(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "DUCKDB_S3_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert endpoint("s3://b/x/") == {}
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://minio:9000/")
    plain = {"s3_endpoint": "minio:9000", "s3_use_ssl": "false", "s3_url_style": "path"}
    assert endpoint("S3a://b/x/") == plain
    assert endpoint("gs://b/x/") == {}
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "https://ceph.example")
    assert endpoint("s3://b/x/") == {**plain, "s3_endpoint": "ceph.example", "s3_use_ssl": "true"}
    for wrong in ("minio:9000", "https://key:Canary@host", "https://host/path", "https://[Canary"):
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", wrong)
        with pytest.raises(SpecError, match="AWS_ENDPOINT_URL_S3 is not shown") as caught:
            endpoint("s3://b/x/")
        assert "Canary" not in str(caught.value)
    monkeypatch.setenv("DUCKDB_S3_ENDPOINT", "own:1")
    assert endpoint("s3://b/x/") == {}


class _Answer(duckdb.HTTPException):
    def __init__(self, status: int) -> None:
        super().__init__("Canary")
        self.status_code = status


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (_Answer(403), "refuses it, 403: the key is missing or wrong"),
        (_Answer(401), "refuses it, 401: the key is missing or wrong"),
        (_Answer(404), "no such bucket, or no such file"),
        (_Answer(301), r"answers 301: are its region .* right"),
        (_Answer(503), "answers 503, which is an error of its own"),
        (duckdb.IOException("Timeout was reached error for HTTP GET to 'Canary'"), "the store does not answer"),
        (duckdb.IOException("Canary"), "IOException: the files are damaged"),
        (duckdb.OutOfMemoryException("Canary"), "its memory or the disk is full"),
        (OSError("Canary"), "OSError: the files are damaged"),
    ],
)
def test_what_failed_is_told_in_our_words(error: Exception, words: str) -> None:
    with pytest.raises(SpecError, match=words) as caught, told_plainly("'s3://b/x/'"):
        raise error
    assert "Canary" not in str(caught.value)
    assert caught.value.__suppress_context__
