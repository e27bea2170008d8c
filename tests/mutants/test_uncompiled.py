"""Changed kernels are run as plain Python by all who hold them."""

import ast
import sys
from types import ModuleType

import pytest

from tests.mutants.uncompiled import has_kernels, uncompiled

SOURCE = """
from shoal.kernels import inner_kernel, kernel

LIMIT = 3

@inner_kernel
def _half(number):
    return number // 2

@kernel
def quarter(number):
    return _half(_half(number)) if number > LIMIT else 0
"""


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a module of kernels, which another module and a test hold as well."""
    module, user, test = (ModuleType(name) for name in ("shoal.kernels.made", "shoal.made", "tests.test_made"))
    for one in (module, user, test):
        one.__file__ = f"{one.__name__}.py"
        monkeypatch.setitem(sys.modules, one.__name__, one)
    vars(module).update(quarter="compiled", _half="compiled", LIMIT=3)
    vars(user).update(quarter=vars(module)["quarter"], _half="its own")
    vars(test).update(quarter=vars(module)["quarter"])
    return module


def test_all_who_hold_a_kernel_run_the_changed_one_and_nothing_else_is_touched(kernels: ModuleType) -> None:
    assert has_kernels(kernels)
    assert not has_kernels(sys.modules["shoal.made"])
    put = uncompiled(kernels, ast.parse(SOURCE.replace("// 2", "// 3")), {})
    assert put is not None
    assert vars(kernels)["quarter"] == "compiled"
    put()
    for name in ("shoal.kernels.made", "shoal.made", "tests.test_made"):
        assert vars(sys.modules[name])["quarter"](18) == 2
        assert vars(sys.modules[name])["quarter"](3) == 0
    assert vars(sys.modules["shoal.made"])["_half"] == "its own"


def test_a_source_that_cannot_be_run_is_not_put_in_place(kernels: ModuleType) -> None:
    assert uncompiled(kernels, ast.parse(SOURCE.replace("LIMIT = 3", "LIMIT, MORE = 3,")), {}) is None
