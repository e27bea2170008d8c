"""Tries a source distribution in an empty environment: it builds, installs, has its examples and anonymizes one.

python tests/wheel/from_source.py dist/shoal-*.tar.gz
"""

import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

NEEDED = ("src/shoal/__init__.py", "examples/hospital/patients.csv", "hatch_build.py", "LICENSE", "tests/conftest.py")
LEFT_OUT = ("/release/", "/members/", "/.venv/", "/build/", "__pycache__")


def main(source: Path) -> None:
    """Look at the names in the archive, install it, and run the hospital example from what was installed."""
    with tarfile.open(source) as archive:
        names = ["/" + name.partition("/")[2] for name in archive.getnames()]
    lacking = [one for one in NEEDED if f"/{one}" not in names]
    wrong = [name for name in names if any(one in name for one in LEFT_OUT)]
    if lacking or wrong:
        sys.exit(f"{source.name} lacks {lacking}, and should not have {wrong[:5]}.")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        commands = place / "env" / "bin"
        subprocess.run([commands / "python", "-m", "pip", "install", "--quiet", str(source.resolve())], check=True)
        for line in (("example", "hospital"), ("anonymize", "examples/hospital/job.toml", "--quiet")):
            subprocess.run([commands / "shoal", *line], cwd=place, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([commands / "shoal", "verify", "release"], cwd=place, check=True)
    print(f"{source.name}, {source.stat().st_size / 1e6:.1f} MB, {len(names)} files: installed and tried")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
