"""How much is read: limits that users set, plain files alone, and what is counted as it comes."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.foundation.budgets import Budget, Meter, budget, check_regular, limits, read_bytes, unlimited


def test_a_table_of_a_hundred_million_records_is_within_the_usual_limits() -> None:
    usual = Budget()
    usual.check_records(100_000_000, "the table")
    usual.check_bytes(100_000_000 * 200, "the table")
    assert usual.text_bytes < usual.table_bytes
    assert usual.job_bytes < usual.text_bytes


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_records": 0}, {"max_records": -1}, {"max_records": 1.5}, {"max_records": True}, {"max_bytes": 0},
        {"max_bytes": "1"}, {"timeout": 0}, {"timeout": -1.0}, {"timeout": float("nan")}, {"timeout": float("inf")},
        {"timeout": "1"}, {"timeout": True},
    ],
)  # fmt: skip
def test_limits_that_are_none_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(shoal.SpecError, match=next(iter(wrong))), limits(**wrong):
        pass


def test_limits_hold_within_and_add_up() -> None:
    before = budget()
    with limits(max_records=5), limits(max_bytes=7, timeout=2):
        assert budget() == Budget(max_records=5, max_bytes=7, timeout=2)
        with unlimited():
            budget().check_records(10**12, "the table")
            budget().check_bytes(10**15, "the table")
            assert budget().timeout == 2
    assert budget() is before
    with pytest.raises(ZeroDivisionError), limits(max_records=5):
        _ = 1 // 0
    assert budget() is before


def test_another_thread_has_the_usual_limits() -> None:
    with limits(max_records=5), ThreadPoolExecutor(1) as other:
        assert other.submit(budget).result() == Budget()


def test_the_limit_itself_is_allowed() -> None:
    held = Budget(max_records=3, max_bytes=2**27 + 64)
    for check, most in ((held.check_records, 3), (held.check_bytes, 2**27 + 64), (held.check_items, 2**23 + 4)):
        check(most, "the table")
        with pytest.raises(shoal.SpecError, match=f"more than {most} .*the table.*--max-"):
            check(most + 1, "the table")


def test_bytes_that_users_allow_are_those_of_all_files() -> None:
    for size in (1, 10**9):
        held = Budget(max_bytes=size)
        assert (held.table_bytes, held.text_bytes, held.unpacked_bytes(1)) == (size, size, size)
    assert [Budget(max_bytes=size).job_bytes for size in (1, 2**22, 2**23, 2**28)] == [1, 2**22, 2**22, 2**23]
    assert [Budget(max_bytes=size).items for size in (1, 2**28)] == [2**23, 2**24]


def test_a_packed_file_may_grow_a_hundred_times() -> None:
    assert Budget().unpacked_bytes(1) == 256 << 20
    assert Budget().unpacked_bytes(100 << 20) == 10_000 << 20


@pytest.mark.parametrize("way", ["records", "bytes", "time"])
def test_a_meter_stops_at_each_limit(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("shoal.foundation.budgets.monotonic", lambda: now[0])
    with limits(max_records=10, max_bytes=100, timeout=3):
        meter = Meter("the view")
    meter.take(10, 100)
    now[0] = 3.0
    meter.check()
    assert not meter.late()
    now[0] += 0.5 * (way == "time")
    assert meter.late() == (way == "time")
    words = {"records": "more than 10 records", "bytes": "more than 100 bytes", "time": "within 3 s.*--timeout"}
    with pytest.raises(shoal.SpecError, match=words[way]):
        meter.take(int(way == "records"), int(way == "bytes"))


def test_a_pipe_and_a_device_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        for reads in (check_regular, read_bytes):
            with pytest.raises(shoal.SpecError, match="a regular file is needed"):
                reads(path)
    check_regular(tmp_path)
    check_regular(tmp_path / "nowhere")
    check_regular(tmp_path / "zero\0byte")


def test_what_is_read_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path) == b"12345"
    assert read_bytes(path, 5) == b"12345"
    with unlimited():
        assert read_bytes(path) == b"12345"
    with pytest.raises(shoal.SpecError, match=r"more than 4 bytes in '.*file'.*--max-bytes"):
        read_bytes(path, 4)
    with limits(max_bytes=4), pytest.raises(shoal.SpecError, match="more than 4 bytes"):
        read_bytes(path)
    for missing in (tmp_path / "nowhere", tmp_path / "zero\0byte"):
        with pytest.raises(FileNotFoundError):
            read_bytes(missing)
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)
