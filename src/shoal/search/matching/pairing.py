"""Pairing: which records may be a class of two or three, and the table without pairs that are decided at once."""

from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.records import Records
from shoal.foundation.errors import SpecError
from shoal.kernels.local.closures import TREE, Forms
from shoal.models.alpha_k_anonymity import AlphaKAnonymity
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel, SensitiveModel
from shoal.search.matching.matching_program import OddSets
from shoal.search.matching.small_classes import SmallClasses, set_prices
from shoal.search.problem import Problem

_MOST_KINDS = 6_000  # the largest number of kinds of records of which every pair is priced
_ALIKE = 4  # of equal records, up to so many may have to be in classes with others


def check_pairs(problem: Problem, forms: Forms, name: str) -> int | None:
    """Return the number of the sensitive column whose values must differ in classes of two and three, or None.

    Raises a SpecError unless the promises are kept by exactly the classes that can be split into such ones.
    """
    columns = {column for model in problem.models for column in _different(model, problem, name)}
    if problem.k > 2 or len(columns) > 1:
        raise SpecError(
            f"The algorithm '{name}' parts records into classes of two and three, and the promises ask for "
            + (f"k = {problem.k}" if problem.k > 2 else "more than one sensitive column")
            + ". Use it for k-anonymity with k = 2, or frequency-l-diversity with l = 2 of one column; else use the "
            "algorithm 'exact' for a small table, or 'tightest'."
        )
    if problem.wildcard and (problem.tally.codes == forms.missing).any():
        raise SpecError(
            f"Missing values match everything, so that classes overlap, and the algorithm '{name}' counts each record "
            "in one class. Set missing values to match only each other, or use the algorithm 'tightest'."
        )
    if problem.stars and problem.limit:
        raise SpecError(
            f"Suppressed records leave as stars, which are a class of their own that must keep the promises, and the "
            f"algorithm '{name}' makes classes of two and three. Leave them out instead, allow none to be suppressed, "
            "or use the algorithm 'exact'."
        )
    if (forms.kinds != TREE).any() and not problem.measure.monotone:
        raise SpecError(
            f"A column publishes ranges or sets, and by the measure '{problem.measure.name}' a larger one may lose "
            f"less, so that the algorithm '{name}' cannot tell what is best. Use a measure such as 'lm', 'ncp' or "
            "'monotone-entropy', or hierarchies that are trees."
        )
    return next(iter(columns), None)


