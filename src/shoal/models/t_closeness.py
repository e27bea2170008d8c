"""t-closeness."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.person_values import PersonValues
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.errors import FieldError
from shoal.foundation.exact import ExactNumber
from shoal.models.caps import Caps, largest_caps
from shoal.models.earth_mover import (
    Work,
    by_matrix,
    distance_at_most,
    distances_of,
    edges_of,
    equal,
    farthest,
    fewest_near,
    fewest_until_near,
    ground_distance_tree,
    held,
    hierarchical,
    levels_of,
    ordered,
)
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel, ShareRanges
from shoal.models.sufficient_test import SufficientTest
from shoal.tables.distance_matrix import read_matrix

_CLOSED_FORMS = {"equal": equal, "ordered": ordered, "hierarchical": hierarchical}


@dataclass(frozen=True, slots=True, kw_only=True)
class TCloseness(SensitiveModel):
    """The distribution of `column` in each class is within `t` of its distribution in the whole table.

    The earth mover's distance between the shares in the class and in the table is at most `t`: the least
    work of turning one into the other, where moving a share s over the distance d is work s * d. The largest
    distance is 1. `distance` is the ground distance of two values: `equal` (1), `ordered` (the difference of their
    ranks in the column's order), `hierarchical` (the level where they meet in the column's hierarchy, over its height)
    or `matrix` (the entries of the CSV file `distances`).

    Mixing the best flows of two classes by their sizes gives a flow for their union, so the distance of the
    union is at most the weighted mean of the two (it is convex), and so at most the larger: the model is
    monotone. It is not with suppression: a class far from the table may join, and suppressing classes
    changes what the others are compared with.

    With an `entity`, what is compared are shares of persons, of the class and of all classes. A person may hold several
    values, so that the shares of those who hold each value are no distribution. `equal`: the sum of what these shares
    are above those of the release, or of what they are below, whichever is larger, is at most `t`. So the belief that a
    person holds a value changes by at most t, and so does, for any set of values, the expected number of them that the
    person holds. `hierarchical`: the mean of the same for the nodes of each level below the top, where a person holds a
    node with any value below it. `ordered`: the distance of the persons' lowest values, and that of their highest ones,
    is at most `t`. Each is the distance of records if nobody holds two values.

    With `against` = "input", classes are compared with the table before suppression (Ciriani et al. 2007, Definition
    5.3). Then the suppressed records are known as a class, from that table and the release, and must keep the promises
    as well.
    """

    name: ClassVar[str] = "t-closeness"
    reference: ClassVar[str] = (
        "Li, Li and Venkatasubramanian 2007; Ciriani et al. 2007, Definition 5.3; Liang and Yuan 2013, section 2.1"
    )
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    relative: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("t",)
    files: ClassVar[Mapping[str, str]] = {"distances": "the matrix of distances"}
    plain: ClassVar[tuple[str, ...]] = (*SensitiveModel.plain, "distance", "against")

    t: Annotated[ExactNumber, Field(ge=0, le=1)]
    distance: Literal["equal", "ordered", "hierarchical", "matrix"] = "equal"
    distances: str | None = None
    against: Literal["input"] | None = None

    def __post_init__(self) -> None:
        """Check that the matrix is given if, and only if, it is used."""
        SensitiveModel.__post_init__(self)
        if self.distance == "matrix" and not self.distances:
            raise FieldError("distance = 'matrix' needs 'distances', the path of a CSV file with the matrix")
        if self.distance != "matrix" and self.distances is not None:
            raise FieldError(f"'distances' is used only with distance = 'matrix', not with '{self.distance}'")

    @property
    def of_input(self) -> bool:
        """As was asked for."""
        return self.against == "input"

    @property
    def along_hierarchy(self) -> bool:
        """Whether the distance is the place in an order, or in a hierarchy."""
        return self.distance in ("ordered", "hierarchical")

    @property
    def needs_hierarchy(self) -> bool:
        """Whether the distance is the place in a hierarchy."""
        return self.distance == "hierarchical"

    @property
    def records_only(self) -> str | None:
        """A matrix tells what it costs to move one value."""
        if self.distance != "matrix":
            return None
        return (
            "a matrix tells how far one value is from another, and not how far the values of two persons who hold "
            "several: choose the distance 'equal', 'ordered' or 'hierarchical', or per = 'record'"
        )

    def passes_for(self, persons: PersonValues) -> NDArray[np.bool_]:
        """Compare the work of each kind with `t`."""
        kept = np.ones(persons.n_classes, dtype=np.bool_)
        for blocks, work in self._works_for(persons):
            kept &= distance_at_most(blocks, *work, Fraction(self.t))
        return kept

    def measured_for(self, persons: PersonValues) -> Measured:
        """Return the distance of the class that is farthest from the release."""
        return {"t": max(farthest(blocks, *work) for blocks, work in self._works_for(persons))}

    def _works_for(self, persons: PersonValues) -> list[tuple[Histogram, Work]]:
        if self.distance == "ordered":
            ends, occurring = (persons.lowest(), persons.highest()), persons.occurring
            return [(blocks, ordered(blocks, occurring)) for blocks in ends]
        if self.distance == "equal":
            blocks = persons.holders()
            return [(blocks, held([blocks]))]
        levels = [persons.lifted(*level).holders() for level in levels_of(persons.column)]
        return [(levels[0], held(levels))]

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Measure along a tree; the equal distance is an upper bound for any other."""
        tree = ground_distance_tree(column, reference, self.distance)
        return SufficientTest.work(*tree, reference, Fraction(self.t))

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Measure along a tree, or by flows of a matrix."""
        total = max(int(reference.sum()), 1)
        shares, limit = [Fraction(int(count), total) for count in reference], Fraction(self.t)
        if self.distance == "equal":
            return Linear.apart(shares, limit)
        if self.distance == "matrix":
            matrix = read_matrix(str(self.distances))
            entries = matrix.among(column.values, column.name)
            lengths = [[Fraction(int(entry), matrix.largest) for entry in row] for row in entries]
            return Linear.flow(lengths, shares, limit)
        return Linear.work(*edges_of(column, reference, self.distance), shares, limit)

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare the distance with `t`; for a matrix, the equal distance is an upper bound that may settle it."""
        limit = Fraction(self.t)
        if self.distance != "matrix":
            return distance_at_most(blocks, *self._work(blocks, np.ones(len(blocks.sizes), dtype=np.bool_)), limit)
        near = distance_at_most(blocks, *equal(blocks), limit)
        return near | distance_at_most(blocks, *self._work(blocks, ~near), limit)

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Return a lower bound on the records to remove until a block is near enough.

        Removing x of n records moves the distribution of a block by at most x / n, and suppressing a share of the table
        moves the reference by at most that share, since no two values are farther apart than 1. Of blocks that are too
        far, a potential on the tree of distances tells more. The ordered distance itself changes if a value vanishes,
        so there a bound holds only if each value has more records than may be suppressed.
        """
        rare = (blocks.reference > 0) & (blocks.reference <= float(share) * blocks.total)
        if self.distance == "ordered" and share > 0 and rare.any():
            return np.zeros(len(blocks.sizes), dtype=np.int64)
        distances = distances_of(blocks, *self._work(blocks, np.ones(len(blocks.sizes), dtype=np.bool_)))
        lost = np.ceil((distances - float(self.t + share)) * blocks.sizes - 1e-6)
        far = np.flatnonzero(distances > float(self.t))
        if self.distance != "matrix" and len(far) > 0:
            occurring = blocks.reference + np.bincount(blocks.values, minlength=len(blocks.reference))
            edges = edges_of(blocks.column, occurring, self.distance)
            lost[far] = np.maximum(lost[far], fewest_until_near(blocks, far, edges, float(self.t), float(share)))
        return np.clip(lost, 0, blocks.sizes).astype(np.int64)

    def fewest_records(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> int:
        """Count how few records may have shares that are near enough, along a hierarchy at each of its levels."""
        if self.distance not in ("equal", "hierarchical") or self.entity is not None:
            return 1
        levels = [reference]
        if self.distance == "hierarchical":
            levels = [np.bincount(nodes, reference, n_nodes) for nodes, n_nodes in levels_of(column)]
        total = max(int(reference.sum()), 1)
        most = [np.minimum(level / total / max(1 - float(share), 1e-9), 1.0) for level in levels]
        return fewest_near(most, float(self.t), total)

    def caps(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> Caps | None:
        """Cap each value by its largest share of the release; what shares are above it is moved over the distance 1."""
        if self.distance != "equal" or self.entity is not None:
            return None
        return Caps(tuple(largest_caps(reference, share)), Fraction(self.t))

    def may_pass(self, blocks: Histogram, shares: ShareRanges) -> NDArray[np.bool_]:
        """Compare with `t` what must be moved over each edge of the tree of distances; of a matrix nothing is said.

        Where a value may vanish from the release, the ordered distance itself may change: nothing is said then either.
        """
        values = np.eye(len(blocks.reference), dtype=np.bool_)
        vanishes = self.distance == "ordered" and bool((shares(values)[0][blocks.reference > 0] <= 0).any())
        if self.distance == "matrix" or vanishes:
            return np.ones(len(blocks.sizes), dtype=np.bool_)
        sides, lengths = edges_of(blocks.column, blocks.reference, self.distance)
        low, high = shares(sides)
        own = blocks.dense() @ sides.T
        above, below = (own - high).clip(min=0), (low - own).clip(min=0)
        work = (above + below) @ [float(length) for length in lengths]
        if self.distance == "equal":
            work = np.maximum(above.sum(axis=1), below.sum(axis=1))
        return work <= float(self.t) + 1e-9

    def measured(self, blocks: Histogram) -> Measured:
        """Return the distance of the block that is farthest from the table."""
        return {"t": farthest(blocks, *self._work(blocks, np.ones(len(blocks.sizes), dtype=np.bool_)))}

    def _work(self, blocks: Histogram, wanted: NDArray[np.bool_]) -> Work:
        if self.distance == "matrix":
            return by_matrix(blocks, read_matrix(str(self.distances)), wanted)
        return _CLOSED_FORMS[self.distance](blocks)
