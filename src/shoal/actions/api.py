"""What Python users call: a frame or a path in, a release or findings out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Unpack

import polars as pl

from shoal.actions.anonymize import counted_of, problem_of, run
from shoal.actions.attacker import Attacker
from shoal.actions.release_view import ReleaseView, made_here
from shoal.audits.attacks.attacks import Attacks
from shoal.audits.checkup import check_up, judged
from shoal.foundation.errors import SpecError
from shoal.foundation.exact import fraction
from shoal.foundation.progress import Progress, silent
from shoal.jobs.arguments import Request, check_apart, listed, promise_of, request, spec_of
from shoal.jobs.job import Job
from shoal.jobs.source import columns_of, placed, read
from shoal.models import KAnonymity, PrivacyModel
from shoal.models.persons import Persons
from shoal.releases.release import Release
from shoal.search.lattice.frontier import Frontier, sweep
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import minimal_nodes
from shoal.tables.hierarchies import Hierarchy
from shoal.tables.table import Column, Role


def anonymize(data: Any, *, progress: Progress = silent, **given: Unpack[Request]) -> Release:
    """Release a table so that every record hides in a class, with the least loss, and with a certificate.

    Every column needs a role; nothing is published that was not named.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file, or the URL of a database.
        given: What follows.
        quasi: The columns that an attacker may know; a mapping gives each its hierarchy, e.g.
            `{"age": {"type": "intervals", "widths": [5, 10, 20]}, "zip": "masking", "sex": None}`. None, or
            a plain list, chooses one by the values.
        sensitive: The columns to protect; a mapping may give a hierarchy to measure distances along.
        insensitive: Columns to publish as they are.
        drop: Columns that never leave.
        entity: The column that tells whose record it is, where a person may have several: then k counts persons. It
            leaves as a number that tells the persons of a class apart.
        k: Short for requiring `KAnonymity(k=k)`.
        r: Another name of k, that of the least size of a cluster.
        require: More promises, as models or as tables of a job file.
        distances: How far the values of a quasi column are from each other, for algorithms that publish clusters, e.g.
            `{"age": {"type": "number", "unit": 10}, "city": "equal"}`. Chosen by the values if not given.
        weights: The weight of a quasi column in the loss, and in the distances.
        algorithm: The name of an algorithm, or a table with its parameters.
        measure: The name of the loss to minimize, or a table with its parameters.
        metric: How distances along the columns are combined: `l2`, the root of the sum of squares, or `l1`, the sum.
        max_suppressed: The share of the records that may be suppressed.
        suppressed: `drop` leaves suppressed records out, `star` publishes them with stars.
        missing: What a missing value is: a `category`, a `wildcard`, or a reason to `drop` the record.
        order: `random`, or that of the `input`.
        seed: For repeating the random order.
        time_limit: Seconds after which the search returns the best it has.
        delimiter: What separates the fields of a CSV file; found out if not given.
        sheet: The sheet of an Excel workbook; the first if not given.
        table: The table of a database, as `table` or `schema.table`.
        format: What `write` writes: `csv`, `parquet`, `xlsx`, `sav` or `dta`.
        shape: For clusters: a row for each record (`records`), one for each cluster (`clusters`), or `both`.
        radius: Whether each cluster tells its `own` radius, or all of them the `largest`.
        values: Whether a cluster tells its sensitive values as a `multiset` or as a `set`.
        output: The URL of a database into which `write` puts the data, as the table `output_table`. The table of
            clusters goes beside it, as `output_table` with `_clusters` at its end.
        output_table: See `output`.
        progress: Called with the step and the share of it that is done.
    """
    return run(request(data, **given), _frame(data), progress)


def check(
    data: Any,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    entity: str | None = None,
    delimiter: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Measure a table as it is, whoever made it: k, and for each sensitive column what every model reaches.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file, or the URL of a database.
        quasi: The quasi columns.
        sensitive: The sensitive columns; a mapping may give each a hierarchy to measure distances along.
        entity: The column that tells whose record it is: then k counts persons, and not records.
        delimiter: What separates the fields of a CSV file; found out if not given.
        table: The table of a database, if `data` is the URL of one.
        sheet: The sheet of an Excel workbook; the first if not given.
        progress: Called with what is being done.
    """
    quasi, sensitive = listed(quasi), listed(sensitive)
    check_apart(quasi, sensitive, entity)
    progress("reading the table")
    names = [*quasi, *sensitive, *listed(entity or ())]
    frame = columns_of(data, names, delimiter, table, sheet)
    recipes = sensitive if isinstance(sensitive, Mapping) else {}
    hierarchies = {name: _built(recipe, frame[name], name) for name, recipe in recipes.items() if recipe is not None}
    progress("measuring the classes")
    return check_up(frame, quasi, list(sensitive), hierarchies, entity)


