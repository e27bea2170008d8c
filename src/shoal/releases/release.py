"""Release: what may leave, with its certificate; in memory until it is written, whole or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_args

import polars as pl

from shoal.audits.categories import are_categories
from shoal.certificate import (
    CERTIFICATE,
    ClusterFindings,
    Evidence,
    Findings,
    examine_clusters,
    examine_frame,
    examine_location,
    read_clusters,
    sealed,
    text_of,
)
from shoal.clusters.cluster_table import ClusterTable
from shoal.foundation.atomic_write import check_file, check_folder, write_file, write_folder
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.jobs.delivery import Delivery, Writer
from shoal.jobs.disclosure import PUBLIC, disclosed
from shoal.jobs.job import Job
from shoal.jobs.missing_codes import MissingCodes
from shoal.measures.measure import CellMeasure
from shoal.releases.gathered import Gathered, above, below
from shoal.releases.reporting import REPORTS, Audience, told_of
from shoal.releases.rules.making import moved, rules_of
from shoal.releases.rules.rules import NAME, Applied, Rules
from shoal.reports.picture import picture
from shoal.reports.release_facts import StewardFacts
from shoal.reports.report import public_report, steward_report
from shoal.search.problem import Solution
from shoal.tables.formats import FORMATS
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.frames import FrameKind, from_polars
from shoal.tables.location import file_digest
from shoal.tables.table import Column, Role, Table


@dataclass(frozen=True, eq=False)
class Release:
    """A released table and what is proven about it.

    Args:
        frame: The released columns, as categories.
        job: The request, with all that was assumed filled in.
        evidence: What the certificate needs to know beside the columns.
        solution: The classes and their loss.
        n_input: The number of records read.
        algorithm: The name of the algorithm.
        remark: Why it was chosen, and what it has to say.
        seconds: How long the search took.
        delimiter: What separates the fields of a CSV file.
        kind: The kind of frame that the data came as.
        gathered: The clusters, if the classes are published as their centres.
        codebook: What the columns and values are called, for a format that can keep it.
        reasons: What became of values that are declared as missing.
        applied: The rules that it was made by, if it was not searched for.
        raw: The table that it was made of, for the steward's report. It never leaves.
    """

    frame: pl.DataFrame
    job: Job
    evidence: Evidence
    solution: Solution
    n_input: int
    algorithm: str
    remark: str
    seconds: float
    delimiter: str | None = None
    kind: FrameKind = FrameKind.POLARS
    gathered: Gathered | None = None
    codebook: Codebook = field(default_factory=Codebook)
    reasons: MissingCodes = field(default_factory=lambda: MissingCodes({}, {}))
    applied: Applied | None = None
    raw: Table | None = None

    @cached_property
    def data(self) -> Any:
        """The released table, as a frame of the kind that was given, with text columns; None if only clusters are."""
        return from_polars(self.frame, self.kind) if "records" in self._parts else None

    @cached_property
    def clusters(self) -> Any:
        """The released table of clusters, as a frame of the kind that was given; None if it is not released."""
        if self.gathered is None or "clusters" not in self._parts:
            return None
        return from_polars(self.gathered.frame, self.kind)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What is proven about the released columns; `write` derives it again from the file."""
        clusters = self._cluster_table()
        found = None if clusters is None else self._examined(clusters, {})
        if "records" in self._parts or found is None:
            findings = examine_frame(self.frame, self.job.require, self.evidence, clusters)
            findings.demand()
        else:
            findings = found.alone()
        return self._certificate(findings, found)

    @cached_property
    def public_certificate(self) -> dict[str, Any]:
        """What of the certificate may be passed on with the data: all that `verify` needs of those who get it."""
        return self._disclosed(self.certificate)

    def plot(self, x: str | None = None, y: str | None = None, path: str | Path | None = None) -> str:
        """Return a picture of the clusters and their records as SVG. It shows the raw table: it is for its steward.

        Args:
            x: The quasi column along the page; with `y`. Without both, the first two principal directions.
            y: The quasi column up the page.
            path: Where to write it; not into the folder of a release.
        """
        if self.gathered is None:
            raise SpecError(f"'{self.algorithm}' publishes no clusters, so there is nothing to show.")
        if path is not None and any((Path(path).parent / name).exists() for name in (CERTIFICATE, PUBLIC)):
            raise SpecError(f"'{path}' is in the folder of a release, and the picture shows records of the raw table.")
        drawn = picture(self.gathered.distances, self.gathered.frame, x, y)
        if path is not None:
            _put(Path(path), drawn)
        return drawn

    def report(self, path: str | Path | None = None, audience: Audience = "steward") -> str:
        """Return the report of the release as HTML: one file that needs nothing else.

        Args:
            path: Where to write it.
            audience: `steward`: everything, with the raw table beside the release; it is to be kept. `public`: for
                those who get the data; nothing that helps an attacker.
        """
        if audience not in get_args(Audience):
            raise SpecError(f"'audience' is '{audience}': known are {', '.join(get_args(Audience))}.")
        made = self._report(self.certificate, audience, Path.cwd())
        if path is not None:
            _put(Path(path), made)
        return made

    def _report(self, certificate: Mapping[str, Any], audience: Audience, folder: Path) -> str:
        if audience == "public":
            return public_report(told_of(self.job, self._disclosed(certificate), self.frame))
        return steward_report(told_of(self.job, certificate, self.frame), self._kept(folder))

    def _disclosed(self, certificate: Mapping[str, Any]) -> dict[str, Any]:
        return disclosed(self.job, certificate, lambda name: Column.of(self.frame[name]).values)

    def _kept(self, folder: Path) -> StewardFacts:
        """Return what the steward's report tells beside the release; the job as it is written into a folder."""
        if self.raw is None:
            raise SpecError("The table that the release was made of is not at hand, which the steward's report needs.")
        measure, job = self.job.search.measure, self.job
        return StewardFacts(
            raw=self.raw.columns,
            nominal=frozenset(
                name
                for name, column in self.raw.columns.items()
                if are_categories(column.values, self.codebook[name], job.columns[name].hierarchy, name, job.folder)
            ),
            declared=self.reasons.blank(self.job).cleared,
            identifiers=self.job.names(Role.IDENTIFIER),
            reasons={name: column.reason for name, column in self.job.columns.items() if column.reason},
            folder=self.job.folder,
            measure=measure if isinstance(measure, CellMeasure) and self.gathered is None else None,
            hierarchies={column.name: column.hierarchy for column in self.solution.recoding.columns},
            job=self._note(folder) + self.job.toml(folder),
            again="shoal anonymize job.toml --out ../again"
            if self.applied is None
            else self.applied.command(self.job, folder),
            sources=tuple((path.name, file_digest(path)) for path in dict.fromkeys(self.job.files()) if path.is_file()),
            picture=None if self.gathered is None else self.plot,
        )

    def write(self, folder: str | Path, *, force: bool = False, progress: Progress = silent) -> dict[str, Any]:
        """Write the data, the certificates, the job, the rules and the reports into a new folder: all or nothing.

        The file is written beside the folder, read back and put to every promise; only then it gets its place.

        Args:
            folder: The folder to make.
            force: Whether an existing folder, or table in a database, may be replaced.
            progress: Called with the step and the share of it that is done.

        Returns:
            The certificate.
        """
        target = Path(folder)
        check_folder(target, self.job.files(), force=force)
        return write_folder(target, lambda draft: self._write_into(draft, target.absolute(), progress, force=force))

    def _write_into(self, draft: Path, target: Path, progress: Progress, *, force: bool = False) -> dict[str, Any]:
        with Delivery(self.job, draft).writing(force=force) as write:
            certificate = sealed(self._certificate(*self._written(write, progress)))
            (draft / CERTIFICATE).write_bytes(text_of(certificate))
            (draft / PUBLIC).write_bytes(text_of(sealed(self._disclosed(certificate))))
            (draft / "job.toml").write_bytes((self._note(target) + self.job.toml(target)).encode())
            (draft / NAME).write_bytes(self.rules(target).text())
            for number, (name, audience) in enumerate(REPORTS.items()):
                progress("making the reports", number / len(REPORTS))
                (draft / name).write_text(self._report(certificate, audience, target), encoding="utf-8")
        return certificate

    def _note(self, folder: Path) -> str:
        """Say in the job of an applied release that it alone does not make it again, and what does."""
        if self.applied is None:
            return ""
        words = "Made by the rules beside this: `shoal anonymize` would search for another release. The same again:"
        command = "".join(sign if sign.isprintable() else "?" for sign in self.applied.command(self.job, folder))
        return f"# {words}\n# {command}\n"

    def _written(self, write: Writer, progress: Progress) -> tuple[Findings, ClusterFindings | None]:
        """Write the parts, and put every promise to what was written."""
        progress("writing the release")
        clusters, found = self._cluster_table(), None
        if self.gathered is not None and "clusters" in self._parts:
            clusters, said = read_clusters(write("clusters", self.gathered.frame, self.codebook), self.evidence)
            found = self._examined(clusters, said)
        elif clusters is not None:
            found = self._examined(clusters, {})
        if found is not None and "records" not in self._parts:
            return found.alone(), found
        location = write("records", self.frame, self.codebook)
        progress("deriving the claims again")
        findings = examine_location(location, self.job.require, self.evidence, clusters)
        findings.demand()
        return findings, found

    def rules(self, folder: str | Path = ".") -> Rules:
        """Return the recoding, to be applied to another table; paths in it start from `folder`."""
        location = Path(folder).absolute()
        if self.applied is not None:
            return moved(self.applied.rules, location)
        reasons = self.reasons
        return rules_of(self.job, self.solution, self.gathered, location, reasons.apart, reasons.cleared)

    @property
    def _parts(self) -> tuple[str, ...]:
        """What is released: `records`, `clusters` or both."""
        return Delivery(self.job, Path()).parts

    @property
    def _shown(self) -> pl.DataFrame:
        """The records, or the clusters if they alone are released."""
        return self.frame if self.gathered is None or "records" in self._parts else self.gathered.frame

    def _cluster_table(self) -> ClusterTable | None:
        """Return the table of clusters as it is in memory, read as a reader would."""
        if self.gathered is None:
            return None
        return ClusterTable.of(self.gathered.frame, self.evidence.quasi, self.evidence.held, self.evidence.values)

    def _examined(self, clusters: ClusterTable, file: dict[str, Any]) -> ClusterFindings:
        """Put promises and radii to a table of clusters."""
        found = examine_clusters(clusters, self.job.require, self.evidence, file)
        found.demand()
        if self.gathered is not None:
            self.gathered.demand_radii(clusters)
        return found

    def _certificate(self, findings: Findings, clusters: ClusterFindings | None) -> dict[str, Any]:
        solution, loss = self.solution, _loss(self.solution)
        return {
            "shoal": version("shoal"),
            "verdict": "all claims hold",
            "records": {
                "input": self.n_input,
                "released": solution.groups.n_records,
                "suppressed": self.n_input - solution.groups.n_records,
            },
            "missing": {
                "reading": self.job.input.missing,
                "dropped": self.n_input - solution.groups.n_records - solution.suppressed,
                **({"merged": list(self.reasons.cleared)} if self.reasons.cleared else {}),
            },
            **self._labels(),
            "classes": findings.classes,
            "claims": [claim.as_dict() for claim in findings.claims],
            **({"clusters": self.gathered.section(clusters, loss["bound"])} if self.gathered and clusters else {}),
            "loss": loss,
            **({"rules": self.applied.section()} if self.applied else {}),
            "algorithm": {
                "name": self.algorithm,
                "recoding": _recoding(solution),
                "guarantee": solution.guarantee,
                "factor": 1.0 if solution.guarantee == "optimal" else solution.factor,
                "levels": dict(solution.levels),
                "nodes_checked": solution.nodes_checked,
                "minimal": [dict(levels) for levels in solution.minimal],
                "remark": self.remark,
                "seconds": round(self.seconds, 6),
            },
            "file": findings.file,
        }

    def _labels(self) -> dict[str, Any]:
        """Say which columns keep the labels of their values, and which cannot; clusters list values in one text."""
        labelled = self.codebook.of(self.frame).labelled
        if not labelled:
            return {}
        writer = FORMATS[self.job.release.format]()
        kept = writer.kept_labels(self._shown, self.codebook) if self.job.target is None else []
        return {"labels": {"kept": kept, "dropped": [name for name in labelled if name not in kept]}}

    def _repr_html_(self) -> str:
        """Show the verdict, the claims and the first records in a notebook."""
        certificate = self.certificate
        claims = "".join(
            f"<tr><td>{escape(claim['model'])}</td><td>{escape(str(claim['asked']))}</td>"
            f"<td>{escape(str(claim['achieved']))}</td><td>{'yes' if claim['holds'] else 'no'}</td></tr>"
            for claim in certificate["claims"]
        )
        records = certificate["records"]
        return (
            f"<p><b>{certificate['verdict']}</b>: {records['released']} of {records['input']} records released, "
            f"{certificate['loss']['measure']} loss {certificate['loss']['share']:.1%}, {self.algorithm} "
            f"({self.solution.guarantee})</p>"
            f"<table><tr><th>promise</th><th>asked</th><th>achieved</th><th>holds</th></tr>{claims}</table>"
            f"{self._shown.head(10)._repr_html_()}"
        )

    def __repr__(self) -> str:
        records = self.certificate["records"]
        claims = ", ".join(f"{claim['model']} {claim['achieved']}" for claim in self.certificate["claims"])
        return (
            f"<Release: {records['released']} of {records['input']} records; {claims}; "
            f"{self.solution.loss.measure} loss {self.solution.loss.share:.1%} ({self.solution.guarantee})>"
        )


