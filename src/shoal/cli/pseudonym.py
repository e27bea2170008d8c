"""`shoal pseudonym`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.request import AsJson
from shoal.cli.show import print_json
from shoal.foundation.errors import SpecError


def pseudonym(
    key: Annotated[Path | None, typer.Option(help="Key file.")] = None,
    linked: Annotated[
        str | None,
        typer.Option(help="Name by which the column is linked; default its own, unless the job gives another."),
    ] = None,
    new_key: Annotated[Path | None, typer.Option(help="Key file to create; nothing else is done.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a key for pseudonyms, or print the pseudonyms of values, read line by line.

    Values are read from standard input, because other users of the machine can see arguments.
    """
    from shoal.actions.pseudonym import new_pseudonym_key

    if new_key is not None and key is None and linked is None:
        new_pseudonym_key(new_key)
        if as_json:
            print_json({"key": str(new_key)})
        else:
            print(f"key: {new_key} (only you may read it: keep it, and never put it into a release)")
        return
    if key is None or linked is None or new_key is not None:
        raise SpecError("Give --key and --linked, and the values line by line; or --new-key alone, to make a key.")
    _print_all(key, linked, as_json=as_json)


def _print_all(key: Path, linked: str, *, as_json: bool) -> None:
    """Print the pseudonyms of all lines that are read."""
    from shoal.jobs.keys.pseudonyms import PseudonymKey

    known = PseudonymKey.read(key)
    found = [known.pseudonym(linked, line.rstrip("\r\n")) for line in sys.stdin]
    if as_json:
        print_json({"pseudonyms": found})
        return
    for one in found:
        print(one)
