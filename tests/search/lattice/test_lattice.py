"""A node made from any other is the node made from the records."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import ClassVar

import numpy as np
import pytest

from shoal.classes.tally import Tally
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, TCloseness
from shoal.search.lattice import lattice as lattices
from shoal.search.lattice.cells import Cells, Packing
from shoal.search.lattice.lattice import Lattice
from tests.oracles.full_domain import judge
from tests.oracles.plain import Key, Node, PlainTable, Rules
from tests.oracles.problems import PEOPLE, problem_of
from tests.oracles.random_tables import LIMITS, random_case, random_table

NONE = Rules(())


def plain_cells(table: PlainTable, node: Node) -> dict[Key, tuple[int, int, Counter[tuple[str | None, ...]]]]:
    """Return the records, the people and the sensitive tuples of each cell."""
    cells: dict[Key, tuple[int, int, Counter[tuple[str | None, ...]]]] = {}
    for key in {table.key(record, node) for record in [*table.records, *table.people]}:
        members = [record for record in table.records if table.key(record, node) == key]
        people = sum(table.key(person, node) == key for person in table.people)
        shown = Counter(tuple(record[name] for name in table.sensitive) for record in members)
        cells[key] = (len(members), people, shown)
    return cells


def shown_cells(lattice: Lattice, cells: Cells) -> dict[Key, tuple[int, int, Counter[tuple[str | None, ...]]]]:
    """Return the same of packed classes."""
    tally = lattice.problem.tally
    codes = lattice.packing.codes(cells.keys)
    shown = {}
    for row in range(len(cells)):
        levels = zip(tally.quasi, cells.node, codes[row], strict=True)
        key = tuple(column.hierarchy.labels[level][code] for column, level, code in levels)
        entries: Counter[tuple[str | None, ...]] = Counter()
        for place in range(cells.offsets[row], cells.offsets[row + 1]):
            values = zip(tally.sensitive, tally.profile_codes[cells.profiles[place]], strict=True)
            entries[tuple(column.values[code] for column, code in values)] += int(cells.counts[place])
        weights = [*cells.weights[row].tolist(), 0]
        shown[key] = (weights[0], weights[1], entries)
    return shown


@pytest.mark.parametrize("seed", range(12))
def test_rolling_up_equals_grouping_the_records(seed: int) -> None:
    """Whatever the order of the visits, and so whatever the node that another is made from."""
    rng = Random(seed)  # noqa: S311
    table = random_table(rng, missing=seed % 3 == 0, people=seed % 4 < 2, n_records=rng.randint(2, 14))
    if seed % 2 == 1:
        table = replace(table, sensitive=())
    lattice = Lattice(problem_of(table, NONE))
    nodes = list(lattice.all_nodes())
    for node in rng.sample(nodes, min(len(nodes), 12)):
        cells = lattice.cells(node)
        assert cells.node == node
        assert shown_cells(lattice, cells) == plain_cells(table, node)
        assert (cells.counts > 0).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_classes_of_a_node_leave_the_people_of_empty_cells_outside(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    table = random_table(rng, people=True)
    lattice = Lattice(problem_of(table, NONE))
    for node in lattice.all_nodes():
        groups = lattice.packing.grouping(lattice.cells(node))
        plain = plain_cells(table, node)
        assert sorted(groups.sizes) == sorted(size for size, _, _ in plain.values() if size)
        assert groups.outside[PEOPLE] == sum(people for size, people, _ in plain.values() if not size)
        assert groups.populations[PEOPLE].sum() + groups.outside[PEOPLE] == len(table.people)
        assert groups.totals.sum() == len(table.records)


@pytest.mark.parametrize("seed", range(40))
def test_an_evaluation_says_what_brute_force_says(seed: int) -> None:
    table, rules = random_case(5_000 + seed)
    limit = LIMITS[seed % 4]
    problem = problem_of(table, rules, "lm", limit)
    lattice = Lattice(problem)
    plain = {node: judge(table, rules, node) for node in lattice.all_nodes()}
    feasible = {node for node, one in plain.items() if one.feasible(problem.limit)}
    for node, one in plain.items():
        outcome = lattice.evaluate(node)
        assert lattice.evaluate(node) is outcome  # each node is evaluated once
        assert outcome.feasible == (node in feasible)
        if outcome.feasible:
            assert (outcome.suppressed, outcome.n_released) == (one.suppressed, len(one.kept))
        below = [low for low in plain if all(a <= b for a, b in zip(low, node, strict=True))]
        assert outcome.surely <= min(plain[low].suppressed for low in below)
        if outcome.hopeless:
            assert not feasible & set(below)
        if lattice.inherits and node not in feasible:
            assert not feasible & set(below)


def test_a_node_is_hopeless_where_no_node_below_is_allowed_and_only_there() -> None:
    """Of promises that absorb any class a failure at a node is a failure below, and nothing else is known."""
    n_hopeless = n_saved = 0
    for seed in range(60):
        rng = Random(seed)  # noqa: S311
        table = random_table(rng, n_records=8, n_columns=2)
        models = (KAnonymity(k=rng.randint(2, 4)), DistinctLDiversity(l=rng.randint(1, 2), column="illness"))
        limit = Fraction(seed % 4, len(table.records))
        lattice = Lattice(problem_of(table, Rules(models), "lm", limit))
        plain = {node: judge(table, Rules(models), node) for node in lattice.all_nodes()}
        for node, one in plain.items():
            feasible = one.suppressed <= seed % 4 and bool(one.kept)
            outcome = lattice.evaluate(node)
            assert outcome.hopeless == (one.suppressed > seed % 4)
            assert outcome.surely == one.suppressed
            assert feasible <= (not outcome.hopeless)
            n_hopeless += outcome.hopeless
            n_saved += feasible and one.suppressed > 0
    assert n_hopeless > 40
    assert n_saved > 20


def test_a_node_is_hopeless_without_suppression_where_joining_never_harms() -> None:
    """Frequencies in a joined class are no higher than the highest, unless missing values let classes overlap."""
    model = FrequencyLDiversity(l=Fraction(2), column="illness")
    n_hopeless = n_spared = 0
    for seed in range(60):
        table = random_table(Random(seed), missing=True, n_records=6, n_columns=2)  # noqa: S311
        for wildcard in (False, True):
            rules = Rules((model,), wildcard=wildcard)
            lattice = Lattice(problem_of(table, rules))
            plain = {node: judge(table, rules, node) for node in lattice.all_nodes()}
            for node, one in plain.items():
                below = [low for low in plain if all(a <= b for a, b in zip(low, node, strict=True))]
                outcome = lattice.evaluate(node)
                assert not (outcome.hopeless and any(plain[low].feasible(0) for low in below))
                assert wildcard or outcome.hopeless == (one.suppressed > 0)
                n_hopeless += outcome.hopeless
                n_spared += one.suppressed > 0 and not outcome.hopeless
    assert n_hopeless > 100
    assert n_spared > 0


def test_a_share_of_less_than_a_record_allows_nothing() -> None:
    """A promise on the released records that a node breaks is broken below it, as no record may be left out."""
    rules = Rules((TCloseness(t=Fraction("0.4"), column="illness", distance="ordered"),))
    suppressed = []
    for seed in range(40):
        table = random_table(Random(seed), n_records=6, n_columns=2)  # noqa: S311
        lattice = Lattice(problem_of(table, rules, "lm", Fraction(1, len(table.records) + 1)))
        for node in lattice.all_nodes():
            suppressed.append(judge(table, rules, node).suppressed)
            assert lattice.evaluate(node).hopeless == (suppressed[-1] > 0)
    assert {0, 1, 2} <= set(suppressed)


def test_what_is_inherited() -> None:
    table, _ = random_case(1)
    absorbing, monotone = KAnonymity(k=2), FrequencyLDiversity(l=Fraction(2), column="illness")
    known = {True: [], False: []}  # type: ignore[var-annotated]
    for models in ((absorbing,), (monotone,), (absorbing, TCloseness(t=Fraction("0.5"), column="illness"))):
        for stars in (False, True):
            for wildcard in (False, True):
                for limit in LIMITS[::3]:
                    lattice = Lattice(problem_of(table, Rules(models, stars, wildcard), "lm", limit))
                    known[lattice.inherits].append((len(models), models[0] is absorbing, stars, wildcard, int(limit)))
    assert (1, True, False, True, 1) in known[True]  # absorbing, suppressed records left out
    assert (1, True, True, False, 1) in known[False]  # the class of stars may grow too small
    assert (1, False, False, False, 0) in known[True]  # nothing suppressed
    assert (1, False, False, True, 0) in known[False]  # the records that match a class overlap
    assert (1, False, False, False, 1) in known[False]
    assert (2, True, False, False, 1) in known[False]


@dataclass(frozen=True, slots=True)
class Fickle(KAnonymity):
    """A promise that a joined class may break."""

    monotone: ClassVar[bool] = False
    absorbing: ClassVar[bool] = False


def test_one_promise_that_is_not_inherited_is_enough() -> None:
    table, _ = random_case(1)
    assert Lattice(problem_of(table, NONE)).inherits
    assert Lattice(problem_of(table, Rules((KAnonymity(k=2), KAnonymity(k=3))))).inherits
    for models in ((Fickle(k=2), KAnonymity(k=2)), (KAnonymity(k=2), Fickle(k=2))):
        for wildcard in (False, True):
            for limit in LIMITS:
                assert not Lattice(problem_of(table, Rules(models, wildcard=wildcard), "lm", limit)).inherits


@pytest.mark.parametrize("wildcard", [False, True])
def test_stars_are_inherited_only_if_no_record_may_be_starred(wildcard: bool) -> None:
    table, _ = random_case(1)
    rules = Rules((KAnonymity(k=2),), stars=True, wildcard=wildcard)
    for number in range(3):
        limit = Fraction(number, len(table.records))
        assert Lattice(problem_of(table, rules, "lm", limit)).inherits == (number == 0)


def test_the_steps_may_be_fewer_than_the_levels() -> None:
    table, rules = random_case(3)
    lattice = Lattice(problem_of(table, rules), [(0, table.height(column)) for column in table.quasi])
    assert lattice.n_nodes == len(list(lattice.all_nodes())) == 2 ** len(table.quasi)
    assert list(lattice.below(lattice.bottom)) == []
    assert set(lattice.below(lattice.top)) <= set(lattice.all_nodes())


def test_a_solution_has_the_points_of_a_population_in_no_class() -> None:
    table = random_table(Random(8), people=True)  # noqa: S311
    problem = problem_of(table, NONE)
    lattice = Lattice(problem)
    solution = lattice.solution(lattice.bottom, guarantee="none")
    empty = ~np.isin(problem.tally.codes, problem.tally.codes[problem.tally.counts > 0]).all(axis=1)
    assert (solution.parts.classes[empty] == -1).all()
    assert solution.suppressed == 0


def test_the_bound_of_a_release_is_its_loss_only_if_it_is_optimal() -> None:
    lattice = Lattice(problem_of(*random_case(3)))
    for bound in (None, 0.25):
        solution = lattice.solution(lattice.top, guarantee="none", bound=bound)
        assert (solution.guarantee, solution.bound) == ("none", bound)
    solution = lattice.solution(lattice.top, guarantee="optimal")
    assert (solution.guarantee, solution.bound) == ("optimal", solution.loss.total)
    assert solution.loss.total > 1
    other = problem_of(*random_case(3), "entropy")
    priced = lattice.solution(lattice.top, guarantee="none", measure=other.measure).loss.total
    assert priced == Lattice(other).solution(lattice.top, guarantee="none").loss.total != solution.loss.total


def test_a_lattice_of_up_to_five_million_nodes_is_listed() -> None:
    table = PlainTable([{"q": "a", "r": "a"}], {name: {"a": ("a", "*")} for name in "qr"})
    problem = problem_of(table, NONE)
    Lattice(problem, [range(5_000), range(1_000)]).check_size()
    too_large = Lattice(problem, [range(5_001), range(1_000)])
    for asked in (too_large.check_size, too_large.all_nodes):
        with pytest.raises(SpecError, match=r"has 5e\+06 generalizations, too many .* \(at most 5,000,000\)"):
            asked()


class Watched(Packing):
    """Notes which classes are made from which."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self.made: list[tuple[Node, Node]] = []

    def coarser(self, cells: Cells, node: Node) -> Cells:
        self.made.append((cells.node, node))
        return super().coarser(cells, node)


