"""A connection of another user of this machine is told, and not listened to."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.web import peers
from shoal.web.peers import Address, is_stranger, user_of

LINUX = pytest.mark.skipif(
    not Path("/proc/net/tcp").is_file(), reason="this system does not tell whose a connection is"
)
CONNECT = """
import encodings.idna, os, socket, sys
os.setuid(65534)  # after all imports: Python itself may lie where this user cannot read
socket.create_connection(("127.0.0.1", int(sys.argv[1]))).recv(1)
"""


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        yield server


@LINUX
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_our_own_connection_is_ours(listening: socket.socket, family: socket.AddressFamily) -> None:
    """Also one by an address of sixteen bytes that holds one of four."""
    name = "127.0.0.1" if family == socket.AF_INET else "::ffff:127.0.0.1"
    with socket.socket(family) as client:
        try:
            client.connect((name, listening.getsockname()[1]))
        except OSError:
            pytest.skip("no addresses of sixteen bytes here")
        server, told = listening.accept()
        with server:
            assert user_of(told, server.getsockname()) == os.getuid()
            assert not is_stranger(told, server.getsockname())


@LINUX
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can be another user")
def test_a_connection_of_another_user_is_a_strangers(listening: socket.socket) -> None:
    with subprocess.Popen([sys.executable, "-c", CONNECT, str(listening.getsockname()[1])]) as other:
        server, told = listening.accept()
        with server:
            assert user_of(told, server.getsockname()) == 65534
            assert is_stranger(told, server.getsockname())
        other.wait()


def test_what_the_system_does_not_tell_is_no_stranger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(peers, "_LISTS", (tmp_path / "none",))
    here: Address = ("127.0.0.1", 1)
    assert user_of(here, here) is None
    assert not is_stranger(here, here)
    assert not is_stranger(None, here)
    assert user_of(("::1", 1), here) is None


def test_a_line_of_the_list_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = ["  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"]
    lines += [
        "   0: 0100007F:223D 0100007F:A001 01 00000000:00000000 00:00000000 00000000  1001        0 5 1 0 20 4 1 10 -1"
    ]
    lines += [
        "   1: 0100007F:A001 0100007F:223D 01 00000000:00000000 00:00000000 00000000  1002        0 6 1 0 20 4 1 10 -1"
    ]
    (tmp_path / "tcp").write_text("\n".join(lines))
    monkeypatch.setattr(peers, "_LISTS", (tmp_path / "tcp",))
    monkeypatch.setattr(peers, "byteorder", "little")
    monkeypatch.setattr(os, "getuid", lambda: 1001)
    assert user_of(("127.0.0.1", 0xA001), ("127.0.0.1", 0x223D)) == 1002
    assert is_stranger(("127.0.0.1", 0xA001), ("127.0.0.1", 0x223D))
    monkeypatch.setenv("SUDO_UID", "1002")
    assert not is_stranger(("127.0.0.1", 0xA001), ("127.0.0.1", 0x223D))
