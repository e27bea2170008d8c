"""Similarity: classes whose sensitive values differ, but are close to each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import takewhile
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.exposure import ExposedClass, exposed, largest_first
from shoal.audits.attacks.lazy_sequence import LazySequence
from shoal.classes.grouping import Histogram
from shoal.classes.observed import Observed
from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label
from shoal.tables.hierarchies.numeric import scaled

WIDTHS = tuple(Fraction(percent, 100) for percent in (1, 5, 10, 20, 50))


@dataclass(frozen=True, slots=True)
class Confined:
    """How many records are in classes whose values are all close to each other.

    Args:
        within: The limit: a share of the whole range, or the hierarchy level on which all values have one group.
        records: The number of records in classes that keep the limit.
        classes: The number of such classes.
    """

    within: float
    records: int
    classes: int


@dataclass(frozen=True, slots=True)
class Similarity:
    """How close to each other the values of a class are, as numbers (or days) or in the column's hierarchy.

    Args:
        column: The sensitive column.
        by: What close means: a narrow range, or one group of the hierarchy.
        n_records: The number of records of the release.
        n_classes: The number of its classes.
        steps: The number of exposed records for each width, or for each level.
        at: The width, or the level, at which a class counts as exposed.
        records: The number of records in exposed classes.
        whole: The width of the range of the whole release; None by group.
        narrowest: The width of the narrowest range of a class; None by group.
        exposed: The exposed classes, the largest first.
    """

    name: ClassVar[str] = "similarity"
    reference: ClassVar[str] = "Li, Li, Venkatasubramanian 2007; k-Anonymity (chapter), section 5"

    column: str
    by: Literal["range", "group"]
    n_records: int
    n_classes: int
    steps: tuple[Confined, ...]
    at: float
    records: int
    whole: float | None
    narrowest: float | None
    exposed: Sequence[ExposedClass]

    @property
    def share(self) -> float:
        """The share of the records in exposed classes."""
        return self.records / self.n_records if self.n_records else 0.0

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the cells of the exposed classes."""
        spread = {} if self.whole is None else {"whole_range": self.whole, "narrowest_range": self.narrowest}
        return {
            "attack": self.name,
            "column": self.column,
            "by": self.by,
            "share": self.share,
            "at": self.at,
            "records": self.records,
            "of_records": self.n_records,
            "of_classes": self.n_classes,
            **spread,
            "confined": [{"within": s.within, "records": s.records, "classes": s.classes} for s in self.steps],
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }


def similarity(
    observed: Observed,
    quasi: Sequence[str],
    column: str,
    *,
    width: Fraction = WIDTHS[2],
    others_known: bool = False,
    categories: bool = False,
) -> list[Similarity]:
    """Find the classes whose values lie in a narrow range of numbers or days, and those in one group of a hierarchy.

    The first needs a column of numbers or days, the second a hierarchy. A class with a missing value is never exposed.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        column: The sensitive column.
        width: A class counts as exposed if its values span at most this share of the whole range.
        others_known: Whether the attacker knows the other sensitive columns of the person.
        categories: Whether the values are categories, even if they look like numbers.

    Raises:
        SpecError: The column has neither numbers nor a hierarchy with groups.
    """
    blocks, owners = observed.groups.blocks(column, others_known=others_known)
    hierarchy = blocks.column.hierarchy
    found = []
    values = [value for value in blocks.column.values if value is not None]
    numbers = None if categories else _numbers(values)
    if numbers is not None:
        found.append(_by_range(observed, quasi, blocks, owners, numbers, width))
    if hierarchy is not None and hierarchy.height > 1:
        found.append(_by_group(observed, quasi, blocks, owners, hierarchy))
    if not found:
        raise SpecError(f"the values of column '{column}' are no numbers, and it has no hierarchy with groups")
    return found


def _numbers(values: Sequence[str]) -> tuple[list[int], int] | None:
    """Return the values as whole multiples of one unit, or as days; None if they are neither."""
    if not values:
        return None
    days = [day.toordinal() for day in takewhile(bool, map(read_date, values)) if day is not None]
    return (days, 1) if len(days) == len(values) else scaled(values)


