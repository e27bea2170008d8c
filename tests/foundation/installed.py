"""Makes a package that looks installed, with entry points, in a folder that is on the path of modules."""

from collections.abc import Mapping
from pathlib import Path


def installed(
    folder: Path, module: str, groups: Mapping[str, Mapping[str, str]], text: str, package: str | None = None
) -> Path:
    """Write a module and what pip would write of its package beside it; return the folder.

    Args:
        folder: A folder on the path of modules.
        module: The module's name.
        groups: The entry points of each group, by name.
        text: The module.
        package: The package's name; that of the module if not given.
    """
    name = package or module
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{point} = {value}" for point, value in points.items()), ""]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder
