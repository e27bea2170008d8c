"""The chapter's example of strict multidimensional partitioning, and tables at the edge."""

from collections import Counter
from fractions import Fraction

import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import FrequencyLDiversity, KAnonymity, KMap, PrivacyModel, TCloseness
from shoal.search.algorithms import Mondrian
from shoal.search.local.cuts import Categories, CutRule, Mode
from shoal.search.problem import Solution
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.papers import FIGURE_1
from tests.oracles.plain import Key, Record, Rows, Rules
from tests.oracles.problems import PEOPLE, published

ORDERS = {"sex": ("M", "F"), "marital": ("single", "divorced", "widow", "married")}
"""The axes of Figure 15, from the origin."""

VARIANTS = [
    Mondrian(mode=mode, cut=cut, categories=categories)
    for mode in ("strict", "relaxed")
    for cut in ("median", "loss")
    for categories in ("hierarchy", "order")
]


def names(algorithm: Mondrian) -> str:
    return f"{algorithm.mode}-{algorithm.cut}-{algorithm.categories}"


def figure_15(form: Form) -> LocalTable:
    """Return the private table with MaritalStatus and Sex in the orders of the figure."""
    rows: dict[str, Rows] = {column: {value: (value, "*") for value in order} for column, order in ORDERS.items()}
    records = [{column: record[column] for column in (*ORDERS, "disease")} for record in FIGURE_1.records]
    return LocalTable(records, rows, ("disease",), forms=dict.fromkeys(ORDERS, form))


def released(table: LocalTable, solution: Solution, *models: PrivacyModel) -> Counter[Key | None]:
    return Counter(shown for _, shown in published(table, local_problem(table, Rules(models)), solution))


def solved(table: LocalTable, algorithm: Mondrian, *models: PrivacyModel, measure: str = "lm") -> Solution:
    return algorithm.solve(local_problem(table, Rules(models), measure))


@pytest.mark.parametrize("cut", ["median", "loss"])
def test_figure_17_step_by_step(cut: CutRule) -> None:
    """First Sex at M; then MaritalStatus at single among the men, and at widow among the women (k = 2).

    The figure lists all values of a region; here a class shows only what its own records need.
    """
    table = figure_15("sets")
    shown = released(table, solved(table, Mondrian(cut=cut), KAnonymity(k=2)), KAnonymity(k=2))
    assert shown == {
        ("M", "single"): 3,
        ("M", "{divorced, widow}"): 3,
        ("F", "{single, divorced}"): 2,
        ("F", "married"): 2,
    }


def test_figure_15_in_ranges() -> None:
    table = figure_15("ranges")
    shown = released(table, solved(table, Mondrian(), KAnonymity(k=2)), KAnonymity(k=2))
    assert shown == {
        ("M", "single"): 3,
        ("M", "divorced - widow"): 3,
        ("F", "single - divorced"): 2,
        ("F", "married"): 2,
    }


def test_the_relaxed_example_shares_no_records_that_are_alike() -> None:
    """The single men are three records of one point: a class whose records are alike is not cut."""
    table = figure_15("ranges")
    sizes = solved(table, Mondrian(mode="relaxed"), KAnonymity(k=2)).groups.sizes
    assert sorted(sizes.tolist()) == [2, 2, 3, 3]


TREE = {value: (value, value[0], "*") for value in ("a1", "a2", "a3", "b1", "b2", "c1")}


def letters(values: list[str], form: Form = "tree") -> LocalTable:
    rows: Rows = TREE if form == "tree" else {value: (value, "*") for value in TREE}
    return LocalTable([{"q": value} for value in values], {"q": rows}, forms={"q": form})


def test_a_node_is_cut_into_all_its_children() -> None:
    table = letters(["a1", "a2", "b1", "b2", "c1", "c1"])
    solution = solved(table, Mondrian(), KAnonymity(k=2))
    assert released(table, solution, KAnonymity(k=2)) == {("a",): 2, ("b",): 2, ("c1",): 2}


