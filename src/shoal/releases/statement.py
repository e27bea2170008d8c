"""Statement: what the certificate of a release says, by what was found in it and by how it was made."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from shoal.certificate import SCHEMA, ClusterFindings, Findings, verdict_of
from shoal.classes.links import Links
from shoal.classes.withheld import section_of
from shoal.foundation.versions import version_of
from shoal.jobs.blindness import is_blind
from shoal.jobs.job import Job
from shoal.releases.gathered import above, below
from shoal.releases.grids import grids_of
from shoal.releases.run import Run
from shoal.search.problem import Solution, Witness
from shoal.tables.formats import FORMATS
from shoal.tables.formats.codebook import Codebook


def certificate_of(run: Run, findings: Findings, clusters: ClusterFindings | None) -> dict[str, Any]:
    """Return the certificate, without its seal.

    Args:
        run: How the release was made.
        findings: What was found in the released records, or in the clusters if they alone are released.
        clusters: What was found in the clusters, if there are some.
    """
    solution, loss, cleared = run.solution, _loss(run.solution, run.witness), run.missing_codes.cleared
    if run.job.search.sampling_weights is not None:
        loss["weighted"] = True
    n_records = run.n_input + (0 if run.series is None else run.series.counterfeits)
    return {
        "shoal": version_of("shoal"),
        "schema": SCHEMA,
        "verdict": verdict_of(wildcard=run.job.input.missing == "wildcard"),
        "blind": is_blind(run.job, applied=run.applied is not None),
        "records": {
            "input": run.n_input,
            "released": solution.groups.n_records,
            "suppressed": n_records - solution.groups.n_records,
        },
        "missing": {
            "reading": run.job.input.missing,
            "dropped": n_records - solution.groups.n_records - solution.suppressed,
            **({"merged": list(cleared)} if cleared else {}),
        },
        **_labels(run),
        "classes": findings.classes,
        "claims": [claim.as_dict() for claim in findings.claims],
        **({"withheld": section_of(run.evidence.withheld)} if run.evidence.withheld is not None else {}),
        **pseudonyms_of(findings.links, "release" if run.job.key_file is None else "file"),
        **({"clusters": run.gathered.section(clusters, loss["bound"])} if run.gathered and clusters else {}),
        **grids_of(run.job, solution.recoding.columns, _recoding(solution)),
        "loss": loss,
        **({"rules": run.applied.section()} if run.applied else {}),
        **({"series": run.series.section()} if run.series else {}),
        "algorithm": {
            "name": run.algorithm,
            "recoding": _recoding(solution),
            "guarantee": solution.guarantee,
            "factor": 1.0 if solution.guarantee == "optimal" else solution.factor,
            "levels": dict(solution.levels),
            "minimal": [dict(levels) for levels in solution.minimal],
        },
        "told": {
            "nodes_checked": solution.nodes_checked,
            "remark": run.remark,
            "seconds": round(run.seconds, 6),
        },
        **({"escape_formulas": True} if run.job.release.escape_formulas else {}),
        **({"left_out": list(run.left_out)} if run.left_out else {}),
        "file": findings.file,
    }


def pseudonyms_of(links: Sequence[Links], key: str) -> dict[str, Any]:
    """Say what the pseudonyms of a release link, if it has some.

    Args:
        links: What was found in its records.
        key: Whether their key is that of a `file`, and may have made other releases, or of this `release` alone.
    """
    told = {one.column: {"persons": one.persons, "records": one.records, "key": key} for one in links}
    return {"pseudonyms": told} if told else {}


def _labels(run: Run) -> dict[str, Any]:
    """Say which columns keep the labels of their values, if the raw table has some."""
    if not run.codebook.labelled:
        return {}
    return labels_of(run.job, run.codebook, run.rows.frame, None if run.gathered is None else run.gathered.frame)


def labels_of(job: Job, codebook: Codebook, frame: pl.DataFrame, clusters: pl.DataFrame | None) -> dict[str, Any]:
    """Say which columns keep the labels of their values, and which cannot; clusters list values in one text.

    Args:
        job: The request.
        codebook: What the values of the raw table are called.
        frame: The records as they were published.
        clusters: The table of clusters, if there is one.
    """
    labelled = codebook.of(frame).labelled
    if not labelled:
        return {}
    writer = FORMATS[job.release.format]()
    shown = clusters if clusters is not None and job.release.shape == "clusters" else frame
    kept = writer.kept_labels(shown, codebook) if job.target is None else []
    return {"labels": {"kept": kept, "dropped": [name for name in labelled if name not in kept]}}


def _loss(solution: Solution, witness: Witness | None) -> dict[str, Any]:
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
        **({} if witness is None else {"witness": witness.total}),
        "columns": columns,
    }


def _ratio(total: float, bound: float | None) -> float | None:
    """Return how many times the bound a loss is; nothing lost is as good as can be, and no bound tells nothing."""
    if total == 0:
        return 1.0
    return total / bound if bound is not None and bound > 0 else None


def _recoding(solution: Solution) -> str:
    """Say how values were recoded: to centres, one level in each column, with or without stars, alike, or by class."""
    if solution.spread is not None:
        return "centres"
    if solution.levels:
        return "full-domain"
    if solution.one_level:
        return "cell-suppression"
    return "single-dimensional" if solution.alike else "local"
