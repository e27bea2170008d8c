"""Repeated: the job of a release is run again on the raw table, and all that its certificate tells is compared.

A release of clusters does not tell which record is in which of them, rules tell nothing of the records that they do not
cover, and a release of cells tells neither which record is in which class nor sampling weights that did not leave. The
same job on the same table makes the same release, and tells these. What is computed from that here is computed by other
code than that of the search.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.actions.anonymize import made_of, run
from shoal.actions.apply import applied_again
from shoal.actions.verification.raw_table import RawTable, demand, different_parts
from shoal.actions.verification.told import MAKER, without
from shoal.certificate import text_of
from shoal.clusters.centre_distances import noise, numbers_of
from shoal.clusters.cluster_table import ClusterTable
from shoal.foundation.errors import CertificateError, InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.foundation.versions import version_of
from shoal.releases.claims.figures import SIX_DIGITS, agree
from shoal.releases.gathered import Gathered
from shoal.releases.release import Release
from shoal.releases.rules.rules import Rules
from shoal.tables.rows import Rows
from shoal.tables.table import Role

_PLACES = ("schema", "verdict", "file", "clusters.file")  # compared with the files


def repeat(raw: RawTable, progress: Progress = silent) -> str | None:
    """Run the job of a release again and compare all that its certificate tells; return why it cannot be, or None.

    Raises:
        CertificateError: The job makes another release, or its certificate tells something else.
    """
    made = _made(raw, progress)
    if not _same(raw, made):
        if raw.job.search.time_limit is not None:
            return "the search was limited in time, and made another release when it was repeated"
        if raw.certificate["shoal"] != version_of("shoal"):
            return f"shoal {version_of('shoal')} makes another release than the version that made this one"
        raise CertificateError(
            "The job, run again on the raw table, makes a different release: the table or the job is not the "
            "one with which it was made."
        )
    derived, left_out = json.loads(text_of(made.certificate)), (*MAKER, *_PLACES)
    if "schema" not in raw.certificate:
        derived = {key: part for key, part in derived.items() if key in raw.certificate}
    different = different_parts(without(derived, left_out), without(raw.certificate, left_out))
    gathered = made.run.gathered
    demand([*different, *(_distances(raw, gathered) if gathered is not None else _weighed(raw, made))])
    return None


def _weighed(raw: RawTable, made: Release) -> Iterator[str]:
    """Compare a weighted loss with that of the same records, published beside their weights."""
    weights, run = raw.job.search.sampling_weights, made.run
    if weights is None:
        return iter(())
    table = replace(run.raw, roles={**run.raw.roles, weights: Role.INSENSITIVE})
    engine, stars = replace(run.engine, table=table), raw.job.release.suppressed == "star"
    rng = np.random.default_rng(0)  # of an order that nobody sees
    shown = engine.publish(run.solution, run.classes, stars=stars, shuffled=False, rng=rng)
    return raw.loss(run.source, shown.rows([*raw.job.names(Role.QUASI), weights]))


def _made(raw: RawTable, progress: Progress) -> Release:
    """Make the release again."""
    rules = raw.certificate.get("rules")
    try:
        if raw.job.series is not None:
            return run(raw.job, raw.data, progress)
        if rules is None:
            return made_of(raw.source(raw.key), progress)
        suppress, known = rules["outside"] + rules["failing"] > 0, Rules.read(raw.claims.folder)
        return applied_again(known, raw.job, raw.data, suppress=suppress, progress=progress, key=raw.key)
    except (InfeasibleError, CertificateError) as error:
        raise CertificateError(f"The job, run again on the raw table, makes no release. {error}") from None


def _same(raw: RawTable, made: Release) -> bool:
    """Tell whether two releases hold the same records and clusters, whatever their order.

    Pseudonyms are compared if their key is there.
    """
    gathered = made.run.gathered
    tables = {
        "records": made.run.released.rows(),
        **({} if gathered is None else {"clusters": Rows.each(gathered.frame)}),
    }
    for part, location in raw.claims.locations.items():
        mine, names = tables[part], location.columns()
        if set(names) != set(mine.frame.columns):
            return False
        names = names if raw.key is not None else [name for name in names if name not in raw.job.pseudonyms]
        if not _sorted(mine, names).equals(_sorted(location.counted(names)[0], names)):
            return False
    return True


def _sorted(rows: Rows, names: list[str]) -> pl.DataFrame:
    """Return the different rows in order, with how often each occurs."""
    keys = [str(number) for number in range(len(names))]  # a name such as `*` would be a pattern to polars
    texts = [rows.frame.get_column(name).cast(pl.String) for name in names]
    plain = pl.DataFrame([text.alias(key) for text, key in zip(texts, keys, strict=True)])
    counted = plain.with_columns(pl.Series("n", rows.counts)).group_by(keys).agg(pl.col("n").sum())
    return counted.sort(keys)


def _distances(raw: RawTable, gathered: Gathered) -> Iterator[str]:
    """Compare how far records are from the published centre of their cluster."""
    evidence, stated, loss = raw.claims.evidence({}), raw.certificate["clusters"], raw.certificate["loss"]
    table = ClusterTable.of(gathered.frame, evidence.quasi, evidence.held, evidence.values)
    texts = {name: table.centres[name].to_list() for name in table.centres.columns}
    distances, least = gathered.distances, noise(gathered.distances.metric)
    centres = numbers_of(distances.metric, texts)
    far, radii = distances.far(centres), distances.radii(centres, len(table))
    largest, n_records = float(radii.max(initial=0.0)), int(table.sizes.sum())
    derived = {
        "radius": (largest, least),
        "cellular": (float(table.sizes @ radii), n_records * least),
        "distortion": (float(distances.counts @ far), n_records * least),
        "sse": (float(distances.counts @ far**2), n_records * least * max(largest, least)),
    }
    if any(not agree(one, stated["objectives"][name], SIX_DIGITS, near) for name, (one, near) in derived.items()):
        yield "the objectives of the clusters"
    own = radii.tolist() if gathered.radius == "own" else [largest] * len(table)
    if any(not agree(one, said, SIX_DIGITS, least) for one, said in zip(own, table.radii.tolist(), strict=True)):
        yield "the radii of the clusters"
    algorithm = raw.job.search.algorithm
    cost = 0.0 if algorithm is None else algorithm.cluster_cost * len(table)
    total, near = derived[loss["measure"]]
    if not agree(total + cost, loss["total"], SIX_DIGITS, near):
        yield "the loss of the clusters"