def watched(table: PlainTable, monkeypatch: pytest.MonkeyPatch) -> tuple[Lattice, list[tuple[Node, Node]]]:
    monkeypatch.setattr(lattices, "Packing", Watched)
    lattice = Lattice(problem_of(table, NONE))
    assert isinstance(lattice.packing, Watched)
    return lattice, lattice.packing.made


def halves() -> PlainTable:
    """Return a table: the levels of `q` join 8 values to 4, 2 and 1, those of `r` join nothing."""
    rows = {f"{i}": (f"{i}", f"{i // 2} of 4", f"{i // 4} of 2", "*") for i in range(8)}
    return PlainTable([{"q": value, "r": "a"} for value in rows], {"q": rows, "r": {"a": ("a", "A", "*")}})


def test_each_point_is_in_the_class_of_its_cell_if_that_is_released() -> None:
    table = PlainTable([{"q": value, "r": "a"} for value in "00122456"], halves().hierarchies)
    lattice = Lattice(problem_of(table, Rules((KAnonymity(k=2),)), "lm", Fraction(1, 2)))
    for node, classes, suppressed in (((0, 0), [0, -1, 1, -1, -1, -1], 4), ((1, 0), [0, 0, 1, 2, 2, -1], 1)):
        solution = lattice.solution(node, guarantee="none")
        assert solution.parts.classes.tolist() == classes
        assert solution.suppressed == suppressed


