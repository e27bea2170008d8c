"""Tries: the releases of the settings that were tried, and what is known of each."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.web.projects import TRIED, Project
from shoal.web.settings import setting_words
from shoal.web.texts import Translate

RESULT = "setting.json"
"""What came of a setting, in its folder of the tried ones."""

INFEASIBLE = "infeasible"
"""The folder of the settings that no release meets, among the tried ones."""

LOOK = "look.json"
"""What the steward's report of a try tells, and some records before and after."""

VERIFIED = "verified.json"
"""What was found when the release of a try was verified."""

APPLIED = "applied"
"""The folder of a project with the tables that the rules of a try were put to."""

RESULT_BY_RULES = "applied.json"
"""What came of that, in its folder."""

_BY_RULES = "r"

HANDED = "handed.json"
"""Where copies of the release of a try went."""


@dataclass(frozen=True, slots=True)
class Try:
    """A setting that was tried, or the rules of one that were put to another table.

    Args:
        number: Its number.
        folder: Its folder.
        told: What came of it.
        applied: Whether it was made by rules.
    """

    number: int
    folder: Path
    told: Mapping[str, Any]
    applied: bool = False

    @property
    def key(self) -> str:
        """What it is called in addresses."""
        return f"{_BY_RULES if self.applied else ''}{self.number}"

    @property
    def release(self) -> Path:
        """The folder of its release."""
        return self.folder / "release"

    @property
    def look(self) -> dict[str, Any] | None:
        """What there is to look at; None if nobody has looked yet."""
        return kept_json(self.folder / LOOK)

    @property
    def verified(self) -> dict[str, Any] | None:
        """What was found when it was verified; None if it was not."""
        return kept_json(self.folder / VERIFIED)

    @property
    def handed(self) -> list[dict[str, Any]]:
        """The copies that were made of it."""
        found = kept_json(self.folder / HANDED)
        return [] if found is None else found["copies"]

    def words(self, t: Translate) -> str:
        """The setting in a few words; empty if it is the job as it stands."""
        return "; ".join(setting_words(self.told["setting"], t))


def kept_json(path: Path) -> dict[str, Any] | None:
    """Return what stands in a file of a project; None if there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def keep_json(path: Path, told: Mapping[str, Any]) -> None:
    """Write what was found into a file of a project, which only the user may read."""
    draft = path.with_name(f".{path.name}.part")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(told), encoding="utf-8")
    draft.replace(path)


def tries(project: Project) -> list[Try]:
    """Return all that were tried, the newest first, and then what was made by their rules."""
    found = [Try(number, folder_of(project, number), told) for number, told in tried(project).items()]
    return [*reversed(found), *reversed(by_rules(project))]


def by_rules(project: Project) -> list[Try]:
    """Return the releases of other tables that were made by the rules of a try, the first one first."""
    found = sorted((project.folder / APPLIED).glob(f"[0-9]*/{RESULT_BY_RULES}"))
    told = [(path.parent, kept_json(path) or {}) for path in found]
    return [Try(int(folder.name), folder, one, applied=True) for folder, one in told]


def tried(project: Project) -> dict[int, dict[str, Any]]:
    """Return what came of the settings that have a release, by the number of their folders."""
    found = {}
    for path in sorted((project.folder / TRIED).glob(f"[0-9]*/{RESULT}")):
        found[int(path.parent.name)] = json.loads(path.read_text(encoding="utf-8"))
    return found


def number_of(project: Project, key: str) -> int | None:
    """Return the number of the setting that was tried already, if it was."""
    return next((number for number, one in tried(project).items() if one["key"] == key), None)


def all_infeasible(project: Project) -> list[dict[str, Any]]:
    """Return the settings of the present state of the project that no release meets, with the reasons."""
    paths = sorted((project.folder / TRIED / INFEASIBLE).glob("*.json"), key=lambda path: path.stat().st_mtime)
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return [one for one in found if one["version"] == project.version]


def infeasible(project: Project, key: str) -> dict[str, Any] | None:
    """Return why no release meets a setting, if that was found out."""
    path = infeasible_file(project.folder, key)
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def infeasible_file(folder: Path, key: str) -> Path:
    """Return where it is written why no release meets a setting."""
    return folder / TRIED / INFEASIBLE / f"{key}.json"


def folder_of(project: Project, number: int) -> Path:
    """Return the folder of a try."""
    return project.folder / TRIED / f"{number:04}"


def stale(one: Try, project: Project) -> bool:
    """Tell whether the job was changed since a setting of it was tried."""
    return not one.applied and one.told["version"] != project.version


def table_of(project: Project, one: Try) -> Path:
    """Return the file of the table that rules were put to."""
    return Path(os.path.normpath(project.folder / one.told["table"]))
