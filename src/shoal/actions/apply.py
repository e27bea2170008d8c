"""Applying rules: another table is recoded as a release was, and put to all of its promises again."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.actions.anonymize import counted_of, evidence_of, published
from shoal.certificate import Claim, examine_rows
from shoal.classes.grouping import Parts
from shoal.classes.tally import Tally
from shoal.foundation.errors import CertificateError, SpecError
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.foundation.wording import number_of
from shoal.jobs.arguments import frame_of, input_from_here
from shoal.jobs.job import Job
from shoal.jobs.keys.pseudonyms import PseudonymKey, key_of
from shoal.jobs.posing import problem_of
from shoal.jobs.source import Source
from shoal.kernels.clock import clock
from shoal.releases.proof import prove
from shoal.releases.release import Release
from shoal.releases.rules.domains import Domain
from shoal.releases.rules.finding import Finder
from shoal.releases.rules.opening import check_files, declaring, opened, rules_in
from shoal.releases.rules.placing import finder_of
from shoal.releases.rules.record_assignment import AssignedRecords, assign_records
from shoal.releases.rules.rules import Applied, Rules
from shoal.releases.rules.solving import draft_of, solution_by, with_centres
from shoal.reports.release_facts import APPLIED
from shoal.search.engines import Counted
from shoal.search.problem import Problem
from shoal.tables.databases import from_here
from shoal.tables.formats import FORMATS

Failing = Literal["refuse", "suppress"]
Changed = Literal["refuse", "allow"]


@checked
def apply(
    rules: Any,
    data: Any,
    *,
    failing: Failing = "refuse",
    max_suppressed: float | str | Fraction | None = None,
    changed: Changed = "refuse",
    show_missing: bool = False,
    seed: int | None = None,
    delimiter: str | None = None,
    format: str | None = None,  # noqa: A002  (the job file's word)
    output: str | None = None,
    output_table: str | None = None,
    pseudonym_key: str | Path | None = None,
    progress: Progress = silent,
) -> Release:
    """Recode a table by the rules of a release, and check it against the promises of that release.

    Args:
        rules: The `rules.json` of a release, its folder, or the release itself.
        data: A frame of polars, pandas or pyarrow, the path of a file, or the URL of a database, with the columns of
            the first table.
        failing: What to do with records that the rules do not cover and classes that break a promise: `refuse` the
            whole table, or `suppress` them, up to the limit.
        max_suppressed: The share of the records that may be suppressed; by default that of the rules.
        changed: Whether hierarchy files may have changed since the rules were made, for instance because values were
            added.
        show_missing: Whether a refusal may show the values that the rules do not cover.
        seed: Makes the random order repeatable.
        delimiter: The field separator of a CSV file; detected by default.
        format: What `write` writes; by default the format of the first release.
        output: The URL of a database to which `write` writes the data, as the table `output_table`. It is not taken
            from the first release.
        output_table: See `output`.
        pseudonym_key: The file with the key of pseudonyms, if it is not the one named in the rules; see `anonymize`.
        progress: Called with the current step and the share of it that is done.

    Returns:
        The release, which keeps all promises; `write` derives them again from the file.

    Raises:
        CertificateError: Some records are not covered, or some promises fail. Its `diagnosis` has the counts.
    """
    for name, said, words in (
        ("failing", failing, get_args(Failing)),
        ("changed", changed, get_args(Changed)),
    ):
        if said not in words:
            raise SpecError(f"'{name}' is '{said}': known are {', '.join(words)}.")
    known, digest = rules_in(rules)
    if max_suppressed is not None and failing != "suppress":
        raise SpecError("'max_suppressed' limits what is suppressed: say failing = 'suppress' too.")
    job = known.job(
        input={"delimiter": delimiter, **input_from_here(data)},
        search={"seed": secrets.randbelow(2**32) if seed is None else seed, "max_suppressed": max_suppressed},
        release={
            "format": format,
            "url": None if output is None else from_here(output),
            "table": output_table,
            "pseudonym_key": None if pseudonym_key is None else Path(pseudonym_key).absolute(),
            "escape_formulas": False if output is not None or not _opened_by_spreadsheets(format) else None,
        },
    )
    job = declaring(job, known)
    check_files(known, job, changed)
    progress("reading the table")
    source = opened(known, job, frame_of(data), key_of(job))
    asked = (*(("--failing", failing) * (failing != "refuse")), *(("--changed", changed) * (changed != "refuse")))
    return _Applying(known, digest, source, failing == "suppress", show_missing, asked).release(progress)


def applied_again(
    rules: Rules,
    job: Job,
    data: Any,
    *,
    suppress: bool,
    progress: Progress = silent,
    key: PseudonymKey | None = None,
) -> Release:
    """Repeat the release of a job that was made by rules.

    Args:
        rules: The rules, as they stand beside the release.
        job: Its job.
        data: The raw table, if it is in memory; else it is where the job says.
        suppress: Whether failing records were suppressed.
        progress: Called with the step and the share of it that is done.
        key: The key of pseudonyms, if it is there.
    """
    return _Applying(rules, rules.digest(), opened(rules, job, data, key), suppress, False, ()).release(progress)


def _opened_by_spreadsheets(form: str | None) -> bool:
    """Tell whether formulas may be quoted in another format than that of the first release, if one is given."""
    found = None if form is None else FORMATS.find(form)
    return found is None or found.delimited or found.sheets


@dataclass(frozen=True, slots=True, eq=False)
class _Applying:
    """Rules and a table, on the way to a release."""

    rules: Rules
    digest: str
    opened: tuple[Source, dict[str, Domain]]
    suppress: bool
    show: bool
    asked: tuple[str, ...]

    @property
    def source(self) -> Source:
        """The table."""
        return self.opened[0]

    def release(self, progress: Progress) -> Release:
        """Place the records, publish them, and prove what was published."""
        source, job = self.source, self.source.job
        progress("counting the records")
        counted = counted_of(source)
        if job.objective is not None:
            centres = {name: [cell.label for cell in rule.cells or ()] for name, rule in self.rules.columns.items()}
            counted = replace(counted, tally=with_centres(counted.tally, job, centres))
        if job.release.suppressed != "star" and any(promise.of_input for promise in job.require):
            raise SpecError(
                "A promise compares classes with the input (against = 'input'), but rules suppress records "
                "without a class: leave out 'against', or make a new release."
            )
        problem = problem_of(job, counted.tally)
        started = clock()
        progress("placing the records", 0.0)
        finder, unknown = self._finder(problem)
        assigned = assign_records(problem, finder, progress)
        outside, failing = assigned.outside(problem.tally), assigned.failing(problem.tally)
        allowed = outside + failing <= (problem.limit if self.suppress else 0) and (assigned.parts.classes >= 0).any()
        solution = solution_by(problem, finder, assigned.parts, self.rules, job) if allowed else None
        if solution is None:
            raise self._refusal(counted, problem, finder, assigned, unknown)
        idle = finder.recoding.n_classes - solution.recoding.n_classes if self.rules.classes is not None else 0
        applied = Applied(self.rules, self.digest, outside, failing, unknown, idle, self.asked)
        seconds, remark = clock() - started, "made by the rules of another release, without a search"
        progress("publishing the release")
        made = published(source, counted, problem, solution, APPLIED, remark, seconds, applied)
        return Release(prove(made, progress), made)

    def _finder(self, problem: Problem) -> tuple[Finder, dict[str, dict[str, Any]]]:
        """Return what finds the classes of points, and the values of each column that no rule covers."""
        finder, columns = finder_of(self.rules, self.opened, problem.tally, problem.metric)
        return finder, self._unknown(problem.tally, [column.cells for column in columns])

    def _unknown(self, tally: Tally, cells: Sequence[NDArray[np.int32]]) -> dict[str, dict[str, Any]]:
        """Count, for each column that has cells, the values that no cell covers, and their records."""
        found: dict[str, dict[str, Any]] = {}
        for column, leaves in zip(tally.quasi if cells else (), cells, strict=True):
            lost = np.flatnonzero((leaves < 0) & (column.leaf_counts > 0))
            if len(lost):
                found[column.name] = {"values": len(lost), "records": int(column.leaf_counts[lost].sum())}
                if self.show:
                    found[column.name]["shown"] = [column.hierarchy.values[leaf] for leaf in lost.tolist()]
        return found

    def _refusal(
        self,
        counted: Counted[Any],
        problem: Problem,
        finder: Finder,
        assigned: AssignedRecords,
        unknown: Mapping[str, Any],
    ) -> CertificateError:
        """Return the words for a table that cannot be released by the rules: what is not covered, and what fails."""
        tally = problem.tally
        outside, failing = assigned.outside(tally), assigned.failing(tally)
        claims = self._claims(counted, finder, assigned)
        columns = "; ".join(
            f"column '{name}': {number_of(one['values'], 'different value')} in {number_of(one['records'], 'record')}"
            for name, one in unknown.items()
        )
        parts = [
            f"{number_of(outside, 'record', 'are')} not covered by the rules" + (f" ({columns})" if columns else "")
        ]
        parts *= outside > 0
        told = [claim.as_dict() for claim in claims if not claim.holds]
        failed = "; ".join(map(_failed, told))
        where = f"{number_of(failing, 'record', 'are')} in classes that do not keep what was promised ({failed})"
        parts += [where] * (failing > 0)
        if not parts:
            parts = ["what is left once records are suppressed does not keep what was promised"]
        limit, most = problem.limit, number_of(problem.limit, "record")
        hint = (
            f"At most {most} may be suppressed: allow more (--max-suppressed)"
            if self.suppress
            else f"Suppress them (--failing suppress: at most {most}, or as --max-suppressed says)"
        )
        diagnosis = {
            "records": tally.n_records,
            "outside": outside,
            "failing": failing,
            "limit": limit,
            "unknown": dict(unknown),
            "claims": [claim.as_dict() for claim in claims],
        }
        words = ", and ".join(parts)
        return CertificateError(
            f"Refused: of {number_of(tally.n_records, 'record')}, {words}. Nothing was written. {hint}, or "
            f"{self._lasting()}.",
            diagnosis,
        )

    def _lasting(self) -> str:
        """Return what else helps: rules that are tailored to the classes of one table seldom fit another."""
        if self.rules.recoding != "local":
            return "search anew"
        return (
            "search anew; rules that recode each class for itself fit one table, and those that treat all records "
            "alike last (anonymize --algorithm optimal)"
        )

    def _claims(self, counted: Counted[Any], finder: Finder, assigned: AssignedRecords) -> tuple[Claim, ...]:
        """Put every promise to all records that the rules cover, each in the class that covers it best."""
        if not (assigned.first >= 0).any():
            return ()
        draft = draft_of(counted.tally, finder, Parts.whole(counted.tally, assigned.first), self.rules)
        engine, rng = self.source.engine, np.random.default_rng(0)
        released = engine.publish(draft, engine.assign(counted, draft, rng), stars=False, shuffled=True, rng=rng)
        evidence = evidence_of(self.source, counted.tally, draft, released.rows().frame)
        return examine_rows(released.rows(evidence.columns), self.source.job.require, evidence).claims


def _failed(claim: Mapping[str, Any]) -> str:
    """Return what was asked of a promise that fails, and what was found."""
    column = claim["parameters"].get("column")
    of = f" of '{column}'" if column else ""
    return f"{claim['model']}{of}: asked {claim['asked']}, found {claim['achieved']}"