def test_a_lattice_knows_its_ends_its_time_and_what_it_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr(lattices, "clock", lambda: now[0])
    problem = problem_of(halves(), NONE)
    limited, free = Lattice(replace(problem, time_limit=5.0)), Lattice(problem)
    assert (free.bottom, free.top, free.n_nodes, free.nodes_checked) == ((0, 0), (3, 2), 12, 0)
    assert [list(free.below(node)) for node in ((2, 1), (0, 2), (0, 0))] == [[(1, 1), (2, 0)], [(0, 1)], []]
    free.evaluate((1, 1))
    assert free.nodes_checked == 1
    for now[0], over in ((10.0, False), (15.0, False), (15.5, True)):
        assert (limited.out_of_time, free.out_of_time) == (over, False)
        free.keep_time("it was done")
        if over:
            with pytest.raises(InfeasibleError, match=r"The time limit of 5\.0 s has passed before it was done"):
                limited.keep_time("it was done")
        else:
            limited.keep_time("it was done")


def test_a_node_is_made_from_the_fewest_classes_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice, made = watched(halves(), monkeypatch)
    for node in ((0, 0), (0, 1), (2, 0), (1, 0), (2, 1), (3, 0), (3, 2), (1, 2), (2, 0), (3, 2)):
        assert lattice.cells(node).node == node
    assert made == [
        ((0, 0), (0, 1)),
        ((0, 0), (2, 0)),
        ((0, 0), (1, 0)),
        ((2, 0), (2, 1)),
        ((2, 0), (3, 0)),
        ((3, 0), (3, 2)),
        ((1, 0), (1, 2)),
        ((3, 0), (3, 2)),  # it has no fewer classes than (3, 0), and was not kept
    ]


