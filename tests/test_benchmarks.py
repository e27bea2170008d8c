"""The benchmarks are not run by the tests; but what they import must be there."""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.test_house import ROOT

SCRIPTS = sorted((ROOT / "benchmarks").rglob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_what_a_benchmark_imports_is_there(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shoal"):
            module = import_module(str(node.module))
            for alias in node.names:
                assert hasattr(module, alias.name) or submodule(module, alias.name), f"{node.module}.{alias.name}"


def submodule(module: ModuleType, name: str) -> bool:
    return (Path(str(module.__file__)).parent / f"{name}.py").is_file()
