"""Requests: a job file with settings on top, or a table and settings alone, as a job."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from shoal.foundation.errors import SpecError
from shoal.foundation.members import faults
from shoal.jobs.job import JOB_FILE, SHELVES, Job
from shoal.jobs.release_folder import ReleaseFolder
from shoal.tables.databases import from_here
from shoal.tables.databases.address import is_url


def faults_in(content: Mapping[str, Any], folder: Path) -> list[tuple[tuple[int | str, ...], str]]:
    """Return all that is wrong with a request, in the words of `Job.of`: the keys that lead to it, and what it is."""
    try:
        Job.model_validate({**content, "folder": folder})
    except ValidationError as error:
        return faults(error, SHELVES)
    return []


def located(text: str | None, table: str | None, sheet: str | None) -> dict[str, Any]:
    """Return where a table is, as keys of a job's `input`; a file starts from where we are."""
    given: dict[str, Any] = {"table": table, "sheet": sheet}
    if text is None:
        return given
    return given | (
        {"url": from_here(text), "path": None} if is_url(text) else {"path": str(Path(text).absolute()), "url": None}
    )


def target(output: str | None, table: str | None) -> dict[str, str | None]:
    """Return where a release goes, as keys of a job's `release`; a file starts from where we are."""
    return {"url": None if output is None else from_here(output), "table": table}


def job_of(
    source: str | None,
    sections: Mapping[str, Mapping[str, Any]],
    promises: list[dict[str, Any]],
    roles: Mapping[str, list[str]],
    given_columns: Mapping[str, Mapping[str, Any]],
) -> Job:
    """Return the job of a job file with the flags on top, or of a table and the flags alone.

    Args:
        source: The job file, the folder of a release, whose job is taken, or the table; none if the input is among the
            sections.
        sections: The keys of `input`, `search` and `release` that were given; those that are None were not.
        promises: The promises that were given; one replaces the job file's promise of the same model and column.
        roles: The columns of each role, for a table without a job file; with one, only those that are left out.
        given_columns: The `pseudonym`, `mask`, `hierarchy`, `distance` and `weight` of columns by name, likewise; a
            pseudonym and a mask are those of an identifier, if no role is given.
    """
    kept = {section: {key for key, value in keys.items() if value is not None} for section, keys in sections.items()}
    if kept.get("input", set()) & {"path", "url"}:  # one takes the place of the other
        kept["input"] |= {"path", "url"}
    given = {section: {key: sections[section].get(key) for key in keys} for section, keys in kept.items()}
    file = job_file(source)
    if file is None:
        path = Path(source) if source is not None and not is_url(source) else None
        columns: dict[str, dict[str, Any]] = {}
        for role, listed in roles.items():
            for name in listed:
                if columns.setdefault(name, {"role": role})["role"] != role:
                    raise SpecError(f"Column '{name}' is given two roles: '{columns[name]['role']}' and '{role}'.")
        for key, by_name in given_columns.items():
            for name, value in by_name.items():
                columns.setdefault(name, {"role": "identifier"} if key in ("pseudonym", "mask") else {})[key] = value
        weights = given.get("search", {}).get("sampling_weights")
        if weights is not None:
            columns.setdefault(weights, {"role": "omitted"})
        given["input"], folder = _table(source, path, given.get("input", {}))
        return Job.of({**given, "columns": columns, "require": promises}, folder, "request")
    omitted = roles.get("omitted", [])
    if any(names for role, names in roles.items() if role != "omitted") or any(given_columns.values()):
        raise SpecError(
            "With a job file the roles, pseudonyms, masks, hierarchies, distances and weights of the columns stand in "
            "it: --quasi, --sensitive, --insensitive, --drop, --entity, --household, --pseudonym, --mask, --hierarchy, "
            "--distance and --weight are for a table without one. --omit leaves columns out that the job file has."
        )
    return Job.read(file, given, promises, omitted)


def job_file(source: str | None) -> Path | None:
    """Return the job file that is named: as it is, or by the folder of a release; None if it is a table."""
    if source is None or is_url(source):
        return None
    path = Path(source)
    if path.suffix.lower() == ".toml":
        return path
    where = ReleaseFolder.of(path)
    return where.private / JOB_FILE if path.is_dir() and where.whole else None


def _table(source: str | None, path: Path | None, given: dict[str, Any]) -> tuple[dict[str, Any], Path]:
    """Return where the table is, for a request without a job file, and where its relative paths start."""
    named = "path" in given or bool(given.get("table"))  # a table alone is one that Spark knows by its name
    if (source is None and not named) or (source is not None and "path" in given):
        raise SpecError("One table is needed: name a job file or a table, or give it with --input.")
    if source is None:
        return given, Path()
    return ({**given, "url": source}, Path()) if path is None else ({**given, "path": path.name}, path.parent)
