"""Example: a copy of one of the worked examples, to try all commands on."""

import shutil
from pathlib import Path

from shoal.foundation.atomic_write import check_folder, write_folder
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.shelf import did_you_mean
from shoal.foundation.wording import series

FOLDER = Path("examples")
"""Where copies go, so that the commands of all pages find them."""

_PLACES = (Path(__file__).parents[1] / "examples", Path(__file__).parents[3] / "examples")  # of a wheel, of a clone
_MADE = {"release", "members", "__pycache__"}  # what runs have left there


@checked
def example(name: str, out: str | Path | None = None, *, force: bool = False) -> Path:
    """Copy an example: its tables, hierarchies and jobs, and a page that explains them.

    Args:
        name: The name of the example, such as `hospital`.
        out: The folder to create; by default `examples/NAME`.
        force: Whether an existing folder may be replaced.

    Returns:
        The folder.
    """
    known = titles()
    if name not in known:
        raise SpecError(f"There is no example '{name}'. {did_you_mean(name, list(known))}")
    target = FOLDER / name if out is None else Path(out)
    if out is None and not FOLDER.exists():
        FOLDER.mkdir()
    check_folder(target, [_place() / name], force=force)

    write_folder(target, lambda draft: _copy(_place() / name, draft), force=force, public=lambda _: True)
    return target


def _copy(source: Path, draft: Path) -> None:
    """Copy the files and not their rights: where a package lies, they may be for reading alone."""
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        if path.is_file() and not _MADE & set(inside.parts):
            (draft / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, draft / inside)


def titles() -> dict[str, str]:
    """Return the names of all examples, each with the title of its page."""
    pages = sorted(_place().glob("*/README.md"))
    return {page.parent.name: page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for page in pages}


def _place() -> Path:
    """Return the folder of the examples."""
    for place in _PLACES:
        if (place / "hospital" / "README.md").is_file():
            return place
    looked = series([f"'{place}'" for place in _PLACES])
    raise SpecError(f"The examples were not found in {looked}. Reinstall shoal, or use a clone.")
