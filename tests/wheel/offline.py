"""Tries a bundle in an empty environment with the index switched off, and where it can, without any network.

python tests/wheel/offline.py dist/bundle
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from time import monotonic

COMMANDS = (
    ("example", "hospital"),
    ("anonymize", "examples/hospital/job.toml", "--quiet"),
    ("verify", "release"),
    ("verify", "release/public"),
)


def main(bundle: Path) -> None:
    """Install from the bundle alone, make a first release, and see that a changed wheel is refused."""
    alone = without_network()
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "NUMBA_"))}
    settings["PIP_CONFIG_FILE"] = os.devnull
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings["XDG_CACHE_HOME"] = str(place / "cache")
        started = monotonic()
        venv.create(place / "env", with_pip=True)
        install = [*alone, str(place / "env" / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-index"]
        subprocess.run([*install, *arguments(bundle)], env=settings, check=True)
        installed = monotonic() - started
        for line in COMMANDS:
            command = [*alone, str(place / "env" / "bin" / "shoal"), *line]
            subprocess.run(command, cwd=place, env=settings, check=True, stdout=subprocess.DEVNULL)
        released = monotonic() - started
        copy = place / "changed"
        shutil.copytree(bundle, copy)
        wheel = next((copy / "wheels").glob("shoal-*.whl"))
        wheel.write_bytes(wheel.read_bytes() + b"\0")
        again = [*install, "--dry-run", "--ignore-installed", *arguments(copy)]  # else what is there is not looked at
        refused = subprocess.run(again, env=settings, capture_output=True, text=True, check=False)
        if refused.returncode == 0 or "DO NOT MATCH THE HASHES" not in refused.stderr:
            sys.exit(f"A changed wheel was not refused: exit {refused.returncode}.\n{refused.stderr}")
    where = (
        "without a network" if alone else "with the index switched off; that there is no network could not be made so"
    )
    print(f"{bundle}: installed after {installed:.0f} s, a release made and verified after {released:.0f} s, {where}")


def arguments(bundle: Path) -> list[str]:
    """Return what the bundle's own page tells to give to pip."""
    return ["--find-links", str(bundle / "wheels"), "--require-hashes", "-r", str(bundle / "requirements.txt")]


def without_network() -> list[str]:
    """Return what to put before a command so that it has no network; nothing where that cannot be done."""
    tried = shutil.which("unshare")
    command = [tried or "unshare", "--net", "--map-root-user"]
    can = tried is not None and subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0
    return command if can else []


if __name__ == "__main__":
    main(Path(sys.argv[1]))