def test_between_children_where_one_is_too_small() -> None:
    """c1 alone is one record: the cut between a and b leaves two sides of three."""
    table = letters(["a1", "a2", "a3", "b1", "b2", "c1"])
    solution = solved(table, Mondrian(), KAnonymity(k=2))
    assert released(table, solution, KAnonymity(k=2)) == {("a",): 3, ("*",): 3}


def test_by_the_order_of_the_leaves() -> None:
    table = letters(["a1", "a2", "a2", "a3", "b1", "b1", "b2", "c1"])
    solution = solved(table, Mondrian(categories="order"), KAnonymity(k=2))
    assert released(table, solution, KAnonymity(k=2)) == {("a",): 4, ("b1",): 2, ("*",): 2}


def test_by_the_loss_a_node_in_the_middle_is_taken_from_the_rest() -> None:
    """b against the rest leaves 4 x lm(*) of it; no cut up to a value leaves so little."""
    table = letters(["a1", "b1", "b1", "b1", "b1", "b1", "b1", "c1"])
    solution = solved(table, Mondrian(cut="loss"), KAnonymity(k=2))
    assert released(table, solution, KAnonymity(k=2)) == {("b1",): 6, ("*",): 2}
    assert solution.loss.total == pytest.approx(2)


@pytest.mark.parametrize("algorithm", VARIANTS, ids=names)
@pytest.mark.parametrize("form", ["tree", "ranges", "sets"])
class TestEdges:
    def test_as_many_records_as_k(self, algorithm: Mondrian, form: Form) -> None:
        assert solved(letters(["a1", "b1", "c1"], form), algorithm, KAnonymity(k=3)).groups.sizes.tolist() == [3]

    def test_one_record_less_than_twice_k(self, algorithm: Mondrian, form: Form) -> None:
        assert solved(letters(["a1"] * 2 + ["b1"] * 3, form), algorithm, KAnonymity(k=3)).groups.n_classes == 1

    def test_twice_k(self, algorithm: Mondrian, form: Form) -> None:
        solution = solved(letters(["a1"] * 3 + ["b1"] * 3, form), algorithm, KAnonymity(k=3))
        assert (solution.groups.n_classes, solution.loss.total) == (2, 0)

    def test_all_records_equal(self, algorithm: Mondrian, form: Form) -> None:
        solution = solved(letters(["b1"] * 9, form), algorithm, KAnonymity(k=2))
        assert (solution.groups.sizes.tolist(), solution.loss.total) == ([9], 0)

    def test_all_records_different_and_nothing_asked(self, algorithm: Mondrian, form: Form) -> None:
        solution = solved(letters(list(TREE), form), algorithm, KAnonymity(k=1))
        assert (solution.groups.n_classes, solution.loss.total) == (6, 0)

    def test_one_record(self, algorithm: Mondrian, form: Form) -> None:
        assert solved(letters(["a2"], form), algorithm, KAnonymity(k=1)).loss.total == 0

    def test_fewer_records_than_k(self, algorithm: Mondrian, form: Form) -> None:
        with pytest.raises(InfeasibleError, match="k = 3"):
            solved(letters(["a1", "b1"], form), algorithm, KAnonymity(k=3))

    def test_missing_values_are_parted_from_the_others(self, algorithm: Mondrian, form: Form) -> None:
        table = letters(["a1"] * 4, form)
        table = table.with_records([*table.records, *[{"q": None}] * 4])
        solution = solved(table, algorithm, KAnonymity(k=2))
        assert released(table, solution, KAnonymity(k=2)) == {("a1",): 4, (None,): 4}

    def test_fewer_missing_values_than_k_are_published_as_the_top(self, algorithm: Mondrian, form: Form) -> None:
        table = letters(["a1"] * 3, form).with_records([*[{"q": "a1"}] * 3, {"q": None}])
        strict = Mondrian(cut=algorithm.cut, categories=algorithm.categories)
        assert released(table, solved(table, strict, KAnonymity(k=2)), KAnonymity(k=2)) == {("*",): 4}