def _by_range(
    observed: Observed,
    quasi: Sequence[str],
    blocks: Histogram,
    owners: NDArray[np.int64],
    numbers: tuple[list[int], int],
    width: Fraction,
) -> Similarity:
    places, unit = numbers
    exact = np.array(places, dtype=np.int64 if max(map(abs, places)) < 2**40 else object)
    missing = len(exact) if len(exact) < len(blocks.column.values) else -1
    values = np.where(blocks.values == missing, 0, blocks.values)
    low = np.minimum.reduceat(exact[values], blocks.offsets[:-1])
    high = np.maximum.reduceat(exact[values], blocks.offsets[:-1])
    whole = blocks.reference[: len(exact)] > 0
    reach = exact[whole].max() - exact[whole].min()
    lacks = np.maximum.reduceat(blocks.values == missing, blocks.offsets[:-1])
    spread = high - low

    def within(step: Fraction) -> NDArray[np.bool_]:
        return ~lacks & (spread * step.denominator <= step.numerator * reach).astype(np.bool_)

    steps = tuple(_confined(blocks, owners, within(step), float(step)) for step in sorted({*WIDTHS, width}))
    records = np.bincount(owners, blocks.sizes * within(width), observed.groups.n_classes).astype(np.int64)
    chosen = largest_first(records, records > 0)
    single = len(owners) == observed.groups.n_classes  # then the blocks are the classes
    figures: dict[str, NDArray[Any]] = {"records": records[chosen]}
    values_of: Sequence[Label] | None = None
    if single:
        figures["range"] = _quotients(spread[chosen], unit)

        @cache
        def text() -> dict[int, str]:
            return {place: str(value) for place, value in zip(places, blocks.column.values, strict=False)}

        values_of = LazySequence(
            len(chosen), lambda i: f"{text()[int(low[chosen[i]])]} - {text()[int(high[chosen[i]])]}"
        )
    return Similarity(
        column=blocks.column.name,
        by="range",
        n_records=observed.groups.n_records,
        n_classes=observed.groups.n_classes,
        steps=steps,
        at=float(width),
        records=int(records.sum()),
        whole=float(Fraction(int(reach), unit)),
        narrowest=float(Fraction(int(min(spread[~lacks], default=0)), unit)),
        exposed=exposed(observed, quasi, chosen, figures, values_of),
    )


def _quotients(numbers: NDArray[Any], unit: int) -> NDArray[np.float64]:
    """Return `numbers / unit`, correctly rounded."""
    if numbers.dtype != object and unit < 2**53:
        return numbers / float(unit)  # both are exact
    return np.array([float(Fraction(int(number), unit)) for number in numbers], dtype=np.float64)


def _by_group(
    observed: Observed, quasi: Sequence[str], blocks: Histogram, owners: NDArray[np.int64], hierarchy: Hierarchy
) -> Similarity:
    steps, first = [], np.zeros(len(blocks.sizes), dtype=np.bool_)
    for level in range(1, hierarchy.height):
        nodes = hierarchy.codes[level][blocks.values]
        one = np.minimum.reduceat(nodes, blocks.offsets[:-1]) == np.maximum.reduceat(nodes, blocks.offsets[:-1])
        one &= np.minimum.reduceat(blocks.values != hierarchy.missing_leaf, blocks.offsets[:-1])
        first = one if level == 1 else first
        steps.append(_confined(blocks, owners, one, float(level)))
    records = np.bincount(owners, blocks.sizes * first, observed.groups.n_classes).astype(np.int64)
    chosen = largest_first(records, records > 0)
    groups = None
    if len(owners) == observed.groups.n_classes:
        at = hierarchy.codes[1][blocks.values[blocks.offsets[:-1]]]
        groups = [hierarchy.labels[1][at[c]] for c in chosen]
    return Similarity(
        column=blocks.column.name,
        by="group",
        n_records=observed.groups.n_records,
        n_classes=observed.groups.n_classes,
        steps=tuple(steps),
        at=1.0,
        records=int(records.sum()),
        whole=None,
        narrowest=None,
        exposed=exposed(observed, quasi, chosen, {"records": records[chosen]}, groups),
    )


def _confined(blocks: Histogram, owners: NDArray[np.int64], one: NDArray[np.bool_], within: float) -> Confined:
    return Confined(within, int(blocks.sizes[one].sum()), len(np.unique(owners[one])))
