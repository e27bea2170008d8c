"""Engine limits: what a job asks for that an engine cannot do which has not all records, or all rows, in memory."""

from typing import TYPE_CHECKING

from shoal.measures.measure import CellMeasure
from shoal.search.engines import COUNTING
from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.jobs.job import Job

LARGE_ROWS = 10_000_000
"""A table with more different rows is solved in regions, where that is possible."""
REGION_ROWS = 2_000_000
"""The most different rows of a region, if the job does not say."""
MOST_VALUES = 1_000_000
"""A column that nobody looks at and that has more different values is not counted by."""
REGIONAL = ("mondrian", "tightest", "top-down")
"""The algorithms that solve a region as they solve a table."""


def needs_memory(job: "Job") -> list[str]:
    """Say what a job asks for that the engine 'local' does alone."""
    database = job.input.location(job.folder)
    apart = database is not None and (database.database.name, job.engine.name) != ("duckdb", "duckdb")
    return [*needs_records(job), *(["a database is read by the engine 'local'"] if apart else [])]


def needs_records(job: "Job") -> list[str]:
    """Say what a job asks for that needs each record, and not how many there are of each kind."""
    asked = {
        "clusters are made of single records": job.objective is not None,
        "missing = 'wildcard' compares all classes with each other": job.input.missing == "wildcard",
        "order = 'input' needs the order of the table": job.release.order == "input",
        "blind = true draws by the order of the table": bool(job.search.blind),
    }
    return [words for words, given in asked.items() if given]


def needs_all_rows(job: "Job") -> list[str]:
    """Say what a job asks for that needs all different rows in memory: it cannot be solved in regions."""
    search, models = job.search, job.require
    shifting = search.max_suppressed > 0 and job.release.suppressed == "drop"
    asked = {
        f"the algorithm is none of {', '.join(REGIONAL)}, which recode each class on its own": (
            search.algorithm is not None and search.algorithm.name not in REGIONAL
        ),
        f"the measure {search.measure.name} looks at classes as a whole": not isinstance(search.measure, CellMeasure),
        "the bound of a loss with sampling weights is that of all records": search.sampling_weights is not None,
        "persons may have records in several regions": bool(job.names(Role.ENTITY)),
        "pseudonyms are made where all identifiers are in memory, beside the key": bool(job.pseudonyms),
        "a promise compares classes with the input (set max_suppressed = 0)": (
            search.max_suppressed > 0 and any(model.of_input for model in models)
        ),
        "a promise counts an outside table": any(model.population_file is not None for model in models),
        "a promise may fail for classes that are published alike": not all(
            model.monotone_without_suppression for model in models
        ),
        "a promise compares classes with what is left after suppression (set max_suppressed = 0, or suppressed = "
        "'star')": shifting and any(model.relative for model in models),
        "time_limit ends a task of Spark that runs again at another place": (
            job.engine.name == "spark" and search.time_limit is not None
        ),
        "the release is no folder of parts (format = 'csv' or 'parquet')": not job.parted,
    }
    return [words for words, given in asked.items() if given]


def unhandled(job: "Job") -> list[str]:
    """Say what a job asks for that its engine cannot do."""
    name, regions = job.engine.name, job.engine.regions
    said = f"which the engine '{name}' cannot do: leave the engine to 'auto', or take 'local'"
    wrong = [f"{words}, {said}" for words in needs_memory(job)] if name in COUNTING else []
    table = job.input.engine_table()
    if table is not None and name not in ("auto", *table.engines):
        wrong.append(f"{table} is read by the engine{'s' * (len(table.engines) > 1)} {' and '.join(table.engines)}")
    if regions is not None and name not in COUNTING:
        wrong.append(f"'regions' is for the engines {' and '.join(COUNTING)}")
    elif regions is not None:
        wrong += [f"{words}: this cannot be done in regions, leave 'regions' out" for words in needs_all_rows(job)]
    return wrong


def most_rows(job: "Job") -> int | None:
    """Return the most different rows that are held at once; None is all of them."""
    if job.engine.regions is not None:
        return job.engine.regions
    return None if job.engine.name not in COUNTING or needs_all_rows(job) else LARGE_ROWS


def in_regions(job: "Job", reason: str, n_rows: int) -> tuple["Job", str]:
    """Return the job with the size of its regions, and why that was taken, if nobody asked for it."""
    if job.engine.regions is not None:
        return job, reason
    more = f"regions of at most {REGION_ROWS:,} different rows, since the table has {n_rows:,}, more than"
    told = filter(None, [reason, f"{more} {LARGE_ROWS:,}"])
    return job.with_engine(job.engine.name, regions=REGION_ROWS), "; ".join(told)


def free_columns(job: "Job") -> list[str]:
    """Return the columns that leave as they are and that nothing looks at, if they may be kept apart.

    That is done by DuckDB, for a release that is a folder of parts, and where no person has several records. Sensitive
    columns are looked at by the reports, if by no promise.
    """
    able = job.engine.name == "duckdb" and job.engine.regions is None and job.parted
    if not able or job.names(Role.ENTITY) or job.pseudonyms:
        return []
    looked = job.search.sampling_weights
    return [name for name in job.names(Role.INSENSITIVE) if job.columns[name].mask is None and name != looked]
