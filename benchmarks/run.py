"""Run every benchmark, one after the other: `make bench`."""

import subprocess
import sys
from pathlib import Path

from benchmarks.measuring import itself

for script in sorted(Path(__file__).parent.rglob("[a-z]*.py")):
    if script.stem not in ("measuring", "run"):
        print(f"\n## {script.stem}", flush=True)
        if subprocess.run(itself(str(script)), check=False).returncode:
            print(f"{script.stem} did not end well.", file=sys.stderr)
