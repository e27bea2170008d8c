"""How commands end: with words for people and the code of their kind; a command that is stopped leaves nothing."""

import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl
import pytest

from shoal.actions.comparison.comparison import Comparison
from shoal.actions.init import Proposal
from shoal.cli import _COMMANDS
from shoal.reports import report
from shoal.tables.hierarchies import Levels
from tests.cli.run import done, entries, job_toml, patients_csv, shoal

HEAVY = "{'numba', 'numpy', 'polars', 'pydantic', 'scipy', 'sklearn', 'pandas', 'pyarrow', 'highspy'}"


def test_no_help_loads_anything_heavy() -> None:
    """One process asks for the help of all commands, one after the other."""
    names = [None, *(command.__name__ for command in _COMMANDS)]
    code = (
        "import io, sys, contextlib\nfrom shoal.cli import main\n"
        f"for name in {names}:\n"
        "    sys.argv = ['shoal', *([name] if name else []), '--help']\n"
        "    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n        main()\n"
        f"    assert not ({HEAVY} & set(sys.modules)), (name, {HEAVY} & set(sys.modules))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def half(place: Path | BinaryIO) -> None:
    if isinstance(place, Path):
        place.write_bytes(b"half")
    else:
        place.write(b"half")
    raise KeyboardInterrupt


STOPPED: dict[str, tuple[tuple[object, ...], Any, str]] = {
    "init": (("init", "data.csv", "--yes", "--out", "made"), Proposal, "_read_back"),
    "hierarchy": (("hierarchy", "data.csv", "age", "--out", "made.csv"), Levels, "build"),
    "anonymize": (("anonymize", "job.toml", "--algorithm", "optimal", "--out", "made"), report, "steward_report"),
    "apply": (("apply", "rules", "data.csv", "--out", "made"), report, "public_report"),
    "compare": (("compare", "job.toml", "--k", "2", "--algorithm", "optimal", "--out", "made"), Comparison, "svg"),
    "risk": (("risk", "data.csv", "--quasi", "age,zip", "--out", "made.csv"), pl.DataFrame, "write_csv"),
    "frontier": (("frontier", "job.toml", "--k", "2", "--out", "made.csv"), pl.DataFrame, "write_csv"),
}  # fmt: skip


@pytest.mark.parametrize("name", STOPPED)
def test_an_interrupt_while_writing_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    argv, owner, step = STOPPED[name]
    job_toml(tmp_path)
    monkeypatch.chdir(tmp_path)
    if name == "apply":
        done("anonymize", "job.toml", "--algorithm", "optimal", "--out", "rules")
    before = entries(tmp_path)

    def stopped(*given: Any, **_: object) -> None:
        if step == "write_csv":
            half(given[1])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(owner, step, stopped)
        ran = shoal(*argv, "--quiet")
    assert ran.code == 130, ran.err
    assert "Traceback" not in ran.err
    assert ran.err.endswith("Interrupted: nothing was written.\n")
    assert entries(tmp_path) == before


def test_a_file_that_cannot_be_written_is_told_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patients_csv(tmp_path)
    monkeypatch.chdir(tmp_path)
    roles = ("data.csv", "--quasi", "age")
    for out, words in (
        ("data.csv", "exists already"),
        (".", "is a folder"),
        ("none/x.csv", "there is no folder"),
    ):
        ran = shoal("risk", *roles, "--out", out)
        assert ran.code == 2
        assert words in ran.err
    ran = shoal("risk", *roles, "--out", "data.csv", "--force")
    assert ran.code == 2
    assert "it is the input table" in ran.err
    assert shoal("hierarchy", "data.csv", "age", "--out", "data.csv", "--force").code == 2
    assert entries(tmp_path) == {"data.csv"}


GOOD = "age,zip,sex,disease\n" + "".join(f"{20 + i % 30},0{1000 + i % 7},{'MF'[i % 2]},flu{i % 3}\n" for i in range(60))
ODD: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 2, "is empty"),
    "header only": (b"age,zip,sex,disease\n", 2, "has no records"),
    "one record": (b"age,zip,sex,disease\n30,01000,M,flu\n", 0, ""),
    "all missing": (b"age,zip,sex,disease\n" + b",,,\n" * 9, 0, ""),
    "doubled names": (b"age,age,sex,disease\n1,2,M,flu\n", 0, ""),
    "mark at the start": (b"\xef\xbb\xbf" + GOOD.encode(), 0, ""),
    "line ends of Windows": (GOOD.replace("\n", "\r\n").encode(), 0, ""),
    "latin-1": (GOOD.replace("flu1", "Gr\xfc\xdfe").encode("latin-1"), 0, ""),
    "a column called star": (GOOD.replace("zip", "*").encode(), 0, ""),
    "long values": (GOOD.replace("flu1", "f" * 100_000).encode(), 0, ""),
    "no text": (b"a,b\n1,\x00\x01\x02\n", 2, "zero byte"),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_tables_make_a_job_or_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    content, code, words = ODD[kind]
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(content)
    ran = shoal("init", "t.csv", "--yes", "--quiet")
    assert ran.code == code, ran.err
    assert words in ran.err
    assert entries(tmp_path) == {"t.csv", *(["job"] if code == 0 else [])}
    if code == 0:
        ran = shoal("anonymize", "job/job.toml", "--algorithm", "optimal", "--quiet")
        assert ran.code in (0, 3), ran.err
        assert "Internal error" not in ran.err


@pytest.mark.parametrize("command", ["init", "hierarchy", "check", "risk", "attack", "utility", "verify", "apply"])
def test_a_folder_in_place_of_a_file_is_told(tmp_path: Path, command: str) -> None:
    more: dict[str, tuple[object, ...]] = {
        "hierarchy": ("age",),
        "check": ("--quasi", "age"),
        "apply": (tmp_path / "x.csv",),
    }
    ran = shoal(command, tmp_path, *more.get(command, ()))
    assert ran.code == 2
    assert any(
        words in ran.err for words in ("is a folder", "is not a release", "There are no rules", "There is no file in")
    )


def test_very_many_names_are_not_all_listed(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(200)]
    (tmp_path / "t.csv").write_text(f"{','.join(names)}\n{','.join('1' * 200)}\n", encoding="utf-8")
    ran = shoal("check", tmp_path / "t.csv", "--quasi", "c1,age")
    assert "and 160 more." in ran.err
    ran = shoal("attack", tmp_path / "t.csv", "--quasi", "age", "--sensitive", "sex")
    assert "Does it have a header?" in ran.err
    assert "c1" not in ran.err
