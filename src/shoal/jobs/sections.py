"""Sections: the parts of a job file, each with its keys and what may stand there."""

import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import polars as pl
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from shoal.clusters.cluster_table import Radius, Shape, ValuesOption
from shoal.clusters.distances import DISTANCES
from shoal.clusters.distances.combination import Norm
from shoal.foundation.exact import ExactNumber
from shoal.foundation.members import member_of, name_on, named_or
from shoal.measures import MEASURES
from shoal.measures.lm import Lm
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.search.engines import ENGINES
from shoal.tables.databases import database_of, url_of_file
from shoal.tables.databases.address import Address
from shoal.tables.engine_tables import CatalogLocation
from shoal.tables.formats import FORMATS
from shoal.tables.hierarchies import HIERARCHIES, Hierarchy, Suppression
from shoal.tables.location import TableLocation
from shoal.tables.masks import MASKS
from shoal.tables.store_location import StoreLocation
from shoal.tables.stores import check_store, is_store
from shoal.tables.table import Column, Role

if TYPE_CHECKING:
    from shoal.clusters.distances import DistanceSpec
    from shoal.measures.measure import Measure
    from shoal.models.model import PrivacyModel
    from shoal.search.algorithms.algorithm import Algorithm
    from shoal.tables.hierarchies import HierarchySpec

    EngineName = str
    MaskName = str
    Written = str
else:
    EngineName = Literal[("auto", *ENGINES)]
    MaskName = Literal[tuple(MASKS)]
    Algorithm = member_of(ALGORITHMS, "name")
    DistanceSpec = member_of(DISTANCES, "type")
    HierarchySpec = member_of(HIERARCHIES, "type")
    Measure = member_of(MEASURES, "name")
    PrivacyModel = member_of(MODELS, "model")
    Written = name_on(FORMATS, lambda member: member.writes)

_ALGORITHM = named_or(ALGORITHMS, "name", "auto")
_DISTANCE = named_or(DISTANCES, "type")
_HIERARCHY = named_or(HIERARCHIES, "type")
_MEASURE = named_or(MEASURES, "name")

KeptTypes = Literal["as-is", "keep", "text"]
Promises = Annotated[list[PrivacyModel], Field(min_length=1)]


def named(value: Any) -> Any:
    """Read a bare name as a table with that name."""
    return {"name": value} if isinstance(value, str) else value


def _typed(value: Any) -> Any:
    """Read a bare type as a table with that type."""
    return {"type": value} if isinstance(value, str) else value


def relative(path: Path, folder: Path) -> str:
    """Return a path as it is seen from a folder."""
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _unless_auto(value: Any) -> Any:
    return None if isinstance(value, dict) and value == {"name": "auto"} else value


