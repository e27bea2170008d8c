"""What a user is told whose request cannot be met."""

import re
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.models.persons import Persons
from shoal.search.algorithms import Exhaustive, Optimal
from shoal.search.lattice import diagnosis
from shoal.search.lattice.boxes import BestNode, search
from shoal.search.lattice.diagnosis import (
    _fails_in_every_part,
    _least_by_record,
    _proven,
    _rounded_up,
    infeasible,
)
from shoal.search.lattice.lattice import Lattice
from tests.oracles.checks import check
from tests.oracles.full_domain import FullDomain, Judged, judge
from tests.oracles.losses import loss
from tests.oracles.papers import FIGURE_1
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case, random_table

RECODED = "If each class is recoded on its own, as by the algorithm 'auto', it is enough to suppress"
STARRED = "The starred records are a class that fails in every release. With suppressed = 'drop': "


def refused(table: PlainTable, *models: PrivacyModel, limit: Fraction = Fraction(0)) -> InfeasibleError:
    with pytest.raises(InfeasibleError) as caught:
        Optimal().solve(problem_of(table, Rules(models), "lm", limit))
    return caught.value


def test_fewer_records_than_k() -> None:
    error = refused(FIGURE_1, KAnonymity(k=11), limit=Fraction(1, 5))
    assert str(error).split("\n") == [
        "No generalization keeps every promise with at most 20.00% of the 10 records suppressed.",
        "- k-anonymity fails: asked is k = 11; even one class of all records reaches only k = 10 (10 records fail).",
        "- The largest k possible within that limit, by k-anonymity alone, is 10.",
        "- No amount of suppression helps: every class of every generalization fails.",
    ]
    assert error.diagnosis["largest_k"] == 10
    assert error.diagnosis["failing"][0]["reachable"] == {"k": 10}


def test_more_values_than_there_are() -> None:
    error = refused(FIGURE_1, KAnonymity(k=2), DistinctLDiversity(l=4, column="disease"))
    assert [failure["model"] for failure in error.diagnosis["failing"]] == ["distinct-l-diversity"]
    assert "distinct-l-diversity on 'disease' fails: asked is l = 4; even one class of all records" in str(error)
    assert "reaches only l = 3 (10 records fail)" in str(error)
    assert "The largest k possible within that limit, by k-anonymity alone, is 10." in str(error)
    assert error.diagnosis["suppression"]["records"] is None


def test_closeness_is_never_to_blame_at_the_top() -> None:
    error = refused(FIGURE_1, KAnonymity(k=11), TCloseness(t=Fraction(0), column="disease"))
    assert [failure["model"] for failure in error.diagnosis["failing"]] == ["k-anonymity"]
    assert "t-closeness" not in str(error)
    solution = check(FullDomain(FIGURE_1, Rules((TCloseness(t=Fraction(0), column="disease"),))), Optimal())
    assert solution is not None
    assert solution.levels == {"zip": 2, "marital": 2, "sex": 1}


def dominated() -> PlainTable:
    """Return a table in which one value is too frequent as a whole, but not in one of its cells."""
    pairs = (("Zebulon", "Yersinia"), ("Zebulon", "Xanthoma"), ("Walachia", "Yersinia"), ("Walachia", "Yersinia"))
    records = [dict(zip(("town", "illness"), pair, strict=True)) for pair in pairs]
    towns = {town: (town, "anywhere", "*") for town in ("Zebulon", "Walachia")}
    return PlainTable(records, {"town": towns}, ("illness",))


def test_what_suppression_would_make_possible() -> None:
    model = FrequencyLDiversity(l=Fraction(2), column="illness")
    error = refused(dominated(), model, limit=Fraction(1, 4))
    assert "asked is l = 2.0; even one class of all records reaches only l = 1.333 (4 records fail)" in str(error)
    assert "Suppressing 2 records (50.00%) would be enough: set max_suppressed to at least 0.5" in str(error)
    assert "Column 'town' then loses most." in str(error)
    assert "largest k" not in str(error)
    expected = {"records": 2, "share": 0.5, "exact": True, "dearest_column": "town"}
    assert expected.items() <= error.diagnosis["suppression"].items()
    solution = check(FullDomain(dominated(), Rules((model,))), Optimal(), "lm", Fraction(1, 2))
    assert solution is not None
    assert (solution.levels, solution.suppressed) == ({"town": 0}, 2)


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("l", [2, 3])
def test_no_value_of_the_table_is_named(k: int, l: int) -> None:  # noqa: E741  (the paper's letter)
    error = refused(dominated(), KAnonymity(k=k), FrequencyLDiversity(l=Fraction(l), column="illness"))
    told = f"{error} {error.diagnosis}"
    for value in ("Zebulon", "Walachia", "Yersinia", "Xanthoma", "anywhere"):
        assert value not in told


