"""Job: the request, read from TOML. Everything a run needs, so that a release can be repeated byte for byte."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import polars as pl
import tomli_w
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

from shoal.algorithms import ALGORITHMS
from shoal.databases import database_of
from shoal.databases.address import Address
from shoal.errors import SpecError
from shoal.exact import ExactNumber
from shoal.hierarchies import HIERARCHIES, Hierarchy
from shoal.measures import MEASURES
from shoal.measures.lm import Lm
from shoal.models import MODELS
from shoal.named import explain, fields_of, member_of, named_or
from shoal.place import FilePlace, Place, TablePlace
from shoal.shelf import Shelf
from shoal.table import Column, Role

if TYPE_CHECKING:
    from shoal.algorithms.algorithm import Algorithm
    from shoal.hierarchies import HierarchySpec
    from shoal.measures.measure import Measure
    from shoal.models.model import PrivacyModel
else:
    Algorithm = member_of(ALGORITHMS, "name")
    HierarchySpec = member_of(HIERARCHIES, "type")
    Measure = member_of(MEASURES, "name")
    PrivacyModel = member_of(MODELS, "model")

_ALGORITHM = named_or(ALGORITHMS, Algorithm, "auto")
_HIERARCHY = named_or(HIERARCHIES, HierarchySpec)
_MEASURE = named_or(MEASURES, Measure)

_PROMISED_FILES = ("population", "distances")  # fields of a promise that name a file


def _named(value: Any) -> Any:
    """Read a bare name as a table with that name."""
    return {"name": value} if isinstance(value, str) else value


def _typed(value: Any) -> Any:
    """Read a bare type as a table with that type."""
    return {"type": value} if isinstance(value, str) else value


def _unless_auto(value: Any) -> Any:
    return None if value == {"name": "auto"} else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)


class _Located(_Part):
    """What may be in a database; its password is kept apart from its URL, and is written nowhere."""

    url: str | None = None
    table: str | None = None

    address: SkipJsonSchema[Annotated[Address | None, Field(exclude=True, repr=False)]] = None

    @model_validator(mode="before")
    @classmethod
    def _without_secrets(cls, values: Any) -> Any:
        if isinstance(values, dict) and isinstance(values.get("url"), str):
            address = Address.of(values["url"])
            return {**values, "url": address.url, "address": address}
        return values

    @model_validator(mode="after")
    def _with_table(self) -> Self:
        if (self.url is None) != (self.table is None):
            raise ValueError("'url' and 'table' are given together: a database, and the name of a table in it")
        return self

    def place(self, folder: Path) -> TablePlace | None:
        """Return the table, if it is in a database; the path of a file in a URL starts from `folder`."""
        if self.address is None or self.table is None:
            return None
        return TablePlace(database_of(self.address, folder), self.table)


class Input(_Located):
    """Where the table is, a file or a table of a database, and what an empty field means."""

    path: Path | None = None
    sheet: str | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    missing: Literal["category", "wildcard", "drop"] = "category"

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.path is None) == (self.url is None):
            raise ValueError("either 'path' is needed, a file, or 'url' and 'table', a table of a database")
        if self.url is not None and (self.sheet or self.delimiter):
            raise ValueError("'sheet' and 'delimiter' are for files, and not for a database")
        return self


class ColumnRequest(_Part):
    """The role of a column, and for a quasi column its hierarchy and its weight in the loss."""

    role: Role
    hierarchy: Annotated[HierarchySpec, BeforeValidator(_typed, json_schema_input_type=_HIERARCHY)] | None = None
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0


class Search(_Part):
    """How to look for the release; no algorithm stands for `auto`."""

    algorithm: Annotated[
        Algorithm | None,
        BeforeValidator(_unless_auto),
        BeforeValidator(_named, json_schema_input_type=_ALGORITHM),
    ] = None
    measure: Annotated[Measure, BeforeValidator(_named, json_schema_input_type=_MEASURE)] = Lm()
    max_suppressed: Annotated[ExactNumber, Field(ge=0, le=1)] = Fraction(0)
    seed: Annotated[int, Field(ge=0)] | None = None
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class ReleaseRequest(_Located):
    """What leaves, and how: a file in a format, or a table of a database."""

    format: Literal["csv", "parquet", "xlsx", "sav", "dta"] = "csv"
    order: Literal["random", "input"] = "random"
    suppressed: Literal["drop", "star"] = "drop"


class Job(_Part):
    """A request: a table, the role of each of its columns, promises, a search and a form of release."""

    input: Input
    columns: dict[str, ColumnRequest]
    require: Annotated[list[PrivacyModel], Field(min_length=1)]
    search: Search = Search()
    release: ReleaseRequest = ReleaseRequest()

    folder: SkipJsonSchema[Annotated[Path, Field(exclude=True)]] = Path()

    @classmethod
    def read(
        cls, path: Path, changes: Mapping[str, Mapping[str, Any]] | None = None, promises: Sequence[dict[str, Any]] = ()
    ) -> "Job":
        """Read a job file; relative paths in it start from its folder.

        Args:
            path: The TOML file.
            changes: Keys to override by section, e.g. `{"search": {"max_suppressed": 0.02}}`.
            promises: Promises to add; one takes the place of the file's promise of the same model and column.
        """
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        except FileNotFoundError:
            raise SpecError(f"There is no job file '{path}'.") from None
        except (OSError, UnicodeDecodeError):
            raise SpecError(f"The job file '{path}' cannot be read as UTF-8 text.") from None
        except tomllib.TOMLDecodeError as error:
            raise SpecError(f"The job file '{path}' is not valid TOML: {error}.") from None
        return cls.of(_changed(content, changes or {}, promises), path.parent, f"job file '{path}'")

    @classmethod
    def of(cls, content: Mapping[str, Any], folder: Path, where: str = "request") -> "Job":
        """Read a request from plain dictionaries; a SpecError lists all that is wrong with it."""
        known = {**content, "folder": folder}
        if "require" in content:
            known["require"] = _resolved(content["require"], folder)
        try:
            return cls.model_validate(known)
        except ValidationError as error:
            raise SpecError(explain(error, where, _SHELVES)) from None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        """Check what concerns several sections, all of it at once."""
        wrong = []
        if not self.names(Role.QUASI):
            wrong.append("no column has the role 'quasi': name the columns that an attacker may know")
        for name, column in self.columns.items():
            if column.hierarchy is not None and column.role not in (Role.QUASI, Role.SENSITIVE):
                wrong.append(
                    f"column '{name}' has a hierarchy but the role '{column.role}', which is never generalized"
                )
        sensitive = self.names(Role.SENSITIVE)
        measure = self.search.measure.of_columns(sensitive)
        if measure is None:
            wrong.append(f"the measure {self.search.measure.name} needs a column with the role 'sensitive'")
        for promise in self._promises():
            wrong += [
                f"{promise.name} speaks of column '{name}', which has not the role 'sensitive' "
                f"(sensitive columns are: {', '.join(sensitive) or 'none'})"
                for name in promise.sensitive_columns
                if name not in sensitive
            ]
        wrong += self._shifting()
        if wrong:
            raise ValueError("; ".join(wrong))
        return self.model_copy(update={"search": self.search.model_copy(update={"measure": measure})})

    def _shifting(self) -> list[str]:
        """Say which promises measure along a hierarchy that changes when suppression takes a value away."""
        if self.search.max_suppressed == 0 or self.release.suppressed == "star":
            return []
        along = [p for p in self.require if getattr(p, "distance", None) == "hierarchical"]
        recipes = {
            name: self.columns[name].hierarchy for p in along for name in p.sensitive_columns if name in self.columns
        }
        return [
            f"a hierarchy of type '{recipe.name}' changes with the values that are left, so {along[0].name} cannot be "
            f"measured along that of column '{name}' while records may be suppressed: give it as 'levels' or "
            "'taxonomy', or set max_suppressed = 0 or suppressed = 'star'"
            for name, recipe in recipes.items()
            if recipe is not None and not recipe.fixed
        ]

    @property
    def place(self) -> Place:
        """Where the table is."""
        table = self.input.place(self.folder)
        if table is not None or self.input.path is None:
            return table or FilePlace(self.folder)
        return FilePlace(self.folder / self.input.path, self.input.delimiter, self.input.sheet)

    @property
    def target(self) -> TablePlace | None:
        """Where the release goes, if it goes into a database."""
        return self.release.place(self.folder)

    @property
    def input_files(self) -> list[Path]:
        """The file of the table, which a table on a server has not."""
        table = self.input.place(self.folder)
        if table is None:
            return [self.folder / (self.input.path or "")]
        return [table.database.file] if table.database.file is not None else []

    def files(self) -> list[Path]:
        """Return all files that the request reads."""
        recipes = [getattr(column.hierarchy, "path", None) for column in self.columns.values()]
        promised = [getattr(promise, key, None) for promise in self.require for key in _PROMISED_FILES]
        return [*self.input_files, *(self.folder / path for path in (*recipes, *promised) if path is not None)]

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of one role."""
        return tuple(name for name, column in self.columns.items() if column.role is role)

    def watched(self) -> tuple[str, ...]:
        """Return the sensitive columns that the promises and the measure look at."""
        if any(getattr(promise, "others", None) == "known" for promise in self.require):
            return self.names(Role.SENSITIVE)
        named = {name for promise in self._promises() for name in promise.sensitive_columns}
        return tuple(name for name in self.names(Role.SENSITIVE) if name in named)

    def hierarchy_over(self, values: pl.Series, column: str) -> Hierarchy | None:
        """Build the hierarchy of a column over the values of a release, as anyone who holds it can, if it has one."""
        recipe = self.columns[column].hierarchy
        return None if recipe is None else recipe.build(Column.of(values).values, column, self.folder)

    def _promises(self) -> list[PrivacyModel | Measure]:
        return [*self.require, self.search.measure]

    def with_seed(self, seed: int) -> "Job":
        """Return the same request with a seed."""
        return self.model_copy(update={"search": self.search.model_copy(update={"seed": seed})})

    def toml(self, folder: Path) -> str:
        """Return the request as a job file that stands in `folder` and means the same."""
        content: dict[str, Any] = {
            "input": {
                **self.input.model_dump(mode="json", exclude_defaults=True),
                **_moved(self.input, self.input.place(self.folder), self.folder, folder),
            },
            "columns": {name: self._column(column, folder) for name, column in self.columns.items()},
            "require": [self._promise(promise, folder) for promise in self.require],
            "search": {
                **self.search.model_dump(mode="json", exclude={"algorithm", "measure"}, exclude_none=True),
                "algorithm": _name_or_table(self.search.algorithm) if self.search.algorithm else "auto",
                "measure": _name_or_table(self.search.measure),
            },
            "release": {
                **self.release.model_dump(mode="json", exclude_none=True),
                **_moved(self.release, self.target, self.folder, folder),
            },
        }
        return tomli_w.dumps(content)

    def _column(self, column: ColumnRequest, folder: Path) -> dict[str, Any]:
        content: dict[str, Any] = {"role": str(column.role)}
        if column.hierarchy is not None:
            recipe = fields_of(column.hierarchy)
            if "path" in recipe:
                recipe["path"] = _relative(self.folder / recipe["path"], folder)
            content["hierarchy"] = {"type": column.hierarchy.name, **recipe}
        if column.weight != 1.0:
            content["weight"] = column.weight
        return content

    def _promise(self, promise: PrivacyModel, folder: Path) -> dict[str, Any]:
        fields = fields_of(promise)
        moved = {key: _relative(Path(fields[key]), folder) for key in _PROMISED_FILES if key in fields}
        return {"model": promise.name, **fields, **moved}