def _different(model: PrivacyModel, problem: Problem, name: str) -> list[int]:
    """Return the sensitive column that a promise requires to differ in pairs and triples, if there is one."""
    if isinstance(model, KAnonymity):
        return []
    names = [column.name for column in problem.tally.sensitive]
    halves = (isinstance(model, FrequencyLDiversity) and model.l == 2) or (
        isinstance(model, AlphaKAnonymity) and Fraction(model.alpha) == Fraction(1, 2) and model.value is None
    )
    if halves and isinstance(model, SensitiveModel) and (model.others == "ignored" or len(names) == 1):
        return [names.index(model.column)]
    raise SpecError(
        f"The algorithm '{name}' keeps k-anonymity with k = 2, frequency-l-diversity with l = 2 and alpha-k-anonymity "
        f"with alpha = 1/2, whose classes split into pairs and triples; '{model.name}' as it is asked for is none of "
        "these. Use the algorithm 'exact' for a small table, or 'tightest'."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """The records that are to be matched, and equal records that are set aside as classes of their own.

    With 2-anonymity alone, and columns that publish trees, there is an optimum in which of five or more equal records
    two are a class. Let p be the price of the record alone, a its copies, and d the price of a class.

    - Two pairs {a, b}, {a, c} become {a, a}, {b, c}: p + d(bc) <= d(ab) + d(ac), since in each column one of the two
      nodes on the right covers b and c, and the other covers a.
    - Two triples with a become pairs that cost no more: {a, b, c}, {a, d, e} become {a, a}, {b, c}, {d, e}, and {a, a,
      b}, {a, c, d} become {a, a}, {a, b}, {c, d}.

    So at most one pair and one triple contain copies beside other records; these are at most three copies. Two of the
    remaining copies form a class, or three do. Three copies with a triple {a, b, c} or {a, a, b} beside them become
    pairs {a, a}, {a, a} and {b, c} or {a, b}; if there is no triple beside them, they and at most one pair are four
    copies. Suppressed copies may as well be a pair. Removing two copies leaves an optimum of the other records, so this
    can be repeated.

    Args:
        problem: The problem of the records that are matched.
        records: All records.
        matched: Which of them are matched.
        labels: For these, a number: records with the same number are never in a class of two or three together.
        kinds: For these, their kind: records of one kind may take each other's place in every class.
        diverse: Whether the labels are values of a sensitive column; else any records may be a class.
    """

    problem: Problem
    records: Records
    matched: NDArray[np.int64]
    labels: NDArray[np.int64]
    kinds: NDArray[np.int64]
    diverse: bool

    @classmethod
    def of(cls, problem: Problem, forms: Forms, column: int | None, name: str) -> "Pairing":
        """Set aside what is decided at once; `column` is the sensitive column whose values must differ."""
        tally, records = problem.tally, Records.of(problem.tally)
        counts = np.diff(records.firsts)
        if column is None and (forms.kinds == TREE).all():
            counts = np.where(counts > _ALIKE, _ALIKE - counts % 2, counts)
        rank = np.arange(len(records.point)) - records.firsts[records.point]
        matched = np.flatnonzero(rank < counts[records.point])
        values = tally.profile_codes[records.profile[matched], column] if column is not None else 0 * matched
        point = records.point[matched]
        kinds = np.unique(np.column_stack([point, values]), axis=0, return_inverse=True)[1].reshape(-1)
        n_kinds = int(kinds.max(initial=-1)) + 1
        if n_kinds > _MOST_KINDS:
            raise SpecError(
                f"The algorithm '{name}' looks at every pair of different records, at most of {_MOST_KINDS:,}, and "
                f"there are {n_kinds:,} to be matched. Use the algorithm 'tightest', which gives a bound as well."
            )
        rest = np.bincount(records.origin[matched], minlength=tally.n_points).astype(np.int64)
        limit = Fraction(problem.limit, max(len(matched), 1))
        return cls(
            problem=replace(problem, tally=replace(tally, counts=rest), max_suppressed=limit),
            records=records,
            matched=matched,
            labels=(matched if column is None else values).astype(np.int64),
            kinds=kinds.astype(np.int64),
            diverse=column is not None,
        )

    def classes(self, forms: Forms) -> SmallClasses:
        """Return the prices of all pairs of the records that are matched."""
        copies = np.bincount(self.kinds)
        one = np.empty(len(copies), dtype=np.int64)
        one[self.kinds] = np.arange(len(self.kinds))
        point, labels = self.records.point[self.matched[one]], self.labels[one] if self.diverse else None
        return SmallClasses.of(forms, self.records.codes, point, copies, labels)

    def settled(self, forms: Forms) -> float:
        """Return the cost of the records that are set aside."""
        codes = self.records.codes
        alone = set_prices(forms, codes, np.arange(len(codes))[:, None])
        aside = np.delete(self.records.point, self.matched)
        return float(alone[aside].sum())

    def sets(self, parts: Parts) -> OddSets:
        """Return a partition of the matched records as the kinds of classes of one (suppressed), two and three."""
        label = Records.of(self.problem.tally).labels(parts)
        order = np.argsort(label, kind="stable")
        found: list[list[int]] = []
        for members in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
            alone = label[members[0]] < 0
            found += [[record] for record in members.tolist()] if alone else _split(members, self.labels[members])
        kinds = [sorted(self.kinds[one].tolist()) for one in found]
        return np.array([[*one, *[-1] * (3 - len(one))] for one in kinds], dtype=np.int64)

    def parts(self, sets: OddSets) -> Parts:
        """Return the matched classes, and those that were set aside, as a partition of all records."""
        label = self.records.point + len(sets)
        number, slot = np.nonzero(sets >= 0)
        taken = np.argsort(sets[number, slot], kind="stable")
        of_kind = np.argsort(self.kinds, kind="stable")  # each class takes the next records of its kinds
        label[self.matched[of_kind]] = np.where(sets[number, 1] < 0, -1, number)[taken]
        return self.records.parts(label).filled()


def _split(members: NDArray[np.int64], labels: NDArray[np.int64]) -> list[list[int]]:
    """Split a class in which no label has more than half of the records into pairs and triples of different labels.

    From four or more records, one record each of the two most frequent labels can always be taken (004 Lemma 2).
    """
    waiting: dict[int, list[int]] = {}
    for record, label in zip(members.tolist(), labels.tolist(), strict=True):
        waiting.setdefault(label, []).append(record)
    heap = [(-len(records), label) for label, records in waiting.items()]
    heapify(heap)
    found, left = [], len(members)
    while left > 0:
        most = [heappop(heap)[1] for _ in range(left if left <= 3 else 2)]
        found.append([waiting[label].pop() for label in most])
        left -= len(most)
        for label in most:
            if waiting[label]:
                heappush(heap, (-len(waiting[label]), label))
    return found
