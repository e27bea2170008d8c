from pathlib import Path

from tests.cli.run import (
    BESIDE,
    HEADER,
    JOB,
    K_ANONYMITY,
    done,
    entries,
    files_of,
    job_toml,
    patients,
    read_csv,
    shoal,
    write_csv,
)


def made(folder: Path, more: str = "") -> Path:
    done("anonymize", job_toml(folder, JOB + K_ANONYMITY + more), "--out", folder / "out")
    return folder / "out"


def next_year(folder: Path, *extra: tuple[object, ...]) -> Path:
    return write_csv(folder / "next.csv", HEADER, [*patients(200, seed=1), *extra])


FULL = '[search]\nalgorithm = "optimal"\nmax_suppressed = 0.1\n'


def test_next_years_file_is_recoded_and_certified(tmp_path: Path) -> None:
    out, table = made(tmp_path, FULL), next_year(tmp_path)
    ran = done("apply", out / "private/rules.json", table, "--out", tmp_path / "next", "--failing", "suppress")
    assert "all claims hold" in ran.out
    assert "no search, so no bound" in ran.out
    assert "one can be subtracted from the other" in ran.out
    assert "`shoal attack FIRST THIS`" in ran.out
    assert files_of(tmp_path / "next") == {"public/data.csv", *BESIDE}
    assert (tmp_path / "next/private/rules.json").read_bytes() == (out / "private/rules.json").read_bytes()
    done("verify", tmp_path / "next")
    done("risk", tmp_path / "next", "--json")
    done("attack", tmp_path / "next", "--json")
    twice = [
        done("apply", out, table, "--out", tmp_path / f"a{i}", "--seed", 4, "--failing", "suppress") for i in (1, 2)
    ]
    assert all(ran.code == 0 for ran in twice)
    assert (tmp_path / "a1/public/data.csv").read_bytes() == (tmp_path / "a2/public/data.csv").read_bytes()


def test_json_tells_the_certificate_and_what_is_not_covered(tmp_path: Path) -> None:
    out, table = made(tmp_path, FULL), next_year(tmp_path, ("n", "s", "old", "02000", "M", "flu", "seen"))
    ran = done("apply", out, table, "--out", tmp_path / "next", "--failing", "suppress", "--json")
    assert ran.json["rules"]["outside"] == 1
    assert ran.json["unknown"] == {"age": {"values": 1, "records": 1}}
    text = (tmp_path / "next/private/certificate.json").read_text(encoding="utf-8")
    assert "unknown" not in text


def test_a_refusal_is_exit_code_4_and_writes_nothing(tmp_path: Path) -> None:
    out = made(tmp_path, FULL)
    table = next_year(tmp_path, ("n", "s", "CanaryAge", "02000", "M", "flu", "seen"))
    before = entries(tmp_path)
    ran = shoal("apply", out, table, "--out", tmp_path / "next")
    assert ran.code == 4
    assert "of 201 records, 1 record is not covered by the rules (column 'age': 1 different value in 1" in ran.err
    assert "CanaryAge" not in ran.out + ran.err
    told = shoal("apply", out, table, "--out", tmp_path / "next", "--json")
    assert told.code == 4
    assert told.json["error"]["diagnosis"]["unknown"] == {"age": {"values": 1, "records": 1}}
    shown = shoal("apply", out, table, "--out", tmp_path / "next", "--show-missing")
    assert shown.code == 4
    assert "CanaryAge" in shown.out
    assert "CanaryAge" not in shown.err
    assert entries(tmp_path) == before


def test_a_class_below_k_is_refused_or_suppressed_within_the_limit(tmp_path: Path) -> None:
    out = made(tmp_path)
    table = write_csv(tmp_path / "few.csv", HEADER, patients(6, seed=1))
    ran = shoal("apply", out, table, "--out", tmp_path / "next", "--failing", "suppress")
    assert ran.code == 4
    assert "At most 0 records may be suppressed: allow more (--max-suppressed)" in ran.err
    assert "k-anonymity: asked 4" in ran.err
    assert not (tmp_path / "next").exists()


def test_words_that_are_not_known_are_refused(tmp_path: Path) -> None:
    out, table = made(tmp_path), next_year(tmp_path)
    for flag in ("--failing", "--changed"):
        ran = shoal("apply", out, table, "--out", tmp_path / "next", flag, "maybe")
        assert ran.code == 2
        assert "is 'maybe': known are refuse," in ran.err
    assert shoal("apply", tmp_path, table, "--out", tmp_path / "next").code == 2
    assert shoal("apply", out, tmp_path / "none.csv", "--out", tmp_path / "next").code == 2
    assert shoal("apply", out, table, "--out", out).code == 2
    assert shoal("apply", out, table, "--out", out, "--force").code == 2  # it would delete the rules


def test_identifiers_do_not_leave(tmp_path: Path) -> None:
    out, table = made(tmp_path, FULL), next_year(tmp_path)
    done("apply", out, table, "--out", tmp_path / "next", "--failing", "suppress", "--max-suppressed", "0.5")
    written = b"".join((tmp_path / "next" / name).read_bytes() for name in files_of(tmp_path / "next"))
    for row in read_csv(table):
        assert row["full_name"].encode() not in written
        assert row["ssn"].encode() not in written
