import errno
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import CertificateError, Release, SpecError
from shoal.certificate import Findings
from shoal.foundation import atomic_write as draft
from shoal.foundation.systems import renames
from shoal.jobs.job import Job
from shoal.releases import proof, release
from shoal.search.engines import Local
from shoal.tables.formats.csv import Csv
from tests.cli.run import BESIDE, entries, files_of, read_csv


@pytest.fixture(scope="module")
def made() -> Release:
    frame = pl.DataFrame({"age": [20, 21, 22, 40, 41, 42], "ill": ["a", "b", "c", "a", "b", "<i>"]})
    quasi = {"age": {"type": "intervals", "widths": [10]}}
    return shoal.anonymize(frame, quasi=quasi, sensitive=["ill"], k=3, seed=1, algorithm="optimal")


def test_a_release_is_three_files_that_may_be_read_like_others(made: Release, tmp_path: Path) -> None:
    certificate = made.write(tmp_path / "out")
    assert entries(tmp_path) == {"out"}
    assert files_of(tmp_path / "out") == {"public/data.csv", *BESIDE}
    assert json.loads((tmp_path / "out/private/certificate.json").read_text(encoding="utf-8")) == certificate
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o777 & ~mask


def test_the_certificate_states_all_that_it_should(made: Release, tmp_path: Path) -> None:
    certificate = made.write(tmp_path / "out")
    assert certificate["records"] == {"input": 6, "released": 6, "suppressed": 0}
    assert certificate["classes"] == {"count": 2, "smallest": 3, "largest": 3, "average": 3.0}
    assert certificate["claims"] == [
        {"model": "k-anonymity", "parameters": {"k": 3}, "asked": 3, "achieved": 3, "holds": True}
    ]
    assert certificate["loss"].keys() == {"measure", "total", "share", "bound", "ratio", "columns"}
    assert certificate["loss"]["ratio"] == 1.0
    assert certificate["algorithm"]["levels"] == {"age": 1}
    assert certificate["algorithm"]["guarantee"] == "optimal"
    assert certificate["algorithm"]["factor"] == 1.0
    assert certificate["file"].keys() == {"name", "sha256", "columns", "records"}
    assert certificate["file"]["columns"] == ["age", "ill"]
    assert certificate["missing"] == {"reading": "category", "dropped": 0}
    assert certificate["shoal"]


def test_the_certificate_in_memory_says_the_same_of_the_columns(made: Release, tmp_path: Path) -> None:
    written = made.write(tmp_path / "out")
    for key in ("records", "classes", "claims", "loss"):
        assert made.certificate[key] == written[key]