_SHELVES: dict[str, Shelf[Any]] = {
    "require": MODELS,
    "hierarchy": HIERARCHIES,
    "measure": MEASURES,
    "algorithm": ALGORITHMS,
}


def _changed(
    content: dict[str, Any], changes: Mapping[str, Mapping[str, Any]], promises: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the content of a job file with flags on top; what is not of the right kind stays, to be refused."""
    for section, values in changes.items():
        if values and isinstance(content.setdefault(section, {}), dict):
            content[section] = {**content[section], **values}
    stated = content.get("require", [])
    if promises and isinstance(stated, list):
        replaced = {(promise.get("model"), promise.get("column")) for promise in promises}
        stay = [p for p in stated if not isinstance(p, dict) or (p.get("model"), p.get("column")) not in replaced]
        content["require"] = [*stay, *promises]
    return content


def _resolved(promises: Any, folder: Path) -> Any:
    """Return the promises with the files that they name found from the job's folder."""
    if not isinstance(promises, list):
        return promises
    return [
        {
            key: str(folder / value) if key in _PROMISED_FILES and isinstance(value, str) else value
            for key, value in p.items()
        }
        if isinstance(p, dict)
        else p
        for p in promises
    ]


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _moved(part: Any, table: TablePlace | None, old: Path, new: Path) -> dict[str, str]:
    """Return where a table is, as seen from another folder."""
    if table is not None:
        return {"url": table.database.moved(new)}
    path = getattr(part, "path", None)
    return {} if path is None else {"path": _relative(old / path, new)}


def _name_or_table(member: Algorithm | Measure) -> str | dict[str, Any]:
    fields = fields_of(member)
    return {"name": member.name, **fields} if fields else member.name
