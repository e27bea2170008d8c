"""Background knowledge: what an attacker learns who can rule out some sensitive values of a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.exposure import ExposedClass, exposed, largest_first
from shoal.classes.grouping import Histogram
from shoal.classes.observed import Observed


@dataclass(frozen=True, slots=True)
class RuledOut:
    """What an attacker learns who rules out `values` sensitive values of each person, the worst case.

    Args:
        values: How many values are ruled out; 0 is the homogeneity attack.
        records: The number of records whose sensitive value is then certain.
        classes: The number of classes that hold such records.
        expected: The expected number of right guesses, if the attacker picks at random among the remaining records.
    """

    values: int
    records: int
    classes: int
    expected: float


@dataclass(frozen=True, slots=True)
class BackgroundKnowledge:
    """How many sensitive values become certain as the attacker rules out more of the others.

    Args:
        column: The sensitive column.
        n_records: The number of records of the release.
        n_classes: The number of its classes.
        steps: What is learned by ruling out 0, 1, 2, ... values.
        exposed: The classes with certain records at the last step, the largest first.
    """

    name: ClassVar[str] = "background-knowledge"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006; k-Anonymity (chapter), section 5"

    column: str
    n_records: int
    n_classes: int
    steps: tuple[RuledOut, ...]
    exposed: Sequence[ExposedClass]

    @property
    def share(self) -> float:
        """The share of the records whose value is certain at the last step."""
        return self.steps[-1].records / self.n_records if self.n_records else 0.0

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the cells of the exposed classes."""
        return {
            "attack": self.name,
            "column": self.column,
            "share": self.share,
            "of_records": self.n_records,
            "of_classes": self.n_classes,
            "ruled_out": [
                {"values": s.values, "records": s.records, "classes": s.classes, "expected": s.expected}
                for s in self.steps
            ],
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }


def background_knowledge(
    observed: Observed, quasi: Sequence[str], column: str, *, rule_out: int = 2, others_known: bool = False
) -> BackgroundKnowledge:
    """Let an attacker rule out, for each person, up to `rule_out` values that are not the person's own.

    In a class with d different values, a person's value is certain once the d - 1 others are ruled out, that is from b
    = d - 1 on. With fewer, the best attack rules out the most frequent of the other values.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        column: The sensitive column.
        rule_out: The largest number of values that are ruled out.
        others_known: Whether the attacker knows the other sensitive columns of the person.
    """
    groups = observed.groups
    blocks, owners = groups.blocks(column, others_known=others_known)
    steps = []
    certain = np.zeros(groups.n_classes, dtype=np.int64)
    for b in range(rule_out + 1):
        known = blocks.distinct <= b + 1
        certain = np.bincount(owners[known], blocks.sizes[known], groups.n_classes).astype(np.int64)
        steps.append(RuledOut(b, int(certain.sum()), int(np.count_nonzero(certain)), float(_hits(blocks, b).sum())))
    chosen = largest_first(certain, certain > 0)
    found = exposed(observed, quasi, chosen, {"records": certain[chosen]})
    return BackgroundKnowledge(column, groups.n_records, groups.n_classes, tuple(steps), found)


def _hits(blocks: Histogram, b: int) -> NDArray[np.float64]:
    """Return the expected right guesses for each entry, after the `b` most frequent other values are ruled out."""
    owners = blocks.owners
    order = np.lexsort((-blocks.counts, owners))
    ranked = blocks.counts[order]
    rank = np.arange(len(ranked)) - blocks.offsets[owners]
    sums = np.concatenate([[0], np.cumsum(ranked)])
    start = blocks.offsets[owners]
    end = blocks.offsets[owners + 1]
    top = sums[np.minimum(start + b + (rank < b), end)] - sums[start]
    others = np.where(rank < b, top - ranked, top)
    return ranked * (ranked / (blocks.sizes[owners] - others))
