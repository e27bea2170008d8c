"""`shoal compile`: every kernel compiled at once, so that no later run waits for one."""

import gc
import os
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from time import monotonic

from shoal.foundation.errors import SpecError
from shoal.foundation.parallel import THREADS
from shoal.foundation.progress import Progress, silent
from shoal.foundation.versions import version_of

_STEP = "compiling the kernels"
_FIRST = ("local.annealing", "clusters.improving", "local.cuts")  # take longest: the cores should end together


@dataclass(frozen=True, slots=True)
class Compiled:
    """What `compile_kernels` did.

    Args:
        kernels: How many kernels the rest of shoal calls, each for all the types that it is called with.
        compiled: How many of them were not there yet.
        seconds: How long it took.
        folder: Where they are kept.
    """

    kernels: int
    compiled: int
    seconds: float
    folder: Path


def compile_kernels(progress: Progress = silent, names: Sequence[str] | None = None) -> Compiled:
    """Compile kernels for the processor of this machine, and keep them where every run looks for them.

    Args:
        progress: Where to tell how far it is.
        names: Which, such as `grouping.take`; all if None.
    """
    return _shared({}, progress, names)[0]


def compile_portable(folder: Path, progress: Progress = silent, names: Sequence[str] | None = None) -> Compiled:
    """Compile kernels for every processor of this kind into `folder`, which a wheel brings along.

    A wheel that does so requires what `requires.txt` there says: others could not load them.
    """
    with TemporaryDirectory() as own:
        done, files = _shared({"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": own}, progress, names)
        for file in files:
            machine, stamp = file.parent, file.parent.parent
            copy = folder / stamp.name / machine.name / file.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copyfile(file, copy)
    (folder / "requires.txt").write_text(f"numba=={version_of('numba')}\n", encoding="utf-8")
    return Compiled(done.kernels, done.compiled, done.seconds, folder)


def _shared(
    settings: Mapping[str, str], progress: Progress, names: Sequence[str] | None
) -> tuple[Compiled, list[Path]]:
    """Share the kernels among the cores. Numba compiles in one thread at a time, so that these are processes."""
    progress(_STEP, 0.0)
    started, compiled = monotonic(), 0
    files: list[Path] = []
    context = get_context("spawn")
    with ProcessPoolExecutor(THREADS, context, _prepare, (settings,)) as pool:
        try:
            chosen = sorted(names or pool.submit(_names).result(), key=_patience)
            tasks = [pool.submit(_compiled, name) for name in chosen]
            for number, task in enumerate(as_completed(tasks), 1):
                made, fresh = task.result()
                files += made
                compiled += fresh
                progress(_STEP, number / len(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in active_children():
                child.terminate()
            raise
    if not files:
        raise SpecError("No cache folder for compiled kernels is writable: set NUMBA_CACHE_DIR to a writable folder.")
    return Compiled(len(chosen), compiled, monotonic() - started, files[0].parent), files


def _patience(name: str) -> tuple[bool, str]:
    return not name.startswith(_FIRST), name


def _prepare(settings: Mapping[str, str]) -> None:
    """Set up a process, before it loads Numba; an interrupt ends it without a word.

    Numba makes many objects that stay: to look for cycles among them as often as usual takes a tenth of the time.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(50_000, 20, 100)
    os.environ.update(settings)


def _names() -> list[str]:
    from shoal.kernels.signatures import listed

    return list(listed())


def _compiled(name: str) -> tuple[list[Path], bool]:
    """Compile a kernel, if need be; return the files that keep it, and whether there was need."""
    from shoal.kernels.compiling import compiled

    return compiled(name)
