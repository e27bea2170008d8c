"""The very first run on a machine, when the kernels are compiled."""

import shutil
import sys
import tempfile
from pathlib import Path

from measuring import ROOT, machine, print_table, timed_process


def main() -> None:
    """Print the first and the second run of the bundled example with an empty cache of compiled code."""
    shoal = shutil.which("shoal", path=str(Path(sys.executable).parent)) or "shoal"
    job = ROOT / "examples" / "hospital" / "job.toml"
    with tempfile.TemporaryDirectory() as folder:
        command = [shoal, "anonymize", str(job), "--out", f"{folder}/release", "--force", "--quiet"]
        rows: list[list[object]] = []
        for name in ("first", "second"):
            wall, cpu, memory = timed_process(command, {"NUMBA_CACHE_DIR": f"{folder}/cache"})
            rows.append([name, f"{wall:.2f}", f"{cpu:.2f}", f"{memory:.0f}"])
    print_table(f"First run, hospital example ({machine()})", ["run", "wall s", "CPU s", "peak MB"], rows)


if __name__ == "__main__":
    main()
