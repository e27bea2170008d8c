"""The kernels of steps in plain Python: a state looked at class by class, on sets of points."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from random import Random

import numpy as np

from shoal.kernels.single_dimensional.step_classes import LABELS, OPEN, OUT, SIZE, TAKEN, ClassTerms, RecordSets, Steps

Members = tuple[int, ...]
"""The numbers of some points."""


@dataclass(frozen=True)
class Plain:
    """Points, steps and terms, with what follows from them straight from the definitions."""

    points: RecordSets
    steps: Steps
    terms: ClassTerms

    @property
    def n_steps(self) -> int:
        return len(self.steps.needs)

    def sides(self, chosen: Sequence[int], i: int) -> tuple[int, ...]:
        """Return, column by column, how many boundaries of some steps lie before a point."""
        sides = []
        for j, start in enumerate(self.steps.start[:-1].tolist()):
            owners = self.steps.owner[start + 1 : start + 1 + self.points.rows[i, j]].tolist()
            sides.append(sum(owner in chosen for owner in owners))
        return tuple(sides)

    def split(self, members: Sequence[int], chosen: Sequence[int]) -> list[Members]:
        """Part some points by steps."""
        found: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for i in members:
            found[self.sides(chosen, i)].append(i)
        return [tuple(part) for part in found.values()]

    def size(self, members: Members) -> int:
        return int(self.points.counts[list(members), SIZE].sum())

    def passes(self, members: Members) -> bool:
        values = np.bitwise_or.reduce(self.points.words[list(members)], axis=0)
        starts = [0, *self.terms.ends[:-1].tolist()]
        different = [
            sum(int(word).bit_count() for word in values[start:end])
            for start, end in zip(starts, self.terms.ends.tolist(), strict=False)
        ]
        return self.size(members) >= self.terms.k and all(
            one >= least for one, least in zip(different, self.terms.least.tolist(), strict=True)
        )

    def price(self, members: Members) -> int:
        if self.terms.squares:
            return self.size(members) ** 2
        return self.size(members) - int(self.points.counts[list(members), LABELS:].sum(axis=0).max(initial=0))

    def least(self, members: Members) -> int:
        """Return what the records of an atom pay at least."""
        return (
            max(self.price(members), self.terms.k * self.size(members)) if self.terms.squares else self.price(members)
        )

    def cost(self, taken: Sequence[int]) -> tuple[int, int]:
        """Return the number of records that are lost, and what a set of steps costs."""
        classes = self.split(range(len(self.points.keys)), taken)
        lost = sum(self.size(members) for members in classes if not self.passes(members))
        return lost, lost * self.terms.full + sum(self.price(members) for members in classes if self.passes(members))

    def bound(self, members: Members, steps: Sequence[int]) -> int:
        """Return the bound on what a class costs, where only some steps may split it."""
        return sum(map(self.least, self.split(members, steps)))

    def below(self, step: int) -> list[int]:
        """Return a step and all that need it."""
        needs = self.steps.needs.tolist()
        found = [step]
        for other in found:
            found += [child for child, need in enumerate(needs) if need == other]
        return found

    def spanned(self, members: Members, step: int) -> list[Members]:
        """Part those points of a class that a step can split."""
        column = int(np.searchsorted(self.steps.start, np.flatnonzero(self.steps.owner == step)[0], side="right")) - 1
        within = range(self.steps.begin[step], self.steps.end[step])
        return self.split([i for i in members if self.points.rows[i, column] in within], [step])

    def seen(self, members: Members, step: int, taken: Sequence[int]) -> bool:
        """Tell whether a boundary of a step lies in the interval of a class."""
        for place in np.flatnonzero(self.steps.owner == step).tolist():
            column = int(np.searchsorted(self.steps.start, place, side="right")) - 1
            owners = self.steps.owner[self.steps.start[column] + 1 : place].tolist()
            if sum(owner in taken for owner in owners) == self.sides(taken, members[0])[column]:
                return True
        return False

    def useful(self, members: Members, opened: Sequence[int], taken: Sequence[int]) -> list[int]:
        """Return the open steps that a class is split by in its bound."""
        large = self.terms.squares and 2 * self.size(members) > self.terms.n_records
        needs, found = self.steps.needs.tolist(), set()
        for step in opened:
            gains = sum(map(self.passes, self.spanned(members, step))) >= 2
            if gains or (large and self.seen(members, step, taken)):
                while step in opened:
                    found.add(step)
                    step = needs[step]  # noqa: PLW2901
        return sorted(found)

    def closed(self, chosen: Sequence[int]) -> bool:
        """Tell whether all that some steps need is among them."""
        return all(self.steps.needs[step] in (-1, *chosen) for step in chosen)

    def within(self, state: Sequence[int]) -> list[tuple[int, ...]]:
        """Return all sets of steps that a state stands for."""
        taken = [step for step in range(self.n_steps) if state[step] == TAKEN]
        opened = [step for step in range(self.n_steps) if state[step] == OPEN]
        more = chain.from_iterable(combinations(opened, number) for number in range(len(opened) + 1))
        return [chosen for some in more if self.closed(chosen := (*taken, *some))]


def random_plain(seed: int) -> tuple[Plain, np.ndarray]:
    """Return points with steps, some of them nodes of a tree, and a state."""
    rng = Random(seed)  # noqa: S311
    owner: list[int] = []
    needs: list[int] = []
    spans, begin, end, start = [], [], [], [0]
    for _ in range(rng.randint(1, 3)):
        first = len(needs)
        if rng.random() < 0.6:
            n_cuts = rng.randint(0, 3)
            owner += [-1, *range(first, first + n_cuts)]
            needs += [-1] * n_cuts
            spans += [False] * n_cuts
            begin += [0] * n_cuts
            end += [n_cuts + 1] * n_cuts
        else:  # a root over a node of two leaves, a leaf, and a node of three leaves
            owner += [-1, first + 1, first, first, first + 2, first + 2]
            needs += [-1, first, first]
            spans += [True] * 3
            begin += [0, 0, 3]
            end += [6, 2, 6]
        start.append(len(owner))
    n, widths = rng.randint(1, 12), np.diff(start).tolist()
    rows = np.array(sorted({tuple(rng.randrange(width) for width in widths) for _ in range(n)}), dtype=np.int32)
    squares, tests = rng.random() < 0.5, rng.randint(0, 2)
    labels = np.array([[rng.randint(0, 3) for _ in range(2)] for _ in rows])
    labels[:, 0] += labels.sum(axis=1) == 0
    sizes = labels.sum(axis=1)
    counts = np.hstack([sizes[:, None], 0 * sizes[:, None], labels[:, : 0 if squares else 2]]).astype(np.int64)
    words = np.array([[rng.choice([1, 2, 3, 6]) for _ in range(tests)] for _ in rows], dtype=np.uint64)
    points = RecordSets(rows, np.zeros(len(rows), dtype=np.uint64), counts, words.reshape(len(rows), tests))
    total = int(sizes.sum()) + rng.choice([0, 0, 30])  # others were lost before
    terms = ClassTerms(
        total, rng.randint(1, 4), total if squares else 1, squares, np.arange(1, tests + 1), np.full(tests, 2)
    )
    steps = Steps(
        np.array(start),
        np.array(owner, dtype=np.int32),
        np.array(needs, dtype=np.int32),
        np.array(spans, dtype=np.bool_),
        np.array(begin, dtype=np.int64),
        np.array(end, dtype=np.int64),
    )
    state: list[int] = []
    for step in range(len(needs)):
        above = TAKEN if needs[step] < 0 else state[needs[step]]
        state.append(rng.choice([OUT, OPEN, OPEN, TAKEN]) if above == TAKEN else rng.choice([OUT, above]))
    return Plain(points, steps, terms), np.array(state, dtype=np.int8)
