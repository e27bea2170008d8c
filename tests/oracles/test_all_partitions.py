"""The brute force over partitions, against cases worked by hand and against itself."""

from fractions import Fraction
from math import log2
from random import Random

import pytest

from shoal.measures import MEASURES
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, TCloseness
from tests.oracles.all_partitions import Partitions, partitions
from tests.oracles.checks import close
from tests.oracles.full_domain import FullDomain
from tests.oracles.hardness.hard_instances import (
    FANO,
    FIGURE_2,
    NO_TRIANGLES,
    blocks,
    copies,
    distances,
    edge_disjoint_triangles,
    table_of,
    triangles_optimum,
    triangles_table,
    waves,
)
from tests.oracles.local.losses import CLASSES, SUBSETS, Pricing
from tests.oracles.local.random_jobs import Case, random_request
from tests.oracles.local.tables import Cell, LocalTable, full_hierarchy
from tests.oracles.losses import CELLS
from tests.oracles.papers import FIGURE_1, figure_1
from tests.oracles.plain import Rules

TREE = {
    "a": ("a", "ab", "abc", "*"),
    "b": ("b", "ab", "abc", "*"),
    "c": ("c", "c", "abc", "*"),
    "d": ("d", "d", "d", "*"),
}
"""An unbalanced tree: c joins a and b, and d joins these."""


def column(letters: str, form: str = "tree") -> LocalTable:
    """Return a table of one column; a space is a missing value."""
    rows = TREE if form == "tree" else {letter: (letter, "*") for letter in "abcd"}
    if form == "numbers":
        rows = {number: (number, "*") for number in ("0", "1", "4", "10")}
    records = [{"q": None if letter == " " else letter} for letter in letters]
    return LocalTable(records, {"q": rows}, forms={"q": form})  # type: ignore[dict-item]


def shown(table: LocalTable, values: str, measure: str = "lm") -> tuple[str, int]:
    letters = [None if letter == " " else letter for letter in values]
    cell = Pricing(table, measure).cell("q", letters)
    return "".join(sorted(str(leaf or " ") for leaf in cell.leaves)), cell.level


def k_anonymity(k: int) -> Rules:
    return Rules((KAnonymity(k=k),))


def test_the_brute_force_prices_by_every_measure() -> None:
    assert {*CELLS, *CLASSES} == set(MEASURES.names)
    assert set(SUBSETS) < set(CELLS)


def test_closures() -> None:
    tree = column("abcd ")
    assert [shown(tree, values) for values in ("aa", "ab", "ac", "cc", "bd", "a ")] == [
        ("a", 0),
        ("ab", 1),
        ("abc", 2),
        ("c", 0),
        (" abcd", 3),
        (" abcd", 3),
    ]
    assert [shown(column("abcd ", "ranges"), values) for values in ("bb", "ac", "da", " ", "b ")] == [
        ("b", 0),
        ("abc", 1),
        ("abcd", 1),
        (" ", 0),
        (" abcd", 1),
    ]
    assert [shown(column("abcd ", "sets"), values) for values in ("bb", "ac", "dac", "  ", "b ")] == [
        ("b", 0),
        ("ac", 1),
        ("acd", 1),
        (" ", 0),
        (" abcd", 1),
    ]


def test_prices_by_hand() -> None:
    def price(form: str, letters: str, measure: str, value: str, members: str) -> float:
        pricing = Pricing(column(letters, form), measure)
        return pricing.price("q", value, pricing.table.choices("q", members)[0])

    assert price("tree", "abcd", "lm", "a", "ac") == pytest.approx(2 / 3)
    assert price("tree", "abcd", "tree", "a", "ac") == pytest.approx(2 / 3)
    assert price("tree", "abcd", "stars", "a", "ac") == 0
    assert price("tree", "abcd", "stars", "a", "ad") == 1
    assert price("ranges", "abcd", "stars", "a", "ab") == 1
    assert price("ranges", "abcd", "lm", "a", "ac") == pytest.approx(2 / 3)
    assert price("ranges", "abcd", "ncp", "a", "ac") == pytest.approx(3 / 4)
    assert price("sets", "abcd", "ncp", "a", "ac") == pytest.approx(2 / 4)
    assert price("sets", "aaab", "entropy", "a", "ab") == pytest.approx(2 - 0.75 * log2(3))
    assert price("ranges", "aaabdddd", "monotone-entropy", "a", "ab") == pytest.approx((2 - 0.75 * log2(3)) / 2)
    assert price("sets", "aaabdddd", "nonuniform-entropy", "b", "ab") == 2
    assert price("sets", "abcd", "tree", "a", "ab") == 1


