"""Entities: what may be asked where a person has several records, so that a class counts its persons."""

from collections.abc import Sequence
from dataclasses import replace

from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel, SensitiveModel


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
    named = {promise.entity for promise in promises if isinstance(promise, KAnonymity)} - {None, *entities}
    wrong = [f"k-anonymity counts by '{name}', which has not the role 'entity'" for name in sorted(map(str, named))]
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
        if isinstance(promise, SensitiveModel) and 0 < k < (asked := promise.records_asked)
    ]
    wrong += [
        f"{promise.name} with others = 'known' would take the role 'entity' for one more known column: leave one out"
        for promise in promises
        if promise.others_known
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
    """Return the promises, with k-anonymity counting persons if a column tells them."""
    if not entities:
        return list(promises)
    return [replace(one, entity=entities[0]) if isinstance(one, KAnonymity) else one for one in promises]
