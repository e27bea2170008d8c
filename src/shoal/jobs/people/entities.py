"""Entities: what may be asked where a person has several records, so that a class counts its persons."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.k_map_estimate import KMapEstimate
from shoal.models.model import PrivacyModel, SensitiveModel
from shoal.models.table_model import TableModel


def uncountable(
    entities: Sequence[str], promises: Sequence[PrivacyModel], *, wildcard: bool, clusters: bool
) -> list[str]:
    """Say what stands in the way of counting persons.

    Args:
        entities: The columns that tell whose record it is.
        promises: What is to be proven.
        wildcard: Whether a missing value matches everything.
        clusters: Whether clusters are published.
    """
    wrong = [
        f"{promise.name} counts by '{promise.entity_column}', which does not have the role 'entity'"
        for promise in promises
        if promise.entity_column not in (None, *entities)
    ]
    if wildcard:
        wrong += [
            f"{promise.name} adds up over classes, which overlap with missing = 'wildcard': choose 'category' or 'drop'"
            for promise in promises
            if isinstance(promise, TableModel)
        ]
    if not entities:
        return wrong
    if len(entities) > 1:
        wrong.append(f"{len(entities)} columns have the role 'entity': one of them tells whose record it is")
    k = max((promise.k for promise in promises if isinstance(promise, KAnonymity)), default=0)
    if k == 0:
        wrong.append("a column has the role 'entity', and nothing counts persons: require k-anonymity, which does")
    wrong += [
        f"the k of {promise.name} counts records, not persons: require k-anonymity with k = {asked} or more as well"
        for promise in promises
        if isinstance(promise, SensitiveModel) and promise.per == "record" and 0 < k < (asked := promise.records_asked)
    ]
    wrong += [
        f"{promise.name} is not defined for persons with several records: {promise.records_only}"
        for promise in promises
        if isinstance(promise, SensitiveModel) and promise.records_only is not None and _by_persons(promise)
    ]
    wrong += [
        f"{promise.name} with others = 'known' would take the role 'entity' for one more known column: leave one out"
        for promise in promises
        if promise.others_known
    ]
    wrong += [
        f"{promise.name} counts records, and a column has the role 'entity': leave one of them out"
        for promise in promises
        if isinstance(promise, TableModel | KMapEstimate)
    ]
    if wildcard:
        wrong.append(
            "with missing = 'wildcard' classes overlap, and numbers of persons do not reach beyond a class: choose "
            "'category' or 'drop', or leave the role 'entity' out"
        )
    if clusters:
        wrong.append("clusters tell how many records they have, not how many persons: leave the role 'entity' out")
    return wrong


def counting_persons(promises: Sequence[PrivacyModel], entities: Sequence[str]) -> list[PrivacyModel]:
    """Return the promises, counting persons if a column tells them, unless one is asked for each record."""
    if not entities:
        return list(promises)
    return [
        replace(one, entity=entities[0]) if isinstance(one, KAnonymity | SensitiveModel) and _by_persons(one) else one
        for one in promises
    ]


def as_claimed(promise: PrivacyModel, claim: Mapping[str, Any] | None) -> PrivacyModel:
    """Return a promise that counts records if its claim does: earlier versions did so on sensitive columns.

    Args:
        promise: The promise of the job.
        claim: What a certificate says of it.
    """
    if claim is None or not isinstance(promise, SensitiveModel) or "entity" in claim["parameters"]:
        return promise
    return replace(promise, entity=None)


def _by_persons(promise: KAnonymity | SensitiveModel) -> bool:
    """Tell whether a promise counts persons where a column tells them: not if it knows how many records they have."""
    if isinstance(promise, DistinctLDiversity | FrequencyLDiversity):
        return promise.per is None and promise.members is None
    return isinstance(promise, KAnonymity) or promise.per is None