def with_illness(pairs: list[str]) -> LocalTable:
    records: list[Record] = [{"q": pair[:2], "illness": pair[2:]} for pair in pairs]
    rows: Rows = {value: (value, "*") for value in ("a1", "a2", "b1", "b2")}
    return LocalTable(records, {"q": rows}, ("illness",), forms={"q": "ranges"})


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
@pytest.mark.parametrize("cut", ["median", "loss"])
@pytest.mark.parametrize(
    "model", [FrequencyLDiversity(l=2, column="illness"), TCloseness(t=Fraction(1, 4), column="illness")]
)
def test_promises_on_a_sensitive_column_forbid_a_cut(mode: Mode, cut: CutRule, model: PrivacyModel) -> None:
    """The halves of the first table show one illness each; of the second, both as often as the table."""
    apart = with_illness(["a1x", "a1x", "b1y", "b1y"])
    assert solved(apart, Mondrian(mode=mode, cut=cut), KAnonymity(k=2), model).groups.n_classes == 1
    mixed = with_illness(["a1x", "a1y", "b1x", "b1y"])
    assert solved(mixed, Mondrian(mode=mode, cut=cut), KAnonymity(k=2), model).groups.n_classes == 2


def test_the_next_column_is_tried_when_a_promise_forbids_the_widest() -> None:
    records = [{"p": p, "q": q, "illness": p} for p in "xy" for q in "ab"] * 2
    flat: dict[str, Rows] = {
        column: {value: (value, "*") for value in side} for column, side in (("p", "xy"), ("q", "ab"))
    }
    table = LocalTable(records, flat, ("illness",))
    solution = solved(table, Mondrian(), KAnonymity(k=2), FrequencyLDiversity(l=2, column="illness"))
    assert set(released(table, solution, KAnonymity(k=2))) == {("*", "a"), ("*", "b")}


def test_weights_decide_which_column_is_cut() -> None:
    records = [{"p": p, "q": q} for p in "xy" for q in "ab"]
    flat: dict[str, Rows] = {
        column: {value: (value, "*") for value in side} for column, side in (("p", "xy"), ("q", "ab"))
    }
    for heavy, weights in (("p", {"p": 2.0, "q": 1.0}), ("q", {"p": 1.0, "q": 2.0})):
        solution = solved(LocalTable(records, flat, weights=weights), Mondrian(), KAnonymity(k=2))
        assert solution.loss.columns[heavy] == 0


def test_a_loss_of_whole_classes_is_refused() -> None:
    with pytest.raises(SpecError, match="'discernibility'"):
        solved(letters(["a1", "b1"]), Mondrian(cut="loss"), KAnonymity(k=1), measure="discernibility")
    assert solved(letters(["a1", "b1"]), Mondrian(), KAnonymity(k=1), measure="discernibility").loss.total == 2


def test_outside_tables_are_refused() -> None:
    table = LocalTable([{"q": "a1"}] * 2, {"q": TREE}, people=[{"q": "a1"}] * 3)
    with pytest.raises(SpecError, match="full-domain"):
        solved(table, Mondrian(), KMap(k=2, population=PEOPLE))


def test_a_time_limit_is_remarked() -> None:
    problem = local_problem(letters(list(TREE) * 9, "sets"), Rules((KAnonymity(k=1),)), time_limit=0.0)
    solution = Mondrian().solve(problem)
    assert solution.remark == "classes could still be cut"
    assert solution.groups.n_classes < 6


def test_categories_need_no_word_where_there_is_no_tree() -> None:
    categories: tuple[Categories, ...] = ("hierarchy", "order")
    found = [solved(letters(list(TREE), "ranges"), Mondrian(categories=one), KAnonymity(k=2)) for one in categories]
    assert found[0].parts.classes.tolist() == found[1].parts.classes.tolist()
