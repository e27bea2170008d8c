"""Processes and users, as far as a system knows them: groups of processes and numbers of users are not on Windows."""

import os
import signal

ASK, FORCE = signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signals that ask a process to end, and that end it."""


def user() -> int | None:
    """Return the number of the user; None where users have none."""
    return os.getuid() if hasattr(os, "getuid") else None


def runs(process: int) -> bool:
    """Tell whether there is a process of that number; where that cannot be asked without harm, there may be."""
    if os.name == "nt":  # there signal 0 is Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end(process: int, number: int) -> None:
    """Send a signal to the group of a process that leads one; to the process alone where there are no groups.

    Raises:
        ProcessLookupError: There is none any more.
        PermissionError: It belongs to somebody else.
    """
    if hasattr(os, "killpg"):
        os.killpg(process, number)
    else:
        os.kill(process, number)


def end_own_group() -> None:
    """End this process and all of its group at once, if it leads one."""
    if hasattr(os, "getpgrp") and os.getpgrp() == os.getpid():
        os.killpg(0, FORCE)
