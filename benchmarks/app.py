"""The app with a large table: what each step costs, how large its pages are, and how long requests wait for a job.

    python -m benchmarks.app [records [file]]        (1e6 records of `benchmarks.app_table` if none are given)

The app runs as users start it. This process asks for its pages, over and over while a job runs, and shares the
processors with it. CPU seconds are those of the app and of the process of the job.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urlencode, urlsplit

from benchmarks.app_table import RECORDS, write
from benchmarks.measuring import machine, print_table, shoal_program

_PAUSE = 0.2  # seconds between two requests while a job runs
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Asked:
    """A run of the app, asked as a browser asks it.

    Args:
        process: The app.
        address: What it printed.
        slowest: The longest request of each page while a job ran, and how often it was asked for.
        largest: The largest page of each address.
    """

    process: subprocess.Popen[str]
    address: str
    cookie: str = ""
    form: str = ""
    version: str = ""
    slowest: dict[str, list[float]] = field(default_factory=dict)
    largest: dict[str, int] = field(default_factory=dict)

    def enter(self) -> None:
        """Exchange the token for a cookie."""
        token = parse_qs(urlsplit(self.address).query)["token"][0]
        self.cookie = (self._send("GET", f"/enter?token={token}")[0].getheader("Set-Cookie") or "").partition(";")[0]

    def get(self, path: str) -> tuple[str, str]:
        """Return where a page led to, and its text."""
        for _ in range(5):
            answer, text = self._send("GET", path)
            if answer.status != 303:
                break
            path = answer.getheader("Location") or "/"
        for name in ("form", "version"):
            found = re.search(r"[?&]form=([\w-]+)" if name == "form" else r'name="version" value="(\w+)"', text)
            if found is not None:
                setattr(self, name, found[1])
        place = path.partition("?")[0]
        self.largest[place] = max(self.largest.get(place, 0), len(text.encode()))
        return path, text

    def post(self, path: str, **fields: str) -> None:
        """Send a form."""
        self._send("POST", f"{path}?form={self.form}", urlencode({"version": self.version, **fields}))

    def while_running(self, ends: Sequence[str], others: Sequence[str], step: str) -> float:
        """Ask for a page until what it waits for is there, and for others meanwhile; return the CPU seconds."""
        before, draw = self.cpu, Random(1)  # noqa: S311
        waited = self.slowest.setdefault(step, [])
        while True:
            for path in [ends[0], draw.choice(others)]:
                started = time.perf_counter()
                place, text = self.get(path.format(row=draw.randrange(RECORDS)))
                waited.append(time.perf_counter() - started)
                if path == ends[0] and any(one in text or one == place for one in ends[1:]):
                    print(f"{step}: {self.cpu - before:.0f} CPU s", flush=True)
                    return self.cpu - before
            time.sleep(_PAUSE)

    def _send(self, method: str, path: str, body: str | None = None) -> tuple[HTTPResponse, str]:
        place = urlsplit(self.address)
        connection = HTTPConnection(place.hostname or "", place.port, timeout=600)
        headers = {"Cookie": self.cookie, "Origin": f"http://{place.netloc}"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text

    @property
    def cpu(self) -> float:
        """The CPU seconds of the app, of what it runs, and of what it has run."""
        family = [self.process.pid]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            if int(fields[1]) == self.process.pid:
                family.append(int(stat.parent.name))
        return sum(_cpu_of(pid, reaped=pid == self.process.pid) for pid in family)


def _cpu_of(pid: int, *, reaped: bool) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11 : 15 if reaped else 13])) / _TICKS


def walk(asked: Asked) -> list[list[object]]:
    """Open a table, and go through the screens; return a row for each step that runs."""
    data = ["/columns", "/rows?first={row}", "/words", "/promises", "/history", "/open"]
    costs = {"open": asked.while_running(["/", "/columns"], ["/open"], "open")}
    started = time.perf_counter()
    asked.get("/rows?first=777777")
    alone = time.perf_counter() - started
    costs["exposure"] = asked.while_running(["/exposure", 'id="exposure-sentence"'], data, "exposure")
    numbers = re.findall(r'href="(/words/\d+)"', asked.get("/words")[1])
    words = 0.0
    for path in numbers:
        started = time.perf_counter()
        asked.get(path)
        words = max(words, time.perf_counter() - started)
    asked.get("/try")
    asked.post("/try", k="5")
    costs["try"] = asked.while_running(["/try", "/try/1", 'class="bad'], [*data, *numbers], "try")
    for path in ("/try/1", "/look", "/hand-over", "/next-time"):
        asked.get(path)
    print(f"any row: {alone:.2f} s; the slowest tree of {len(numbers)}: {words:.2f} s")
    return [
        [step, f"{cpu:.0f}", f"{max(asked.slowest[step]):.2f}", len(asked.slowest[step])] for step, cpu in costs.items()
    ]


def main() -> None:
    """Print a row for each step, and one for each of the largest pages."""
    records = int(float(sys.argv[1])) if len(sys.argv) > 1 else RECORDS
    with tempfile.TemporaryDirectory() as made:
        table = Path(sys.argv[2]).absolute() if len(sys.argv) > 2 else Path(made) / "patients.csv"
        if not table.exists():
            write(table, records)
        command = [shoal_program(), "ui", str(table), "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=made) as process:
            try:
                assert process.stdout is not None
                asked = Asked(process, process.stdout.readline().strip())
                asked.enter()
                rows = walk(asked)
            finally:
                process.send_signal(signal.SIGINT)
    head = f"The app with {records:,} records and 50 columns ({machine()})"
    print_table(head, ["step", "CPU s", "slowest request s", "requests"], rows)
    pages = sorted(asked.largest.items(), key=lambda item: -item[1])[:8]
    print_table("The largest pages", ["page", "KB"], [[path, f"{size / 1000:.0f}"] for path, size in pages])


if __name__ == "__main__":
    main()