def test_the_least_suppression_is_right_and_enough() -> None:
    """On random tables the number is that of brute force, and the share that is advised works."""
    n_refused = n_advised = n_starred = 0
    for seed in range(4_000, 4_200):
        space = FullDomain(*random_case(seed))
        limit = LIMITS[seed % 2]
        if space.rules.wildcard or space.feasible(limit):
            continue
        n_refused += 1
        with pytest.raises(InfeasibleError) as caught:
            Exhaustive().solve(problem_of(space.table, space.rules, "lm", limit))
        least = min((one.suppressed for one in space.feasible(Fraction(1))), default=None)
        told = caught.value.diagnosis["suppression"]
        assert told["records"] == least
        if least is None and space.rules.stars:
            dropped = FullDomain(space.table, replace(space.rules, stars=False)).feasible(Fraction(1))
            assert told["dropped"]["records"] == min((one.suppressed for one in dropped), default=None)
            assert told["words"] == STARRED + told["dropped"]["words"]
            n_starred += 1
        if least is not None:
            n_advised += 1
            advised = re.search(r"set max_suppressed to at least ([0-9.]+)\. ", str(caught.value))
            assert advised is not None
            assert space.feasible(Fraction(advised[1]))
    assert n_refused > 30
    assert n_advised >= 5
    assert n_starred >= 5


def few_steps(seed: int, rules: Rules) -> tuple[FullDomain, Lattice]:
    """Return a lattice whose most general release has several classes."""
    rng = Random(seed)  # noqa: S311
    table = random_table(rng, n_records=12)
    steps = [range(rng.randint(1, table.height(column))) for column in table.quasi]
    return FullDomain(table, rules), Lattice(problem_of(table, rules, "lm", LIMITS[seed % 4]), steps)


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("stars", [False, True])
def test_the_largest_k_is_that_of_brute_force(stars: bool, persons: bool) -> None:
    """Of records, or of persons, each of whom has a value of a column."""
    found = []
    for seed in range(40):
        asked = Persons(l=20, column="illness") if persons else KAnonymity(k=20)
        space, lattice = few_steps(seed, Rules((asked,), stars=stars))
        possible = [0]
        for k in range(1, 20):
            model = DistinctLDiversity(l=k, column="illness") if persons else KAnonymity(k=k)
            top = judge(space.table, Rules((model,), stars=stars), lattice.top)
            possible += [k] if top.feasible(lattice.problem.limit) else []
        found.append(infeasible(lattice).diagnosis["largest_k"])
        assert found[-1] == max(possible)
    assert len(set(found)) > 2


def towns(places: str, illnesses: str, **rules: bool) -> Lattice:
    """Return the lattice of towns as they are, where half of the records may be suppressed."""
    records = [{"town": town, "illness": illness} for town, illness in zip(places, illnesses, strict=True)]
    table = PlainTable(records, {"town": {town: (town, "*") for town in "abc"}}, ("illness",))
    persons = Persons(l=len(records), column="illness")
    return Lattice(problem_of(table, Rules((persons,), **rules), "lm", Fraction(1, 2)), [(0,)])


def test_starred_records_of_the_same_persons_are_no_more_persons() -> None:
    """For k = 2 the one person of c is starred; for k = 3 those of b and c are, but they are 2."""
    assert infeasible(towns("aaabbc", "xyzxyx", stars=True)).diagnosis["largest_k"] == 1
    assert infeasible(towns("aaabbc", "xyzxyx")).diagnosis["largest_k"] == 3
    assert infeasible(towns("aaabbc", "xyzxyz", stars=True)).diagnosis["largest_k"] == 3


def test_where_stars_may_be_a_class_nothing_need_be_dropped() -> None:
    table = PlainTable([{"q": value} for value in "aabc"], {"q": {value: (value, "*") for value in "abc"}})
    told = infeasible(Lattice(problem_of(table, Rules((KAnonymity(k=2),), stars=True)), [(0,)])).diagnosis
    assert told["suppression"]["records"] == 2
    assert told["suppression"]["words"].startswith("Suppressing 2 records (50.00%) would be enough")


