"""Schema: what may stand in a certificate, key by key. A new key is one line here, and one in `docs/certificate.md`.

A certificate says of which schema it is; one without that key is of the first, which was not strict. See `stated`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from shoal.certificate import SCHEMA
from shoal.clusters.cluster_table import Radius, Shape, ValuesOption
from shoal.foundation.errors import CertificateError
from shoal.jobs.series_request import SeriesPromise

Count = Annotated[int, Field(ge=0)]
Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Fractional = Annotated[str, StringConstraints(pattern="^([01]|[1-9][0-9]*/[1-9][0-9]*)$")]
Reading = Literal["category", "wildcard", "drop"]
Recoding = Literal["full-domain", "single-dimensional", "cell-suppression", "local", "centres"]
_MOST = 5  # parts that a message names
_WRONG = "is not what may stand there"
_WORDS = {"extra_forbidden": "is unknown", "missing": "is missing"}


class _Part(BaseModel):
    """A part of a certificate, with the types that are written and no other key.

    A key that has a default is left out where there is nothing to say: it is never null.
    """

    model_config = ConfigDict(extra="forbid", strict=True)
    nullable: ClassVar[tuple[str, ...]] = ()  # keys that may be left out and may be null as well

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, told: Any) -> Any:
        keys = [key for key, field in cls.model_fields.items() if not field.is_required() and key not in cls.nullable]
        if isinstance(told, dict) and any(key in told and told[key] is None for key in keys):
            raise ValueError("a key that says nothing is left out")
        return told


class _File(_Part):
    name: Annotated[str, StringConstraints(min_length=1)]
    sha256: Digest
    database: str | None = None
    columns: Annotated[list[str], Field(min_length=1)]
    clusters: Count | None = None
    records: Count


class _Claim(_Part):
    model: str
    parameters: dict[str, Any]
    asked: Any
    achieved: Any
    strict: Any = None
    holds: Literal[True]
    estimated: Literal[True] | None = None


class _Withheld(_Part):
    """The sensitive values of suppressed records."""

    columns: Annotated[list[str], Field(min_length=1)]
    values: Annotated[list[list[str | None]], Field(min_length=1)]
    records: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]

    @model_validator(mode="after")
    def _even(self) -> Self:
        if len(self.values) != len(self.records) or any(len(one) != len(self.columns) for one in self.values):
            raise ValueError("there is one number of records for each row of values, one value for each column")
        return self


class _Classes(_Part):
    count: Count
    smallest: Count
    largest: Count
    average: Number


class _Records(_Part):
    input: Count
    released: Count
    suppressed: Count


class _Missing(_Part):
    reading: Reading
    dropped: Count
    merged: Annotated[list[str], Field(min_length=1)] | None = None


class _Labels(_Part):
    kept: list[str]
    dropped: list[str]


class _Loss(_Part):
    measure: str
    total: Number
    share: Share
    bound: Number | None
    ratio: Number | None
    witness: Number | None = None
    columns: dict[str, Number]
    weighted: Literal[True] | None = None


class _Rules(_Part):
    sha256: Digest
    outside: Count
    failing: Count
    idle_classes: Count


class _Algorithm(_Part):
    name: str
    recoding: Recoding
    guarantee: Literal["optimal", "factor", "none"]
    factor: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None
    levels: dict[str, Count]
    minimal: list[dict[str, Count]]


class _Told(_Part):
    nodes_checked: Count
    remark: str
    seconds: Number


class _Axis(_Part):
    columns: Annotated[list[str], Field(min_length=1)]
    kind: str
    weight: Number


class _Metric(_Part):
    norm: Literal["L1", "L2"]
    axes: list[_Axis]
    centres: Literal["any", "anywhere", "records"]


class _Objectives(_Part):
    radius: Number
    cellular: Number
    distortion: Number
    sse: Number


class _Clusters(_Part):
    count: Count
    smallest: Count
    largest: Count
    radius: Number
    objectives: _Objectives
    bound: Number | None
    metric: _Metric
    shape: Shape
    radii: Radius | None = None
    values: ValuesOption | None = None
    claims: list[_Claim] | None = None
    file: _File | None = None


class _Grid(_Part):
    step: int | float | str
    fine: bool


class _Pseudonyms(_Part):
    persons: Count
    records: Count
    key: Literal["release", "file"]


class _Least(_Part):
    values: Count
    persons: Count


class _Link(_Part):
    number: Annotated[int, Field(ge=1)]
    data: Digest
    certificate: Digest
    records: Count
    posterior: Fractional
    counterfeits: Count
    withheld: Count | None


class _PublicSeries(_Part):
    """What both certificates say of a series."""

    promise: SeriesPromise
    m: Annotated[int, Field(ge=2)] | None = None
    column: str | None = None
    number: Annotated[int, Field(ge=1)]
    counterfeits: Count
    withheld: Count | None
    least: _Least
    posterior: Fractional
    attacker: str
    earlier: list[_Link]


class _Series(_PublicSeries):
    withheld: Count
    waiting: Count
    persons: Count


Pseudonyms = Annotated[dict[str, _Pseudonyms], Field(min_length=1)]
Verdict = Literal["all claims hold", "all claims hold by the wildcard reading"]


class StewardSchema(_Part):
    """The certificate of the steward."""

    shoal: str
    schema_: Annotated[Literal[2], Field(alias="schema")]
    verdict: Verdict
    blind: bool
    records: _Records
    missing: _Missing
    labels: _Labels | None = None
    classes: _Classes
    claims: Annotated[list[_Claim], Field(min_length=1)]
    withheld: _Withheld | None = None
    pseudonyms: Pseudonyms | None = None
    clusters: _Clusters | None = None
    loss: _Loss
    rules: _Rules | None = None
    series: _Series | None = None
    algorithm: _Algorithm
    grid: Annotated[dict[str, _Grid], Field(min_length=1)] | None = None
    escape_formulas: Literal[True] | None = None
    left_out: (
        Annotated[list[Literal["rules.json", "report.html", "report-public.html"]], Field(min_length=1)] | None
    ) = None
    told: _Told
    file: _File


class _PublicRecords(_Part):
    released: Count
    suppressed: Count | None


class _PublicMissing(_Part):
    reading: Reading


class _PublicColumn(_Part):
    nullable: ClassVar[tuple[str, ...]] = ("hierarchy",)

    role: Literal["quasi", "sensitive", "insensitive", "entity", "identifier"]
    hierarchy: dict[str, Any] | None = None
    pseudonym: Literal[True] | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.pseudonym is None and self.role == "identifier":
            raise ValueError("an identifier is released as a pseudonym, or not at all")
        if self.pseudonym is not None and self.role not in ("identifier", "entity"):
            raise ValueError("a pseudonym is that of an identifier, or of an entity")
        return self


class _PublicLoss(_Part):
    measure: str
    share: Share | None
    weighted: Literal[True] | None = None


class _PublicAlgorithm(_Part):
    name: str
    recoding: Recoding
    levels: dict[str, Count]


class _PublicAxis(_Axis):
    weight: Number | None  # type: ignore[assignment]


class _PublicMetric(_Metric):
    axes: list[_PublicAxis]  # type: ignore[assignment]


class _PublicClusters(_Part):
    shape: Shape
    count: Count | None = None
    smallest: Count | None = None
    largest: Count | None = None
    radii: Radius | None = None
    values: ValuesOption | None = None
    claims: list[_Claim] | None = None
    file: _File | None = None
    metric: _PublicMetric | None = None


class PublicSchema(_Part):
    """The certificate that is passed on."""

    shoal: str
    schema_: Annotated[Literal[2], Field(alias="schema")]
    verdict: Verdict
    blind: bool
    records: _PublicRecords
    missing: _PublicMissing
    columns: dict[str, _PublicColumn]
    classes: _Classes
    claims: Annotated[list[_Claim], Field(min_length=1)]
    loss: _PublicLoss
    algorithm: _PublicAlgorithm
    file: _File
    pseudonyms: Pseudonyms | None = None
    series: _PublicSeries | None = None
    clusters: _PublicClusters | None = None
    grid: Annotated[dict[str, _Grid], Field(min_length=1)] | None = None
    escape_formulas: Literal[True] | None = None
    left_out: Annotated[list[Literal["report-public.html"]], Field(min_length=1)] | None = None
    delimiter: Annotated[str, StringConstraints(min_length=1, max_length=1)] | None = None


def check_schema(certificate: Mapping[str, Any], name: str, *, public: bool) -> None:
    """Raise a CertificateError that names what may not stand in a certificate, or is not in it.

    Args:
        certificate: The certificate.
        name: The name of its file, for messages.
        public: Whether it is the one that is passed on.
    """
    if certificate["schema"] != SCHEMA:
        raise CertificateError(
            f"The certificate {name} has a schema that this version of shoal does not support: it supports "
            f"schema {SCHEMA}, and certificates without a schema. If a newer version wrote it, verify it with "
            "that version."
        )
    try:
        (PublicSchema if public else StewardSchema).model_validate(dict(certificate))
    except ValidationError as error:
        wrong = [f"'{_place(one['loc'])}' {_WORDS.get(one['type'], _WRONG)}" for one in error.errors()]
        more = [f"and {len(wrong) - _MOST} more"] if len(wrong) > _MOST else []
        raise CertificateError(
            f"The certificate {name} does not conform to schema {SCHEMA}: {', '.join([*wrong[:_MOST], *more])}."
        ) from None


def _place(path: tuple[int | str, ...]) -> str:
    return ".".join(map(str, path))
