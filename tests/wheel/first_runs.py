"""Tries a wheel with compiled kernels in an empty environment: no first run of a command compiles anything.

python tests/wheel/first_runs.py dist/shoal-*.whl
"""

import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
LEFT_OUT = ("/release/", "/members/", "__pycache__")
"""What runs may have left in the examples, and in the source."""
SECONDS = 6.0
"""What the first run of `tightest` on the example may take, in CPU seconds."""

_PLAIN = ("anonymize", "examples/hospital/job.toml", "--force", "--out")
_QUASI = ("--quasi", "birth_date,zip,sex", "--sensitive", "diagnosis")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("example", "hospital"),
    (*_PLAIN, "tightest", "--algorithm", "tightest"),
    (*_PLAIN, "optimal", "--algorithm", "optimal"),
    (*_PLAIN, "mondrian", "--algorithm", "mondrian"),
    (*_PLAIN, "gathered", "--algorithm", "r-gather"),
    ("verify", "optimal"),
    ("check", "optimal/public/data.csv", *_QUASI),
    ("risk", "optimal"),
    ("attack", "optimal"),
    ("utility", "optimal", "--raw", "examples/hospital/patients.csv"),
    ("compare", "examples/hospital/job.toml", "--algorithm", "optimal,mondrian", "--out", "compared"),
    ("apply", "optimal", "examples/hospital/patients.csv", "--failing", "suppress", "--out", "applied"),
    ("frontier", "examples/hospital/job.toml"),
    ("minimal", "examples/hospital/job.toml"),
    ("init", "examples/hospital/patients.csv", "--out", "proposed"),
    ("hierarchy", "examples/hospital/patients.csv", "zip"),
)

_APP = """
import subprocess, sys, urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
command = [Path(sys.executable).parent / "shoal", "ui", "--no-browser"]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app:
    try:
        address = app.stdout.readline().strip()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        browser.open(address).read()
        for path, word in (("/open", "Which table"), ("/static/app.js", "use strict"), ("/static/app.css", ":root")):
            assert word in browser.open(address.partition("/enter")[0] + path).read().decode(), path
    finally:
        app.terminate()
from shoal.web.texts import LANGUAGES, catalogue
assert all(catalogue(language) for language in LANGUAGES)
"""
"""Asks the app for a page, its script and its style, by the standard library alone."""


def main(wheel: Path) -> None:
    """Install the wheel, run every command, and end with an error if one compiled a kernel or was too slow."""
    if "-none-any" in wheel.name:
        sys.exit(f"{wheel.name} is a wheel for all platforms: it cannot hold compiled kernels.")
    with zipfile.ZipFile(wheel) as archive:
        wrong = [name for name in archive.namelist() if any(one in name for one in LEFT_OUT)]
    if wrong:
        sys.exit(f"{wheel.name} should not have {wrong[:5]}.")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        python = place / "env" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel.resolve())], check=True)
        (place / "work").mkdir()
        failures = [command[0] for command in COMMANDS if not _tried(place, command)]
        failures += [] if _app_tried(place, wheel) else ["ui"]
        failures += [] if _tutorial_done(place) else ["tutorial"]
        installed = sum(path.stat().st_size for path in (place / "env").rglob("*") if path.is_file()) / 1e6
    well = len(COMMANDS) - len(failures)
    print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB: {well} first runs as they should be")
    print(f"the environment with the app: {installed:.0f} MB")
    if failures:
        sys.exit(f"Not as it should be: {', '.join(failures)}.")


def _tried(place: Path, command: tuple[str, ...]) -> bool:
    """Run a command; tell whether it ended well, in time, and without compiling."""
    before, kept = _seconds(), _kept(place)
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTHON"))}
    ran = subprocess.run(
        [place / "env" / "bin" / "shoal", *command],
        cwd=place / "work",
        env=settings | {"XDG_CACHE_HOME": str(place / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds, compiled = _seconds() - before, len(_kept(place)) - len(kept)
    quick = "tightest" not in command or seconds < SECONDS
    print(f"{seconds:6.2f} CPU s, {compiled} compiled, exit {ran.returncode}: shoal {' '.join(command)}", flush=True)
    if ran.returncode or compiled or "Compiling" in ran.stderr:
        print(ran.stderr, file=sys.stderr)
        return False
    return quick


def _tutorial_done(place: Path) -> bool:
    """Tell whether each command of the tutorial ends well in an empty folder, without the repository."""
    folder, shoal = place / "tutorial", place / "env" / "bin" / "shoal"
    folder.mkdir()
    blocks = re.findall(r"^```sh\n(.*?)^```$", TUTORIAL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for body in blocks for line in body.splitlines() if line.startswith("shoal ")]
    for line in lines:
        ran = subprocess.run([shoal, *shlex.split(line)[1:]], cwd=folder, capture_output=True, text=True, check=False)
        if ran.returncode:
            print(f"exit {ran.returncode}: {line}\n{ran.stderr}", file=sys.stderr)
            return False
    print(f"the tutorial: {len(lines)} commands, all with exit 0", flush=True)
    return bool(lines)


def _app_tried(place: Path, wheel: Path) -> bool:
    """Tell whether the app says what to install, and has its pages, files and words once that is installed."""
    python, shoal = place / "env" / "bin" / "python", place / "env" / "bin" / "shoal"
    missing = subprocess.run([shoal, "ui"], cwd=place / "work", capture_output=True, text=True, check=False)
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"{wheel.resolve()}[web]"], check=True)
    tried = subprocess.run([python, "-c", _APP], cwd=place / "work", capture_output=True, text=True, check=False)
    print(f"without its extra, exit {missing.returncode}; with it, exit {tried.returncode}: shoal ui", flush=True)
    print(tried.stderr, end="", file=sys.stderr)
    return missing.returncode == 2 and "shoal[web]" in missing.stderr and tried.returncode == 0


def _kept(place: Path) -> set[Path]:
    return set(place.rglob("*.kernel"))


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(Path(sys.argv[1]))