def test_an_existing_folder_is_replaced_only_if_that_is_allowed(made: Release, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").touch()
    with pytest.raises(SpecError, match="exists already"):
        made.write(out)
    assert entries(out) == {"mine"}
    made.write(out, force=True)
    assert files_of(out) == {"public/data.csv", *BESIDE}
    assert entries(tmp_path) == {"out"}


def test_a_file_or_a_link_may_be_replaced_too(made: Release, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("file", "link"):
        with pytest.raises(SpecError, match="exists already"):
            made.write(tmp_path / name)
        made.write(tmp_path / name, force=True)
        assert (tmp_path / name / "public/data.csv").is_file()
        assert not (tmp_path / name).is_symlink()
    assert entries(tmp_path) == {"file", "link"}


def test_a_folder_that_holds_the_table_or_ourselves_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = tmp_path / "held"
    held.mkdir()
    (held / "data.csv").write_text("age\n1\n1\n", encoding="utf-8")
    made = shoal.anonymize(held / "data.csv", quasi=["age"], k=2)
    with pytest.raises(SpecError, match=r"that would delete '.*data\.csv'"):
        made.write(held, force=True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(SpecError, match="that would delete"):
        made.write(".", force=True)
    assert read_csv(held / "data.csv") == [{"age": "1"}, {"age": "1"}]


def test_a_folder_without_a_place_is_refused(made: Release, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="there is no folder"):
        made.write(tmp_path / "no" / "out")


def _full(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


def _interrupted(*_: object, **__: object) -> Any:
    raise KeyboardInterrupt


def _broken(*_: object, **__: object) -> Any:
    raise RuntimeError("broken")


STEPS = [
    (Csv, "write"),
    (Local, "write"),
    (Local, "read_back"),
    (proof, "examine_rows"),
    (Findings, "demand"),
    (release, "sealed"),
    (release, "text_of"),
    (Job, "toml"),
    (renames, "_renamed"),
    (renames, "sync"),
    (draft, "locked"),
    (draft, "_umask"),
]
ENDS = [(_full, SpecError), (_interrupted, KeyboardInterrupt), (_broken, RuntimeError)]


@pytest.mark.parametrize(("broken", "kind"), ENDS)
@pytest.mark.parametrize(("room", "step"), STEPS)
@pytest.mark.parametrize("force", [False, True])
def test_a_crash_at_any_step_leaves_what_was_there(
    made: Release,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    room: object,
    step: str,
    broken: Callable[..., Any],
    kind: type[BaseException],
    force: bool,
) -> None:
    if force:
        (tmp_path / "out").mkdir()
        (tmp_path / "out/data.csv").write_text("old", encoding="utf-8")
    monkeypatch.setattr(room, step, broken)
    with pytest.raises(kind):
        made.write(tmp_path / "out", force=force)
    assert entries(tmp_path) == ({"out"} if force else set())
    assert not force or (tmp_path / "out/data.csv").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("broken", [_full, _interrupted, _broken])
def test_a_crash_while_the_old_release_gives_way_brings_it_back(
    made: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Callable[..., Any]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/data.csv").write_text("old", encoding="utf-8")
    monkeypatch.setattr(renames, "_renamed", lambda *_: False)
    monkeypatch.setattr(Path, "rename", broken)
    with pytest.raises((SpecError, KeyboardInterrupt, RuntimeError)):
        made.write(tmp_path / "out", force=True)
    assert entries(tmp_path) == {"out"}
    assert (tmp_path / "out/data.csv").read_text(encoding="utf-8") == "old"


def test_an_interrupt_that_comes_twice_leaves_nothing(
    made: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, calls = shutil.rmtree, []

    def late(*args: Any, **flags: Any) -> None:
        calls.append(args)
        if len(calls) < 3:
            raise KeyboardInterrupt
        whole(*args, **flags)

    monkeypatch.setattr(proof, "examine_rows", _interrupted)
    monkeypatch.setattr(shutil, "rmtree", late)
    with pytest.raises(KeyboardInterrupt):
        made.write(tmp_path / "out")
    assert entries(tmp_path) == set()


def test_a_full_disk_is_told_in_words(made: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "sealed", _full)
    with pytest.raises(SpecError) as caught:
        made.write(tmp_path / "out")
    assert str(caught.value) == f"Cannot write '{tmp_path / 'out'}': No space left on device. Nothing was written."


def test_what_is_certified_is_the_file_and_not_the_memory(
    made: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Csv.write

    def spoiled(self: Csv, frame: pl.DataFrame, path: Path, delimiter: str | None = None, *_: object) -> None:
        written(self, frame.head(5), path, delimiter)

    monkeypatch.setattr(Csv, "write", spoiled)
    with pytest.raises(CertificateError, match=r"Refused: the written file .* \(k-anonymity: asked 3, found 2\)"):
        made.write(tmp_path / "out")
    assert entries(tmp_path) == set()


def test_a_notebook_shows_the_verdict_the_claims_and_safe_text(made: Release) -> None:
    shown = made._repr_html_()
    assert "all claims hold" in shown
    assert "<td>k-anonymity</td><td>3</td><td>3</td><td>yes</td>" in shown
    assert "6 of 6 records released" in shown
    assert "<i>" not in shown
    assert repr(made).startswith("<Release: 6 of 6 records; k-anonymity 3; lm loss ")
    assert repr(made).endswith("% (optimal)>")


def test_a_release_can_be_written_more_than_once(made: Release, tmp_path: Path) -> None:
    for name in ("a", "b"):
        made.write(tmp_path / name)
        shoal.verify(tmp_path / name)
    assert (tmp_path / "a/public/data.csv").read_bytes() == (tmp_path / "b/public/data.csv").read_bytes()


def test_only_the_user_reads_what_is_not_passed_on(made: Release, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        made.write(tmp_path / "out")
        made.report(tmp_path / "steward.html")
        made.report(tmp_path / "public.html", audience="public")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    own = {"certificate.json", "job.toml", "rules.json", "report.html", "steward.html", "manifest.json"}
    others = {"data.csv", "certificate-public.json", "report-public.html", "public.html", "manifest-public.json"}
    assert modes == {
        "out": 0o755,
        "public": 0o755,
        "private": 0o700,
        **dict.fromkeys(own, 0o600),
        **dict.fromkeys(others, 0o644),
    }
