"""What is made once for all changes that have no part in it."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.mutants.made import Made, lasting, lay, name_of


class _Definition(SimpleNamespace):
    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


def made(reached: str, value: Any, *needs: str, name: str = "folder") -> dict[str, Any]:
    definition = SimpleNamespace(
        argname=name, baseid="x.py", argnames=needs, params=None, func=made, cached_result=(value, None, None)
    )
    told: dict[str, Any] = json.loads(json.dumps(Made(definition, 1.0, {reached}).told()))
    return told


def test_what_came_by_the_changed_statement_is_made_again_and_what_needs_it_too() -> None:
    known = {
        "x.py::raw": made("a.py:1", "raw", "tmp_path_factory", name="raw"),
        "x.py::release": made("a.py:2", "release", "raw", name="release"),
        "x.py::forged": made("a.py:3", "forged", "release", name="forged"),
        "x.py::object": made("a.py:3", object(), name="object"),
        "x.py::seen": made("a.py:3", "seen", "object", name="seen"),
    }
    assert lasting(known, "a.py:9") == {"x.py::raw", "x.py::release", "x.py::forged"}
    assert lasting(known, "a.py:2") == {"x.py::raw"}
    assert lasting(known, "a.py:1") == set()
    assert lasting(known | {"y.py::raw": made("a.py:9", "raw", name="raw")}, "a.py:9") == {"x.py::raw"}


def test_a_folder_that_was_written_to_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1", encoding="utf-8")
    known = {"x.py::folder": made("a.py:1", {"a": [tmp_path]})}

    def given() -> Any:
        definition = _Definition(argname="folder", baseid="x.py", cached_result=None, finish=None)
        test = SimpleNamespace(_fixtureinfo=SimpleNamespace(name2fixturedefs={"folder": [definition]}))
        assert name_of(definition) == "x.py::folder"
        lay([test], known, {"x.py::folder"})
        return definition.cached_result

    assert given() == ({"a": [tmp_path]}, None, None)
    (tmp_path / "b.csv").write_text("1", encoding="utf-8")
    assert given() is None
