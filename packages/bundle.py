"""A bundle for machines without network: all wheels in one folder, with the hash of each.

python packages/bundle.py dist/shoal-*.whl --extras web,excel --out dist/bundle
"""

import argparse
import hashlib
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

REQUIREMENTS, SUMS, README = "requirements.txt", "SHA256SUMS", "README.txt"

_TEXT = """shoal {version}, with all that it needs ({extras}), for Python {python} on {platform}.

On the machine without network, in this folder:

    sha256sum --check SHA256SUMS
    python{python} -m venv shoal
    shoal/bin/python -m pip install --no-index --find-links wheels --require-hashes -r requirements.txt
    shoal/bin/shoal example hospital
    shoal/bin/shoal anonymize examples/hospital/job.toml

SHA256SUMS tells that the files are those of this list. That the list is ours, you know only if its own digest came to
you on another way:

    sha256sum SHA256SUMS
"""


def main() -> None:
    """Make a bundle from the arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--extras", default="", help="extras of shoal, with commas between")
    parser.add_argument("--out", type=Path, default=Path("dist/bundle"))
    asked = parser.parse_args()
    gather(asked.wheel, asked.extras, asked.out)
    write_lists(asked.out, asked.extras)
    wheels = list((asked.out / "wheels").iterdir())
    print(f"{asked.out}: {len(wheels)} wheels, {sum(one.stat().st_size for one in wheels) / 1e6:.0f} MB")


def gather(wheel: Path, extras: str, out: Path) -> None:
    """Put a wheel of shoal, and wheels of all that it needs, into `out/wheels`, which must be new or empty."""
    folder = out / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"'{folder}' is not empty: old wheels would be listed too. Delete it, or name another folder.")
    wanted = f"shoal[{extras}] @ {wheel.resolve().as_uri()}" if extras else str(wheel.resolve())
    subprocess.run(  # noqa: S603  (our own arguments)
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder), wanted], check=True
    )


def write_lists(out: Path, extras: str) -> None:
    """Write what pip installs with its hashes, the digests of all files, and how to begin."""
    wheels = sorted((out / "wheels").glob("*.whl"))
    known = {wheel: name_of(wheel) for wheel in wheels}
    lines = [f"{name}=={version} --hash=sha256:{digest(wheel)}\n" for wheel, (name, version) in known.items()]
    (out / REQUIREMENTS).write_text("".join(lines), encoding="utf-8")
    ours = next((version for name, version in known.values() if name == "shoal"), None)
    if ours is None:
        sys.exit(f"There is no wheel of shoal among the {len(wheels)} in '{out / 'wheels'}'.")
    text = _TEXT.format(
        version=ours,
        extras=f"extras: {extras}" if extras else "no extras",
        python=f"{sys.version_info.major}.{sys.version_info.minor}",
        platform=platform(wheels),
    )
    (out / README).write_text(text, encoding="utf-8")
    files = [*wheels, out / REQUIREMENTS, out / README]
    sums = [f"{digest(file)}  {file.relative_to(out).as_posix()}\n" for file in files]
    (out / SUMS).write_text("".join(sums), encoding="utf-8")


def name_of(wheel: Path) -> tuple[str, str]:
    """Return the name and version that a wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        described = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        headers = HeaderParser().parsestr(archive.read(described).decode())
    return headers["Name"].lower(), headers["Version"]


def platform(wheels: list[Path]) -> str:
    """Return the platforms that the wheels are for, but those for any."""
    tags = {wheel.stem.split("-")[-1] for wheel in wheels} - {"any"}
    return ", ".join(sorted(tags)) or "any platform"


def digest(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


if __name__ == "__main__":
    main()
