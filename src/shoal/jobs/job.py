"""Job: the request, read from TOML. Everything a run needs, so that a release can be repeated byte for byte."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Self

import polars as pl
import tomli_w
from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

from shoal.clusters.distances import DISTANCES
from shoal.clusters.objectives import LOWERED, Objective
from shoal.foundation.documents import decimal_of, toml_in
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.members import explain, fields_of, named_files
from shoal.foundation.shelf import Shelf
from shoal.jobs.changes import changed
from shoal.jobs.context import Context
from shoal.jobs.default_format import with_format
from shoal.jobs.distancing import distance_errors
from shoal.jobs.engine_limits import needs_memory, needs_records, unhandled
from shoal.jobs.identifiers import identifier_errors
from shoal.jobs.people.entities import counting_persons, uncountable
from shoal.jobs.people.households import household_errors
from shoal.jobs.people.weighing import weighing_errors
from shoal.jobs.references import reference_errors
from shoal.jobs.sections import (
    ColumnRequest,
    EngineName,
    EngineRequest,
    Input,
    Promises,
    ReleaseRequest,
    Search,
    Section,
    named,
    relative,
)
from shoal.jobs.series_request import SeriesRequest, series_errors
from shoal.jobs.shapes import shape_errors
from shoal.measures import MEASURES
from shoal.measures.measure import Measure
from shoal.models import MODELS
from shoal.models.model import PrivacyModel
from shoal.search.algorithms import ALGORITHMS
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.engines import COUNTING
from shoal.tables.engine_tables import EngineLocation
from shoal.tables.folder import SEVERAL, FolderLocation, is_folder
from shoal.tables.hierarchies import HIERARCHIES, Hierarchy
from shoal.tables.location import FileLocation, Location, TableLocation
from shoal.tables.table import Role

JOB_FILE = "job.toml"
"""The job of a release, and the one that `init` proposes."""

_ENGINE = EngineRequest | EngineName


class Job(Section):
    """A request: a table, the role of each of its columns, promises, a search and a form of release."""

    input: Input
    columns: dict[str, ColumnRequest]
    require: Promises
    engine: Annotated[EngineRequest, BeforeValidator(named, json_schema_input_type=_ENGINE)] = EngineRequest()
    search: Search = Search()
    release: ReleaseRequest = ReleaseRequest()
    series: SeriesRequest | None = None
    context: Context = Context()

    folder: SkipJsonSchema[Annotated[Path, Field(exclude=True)]] = Path()

    @classmethod
    @checked
    def read(
        cls,
        path: str | Path,
        changes: Mapping[str, Mapping[str, Any]] | None = None,
        promises: Sequence[dict[str, Any]] = (),
        omitted: Sequence[str] = (),
    ) -> "Job":
        """Read a job file; relative paths in it start from its folder.

        Args:
            path: The TOML file.
            changes: Keys to override by section, e.g. `{"search": {"max_suppressed": 0.02}}`.
            promises: Promises to add; one takes the place of the file's promise of the same model and column.
            omitted: Columns of the file to leave out.
        """
        path = Path(path)
        try:
            content = toml_in(path, decimal_of)
        except FileNotFoundError:
            raise SpecError(f"There is no job file '{path}'.") from None
        except (OSError, UnicodeDecodeError):
            raise SpecError(f"The job file '{path}' cannot be read as UTF-8 text.") from None
        except ValueError as error:
            raise SpecError(f"The job file '{path}' is not valid TOML: {error}.") from None
        return cls.of(changed(content, changes or {}, promises, omitted), path.parent, f"job file '{path}'")

    @classmethod
    @checked
    def of(cls, content: Mapping[str, Any], folder: Path, where: str = "request") -> "Job":
        """Read a request from plain dictionaries; a SpecError lists all that is wrong with it."""
        try:
            job = cls.model_validate({**content, "folder": folder})
        except ValidationError as error:
            raise SpecError(explain(error, where, SHELVES)) from None
        return job.model_copy(update={"require": [_resolved(promise, folder) for promise in job.require]})

    @model_validator(mode="before")
    @classmethod
    def _in_its_format(cls, content: Any) -> Any:
        return with_format(content)

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
            if column.missing and column.role not in (Role.QUASI, Role.SENSITIVE):
                wrong.append(f"column '{name}' has 'missing' but the role '{column.role}': it leaves as it is")
        sensitive = self.names(Role.SENSITIVE)
        measure = self.search.measure.of_columns(sensitive)
        if measure is None:
            wrong.append(f"the measure {self.search.measure.name} needs a column with the role 'sensitive'")
        for promise in self._promises():
            wrong += [
                f"{promise.name} refers to column '{name}', which does not have the role 'sensitive' (sensitive "
                f"columns are: {', '.join(sensitive) or 'none'})"
                for name in promise.sensitive_columns
                if name not in sensitive and not (isinstance(promise, PrivacyModel) and name == promise.entity_column)
            ]
        entities, wildcard = self.names(Role.ENTITY), self.input.missing == "wildcard"
        wrong += uncountable(entities, self.require, wildcard=wildcard, clusters=self.objective is not None)
        shape, radius, values = self.release.shape, self.release.radius, self.release.values
        wrong += [
            *self._shifting(),
            *distance_errors(self),
            *self._unmeasured(),
            *unhandled(self),
            *identifier_errors(self),
            *household_errors(self),
            *weighing_errors(self),
            *series_errors(self),
            *reference_errors(self),
        ]
        wrong += shape_errors(self.search.algorithm, self.require, shape, radius, values)
        if wrong:
            raise ValueError("; ".join(wrong))
        release = self.release if self.objective is None else self.release.of_clusters()
        search = self.search.model_copy(update={"measure": measure})
        require = counting_persons(self.require, entities)
        return self.model_copy(update={"require": require, "search": search, "release": release})

    def _shifting(self) -> list[str]:
        """Say which promises measure along a hierarchy that changes when suppression takes a value away."""
        if self.search.max_suppressed == 0 or self.release.suppressed == "star":
            return []
        along = [p for p in self.require if p.needs_hierarchy]
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

    def _unmeasured(self) -> list[str]:
        """Say if a measure was given that the algorithm does not look at."""
        if self.objective is None or self.search.algorithm is None or "measure" not in self.search.model_fields_set:
            return []
        return [
            f"the algorithm {self.search.algorithm.name} publishes clusters and lowers {LOWERED[self.objective]}: "
            "leave the measure out"
        ]

    @property
    def objective(self) -> Objective | None:
        """What the algorithm lowers if it publishes clusters; else it is the measure."""
        return None if self.search.algorithm is None else self.search.algorithm.objective

    @property
    def location(self) -> Location:
        """Where the table is."""
        table = self.input.location(self.folder)
        blanks = self.input.missing_values
        found = table or self.input.engine_table()
        if found is not None:
            return replace(found, blanks=blanks)
        path = self.folder if self.input.path is None else self.folder / self.input.path
        if self.input.path is not None and is_folder(path):
            return FolderLocation(path, self.input.delimiter, blanks)
        return FileLocation(path, self.input.delimiter, self.input.sheet, blanks)

    @property
    def target(self) -> TableLocation | None:
        """Where the release goes, if it goes into a database."""
        return self.release.location(self.folder)

    @property
    def input_files(self) -> list[Path]:
        """The file of the table, which a table on a server has not."""
        table, location = self.input.location(self.folder), self.location
        if isinstance(location, FolderLocation):
            return location.files
        if isinstance(location, EngineLocation):
            return []
        if table is None:
            return [self.folder / (self.input.path or "")]
        return [table.database.file] if table.database.file is not None else []

    def files(self) -> list[Path]:
        """Return all files that the request reads."""
        recipes = [recipe for column in self.columns.values() for recipe in column.recipes.values()]
        named = [path for one in (*recipes, *self.require) for path in named_files(one).values()]
        return [*self.input_files, *(self.folder / path for path in named)]

    @property
    def key_file(self) -> Path | None:
        """The file of the key of pseudonyms, which is named and never told."""
        key = self.release.pseudonym_key
        return None if key is None else self.folder / key

    @property
    def pseudonyms(self) -> dict[str, str]:
        """The columns that leave as pseudonyms, and the name that each is linked by."""
        return {
            name: column.pseudonym.linked or name
            for name, column in self.columns.items()
            if column.pseudonym is not None
        }

    def untouched(self) -> list[Path]:
        """Return all files that no result may take the place of."""
        keys = [self.key_file, *([] if self.series is None else [self.folder / self.series.key])]
        return [*self.files(), *(key for key in keys if key is not None)]

    def without_key(self) -> "Job":
        """Return the same request with a key of pseudonyms that is drawn."""
        return self.model_copy(update={"release": self.release.model_copy(update={"pseudonym_key": None})})

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of one role."""
        return tuple(name for name, column in self.columns.items() if column.role is role)

    def watched(self) -> tuple[str, ...]:
        """Return the columns that the promises and the measure look at: sensitive ones, and who is counted."""
        if any(promise.others_known for promise in self.require):
            return self.names(Role.SENSITIVE)
        named = {name for promise in self._promises() for name in promise.sensitive_columns}
        told = (*self.names(Role.SENSITIVE), *self.names(Role.ENTITY))
        return tuple(name for name in told if name in named)

    def counted(self) -> tuple[str, ...]:
        """Return the columns that records are counted by beside the quasi ones: those watched, and the weights."""
        weights = self.search.sampling_weights
        return tuple(dict.fromkeys((*self.watched(), *([] if weights is None else [weights]))))

    def is_read(self, name: str) -> bool:
        """Tell whether a column is read: if it leaves, and for the weights of the records; others are not loaded."""
        return self.columns[name].leaves or name == self.search.sampling_weights

    def hierarchy_over(self, values: pl.Series, column: str) -> Hierarchy | None:
        """Build the hierarchy of a column over the values of a release, if it has one."""
        return self.columns[column].hierarchy_over(values, column, self.folder)

    def _promises(self) -> list[PrivacyModel | Measure]:
        return [*self.require, self.search.measure]

    @property
    def local_only(self) -> bool:
        """Whether it asks for what other engines refuse."""
        return bool(needs_memory(self))

    @property
    def needs_records(self) -> bool:
        """Whether it asks for what needs each record."""
        return bool(needs_records(self))

    @property
    def parted(self) -> bool:
        """Whether the records are released as a folder of parts."""
        counted = self.engine.name in COUNTING
        return counted and self.target is None and self.release.format in SEVERAL

    def with_engine(self, name: str, **settings: Any) -> "Job":
        """Return the same request with an engine, and with settings of it."""
        return self.model_copy(update={"engine": self.engine.model_copy(update={"name": name, **settings})})

    def with_seed(self, seed: int) -> "Job":
        """Return the same request with a seed."""
        return self.model_copy(update={"search": self.search.model_copy(update={"seed": seed})})

    def toml(self, folder: Path) -> str:
        """Return the request as a job file that stands in `folder` and means the same."""
        return tomli_w.dumps(self.content(folder))

    def content(self, folder: Path) -> dict[str, Any]:
        """Return the request as plain dictionaries, with paths that start from `folder`."""
        engine = self.engine.model_dump(mode="json", exclude_defaults=True)
        return {
            **({"engine": engine["name"] if engine.keys() == {"name"} else engine} if engine else {}),
            "input": {
                **self.input.model_dump(mode="json", exclude_defaults=True),
                **self._moved(self.input.path, self.input.location(self.folder), folder),
            },
            "columns": {name: self._column(column, folder) for name, column in self.columns.items()},
            "require": [self._promise(promise, folder) for promise in self.require],
            "search": self._search(),
            "release": {
                **self.release.model_dump(mode="json", exclude_none=True),
                **({} if self.key_file is None else {"pseudonym_key": relative(self.key_file, folder)}),
                **self._moved(None, self.target, folder),
            },
            **({} if self.series is None else {"series": self.series.content(self.folder, folder)}),
            **({"context": told} if (told := self.context.content()) else {}),
        }

    def _search(self) -> dict[str, Any]:
        """Return how to search, without what the algorithm does not look at."""
        content = self.search.model_dump(mode="json", exclude={"algorithm", "measure", "metric"}, exclude_none=True)
        content["algorithm"] = _name_or_table(self.search.algorithm) if self.search.algorithm else "auto"
        if self.objective is None:
            content["measure"] = _name_or_table(self.search.measure)
        if self.objective is not None or self.search.metric != "l2":
            content["metric"] = self.search.metric
        return content

    def _column(self, column: ColumnRequest, folder: Path) -> dict[str, Any]:
        content: dict[str, Any] = {"role": str(column.role)}
        if column.reason is not None:
            content["reason"] = column.reason
        for key, recipe in column.recipes.items():
            moved = {name: relative(self.folder / path, folder) for name, path in named_files(recipe).items()}
            content[key] = {"type": recipe.name, **fields_of(recipe), **moved}
        if column.weight != 1.0:
            content["weight"] = column.weight
        if column.missing:
            content["missing"] = list(column.missing)
        if column.mask is not None:
            content["mask"] = column.mask
        if column.pseudonym is not None:
            content["pseudonym"] = column.pseudonym.model_dump(exclude_none=True) or True
        return content

    def _promise(self, promise: PrivacyModel, folder: Path) -> dict[str, Any]:
        moved = {name: relative(Path(path), folder) for name, path in named_files(promise).items()}
        return {"model": promise.name, **fields_of(promise), **moved}

    def _moved(self, path: Path | None, table: TableLocation | None, folder: Path) -> dict[str, str]:
        """Return where a table is, as seen from another folder."""
        if table is not None:
            return {"url": table.database.moved(folder)}
        return {} if path is None else {"path": relative(self.folder / path, folder)}


SHELVES: dict[str, Shelf[Any]] = {
    "require": MODELS,
    "hierarchy": HIERARCHIES,
    "distance": DISTANCES,
    "measure": MEASURES,
    "algorithm": ALGORITHMS,
}
"""The shelf whose members stand under each key of a job file."""


def least_size(k: int | None, r: int | None) -> int | None:
    """Return the least size of a class, which is called r where classes are clusters."""
    if k is not None and r is not None and k != r:
        raise SpecError(f"k = {k} and r = {r} both set the smallest size of a class: give one of them.")
    return r if k is None else k


def _resolved(promise: PrivacyModel, folder: Path) -> PrivacyModel:
    """Return a promise with the files that it names found from the job's folder."""
    files = {name: str(folder / path) for name, path in named_files(promise).items()}
    return replace(promise, **files) if files else promise


def _name_or_table(member: Algorithm | Measure) -> str | dict[str, Any]:
    fields = fields_of(member)
    return {"name": member.name, **fields} if fields else member.name