def test_a_range_of_numbers_pays_its_width() -> None:
    table = LocalTable([{"q": value} for value in ("0", "1", "4", "10")], column("", "numbers").hierarchies)
    table = LocalTable(table.records, table.hierarchies, forms={"q": "numbers"})
    for measure in ("lm", "ncp"):
        assert Pricing(table, measure).price("q", "1", table.choices("q", ["4", "1"])[0]) == pytest.approx(0.3)
        assert Partitions(table, k_anonymity(2)).optimum(measure) == pytest.approx(2 * 0.1 + 2 * 0.6)


def test_entropy_may_prefer_a_coarser_node() -> None:
    """Where a small node is evenly spread and one value dominates the table, the root costs less (003 Example 4.7)."""
    table = column("ab" + "d" * 14)
    cell = Pricing(table, "entropy").cell("q", ["a", "b"])
    assert cell == Cell(frozenset("abcd"), 3, star=True)
    assert Pricing(table, "monotone-entropy").cell("q", ["a", "b"]).level == 1


def test_texts_are_read() -> None:
    assert column("abcd").read("q", "c") == Cell(frozenset("c"), 0)
    assert column("abcd").read("q", "abc") == Cell(frozenset("abc"), 2)
    assert column("abcd ").read("q", None) == Cell(frozenset([None]), 0)
    assert column("abcd", "ranges").read("q", "b - d") == Cell(frozenset("bcd"), 1)
    assert column("abcd", "sets").read("q", "{a, d}") == Cell(frozenset("ad"), 1)
    assert column("abcd", "sets").read("q", "*") == Cell(frozenset("abcd"), 1, star=True)
    with pytest.raises(AssertionError, match="0 meanings"):
        column("abcd").read("q", "e")


def test_optima_by_hand() -> None:
    assert Partitions(column("aabbcd"), k_anonymity(2)).optimum("lm") == pytest.approx(2.0)
    assert Partitions(column("aabbcd"), k_anonymity(2)).optimum("lm", Fraction(1, 6)) == pytest.approx(2.0)
    assert Partitions(column("aabbccd"), k_anonymity(2)).optimum("lm") == pytest.approx(3.0)
    assert Partitions(column("aabbccd"), k_anonymity(2)).optimum("lm", Fraction(1, 7)) == pytest.approx(1.0)
    assert Partitions(column("aabbccd"), k_anonymity(8)).optimum("lm", Fraction(1)) is None
    assert Partitions(column("aabb"), k_anonymity(2)).optimum("discernibility") == 8
    assert Partitions(column("aaaa"), k_anonymity(2)).optimum("discernibility") == 16
    assert Partitions(column("aaaabb"), k_anonymity(2)).optimum("distribution") == 4


def ill(letters: str, illnesses: str) -> LocalTable:
    records = [{"q": letter, "illness": illness} for letter, illness in zip(letters, illnesses, strict=True)]
    return LocalTable(records, {"q": TREE}, ("illness",))


def test_optima_under_promises_on_a_sensitive_column_by_hand() -> None:
    table = ill("aabb", "xxyy")
    two = (DistinctLDiversity(l=2, column="illness"), FrequencyLDiversity(l=Fraction(2), column="illness"))
    for model in (*two, TCloseness(t=Fraction(0), column="illness")):
        assert Partitions(table, Rules((model,))).optimum("stars") == 0
        assert Partitions(table, Rules((model,))).optimum("tree") == pytest.approx(4 / 3)
        assert Partitions(ill("aabb", "xyxy"), Rules((model,))).optimum("tree") == 0
    # one x too many: suppressing it leaves halves, as dropped records and not as stars
    frequent, limit = Rules((two[1],)), Fraction(1, 3)
    assert Partitions(ill("aab", "xxy"), frequent).optimum("stars", limit) == 1
    assert Partitions(ill("aab", "xxy"), Rules((two[1],), stars=True)).optimum("stars", limit) is None
    close_to_all = Rules((TCloseness(t=Fraction(0), column="illness"),))
    assert Partitions(ill("aab", "xxy"), close_to_all).optimum("stars", limit) == 0
    assert Partitions(ill("aab", "xxy"), close_to_all).optimum("tree", limit) == pytest.approx(3 * 1 / 3)


def test_a_missing_value_may_match_any() -> None:
    strict, lax = (Rules((KAnonymity(k=2),), wildcard=wildcard) for wildcard in (False, True))
    assert Partitions(column("ab "), strict).optimum("stars") == 3
    assert Partitions(column("ab "), lax).optimum("stars") == 0


def test_the_number_of_partitions() -> None:
    assert [sum(1 for _ in partitions(tuple(range(n)))) for n in range(7)] == [1, 1, 2, 5, 15, 52, 203]


