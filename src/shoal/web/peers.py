"""Peers: which user of this machine is at the other end of a connection.

The cookie of the app is sent to every port of this machine, since cookies do not know ports: a page that another user
serves there would get it, and the address with its token stands among the arguments of the browser's process. So a
connection of another user is not listened to at all, where the system tells whose it is: Linux does, for all.
"""

import os
from pathlib import Path
from socket import AF_INET, inet_pton
from sys import byteorder

_LISTS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ADDRESS, _PEER, _USER = 1, 2, 7  # fields of a line
_WITHIN_6 = "0000000000000000FFFF0000"  # an address of four bytes as one of sixteen

Address = tuple[str, int | None]


def is_stranger(client: Address | None, server: Address | None) -> bool:
    """Tell whether a connection comes from another user of this machine; who runs the app by `sudo` is none."""
    user = None if client is None or server is None else user_of(client, server)
    return user is not None and user not in (0, os.getuid(), int(os.environ.get("SUDO_UID", "0")))


def user_of(client: Address, server: Address) -> int | None:
    """Return the user whose socket the client's end of a connection is, or None if that is not told."""
    try:
        wanted = [_written(client), _written(server)]
    except OSError:  # an address of sixteen bytes, which is never the loopback that the app listens on
        return None
    for path in _LISTS:
        if path.is_file():
            for line in path.read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if [fields[_ADDRESS].removeprefix(_WITHIN_6), fields[_PEER].removeprefix(_WITHIN_6)] == wanted:
                    return int(fields[_USER])
    return None


def _written(address: Address) -> str:
    host, port = address
    return f"{int.from_bytes(inet_pton(AF_INET, host), byteorder):08X}:{port or 0:04X}"
