"""Rules: the recoding of a release, as a file that recodes another table in the same way.

A rule contains no value of the raw table that the release does not show. A full-domain rule is the recipe of the
hierarchy and a level; other rules list the published cells.
"""

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

from shoal.foundation.budgets import read_bytes
from shoal.foundation.documents import json_of
from shoal.foundation.errors import SpecError
from shoal.foundation.members import explain, named_files
from shoal.jobs.job import Job
from shoal.jobs.release_folder import ReleaseFolder
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.location import file_digest
from shoal.tables.table import Role

NAME = "rules.json"
RecodingKind = Literal["full-domain", "single-dimensional", "local", "centres"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Cell(_Part):
    """A published cell of a column: a node at a level, a range, a set, the top, or a label alone.

    A centre has only a label. A label of null is the missing value.
    """

    label: Label
    level: Annotated[int, Field(ge=0)] | None = None
    range: tuple[str, str] | None = None
    set: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    top: Literal[True] | None = None

    def content(self) -> dict[str, Any]:
        """Return the cell as JSON."""
        parts = {"level": self.level, "range": self.range, "set": self.set, "top": self.top}
        return {"label": self.label, **{key: part for key, part in parts.items() if part is not None}}

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [part for part in (self.level, self.range, self.set, self.top) if part is not None]
        if len(given) > 1 or (self.label is None and given):
            raise ValueError("a cell is a node at a level, a range, a set or the top, and a missing value none of them")
        return self


class ColumnRule(_Part):
    """The recoding of a quasi column: to the nodes of one level, or to published cells.

    `apart` are the published missing codes, each a cell of its own. With `merged`, all missing codes are the plain
    missing value.
    """

    level: Annotated[int, Field(ge=0)] | None = None
    cells: list[Cell] | None = None
    apart: list[str] | None = None
    merged: Literal[True] | None = None

    @model_validator(mode="after")
    def _some(self) -> Self:
        if self.level is None and self.cells is None:
            raise ValueError("a column needs a level or cells")
        labels = [cell.label for cell in self.cells or ()]
        if len(set(labels)) < len(labels):
            raise ValueError("two cells have one label")
        return self


class Rules(_Part):
    """The recoding of a release.

    `request` is a job without its table: the roles, hierarchies, promises and other settings of an applied release.
    What a hierarchy derived from the values of the first table is stated in it explicitly. `classes` are for local
    recoding: the cell of each column in each class. `radii` are the largest distances of records from their centre.
    `files` are digests of the files of hierarchies and distances.
    """

    rules: Literal[1] = 1
    shoal: str
    recoding: RecodingKind
    request: dict[str, Any]
    columns: dict[str, ColumnRule]
    files: dict[str, dict[Literal["hierarchy", "distance"], str]] = {}
    classes: list[list[int]] | None = None
    radii: list[Annotated[float, Field(ge=0, allow_inf_nan=False)]] | None = None

    folder: SkipJsonSchema[Annotated[Path, Field(exclude=True)]] = Path()

    @classmethod
    def read(cls, path: Path) -> "Rules":
        """Read a file of rules, or the one in a release folder; relative paths in it refer to its folder."""
        file = file_of(path)
        try:
            content = json_of(read_bytes(file), f"'{file}'")
        except FileNotFoundError:
            raise SpecError(
                f"There are no rules at '{file}': give the rules.json of a release, or its folder."
            ) from None
        except OSError:
            raise SpecError(f"The rules '{file}' cannot be read.") from None
        except ValueError:
            raise SpecError(f"The rules '{file}' are not a JSON file.") from None
        if not isinstance(content, dict) or "rules" not in content:
            raise SpecError(f"'{file}' contains no rules: every release of shoal has a {NAME}.")
        try:
            return cls.model_validate({**content, "folder": file.parent})
        except ValidationError as error:
            raise SpecError(explain(error, f"rules '{file}'", {})) from None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.recoding in ("local", "centres")) != (self.classes is not None):
            raise ValueError("classes are for local recoding and for centres")
        n_radii = None if self.radii is None else len(self.radii)
        if n_radii != (len(self.classes or ()) if self.recoding == "centres" else None):
            raise ValueError("centres have a radius each, and nothing else has one")
        lengths = [len(rule.cells) if rule.cells is not None else 0 for rule in self.columns.values()]
        if not _within(self.classes or [], lengths):
            raise ValueError("a class has one cell for each column, by its number among the cells of the column")
        return self

    def job(self, **given: Mapping[str, Any]) -> Job:
        """Return the job of an applied release: the request, with a table.

        Args:
            given: By section, the keys to replace; `input` gives the location of the table.
        """
        content: dict[str, Any] = dict(self.request)
        for section, changes in given.items():
            asked = content.get(section, {})
            told = {key: value for key, value in changes.items() if value is not None}
            content[section] = {**asked, **told} if isinstance(asked, dict) else asked
        job = Job.of(content, self.folder, "request of the rules")
        if set(self.columns) != set(job.names(Role.QUASI)):
            raise SpecError("The rules do not match the quasi columns of their own request.")
        return job

    def changed(self, job: Job) -> list[str]:
        """Return the columns whose files of hierarchy or distances have changed; a SpecError names a missing file."""
        missing = next((path for paths in _paths(job).values() for path in paths if not path.is_file()), None)
        if missing is not None:
            raise SpecError(f"The rules refer to '{missing}', which does not exist.")
        now = files_of(job)
        return [name for name in dict.fromkeys((*now, *self.files)) if now.get(name) != self.files.get(name)]

    def text(self) -> bytes:
        """Return the content of the rules' file; equal rules give equal bytes."""
        content = self.model_dump(mode="json", exclude_none=True, exclude={"columns"})
        content["columns"] = {name: _column(rule) for name, rule in self.columns.items()}
        order = [key for key in type(self).model_fields if key in content]
        return (_lines({key: content[key] for key in order}) + "\n").encode()

    def digest(self) -> str:
        """Return the SHA-256 of the rules' file."""
        return hashlib.sha256(self.text()).hexdigest()


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of applying rules to a table.

    Args:
        rules: The rules.
        digest: The SHA-256 of their file.
        outside: The number of records that the rules do not cover.
        failing: The number of records that were suppressed with failing classes.
        unknown: For each column with such values, the values that the rules do not cover, with their numbers of
            records.
        idle: The number of classes of the rules without records, or given up.
        asked: The flags of `shoal apply` that allowed more than the rules alone.
    """

    rules: Rules
    digest: str
    outside: int
    failing: int
    unknown: Mapping[str, Mapping[str, int]]
    idle: int
    asked: tuple[str, ...] = ()

    def command(self, job: Job, folder: Path) -> str:
        """Return the command that reproduces the release from the folder of its rules."""
        content, first = job.content(folder), self.rules.request
        place, out = content["input"], content["release"]
        words = ["shoal", "apply", NAME, place.get("url") or place["path"], *self.asked]
        told = {name: place.get(name) for name in ("table", "sheet", "delimiter")}
        told |= {"output": out.get("url"), "output-table": out.get("table"), "seed": job.search.seed}
        told["pseudonym-key"] = out.get("pseudonym_key")
        for key, section in (("format", "release"), ("max_suppressed", "search")):
            value = content[section].get(key)
            told[key.replace("_", "-")] = None if value == first.get(section, {}).get(key) else value
        for name, value in told.items():
            words += [] if value is None else [f"--{name}", str(value)]
        return shlex.join([*words, "--out", "../../again"])

    def section(self) -> dict[str, Any]:
        """Return the section of the certificate on rules, without the unknown values and their columns."""
        return {"sha256": self.digest, "outside": self.outside, "failing": self.failing, "idle_classes": self.idle}


def file_of(path: Path) -> Path:
    """Return the file of rules, given as it is or by the folder of its release."""
    if not path.is_dir():
        return path
    return ReleaseFolder.of(path).private / NAME


def files_of(job: Job) -> dict[str, dict[Literal["hierarchy", "distance"], str]]:
    """Return the digests of the files of hierarchies and distances, by column."""
    found: dict[str, dict[Literal["hierarchy", "distance"], str]] = {}
    for (name, key), paths in _paths(job).items():
        digests = [file_digest(path) for path in paths]
        one = digests[0] if len(digests) == 1 else hashlib.sha256(" ".join(digests).encode()).hexdigest()
        found.setdefault(name, {})[key] = one
    return found


def _within(rows: list[list[int]], lengths: list[int]) -> bool:
    """Tell whether each row has a number below each length; there may be a million of rows."""
    if any(len(row) != len(lengths) for row in rows):
        return False
    numbers = np.array(rows).reshape(len(rows), len(lengths))
    return bool((numbers >= 0).all() and (numbers < np.array(lengths)).all())


def _paths(job: Job) -> dict[tuple[str, Literal["hierarchy", "distance"]], list[Path]]:
    found: dict[tuple[str, Literal["hierarchy", "distance"]], list[Path]] = {}
    for name, column in job.columns.items():
        for key, recipe in column.recipes.items():
            if paths := [job.folder / path for path in named_files(recipe).values()]:
                found[name, key] = paths
    return found


def _column(rule: ColumnRule) -> dict[str, Any]:
    content: dict[str, Any] = rule.model_dump(mode="json", exclude_none=True, exclude={"cells"})
    if rule.cells is not None:
        content["cells"] = [cell.content() for cell in rule.cells]
    return content


_encode = json.JSONEncoder(ensure_ascii=False).encode


def _lines(value: Any, indent: str = "") -> str:
    """Return JSON with one line for each innermost object or list, such as a cell or a class."""
    if _on_one_line(value):
        return _encode(value)
    inner = indent + "  "
    rows = _number_rows(value, inner)
    if rows is not None:
        return f"[\n{inner}{rows}\n{indent}]"
    if isinstance(value, dict):
        entries = [f"{_encode(key)}: {_lines(one, inner)}" for key, one in value.items()]
    else:
        entries = [_lines(one, inner) for one in value]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    return f"{opened}\n{inner}" + f",\n{inner}".join(entries) + f"\n{indent}{closed}"


def _number_rows(value: Any, inner: str) -> str | None:
    """Return the lines of a list of lists of numbers, such as all classes, as one text; None of anything else."""
    if not isinstance(value, list) or not isinstance(value[0], list):
        return None
    text = _encode(value)
    n_lists, n_between = text.count("["), text.count("], [")
    if '"' in text or "{" in text or (n_lists, n_between) != (len(value) + 1, len(value) - 1):
        return None
    return text[1:-1].replace("], [", f"],\n{inner}[")


def _on_one_line(value: Any) -> bool:
    if isinstance(value, dict):
        return all(
            not isinstance(one, dict | list) or (isinstance(one, list) and _plain(one)) for one in value.values()
        )
    return not isinstance(value, list) or _plain(value)


def _plain(values: list[Any]) -> bool:
    return not any(isinstance(one, dict | list | tuple) for one in values)
