"""`shoal ui`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.foundation.errors import SpecError


def ui(
    source: Annotated[Path | None, typer.Argument(help="A table, a job file or a project folder to open.")] = None,
    port: Annotated[int, typer.Option(help="The port; default a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open a browser, or only print the address.")] = True,
    host: Annotated[
        str, typer.Option(help="Another address to listen on; needs --tls-certificate, --tls-key and a confirmation.")
    ] = "127.0.0.1",
    confirm: Annotated[
        str | None,
        typer.Option(
            help="With --host: the same address again, to confirm it where there is no terminal, as in a container."
        ),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="With --host: a name by which others reach this machine.")
    ] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="TLS certificate file.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Key file of the TLS certificate.")] = None,
    idle: Annotated[float, typer.Option(help="Minutes of inactivity after which the app exits.", min=0.1)] = 60.0,
) -> None:
    """Open the app in a browser, on this machine only: from a file to a signed release."""
    from shoal.web.serving import LOOPBACK, Place, serve

    if host != LOOPBACK:
        _confirm(host, confirm, tls_certificate, tls_key)
    serve(
        source,
        lambda address: print(address, flush=True),
        Place(host, port, tuple(name or ()), tls_certificate, tls_key),
        idle=60 * idle,
        browser=browser,
    )


def _confirm(host: str, confirmed: str | None, certificate: Path | None, key: Path | None) -> None:
    """Let the app be reached by others only if that is meant: with TLS, and by giving the address again."""
    if certificate is None or key is None:
        raise SpecError(
            f"On {host} others can reach the app: this needs --tls-certificate and --tls-key, so that nobody "
            "can eavesdrop. Without --host only this machine can reach it."
        )
    if confirmed is None:
        print(
            f"Others on the network will be able to reach the app on {host}. Type that address to confirm: ",
            end="",
            flush=True,
        )
        confirmed = sys.stdin.readline().strip()
    if confirmed != host:
        raise SpecError(f"Not confirmed, so nothing was started: type {host} when asked, or give --confirm {host}.")
