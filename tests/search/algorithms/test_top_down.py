"""The chapter's table, specialized by hand; every model; and what a step may not do."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import MODELS, AlphaKAnonymity, KAnonymity, PrivacyModel, TCloseness
from shoal.search.algorithms import TopDown
from shoal.search.local.specialization import Specialization, parts_of_slices
from shoal.search.problem import Solution
from tests.oracles.local.checks import check_case, check_texts, read_release
from tests.oracles.local.random_jobs import POPULATION_MODELS, Case, random_local
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.papers import FIGURE_1
from tests.oracles.plain import Record, Rules
from tests.oracles.random_tables import AS_OTHERS, MODEL_MAKERS

NONE = Fraction(0)
FIGURE_18 = LocalTable(FIGURE_1.records[:9], FIGURE_1.hierarchies, FIGURE_1.sensitive)
"""The nine records that the chapter's Figure 18 shows as 3-anonymous."""


def solve(case: Case) -> Solution:
    solution = check_case(case, TopDown())
    assert solution is not None
    assert solution.guarantee in ("none", "optimal")
    assert solution.bound is not None
    assert solution.suppressed == 0
    return solution


def released(case: Case) -> dict[tuple[str | None, ...], list[Record]]:
    classes, _ = read_release(case.table, case.problem, solve(case))
    return {texts: list(one.members) for texts, one in classes.items()}


def ask(table: LocalTable, *models: PrivacyModel, measure: str = "lm") -> Case:
    return Case(table, Rules(models), measure, NONE)


def test_figure_18_by_hand() -> None:
    """By sex the loss falls from 27 to 15, by zip code or marital status to 17; then the men by zip code, to 7."""
    case = ask(FIGURE_18, KAnonymity(k=3))
    classes = released(case)
    assert {texts: len(members) for texts, members in classes.items()} == {
        ("2203*", "been_married", "F"): 3,
        ("2203*", "single", "M"): 3,
        ("2204*", "been_married", "M"): 3,
    }
    assert solve(case).loss.total == pytest.approx(7)


def test_definition_5_2_by_hand() -> None:
    """(0.4, 3)-anonymity of HIV, which Figure 18 breaks.

    By sex: HIV has 3 of the 6 men, and the 3 women can spare none. By zip code: the 3 of 2204* have HIV twice, so
    two others come back to them, at a loss of 22 2/3. By marital status both pass, at 17, and neither can be
    split any more.
    """
    case = ask(FIGURE_18, AlphaKAnonymity(alpha=Fraction(4, 10), k=3, column="disease", value="HIV"))
    classes = released(case)
    assert {texts: len(members) for texts, members in classes.items()} == {
        ("220**", "been_married", "not_released"): 6,
        ("2203*", "single", "M"): 3,
    }
    assert solve(case).loss.total == pytest.approx(17)


def test_records_come_back_to_those_that_fail() -> None:
    """Zip code alone: two that have no HIV leave the six of 2203*, which pass without them."""
    table = LocalTable(FIGURE_18.records, {"zip": FIGURE_18.hierarchies["zip"]}, FIGURE_18.sensitive)
    alpha = AlphaKAnonymity(alpha=Fraction(4, 10), k=3, column="disease", value="HIV")
    sizes = {texts: len(members) for texts, members in released(ask(table, alpha)).items()}
    assert sizes == {("2203*",): 4, ("220**",): 5}


def test_no_more_come_back_than_needed() -> None:
    """Five and one: to be two, the one gets one of the five; then four are left, and stay together."""
    rows = {letter: (letter, "*") for letter in "ab"}
    case = ask(LocalTable([{"q": letter} for letter in "aaaaab"], {"q": rows}), KAnonymity(k=2))
    assert {texts: len(members) for texts, members in released(case).items()} == {("a",): 4, ("*",): 2}
    few = ask(LocalTable([{"q": letter} for letter in "aab"], {"q": rows}), KAnonymity(k=2))
    assert {texts: len(members) for texts, members in released(few).items()} == {("*",): 3}


@pytest.mark.parametrize("name", sorted(set(MODELS.names) - {*POPULATION_MODELS, *AS_OTHERS}))
def test_every_model_holds(name: str, seeds: Callable[[int], range]) -> None:
    solved = 0
    for seed in seeds(30):
        rng = Random(f"{name} {seed}")  # noqa: S311
        table = random_local(rng, rng.randint(4, 9), missing=seed % 5 == 0)
        models = (MODEL_MAKERS[name](rng), *([KAnonymity(k=2)] if seed % 2 else []))
        case = ask(table, *models, measure=rng.choice(["lm", "ncp", "stars", "tree", "entropy"]))
        solved += check_case(case, TopDown()) is not None
    assert solved >= len(seeds(30)) // 10


@pytest.mark.parametrize("name", POPULATION_MODELS)
def test_models_of_an_outside_table_are_refused(name: str) -> None:
    rng = Random(name)  # noqa: S311
    table = random_local(rng, 5, people=True)
    with pytest.raises(SpecError, match="Use a full-domain algorithm"):
        TopDown().solve(local_problem(table, Rules((MODEL_MAKERS[name](rng),))))


@pytest.mark.parametrize("form", ["tree", "ranges", "numbers", "sets"])
@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(4, 12))])
def test_no_step_raises_the_loss(form: Form, seed: int) -> None:
    """In a monotone measure; and every class of every step keeps the promise."""
    rng = Random(seed)  # noqa: S311
    table = random_local(rng, 40, forms=(form,), n_columns=3, missing=seed % 3 == 0)
    case = ask(table, KAnonymity(k=2), TCloseness(t=Fraction(2, 5), column="illness"))
    space = Specialization(case.problem, "top-down")
    split, done, losses = space.start(), [], []
    while split.n_classes:
        split, finished = space.step(split)
        done.append(finished)
        entries = [*done, split]
        assert sum(int(one.counts.sum()) for one in entries) == 40
        assert all((one.sizes >= 2).all() for one in entries)
        closures = [space.closures(one, case.problem.tally.codes[one.points]) for one in entries if one.n_classes]
        sizes = [one.sizes for one in entries if one.n_classes]
        losses.append(sum(float(own.prices @ size) for own, size in zip(closures, sizes, strict=True)))
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(losses))
    final = TopDown().solve(case.problem)
    check_texts(case, case.problem, final)
    assert final.loss.total == pytest.approx(losses[-1])
    assert np.bincount(parts_of_slices(done).points, weights=parts_of_slices(done).counts).sum() == 40


def test_it_is_cut_short_by_the_time_limit() -> None:
    problem = local_problem(FIGURE_18, Rules((KAnonymity(k=3),)), "lm", time_limit=0.0)
    solution = TopDown().solve(problem)
    assert (solution.groups.sizes.tolist(), solution.remark) == ([9], "classes could still be split")


def test_a_measure_of_classes_is_refused() -> None:
    with pytest.raises(SpecError, match="'discernibility' depends on whole classes"):
        TopDown().solve(local_problem(FIGURE_18, Rules((KAnonymity(k=3),)), "discernibility"))


def test_fewer_records_than_k() -> None:
    with pytest.raises(InfeasibleError, match="k-anonymity fails: asked is k = 10"):
        TopDown().solve(local_problem(FIGURE_18, Rules((KAnonymity(k=10),))))
