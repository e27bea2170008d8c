"""Classes of two or three records from factors of least weight, and what is proven about their loss."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.records import Records
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress
from shoal.kernels.local.closures import Forms
from shoal.kernels.matching.edges import edge_weights
from shoal.models.k_anonymity import KAnonymity
from shoal.search.bounds.best import best_bound
from shoal.search.local.forms import check_trees, forms_of, offset_of
from shoal.search.local.merging import alike_joined, merged
from shoal.search.local.partition import cell_measure, check_local, solution_of
from shoal.search.local.trimming import trimmed
from shoal.search.matching.cycles import cut_walks, labelled, pruned, walks
from shoal.search.matching.factors import Factor, FactorSearch
from shoal.search.matching.pairs import Pairs
from shoal.search.problem import Problem, Solution

_COVER = 3.0  # classes cost at most so many times the prices of their edges, in each column
_RATIOS = {2: (1.5, 2.0), 3: (1.0, 1.5)}  # by k: the ratio of the edge weights of any column, and of a binary one
_MOST_RECORDS = 10_000
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """What each column adds to the weights of edges, such that no release costs less than a lightest factor weighs.

    The price of a column is counted above the least price of its values, which every record costs: that is `base`. What
    is left is not negative, and is multiplied by a ratio. A column is binary if it has two kinds of values, each kind
    covered by one node that costs no more than the values. In a class of s records that is not covered by one kind, at
    most s^2 / 4 pairs, rounded down, are not. (Both kinds must cost the same: an expensive value would be paid by each
    pair of its records.)

    Args:
        amounts: By node, the price above the base times the column's ratio.
        binary: Which columns are binary.
        base: What every record costs, whatever its class.
        factor: The loss above the base is at most so many times the weight of a lightest factor.
    """

    amounts: NDArray[np.float64]
    binary: NDArray[np.bool_]
    base: float
    factor: float

    @classmethod
    def of(cls, codes: NDArray[np.int32], forms: Forms, k: int) -> "Shares":
        """Return the shares of the columns of a table, for classes of k."""
        amounts, base, ratios = np.zeros(len(forms.prices)), 0.0, [_RATIOS[k][1]]
        binary = np.zeros(codes.shape[1], dtype=np.bool_)
        for j, (start, end) in enumerate(zip(forms.nodes[:-1], forms.nodes[1:], strict=True)):
            leaves, prices = np.unique(codes[:, j]), forms.prices[start:end]
            least = float(prices[leaves].min(initial=np.inf)) if len(leaves) else 0.0
            kinds = _kinds(leaves.tolist(), forms.parent[start:end], prices, least)
            binary[j] = kinds == 2
            ratio = _RATIOS[k][int(kinds <= 2)]
            amounts[start:end] = ratio * np.maximum(prices - least, 0.0)
            base += least
            ratios.append(ratio)
        return cls(amounts, binary, base, _COVER / min(ratios))


def _kinds(leaves: Sequence[int], parent: NDArray[np.int32], prices: NDArray[np.float64], least: float) -> int:
    """Return the number of highest nodes at the least price that cover some leaves; 3 if a leaf costs more."""
    highest = set()
    for leaf in leaves:
        node = leaf
        if prices[node] > least:
            return 3
        while parent[node] != node and prices[parent[node]] <= least:
            node = int(parent[node])
        highest.add(node)
    return len(highest)


def check_size(problem: Problem, name: str, most_k: int) -> None:
    """Raise a SpecError if the promises require larger classes than the algorithm makes, or for too many records."""
    if problem.k > most_k:
        raise SpecError(
            f"The algorithm '{name}' makes classes of {most_k} records and a few more, and the promises need "
            f"{problem.k}. Use the algorithm 'forest', which has a factor for every k, or 'tightest'."
        )
    if problem.tally.n_records > _MOST_RECORDS:
        raise SpecError(
            f"The algorithm '{name}' looks at every pair of records, of at most {_MOST_RECORDS}, and there are "
            f"{problem.tally.n_records}. Use the algorithm 'forest' or 'tightest'."
        )


def released(problem: Problem, name: str, most_k: int, progress: Progress) -> Solution:
    """Return a release from a factor of least weight: a [1,2]-factor for k = 2, a 2-factor for k = 3.

    For k = 1 each record is published unchanged.

    Args:
        problem: The problem.
        name: The name of the algorithm, for messages.
        most_k: The largest k that it takes.
        progress: Called with the share of the work that is done.
    """
    deadline, measure, tally = problem.deadline(), cell_measure(problem, name), problem.tally
    forms = forms_of(tally.quasi, measure)
    check_trees(tally.quasi, forms, name)
    check_local(problem, name)
    check_size(problem, name, most_k)
    if problem.k == 1:
        found, claim = Parts.whole(tally, np.arange(tally.n_points, dtype=np.int32)), _NOTHING
    else:
        found, claim = _from_factor(problem, forms, deadline, progress)
    gone, inside = found.classes < 0, found.classes >= 0
    cut = alike_joined(tally, _some(found, inside), forms)
    kept = merged(problem, cut, forms)
    joined = cut.n_classes - kept.n_classes
    constant = offset_of(tally.quasi, measure) + tally.n_records * claim.base
    factor = claim.factor if joined == 0 and not problem.wildcard and constant >= 0 else None
    words = [claim.remark] if claim.remark else []
    if joined:
        words.append(f"{joined} classes were joined with others to keep every promise")
    own = None if problem.wildcard or claim.above is None else max(constant + claim.above, 0.0)
    return solution_of(
        problem,
        trimmed(problem, _together(kept, _some(found, gone))),
        bound=best_bound(problem, own, deadline=deadline),
        guarantee="none" if factor is None else "factor",
        factor=factor,
        remark="; ".join(words),
    )


@dataclass(frozen=True, slots=True)
class FactorClaim:
    """What a factor proves.

    Args:
        base: What every record costs, whatever its class.
        above: A lower bound on what every release costs above that; None if nothing is known.
        factor: The loss is at most so many times the optimum; None if that is not known.
        remark: What the user should know.
    """

    base: float = 0.0
    above: float | None = None
    factor: float | None = None
    remark: str = ""


_NOTHING = FactorClaim()


def _from_factor(problem: Problem, forms: Forms, deadline: float, progress: Progress) -> tuple[Parts, FactorClaim]:
    """Find a factor, and return its classes and what it proves.

    A record that may be suppressed and left out is omitted from the factor at that price, within the limit; at least k
    records stay. Stars are a class themselves: published as its closure it would cost no more. So suppression can be
    ignored then, as long as no node costs more than a star.
    """
    k, records = problem.k, Records.of(problem.tally)
    codes = records.codes[records.point]
    shares = Shares.of(codes, forms, k)
    leaves_out = problem.limit > 0 and not problem.stars and not problem.wildcard
    limit = min(problem.limit, len(codes) - k) if leaves_out else 0
    omitted = max(forms.full - shares.base, 0.0) if limit else 0.0
    pairs = Pairs.of(codes, forms, shares.amounts, shares.binary, omitted)
    factor = FactorSearch(pairs, k - 1, limit, deadline, progress).found(codes, forms)
    labels = _classes(factor, pairs, codes, forms, k)
    if factor.omitted.any() and not all(isinstance(model, KAnonymity) for model in problem.models):
        alone = np.flatnonzero(factor.omitted)  # another promise may need them: they are joined with the others
        labels[alone] = labels.max() + 1 + np.arange(len(alone))
    if problem.limit > 0 and forms.tops.sum() > forms.full * (1 + _ROUNDING):
        return records.parts(labels), replace(_NOTHING, remark=_remark(problem, factor))
    claimed = _factor(factor, shares, pairs)
    return records.parts(labels), FactorClaim(shares.base, factor.bound * pairs.unit, claimed, _remark(problem, factor))


def _classes(factor: Factor, pairs: Pairs, codes: NDArray[np.int32], forms: Forms, k: int) -> NDArray[np.int64]:
    """Return the class of each record: connected by edges, or the best pieces of each cycle; -1 if it is omitted."""
    n = len(codes)
    if k == 2:
        return labelled(n, walks(n, pruned(n, factor.edges, edge_weights(pairs.weights, factor.edges))))
    return labelled(n, cut_walks(walks(n, factor.edges), codes, forms, k))


def _factor(factor: Factor, shares: Shares, pairs: Pairs) -> float | None:
    """Return the factor of the loss: it is at most so many times the optimum.

    The loss above the base is at most `shares.factor` times the weight of the factor that was found, and the optimum is
    at least its bound.
    """
    if factor.proven or not factor.weight:
        return shares.factor
    return shares.factor * factor.weight / factor.bound if factor.bound > 0 else None


def _remark(problem: Problem, factor: Factor) -> str:
    kind = "[1,2]-factor" if problem.k == 2 else "2-factor"
    if factor.proven:
        return f"no {kind} weighs less, which is proven"
    share = factor.bound / factor.weight
    return f"the {kind} is not proven to be the lightest, which weighs at least {share:.4f} times as much"


def _some(parts: Parts, chosen: NDArray[np.bool_]) -> Parts:
    return Parts(parts.points[chosen], parts.classes[chosen], parts.counts[chosen])


def _together(parts: Parts, others: Parts) -> Parts:
    if not len(others.points):
        return parts
    return Parts(
        np.concatenate([parts.points, others.points]),
        np.concatenate([parts.classes, others.classes]),
        np.concatenate([parts.counts, others.counts]),
    )
