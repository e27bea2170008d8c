"""Run the benchmarks, and write one page of what they found: `make bench`, `make bench PROFILE=quick`.

`python -m benchmarks.run --page` writes the page again from what was found before: a table is left out of it if a room
that it measures has changed since.
"""

import argparse
import os
import subprocess
import sys
import time

from benchmarks.measuring import itself, machine
from benchmarks.page import PAGE, ROOT, Found, kept, page_of, save, suite


def main() -> None:
    """Run what was asked for, keep what it printed, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", choices=("quick", "full"), default="full", help="quick: some seconds for each")
    parser.add_argument("--only", nargs="*", default=[], help="names of scripts, such as growth")
    parser.add_argument("--page", action="store_true", help="run nothing, write the page")
    given = parser.parse_args()
    found: dict[str, Found] = {} if not given.only and not given.page else kept()
    failed = []
    for table in suite():
        wanted = table.script in given.only if given.only else given.profile in ("full", table.profile)
        if given.page or not wanted:
            continue
        print(f"\n## {table.script}", flush=True)
        script = ROOT / "benchmarks" / f"{table.script.replace('.', '/')}.py"
        busy = round(os.getloadavg()[0] / (os.cpu_count() or 1), 1)
        ended = subprocess.run([*itself(str(script)), *table.flags], check=False, stdout=subprocess.PIPE, text=True)
        print(ended.stdout, end="")
        if ended.returncode:
            failed.append(table.script)
        else:
            found[table.script] = Found(ended.stdout, machine(), time.strftime("%Y-%m-%d"), busy, table.digest())
    save(found)
    PAGE.write_text(page_of(found), encoding="utf-8")
    if failed:
        sys.exit(f"These did not end well, and are not on the page: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
