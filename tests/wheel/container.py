"""Builds the container of the command line and that of the app, and runs both as the docs say.

python tests/wheel/container.py dist/bundle-cp311 [--base IMAGE]

It needs podman. Without --base, and if this may be done as root, the base is made by debootstrap.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import sleep

FILE = Path(__file__).parents[2] / "packages" / "container" / "Containerfile"
NAME, WORD = "clinic.example", "Which table"
NARROW = ("--rm", "--read-only", "--network=none", "--cap-drop=all", "--security-opt=no-new-privileges")
_LIMITS = ("--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024")
WAYS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((), ()),
    (("--runtime", "runc"), _LIMITS),  # where limits may not be raised, and crun does not know the control groups
)

ASK = f"""
import ssl, sys, urllib.request
from http.cookiejar import CookieJar
safely = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile="/tls/certificate.pem"))
browser = urllib.request.build_opener(safely, urllib.request.HTTPCookieProcessor(CookieJar()))
browser.open(sys.argv[1]).read()
assert {WORD!r} in browser.open("https://{NAME}:8443/open").read().decode()
"""
"""Asks the app for a page, with its certificate checked, by the standard library alone."""


class Podman:
    """The program, in the first way in which it runs a container here."""

    def __init__(self, base: str) -> None:
        for before, limits in WAYS:
            self._before, self._limits = before, limits
            if self.run(base, "true", entry=None).returncode == 0:
                return
        sys.exit("Podman runs no container here.")

    def run(self, image: str, *line: str, options: tuple[str, ...] = (), entry: str | None = "") -> "Ran":
        """Run a container that may do as little as the docs say."""
        given = () if entry is None else (f"--entrypoint={entry}",) * bool(entry)
        return podman(*self._before, "run", *NARROW, *self._limits, *given, *options, image, *line)

    def build(self, *what: str) -> "Ran":
        """Build an image without a network."""
        return podman(*self._before, "build", "--quiet", "--network=none", *self._limits, *what)

    def begin(self, image: str, *line: str, options: tuple[str, ...]) -> str:
        """Start a container that stays, and return its number."""
        started = podman(*self._before, "run", "--detach", *NARROW, *self._limits, *options, image, *line)
        return done(started).stdout.strip()


Ran = subprocess.CompletedProcess[str]


def podman(*line: str) -> Ran:
    """Call the program."""
    return subprocess.run(["podman", *line], capture_output=True, text=True, check=False)  # noqa: S607


def done(ran: Ran) -> Ran:
    """End with what was said if it went wrong."""
    if ran.returncode:
        sys.exit(f"exit {ran.returncode}: {' '.join(map(str, ran.args))}\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return ran


def base_of_debian() -> str:
    """Make a base image of Debian with its Python, by debootstrap; it is kept for the next time."""
    image = "localhost/shoal-base:bookworm"
    if podman("image", "exists", image).returncode:
        with tempfile.TemporaryDirectory() as folder:
            make = ["debootstrap", "--variant=minbase", "--include=python3,python3-venv", "bookworm", folder]
            subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
            archive = Path(folder).with_suffix(".tar")
            subprocess.run(["tar", "-C", folder, "-cf", archive, "."], check=True)  # noqa: S607
            done(podman("import", str(archive), image))
            archive.unlink()
    return image


def command_tried(runs: Podman, work: Path) -> None:
    """Make and verify a release in a mounted folder, as the user that owns it."""
    mounted = (f"--volume={work}:/work", "--tmpfs=/tmp", f"--user={os.getuid()}:{os.getgid()}")
    for line in (
        ("example", "hospital"),
        ("anonymize", "examples/hospital/job.toml", "--quiet"),
        ("verify", "release"),
    ):
        done(runs.run("localhost/shoal:test", *line, options=mounted))
    nobody = runs.run("localhost/shoal:test", "-c", "import os; print(os.getuid())", entry="/opt/shoal/bin/python")
    if done(nobody).stdout.strip() != "10001":
        sys.exit(f"The container runs as user {nobody.stdout.strip()}.")
    shut = runs.run("localhost/shoal:test", "-c", "open('/opt/new', 'w')", entry="/opt/shoal/bin/python")
    if "Read-only file system" not in shut.stderr:
        sys.exit("The file system of the container can be written to.")


def app_tried(runs: Podman, work: Path, tls: Path) -> None:
    """Refuse to start without the flags; with them, answer over TLS by the given name alone."""
    mounted = (f"--volume={tls}:/tls:ro", f"--volume={work}:/work", "--tmpfs=/tmp", f"--add-host={NAME}:127.0.0.1")
    user = f"--user={os.getuid()}:{os.getgid()}"
    for lacking, words in ((("--name", NAME), "--confirm"), (("--confirm", "0.0.0.0"), "--name")):  # noqa: S104
        refused = runs.run("localhost/shoal-app:test", *lacking, options=(*mounted, user))
        if refused.returncode != 2 or words not in refused.stderr:
            sys.exit(f"Without {words} the app ended with {refused.returncode}: {refused.stderr}")
    line = ("--confirm", "0.0.0.0", "--name", NAME)  # noqa: S104
    app = runs.begin("localhost/shoal-app:test", *line, options=(*mounted, user))
    try:
        address = ""
        for _ in range(120):
            address = podman("logs", app).stdout.strip()
            if address:
                break
            sleep(0.5)
        done(podman("exec", app, "/opt/shoal/bin/python", "-c", ASK, address))
    finally:
        podman("stop", "--time=10", app)


def main() -> None:
    """Build, run, and say what was tried."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--base", default="")
    asked = parser.parse_args()
    base = asked.base or base_of_debian()
    runs = Podman(base)
    for target, image in (("command", "localhost/shoal:test"), ("app", "localhost/shoal-app:test")):
        what = ("--build-arg", f"BASE={base}", "--target", target, "--tag", image, "--file", str(FILE))
        done(runs.build(*what, str(asked.bundle.resolve())))
    with tempfile.TemporaryDirectory() as folder:
        work, tls = Path(folder, "work"), Path(folder, "tls")
        work.mkdir()
        tls.mkdir()
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
        made += ["-addext", f"subjectAltName=DNS:{NAME}"]
        made += ["-keyout", str(tls / "key.pem"), "-out", str(tls / "certificate.pem")]
        subprocess.run(made, check=True, capture_output=True)
        command_tried(runs, work)
        app_tried(runs, work, tls)
    size = done(podman("image", "inspect", "--format={{.Size}}", "localhost/shoal:test")).stdout
    print(f"built on {base}, {int(size) / 1e6:.0f} MB: the command line and the app do as the docs say")


if __name__ == "__main__":
    main()
