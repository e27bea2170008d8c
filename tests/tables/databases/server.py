"""A PostgreSQL server of the tests' own, on a free port of this machine, gone when they end."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PASSWORD = "geheim/&@:#é"  # noqa: S105  (of a server that lives for a moment)


@dataclass(frozen=True)
class Server:
    port: int

    def url(self, credentials: str = "tester") -> str:
        return f"postgresql://{credentials}@127.0.0.1:{self.port}/postgres"


def program(name: str) -> str:
    found = shutil.which(name) or next(map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None)
    if found is None:
        pytest.skip(f"There is no '{name}' here: install PostgreSQL (Debian: apt-get install postgresql).")
    return found


def demoted(folder: Path) -> list[str]:
    """Return what makes a command run as somebody else: the server refuses to run as root."""
    if os.getuid() != 0:
        return []
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    for path in (folder, *folder.iterdir()):
        os.chown(path, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


@contextmanager
def running() -> Iterator[Server]:
    """Start a server; no test that runs beside it can take its port, since the port is tried again if it is taken."""
    initdb, control = program("initdb"), program("pg_ctl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD, encoding="utf-8")
        command = demoted(folder)
        data = folder / "data"
        make = [initdb, "-D", data, "-U", "tester", "-A", "scram-sha-256", "--pwfile", folder / "password", "--no-sync"]
        run(*command, *make, "-E", "UTF8", "--locale=C", folder=folder)
        for attempt in range(5):
            port = free_port()
            options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
            start = [*command, control, "-D", data, "-w", "-l", folder / "log", "-o", options, "start"]
            if run(*start, folder=folder, check=attempt == 4):
                break
        try:
            yield Server(port)
        finally:
            run(*command, control, "-D", data, "-w", "-m", "immediate", "stop", folder=folder)


def run(*command: object, folder: Path, check: bool = True) -> bool:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    texts = [str(part) for part in command]
    with (folder / "words").open("wb") as words:  # a pipe would be held open by the server
        done = subprocess.run(texts, cwd=folder, env=environment, stdout=words, stderr=words, check=False)
    assert done.returncode == 0 or not check, (folder / "words").read_text(encoding="utf-8")
    return done.returncode == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
