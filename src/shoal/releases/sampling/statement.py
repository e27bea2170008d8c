"""What is said of a sample: what is claimed, what is declared, and what the file shows."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from shoal.certificate import Findings, unsealed
from shoal.foundation.budgets import read_bytes
from shoal.foundation.errors import CertificateError
from shoal.foundation.exact import ExactNumber
from shoal.jobs.release_folder import PASSED_ON
from shoal.releases.sampling.privacy import LEAST_DELTA, MOST_EPSILON, Guarantee

SAMPLING = "sampling.json"
"""The statement beside the data of a sample, which has no certificate: no file can prove how it was drawn."""
Verdict = Literal["every class has at least k records; how it was drawn is declared"]
Between = Literal["two tables that differ in all records of one person"]

Text = Annotated[str, StringConstraints(min_length=1, max_length=10_000)]
Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Told(_Part):
    """An epsilon and a delta, as they are written."""

    epsilon: Annotated[ExactNumber, Field(gt=0, le=MOST_EPSILON * 10_000)]
    delta: Annotated[ExactNumber, Field(ge=LEAST_DELTA / 1000, lt=1)]

    @classmethod
    def of(cls, guarantee: Guarantee) -> "Told":
        """Return what is written of a guarantee."""
        return cls(epsilon=guarantee.epsilon, delta=guarantee.delta)

    @property
    def guarantee(self) -> Guarantee:
        """What is claimed."""
        return Guarantee(Fraction(self.epsilon), Fraction(self.delta))


class Claimed(Told):
    """What is claimed, and between which tables."""

    between: Between = "two tables that differ in all records of one person"


class Mechanism(_Part):
    """How the records were drawn."""

    name: Literal["sampling"] = "sampling"
    beta: Annotated[ExactNumber, Field(gt=0, lt=1)]
    k: Annotated[int, Field(ge=1)]
    records_per_person: Annotated[int, Field(ge=1)]
    one_of_each_person: bool


class Declared(_Part):
    """What only the steward knows, and answers for."""

    rules: Text
    records_per_person: Literal["declared", "by the entity column"]
    drawn: Literal["by the operating system; no seed was kept"]


class RecodingTold(_Part):
    """The rules that every record was recoded by, and the level of each column; other columns are as they came."""

    sha256: Digest
    levels: dict[str, Count]


class EarlierSample(Told):
    """An earlier sample of the same persons, with all that were before it."""

    sha256: Digest


class _File(_Part):
    """The file, as it was read back."""

    name: Text
    sha256: Digest
    columns: Annotated[list[Text], Field(min_length=1)]
    records: Count


class Statement(_Part):
    """All that is said of a sample. No figure of the input, of what was dropped, or of a loss is among it."""

    sampling: Literal[1] = 1
    shoal: Text
    verdict: Verdict = "every class has at least k records; how it was drawn is declared"
    claimed: Claimed
    mechanism: Mechanism
    declared: Declared
    recoding: RecodingTold
    earlier: list[EarlierSample] = []
    together: Claimed
    records: Count
    classes: dict[str, Any]
    file: _File | None = None

    def content(self) -> dict[str, Any]:
        """Return it as JSON."""
        return self.model_dump(mode="json")

    def showing(self, findings: Findings) -> "Statement":
        """Return the same, with what a file shows."""
        shown = {"records": findings.n_records, "classes": findings.classes, "file": findings.file or None}
        return type(self).model_validate({**self.content(), **shown})


def folder_of_sample(path: Path) -> Path | None:
    """Return the folder of a sample, given it, the folder above it, or a file in it; None if it is none."""
    folder = path.parent if path.is_file() else path
    return next((place for place in (folder, folder / PASSED_ON) if (place / SAMPLING).is_file()), None)


def read_statement(folder: Path) -> Statement:
    """Read the statement of a sample, or raise a CertificateError."""
    content = unsealed(read_bytes(folder / SAMPLING), SAMPLING)
    try:
        return Statement.model_validate(content)
    except ValidationError as error:
        places = ", ".join(dict.fromkeys(".".join(map(str, one["loc"])) or "all of it" for one in error.errors()))
        raise CertificateError(f"{SAMPLING} has unexpected entries: see {places}.") from None
