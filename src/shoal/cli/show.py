"""How the commands show progress, results and errors."""

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from shoal.foundation.errors import CertificateError, InfeasibleError, PluginWarning, ShoalError
from shoal.foundation.wording import safety

if TYPE_CHECKING:
    from rich.console import Console


def fail(error: ShoalError, *, as_json: bool) -> int:
    """Tell an error and return its exit code."""
    print(str(error), file=sys.stderr)
    if as_json:
        content: dict[str, Any] = {"kind": type(error).__name__, "message": str(error)}
        if isinstance(error, InfeasibleError | CertificateError) and (error.diagnosis or error.exit_code == 3):
            content["diagnosis"] = error.diagnosis
        print_json({"error": content})
    return error.exit_code


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Tell in one line which plug-in is left out; where in our code that was found out is nobody's business."""
    plain = issubclass(category, PluginWarning)
    text = f"Warning: {message}\n" if plain else warnings.formatwarning(message, category, filename, lineno, line)
    (file or sys.stderr).write(text)


def print_json(content: object) -> None:
    """Print JSON for other programs."""
    print(json.dumps(content, indent=2, ensure_ascii=False))


def plain_console(*, stderr: bool = False, width: int | None = None) -> "Console":
    """Return a console that takes texts as they are: a name such as `[red]` is no colour."""
    from rich.console import Console  # loads where something is printed

    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def print_claims(claims: list[dict[str, Any]]) -> None:
    """Print a table of promises, with what strict counting reaches where missing values match everything."""
    from rich.table import Table

    both = any("strict" in claim for claim in claims)
    reached = ("by wildcards", "strictly") if both else ("achieved",)
    table = Table("promise", "asked", *reached, "holds", box=None, pad_edge=False)
    for claim in claims:
        entity = claim["parameters"].get("entity")
        members = claim["parameters"].get("members")
        people = f"persons by {entity}" if entity else f"households of at most {members}" if members else None
        column = ", ".join(filter(None, [claim["parameters"].get("column"), people]))
        name = f"{claim['model']} ({column})" if column else str(claim["model"])
        name += ", estimated" if claim.get("estimated") else ""
        figures = [words(claim[key]) for key in ("achieved", "strict")[: len(reached)]]
        table.add_row(name, words(claim["asked"]), *figures, "yes" if claim["holds"] else "NO")
    plain_console().print(table)
    if both:
        print("strictly: a missing value is a value of its own, because an attacker may know that it is missing")


def print_files(certificate: Mapping[str, Any], useful: Any, out: Path) -> None:
    """Print where the files of a release are, and both halves of its verdict: safe, and useful."""
    print(f"release:     {' and '.join(_data(certificate, out / 'public'))}")
    left_out = certificate.get("left_out", ())
    files = {"certificate": "certificate.json", "job": "job.toml", "rules": "rules.json", "report": "report.html"}
    for title, name in files.items():
        print(f"{title + ':':<12} {'left out: too large' if name in left_out else out / 'private' / name}")
    print(f"verdict:     {safety(certificate)}: {certificate['verdict']}")
    _print_useful(useful)
    print()


def _print_useful(useful: Any) -> None:
    """Print the second half of the verdict, in red if the release is of little use."""
    _print_beside("", useful.verdict, "" if useful else "bold red")


def _print_beside(title: str, text: str, style: str = "") -> None:
    """Print a text in the second column of what a command says; on a terminal its lines stay there."""
    console = plain_console()
    if not console.is_terminal:
        print(f"{title:<13}{text}")  # a file has lines of any length
        return
    from rich.table import Table  # loads where something is printed

    table = Table.grid()
    table.add_column(width=13, no_wrap=True)
    table.add_column()
    table.add_row(title, text, style=style)
    console.print(table)


def print_changes(useful: Any, out: Path, table: str | None = None) -> None:
    """Print what would make a release useful, each change with its command, in one line that can be pasted.

    Args:
        useful: The second half of the verdict.
        out: The folder of the release.
        table: The table that the data went into, if it went into a database.
    """
    if not useful.tried:
        return
    print()
    _print_beside("instead:", useful.tried, "red")
    for change in useful.changes:
        _print_beside(f"{change.loss:6.1%} lost", change.words, "red")
        if change.remarks:
            _print_beside("", change.remarks)
        print(f"             {change.command(str(out), str(out), table)}")


def print_hands(certificate: Mapping[str, Any], out: Path) -> None:
    """Print what of a release may be passed on, and what is to be kept."""
    print()
    tables = [name for name in _data(certificate, out) if name.startswith("table ")]
    print(f"pass on:     {', '.join([*tables, f'{out}/public/'])}")
    print(f"keep:        {out}/private/ (reveals more than the data)")


def _data(certificate: Mapping[str, Any], out: Path) -> dict[str, None]:
    """Return the files or tables that are released."""
    parts = (certificate, certificate.get("clusters", {}))
    files = [part["file"] for part in parts if "file" in part]
    return dict.fromkeys(f"table {file['name']}" if "database" in file else str(out / file["name"]) for file in files)


def print_meaning(measure: str, place: int = 0) -> None:
    """Print what a measure counts, in half a line.

    Args:
        measure: Its name.
        place: Where the line starts.
    """
    from shoal.jobs.glossary import meaning  # pydantic loads here, not on --help

    if told := meaning(measure):
        print(f"{'':{place}}{measure}: {told}")


def words(value: object) -> str:
    """Return a number, or several with their names, as short text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {words(one)}" for name, one in value.items())
    if isinstance(value, float):
        return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
    return str(value)


_NOTICE = (
    "Compiling kernels for this machine, once; it may take a minute. `shoal compile` compiles all of them at once."
)
_IN_MEMORY = (
    "Compiling kernels in memory; it may take a minute. No cache folder is writable, so every command compiles again: "
    "set NUMBA_CACHE_DIR to a writable folder."
)


class _Compilation:
    """Tells once, while a command wants it told, that the kernels are compiled."""

    def __init__(self) -> None:
        self._say: Callable[[str], None] | None = None
        self._watched = False

    @contextmanager
    def told(self, say: Callable[[str], None]) -> Iterator[None]:
        """Say it by `say` if it happens within."""
        from shoal.kernels.clock import announce_compilation

        if not self._watched:
            announce_compilation(self._tell)
        self._watched, self._say = True, say
        try:
            yield
        finally:
            self._say = None

    def _tell(self, kept: bool) -> None:
        if self._say is not None:
            self._say(_NOTICE if kept else _IN_MEMORY)


_COMPILATION = _Compilation()


@contextmanager
def progress(*, quiet: bool) -> Iterator[Any]:
    """Give a callback that shows progress on a terminal, and tell when kernels are compiled."""
    from shoal.foundation.progress import silent

    if quiet:
        yield silent
    elif not sys.stderr.isatty():
        with _COMPILATION.told(lambda notice: print(notice, file=sys.stderr)):
            yield silent
    else:
        from shoal.cli.printing.bar import Bar  # what draws it loads here, not on --help

        with Bar() as bar, _COMPILATION.told(bar.say):
            yield bar
