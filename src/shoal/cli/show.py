"""How the commands show progress, results and errors."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from shoal.errors import CertificateError, InfeasibleError, ShoalError

_PATIENCE = 1.0  # seconds before progress is shown


def fail(error: ShoalError, *, as_json: bool) -> int:
    """Tell an error and return its exit code."""
    if as_json:
        content: dict[str, Any] = {"kind": type(error).__name__, "message": str(error)}
        if isinstance(error, InfeasibleError | CertificateError) and (error.diagnosis or error.exit_code == 3):
            content["diagnosis"] = error.diagnosis
        print(json.dumps({"error": content}, indent=2, ensure_ascii=False))
    print(str(error), file=sys.stderr)
    return error.exit_code


def print_json(content: object) -> None:
    """Print JSON for other programs."""
    print(json.dumps(content, indent=2, ensure_ascii=False))


def print_claims(claims: list[dict[str, Any]]) -> None:
    """Print a table of promises."""
    table = Table("promise", "asked", "achieved", "holds", box=None, pad_edge=False)
    for claim in claims:
        column = claim["parameters"].get("column")
        name = f"{claim['model']} ({column})" if column else str(claim["model"])
        table.add_row(name, words(claim["asked"]), words(claim["achieved"]), "yes" if claim["holds"] else "NO")
    Console(highlight=False).print(table)


def places(certificate: dict[str, Any], out: Path) -> str:
    """Return where the data of a release is: files of its folder, or tables of a database."""
    files = [part["file"] for part in (certificate, certificate.get("clusters") or {}) if "file" in part]
    where = (f"table {file['name']}" if "database" in file else str(out / file["name"]) for file in files)
    return " and ".join(dict.fromkeys(where))


def words(value: object) -> str:
    """Return a number, or several with their names, as short text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {words(one)}" for name, one in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class _Shown:
    """Shows a bar on a terminal once a job takes longer than a moment."""

    def __init__(self) -> None:
        self._started = monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, step: str, share: float | None = None) -> None:
        if self._bar is None:
            if monotonic() - self._started < _PATIENCE:
                return
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(step, total=None)
        if self._task is not None:
            total = None if share is None else 1.0
            self._bar.update(self._task, description=step, completed=share or 0.0, total=total)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def progress(*, quiet: bool) -> Iterator[Any]:
    """Give a callback that shows progress on a terminal, and tell when kernels are compiled."""
    from shoal.kernels import announce_compilation
    from shoal.progress import silent

    if quiet:
        yield silent
        return
    announce_compilation(
        lambda: print(
            "Compiling the kernels for this machine; this is done once and takes a few seconds.", file=sys.stderr
        )
    )
    if not sys.stderr.isatty():
        yield silent
        return
    shown = _Shown()
    try:
        yield shown
    finally:
        shown.close()
