"""Release: what may leave, proven before anybody gets it; in memory until it is written, whole or not at all."""

from copy import deepcopy
from functools import cached_property
from html import escape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import polars as pl

from shoal.certificate import CERTIFICATE, sealed, text_of
from shoal.foundation.atomic_write import check_file, check_folder, files_in, write_file, write_folder
from shoal.foundation.budgets import unlimited
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.delivery import Delivery
from shoal.jobs.disclosure import PUBLIC, disclosed
from shoal.jobs.job import JOB_FILE, Job
from shoal.jobs.release_folder import KEPT, PASSED_ON, holds_certificate
from shoal.releases.charges import NAME as CHARGES
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest
from shoal.releases.notebook import html_of
from shoal.releases.proof import Proof, prove_written
from shoal.releases.reporting import REPORTS, Audience, isolation_of, note, report_of
from shoal.releases.rules.making import moved, rules_of
from shoal.releases.rules.rules import NAME, Rules
from shoal.releases.run import Run, keep, kept, run_of
from shoal.releases.series.state import STATE
from shoal.releases.statement import certificate_of
from shoal.reports.drawing.drawing import Drawing
from shoal.search.engines import spark_frame
from shoal.search.problem import Solution
from shoal.tables.formats.column_type import Types
from shoal.tables.formats.frames import FrameKind, from_polars, to_polars, type_names
from shoal.tables.published import Published

if TYPE_CHECKING:
    from shoal.audits.utility.usefulness import Usefulness