def _put(path: Path, text: str) -> None:
    """Write a text, in place of what stands there."""
    check_file(path, force=True)
    write_file(path, lambda draft: draft.write_text(text, encoding="utf-8"))


def _loss(solution: Solution) -> dict[str, Any]:
    """Return what is lost. A radius is how far one record is from its centre: it is told with few digits."""
    loss, bound, columns = solution.loss, solution.bound, dict(solution.loss.columns)
    total, ratio = loss.total, _ratio(loss.total, bound)
    if loss.measure == "radius":
        total, bound = above(total), None if bound is None else below(bound)
        columns = {name: above(length) for name, length in columns.items()}
    return {
        "measure": loss.measure,
        "total": total,
        "share": loss.share,
        "bound": bound,
        "ratio": ratio,
        "columns": columns,
    }


def _ratio(total: float, bound: float | None) -> float | None:
    """Return how many times the bound a loss is; nothing lost is as good as can be, and no bound tells nothing."""
    if total == 0:
        return 1.0
    return total / bound if bound is not None and bound > 0 else None


def _recoding(solution: Solution) -> str:
    """Say how the values were recoded: to centres, to one level in each column, alike everywhere, or class by class."""
    if solution.spread is not None:
        return "centres"
    if solution.levels:
        return "full-domain"
    return "single-dimensional" if solution.alike else "local"
