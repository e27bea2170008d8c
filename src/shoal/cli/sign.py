"""`shoal sign`."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.request import AsJson, Quiet
from shoal.cli.show import print_json, progress
from shoal.foundation.errors import SpecError


def sign(
    release: Annotated[Path | None, typer.Argument(help="Folder of a release.")] = None,
    key: Annotated[Path | None, typer.Option(help="Private key file.")] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the signer, used in the file name; default that of the key.")
    ] = None,
    new_key: Annotated[Path | None, typer.Option(help="Private key file to create; no release is signed.")] = None,
    output: Annotated[
        str | None, typer.Option(help="URL of the database with the released table, if it was moved.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Sign a release that verifies, or create a key.

    A signature is a file beside the manifest of the release; there may be several.
    """
    from shoal.actions.sign import make_key
    from shoal.actions.sign import sign as put

    if new_key is not None and release is None and key is None:
        public = make_key(new_key)
        if as_json:
            print_json({"private": str(new_key), "public": str(public)})
            return
        print(f"private key: {new_key} (only you may read it: keep it, and never put it into a release)")
        print(f"public key:  {public} (give it to those who are to check your signatures)")
        return
    if release is None or key is None or new_key is not None:
        raise SpecError("Give a release and --key, to sign it; or --new-key alone, to make a key.")
    with progress(quiet=quiet) as show:
        done = put(release, key, name=name, url=output, progress=show)
    if as_json:
        print_json(done.as_dict())
        return
    print(f"verdict:    {done.verified.verdict}")
    for path in done.signatures:
        print(f"signature:  {path}")