def test_no_more_classes_are_kept_than_fit_and_none_that_are_no_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Lattice(problem_of(halves(), NONE))
    sizes = {}
    for levels in ((0, 1), (1, 0)):
        cells = plain.cells(levels)
        sizes[levels] = cells.keys.nbytes + cells.weights.nbytes + cells.counts.nbytes + cells.profiles.nbytes
    four = sizes[1, 0]
    cases: list[tuple[int, list[Node], list[Node]]] = [
        (four - 1, [(1, 0), (2, 0), (2, 0)], [(0, 0), (0, 0)]),  # the second alone is kept
        (four, [(1, 0), (2, 0), (2, 0)], [(0, 0), (1, 0), (1, 0)]),  # the first alone
        (2 * four, [(1, 0), (2, 0), (2, 0)], [(0, 0), (1, 0)]),  # both
        (sizes[0, 1], [(0, 1), (1, 0), (2, 0)], [(0, 0), (0, 0), (1, 0)]),  # (0, 1) joins nothing
    ]
    for limit, nodes, sources in cases:
        monkeypatch.setattr(lattices, "_CACHED_CELLS", limit)
        lattice, made = watched(halves(), monkeypatch)
        for node in nodes:
            lattice.cells(node)
        assert [low for low, _ in made] == sources
