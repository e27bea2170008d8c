"""Homogeneity: classes with a single sensitive value, which is then known of everyone in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.audits.attacks.exposure import ExposedClass, exposed, largest_first
from shoal.classes.observed import Observed


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """What is certain to an attacker who knows a person's quasi-identifiers and that the person is in the table.

    Args:
        column: The sensitive column.
        n_records: The number of records of the release.
        n_classes: The number of its classes.
        records: The number of records whose value is certain.
        classes: The number of classes that hold such records.
        exposed: These classes, the largest first.
    """

    name: ClassVar[str] = "homogeneity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006; k-Anonymity (chapter), section 5"

    column: str
    n_records: int
    n_classes: int
    records: int
    classes: int
    exposed: Sequence[ExposedClass]

    @property
    def share(self) -> float:
        """The share of the records whose value is certain."""
        return self.records / self.n_records if self.n_records else 0.0

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the cells of the exposed classes."""
        return {
            "attack": self.name,
            "column": self.column,
            "share": self.share,
            "records": self.records,
            "of_records": self.n_records,
            "classes": self.classes,
            "of_classes": self.n_classes,
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }


def homogeneity(observed: Observed, quasi: Sequence[str], column: str, *, others_known: bool = False) -> Homogeneity:
    """Find the classes in which all records have the same value; a missing value is a value like any other.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        column: The sensitive column.
        others_known: Whether the attacker knows the person's other sensitive columns, and so considers only records
            with the same values there (the chapter's rule for several sensitive columns).
    """
    groups = observed.groups
    blocks, owners = groups.blocks(column, others_known=others_known)
    alone = blocks.distinct == 1
    learned = np.bincount(owners[alone], blocks.sizes[alone], groups.n_classes).astype(np.int64)
    chosen = largest_first(learned, learned > 0)
    first = np.full(groups.n_classes, -1, dtype=np.int64)
    first[owners[alone][::-1]] = blocks.values[blocks.offsets[:-1][alone]][::-1]
    values = [blocks.column.values[code] for code in first[chosen].tolist()]
    return Homogeneity(
        column=column,
        n_records=groups.n_records,
        n_classes=groups.n_classes,
        records=int(learned.sum()),
        classes=len(chosen),
        exposed=exposed(observed, quasi, chosen, {"records": learned[chosen]}, None if others_known else values),
    )
