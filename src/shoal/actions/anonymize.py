"""The main job, in a straight line. The file to read first."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from shoal.certificate import Evidence
from shoal.classes.tally import Tally
from shoal.classes.withheld import withheld_of
from shoal.clusters.centre_distances import CentreDistances
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import Request, frame_of, request, takes_a_request
from shoal.jobs.job import Job
from shoal.jobs.keys.pseudonyms import key_of
from shoal.jobs.posing import problem_of
from shoal.jobs.source import Source, population_cells, read
from shoal.kernels.clock import clock
from shoal.releases.gathered import Gathered
from shoal.releases.proof import prove
from shoal.releases.release import Release
from shoal.releases.rules.rules import Applied
from shoal.releases.run import Run
from shoal.search.engines import Counted, Engine
from shoal.search.problem import Problem, Solution
from shoal.tables.rows import Rows
from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.search.engines.spilled_table import SpilledTable

Solve = Callable[[Job, Problem, Progress], tuple[str, str, Solution]]
"""Solves a problem as a job asks for it: see `solved`."""

_CLUSTERS = 1  # names the order of the clusters among what the seed draws


@checked
@takes_a_request
def anonymize(data: Any, *, progress: Progress = silent, **given: Unpack[Request]) -> Release:
    """Release a table with the least loss so that every record hides in a class, with a certificate.

    Every column needs a role. Columns without a role are refused, and nothing is published that was not named.

    Args:
        data: A frame of polars, pandas, pyarrow or Spark, a relation of DuckDB, the path of a file, of a folder or of a
            pattern, or a `shoal.table`.
        given: The parameters below.
        quasi: The columns that an attacker may know. A mapping gives each its hierarchy, e.g. `{"age": {"type":
            "intervals", "widths": [5, 10, 20]}, "zip": "masking", "sex": None}`. With None, or a plain list, shoal
            chooses a hierarchy by the values.
        sensitive: The columns to protect. A mapping may give hierarchies for distances between values.
        insensitive: Columns to publish unchanged.
        drop: Columns that identify somebody. They are never released.
        omit: Columns that nobody needs. They are never released either.
        entity: The column that identifies the person, where a person may have several records: k then counts persons.
            It is released as a number that distinguishes the persons of a class.
        household: The column that identifies the household: k then counts households. It is never released.
        pseudonyms: Identifying columns to release as pseudonyms, for persons all of whose records are in one class. A
            mapping gives each the name it is linked by, e.g. `{"patient": "person"}`. The original values are never
            released.
        masks: Which part of an identifying column is kept, e.g. `{"iban": "iban"}` keeps the country. The result is a
            quasi column.
        pseudonym_key: The file with the key of the pseudonyms. Releases with the same key have the same pseudonyms. By
            default a new key is drawn for this release and not stored.
        k: Short for requiring `KAnonymity(k=k)`.
        r: Another name for k: the least size of a cluster.
        require: More promises, as models or as tables of a job file.
        distances: The distance between the values of a quasi column, for algorithms that publish clusters, e.g.
            `{"age": {"type": "number", "unit": 10}, "city": "equal"}`. By default chosen by the values.
        weights: The weight of a quasi column in the loss, and in the distances.
        sampling_weights: The column with sampling weights (how many members of the population a record represents). The
            loss of each record is then multiplied by its weight. The column is not released unless it has another role
            in which it is. k and all other promises still count records.
        engine: Where records are counted: `local` in memory, `duckdb` and `spark` where they are stored; `auto` decides
            by the size of the table. A mapping may set a memory limit, and the most distinct rows that are solved at a
            time, e.g. `{"name": "duckdb", "memory": "4GB", "regions": 2_000_000}`.
        algorithm: The name of an algorithm, or a mapping with its parameters.
        measure: The name of the loss to minimize, or a mapping with its parameters.
        metric: How distances along the columns are combined: `l2`, the root of the sum of squares, or `l1`, the sum.
        max_suppressed: The share of the records that may be suppressed.
        suppress: Whether full-domain algorithms suppress whole `classes` or single `records`. Algorithms with local
            recoding always suppress single records.
        blind: Whether classes are formed without the sensitive values, and suppressed as a whole if they break a
            promise. Then knowing the algorithm tells an attacker nothing about how the classes were formed.
        suppressed: `drop` omits suppressed records, `star` publishes them as stars.
        missing: How a missing value is treated: as a `category`, as a `wildcard`, or as a reason to `drop` the record.
        order: `random`, or the order of the `input`.
        seed: Makes the random order repeatable.
        time_limit: Seconds after which the search returns the best release found so far.
        delimiter: The field separator of a CSV file; detected by default.
        format: What `write` writes: `csv`, `parquet`, `xlsx`, `sav` or `dta`. By default Parquet for a Parquet input,
            otherwise CSV.
        types: Which columns keep their type: with `as-is` those that are published unchanged (sensitive and insensitive
            columns), with `keep` also quasi columns without any changed value, with `text` none.
        shape: For clusters: one row for each record (`records`), one for each cluster (`clusters`), or `both`.
        radius: Whether each cluster shows its `own` radius, or all show the `largest`.
        values: Whether a cluster shows its sensitive values as a `multiset` or as a `set`.
        escape_formulas: Whether `write` puts an apostrophe before texts that a spreadsheet program would run.
        series: The promise of a series of releases of a changing table, e.g. `{"promise": "m-invariance", "m": 3,
            "person": "patient", "key": "clinic.key"}`.
        after: The folder of the previous release of the series.
        context: What an officer asks first, in your own words, e.g. `{"dataset": "Admissions 2024", "owner": "City
            hospital", "purpose": "..."}`. The steward's report shows missing answers as open.
        output: The URL of a database to which `write` writes the data, as the table `output_table`. A table of clusters
            is named like `output_table` with `_clusters` appended.
        output_table: See `output`.
        progress: Called with the current step and the share of it that is done.
    """
    return run(request(data, **given), frame_of(data), progress)


@checked
def run(job: Job, data: Any = None, progress: Progress = silent) -> Release:
    """Read, count, solve, publish, prove: each step passes one result to the next, and nothing unproven is returned.

    Args:
        job: The request.
        data: A frame of polars, pandas or pyarrow, if the table does not come from the job's file.
        progress: Called with the current step and the share of it that is done.

    Raises:
        CertificateError: The published columns do not keep a promise.
    """
    if job.series is not None:
        from shoal.actions.continuing.continuing import continued  # few jobs need it

        return continued(job, job.series, data, progress)
    progress("reading the table")
    return made_of(read(job, data, progress=progress, key=key_of(job), apart=True), progress)


def made_of(source: Source, progress: Progress = silent) -> Release:
    """Count, solve, publish and prove a table that is read."""
    progress("counting the records")
    if source.spilled is not None:
        return release_in_regions(source, source.spilled, progress)
    return release_of(source, counted_of(source), progress)


def counted_of(source: Source) -> Counted[Any]:
    """Return the tally of a table, by the columns that its job looks at."""
    return source.engine.count(source.job.counted())


def release_of(source: Source, counted: Counted[Any], progress: Progress = silent) -> Release:
    """Solve, publish and prove what is asked of a table that is read and counted."""
    problem = replace(problem_of(source.job, counted.tally), together=bool(source.table.linked))
    started = clock()
    if source.job.search.blind:
        name, reason, solution, counted = solved_blindly(source, counted, problem, progress)
    else:
        name, reason, solution = solved(source.job, problem, progress)
    seconds = clock() - started
    limit = _limit_reached(source.job, solution, seconds)
    remark = "; ".join(part for part in (source.reason, reason, limit, solution.remark) if part)
    progress("publishing the release")
    made = published(source, counted, problem, solution, name, remark, seconds)
    return Release(prove(made, progress), made)


def release_in_regions(source: Source, spilled: "SpilledTable", progress: Progress = silent) -> Release:
    """Solve and publish a table region by region, and prove the whole of it."""
    from shoal.actions.regions.solving import solved_in_regions  # few jobs need it

    started = clock()
    found = solved_in_regions(source, spilled, problem_of, solved_locally, progress)
    seconds = clock() - started
    limit = _limit_reached(source.job, found.solution, seconds)
    remarks = (source.reason, found.reason, found.remark, limit, found.solution.remark)
    watched = source.job.watched()
    frame = found.records.rows(watched).frame if watched else pl.DataFrame()
    made = Run(
        source=source,
        engine=source.engine,
        solution=found.solution,
        classes=None,
        released=found.records,
        evidence=evidence_of(source, found.tally, found.solution, frame),
        algorithm=found.algorithm,
        remark="; ".join(part for part in remarks if part),
        seconds=seconds,
        regional=True,
    )
    return Release(prove(made, progress), made)


def solved_locally(job: Job, problem: Problem, progress: Progress) -> tuple[str, str, Solution]:
    """Solve a region as `solved` does; `auto` takes the same algorithm in all of them."""
    if job.search.algorithm is not None:
        return solved(job, problem, progress)
    from shoal.search.algorithms.tightest import Tightest

    return Tightest.name, "each class is recoded for itself, which loses least", Tightest().answer(problem, progress)


def _limit_reached(job: Job, solution: Solution, seconds: float) -> str:
    """Tell, in the same words for all algorithms, that more time may help; a proven optimum needs none."""
    limit = job.search.time_limit
    if limit is None or seconds < limit or solution.guarantee == "optimal":
        return ""
    return f"the time limit of {limit:g} s was reached"


def solved(job: Job, problem: Problem, progress: Progress) -> tuple[str, str, Solution]:
    """Return the name of the algorithm, why it was taken, if nobody asked for it, and what it found."""
    if job.search.algorithm is not None:
        return job.search.algorithm.name, "", job.search.algorithm.answer(problem, progress)
    from shoal.search.algorithms import auto  # needs more than the algorithm that is named in most jobs

    choice, solution = auto.solved(problem, progress)
    return choice.algorithm.name, choice.reason, solution


def solved_blindly(
    source: Source, counted: Counted[Any], problem: Problem, progress: Progress, solve: Solve = solved
) -> tuple[str, str, Solution, Counted[Any]]:
    """Make classes by the quasi columns alone, and suppress those that break a promise; also return that count."""
    from shoal.search.blind import blinded, judged  # few jobs need it

    unread = source.engine.count()
    name, reason, found = solve(source.job, blinded(problem, unread.tally), progress)
    classes = source.engine.assign(unread, found, np.random.default_rng(source.job.search.seed), blindly=True)
    return name, reason, judged(problem, found, source.engine.parts(counted, classes)), unread


def published(
    source: Source,
    counted: Counted[Any],
    problem: Problem,
    solution: Solution,
    algorithm: str,
    remark: str,
    seconds: float,
    applied: Applied | None = None,
    classes: Any = None,
) -> Run:
    """Give each record its class, unless it has one, and make what leaves; nobody has proven it yet."""
    engine, shuffled = source.engine, source.job.release.order == "random"
    rng = np.random.default_rng(source.job.search.seed)
    if classes is None:
        classes = engine.assign(counted, solution, rng, blindly=bool(source.job.search.blind))
    stars = source.job.release.suppressed == "star"
    released = engine.publish(solution, classes, stars=stars, shuffled=shuffled, rng=rng)
    return Run(
        source=source,
        engine=engine,
        solution=solution,
        classes=classes,
        released=released,
        evidence=evidence_of(source, counted.tally, solution, released.counted().frame),
        algorithm=algorithm,
        remark=remark,
        seconds=seconds,
        gathered=_gathered(source.job, engine, counted, problem, solution, classes),
        applied=applied,
        tally=counted.tally,
    )


def _gathered(
    job: Job, engine: Engine[Any, Any, Any], counted: Counted[Any], problem: Problem, solution: Solution, classes: Any
) -> Gathered | None:
    """Return the clusters of a solution as they are released, if it has some.

    Their order is drawn apart from that of the records, which so stays the same whatever is asked for.
    """
    if solution.spread is None or problem.metric is None:
        return None
    asked = job.release
    radius, values = asked.radius or "own", asked.values or "multiset"
    rng = np.random.default_rng([job.search.seed or 0, _CLUSTERS])
    frame, order = engine.publish_clusters(solution, classes, radius=radius, values=values, rng=rng)
    parts = engine.parts(counted, classes)
    row_of = np.append(np.argsort(order), -1)  # those in no class, which is -1, are in no row
    distances = CentreDistances.of(
        problem.metric, counted.tally.codes[parts.points], parts.counts, row_of[parts.classes]
    )
    centres = "anywhere" if job.search.algorithm is None else job.search.algorithm.centre_places
    return Gathered(frame, distances, solution.spread, asked.shape or "both", radius, values, centres)


def evidence_of(source: Source, tally: Tally, solution: Solution, frame: pl.DataFrame) -> Evidence:
    """Return what the certificate needs to know beside the released columns.

    Hierarchies to measure along are built over what is released, as `verify` does, which knows no more.
    """
    withheld = _withheld(source, tally, solution)
    over = {name: source.job.hierarchy_over(_with(frame, withheld, name), name) for name in source.job.watched()}
    quasi = tuple(column.name for column in solution.recoding.columns)
    levels = [solution.levels[name] for name in quasi] if source.populations else []
    return Evidence(
        quasi=quasi,
        sensitive=source.job.watched(),
        wildcard=source.job.input.missing == "wildcard",
        hierarchies={name: hierarchy for name, hierarchy in over.items() if hierarchy is not None},
        populations=population_cells(tally, quasi, levels) if source.populations else {},
        held=() if source.job.objective is None else source.table.names(Role.SENSITIVE),
        values=source.job.release.values or "multiset",
        pseudonyms=tuple(source.job.pseudonyms),
        withheld=withheld,
    )


def _withheld(source: Source, tally: Tally, solution: Solution) -> Rows | None:
    """Return the values of suppressed records, if a promise compares classes with the input and they do not leave."""
    asked = any(promise.of_input for promise in source.job.require)
    if not asked or source.job.release.suppressed == "star":
        return None
    return withheld_of(tally, solution.parts, source.job.watched())


def _with(frame: pl.DataFrame, withheld: Rows | None, name: str) -> pl.Series:
    """Return the released values of a column, and the withheld ones."""
    if withheld is None:
        return frame[name]
    return pl.concat([frame[name].cast(pl.String), withheld.frame[name].cast(pl.String)])