@pytest.mark.parametrize("seed", range(60))
def test_class_by_class_is_the_same_as_release_by_release(seed: int) -> None:
    case = random_request(seed, measure=sorted(CELLS)[seed % len(CELLS)])
    table = case.table.with_records(case.table.records[:5])
    space = Partitions(table, Rules(case.rules.models, case.rules.stars, case.rules.wildcard))
    found, expected = space.optimum(case.measure, case.limit), space.least(Pricing(table, case.measure), case.limit)
    assert (found is None) == (expected is None)
    assert found is None or expected is None or close(found, expected)


def test_local_recoding_loses_no_more_than_full_domain() -> None:
    table = LocalTable(FIGURE_1.records, FIGURE_1.hierarchies, FIGURE_1.sensitive)
    for measure in ("lm", "tree", "monotone-entropy"):
        local = Partitions(table, k_anonymity(3)).optimum(measure)
        alike = figure_1().optimum(measure, Fraction(0))
        assert local is not None
        assert alike is not None
        assert local < alike


@pytest.mark.parametrize("seed", range(20))
def test_one_class_of_all_is_worst(seed: int) -> None:
    case = random_request(seed)
    table = LocalTable(case.table.records, case.table.hierarchies, weights=case.table.weights, forms=case.table.forms)
    n = len(table.records)
    whole = Pricing(table, "ncp").shown(table.records)
    assert Partitions(table, k_anonymity(n)).optimum("ncp") == pytest.approx(Pricing(table, "ncp").paid(whole))
    assert Partitions(table, k_anonymity(1)).optimum("ncp") == 0
    assert Partitions(table, k_anonymity(n + 1)).optimum("ncp", Fraction(1)) is None


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_two_families_have_equal_graphs_and_optima_that_differ_by_a_quarter_of_k(k: int) -> None:
    length = 2 ** (k - 2)
    assert distances(blocks(k)) == distances(waves(k)) == {2 * length}
    rules = k_anonymity(k)
    assert Partitions(table_of(blocks(k)), rules).optimum("stars") == k * k * length
    assert Partitions(table_of(waves(k)), rules).optimum("stars") == k * (4 * length - 2)


@pytest.mark.parametrize(("family", "k"), [(blocks, 2), (blocks, 3), (waves, 3)])
def test_copies_do_not_mix(family: object, k: int) -> None:
    vectors = blocks(k) if family is blocks else waves(k)
    one = Partitions(table_of(vectors), k_anonymity(k)).optimum("stars")
    two = Partitions(table_of(copies(vectors, 2)), k_anonymity(k)).optimum("stars")
    assert one is not None
    assert two == 2 * one


def test_the_reduction_is_that_of_the_paper() -> None:
    edges = [(3, 4), (1, 4), (1, 2), (1, 3), (2, 3)]
    assert triangles_table(edges) == [tuple(map(int, row.replace(" ", ""))) for row in FIGURE_2]


@pytest.mark.parametrize("seed", range(4))
def test_triangles_have_the_known_optimum(seed: int) -> None:
    edges = edge_disjoint_triangles(Random(seed), 6, 1 + seed % 3)  # noqa: S311
    table = table_of(triangles_table(edges), 3)
    assert Partitions(table, k_anonymity(3)).optimum("stars") == triangles_optimum(len(edges))
    assert len(FANO) == 21


@pytest.mark.parametrize("edges", NO_TRIANGLES)
def test_without_triangles_the_optimum_is_higher(edges: tuple[tuple[int, int], ...]) -> None:
    least = Partitions(table_of(triangles_table(edges), 3), k_anonymity(3)).optimum("stars")
    assert least is not None
    assert least > triangles_optimum(len(edges))


@pytest.mark.parametrize("seed", range(30))
def test_the_problem_has_the_hierarchies_of_the_table(seed: int) -> None:
    case: Case = random_request(seed)
    for name, quasi in zip(case.table.quasi, case.problem.tally.quasi, strict=True):
        hierarchy = full_hierarchy(case.table, name)
        assert quasi.hierarchy.values == hierarchy.values == tuple(case.table.domain(name))
        for level in range(hierarchy.height + 1):
            labels = [hierarchy.labels[level][code] for code in hierarchy.codes[level]]
            assert labels == [case.table.label(name, value, level) for value in hierarchy.values]


def test_a_full_domain_release_is_one_of_the_partitions() -> None:
    for seed in range(40):
        case = random_request(seed, measure="tree")
        if case.rules.wildcard or case.table.people or set(case.table.forms.values()) != {"tree"}:
            continue
        alike = FullDomain(case.table, case.rules).optimum("tree", case.limit)
        assert alike is None or (case.optimum is not None and case.optimum <= alike + 1e-9)
