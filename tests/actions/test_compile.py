"""`shoal.actions.compile`: kernels are compiled by other processes, and kept where runs look for them."""

from pathlib import Path

import pytest

from shoal.actions.compile import compile_kernels, compile_portable
from shoal.foundation.errors import SpecError
from shoal.kernels import STAMP

NAMES = ("grouping.add_rows", "grouping.group_keys")


def test_they_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    shares: list[float | None] = []
    done = compile_kernels(lambda _, share=None: shares.append(share), NAMES)
    assert (done.kernels, done.compiled) == (2, 2)
    assert shares == [0.0, 0.5, 1.0]
    assert done.folder.is_relative_to(tmp_path / "shoal" / f"kernels-{STAMP}")
    names = sorted(path.name.rpartition("-")[0] for path in done.folder.iterdir())
    assert set(NAMES) <= set(names)
    assert compile_kernels(names=NAMES).compiled == 0


@pytest.mark.deep  # `make wheel` compiles all of them
def test_portable_ones_are_those_that_are_called_from_outside(tmp_path: Path) -> None:
    compile_portable(tmp_path, names=NAMES)
    found = sorted(path.name.rpartition("-")[0] for path in tmp_path.rglob("*.kernel"))
    assert found == sorted(NAMES)  # and not `grouping.mix`, which is within one of them
    assert (tmp_path / "requires.txt").read_text(encoding="utf-8").startswith("numba==")


def test_an_error_names_what_can_be_done_where_nothing_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(SpecError, match="NUMBA_CACHE_DIR"):
        compile_kernels(names=NAMES[:1])
