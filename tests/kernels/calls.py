"""Notes with which types shoal calls its kernels, so that a test fails that comes by with types nobody has listed."""

from inspect import currentframe
from types import FrameType
from typing import Any

from shoal.kernels.cache import Cache
from shoal.kernels.signatures import brief, listed, read, shapes, spelled

UNLISTED: list[str] = []


def watch() -> None:
    """Look at every kernel that is called for the first time with some types."""
    load = Cache.load_overload

    def noted(self: Cache, given: Any, context: Any) -> Any:
        if _from_shoal(currentframe()) and not is_listed(self.name, given):
            UNLISTED.append(f'"{self.name}" = ["{brief(given)}"] where {shapes(given)}')
        return load(self, given, context)

    Cache.load_overload = noted  # type: ignore[method-assign]


def is_listed(name: str, given: Any) -> bool:
    return spelled(given) in {spelled(one) for call in listed().get(name, ()) for one in read(call)}


def _from_shoal(frame: FrameType | None) -> bool:
    """Tell whether shoal called the kernel from Python, and neither a test nor another kernel."""
    depth, frame = 0, frame and frame.f_back
    while frame is not None and frame.f_globals["__name__"].partition(".")[0] in ("numba", "contextlib"):
        depth += frame.f_code.co_name == "compile" and frame.f_globals["__name__"] == "numba.core.dispatcher"
        frame = frame.f_back
    called = frame is not None and frame.f_globals["__name__"] == "shoal.kernels" and frame.f_back is not None
    return depth == 1 and called and str(frame.f_back.f_globals["__name__"]).startswith("shoal.")  # type: ignore[union-attr]