def test_what_fails_in_the_most_general_release_and_what_would_be_enough() -> None:
    n_failing = 0
    for seed in range(40):
        models = (KAnonymity(k=2 + seed % 3), DistinctLDiversity(l=2, column="illness"))
        space, lattice = few_steps(seed, Rules(models))
        error = infeasible(lattice)
        alone = [judge(space.table, Rules((model,)), lattice.top) for model in models]
        failing = [(model, one) for model, one in zip(models, alone, strict=True) if one.suppressed]
        n_failing += len(failing)
        assert [told["model"] for told in error.diagnosis["failing"]] == [model.name for model, _ in failing]
        for (_, one), told in zip(failing, error.diagnosis["failing"], strict=True):
            assert "even the most general release reaches only" in told["words"]
            assert f"({one.suppressed} records fail)" in told["words"]
        reached = [one for one in space.feasible(Fraction(1)) if one.node in set(lattice.all_nodes())]
        told = error.diagnosis["suppression"]
        assert told["records"] == min((one.suppressed for one in reached), default=None)
        if told["records"] is not None:
            columns = {
                one.node: {name: _lost(space, one, name) for name in space.table.quasi}
                for one in reached
                if one.suppressed == told["records"]
            }
            assert any(lost[told["dearest_column"]] >= max(lost.values()) - 1e-9 for lost in columns.values())
    assert n_failing > 20


def told_of(*models: PrivacyModel, limit: Fraction = Fraction(1, 4), stars: bool = False) -> InfeasibleError:
    """Return what is said of three persons with one illness and one with another, in two towns."""
    records = [{"town": town, "illness": illness} for town, illness in zip("aabb", "xxxy", strict=True)]
    table = PlainTable(records, {"town": {town: (town, "*") for town in "ab"}}, ("illness",))
    return infeasible(Lattice(problem_of(table, Rules(models, stars=stars), "lm", limit)))


def test_what_single_records_would_do_is_told_if_it_is_less() -> None:
    """Without two `x` the others are even; without the class of a, those of b are."""
    half = FrequencyLDiversity(l=2, column="illness")
    assert "own, as by the algorithm 'auto'" not in str(told_of(half))
    assert told_of(half).diagnosis["suppression"]["records"] == 2
    alone = str(told_of(KAnonymity(k=2), FrequencyLDiversity(l=Fraction(3, 2), column="illness")))
    words = (
        "If each class is recoded on its own, as by the algorithm 'auto', it is enough to suppress 1 records (25.00%)."
    )
    assert alone.endswith(f"Column 'town' then loses most. {words}")


def test_no_generalization_is_said_to_be_none_though_records_might_be_suppressed() -> None:
    words = str(told_of(FrequencyLDiversity(l=2, column="illness"), limit=Fraction(1, 2)))
    assert words.startswith("No generalization keeps every promise with at most 50.00% of the 4 records suppressed.")
    assert "It is not proven" not in words