class Release:
    """A released table and what is proven about it.

    It holds what may leave, and its certificate. What it was made of is the steward's: the release knows its `run` in
    the process that made it. A copy that was pickled, or sent to another process, holds no value of the raw table but
    those that were released, and says so where more would be needed.

    Args:
        proof: The columns that leave, and what was found in them.
        run: How they were made, and of what.
    """

    def __init__(self, proof: Proof, run: Run) -> None:
        certificate = certificate_of(run, proof.findings, proof.found)
        vars(self).update(
            _records=proof.records,
            _clusters=proof.clusters,
            _kind=run.source.kind,
            certificate=certificate,
            public_certificate=_disclosed(run, certificate),
        )
        keep(self, run)

    _records: Published | None
    _clusters: pl.DataFrame | None
    _kind: FrameKind
    _report: str
    certificate: dict[str, Any]
    """What is proven about the released columns; `write` derives it again from the file."""
    public_certificate: dict[str, Any]
    """What of the certificate may be passed on with the data: all that `verify` needs of those who get it."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A release does not change once it is proven: '{name}' cannot be set.")

    def __getstate__(self) -> dict[str, Any]:
        """Return what may leave this process: the data, the certificates and the public report."""
        own = ("_records", "_clusters", "_kind", "certificate", "public_certificate")
        report = "" if "left_out" in self.certificate else self.report(audience="public")
        held = {name: vars(self)[name] for name in own}
        return held | {"_types": self._types, "_report": report, "judged": self.judged}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __copy__(self) -> "Release":
        return self._copied(dict(vars(self)))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Release":
        return self._copied(deepcopy(vars(self), memo))

    def _copied(self, state: dict[str, Any]) -> "Release":
        """Return another of the same state, which knows the same run."""
        made = Release.__new__(Release)
        made.__setstate__(state)
        run = kept(self)
        if run is not None:
            keep(made, run)
        return made

    @cached_property
    def _types(self) -> Types:
        """The types of the columns that leave as they came; they hold released values alone."""
        return self.run.types

    @cached_property
    def data(self) -> Any:
        """The released table, as a frame of the kind that was given; None if only clusters are released.

        A column that leaves as it came has its type, as far as that gives back the very values; others are text.
        """
        if self._records is None:
            return None
        if self._kind is FrameKind.SPARK:
            return spark_frame(self._records.rows(), self._types)
        return from_polars(self.frame, self._kind, self._types)

    @property
    def types(self) -> dict[str, str]:
        """The type of each column of `data`, as its library calls it."""
        return {} if self.data is None else type_names(self.data)

    @property
    def as_text(self) -> list[str]:
        """The columns that `write` writes as text, though they leave as they came: no type gives their values back.

        All columns of CSV are text, so none is told of it. Only where the release was made.
        """
        run, delivery = self.run, Delivery(self.run.job, Path())
        return [
            name
            for name, kind in run.types.items()
            if not all(delivery.keeps(kind, values) for values in run.values(name))
        ]

    @cached_property
    def clusters(self) -> Any:
        """The released table of clusters, as a frame of the kind that was given; None if it is not released."""
        return None if self._clusters is None else from_polars(self._clusters, self._kind)

    @cached_property
    def judged(self) -> "Usefulness":
        """Whether the release is of use: its columns say something, and not too much is lost. Nothing is tried."""
        from shoal.releases.usefulness import usefulness_of  # few look at it before the release is written

        return usefulness_of(self.run, self.certificate)

    @cached_property
    def useful(self) -> "Usefulness":
        """The second half of the verdict: whether the release is of use, and if not, which changes would help.

        It is true if it is. Else `shortcomings` says why not, and `changes` what a quick algorithm loses with a few
        changes of the request, the best three of them; they are tried when this is first looked at.
        """
        from shoal.releases.usefulness import with_changes

        return self.judged if kept(self) is None else with_changes(self.run, self.judged)

    @cached_property
    def alternatives(self) -> "Usefulness":
        """The same as `useful`, with changes that would lose less even if the release is of use as it is."""
        from shoal.releases.usefulness import with_alternatives

        tried = kept(self) is None or not self.judged
        return self.useful if tried else with_alternatives(self.run, self.judged)

    def holds(self, proof: Proof) -> bool:
        """Tell whether all that was handed out so far is what was proven, cell by cell."""
        if self.clusters is not proof.clusters and not _same(self.clusters, proof.clusters):
            return False
        names = ("frame",) if self._kind is FrameKind.SPARK else ("frame", "data")  # nobody can change Spark's
        told = [vars(self)[name] for name in names if vars(self).get(name) is not None]
        proven = proof.records.frame() if told and proof.records is not None else None
        return proven is None or all(_same(held, proven) for held in told)

    @property
    def run(self) -> Run:
        """What the steward keeps: the raw table, the classes, how they were found. Only where the release was made."""
        return run_of(self)

    @property
    def job(self) -> Job:
        """The request, with all that was assumed filled in. Only where the release was made."""
        return self.run.job

    @property
    def solution(self) -> Solution:
        """The classes and their loss. Only where the release was made."""
        return self.run.solution

    @property
    def records(self) -> Published:
        """The records, wherever they are; if only clusters are released, only where that was done."""
        return self.run.released if self._records is None else self._records

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The records in memory, as categories; see `records`."""
        return self.records.frame()

    @checked
    def plot(self, x: str | None = None, y: str | None = None, path: str | Path | None = None) -> Drawing:
        """Return a picture of the release as SVG, which a notebook shows.

        It shows classes by their size, the risk, and each column: before and after where the raw table is at hand, and
        then it is for its steward. If clusters are published, it shows these and the records of the raw table.

        Args:
            x: For clusters: the quasi column along the page; with `y`. Without both, the first two principal
                directions.
            y: For clusters: the quasi column up the page.
            path: Where to write it; not into the folder of a release.
        """
        from shoal.releases.plotting import plot_of  # what reports need loads where one is made

        if path is not None and holds_certificate(Path(path).absolute().parent):
            raise SpecError(f"'{path}' is in the folder of a release, but the picture also shows the raw table.")
        drawn = plot_of(self, x, y)
        if path is not None:
            drawn.write(path)
        return drawn

    @checked
    def report(self, path: str | Path | None = None, audience: Audience = "steward") -> str:
        """Return the report of the release as HTML: one file that needs nothing else.

        Args:
            path: Where to write it.
            audience: `steward`: everything, with the raw table beside the release; it is to be kept. `public`: for
                those who get the data; nothing that helps an attacker.
        """
        if audience not in get_args(Audience):
            raise SpecError(f"'audience' is '{audience}': known are {', '.join(get_args(Audience))}.")
        self._check_whole("a report compares all classes with the raw table")
        if audience == "public" and kept(self) is None:
            made = self._report
        else:
            certificate = self.public_certificate if audience == "public" else self.certificate
            made = report_of(self.run, certificate, audience, Path.cwd(), isolation_of(self.run), self.useful)
        if path is not None:
            _put(Path(path), made, public=audience == "public")
        return made

    def look(self) -> dict[str, Any]:
        """Return what the steward's report tells, as JSON, and ten real records before and after: it is to be kept."""
        from shoal.releases.same_records import same_records  # few look

        if not self.run.told:  # else it was written
            self.report()
        return {**self.run.told, "rows": same_records(self.run)}

    @checked
    def write(self, folder: str | Path, *, force: bool = False, progress: Progress = silent) -> dict[str, Any]:
        """Write the data, the certificates, the job, the rules and the reports into a new folder: all or nothing.

        What may be passed on is in the folder `public` of it, and what is to be kept in `private`. All is written
        beside it, read back and put to every promise; only then it gets its place.

        Args:
            folder: The folder to make.
            force: Whether an existing folder, or table in a database, may be replaced.
            progress: Called with the step and the share of it that is done.

        Returns:
            The certificate.
        """
        target = Path(folder)
        check_folder(target, self.job.untouched(), force=force)
        place = target.absolute() / KEPT
        with unlimited():  # what was written is read back whole
            return write_folder(
                target,
                lambda draft: self._write_into(draft, place, progress, force=force),
                force=force,
                public=lambda path: path.parts[0] == PASSED_ON,
            )

    def _write_into(self, draft: Path, target: Path, progress: Progress, *, force: bool = False) -> dict[str, Any]:
        run, public, private = self.run, draft / PASSED_ON, draft / KEPT
        public.mkdir()
        private.mkdir(mode=0o700)
        with Delivery(run.job, public).writing(force=force) as targets:
            certificate = sealed(certificate_of(run, *prove_written(run, targets, progress)))
            (private / CERTIFICATE).write_bytes(text_of(certificate))
            told = _disclosed(run, certificate)
            (public / PUBLIC).write_bytes(text_of(sealed(told)))
            if run.series is not None:
                (private / STATE).write_bytes(run.series.state.text())
            (private / JOB_FILE).write_bytes((note(run, target) + run.job.toml(target)).encode())
            if run.charges is not None:
                (private / CHARGES).write_bytes(run.charges.text())
            if not run.regional:
                (private / NAME).write_bytes(self.rules(target).text())
                self._report_into(draft, target, certificate, told, progress)
            _list(draft)
        return certificate

    def _report_into(
        self, draft: Path, target: Path, certificate: dict[str, Any], public: dict[str, Any], progress: Progress
    ) -> None:
        """Write the reports; `target` is the folder where the job will stand."""
        progress("looking for who is singled out")
        isolation = isolation_of(self.run)
        if not self.judged:
            progress("trying what would help")
        useful = self.useful
        for number, (name, audience) in enumerate(REPORTS.items()):
            progress("making the reports", number / len(REPORTS))
            told, place = (public, PASSED_ON) if audience == "public" else (certificate, KEPT)
            page = report_of(self.run, told, audience, target, isolation, useful)
            (draft / place / name).write_text(page, encoding="utf-8")

    def _check_whole(self, words: str) -> None:
        """Raise a SpecError if the release was solved in regions, so that its classes are not in memory."""
        if "left_out" in self.certificate:
            raise SpecError(
                f"This release was solved in regions, and {words}: it has too many of them. Take a job without "
                "'regions', if the different rows fit into memory."
            )

    @checked
    def rules(self, folder: str | Path = ".") -> Rules:
        """Return the recoding, to be applied to another table; paths in it start from `folder`."""
        location, run = Path(folder).absolute(), self.run
        self._check_whole("rules have an entry for each class")
        if run.applied is not None:
            return moved(run.applied.rules, location)
        return rules_of(
            run.job, run.solution, run.gathered, location, run.missing_codes.apart, run.missing_codes.cleared
        )

    def _repr_html_(self) -> str:
        """Show the verdict, the claims and the first records in a notebook."""
        head = self._clusters if self._records is None else self._records.head(10)
        return html_of(self.certificate, self._useful_html(), None if head is None else head.head(10))

    def _useful_html(self) -> str:
        """Say whether the release is of use, in red if it is not."""
        colour = "" if self.judged else ' style="color:#b3121f"'
        return f"<p{colour}>{escape(self._judged_words)}</p>"

    @property
    def _judged_words(self) -> str:
        return self.judged.verdict + ("" if self.judged else " (release.useful tells what would help)")

    def __repr__(self) -> str:
        records, loss = self.certificate["records"], self.certificate["loss"]
        claims = ", ".join(
            f"{claim['model']} {claim['strict']} strictly"
            if "strict" in claim
            else f"{claim['model']} {claim['achieved']}"
            for claim in self.certificate["claims"]
        )
        return (
            f"<Release: {records['released']} of {records['input']} records; {claims}; "
            f"{loss['measure']} loss {loss['share']:.1%} ({self.certificate['algorithm']['guarantee']})"
            + ("" if self.judged else f"; {self._judged_words}")
            + ">"
        )


def _disclosed(run: Run, certificate: dict[str, Any]) -> dict[str, Any]:
    return disclosed(run.job, certificate, lambda name: list(chain.from_iterable(run.values(name))))


def _list(draft: Path) -> None:
    """Write the lists of all files with their digests: of those that are passed on, and of all."""
    public = draft / PASSED_ON
    Manifest.of(public, PUBLIC_MANIFEST, _names(public)).write(public)
    Manifest.of(draft, MANIFEST, _names(draft)).write(draft / KEPT)


def _names(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in files_in(folder)]


def _same(held: Any, proven: pl.DataFrame | None) -> bool:
    return held is not None and proven is not None and to_polars(held)[0].equals(to_polars(proven)[0])


def _put(path: Path, text: str, *, public: bool = False) -> None:
    """Write a text, in place of what stands there."""
    check_file(path, force=True)
    write_file(path, lambda draft: draft.write_text(text, encoding="utf-8"), force=True, public=public)
