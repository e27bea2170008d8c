"""Compiled kernels are kept: found again wherever the source went, and never found for another source."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import shoal.kernels
from shoal.kernels import cache
from shoal.kernels.stamp import stamp

ROOM = Path(shoal.kernels.__file__).parent
PARTS = ("__init__.py", "cache.py", "clock.py", "compiling.py", "signatures.py", "signatures.toml", "stamp.py")
TINY = """
from shoal.kernels import inner_kernel, kernel
from shoal.kernels.deep.step import step

@kernel
def climb(n):
    total = 0
    for i in range(n):
        total = step(total)
    return total
"""
STEP = """
from shoal.kernels import inner_kernel

@inner_kernel
def step(x):
    return x + 1
"""
CODE = """
from shoal.kernels.clock import announce_compilation
from shoal.kernels.deep.tiny import climb
announce_compilation(lambda kept: print("compiled" if kept else "compiled in memory", end=" "))
print(climb(5))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the room with two kernels only."""
    room = tmp_path / "first" / "shoal" / "kernels"
    (room / "deep").mkdir(parents=True)
    for part in PARTS:
        shutil.copyfile(ROOM / part, room / part)
    for empty in (room.parent / "__init__.py", room / "deep" / "__init__.py"):
        empty.touch()
    (room / "deep" / "tiny.py").write_text(TINY, encoding="utf-8")
    (room / "deep" / "step.py").write_text(STEP, encoding="utf-8")
    return tmp_path / "first"


def _run(tree: Path, **settings: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHON"))}
    environment |= {"PYTHONPATH": str(tree), "XDG_CACHE_HOME": str(tree.parent / "home")} | settings
    ran = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_a_moved_and_touched_tree_compiles_nothing_and_a_changed_byte_does(tree: Path) -> None:
    assert _run(tree) == "compiled 5"
    moved = tree.rename(tree.with_name("second"))
    for path in moved.rglob("*.py"):
        os.utime(path, (1, 1))
    [source] = (moved.parent / "home" / "shoal").glob("kernels-*")
    os.utime(source, (1, 1))
    assert _run(moved) == "5"
    assert source.stat().st_mtime > 1  # those in use stay longest
    step = moved / "shoal" / "kernels" / "deep" / "step.py"
    step.write_text(STEP.replace("x + 1", "x + 2"), encoding="utf-8")
    assert _run(moved) == "compiled 10"
    kept = moved.parent / "home" / "shoal"
    assert len(list(kept.glob("kernels-*"))) == 2
    copy = shutil.copytree(moved, moved.with_name("third"))
    assert _run(copy) == "10"  # a clone shares them


@pytest.mark.deep  # `make wheel` shows it with all kernels
def test_portable_ones_serve_where_there_are_no_others(tree: Path) -> None:
    room, made = tree / "shoal" / "kernels", tree.parent / "made"
    assert _run(tree, NUMBA_CPU_NAME="generic", NUMBA_CACHE_DIR=str(made)) == "compiled 5"
    shutil.move(made / "shoal", room / "compiled")
    assert _run(tree) == "5"
    assert not (tree.parent / "home").exists()


def test_who_has_no_cache_directory_keeps_them_beside_the_source(tree: Path) -> None:
    (tree.parent / "home").touch()  # no folder, and so nothing can be written into it
    assert _run(tree) == "compiled 5"
    assert list((tree / "shoal" / "kernels" / "__pycache__").glob("kernels-*"))
    assert _run(tree) == "5"


def test_who_can_write_nowhere_compiles_in_memory(tree: Path) -> None:
    shutil.rmtree(tree / "shoal" / "kernels" / "__pycache__", ignore_errors=True)
    for taken in (tree.parent / "home", tree / "shoal" / "kernels" / "__pycache__"):
        taken.touch()  # no folder, and so nothing can be written into it
    for _ in range(2):
        assert _run(tree, PYTHONDONTWRITEBYTECODE="1") == "compiled in memory 5"


def test_the_kernels_of_many_sources_make_room(tmp_path: Path) -> None:
    for number in range(6):
        cache.keep(tmp_path / f"kernels-{number}" / "machine" / "a.kernel", b"")
        os.utime(tmp_path / f"kernels-{number}", (number, number))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"kernels-{number}" for number in range(2, 6)]


def test_the_stamp_is_of_every_file_in_every_folder(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    (one / "deep").mkdir(parents=True)
    (one / "a.py").write_text("a", encoding="utf-8")
    (one / "deep" / "b.py").write_text("b", encoding="utf-8")
    shutil.copytree(one, other)
    assert stamp(one) == stamp(other)
    (other / "deep" / "b.py").write_text("c", encoding="utf-8")
    assert stamp(one) != stamp(other)
    (other / "deep" / "b.py").rename(other / "deep" / "c.py")
    (other / "deep" / "c.py").write_text("b", encoding="utf-8")
    assert stamp(one) != stamp(other)


def test_another_processor_numba_or_python_is_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {cache.machine(*what) for what in (("a", "b", "c"), ("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x"))}
    monkeypatch.setattr(numba, "__version__", "0")
    known.add(cache.machine("a", "b", "c"))
    assert len(known) == 5


def test_a_part_of_a_file_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "kernels-x" / "machine" / "a.kernel"
    cache.keep(path, pickle.dumps((1, 2)))
    assert cache.fetched(path) == (1, 2)
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.fetched(path) is None
    assert cache.fetched(tmp_path / "none") is None


def test_what_was_loaded_from_another_source_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @shoal.kernels.kernel
    def added(x: float) -> float:
        return x + 1

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "STAMP", "0123456789abcdef")
    assert added(1) == 2
    assert list(tmp_path.rglob("*.kernel")) == []
    monkeypatch.undo()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert added(1.5) == 2.5
    assert len(list(tmp_path.rglob("*.kernel"))) == 1
