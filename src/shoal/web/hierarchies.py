"""Hierarchies: the sheet of a column of a project, what a form asks to be done to it, and its levels file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from shoal.actions.hierarchy import Sheet
from shoal.actions.suggestions.paths import file_names
from shoal.tables.hierarchies.numeric import count_others
from shoal.web.projects import HIERARCHIES, Content, Project
from shoal.web.texts import TextError
from shoal.web.trees import labels_of
from shoal.web.values import counted

TYPES = ("auto", "frequency", "intervals", "dates", "masking", "suppression")
"""The types that a page offers; each other one of a job file is shown, and edited as a levels file."""

Recipe = dict[str, Any]


def recipe_of(project: Project, name: str) -> Recipe | None:
    """Return the hierarchy of a column as the job has it."""
    found: Recipe | None = project.content["columns"][name].get("hierarchy")
    return found


def sheet_of(project: Project, number: int) -> Sheet | None:
    """Return the sheet of a column by its job; None if its values were not counted, or are too many."""
    name = list(project.content["columns"])[number]
    plain = counted(project.folder, number, name)
    recipe = recipe_of(project, name) or {"type": "auto"}
    return None if plain is None else _made(plain, project, recipe)


def _made(plain: Sheet, project: Project, recipe: Recipe) -> Sheet:
    fields = {key: value for key, value in recipe.items() if key != "type"}
    return plain.remade(recipe["type"], folder=project.folder, **fields)


def changed(
    project: Project, number: int, given: Mapping[str, str], keys: Sequence[str]
) -> tuple[Sheet, Recipe | None]:
    """Return the sheet after what a form asks for, and its recipe if it is no list of levels.

    Args:
        project: The project.
        number: The number of the column.
        given: The fields of the form; `do` says what to do.
        keys: The nodes that were chosen.
    """
    name = list(project.content["columns"])[number]
    what, _, level = given.get("do", "").partition(":")
    if what == "make":
        return _remade(project, number, name, given)
    sheet = sheet_of(project, number)
    if sheet is None:
        raise TextError("words.uncounted")
    if what in ("add", "remove"):
        place = int(level) if level.isdecimal() and len(level) < 6 else -1
        return (sheet.with_level if what == "add" else sheet.without_level)(place), None
    if what not in _EDITS:
        raise TextError("words.no_edit")
    return _EDITS[what](sheet, labels_of(sheet, keys), given), None


def _grouped(sheet: Sheet, chosen: Sequence[str], given: Mapping[str, str]) -> Sheet:
    """Put values together; all of them together are the top already, so that a group of them would tell nothing."""
    if chosen and all(set(chosen) & set(row) for row in sheet.rows):
        raise TextError("words.all_chosen", top=sheet.rows[0][-1])
    return sheet.grouped(chosen, given.get("name", "").strip())


def _renamed(sheet: Sheet, chosen: Sequence[str], given: Mapping[str, str]) -> Sheet:
    if len(chosen) != 1:
        raise TextError("words.choose_one")
    return sheet.renamed(chosen[0], given.get("name", "").strip())


def _moved(sheet: Sheet, chosen: Sequence[str], given: Mapping[str, str]) -> Sheet:
    onto = labels_of(sheet, [given.get("onto", "")])
    if not onto:
        raise TextError("words.choose_onto")
    return sheet.moved(chosen, onto[0])


_EDITS: dict[str, Callable[[Sheet, Sequence[str], Mapping[str, str]], Sheet]] = {
    "group": _grouped,
    "rename": _renamed,
    "move": _moved,
    "out": lambda sheet, chosen, given: sheet.moved(chosen, sheet.rows[0][-1]),
    "complete": lambda sheet, chosen, given: sheet.completed(),
    "keep": lambda sheet, chosen, given: sheet,
}


def _remade(project: Project, number: int, name: str, given: Mapping[str, str]) -> tuple[Sheet, Recipe | None]:
    """Make the hierarchy by another type; it stays a recipe in the job if the recipe alone makes the same of it."""
    plain = counted(project.folder, number, name)
    if plain is None:
        raise TextError("words.uncounted")
    recipe: Recipe = {"type": given.get("type", "")}
    if recipe["type"] in ("levels", "groups"):
        file = Path(given["path"])
        return plain.remade(recipe["type"], folder=file.parent, path=file.name), None
    if recipe["type"] not in TYPES:
        raise TextError("words.no_type")
    if recipe["type"] == "intervals":
        recipe |= _ends(given)
    sheet = _made(plain, project, recipe)
    stays = recipe["type"] in ("masking", "suppression") or (
        recipe["type"] == "intervals" and len(recipe) > 1 and not count_others(list(plain.counts))
    )
    return sheet, recipe if stays else None


def _ends(given: Mapping[str, str]) -> Recipe:
    """Return the widths or the cut points of a form; if both are empty, they are chosen by the values."""
    cuts = [_numbers(line) for line in given.get("cuts", "").splitlines() if line.strip()]
    widths = _numbers(given.get("widths", ""))
    if cuts and given.get("by") != "widths":
        return {"cuts": cuts}
    return {"widths": widths} if widths else {}


def _numbers(text: str) -> list[int | float]:
    found: list[int | float] = []
    for part in text.replace(";", " ").replace(",", " ").split():
        try:
            found.append(int(part) if part.lstrip("-").isdecimal() else float(part))
        except ValueError:
            raise TextError("words.no_numbers") from None
    return found


def saved(project: Project, number: int, sheet: Sheet, recipe: Recipe | None) -> None:
    """Write the hierarchy of a column: as a recipe of the job, or as a levels file that the job names."""
    name = list(project.content["columns"])[number]
    if recipe is not None:
        project.change(lambda content: with_hierarchy(content, name, recipe), "history.hierarchy", column=name)
        return
    file = _file(project.content, name)
    told = {"type": "levels", "path": f"{HIERARCHIES}/{file}"}
    levels = {file: sheet.text.encode("utf-8-sig" if sheet.text.startswith("\ufeff") else "utf-8")}
    project.change(lambda content: with_hierarchy(content, name, told), "history.hierarchy", levels=levels, column=name)


def with_hierarchy(content: Content, name: str, recipe: Recipe) -> Content:
    """Return a job with another hierarchy of a column."""
    columns = dict(content["columns"])
    columns[name] = {**columns[name], "hierarchy": recipe}
    return {**content, "columns": columns}


def _file(content: Content, name: str) -> str:
    """Return the name of the levels file of a column: the one that it has, or one that no other column has."""
    paths = {
        one: PurePosixPath((column.get("hierarchy") or {}).get("path", ""))
        for one, column in content["columns"].items()
    }
    own = paths.pop(name)
    if own.parent == PurePosixPath(HIERARCHIES) and own.suffix == ".csv" and own not in paths.values():
        return own.name
    taken = {path.name.casefold() for path in paths.values()}
    wanted = PurePosixPath(file_names(list(content["columns"]))[name])
    file, number = wanted.name, 1
    while file.casefold() in taken:
        number += 1
        file = f"{wanted.stem}-{number}.csv"
    return file
