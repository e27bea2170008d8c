"""Opening: look at a table, propose a job for it, and keep a copy of its rows to look at."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from shoal.actions.init import FOLDER, Proposal, init
from shoal.actions.suggestions.fits import numbers_in
from shoal.actions.suggestions.oddities import nameless, shared
from shoal.actions.suggestions.profile import Profile
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress
from shoal.jobs.given_table import table
from shoal.jobs.job import JOB_FILE, Job
from shoal.tables.databases import database_of, url_of_file
from shoal.tables.databases.address import Address, is_url
from shoal.tables.formats import format_of
from shoal.tables.formats.csv import Csv
from shoal.tables.formats.encoding import encoding_of
from shoal.tables.stores import is_store
from shoal.web.projects import COLUMNS
from shoal.web.rows import FOLDER as ROWS
from shoal.web.rows import keep_rows
from shoal.web.values import keep_values
from shoal.web.work.correcting import corrected

COPIES = "corrected-"
"""How the folder of a corrected copy begins."""

_HOW = ("bytes", "encoding", "chosen", "delimiter", "original", "parts", "part", "renamed", "names")
_EXAMPLES = 3
_BINS = 12


def work(
    *,
    folder: str,
    cache: str,
    progress: Progress,
    path: str | None = None,
    url: str | None = None,
    table_name: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    names: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Open a table, or that of the job in the folder if none is named.

    Args:
        folder: The folder of the project; what stands in it of an earlier table is replaced.
        cache: Where the copy of the rows goes.
        progress: Where to tell how far it is.
        path: The file.
        url: The database, in place of a file.
        table_name: The table of the database.
        sheet: The sheet of a workbook.
        delimiter: What separates the fields.
        encoding: The encoding of a text file, if it is not the one that is found; a corrected copy is opened then.
        names: New names of columns, by their numbers; likewise.
    """
    target = Path(folder)
    changes = {"encoding": encoding, "names": names}
    with _copied(target, path or url, changes, {"sheet": sheet, "delimiter": delimiter}, progress) as copy:
        if copy is None:
            where = url or (None if path is None else url_of_file(path)) or path
            found, given, more = _found(target, where, path, progress, table_name, sheet, delimiter)
        else:
            found, given, more = _found(target, str(copy), path, progress, None, None, delimiter)
            more |= {"original": Path(os.path.relpath(str(path), target)).as_posix(), "part": sheet}
        if path is not None or url is not None:
            _propose(found, target)
            more |= _layout(path, delimiter, encoding) | _named(found, names or {})
        else:
            more |= _told_before(target)
    facts = _facts(found) | more
    (target / COLUMNS).write_text(json.dumps(facts), encoding="utf-8")
    (target / COLUMNS).chmod(0o600)
    keep_values((column.profile for column in found.columns), target)
    progress("keeping the rows to look at")
    return {"records": keep_rows(given, Path(cache) / ROWS)}


def _found(
    target: Path,
    where: str | None,
    path: str | None,
    progress: Progress,
    table_name: str | None,
    sheet: str | None,
    delimiter: str | None,
) -> tuple[Proposal, Any, dict[str, Any]]:
    """Return what was found in a table, where that is, and which table of its file it is."""
    url = where if where is not None and is_url(where) else None
    parts = _parts(path, url)
    table_name = table_name or (parts[0] if url is not None and parts else None)
    given = (
        Job.read(target / JOB_FILE).location
        if where is None
        else table(where, table=table_name, sheet=sheet, delimiter=delimiter)
    )
    try:
        found = init(given, progress=progress)
    except SpecError as error:
        raise SpecError(_with_parts(str(error), parts, table_name or sheet)) from None
    return found, given, {"parts": parts, "part": table_name or sheet}


def _told_before(target: Path) -> dict[str, Any]:
    """Return how the table of a project was read when it was opened as a file, if that is known."""
    file = target / COLUMNS
    known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return {name: known[name] for name in _HOW if name in known}


