"""Serving: start the app on this machine, tell its address, and take everything away at the end."""

import asyncio
import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.jobs.job import JOB_FILE

try:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    from shoal.web.application import application
    from shoal.web.guard import ENTER, HEADERS
    from shoal.web.peers import is_stranger
    from shoal.web.projects import Project
    from shoal.web.sessions import AppSession
    from shoal.web.workspaces import Workspace
except ModuleNotFoundError as error:
    raise MissingExtraError(error.name or "starlette", "web") from None

LOOPBACK = "127.0.0.1"

_OFTEN = 1.0  # seconds between two looks at whether anybody is still here
_SOON = 0.5  # seconds that the last page has to get its style
_ANY = ("0.0.0.0", "::")  # noqa: S104  (all addresses of the machine: nobody opens them by that name)
_STANDARD = {"http": 80, "https": 443}  # ports that a browser leaves out
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the app is reached.

    Args:
        host: The address to listen on.
        port: The port; 0 is a free one.
        names: The names that others reach this machine by, if `host` is not the loopback.
        certificate: The file of a TLS certificate.
        key: The file of its key.
    """

    host: str = LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None

    @property
    def scheme(self) -> str:
        """How it is spoken to."""
        return "http" if self.certificate is None else "https"

    def hosts(self, port: int) -> list[str]:
        """Return what the header Host may be, the first for the address that is printed."""
        if self.host in _ANY and not self.names:
            raise SpecError(f"With --host {self.host}, say by which name others reach this machine (--name).")
        known = (*(self.names or (self.host,)), *(("localhost",) if self.host == LOOPBACK else ()))
        written = [f"[{name}]" if ":" in name else name for name in known]
        return written if port == _STANDARD[self.scheme] else [f"{name}:{port}" for name in written]


def serve(
    source: Path | None,
    tell: Callable[[str], None],
    place: Place = Place(),
    *,
    idle: float = 3600.0,
    browser: bool = True,
) -> None:
    """Run the app until it is quit, interrupted, or left alone.

    Args:
        source: A table, a job file or the folder of a project to begin with.
        tell: Called with the address that a browser is to open.
        place: Where it is reached.
        idle: The seconds without any request after which the app ends.
        browser: Whether to open a browser.
    """
    for path in (place.certificate, place.key):
        if path is not None and not path.is_file():
            raise SpecError(f"There is no file '{path}'.")
    listening = _listen(place.host, place.port)
    try:
        with listening:
            asyncio.run(_served(listening, source, tell, place, idle, browser=browser))
    except KeyboardInterrupt:  # all was ended in order
        pass


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # who comes before all is ready, waits
    except OSError:
        listening.close()
        raise SpecError(f"Nothing can listen on {host}, port {port}: choose another one (--port).") from None
    return listening


async def _served(
    listening: socket.socket,
    source: Path | None,
    tell: Callable[[str], None],
    place: Place,
    idle: float,
    *,
    browser: bool,
) -> None:
    port: int = listening.getsockname()[1]
    hosts, root = place.hosts(port), Path.cwd()
    session = AppSession(root, Workspace.make(root), frozenset(hosts), port, place.certificate is not None)
    others: list[asyncio.Task[None]] = []
    try:
        server = _server(session, place)
        _end_by(session, server)
        if source is not None:
            begin(session, source)
        address = f"{place.scheme}://{hosts[0]}{ENTER}?token={session.token}"
        tell(address)
        if browser:
            others.append(asyncio.create_task(_browse(address)))
        others.append(asyncio.create_task(_watch(session, idle)))
        await server.serve(sockets=[listening])
    finally:
        for task in others:
            task.cancel()
        await session.tasks.end()
        session.workspace.close()


def _server(session: AppSession, place: Place) -> uvicorn.Server:
    """Return the server, which logs nothing, and believes nothing about who asks but what the system says."""
    config = uvicorn.Config(
        application(session),
        http=_OwnUser if place.host == LOOPBACK else "h11",
        ws="none",
        lifespan="off",
        proxy_headers=False,
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        ssl_certfile=place.certificate,
        ssl_keyfile=place.key,
    )
    try:
        config.load()
    except (OSError, ValueError):  # an SSLError is an OSError
        raise SpecError("The TLS certificate or its key cannot be read, or they do not belong together.") from None
    return _OrderlyServer(config)


class _OrderlyServer(uvicorn.Server):
    """Leaves signals to us: uvicorn would pass them on, and end the process, before the private folder is gone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


class _OwnUser(H11Protocol):
    """Answers the user that runs the app, and no other one of this machine."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Look who is there."""
        super().connection_made(transport)
        if is_stranger(self.client, self.server):
            words = b"The app is for the user who started it."
            told = [f"{name}: {value}" for name, value in HEADERS.items()]
            head = ["HTTP/1.1 403 Forbidden", "Content-Type: text/plain", f"Content-Length: {len(words)}", *told]
            transport.write("\r\n".join([*head, "Connection: close", "", ""]).encode() + words)
            transport.close()


def _end_by(session: AppSession, server: uvicorn.Server) -> None:
    """Let a button end the app, and every signal that asks for it."""
    loop = asyncio.get_running_loop()

    def end() -> None:
        server.should_exit = True

    def soon() -> None:
        loop.call_later(_SOON, end)

    session.quit = soon
    with suppress(NotImplementedError):  # on Windows, where Ctrl-C comes as a KeyboardInterrupt
        for number in _SIGNALS:
            loop.add_signal_handler(number, end)


async def _browse(address: str) -> None:
    """Open a browser; some return only when they are closed."""
    with suppress(webbrowser.Error):
        await asyncio.to_thread(webbrowser.open, address)


async def _watch(session: AppSession, idle: float) -> None:
    """End the app when nobody has asked for anything for a while."""
    while session.idle < idle:
        await asyncio.sleep(_OFTEN)
    session.quit()


def begin(session: AppSession, source: Path) -> None:
    """Open what was named at the start: a project, by its folder or its job file, or a table."""
    path = source.absolute()
    if not path.exists():
        raise SpecError(f"There is no file '{source}'.")
    cache = session.workspace.cache
    if path.name == JOB_FILE or (path.is_dir() and (path / JOB_FILE).is_file()):
        session.project = Project(path.parent if path.is_file() else path)
        session.tasks.start("opening", "/columns", folder=session.project.folder, cache=cache)
    else:
        session.named = path
        session.project = Project(session.workspace.folder)
        session.tasks.start("opening", "/columns", folder=session.workspace.folder, path=path, cache=cache)
