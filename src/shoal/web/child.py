"""The process of a task: reads what is asked, calls the work, tells how far it is and what came of it.

It speaks by lines of JSON. It ends with the app: when nobody is left at the other end, even if the app was killed.
"""

import json
import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from traceback import extract_tb
from types import FrameType
from typing import Any, NoReturn

from shoal.foundation.errors import ShoalError
from shoal.foundation.systems.processes import end_own_group

_OFTEN = 0.1  # seconds between two words on the same step


class _Teller:
    """Tells the app how far the work is, not too often, and what came of it.

    The way to the app is for lines of ours alone: what a package prints goes nowhere.
    """

    def __init__(self) -> None:
        self._step, self._last, self._lock = "", 0.0, Lock()
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)

    def __call__(self, step: str, share: float | None = None) -> None:
        now = monotonic()
        if step == self._step and now - self._last < _OFTEN:
            return
        self._step, self._last = step, now
        self.tell({"step": step, "share": share})

    def tell(self, words: dict[str, Any]) -> None:
        """Tell anything."""
        with self._lock:
            self._answers.write(json.dumps(words) + "\n")
            self._answers.flush()


def _end_with_app() -> None:
    """Wait for the other end to be closed, and end then, with all that was started; nothing half written has a name."""
    sys.stdin.read()
    end_own_group()
    os._exit(1)


def _interrupted(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(number)


def main() -> None:
    """Do what is asked for on standard input."""
    signal.signal(signal.SIGTERM, _interrupted)
    teller = _Teller()
    asked = json.loads(sys.stdin.readline())
    Thread(target=_end_with_app, daemon=True).start()
    try:
        work = import_module(f"shoal.web.work.{asked['kind']}").work
        teller.tell({"result": work(progress=teller, **asked["request"])})
    except ShoalError as error:
        teller.tell({"error": str(error)})
    except MemoryError:
        teller.tell({"error": "There is not enough memory for this table."})
    except KeyboardInterrupt:
        pass  # cancelled: the app knows
    except Exception as error:  # its own words might hold a value of the table
        last = extract_tb(error.__traceback__)[-1]
        teller.tell({"error": f"Internal error ({type(error).__name__} at {Path(last.filename).name}:{last.lineno})."})
    os._exit(0)


if __name__ == "__main__":
    main()
