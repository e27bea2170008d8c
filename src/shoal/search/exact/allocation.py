"""Allocation: which records go to which closed pattern, as a mixed-integer program."""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.models.k_anonymity import KAnonymity
from shoal.models.linear import Linear
from shoal.models.model import PrivacyModel, SensitiveModel
from shoal.search.exact.closed import Closed
from shoal.search.exact.kinds import Kinds
from shoal.search.problem import Problem
from shoal.search.solver import MatrixEntries, Program

_FEW = 5  # with up to so many profiles the rules are sharpened
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class PromiseRows:
    """All promises beyond the number of records, as linear rows over one class; each row must be at most 0.

    Args:
        profiles: `profiles[row, profile]`, the coefficient of the number of records of each profile.
        opened: The coefficient of the variable that is 1 if the class has records.
        amounts: `amounts[row, amount]`, the coefficients of auxiliary variables, which are at least 0.
        either: Which auxiliary variables are 0 or 1.
        flows: Whether the numbers of records are integral by themselves once the 0-1 variables are fixed. Then the rest
            is a network flow: from a kind to a value in a pattern, and to the pattern.
    """

    profiles: NDArray[np.float64]
    opened: NDArray[np.float64]
    amounts: NDArray[np.float64]
    either: NDArray[np.bool_]
    flows: bool

    @classmethod
    def of(cls, problem: Problem, kinds: Kinds, name: str) -> "PromiseRows":
        """Return the rows of all promises; raise a SpecError that names a promise without linear rows."""
        found = [_linear(problem, model, name) for model in problem.models if not isinstance(model, KAnonymity)]
        tally = problem.tally
        names = [column.name for column in tally.sensitive]
        _, example = np.unique(kinds.profiles, return_index=True)
        shown = tally.profile_codes[tally.profiles[kinds.points[example]]]
        n_rows, n_amounts = (sum(one.amounts.shape[axis] for _, one in found) for axis in (0, 1))
        amounts = np.zeros((n_rows, n_amounts))
        row = amount = 0
        for _, one in found:
            amounts[row : row + one.amounts.shape[0], amount : amount + one.amounts.shape[1]] = one.amounts
            row, amount = row + one.amounts.shape[0], amount + one.amounts.shape[1]
        blocks = [one.values[:, shown[:, names.index(column)]] for column, one in found]
        return cls(
            profiles=np.concatenate([np.zeros((0, kinds.n_profiles)), *blocks]),
            opened=np.concatenate([np.zeros(0), *(one.opened for _, one in found)]),
            amounts=amounts,
            either=np.repeat([one.either for _, one in found], [one.amounts.shape[1] for _, one in found]).astype(bool),
            flows=all(one.either or len(one.opened) == 0 for _, one in found)
            and len({column for column, one in found if len(one.opened)}) <= 1,
        )

    def sharpened(self, k: int) -> "PromiseRows":
        """Return the rules with further rows that follow from them for whole numbers in classes of at least k records.

        If a class has at least a certain share of records of some profiles, it has at least that share of k, rounded
        up. The least share is found by a small linear program for each set of profiles, if there are few.
        """
        n_profiles = self.profiles.shape[1]
        if self.flows or n_profiles > _FEW:
            return self
        least: dict[int, int] = {}
        rows, numbers = [], []
        for bits in range(1, (1 << n_profiles) - 1):
            inside = (bits >> np.arange(n_profiles)) & 1 == 1
            number = ceil(self._least_share(inside) * k - _ROUNDING)
            implied = max((least[part] + least[bits ^ part] for part in range(1, bits) if part & ~bits == 0), default=0)
            least[bits] = max(number, implied)
            if number > implied:
                rows.append(-inside.astype(np.float64))
                numbers.append(float(number))
        return replace(
            self,
            profiles=np.vstack([self.profiles, *rows]),
            opened=np.append(self.opened, numbers),
            amounts=np.vstack([self.amounts, np.zeros((len(rows), self.amounts.shape[1]))]),
        )

    def _least_share(self, inside: NDArray[np.bool_]) -> float:
        """Return the least share of records of some profiles in a class, or 0 if it is not found."""
        homogeneous = self.opened >= 0  # dropping a coefficient that is not negative only relaxes the row
        table = np.hstack([self.profiles, self.amounts])[homogeneous]
        n_rows, n_profiles, n_amounts = len(table), self.profiles.shape[1], self.amounts.shape[1]
        program = Program()
        program.add_rows(np.append(np.full(n_rows, -np.inf), 1.0), np.append(np.zeros(n_rows), 1.0))
        table = np.vstack([table, np.append(np.ones(n_profiles), np.zeros(n_amounts))]).T
        rows = np.tile(np.arange(n_rows + 1), (len(table), 1))
        costs = np.append(inside.astype(np.float64), np.zeros(n_amounts))
        program.add_columns(costs, np.zeros(len(costs)), np.full(len(costs), np.inf), _entries(rows, table))
        found = program.solve()
        return found.objective if found.status == "optimal" else 0.0

    @property
    def by_size(self) -> bool:
        """Whether only the number of records matters."""
        return len(self.opened) == 0


