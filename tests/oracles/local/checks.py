"""What every release of a local recoding must keep, read from the published texts and checked by brute force."""

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.problem import Problem, Solution
from tests.oracles.all_partitions import Look, allowed
from tests.oracles.checks import close
from tests.oracles.local.losses import Pricing, Shown
from tests.oracles.local.random_jobs import Case
from tests.oracles.local.tables import LocalTable
from tests.oracles.plain import Key, Record
from tests.oracles.problems import published

ADVICE = ("Use ", "use ", "Give ", "Choose ", "Ask ", "Set ", "Leave ", "Allow ", "the algorithm 'optimal'")
"""How a message says what to do instead."""


def slack(loss: float) -> float:
    """Return how much rounding may move a loss."""
    return 1e-9 * max(1.0, abs(loss))


def read_release(table: LocalTable, problem: Problem, solution: Solution) -> tuple[dict[Key, Shown], list[Record]]:
    """Return the classes that a reader sees, by their texts, and the records that are suppressed."""
    members: dict[Key, list[Record]] = {}
    gone = []
    for record, texts in published(table, problem, solution):
        if texts is None:
            gone.append(record)
        else:
            members.setdefault(texts, []).append(record)
    classes = {}
    for texts, records in members.items():
        cells = [table.read(column, text) for column, text in zip(table.quasi, texts, strict=True)]
        classes[texts] = Shown(records, tuple(cells))
    return classes, gone


def check_texts(case: Case, problem: Problem, solution: Solution, pricing: Pricing | None = None) -> None:
    """Assert that what is published is true, no coarser than needed, allowed, and costs what the solution says."""
    table, pricing = case.table, Pricing(case.table, case.measure) if pricing is None else pricing
    classes, gone = read_release(table, problem, solution)
    looks: dict[Look, Shown] = dict(classes.items())
    assert allowed(table, case.rules, looks, gone), "a promise is broken"
    assert len(gone) == solution.suppressed <= int(case.limit * len(table.records)), "too many are suppressed"
    for one in classes.values():
        for column, cell in zip(table.quasi, one.cells, strict=True):
            values = [record[column] for record in one.members]
            assert set(values) <= cell.leaves, f"what column {column} shows is not true"
            least = pricing.cell(column, values)
            if pricing.additive:
                paid = [sum(pricing.price(column, value, shown) for value in values) for shown in (cell, least)]
                assert close(*paid), f"column {column} shows more than it must"
            else:
                assert cell.leaves == least.leaves, f"column {column} shows more than it must"
    assert solution.groups.n_classes == solution.recoding.n_classes == len(classes)
    assert sorted(solution.groups.sizes.tolist()) == sorted(len(one.members) for one in classes.values())
    expected = pricing.loss(list(classes.values()), gone)
    assert close(solution.loss.total, expected), f"the loss is {expected}, not {solution.loss.total}"
    assert solution.loss.measure == case.measure
    if pricing.additive:
        assert close(sum(solution.loss.columns.values()), expected)


def check_claims(case: Case, solution: Solution) -> None:
    """Assert that what a solution says about its loss is so, compared with the optimum."""
    loss, least = solution.loss.total, case.optimum
    assert least is not None, "the brute force found no release"
    assert loss >= least - slack(least), "the brute force is wrong: there is a better release"
    if solution.bound is not None:
        assert solution.bound <= loss + slack(loss), "the bound is above the loss"
        assert solution.bound <= least + slack(least), f"the bound {solution.bound} is above the optimum {least}"
    if solution.guarantee == "factor":
        assert solution.factor is not None
        assert solution.factor >= 1
        assert loss <= solution.factor * least + slack(loss), f"{loss} is above {solution.factor} x {least}"
    if solution.guarantee == "optimal":
        assert close(loss, least), f"{loss} is said to be optimal, which is {least}"


def check_words(case: Case, words: str) -> None:
    """Assert that a message names no value of the table; a number may stand there as a count."""
    values = {value for record in case.table.records for value in record.values() if value is not None}
    shown = [value for value in values if len(value) > 1 and value[0].isalpha() and value in words]
    assert not shown, f"a message tells a value of the table: {words}"


def check_advice(case: Case, words: str) -> None:
    """Assert that a message says why not, and what to do instead."""
    check_words(case, words)
    assert len(words.split(". ")) > 1, words
    assert any(advice in words for advice in ADVICE), words


def check_case(case: Case, algorithm: Algorithm) -> Solution | None:
    """Solve, and assert that the answer is right: a release as good as it says, a refusal, or none if there is none."""
    problem = case.problem
    try:
        solution = algorithm.solve(problem)
    except SpecError as error:
        check_advice(case, str(error))
        return None
    except InfeasibleError as error:
        check_infeasible(case, str(error))
        return None
    check_texts(case, problem, solution)
    check_claims(case, solution)
    return solution


def check_infeasible(case: Case, words: str) -> None:
    """Assert that there is no release; where promises are hard to combine, a search may fail to find one and say so."""
    check_words(case, words)
    if case.optimum is not None:
        assert not case.plain, "there is a release"
        assert "No generalization" not in words, "there is a release, and the message denies it"
        check_advice(case, words)
