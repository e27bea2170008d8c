"""Sampling: a part of the records, recoded by fixed rules, is released with differential privacy."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.tally import Tally
from shoal.foundation.errors import CertificateError, InfeasibleError, SpecError
from shoal.foundation.exact import fraction
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.foundation.versions import version_of
from shoal.jobs.arguments import frame_of, input_from_here
from shoal.jobs.job import Job
from shoal.jobs.source import Source
from shoal.releases.claims.manifest import PUBLIC_MANIFEST, Manifest
from shoal.releases.rules.opening import applied_rules, check_files, declaring, opened, rules_in
from shoal.releases.rules.rules import Rules
from shoal.releases.sampling.drawing import kept, one_of_each
from shoal.releases.sampling.privacy import (
    Guarantee,
    best_share,
    check_asked,
    check_share,
    guarantee_of,
    least_k,
    power_below,
    rounded_up,
)
from shoal.releases.sampling.private_sample import PrivateSample, findings_in
from shoal.releases.sampling.statement import (
    SAMPLING,
    Claimed,
    Declared,
    EarlierSample,
    Mechanism,
    RecodingTold,
    Statement,
    folder_of_sample,
    read_statement,
)
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.location import file_digest
from shoal.tables.table import Column, Role


@checked
def sample(
    rules: Any,
    data: Any,
    *,
    epsilon: float | str | Fraction,
    delta: float | str | Fraction,
    independent: str | None = None,
    beta: float | str | Fraction | None = None,
    k: int | None = None,
    records_per_person: int = 1,
    after: Sequence[str | Path] = (),
    seed: int | None = None,
    delimiter: str | None = None,
    format: str | None = None,  # noqa: A002  (the job file's word)
    progress: Progress = silent,
) -> PrivateSample:
    """Draw a part of the records, recode each by fixed rules, and drop small classes: with differential privacy.

    It is not repeatable, on purpose: who knew the random numbers would know who was drawn.

    Args:
        rules: The `rules.json` of a full-domain release of other persons, its folder, or that release itself.
        data: A frame of polars, pandas or pyarrow, the path of a file, or the URL of a database, with the columns of
            the table that the rules were made of.
        epsilon: How many times likelier any output may be with a person than without, as its logarithm.
        delta: By how much that may fail.
        independent: Why the rules do not depend on these persons, in the steward's words; they are passed on.
        beta: The share of the records to keep; chosen by `epsilon` and `delta` alone if left out.
        k: The least size of a class that is released; the least that `epsilon` and `delta` allow if left out.
        records_per_person: The most records of one person. Where the rules know an entity column, one record of each
            person is drawn from, and this stays 1.
        after: The folders of earlier samples of the same persons: what they tell is added up.
        seed: Refused if given.
        delimiter: What separates the fields of a CSV file; found out if not given.
        format: What `write` writes; as the first release if not given.
        progress: Called with the step and the share of it that is done.

    Raises:
        SpecError: The request is not one that can be kept.
        InfeasibleError: No class is large enough.
    """
    _check_declared(seed, independent)
    asked = Guarantee(_number(epsilon, "epsilon"), _number(delta, "delta"))
    if records_per_person < 1:
        raise SpecError(f"'records_per_person' is {records_per_person}: a person has at least 1.")
    check_asked(asked, records_per_person)
    known, digest = rules_in(rules)
    job = known.job(
        input={"delimiter": delimiter, **input_from_here(data)},
        search={"seed": 0},
        release={"format": format, "suppressed": "drop"},
    )
    job = _allowed(known, declaring(job, known), records_per_person).with_engine("local")
    check_files(known, job, "refuse")
    earlier = [_earlier(Path(one)) for one in after]
    share, least, reached = _chosen(asked, beta, k, records_per_person)
    progress("reading the table")
    source, domains = opened(known, job, frame_of(data), None)
    source = source.single()
    progress("drawing the records")
    frame = _released(known, source, _recoded(known, source, domains), share, least)
    told = Statement(
        shoal=version_of("shoal"),
        claimed=Claimed.of(reached),
        mechanism=Mechanism(
            beta=share, k=least, records_per_person=records_per_person, one_of_each_person=_entity(job) is not None
        ),
        declared=Declared(
            rules=str(independent),
            records_per_person="declared" if _entity(job) is None else "by the entity column",
            drawn="by the operating system; no seed was kept",
        ),
        recoding=RecodingTold(sha256=digest, levels={name: rule.level or 0 for name, rule in known.columns.items()}),
        earlier=earlier,
        together=Claimed.of(sum((one.guarantee for one in earlier), start=reached)),
        records=0,
        classes={},
    )
    return PrivateSample(
        frame, told.showing(findings_in(frame, told)), _delivered(source.job, frame.columns), source.kind
    )


def _check_declared(seed: int | None, independent: str | None) -> None:
    """Raise a SpecError where a sample could be repeated, or its rules are not said to be independent of it."""
    if seed is not None:
        raise SpecError(
            "A sample takes no seed: anyone who knew it would know who was drawn, and the guarantee would be "
            "void. Random numbers come from the operating system, and are not stored."
        )
    if independent is None or not independent.strip():
        raise SpecError(
            "The guarantee holds only if the rules were made without these persons: rules that were searched "
            "on their records reveal something about them. State the reason, which is passed on with the "
            "data (--independent 'made from the survey of 2019, of other persons')."
        )


def _number(given: object, name: str) -> Fraction:
    number = fraction(given)
    if not isinstance(number, Fraction):
        raise SpecError(f"'{name}' is not a number.")
    return number


def _allowed(rules: Rules, job: Job, records_per_person: int) -> Job:
    """Return the job if its rules recode each record by itself, whatever the others are; else raise a SpecError."""
    if rules.recoding != "full-domain":
        raise SpecError(
            f"These rules recode by classes of their own table ({rules.recoding}): which records share a class depends "
            "on the others. Take the rules of a full-domain release (anonymize --algorithm optimal) of other persons."
        )
    linked = sorted(job.pseudonyms)
    if linked:
        raise SpecError(
            f"Column '{linked[0]}' would be released as a pseudonym, which no two persons share, so that "
            "every record would be dropped. Leave it out."
        )
    if job.names(Role.HOUSEHOLD):
        raise SpecError(
            "These rules have a household column. A sample protects persons, not households. Make the column "
            "'omitted' in the rules; with the most records of a household as --records-per-person, it is "
            "protected too."
        )
    if _entity(job) is not None and records_per_person > 1:
        raise SpecError(
            f"One record of each person is drawn, by the column '{_entity(job)}': leave out 'records_per_person'."
        )
    return job


def _entity(job: Job) -> str | None:
    return next(iter(job.names(Role.ENTITY)), None)


def _earlier(place: Path) -> EarlierSample:
    """Return what an earlier sample tells, with those before it."""
    folder = folder_of_sample(place)
    if folder is None:
        raise SpecError(f"'{place}' holds no sample: a folder with {SAMPLING} is needed.")
    if Manifest.read(folder, PUBLIC_MANIFEST) is None:
        raise CertificateError(f"The sample in '{folder}' has no list of its files.")
    together = read_statement(folder).together
    return EarlierSample(sha256=file_digest(folder / SAMPLING), epsilon=together.epsilon, delta=together.delta)


def _chosen(asked: Guarantee, beta: object, k: int | None, records: int) -> tuple[Fraction, int, Guarantee]:
    """Return the share, the least size of classes, and what they reach. None of it looks at the table."""
    share = best_share(asked, records) if beta is None else _number(beta, "beta")
    check_share(share, asked.epsilon / records, power_below(asked.epsilon / records))
    least = least_k(share, asked, records) if k is None else k
    if least < 1:
        raise SpecError(f"'k' is {k}: a class has at least 1 record.")
    reached = guarantee_of(share, least, asked.epsilon, records)
    if reached.delta > asked.delta:
        needed = least_k(share, asked, records)
        raise SpecError(
            f"With beta = {float(share):g} and k = {k} delta is {float(rounded_up(reached.delta)):g}, and "
            f"{float(asked.delta):g} was asked for: that needs k = {needed}."
        )
    return share, least, Guarantee(reached.epsilon, min(rounded_up(reached.delta), asked.delta))


def _recoded(rules: Rules, source: Source, domains: Any) -> dict[str, tuple[NDArray[np.integer], Sequence[Label]]]:
    """Return each column that leaves, as codes with their texts; a code below 0 is a value that no rule covers."""
    counted = source.engine.count()
    tally: Tally = counted.tally
    quasi = {
        column.name: (rule.cells[tally.codes[:, j]][counted.point_of], rule.subsets.labels)
        for j, (column, rule) in enumerate(zip(tally.quasi, applied_rules(rules, source, domains, tally), strict=True))
    }
    left = [name for name in source.job.columns if source.job.columns[name].leaves and name != _entity(source.job)]
    plain = {name: source.table.columns[name] for name in left if name not in quasi}
    return {name: quasi[name] if name in quasi else _texts(plain[name]) for name in left}


def _texts(column: Column) -> tuple[NDArray[np.integer], Sequence[Label]]:
    return column.codes.astype(np.int64), [*column.values, None]


def _released(
    rules: Rules,
    source: Source,
    columns: dict[str, tuple[NDArray[np.integer], Sequence[Label]]],
    share: Fraction,
    k: int,
) -> pl.DataFrame:
    """Draw the records, and return those of classes of at least `k`, in the order of their texts."""
    covered = np.ones(source.table.n_rows, dtype=np.bool_)
    for codes, _ in columns.values():
        covered &= codes >= 0
    entity = _entity(source.job)
    if entity is not None:
        covered &= one_of_each(source.table.columns[entity].codes)
    drawn = np.flatnonzero(covered & kept(share, len(covered)))
    own = [codes[drawn] for codes, _ in columns.values()]
    classes, rows = distinct_rows(own, [len(texts) for _, texts in columns.values()], len(drawn))
    sizes = np.bincount(classes, minlength=len(rows))
    large = np.flatnonzero(sizes >= k)
    if len(large) == 0:
        raise InfeasibleError(
            f"No class has {k} drawn records, so that nothing would be released. This result reveals "
            "something, too: do not repeat the run, which would exceed the requested epsilon and delta. Use "
            "coarser rules, a larger epsilon or delta, or more persons."
        )
    texts = [pl.Series(str(j), told, dtype=pl.String) for j, (_, told) in enumerate(columns.values())]
    cells = pl.DataFrame([one.gather(rows[large, j].tolist()) for j, one in enumerate(texts)])
    order = cells.with_row_index("row").sort(cells.columns, nulls_last=True).get_column("row").to_numpy()
    whole = cells[np.repeat(order, sizes[large][order])]
    return pl.DataFrame([one.alias(name) for one, name in zip(whole, columns, strict=True)])


def _delivered(job: Job, names: Sequence[str]) -> Job:
    """Return the job for what is written: the columns that were drawn, each as it is."""
    columns = {name: job.columns[name].model_copy(update={"role": Role.INSENSITIVE}) for name in names}
    return job.model_copy(update={"columns": columns})