class Section(BaseModel):
    """A table of a job file; a key that is not known is refused."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, frozen=True)


class _Located(Section):
    """What may be in a database; its password is kept apart from its URL, and is written nowhere."""

    url: str | None = None
    table: str | None = None

    address: SkipJsonSchema[Annotated[Address | None, Field(exclude=True, repr=False)]] = None

    @model_validator(mode="before")
    @classmethod
    def _without_secrets(cls, values: Any) -> Any:
        if isinstance(values, dict) and isinstance(values.get("url"), str):
            if is_store(values["url"]):
                check_store(values["url"])
                return values
            address = Address.of(values["url"])
            return {**values, "url": address.url, "address": address}
        return values

    def location(self, folder: Path) -> TableLocation | None:
        """Return the table, if it is in a database; the path of a file in a URL starts from `folder`."""
        if self.address is None or self.table is None:
            return None
        return TableLocation(database_of(self.address, folder), self.table)


class Input(_Located):
    """Where the table is, and what means that a value is missing.

    It is a file, a folder or a pattern (`path`); a table of a database (`url` and `table`); Parquet files of an object
    store (`url` alone); or a table that Spark knows by its name (`table` alone).
    """

    path: Path | None = None
    sheet: str | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    missing: Literal["category", "wildcard", "drop"] = "category"
    missing_values: tuple[Annotated[str, Field(min_length=1)], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _by_suffix(cls, values: Any) -> Any:
        """Read the path of a database that is a file as its URL."""
        if not isinstance(values, dict) or not isinstance(values.get("path"), str | Path) or values.get("url"):
            return values
        url = url_of_file(values["path"])
        return values if url is None else {**values, "path": None, "url": url, "address": Address.of(url)}

    @model_validator(mode="after")
    def _one(self) -> Self:
        stored = self.url is not None and is_store(self.url)
        if self.path is not None and (self.url is not None or self.table is not None):
            raise ValueError("'path' is a file: leave out 'url' and 'table', which are for databases")
        if self.path is None and self.url is None and self.table is None:
            raise ValueError("either 'path' is needed, a file, or 'url' and 'table', a table of a database")
        if stored and self.table is not None:
            raise ValueError("'url' names files of an object store: 'table' is for a database, leave it out")
        if self.url is not None and not stored and self.table is None:
            raise ValueError("'url' and 'table' are given together: a database, and the name of a table in it")
        if self.path is None and (self.sheet or self.delimiter):
            raise ValueError("'sheet' and 'delimiter' are for files, and not for a database")
        return self

    def engine_table(self) -> StoreLocation | CatalogLocation | None:
        """Return the table, if engines alone read it."""
        if self.url is not None and is_store(self.url):
            return StoreLocation(self.url)
        return CatalogLocation(self.table) if self.url is None and self.table is not None else None


class PseudonymRequest(Section):
    """How an identifier leaves as a pseudonym.

    `linked` is the name that pseudonyms are made under, that of the column if it is left out: columns of several tables
    that have one such name, and one key, can be linked.
    """

    linked: Annotated[str, Field(min_length=1)] | None = None


def _pseudonym(value: Any) -> Any:
    """Read yes and no."""
    return ({} if value else None) if isinstance(value, bool) else value


class ColumnRequest(Section):
    """The role of a column, and for a quasi column its hierarchy, its distances and its weight in the loss.

    An identifier may leave as a `pseudonym`, or with a `mask`; what a mask keeps is a quasi column. `missing` are
    values that stand for a missing one, where the file does not declare them itself. `reason` says why the column has
    its role, to those who read the steward's report.
    """

    role: Role
    hierarchy: Annotated[HierarchySpec, BeforeValidator(_typed, json_schema_input_type=_HIERARCHY)] | None = None
    distance: Annotated[DistanceSpec, BeforeValidator(_typed, json_schema_input_type=_DISTANCE)] | None = None
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    missing: tuple[str, ...] = ()
    reason: str | None = None
    pseudonym: Annotated[
        PseudonymRequest | None, BeforeValidator(_pseudonym, json_schema_input_type=bool | PseudonymRequest)
    ] = None
    mask: MaskName | None = None

    @model_validator(mode="before")
    @classmethod
    def _masked(cls, values: Any) -> Any:
        """Read an identifier with a mask as the quasi column that it leaves as, with a star above all that is kept."""
        if not isinstance(values, dict) or values.get("mask") is None:
            return values
        role = Role.QUASI if values.get("role") == Role.IDENTIFIER else values.get("role")
        return {"hierarchy": Suppression(), **values, "role": role}

    @property
    def leaves(self) -> bool:
        """Whether the column is read and released; others are not even loaded."""
        return self.role.leaves or self.pseudonym is not None

    @property
    def names_persons(self) -> bool:
        """Whether it leaves, and tells whose record it is, but no value."""
        return self.role is Role.ENTITY or self.pseudonym is not None

    @property
    def date_format(self) -> str | None:
        """How dates are written, if the hierarchy says it."""
        return None if self.hierarchy is None else self.hierarchy.date_format

    @property
    def recipes(self) -> "dict[Literal['hierarchy', 'distance'], HierarchySpec | DistanceSpec]":
        """What says how its values are generalized and how far apart they are, as far as it is given."""
        found: dict[Literal["hierarchy", "distance"], HierarchySpec | DistanceSpec] = {}
        if self.hierarchy is not None:
            found["hierarchy"] = self.hierarchy
        if self.distance is not None:
            found["distance"] = self.distance
        return found

    def hierarchy_over(self, values: pl.Series, name: str, folder: Path) -> Hierarchy | None:
        """Build its hierarchy over the values of a release, as anyone who holds it can, if it has one."""
        return None if self.hierarchy is None else self.hierarchy.build(Column.of(values).values, name, folder)


class Search(Section):
    """How to look for the release; no algorithm stands for `auto`.

    `sampling_weights` is the column that tells how many of the population a record stands for: the loss goes by it.
    """

    algorithm: Annotated[
        Algorithm | None,
        BeforeValidator(_unless_auto),
        BeforeValidator(named, json_schema_input_type=_ALGORITHM),
    ] = None
    measure: Annotated[Measure, BeforeValidator(named, json_schema_input_type=_MEASURE)] = Lm()
    sampling_weights: Annotated[str, Field(min_length=1)] | None = None
    metric: Norm = "l2"
    max_suppressed: Annotated[ExactNumber, Field(ge=0, le=1)] = Fraction(0)
    suppress: Literal["classes", "records"] | None = None
    blind: bool | None = None
    seed: Annotated[int, Field(ge=0)] | None = None
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class EngineRequest(Section):
    """Who handles the records: `local` has them in memory, `duckdb` and `spark` count them where they lie.

    `auto` decides by the size of the table. `memory` is the most that the engine takes before it spills to disk, such
    as `4GB`. `master` is that of Spark, such as `spark://host:7077`. `regions` is the most different rows of a region,
    in which tables of DuckDB and Spark are solved that have more of them.
    """

    name: EngineName = "auto"
    memory: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)? ?[KMGT]i?B$")] | None = None
    regions: Annotated[int, Field(ge=1)] | None = None
    master: Annotated[str, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _of_spark(self) -> Self:
        if self.master is not None and self.name != "spark":
            raise ValueError("'master' is for the engine 'spark'")
        return self


class ReleaseRequest(_Located):
    """What leaves, and how: a file in a format, or a table of a database.

    Shape, radius and values are for clusters, and stay None where there are none. `escape_formulas` puts an
    apostrophe before texts that a spreadsheet program would run. `types` says which columns keep the type that they
    came in: `as-is` those that leave as they are, `keep` also quasi columns in which nothing was changed, `text` none.
    `pseudonym_key` is the file of the key of pseudonyms; without it one is drawn for this release alone, and kept by
    nobody.
    """

    format: Written = "csv"
    types: KeptTypes = "as-is"
    order: Literal["random", "input"] = "random"
    suppressed: Literal["drop", "star"] = "drop"
    shape: Shape | None = None
    radius: Radius | None = None
    values: ValuesOption | None = None
    escape_formulas: bool | None = None
    pseudonym_key: Path | None = None

    @property
    def for_spreadsheets(self) -> bool:
        """Whether it goes into a file that spreadsheet programs open."""
        form = FORMATS[self.format]
        return self.url is None and (form.delimited or form.sheets)

    @model_validator(mode="after")
    def _with_table(self) -> Self:
        if self.url is not None and is_store(self.url):
            raise ValueError("a release is written into a folder or a database, and then copied to an object store")
        if (self.url is None) != (self.table is None):
            raise ValueError("'url' and 'table' are given together: a database, and the name of a table in it")
        return self

    @model_validator(mode="after")
    def _escapes(self) -> Self:
        if self.escape_formulas and not self.for_spreadsheets:
            raise ValueError("'escape_formulas' is for what spreadsheet programs open: format = 'csv' or 'xlsx'")
        return self

    def of_clusters(self) -> "ReleaseRequest":
        """Return the same with what is assumed for clusters."""
        shape = self.shape or "both"
        table = {} if shape == "records" else {"radius": self.radius or "own", "values": self.values or "multiset"}
        return self.model_copy(update={"shape": shape, **table})
