"""Build the site: `make docs`; `python -m docs.site.build --out FOLDER` for another place."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from docs.site import checking, staging
from docs.site.contents import ROOT

_HERE = Path(__file__).parent


def build(target: Path, *, run: bool = True) -> list[str]:
    """Build the site in a folder, in place of what is there; return what is wrong with it.

    Args:
        target: The folder; pages are staged in a folder beside it.
        run: Whether notebooks are run.
    """
    staged = target.with_name(f"{target.name}-pages")
    for folder in (staged, target):
        shutil.rmtree(folder, ignore_errors=True)
    staged.mkdir(parents=True)
    staging.stage(staged, run=run)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-c",
        str(_HERE),
        "-d",
        str(staged / ".doctrees"),
    ]
    built = subprocess.run([*command, str(staged), str(target)], check=False, cwd=ROOT)
    return [*(["Sphinx told of what is above."] if built.returncode else []), *checking.wrong(target)]


def main() -> None:
    """Build it, and end with 1 if a link leads nowhere or a page asks another host."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="the folder of the site")
    parser.add_argument("--no-notebooks", action="store_true", help="show notebooks without what comes out of them")
    given = parser.parse_args()
    found = build(given.out.absolute(), run=not given.no_notebooks)
    for line in found:
        print(line, file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"The site: {given.out / 'index.html'}")


if __name__ == "__main__":
    main()