@contextmanager
def _copied(
    target: Path, where: str | None, changes: dict[str, Any], how: dict[str, Any], progress: Progress
) -> Iterator[Path | None]:
    """Make a corrected copy of a table, if that is asked for; it stays if all goes well, and earlier ones go."""
    earlier = [*target.glob(f"{COPIES}*")] if where is not None else []
    if where is None or not any(changes.values()):
        yield None
    else:
        copies = Path(mkdtemp(dir=target, prefix=COPIES))
        try:
            yield corrected(Path(where), copies, progress, **changes, **how)
        except BaseException:
            shutil.rmtree(copies)
            raise
    for one in earlier:
        shutil.rmtree(one)


def _named(found: Proposal, given: dict[str, str]) -> dict[str, Any]:
    """Return the columns that had no name of their own, by number, as they are called now; and which were given."""
    names = [column.name for column in found.columns]
    odd = {*nameless(names), *shared(names)}
    numbers = [number for number, name in enumerate(names) if name in odd or str(number) in given]
    return {"renamed": given, "names": {str(number): names[number] for number in numbers}}


def _parts(path: str | None, url: str | None) -> list[str]:
    """Return the sheets of a workbook, or the tables of a database in a file; none of anything else."""
    if url is not None:
        return [] if is_store(url) else database_of(Address.of(url)).tables()
    return format_of(Path(path)).sheet_names(Path(path)) if path is not None and Path(path).is_file() else []


def _with_parts(words: str, parts: list[str], part: str | None) -> str:
    """Return why a table cannot be opened, and where else in the same file one may be."""
    others = [name for name in parts if name != (part or parts[0])]
    return f"{words} The same file also has: {', '.join(others)}." if others else words


def _layout(path: str | None, given: str | None, encoding: str | None) -> dict[str, Any]:
    """Return the size of a file, and how a text file was read: its encoding, and what separates the fields."""
    if path is None or not Path(path).is_file():
        return {}
    facts: dict[str, Any] = {"bytes": Path(path).stat().st_size}
    own = None if url_of_file(path) else format_of(Path(path))
    if isinstance(own, Csv):
        facts |= {"encoding": encoding or encoding_of(Path(path)), "chosen": bool(encoding)}
        facts["delimiter"] = given or own.delimiter(Path(path))
    return facts


def _propose(found: Proposal, target: Path) -> None:
    """Put the proposed job into the project, in place of what stood there."""
    draft = Path(mkdtemp(dir=target))
    try:
        found.fill(draft, target)
        for name in (FOLDER, "tried", "applied", "history"):
            shutil.rmtree(target / name, ignore_errors=True)
        if (draft / FOLDER).is_dir():
            (draft / FOLDER).rename(target / FOLDER)
        (draft / JOB_FILE).replace(target / JOB_FILE)
    finally:
        shutil.rmtree(draft)


def _facts(found: Proposal) -> dict[str, Any]:
    facts = found.as_dict()
    for told, column in zip(facts["columns"], found.columns, strict=True):
        told["examples"] = _examples(column.profile)
        told["histogram"] = _histogram(column.profile)
    return facts


def _examples(profile: Profile) -> list[str]:
    """Return the most frequent values."""
    order = np.argsort(-profile.counts[:-1], kind="stable")[:_EXAMPLES]
    return [profile.values[number] for number in order]


def _histogram(profile: Profile) -> list[int]:
    """Return the records in each of some even intervals of numbers, or with each of the most frequent values."""
    counts = profile.counts[:-1]
    numbers = numbers_in(profile) if profile.kind.name == "number" else None
    if numbers is None or len(numbers) != len(counts):
        return [int(count) for count in np.sort(counts)[::-1][:_BINS]]
    bins, _ = np.histogram([float(one) for one in numbers], bins=_BINS, weights=counts)
    return [int(count) for count in bins]
