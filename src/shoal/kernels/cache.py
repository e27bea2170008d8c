"""Where compiled kernels are kept: by what they were compiled from, for which processor, and by which Numba.

A kept kernel lies in a folder whose name stands for all of these, so that one that does not fit is never found:

- the `stamp` of the source of all kernels;
- the machine: kind and features of its processor, Python, Numba, LLVM.

They are looked for in the user's cache directory, which all installations and clones share, then beside the source,
which is for those who have no such directory, and last among the portable ones that a wheel brings along: these run on
every processor of the kind. `NUMBA_CACHE_DIR` names another folder, as for all users of Numba.
"""

import os
import pickle
import shutil
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from uuid import uuid4

import numba
from numba.core import codegen, compiler, runtime
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from shoal.kernels import STAMP
from shoal.kernels.clock import STOPWATCH
from shoal.kernels.signatures import spelled
from shoal.kernels.stamp import stamp

_llvm: Any = codegen.ll  # type: ignore[attr-defined]
_runtime: Any = runtime.rtsys  # type: ignore[attr-defined]
_result: Any = compiler.CompileResult

ROOM = Path(__file__).parent
SHIPPED = [ROOM / "compiled"]
"""Where portable kernels lie; who compiles those of this machine leaves them out."""
_MOST_SOURCES = 4  # whose kernels are kept in one place: each has about 15 MB
PORTABLE = ("generic", "")  # the processor, and its features, that every one of the kind has


def machine(triple: str, processor: str, features: str) -> str:
    """Return what stands for all that compiled code depends on beside its source."""
    known = (triple, processor, features, sys.implementation.cache_tag, numba.__version__, _llvm.llvm_version_info)
    return sha256(repr(known).encode()).hexdigest()[:16]


def own_places() -> list[Path]:
    """Return the folders where compiled kernels are kept, the first that can be written to being written to."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(named) / "shoal"]
    user = Path(AppDirs(appname="shoal", appauthor=False).user_cache_dir)  # type: ignore[no-untyped-call]
    return [*([user] if user.is_absolute() else []), ROOM / "__pycache__"]  # who has no home has no cache directory


def keepable() -> bool:
    """Return whether there is a folder that can be written to, so that what is compiled lasts."""
    for place in own_places():
        with suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=place):
                return True
    return False


class Cache:
    """The compiled code of one kernel, as Numba asks for it and hands it over."""

    def __init__(self, name: str) -> None:
        self.name = name

    def load_overload(self, given: Any, context: Any) -> Any:
        """Return what was compiled for these types, if it was.

        Numba's own cache first lets it learn all that it can compile, a quarter of a second. To load needs only what
        allocates arrays; and who compiles learns it then.
        """
        with STOPWATCH:
            _runtime.initialize(context)
            for folder in _folders(context.codegen()):
                found = fetched(folder / _file(self.name, given))
                if found is not None:
                    _in_use(folder.parent)
                    return _result._rebuild(context, *found)  # noqa: SLF001
        return None

    def save_overload(self, given: Any, made: Any) -> None:
        """Keep what was compiled, in the first place that can be written to; if none can, it lasts for the process.

        So it does if somebody has changed the source since it was loaded, whose stamp it would bear.
        """
        if made.library.has_dynamic_globals:
            raise TypeError(f"The kernel {self.name} refers to addresses of this process: it cannot be kept.")
        if stamp(ROOM) != STAMP:
            return
        content = dumps(made._reduce())  # type: ignore[no-untyped-call]  # noqa: SLF001
        for place in own_places():
            with suppress(OSError):
                keep(_own(place, made.codegen) / _file(self.name, given), content)
                return


def kept(name: str, given: Any, context: Any) -> list[Path]:
    """Return the files that keep what was compiled for these types, the one that is loaded first."""
    paths = [folder / _file(name, given) for folder in _folders(context.codegen())]
    return [path for path in paths if path.is_file()]


def _file(name: str, given: Any) -> str:
    return f"{name}-{sha256(spelled(given).encode()).hexdigest()[:16]}.kernel"


def _folders(target: Any) -> list[Path]:
    """Return where compiled kernels may lie that fit, those made for this processor first."""
    portable = machine(target.magic_tuple()[0], *PORTABLE)
    own = [_own(place, target) for place in own_places()]
    return own + [place / f"kernels-{STAMP}" / portable for place in SHIPPED]


def _own(place: Path, target: Any) -> Path:
    return place / f"kernels-{STAMP}" / machine(*target.magic_tuple())


def fetched(path: Path) -> Any:
    """Return what is kept in a file, or None if there is none, or only a part of one."""
    try:
        kept = path.read_bytes()
    except OSError:
        return None
    digest, content = kept[:32], kept[32:]
    return pickle.loads(content) if sha256(content).digest() == digest else None  # noqa: S301  (our own)


@cache
def _in_use(source: Path) -> None:
    """Mark the kernels of a source as used, once in a process: those of others go first."""
    with suppress(OSError):  # the kernels of a wheel may lie where nothing can be written
        os.utime(source)


def _last_used(source: Path) -> float:
    """Return when the kernels of a source were last used or added to; another process may have taken them away."""
    with suppress(OSError):
        return source.stat().st_mtime
    return 0.0


def keep(path: Path, content: bytes) -> None:
    """Keep what was compiled, as a whole or not at all; of other sources only those used last stay."""
    own = path.parent.parent
    if not own.exists():
        own.mkdir(parents=True, exist_ok=True)
        for other in sorted(own.parent.glob("kernels-*"), key=_last_used, reverse=True)[_MOST_SOURCES:]:
            shutil.rmtree(other, ignore_errors=True)
    path.parent.mkdir(exist_ok=True)
    draft = path.with_suffix(f".{uuid4().hex}")
    try:
        draft.write_bytes(sha256(content).digest() + content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