def _linear(problem: Problem, model: PrivacyModel, name: str) -> tuple[str, Linear]:
    """Return the column that a promise is about, and its rows."""
    tally = problem.tally
    names = [column.name for column in tally.sensitive]
    more = ""
    if isinstance(model, SensitiveModel):
        number = names.index(model.column)
        column, values = tally.sensitive[number], tally.profile_codes[tally.profiles, number]
        reference = np.bincount(values, weights=tally.counts, minlength=len(column.values)).astype(np.int64)
        alone = model.others == "ignored" or len(names) == 1
        found = model.linear(column, reference) if alone else None
        if found is not None:
            return model.column, found
        more = "" if alone else ", with the other sensitive columns known,"
    raise SpecError(
        f"The promise '{model.name}'{more} is not linear in the numbers of records, and the algorithm '{name}' takes "
        f"such a one only for few records (up to about 18); the table has {tally.n_records:,}. Use 'tightest', which "
        "finds a good release with a proven bound, or a promise such as 'frequency-l-diversity'."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """The program: each record goes to one pattern or is suppressed, and each pattern with records is a class.

    For a pattern p and a kind t in it, x(p, t) records of t go to p, and z(p) is 1 if p has any. Minimize the sum of
    price(p) x(p, t), where: all records of a kind are assigned; x(p, t) <= z(p) times the records of t; the sum of x(p,
    t) over t is at least k z(p); and the rows of the other promises hold in each pattern. One class for each pattern
    suffices, since classes with the same closure may be joined: the promises are monotone.

    Args:
        kinds: The kinds of records.
        closed: The patterns.
        rules: The promises beyond the number of records.
        k: The least number of records of a class.
        limit: How many records may be suppressed.
        full: What suppressing a record costs.
        step: The least difference of two different losses; 0 if it is not known.
        most_nodes: How many nodes of its search tree the solver may visit; no limit if None.
    """

    kinds: Kinds
    closed: Closed
    rules: PromiseRows
    k: int
    limit: int
    full: float
    step: float = 0.0
    most_nodes: int | None = None

    @property
    def n_members(self) -> int:
        """The number of pairs of a pattern and a kind in it."""
        return len(self.closed.members)

    def program(self) -> Program:
        """Return the linear relaxation.

        Its columns are the x, the z, the auxiliary variables, and the suppressed records of each kind.
        """
        closed, rules, counts = self.closed, self.rules, self.kinds.counts.astype(np.float64)
        n, n_patterns, n_kinds = self.n_members, len(closed), len(self.kinds)
        n_rules = n_patterns * len(rules.opened)
        program = Program(self.step, most_nodes=self.most_nodes)
        nothing = np.full(n + n_rules, -np.inf)
        program.add_rows(
            np.concatenate([counts, np.zeros(n_patterns), nothing, [-np.inf]]),
            np.concatenate([counts, np.full(n_patterns, np.inf), np.zeros(n + n_rules), [self.limit]]),
        )
        program.add_columns(
            np.repeat(closed.prices, np.diff(closed.begins)), np.zeros(n), counts[closed.members], self._records()
        )
        program.add_columns(np.zeros(n_patterns), np.zeros(n_patterns), np.ones(n_patterns), self._opened())
        if rules.amounts.shape[1] > 0:
            n_amounts = n_patterns * rules.amounts.shape[1]
            most = np.tile(np.where(rules.either, 1.0, np.inf), n_patterns)
            program.add_columns(np.zeros(n_amounts), np.zeros(n_amounts), most, self._amounts())
        if self.limit > 0:
            ends = np.full(n_kinds, n_kinds + n_patterns + n + n_rules)
            entries = np.column_stack([np.arange(n_kinds), ends]).reshape(-1)
            program.add_columns(
                np.full(n_kinds, self.full), np.zeros(n_kinds), counts, MatrixEntries(2 * np.arange(n_kinds), entries)
            )
        return program

    def whole(self) -> NDArray[np.int64]:
        """Return the columns that must be whole numbers."""
        n, n_patterns, either = self.n_members, len(self.closed), self.rules.either
        amounts = np.flatnonzero(np.tile(either, n_patterns)) + n + n_patterns
        columns = [np.arange(n, n + n_patterns), amounts]
        if not self.rules.flows:
            columns.append(np.arange(n))
            if self.limit > 0:
                last = n + n_patterns * (1 + len(either))
                columns.append(np.arange(last, last + len(self.kinds)))
        return np.concatenate(columns)

    def _records(self) -> MatrixEntries:
        """Return the entries of each x: in the rows of its kind, its pattern's size, its link, its pattern's rules."""
        closed, rules, n = self.closed, self.rules, self.n_members
        owners, n_kinds, n_patterns, n_rules = closed.owners, len(self.kinds), len(closed), len(rules.opened)
        first = [closed.members, n_kinds + owners, n_kinds + n_patterns + np.arange(n)]
        start = n_kinds + n_patterns + n
        rows = np.column_stack([*first, *(start + owners * n_rules + row for row in range(n_rules))])
        values = np.ones((n, 3 + n_rules))
        values[:, 3:] = rules.profiles.T[self.kinds.profiles[closed.members]]
        return _entries(rows, values)

    def _opened(self) -> MatrixEntries:
        """Return the entries of each z: in the rows of the size, the links and the rules of the pattern."""
        closed, rules, n = self.closed, self.rules, self.n_members
        n_kinds, n_patterns, n_rules = len(self.kinds), len(closed), len(rules.opened)
        every = np.arange(n_patterns)
        columns = np.concatenate([every, closed.owners, np.repeat(every, n_rules)])
        rows = np.concatenate([n_kinds + every, n_kinds + n_patterns + np.arange(n + n_patterns * n_rules)])
        counts = self.kinds.counts[closed.members]
        values = np.concatenate([np.full(n_patterns, -float(self.k)), -counts, np.tile(rules.opened, n_patterns)])
        order = np.argsort(columns, kind="stable")
        some = order[values[order] != 0]
        starts = np.searchsorted(columns[some], every)
        return MatrixEntries(starts, rows[some], values[some])

    def _amounts(self) -> MatrixEntries:
        """Return the entries of the auxiliary variables: in the rows of the rules of the pattern."""
        rules, n_patterns = self.rules, len(self.closed)
        n_rules, n_amounts = rules.amounts.shape
        start = len(self.kinds) + n_patterns + self.n_members
        own = start + np.arange(n_rules)[None, :] + n_rules * np.repeat(np.arange(n_patterns), n_amounts)[:, None]
        return _entries(own, np.tile(rules.amounts.T, (n_patterns, 1)))

    def values_of(
        self, kinds: NDArray[np.int64], classes: NDArray[np.int64], amounts: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the values of the columns in a partition, and these columns; not of continuous variables.

        Each class goes to the cheapest pattern that contains all of its kinds; there must be one.

        Args:
            kinds: The kind of each entry.
            classes: Its class, or -1 if its records are suppressed.
            amounts: Its number of records.
        """
        closed, n, either = self.closed, self.n_members, self.rules.either
        order = np.argsort(closed.members, kind="stable")
        firsts = np.searchsorted(closed.members[order], np.arange(len(self.kinds) + 1))
        x, opened, owners = np.zeros(n), np.zeros(len(closed)), closed.owners
        by_class = np.argsort(classes, kind="stable")
        ends = np.searchsorted(classes[by_class], np.arange(int(classes.max(initial=-1)) + 2))
        for begin, end in pairwise(ends.tolist()):
            own = by_class[begin:end]
            held = np.concatenate([order[firsts[kind] : firsts[kind + 1]] for kind in kinds[own]])
            patterns, sizes = np.unique(owners[held], return_counts=True)
            patterns = patterns[sizes == len(own)]
            pattern = patterns[np.argmin(closed.prices[patterns])]
            first = closed.begins[pattern]
            x[first + np.searchsorted(closed.members[first : closed.begins[pattern + 1]], kinds[own])] += amounts[own]
            opened[pattern] = 1.0
        gone = classes < 0
        lost = np.bincount(kinds[gone], weights=amounts[gone], minlength=len(self.kinds)).astype(np.float64)
        last = n + len(closed) * (1 + len(either))
        values = [x, opened, self._shown(x).reshape(-1), lost[: len(lost) if self.limit > 0 else 0]]
        shown = n + len(closed) + np.flatnonzero(np.tile(either, len(closed)))
        columns = [np.arange(n + len(closed)), shown, last + np.arange(len(values[-1]))]
        return np.concatenate(values), np.concatenate(columns)

    def _shown(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of the 0-1 variables: whether the pattern has a record that the variable's row is about."""
        rules, closed = self.rules, self.closed
        either = np.flatnonzero(rules.either)
        shown = np.zeros((len(closed), len(either)))
        for number, amount in enumerate(either):
            # a 0-1 variable is in the row that has the records it is about with the opposite sign; no record has a
            # value that only the hierarchy of its column knows
            rows = np.flatnonzero((rules.amounts[:, amount] > 0) & (rules.profiles < 0).any(axis=1))
            if len(rows) == 0:
                continue
            row = rows[0]
            inside = rules.profiles[row][self.kinds.profiles[closed.members]] < 0
            shown[:, number] = np.bincount(closed.owners[inside], weights=x[inside], minlength=len(closed)) > 0
        return shown


def _entries(rows: NDArray[np.int64], values: NDArray[np.float64]) -> MatrixEntries:
    """Return the entries of columns, given as rows of two tables, without the zeros."""
    some = values != 0
    lengths = some.sum(axis=1)
    return MatrixEntries(np.cumsum(lengths) - lengths, rows[some], values[some])
