"""No command tells a value of a single record, in what it prints, writes, or says when it fails."""

import json
from pathlib import Path

import pytest

from tests.cli.run import HEADER, done, entries, patients, shoal, write_csv
from tests.test_leaks import CANARIES, IDENTIFIERS, LONELY, assert_silent, bytes_below, write_job, write_table

STEPS: dict[str, tuple[object, ...]] = {
    "check": ("check", "data.csv", "--quasi", "age,zip,sex", "--sensitive", "disease"),
    "risk": ("risk", "data.csv", "--quasi", "age,zip,sex"),
    "attack": ("attack", "data.csv", "--quasi", "age,zip,sex", "--sensitive", "disease"),
    "attack of a release": ("attack", "released", "--public", "data.csv"),
    "utility": ("utility", "released", "--figure", "columns,pairs", "--distributions"),
    "utility of the table": ("utility", "data.csv", "--raw", "data.csv", "--quasi", "age,zip", "--figure", "columns"),
    "compare": ("compare", "job.toml", "--k", "2,4", "--algorithm", "optimal,mondrian", "--out", "compared"),
    "frontier": ("frontier", "job.toml", "--k", "2,4", "--out", "frontier.csv"),
    "minimal": ("minimal", "job.toml"),
    "apply": ("apply", "released", "data.csv", "--failing", "suppress", "--max-suppressed", "0.5", "--out", "applied"),
}


def test_no_command_tells_a_value_that_one_record_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Printed for people, printed as JSON, and in every file but that of the risk of each record."""
    monkeypatch.chdir(tmp_path)
    done("anonymize", write_job(tmp_path), "--out", "released")
    for argv in STEPS.values():
        plain = [str(part) for part in argv]
        assert_silent(done(*plain))
        if "--out" in plain:
            made = tmp_path / plain[plain.index("--out") + 1]
            written = bytes_below(made) if made.is_dir() else made.read_bytes()
            for canary in CANARIES:
                assert canary.encode() not in written, (argv, canary)
            plain.append("--force")
        assert_silent(done(*plain, "--json"))


def test_what_init_tells_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hierarchies list the values of quasi columns, which is what they are for; nothing else does."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path)
    for flags in ((), ("--json", "--force")):
        assert_silent(done("init", "data.csv", "--yes", *flags))
    held = bytes_below(tmp_path / "job/hierarchies")
    assert b"CANARYZIP" in held
    job = (tmp_path / "job/job.toml").read_text(encoding="utf-8")
    for canary in CANARIES:
        assert canary not in job
    for canary in ("CanaryName", "CanarySsn", "CanaryDisease", "CanaryNote"):
        assert canary.encode() not in held


FAILING: dict[str, tuple[tuple[object, ...], int]] = {
    "init: groups lack values": (("init", "data.csv", "--yes", "--groups", "sex=groups.csv"), 0),
    "init: no such column": (("init", "data.csv", "--yes", "--quasi", "nothing"), 2),
    "hierarchy: not numbers": (("hierarchy", "data.csv", "sex", "--type", "intervals", "--widths", "5"), 2),
    "hierarchy: not dates": (("hierarchy", "data.csv", "zip", "--type", "dates"), 2),
    "hierarchy: an order lacks values": (("hierarchy", "data.csv", "sex", "--type", "order", "--order", "M,F"), 2),
    "apply: values that no rule covers": (("apply", "released", "next.csv", "--out", "made"), 4),
    "apply: other columns": (("apply", "released", "bare.csv", "--out", "made"), 2),
    "utility: no such column": (("utility", "data.csv", "--raw", "data.csv", "--quasi", "nothing"), 2),
    "utility: no header": (("utility", "bare.csv", "--raw", "data.csv", "--quasi", "age"), 2),
    "attack: no header": (("attack", "bare.csv", "--quasi", "age", "--sensitive", "disease"), 2),
    "check: no header": (("check", "bare.csv", "--quasi", "age"), 2),
    "risk: no header": (("risk", "bare.csv", "--quasi", "age"), 2),
    "compare: nothing is possible": (("compare", "job.toml", "--k", "999", "--algorithm", "optimal"), 3),
}


def test_no_value_is_in_the_words_of_a_failing_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    job = write_job(tmp_path)
    done("anonymize", job, "--out", "released", "--algorithm", "mondrian")
    write_csv(tmp_path / "next.csv", HEADER, [*patients(), *[LONELY] * 9])
    write_csv(tmp_path / "bare.csv", CANARIES, patients())
    (tmp_path / "groups.csv").write_text("M;known\nF;known\n", encoding="utf-8")
    before = entries(tmp_path)
    for argv, code in FAILING.values():
        for flags in ((), ("--json",)):
            ran = shoal(*argv, *flags, *(("--force",) if argv[0] == "init" and code == 0 else ()))
            assert ran.code == code, (argv, ran.err)
            assert_silent(ran)
    assert entries(tmp_path) - before == {"job"}


def test_a_few_suppressed_records_cannot_be_counted_by_the_loss(tmp_path: Path) -> None:
    """The cells of the release tell their own loss, so that the rest of it would tell the number of the suppressed."""
    job = write_job(tmp_path)
    done("anonymize", job, "--out", tmp_path / "out")
    shown = (tmp_path / "out/public/report-public.html").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "out/public/certificate-public.json").read_text(encoding="utf-8"))
    certificate = json.loads((tmp_path / "out/private/certificate.json").read_text(encoding="utf-8"))
    assert certificate["records"]["suppressed"] == 1
    assert "Fewer than 4 were suppressed" in shown
    assert "by the measure" not in shown
    assert told["records"]["suppressed"] is told["loss"]["share"] is None
    for name in (*IDENTIFIERS, str(tmp_path), "seed"):
        assert name not in shown
        assert name not in json.dumps(told)
