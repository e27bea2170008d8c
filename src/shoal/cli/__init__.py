"""The command line: one file per command."""

import errno
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from io import TextIOWrapper
from pathlib import Path
from signal import SIGINT
from traceback import extract_tb
from typing import NoReturn, ParamSpec

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]
from typer.core import TyperGroup

from shoal.cli.anonymize import anonymize
from shoal.cli.apply import apply
from shoal.cli.attack import attack
from shoal.cli.check import check
from shoal.cli.compare import compare
from shoal.cli.compile import compile  # noqa: A004  (the verb)
from shoal.cli.completion import install_completion, show_completion
from shoal.cli.example import example
from shoal.cli.frontier import frontier
from shoal.cli.hierarchy import hierarchy
from shoal.cli.init import init
from shoal.cli.limits import limited
from shoal.cli.minimal import minimal
from shoal.cli.pseudonym import pseudonym
from shoal.cli.risk import risk
from shoal.cli.sample import sample
from shoal.cli.schema import schema
from shoal.cli.show import fail, show_warning
from shoal.cli.sign import sign
from shoal.cli.ui import ui
from shoal.cli.utility import utility
from shoal.cli.verify import verify
from shoal.foundation.errors import ShoalError, SpecError
from shoal.foundation.given import UNUSABLE_NAMES
from shoal.foundation.systems import interrupts

P = ParamSpec("P")


def interruptible(command: Callable[P, None]) -> Callable[P, None]:
    """Return a command that ends with a word when it is interrupted; typer would end without one.

    An interrupt that comes just as a kernel returns is told by Python as a cause of a SystemError, and one that comes
    as a class is made as that of a RuntimeError.
    """

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (KeyboardInterrupt, SystemError, RuntimeError) as error:
            interrupt = _interrupt(error)
            if interrupt is None:
                raise
            _end(interrupt)

    return run


def _end(interrupt: KeyboardInterrupt) -> NoReturn:
    """Tell of an interrupt, and end with the code of its signal."""
    print("Interrupted: nothing was written.", file=sys.stderr)
    sys.exit(128 + next((part for part in interrupt.args if isinstance(part, int)), SIGINT))


def _interrupt(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interrupt among an error and its causes."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


app = typer.Typer(
    name="shoal",
    help="Release tables of personal data so that every record looks like at least k - 1 others, with a certificate.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,  # ours takes the name of a shell
    # a flag without a value would be read by pydantic, which takes longer to load than all of --help
    context_settings={"help_option_names": ["-h", "--help"], "default_map": {"help": False}},
)
_INFEASIBLE = "3 no such release exists"
_COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {  # what exit codes of its own each has
    init: (),
    hierarchy: ("2 also if values of the data are missing from it",),
    anonymize: (_INFEASIBLE, "4 what was written does not meet a requirement"),
    apply: ("4 refused, because a requirement is not met or the rules do not cover all records",),
    sample: ("3 no class is large enough",),
    verify: ("4 not verified, or not signed with a given --key",),
    sign: ("4 not verified, and so not signed",),
    pseudonym: (),
    check: ("4 a requirement of --require is not met",),
    risk: ("4 somebody is above --threshold",),
    attack: ("4 an attack reaches more than --fail-above",),
    utility: (_INFEASIBLE + " (with --split)",),
    compare: ("3 no setting gives a release",),
    frontier: (),
    minimal: (_INFEASIBLE,),
    compile: (),
    example: (),
    schema: (),
    ui: (),
}
completion_init()
for command, own in _COMMANDS.items():
    codes = ("0 done", "2 an error in the request or the input", *own, "130 interrupted", "1 any other error")
    read = command if command in (compile, example, schema) else limited(command)
    app.command(epilog=f"Exit codes: {'; '.join(codes)}.")(interruptible(read))


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
    show: bool = typer.Option(
        False,
        "--show-completion",
        callback=show_completion,
        is_eager=True,
        help="Print the completion script for bash, zsh or fish; default the current shell.",
    ),
    install: bool = typer.Option(
        False,
        "--install-completion",
        callback=install_completion,
        is_eager=True,
        help="Install the completion script for bash, zsh or fish; default the current shell.",
    ),
) -> None:
    if version:
        from shoal.foundation.versions import version_of

        print(version_of("shoal"))
        raise typer.Exit


def main() -> NoReturn:
    """Run a command; an error ends with a message for people and the exit code of its kind.

    An error that nobody foresaw is told by its place only: its own words might hold a value of the table.
    """
    as_json = "--json" in sys.argv
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that a terminal cannot show must not stop us
    interrupts.watch()
    try:
        _run(as_json=as_json)
    except KeyboardInterrupt as interrupt:  # it came before a command had begun
        _end(interrupt)
    except BrokenPipeError:  # who read our output has gone, as `head` does; the work itself is done
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(interrupts.reader_gone())
    except Exception as error:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            print("There is not enough memory for this table: nothing was written.", file=sys.stderr)
            sys.exit(1)
        last = extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        print(f"Internal error ({place}): nothing was written.", file=sys.stderr)
        sys.exit(1)
    sys.exit(0)


@cache
def _parser() -> TyperGroup:
    """Return what reads the arguments of all commands; to make it from their signatures takes a while."""
    return typer.main.get_group(app)


def _run(*, as_json: bool) -> None:
    """Run the command; one that fails tells it like any other, so that whoever reads it may have gone too."""
    try:
        _parser()(standalone_mode=True)
    except SystemExit as ended:
        interrupt = _interrupt(ended) if isinstance(ended.__context__, typer.Exit) else None
        if interrupt is not None:  # it came while the arguments were read, and typer made it an end without a word
            _end(interrupt)
        raise
    except ShoalError as error:
        sys.exit(fail(error, as_json=as_json))
    except OSError as error:
        if error.errno not in UNUSABLE_NAMES:
            raise
        sys.exit(fail(SpecError(f"The name of a file cannot be used: {os.strerror(error.errno)}."), as_json=as_json))


def start() -> NoReturn:
    """Run `main` as a program, and end without taking the interpreter apart, which costs a third of a second.

    Nothing is left to clear up by then: files are closed, and what was said is passed on here.
    """
    code = 0
    warnings.showwarning = show_warning
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):
            stream.flush()
    os._exit(code)
