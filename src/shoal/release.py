"""Release: what may leave, with its certificate; in memory until it is written, whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.metadata import version
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

import polars as pl

from shoal.certificate import Evidence, Findings, examine_file, examine_frame, examine_table, sealed, text_of
from shoal.errors import SpecError
from shoal.formats import FORMATS
from shoal.formats.codebook import Codebook
from shoal.formats.frames import Kind, from_polars
from shoal.job import Job
from shoal.problem import Solution
from shoal.table import Role

T = TypeVar("T")

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
        codebook: What the columns and values are called, for a format that can keep it.
        merged: The columns in which values declared as missing became the plain missing value.
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
    codebook: Codebook = field(default_factory=Codebook)
    merged: tuple[str, ...] = ()

    @cached_property
    def data(self) -> Any:
        """The released table, as a frame of the kind that was given, with text columns."""
        return from_polars(self.frame, self.kind)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What is proven about the released columns; `write` derives it again from the file."""
        findings = examine_frame(self.frame, self.job.require, self.evidence)
        findings.demand()
        return self._certificate(findings)

    def write(self, folder: str | Path, *, force: bool = False) -> dict[str, Any]:
        """Write the data, the certificate and the job into a new folder: all of it or nothing.

        The file is written beside the folder, read back and put to every promise; only then it gets its place.

        Args:
            folder: The folder to make.
            force: Whether an existing folder, or table in a database, may be replaced.

        Returns:
            The certificate.
        """
        target = Path(folder)
        check_place(target, self.job.files(), force=force)
        return fill(target, lambda draft: self._write_into(draft, target.absolute(), force=force))

    def _write_into(self, draft: Path, target: Path, *, force: bool = False) -> dict[str, Any]:
        with self._stored(draft, force=force) as findings:
            findings.demand()
            certificate = sealed(self._certificate(findings))
            (draft / "certificate.json").write_bytes(text_of(certificate))
            (draft / "job.toml").write_bytes(self.job.toml(target).encode())
        return certificate

    @contextmanager
    def _stored(self, draft: Path, *, force: bool) -> Iterator[Findings]:
        """Write the data and examine what was written; a table of a database lasts if all goes well from here."""
        place = self.job.target
        if place is None:
            file = draft / f"data.{self.job.release.format}"
            delimiter = self.delimiter or ","
            FORMATS[self.job.release.format]().write(self.frame, file, delimiter, self.codebook)
            yield examine_file(file, self.job.require, self.evidence, delimiter)
            return
        check_target(self.job, force=force)
        with place.database.session(writes=True) as session:
            session.write(self.frame, place.table, replace=force)
            yield examine_table(session, place.table, place.database.name, self.job.require, self.evidence)
            session.commit()

    def _certificate(self, findings: Findings) -> dict[str, Any]:
        solution, loss = self.solution, self.solution.loss
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
                **({"merged": list(self.merged)} if self.merged else {}),
            },
            **self._labels(),
            "classes": findings.classes,
            "claims": [claim.as_dict() for claim in findings.claims],
            "loss": {
                "measure": loss.measure,
                "total": loss.total,
                "share": loss.share,
                "bound": solution.bound,
                "ratio": _ratio(loss.total, solution.bound),
                "columns": dict(loss.columns),
            },
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
        """Say which columns keep the labels of their values, and which cannot."""
        labelled = self.codebook.of(self.frame).labelled
        if not labelled:
            return {}
        format_ = FORMATS[self.job.release.format]()
        kept = format_.kept_labels(self.frame, self.codebook) if self.job.target is None else []
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
            f"{self.frame.head(10)._repr_html_()}"
        )

    def __repr__(self) -> str:
        records = self.certificate["records"]
        claims = ", ".join(f"{claim['model']} {claim['achieved']}" for claim in self.certificate["claims"])
        return (
            f"<Release: {records['released']} of {records['input']} records; {claims}; "
            f"{self.solution.loss.measure} loss {self.solution.loss.share:.1%} ({self.solution.guarantee})>"
        )


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


def check_target(job: Job, *, force: bool = False) -> None:
    """Raise a SpecError if the release is to be a table of a database that may not be made."""
    target, source = job.target, job.input.place(job.folder)
    if target is None:
        return
    if source is not None and target.same(source):
        raise SpecError("The release cannot take the place of the table that it is made from. Choose another name.")
    published = [name for name, column in job.columns.items() if column.role is not Role.IDENTIFIER]
    target.check_free(published, force=force)


def fill(folder: Path, write: Callable[[Path], T]) -> T:
    """Make a folder with what `write` puts into a draft of it; whatever goes wrong leaves no trace.

    The interrupts are caught twice: polars passes one on while Python still has its own to raise.
    """
    target = folder.absolute()
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    try:
        draft.mkdir(mode=0o700)
        written = write(draft)
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
        return written
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
    """Say how the values were recoded: to one level in each column, alike wherever they stand, or class by class."""
    if solution.levels:
        return "full-domain"
    return "single-dimensional" if solution.alike else "local"
