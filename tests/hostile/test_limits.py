"""Every command that reads takes the limits on what is read."""

from pathlib import Path

import pytest

from shoal.cli import _COMMANDS
from shoal.foundation.budgets import Budget, budget
from tests.cli.run import done, job_toml, shoal

READING = [command.__name__ for command in _COMMANDS if command.__name__ not in ("compile", "example", "schema")]


@pytest.mark.parametrize("command", READING)
def test_every_command_that_reads_has_the_flags(command: str) -> None:
    text = done(command, "--help").out
    for flag in ("--max-records", "--max-bytes", "--timeout"):
        assert flag in text


@pytest.mark.parametrize(
    "argv",
    [
        ("init", "data.csv", "--yes"),
        ("hierarchy", "data.csv", "zip", "--type", "masking"),
        ("anonymize", "job.toml"),
        ("check", "data.csv", "--quasi", "age"),
        ("risk", "data.csv", "--quasi", "age"),
        ("attack", "data.csv", "--quasi", "age", "--sensitive", "disease"),
        ("utility", "data.csv", "--raw", "data.csv", "--quasi", "age"),
        ("compare", "job.toml", "--k", "2"),
        ("frontier", "job.toml", "--k", "2"),
        ("minimal", "job.toml"),
    ],
)
def test_each_stops_at_them(argv: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job_toml(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = shoal(*argv, "--max-records", "159")
    assert ran.code == 2
    assert ran.err.strip().startswith("There are more than 159 records in ")
    ran = shoal(*argv, "--max-bytes", "100")
    assert ran.code == 2
    assert "bytes in" in ran.err
    assert budget() == Budget()


def test_a_release_is_verified_and_applied_within_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job_toml(tmp_path)
    monkeypatch.chdir(tmp_path)
    size = (tmp_path / "data.csv").stat().st_size
    done("anonymize", "job.toml", "--max-records", "160", "--max-bytes", size, "--out", "release")
    for argv in (("verify", "release"), ("apply", "release", "data.csv", "--out", "again")):
        assert "more than 159 records" in shoal(*argv, "--max-records", "159").err
        assert "more than 200 bytes" in shoal(*argv, "--max-bytes", "200").err
        done(*argv, "--max-records", "160")


@pytest.mark.parametrize(
    "flags", [("--max-records", "0"), ("--max-bytes", "-1"), ("--timeout", "0"), ("--timeout", "nan")]
)
def test_a_limit_that_is_none_is_refused(flags: tuple[str, str], tmp_path: Path) -> None:
    ran = shoal("check", job_toml(tmp_path).parent / "data.csv", "--quasi", "age", *flags)
    assert ran.code == 2
    assert "Internal" not in ran.err
