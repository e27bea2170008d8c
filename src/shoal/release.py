"""Release: what may leave, with its certificate; in memory until it is written, whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib.metadata import version
from pathlib import Path
from time import sleep
from typing import Any, Literal, TypeVar, get_args

import polars as pl

from shoal.certificate import (
    ClusterFindings,
    Evidence,
    Findings,
    examine_clusters,
    examine_file,
    examine_frame,
    read_clusters,
    sealed,
    text_of,
)
from shoal.cluster_table import ClusterTable
from shoal.errors import SpecError
from shoal.formats import FORMATS
from shoal.formats.format import written
from shoal.formats.frames import Kind, from_polars
from shoal.gathered import Gathered, above, below
from shoal.job import Job
from shoal.measures.measure import CellMeasure
from shoal.problem import Solution
from shoal.reports.picture import picture
from shoal.reports.report import public_report, steward_report
from shoal.reports.told import Kept, Told
from shoal.table import Role, Table

T = TypeVar("T")

Audience = Literal["steward", "public"]
REPORTS: Mapping[str, Audience] = {"report.html": "steward", "report-public.html": "public"}
"""The reports that stand beside every release, and for whom each is."""

_TRIES = 20  # to delete a draft


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
    kind: Kind = Kind.POLARS
    gathered: Gathered | None = None
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

    def plot(self, x: str | None = None, y: str | None = None, path: str | Path | None = None) -> str:
        """Return a picture of the clusters and their records as SVG. It shows the raw table: it is for its steward.

        Args:
            x: The quasi column along the page; with `y`. Without both, the first two principal directions.
            y: The quasi column up the page.
            path: Where to write it; not into the folder of a release.
        """
        if self.gathered is None:
            raise SpecError(f"'{self.algorithm}' publishes no clusters, so there is nothing to show.")
        if path is not None and (Path(path).parent / "certificate.json").exists():
            raise SpecError(f"'{path}' is in the folder of a release, and the picture shows records of the raw table.")
        drawn = picture(self.gathered.reach, self.gathered.frame, x, y)
        if path is not None:
            written(Path(path), lambda: Path(path).write_text(drawn, encoding="utf-8"))
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
            written(Path(path), lambda: Path(path).write_text(made, encoding="utf-8"))
        return made

    def _report(self, certificate: Mapping[str, Any], audience: Audience, folder: Path) -> str:
        told = told_of(self.job, certificate, self.frame, self.evidence)
        if audience == "public":
            return public_report(told)
        return steward_report(told, self._kept(folder))

    def _kept(self, folder: Path) -> Kept:
        """Return what the steward's report tells beside the release; the job as it is written into a folder."""
        if self.raw is None:
            raise SpecError("The table that the release was made of is not at hand, which the steward's report needs.")
        measure = self.job.search.measure
        return Kept(
            raw=self.raw.columns,
            identifiers=self.job.names(Role.IDENTIFIER),
            folder=self.job.folder,
            measure=measure if isinstance(measure, CellMeasure) and self.gathered is None else None,
            heights={column.name: column.hierarchy.height for column in self.solution.recoding.columns},
            job=self.job.toml(folder),
            picture=None if self.gathered is None else self.plot,
        )

    def write(self, folder: str | Path, *, force: bool = False) -> dict[str, Any]:
        """Write the data, the certificate, the job and the reports into a new folder: all of it or nothing.

        The file is written beside the folder, read back and put to every promise; only then it gets its place.

        Args:
            folder: The folder to make.
            force: Whether an existing folder may be replaced.

        Returns:
            The certificate.
        """
        target = Path(folder)
        check_place(target, self.job.files(), force=force)
        return fill(target, lambda draft: self._write_into(draft, target.absolute()))

    def _write_into(self, draft: Path, target: Path) -> dict[str, Any]:
        form, delimiter = self.job.release.format, self.delimiter or ","
        write = FORMATS[form]().write
        clusters: ClusterTable | None = None
        found: ClusterFindings | None = None
        if self.gathered is not None and "clusters" in self._parts:
            write(self.gathered.frame, draft / f"clusters.{form}", delimiter)
            clusters, about = read_clusters(draft / f"clusters.{form}", self.evidence, delimiter)
            found = self._examined(clusters, about)
        elif (clusters := self._cluster_table()) is not None:
            found = self._examined(clusters, {})
        if "records" in self._parts or found is None:
            write(self.frame, draft / f"data.{form}", delimiter)
            findings = examine_file(draft / f"data.{form}", self.job.require, self.evidence, delimiter, clusters)
            findings.demand()
        else:
            findings = found.alone()
        certificate = sealed(self._certificate(findings, found))
        (draft / "certificate.json").write_bytes(text_of(certificate))
        (draft / "job.toml").write_bytes(self.job.toml(target).encode())
        for name, audience in REPORTS.items():
            (draft / name).write_text(self._report(certificate, audience, target), encoding="utf-8")
        return certificate

    @property
    def _parts(self) -> tuple[str, ...]:
        """What is released: `records`, `clusters` or both."""
        shape = "records" if self.gathered is None else self.gathered.shape
        return ("records", "clusters") if shape == "both" else (shape,)

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
            },
            "classes": findings.classes,
            "claims": [claim.as_dict() for claim in findings.claims],
            **({"clusters": self.gathered.section(clusters, loss["bound"])} if self.gathered and clusters else {}),
            "loss": loss,
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

    def _repr_html_(self) -> str:
        """Show the verdict, the claims and the first records in a notebook."""
        certificate = self.certificate
        claims = "".join(
            f"<tr><td>{escape(claim['model'])}</td><td>{escape(str(claim['asked']))}</td>"
            f"<td>{escape(str(claim['achieved']))}</td><td>{'yes' if claim['holds'] else 'no'}</td></tr>"
            for claim in certificate["claims"]
        )
        records = certificate["records"]
        shown = self.frame if self.gathered is None or "records" in self._parts else self.gathered.frame
        return (
            f"<p><b>{certificate['verdict']}</b>: {records['released']} of {records['input']} records released, "
            f"{certificate['loss']['measure']} loss {certificate['loss']['share']:.1%}, {self.algorithm} "
            f"({self.solution.guarantee})</p>"
            f"<table><tr><th>promise</th><th>asked</th><th>achieved</th><th>holds</th></tr>{claims}</table>"
            f"{shown.head(10)._repr_html_()}"
        )

    def __repr__(self) -> str:
        records = self.certificate["records"]
        claims = ", ".join(f"{claim['model']} {claim['achieved']}" for claim in self.certificate["claims"])
        return (
            f"<Release: {records['released']} of {records['input']} records; {claims}; "
            f"{self.solution.loss.measure} loss {self.solution.loss.share:.1%} ({self.solution.guarantee})>"
        )


