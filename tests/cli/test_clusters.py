from pathlib import Path

import pytest

from tests.cli.run import BESIDE, K_ANONYMITY, done, entries, files_of, job_toml, read_csv, shoal, write_csv

JOB = """
[input]
path = "data.csv"
[columns.age]
role = "quasi"
[columns.pay]
role = "quasi"
[columns.ill]
role = "sensitive"
"""
FLAGS = ("--quasi", "age,pay", "--sensitive", "ill", "--k", 4, "--algorithm", "mdav")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [(20 + i * 7 % 40, 1000 + i * 13 % 17, "ab"[i % 2]) for i in range(40)]
    return write_csv(tmp_path / "data.csv", ("age", "pay", "ill"), rows)


def test_flags_and_keys_shape_the_release(tmp_path: Path, table: Path) -> None:
    shape = ("--shape", "clusters", "--radius", "largest", "--values", "set", "--seed", "3")
    by_flag = done("anonymize", table, *FLAGS, *shape, "--out", tmp_path / "a", "--json").json
    keys = '[search]\nalgorithm = "mdav"\nseed = 3\n[release]\nshape = "clusters"\nradius = "largest"\nvalues = "set"\n'
    job = job_toml(tmp_path, JOB + K_ANONYMITY + keys)
    by_key = done("anonymize", job, "--out", tmp_path / "b", "--json").json
    assert by_flag["file"] == by_key["file"]
    assert files_of(tmp_path / "a") == {"public/clusters.csv", *BESIDE}
    rows = read_csv(tmp_path / "a/public/clusters.csv")
    assert {row["ill"] for row in rows} == {'["a", "b"]'}
    assert len({row["radius"] for row in rows}) == 1
    again = done("anonymize", tmp_path / "a/private/job.toml", "--out", tmp_path / "c", "--json").json
    assert again["file"] == by_flag["file"]


def test_people_read_of_clusters_and_radii(tmp_path: Path, table: Path) -> None:
    ran = done("anonymize", table, *FLAGS, "--out", tmp_path / "out")
    for words in (
        f"release:     {tmp_path / 'out/public/data.csv'} and {tmp_path / 'out/public/clusters.csv'}\n",
        "clusters:    10, of 4 to 4 records, within ",
        " of their centres\n",
        "loss:        sse ",
        "% of that of one cluster",
    ):
        assert words in ran.out
    assert "classes:" not in ran.out
    shown = done("verify", tmp_path / "out").out
    assert shown.startswith("verdict: all claims hold, and the files are those that were certified\n")


def test_shapes_are_for_clusters(tmp_path: Path, table: Path) -> None:
    flags = ("--quasi", "age,pay", "--sensitive", "ill", "--k", 4, "--values", "set")
    ran = shoal("anonymize", table, *flags, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "release.values is for algorithms that publish clusters" in ran.err
    assert "'mdav'" in ran.err
    assert entries(tmp_path) == {"data.csv"}
