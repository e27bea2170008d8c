"""Files and databases: a million records of Adult written and read in every format, and in both databases.

The server of PostgreSQL is one of its own, started for this and ended after it.
"""

import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.measuring import ROOT, adult_file, itself, machine, need_adult, print_table
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from shoal.tables.databases.database import Database, records_digest
from shoal.tables.formats import FORMATS, format_of

RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1_000_000


def timed(label: str) -> None:
    """Print what has passed since the last call, as fields of a row."""
    spent = time.perf_counter(), time.process_time()
    print(f"{label}\t{spent[0] - LAST[0]:.1f}\t{spent[1] - LAST[1]:.1f}\t{_peak():.0f}", flush=True)
    LAST[:] = list(spent)


LAST = [0.0, 0.0]


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def of_file(source: Path, path: Path) -> None:
    """Write a table to a file and read it back."""
    frame = format_of(source).read(source)
    frame.columns = [name.replace("-", "_") for name in frame.columns]
    LAST[:] = [time.perf_counter(), time.process_time()]
    format_of(path).write(frame, path)
    timed("write")
    format_of(path).read(path)
    timed("read")


def of_database(source: Path, database: Database) -> None:
    """Write a table into a database, read it back, and take its digest."""
    frame = format_of(source).read(source)
    with database.session(writes=True) as session:
        LAST[:] = [time.perf_counter(), time.process_time()]
        session.write(frame, "adult")
        timed("write")
        found = session.read("adult")
        timed("read")
    records_digest(found)
    timed("digest")


def alone(*arguments: object) -> list[list[str]]:
    """Run this script in a process of its own, so that its peak memory is that of one place."""
    found = subprocess.run([*itself(__file__), *map(str, arguments)], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in found.stdout.splitlines()]


def main() -> None:
    """Measure every place."""
    sys.path.insert(0, str(ROOT))
    from tests.tables.databases.server import PASSWORD, running

    need_adult()
    print(f"\n## Files and databases\n\n{machine()}")
    rows: list[list[object]] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        source = adult_file(folder, RECORDS)
        for member in FORMATS:
            if member.writes:
                rows += [[member.name, *row] for row in alone("file", source, folder / f"t{member.suffixes[0]}")]
        rows += [["sqlite", *row] for row in alone("database", source, f"sqlite:///{folder}/t.db", "-")]
        server = stack.enter_context(running())
        rows += [["postgresql", *row] for row in alone("database", source, server.url(), PASSWORD)]
    print_table(f"{RECORDS} records, 9 columns", ["place", "act", "seconds", "CPU seconds", "peak MB"], rows)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "file":
        of_file(Path(sys.argv[2]), Path(sys.argv[3]))
    elif len(sys.argv) > 2:
        of_database(Path(sys.argv[2]), database_of(Address(sys.argv[3], sys.argv[4])))
    else:
        main()