def told_of(job: Job, certificate: Mapping[str, Any], frame: pl.DataFrame, evidence: Evidence) -> Told:
    """Return what a report of a release tells."""
    quasi = [name for name in frame.columns if job.columns[name].role is Role.QUASI]
    hierarchies = {name: job.hierarchy_over(frame[name], name) for name in job.names(Role.SENSITIVE)}
    return Told(
        certificate=certificate,
        frame=frame,
        roles={name: job.columns[name].role for name in frame.columns},
        recipes={name: recipe for name in quasi if (recipe := job.columns[name].hierarchy) is not None},
        k=max(promise.least_size for promise in job.require),
        asked=_asked(job),
        starred=job.release.suppressed == "star",
        whole=job.release.shape != "clusters",
        hierarchies={name: hierarchy for name, hierarchy in hierarchies.items() if hierarchy is not None},
    )


def _asked(job: Job) -> tuple[tuple[str, str], ...]:
    """Return what was asked for, in words; nothing that a repetition needs and an attacker may use."""
    missing = {
        "category": "a value like any other",
        "wildcard": "matches every value",
        "drop": "the record is left out",
    }
    asked = [
        ("missing value", missing[job.input.missing]),
        ("records that may be suppressed", f"{float(job.search.max_suppressed):.4g} of them at most"),
        ("order of the records", job.release.order),
    ]
    weights = [f"{name} {column.weight:g}" for name, column in job.columns.items() if column.weight != 1]
    return (*asked, *([("weights", ", ".join(weights))] if weights else []))


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


def check_place(folder: Path, kept: Iterable[Path], *, force: bool = False) -> None:
    """Raise a SpecError if `folder` may not be made, before any work is done for it.

    Args:
        folder: The folder to make.
        kept: Files that must not be deleted with a folder that is replaced.
        force: Whether an existing folder may be replaced; never one in which we are.
    """
    target = folder.absolute()
    if _stands(target) and not force:
        raise SpecError(f"'{folder}' exists already. Choose another folder, or allow replacing it (--force).")
    if not target.parent.is_dir():
        raise SpecError(f"Cannot write '{folder}': there is no folder '{target.parent}'.")
    if _stands(target):
        inside = [path for path in (Path.cwd(), *kept) if path.resolve().is_relative_to(target.resolve())]
        if inside:
            raise SpecError(f"'{folder}' cannot be replaced: that would delete '{inside[0]}'. Choose another folder.")


def fill(folder: Path, write: Callable[[Path], T]) -> T:
    """Make a folder with what `write` puts into a draft of it; whatever goes wrong leaves no trace.

    The interrupts are caught twice: polars passes one on while Python still has its own to raise.
    """
    target = folder.absolute()
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    try:
        draft.mkdir(mode=0o700)
        made = write(draft)
        draft.chmod(0o777 & ~_umask())
        _put(draft, target)
    except BaseException as error:
        try:
            _clear(draft)
        except KeyboardInterrupt:
            _clear(draft)
        if not isinstance(error, OSError):
            raise
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        refusal = SpecError(f"Cannot write '{folder}': {reason}. Nothing was written.")
    else:
        return made
    raise refusal


def _put(draft: Path, target: Path) -> None:
    """Give the finished draft its place; what stood there goes only when the new one stands."""
    if not _stands(target):
        draft.rename(target)
        return
    attic = draft.with_name(f"{draft.name}-old")
    try:
        os.replace(target, attic)  # noqa: PTH105  (a file may stand there as well)
        draft.rename(target)
    except BaseException:
        try:
            _restore(attic, target)
        except KeyboardInterrupt:
            _restore(attic, target)
        raise
    _clear(attic)


def _restore(attic: Path, target: Path) -> None:
    """Put back what was put away, unless the new one stands already."""
    if _stands(target):
        _clear(attic)
    elif _stands(attic):
        os.replace(attic, target)  # noqa: PTH105


def _clear(path: Path) -> None:
    """Delete a folder or file, though interrupts come and a writer may be at its last bytes."""
    for _ in range(_TRIES):
        try:
            if path.is_symlink() or path.is_file():
                path.unlink(missing_ok=True)
            shutil.rmtree(path, ignore_errors=True)
            if not _stands(path):
                return
            sleep(0.05)
        except KeyboardInterrupt:
            continue


def _stands(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _recoding(solution: Solution) -> str:
    """Say how the values were recoded: to centres, to one level in each column, alike everywhere, or class by class."""
    if solution.spread is not None:
        return "centres"
    if solution.levels:
        return "full-domain"
    return "single-dimensional" if solution.alike else "local"
