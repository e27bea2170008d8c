"""A run of the app as a process: who it answers, what it says, and what is left when it ends, however it ends."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from shoal.foundation.errors import SpecError
from shoal.web import serving
from shoal.web.serving import Place, serve
from tests.web.asking import CANARY, table
from tests.web.browsing import running

LINUX = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="this system does not list processes as files")
OTHER = """
import http.client, os, sys
import encodings.idna, socket, email.parser
os.setuid(65534)
asked = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
asked.request("GET", sys.argv[2])
answer = asked.getresponse()
print(answer.status, answer.read().decode())
"""
WITHOUT = "import sys; sys.modules['uvicorn'] = None; sys.argv = ['shoal', 'ui']; from shoal.cli import main; main()"


def _asked(address: str, **headers: str) -> tuple[int, str, str]:
    parts = urlsplit(address)
    asked = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    asked.request("GET", f"{parts.path}?{parts.query}", headers=headers)
    answer = asked.getresponse()
    told = answer.status, answer.read().decode(), answer.headers.get("set-cookie", "").split(";")[0]
    asked.close()
    return told


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _lives(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@LINUX
def test_a_killed_app_takes_its_task_with_it_and_leaves_nothing_that_others_can_read(
    root: Path, tmp_path: Path
) -> None:
    path, caches = table(root), tmp_path / "caches"
    with running(root, path.name, caches=caches) as app:
        _until(lambda: bool(_children(app.process.pid)))
        children = _children(app.process.pid)
        app.process.kill()
        assert app.ended() == ""
    _until(lambda: not any(_lives(child) for child in children))
    (left,) = root.glob(".shoal-*")
    assert left.stat().st_mode & 0o777 == 0o700
    with running(root, caches=caches) as app:
        assert app.address
        assert not left.exists()
        assert len(list(root.glob(".shoal-*"))) == 1
    assert list(root.glob(".shoal-*")) == []


def test_a_run_says_its_address_and_nothing_of_the_table(root: Path, tmp_path: Path) -> None:
    """Over a real connection: foreign names, no cookie, a page with values, and a page that nobody has."""
    path = table(root)
    with running(root, path.name, caches=tmp_path / "caches") as app:
        assert _asked(app.address, Host="evil.example")[0] == 403
        assert _asked(f"{app.origin}/rows")[0] == 403
        status, _, cookie = _asked(app.address)
        assert status == 200
        assert _asked(app.address)[0] == 403  # once
        _until(lambda: CANARY in _asked(f"{app.origin}/rows", Cookie=cookie)[1])
        assert _asked(f"{app.origin}/{CANARY}?{CANARY}", Cookie=cookie)[0] == 404
        assert _asked(f"{app.origin}/static/../../guard.py", Cookie=cookie)[0] == 404
        assert CANARY not in _asked(f"{app.origin}/tasks/1/events", Cookie=cookie)[1]
        arguments = Path(f"/proc/{app.process.pid}/cmdline")
        assert not arguments.exists() or CANARY not in arguments.read_text()
        app.process.terminate()
        assert app.ended() == ""
    assert app.process.returncode == 0
    assert list(root.glob(".shoal-*")) == []


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_signal_ends_the_app_in_order(root: Path, tmp_path: Path, number: int) -> None:
    path = table(root)
    with running(root, path.name, caches=tmp_path / "caches") as app:
        app.process.send_signal(number)
        assert app.ended() == ""
    assert app.process.returncode == 0
    assert list(root.iterdir()) == [path]


@LINUX
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can be another user")
def test_another_user_of_the_machine_is_refused_even_with_the_token(root: Path, tmp_path: Path) -> None:
    with running(root, caches=tmp_path / "caches") as app:
        parts = urlsplit(app.address)
        command = [sys.executable, "-c", OTHER, str(parts.port), f"{parts.path}?{parts.query}"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.stdout.strip() == "403 The app is for the user who started it."
        assert _asked(app.address)[0] == 200  # the token was not spent


def test_an_app_that_nobody_asks_ends(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setattr(serving, "_OFTEN", 0.02)
    monkeypatch.setattr(serving, "_SOON", 0.0)
    told: list[str] = []
    serve(None, told.append, idle=0.1, browser=False)
    assert len(told) == 1
    assert told[0].startswith("http://127.0.0.1:")
    assert list(root.iterdir()) == []


def test_without_the_extra_it_says_what_to_install(root: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT], cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "pip install 'shoal[web]'" in ran.stderr
    assert list(root.iterdir()) == []


def test_another_address_needs_tls_and_a_confirmation(root: Path) -> None:
    command = [sys.executable, "-m", "shoal", "ui", "--no-browser", "--host", "0.0.0.0"]  # noqa: S104
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "--tls-certificate" in ran.stderr
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(("told", "typed"), [(["--confirm", "127.0.0.9"], ""), ([], "127.0.0.9\n"), ([], "")])
def test_what_is_not_confirmed_is_not_started(root: Path, told: list[str], typed: str) -> None:
    (root / "a.pem").touch()
    host = ["--host", "127.0.0.8", "--tls-certificate", "a.pem", "--tls-key", "a.pem", *told]
    command = [sys.executable, "-m", "shoal", "ui", "--no-browser", *host]
    ran = subprocess.run(command, cwd=root, input=typed, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "Not confirmed, so nothing was started: type 127.0.0.8" in ran.stderr


@pytest.mark.parametrize(("told", "typed"), [(["--confirm", "127.0.0.8"], ""), ([], "127.0.0.8\n")])
def test_what_is_confirmed_is_started(root: Path, told: list[str], typed: str) -> None:
    (root / "a.pem").write_text("no certificate", encoding="utf-8")
    host = ["--host", "127.0.0.8", "--tls-certificate", "a.pem", "--tls-key", "a.pem", *told]
    command = [sys.executable, "-m", "shoal", "ui", "--no-browser", *host]
    ran = subprocess.run(command, cwd=root, input=typed, capture_output=True, text=True, check=False)
    assert "The TLS certificate or its key cannot be read" in ran.stderr  # it came as far as that


def test_what_the_header_host_may_be() -> None:
    assert Place().hosts(8765) == ["127.0.0.1:8765", "localhost:8765"]
    assert Place().hosts(80) == ["127.0.0.1", "localhost"]
    assert Place("::1").hosts(8765) == ["[::1]:8765"]
    assert Place("0.0.0.0", names=("clinic.example",)).hosts(5) == ["clinic.example:5"]  # noqa: S104
    with pytest.raises(SpecError, match="--name"):
        Place("0.0.0.0").hosts(5)  # noqa: S104
