"""`shoal compile`."""

from pathlib import Path

import pytest

from shoal.actions import compile as action
from tests.cli.run import done

FOLDER = Path("kept")


def _patched(monkeypatch: pytest.MonkeyPatch, compiled: int) -> list[Path | None]:
    asked: list[Path | None] = []

    def portable(folder: Path, *_: object) -> action.Compiled:
        asked.append(folder)
        return action.Compiled(100, compiled, 61.2345, folder)

    def native(*_: object) -> action.Compiled:
        asked.append(None)
        return action.Compiled(100, compiled, 61.2345, FOLDER)

    monkeypatch.setattr(action, "compile_portable", portable)
    monkeypatch.setattr(action, "compile_kernels", native)
    return asked


def test_it_tells_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _patched(monkeypatch, 7)
    assert done("compile").out == "100 kernels are ready, 7 of them compiled in 61 s: kept\n"
    assert done("compile", "--json").json == {"kernels": 100, "compiled": 7, "seconds": 61.234, "folder": "kept"}
    assert asked == [None, None]


def test_it_tells_that_there_was_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    _patched(monkeypatch, 0)
    assert done("compile").out == "100 kernels are ready, as they were: kept\n"


def test_portable_ones_go_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = _patched(monkeypatch, 100)
    done("compile", "--portable", tmp_path)
    assert asked == [tmp_path]