def judge(
    data: Any,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    require: Iterable[PrivacyModel | Mapping[str, Any]],
    entity: str | None = None,
    delimiter: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Put promises to a table as it is; list the classes that fail by their size."""
    check_apart(quasi, sensitive, entity)
    roles = {"quasi": quasi, "sensitive": sensitive, "entity": listed(entity or ())}
    columns = {name: {"role": role} for role, names in roles.items() for name in names}
    content = {"input": {"path": "frame"}, "columns": columns, "require": [promise_of(promise) for promise in require]}
    promises = Job.of(content, Path()).require
    progress("putting the promises to the table")
    return judged(columns_of(data, list(columns), delimiter, table, sheet), promises, quasi, sensitive, entity)


def attack(
    release: Any,
    *,
    public: Any = None,
    truth: Sequence[str] = (),
    raw: Any = None,
    other: Any = None,
    on: Sequence[str] | Mapping[str, str] = (),
    quasi: Sequence[str] | Mapping[str, Any] = (),
    sensitive: Sequence[str] | Mapping[str, Any] = (),
    attacks: Sequence[str] = (),
    missing: Literal["wildcard", "category"] = "wildcard",
    rule_out: int = 2,
    gain: float | str = 0.5,
    width: float | str = 0.1,
    others_known: bool = False,
    delimiter: str | None = None,
    table: str | None = None,
    sheet: str | None = None,
    public_table: str | None = None,
    public_sheet: str | None = None,
    raw_table: str | None = None,
    raw_sheet: str | None = None,
    other_table: str | None = None,
    other_sheet: str | None = None,
    progress: Progress = silent,
) -> Attacks:
    """Try what an attacker learns from a release: linkage, homogeneity, background knowledge, skewness, similarity.

    Args:
        release: A release of shoal (in memory, or its folder), or any table with `quasi` and `sensitive`: a frame, the
            path of a file, or the URL of a database.
        public: A table of persons, to be joined on their quasi values: a cell matches the values that it covers.
        truth: Columns that name the persons of `public`, and also the records of the release or of `raw`.
        raw: The table that the release was made of; that of the release's job if left out.
        other: Another release of the same table, to be put together with the first.
        on: The columns to join on; a mapping tells what `public` calls them. All that both have if left out.
        quasi: For a table that is no release of shoal: the quasi columns; a mapping may give their hierarchies.
        sensitive: Likewise the sensitive columns.
        attacks: The attacks to run, by name; all that what is given allows if left out.
        missing: Whether a missing value may be any value (`wildcard`), or is a value like any other (`category`).
        rule_out: The largest number of sensitive values that background knowledge rules out.
        gain: The gain of a value over its prior from which a class counts as exposed by skewness.
        width: The share of the whole range within which a class counts as exposed by similarity.
        others_known: Whether an attacker knows the other sensitive columns of a person.
        delimiter: What separates the fields of CSV files; found out if not given.
        table: The table of a database, if `release` is the URL of one.
        sheet: The sheet of the workbook that `release` is; the first if not given.
        public_table: The table of a database, if `public` is the URL of one.
        public_sheet: The sheet of the workbook that `public` is.
        raw_table: The table of a database, if `raw` is the URL of one.
        raw_sheet: The sheet of the workbook that `raw` is.
        other_table: The table of a database, if `other` is the URL of one.
        other_sheet: The sheet of the workbook that `other` is.
        progress: Called with the step and the share of it that is done.
    """
    roles = roles_of(quasi, sensitive)
    if missing not in ("wildcard", "category"):
        raise SpecError(f"'missing' is '{missing}': known are wildcard, category.")
    if roles is not None and made_here(release) and (other is None or made_here(other)):
        raise SpecError("A release of shoal knows the roles of its columns: quasi and sensitive are for other tables.")
    progress("reading the release")
    view = ReleaseView.of(release, roles, delimiter, table, sheet)
    joined = listed(on)
    attacker = Attacker(
        view=view,
        public=placed(public, delimiter, public_table, public_sheet),
        truth=tuple(listed(truth)),
        raw=placed(raw, delimiter, raw_table, raw_sheet),
        other=None if other is None else ReleaseView.of(other, roles, delimiter, other_table, other_sheet),
        on=joined if isinstance(joined, Mapping) else {name: name for name in joined},
        attacks=tuple(listed(attacks)),
        wildcard=missing == "wildcard",
        rule_out=rule_out,
        gain=_share(gain, "gain"),
        width=_share(width, "width"),
        others_known=others_known,
    )
    return attacker.run(progress)


def frontier(data: Any, *, ks: Sequence[int], progress: Progress = silent, **given: Unpack[Request]) -> Frontier:
    """Answer every k and every limit of suppression at once: one sweep over all generalizations.

    Args:
        data: A frame of polars, pandas or pyarrow, the path of a file, or the URL of a database.
        ks: The values of k.
        progress: Called with the step and the share of it that is done.
        given: As for `anonymize`; what is required holds for every k.
    """
    given.setdefault("k", 1)
    return frontier_of(request(data, **given), ks, progress, _frame(data))


def frontier_of(job: Job, ks: Sequence[int], progress: Progress = silent, data: Any = None) -> Frontier:
    """Sweep the lattice of a job; its own k-anonymity gives way to the values of k."""
    lattice = _lattice(job, data, progress)
    others = tuple(model for model in lattice.problem.models if not isinstance(model, KAnonymity | Persons))
    entity = next(iter(job.names(Role.ENTITY)), None)
    return sweep(Lattice(replace(lattice.problem, models=others)), ks, progress, entity)


def minimal_generalizations(
    data: Any, *, progress: Progress = silent, **given: Unpack[Request]
) -> list[dict[str, int]]:
    """Return all minimal generalizations (002 Definition 3.4), each as the level of every column."""
    return minimal_of(request(data, **given), progress, _frame(data))


def minimal_of(job: Job, progress: Progress = silent, data: Any = None) -> list[dict[str, int]]:
    """Return all minimal generalizations of a job's table."""
    lattice = _lattice(job, data, progress)
    return [lattice.named(node) for node in minimal_nodes(lattice, progress)]


def _lattice(job: Job, data: Any, progress: Progress) -> Lattice:
    progress("reading the table")
    source = read(job, data)
    progress("counting the records")
    return Lattice(problem_of(source.job, counted_of(source).tally))


def _frame(data: Any) -> Any:
    return None if isinstance(data, str | Path) else data


def _built(recipe: Any, values: pl.Series, column: str) -> Hierarchy:
    return spec_of(recipe, column).build(Column.of(values).values, column, Path())


def roles_of(quasi: Any, sensitive: Any) -> ReleaseView | None:
    """Return the roles of the columns of a table that does not tell them itself."""
    quasi, sensitive = listed(quasi), listed(sensitive)
    if not quasi and not sensitive:
        return None
    check_apart(quasi, sensitive)
    recipes = {
        name: spec_of(recipe, name)
        for names in (quasi, sensitive)
        if isinstance(names, Mapping)
        for name, recipe in names.items()
        if recipe is not None
    }
    return ReleaseView(pl.DataFrame(), tuple(quasi), tuple(sensitive), recipes)


def _share(number: Any, name: str) -> Fraction:
    """Read a share as the decimal that was written."""
    share = fraction(number)
    if not isinstance(share, int | Fraction) or not 0 <= share <= 1:
        raise SpecError(f"'{name}' is {number}: a number from 0 to 1 is needed.")
    return Fraction(share)