@pytest.mark.parametrize("stars", [False, True])
def test_what_was_not_settled_in_time_is_told(stars: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = BestNode(None, 0.0, complete=False, stopped=True)
    monkeypatch.setattr(diagnosis, "search", lambda _: nothing)
    told = told_of(KAnonymity(k=2), FrequencyLDiversity(l=Fraction(3, 2), column="illness"), stars=stars)
    words = f"Whether suppressing more classes helps was not settled within 10 s. {RECODED} 1 records (25.00%)."
    assert f"- {words}" in str(told)
    assert told.diagnosis["suppression"] == {"records": None, "exact": False, "words": words}


def test_what_is_known_otherwise_is_proven() -> None:
    """Of several promises on blocks it is not found out which records to suppress; a search may know that none help."""
    models = (FrequencyLDiversity(l=2, column="illness"), TCloseness(t=0, column="illness", others="known"))
    records = [{"town": "a", "illness": value, "wage": wage} for value, wage in zip("xxxy", "uuvw", strict=True)]
    table = PlainTable(records, {"town": {"a": ("a", "*")}}, ("illness", "wage"))
    lattice = Lattice(problem_of(table, Rules(models), "lm", Fraction(1, 2)))
    for proven, words in ((True, "No release keeps every"), (False, "No release was found that keeps every")):
        error = infeasible(lattice, local=True, proven=proven)
        assert str(error).startswith(words)
        assert error.diagnosis["proven"] is proven
        assert ("It is not proven that there is none" in str(error)) is not proven


def _lost(space: FullDomain, one: Judged, name: str) -> float:
    """Return what one column loses: the loss where no other has a weight."""
    weights = {column: space.table.weights[column] if column == name else 0.0 for column in space.table.quasi}
    return loss("lm", replace(space.table, weights=weights), one.node, one.kept)


@pytest.mark.parametrize(
    ("complete", "words"), [(True, "2 records (50.00%) would"), (False, "2 records (50.00%) or fewer")]
)
def test_a_search_that_was_stopped_gives_a_number_that_is_enough(
    complete: bool, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(lattice: Lattice) -> BestNode:
        assert lattice.problem.time_limit == 10
        return replace(search(lattice), complete=complete)

    monkeypatch.setattr(diagnosis, "search", stopped)
    model = FrequencyLDiversity(l=Fraction(2), column="illness")
    told = infeasible(Lattice(problem_of(dominated(), Rules((model,)), "lm", Fraction(1, 4)))).diagnosis["suppression"]
    assert (told["records"], told["exact"]) == (2, complete)
    assert f"Suppressing {words}" in told["words"]


def one_town(*illnesses: str) -> PlainTable:
    records = [{"town": "Zebulon", "illness": illness} for illness in illnesses]
    return PlainTable(records, {"town": {"Zebulon": ("Zebulon", "*")}}, ("illness",))


HALVES = FrequencyLDiversity(l=Fraction(2), column="illness")


def test_what_is_known_to_be_impossible() -> None:
    """By what fails in every part, or since too few records may go; not where classes overlap in records or persons."""
    town = one_town("a", "a", "a", "b", "b")
    records = [{**record, "id": str(number)} for number, record in enumerate(town.records)]
    table = replace(town, records=records, sensitive=("illness", "id"))
    for limit, removed, rules, known in (
        (Fraction(0), None, Rules((HALVES,)), True),
        (Fraction(0), None, Rules((HALVES,), wildcard=True), False),
        (Fraction(0), None, Rules((HALVES, replace(HALVES, entity="id"))), False),
        (Fraction(1, 5), None, Rules((HALVES,)), False),
        (Fraction(1, 5), None, Rules((HALVES,), stars=True), True),
        (Fraction(1, 5), {"least": 1}, Rules((HALVES,)), False),
        (Fraction(1, 5), {"least": 2}, Rules((HALVES,)), True),
        (Fraction(1, 5), None, Rules((KAnonymity(k=6),)), True),
        (Fraction(1, 5), None, Rules((HALVES, KAnonymity(k=6))), True),
        (Fraction(1, 5), None, Rules((KAnonymity(k=6),), wildcard=True), True),
    ):
        assert _proven(problem_of(table, rules, "lm", limit), removed) is known
    few = problem_of(table, Rules((KAnonymity(k=6),)), "lm", Fraction(1, 5))
    assert _fails_in_every_part(few)
    outside = replace(few, tally=replace(few.tally, populations={"all": few.tally.counts}))
    assert not _fails_in_every_part(outside)
    assert not _fails_in_every_part(problem_of(table, Rules((HALVES,)), "lm", Fraction(0)))


def test_what_single_records_would_make_possible() -> None:
    problem = problem_of(one_town("a", "a", "a", "b", "b"), Rules((HALVES,)), "lm", Fraction(0))
    lattice = Lattice(problem)
    whole = infeasible(lattice)
    assert str(whole).startswith("No generalization keeps every promise")
    assert "Suppressing classes does not help: every class of every generalization fails." in str(whole)
    by_record = Lattice(replace(problem, by_record=True))
    told = infeasible(by_record).diagnosis["suppression"]
    assert (told["records"], told["exact"]) == (1, True)
    assert _least_by_record(by_record)[1:] == (
        Lattice(replace(problem, by_record=True, max_suppressed=Fraction(1))).evaluate(by_record.top),
        True,
    )
    local = infeasible(lattice, local=True)
    assert str(local).startswith("No release keeps every promise")
    assert (local.diagnosis["proven"], local.diagnosis["suppression"]["records"]) == (True, 1)
    assert "- Suppressing 1 records (20.00%) would be enough: set max_suppressed to at least 0.2." in str(local)
    allowed = Lattice(replace(problem, max_suppressed=Fraction(1, 5)))
    open_one = infeasible(allowed, local=True)
    assert str(open_one).startswith("No release was found that keeps every promise")
    assert not open_one.diagnosis["proven"]
    assert infeasible(allowed, local=True, proven=True).diagnosis["proven"]
    nobody = Lattice(
        replace(problem_of(one_town("a", "b"), Rules((KAnonymity(k=3),)), "lm", Fraction(0)), by_record=True)
    )
    assert _least_by_record(nobody)[1:] == (None, True)
    assert "No amount of suppression helps" in str(infeasible(nobody))


def test_shares_are_rounded_up_to_a_hundredth_of_a_percent() -> None:
    assert [_rounded_up(share) for share in (0.0, 0.12341, 0.5, 1.0)] == [0.0, 0.1235, 0.5, 1.0]
