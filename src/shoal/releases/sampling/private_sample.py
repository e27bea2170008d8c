"""PrivateSample: records that were drawn and recoded by fixed rules, and what is said of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certificate import Evidence, Findings, examine_location, examine_rows, sealed, text_of
from shoal.foundation.atomic_write import check_folder, write_folder
from shoal.foundation.budgets import unlimited
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.delivery import Delivery
from shoal.jobs.job import Job
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel
from shoal.releases.claims.manifest import PUBLIC_MANIFEST, Manifest
from shoal.releases.sampling.statement import SAMPLING, Statement
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.frames import FrameKind, from_polars
from shoal.tables.rows import Rows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivateSample:
    """Records that were drawn, and what is said of them. It holds no value of the table that may not leave.

    Args:
        frame: The records as text, in the order of their values.
        statement: What is claimed, declared and shown.
        job: Where and in which format `write` puts them.
        kind: The kind of frame that was given.
    """

    frame: pl.DataFrame
    statement: Statement
    job: Job
    kind: FrameKind

    def __repr__(self) -> str:
        claimed = f"epsilon {self.epsilon:g}, delta {self.delta:.3g}"
        return f"<{type(self).__name__}: {self.frame.height} records; {claimed} for each person, as declared>"

    @property
    def data(self) -> Any:
        """The records, as a frame of the kind that was given; all columns are text."""
        return from_polars(self.frame, self.kind)

    @property
    def epsilon(self) -> float:
        """The epsilon that is claimed for this sample."""
        return float(self.statement.claimed.epsilon)

    @property
    def delta(self) -> float:
        """The delta that is claimed for this sample."""
        return float(self.statement.claimed.delta)

    @checked
    def write(self, folder: str | Path, *, force: bool = False, progress: Progress = silent) -> dict[str, Any]:
        """Write the data, what is said of them, and the list of both into a new folder: all or nothing.

        All of it may be passed on; there is nothing to be kept.

        Args:
            folder: The folder to make.
            force: Whether an existing folder may be replaced.
            progress: Called with the step and the share of it that is done.

        Returns:
            What is said of the sample.
        """
        target = Path(folder)
        check_folder(target, self.job.untouched(), force=force)
        with unlimited():  # what was written is read back whole
            return write_folder(
                target, lambda draft: self._write_into(draft, progress), force=force, public=lambda _: True
            )

    def _write_into(self, draft: Path, progress: Progress) -> dict[str, Any]:
        progress("writing the sample")
        with Delivery(self.job, draft).writing() as targets:
            target = targets("records", Codebook(), {})
            target.put(iter([self.frame]))
            findings = examine_location(target.location, promised(self.statement), evidence(self.frame.columns))
        findings.demand()
        said = sealed(self.statement.showing(findings).content())
        (draft / SAMPLING).write_bytes(text_of(said))
        Manifest.of(draft, PUBLIC_MANIFEST, [findings.file["name"], SAMPLING]).write(draft)
        return said


def promised(statement: Statement) -> list[PrivacyModel]:
    """Return the promise that the file itself proves."""
    return [KAnonymity(k=statement.mechanism.k)]


def evidence(columns: list[str]) -> Evidence:
    """Return how the classes are told apart: by every column."""
    return Evidence(quasi=tuple(columns))


def findings_in(frame: pl.DataFrame, statement: Statement) -> Findings:
    """Put the promise to records in memory, or raise a CertificateError."""
    found = examine_rows(Rows.each(frame), promised(statement), evidence(frame.columns))
    found.demand()
    return found
