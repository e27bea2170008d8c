"""Tiny random tables for local recoding, from a seed, with promises, a measure and a limit of suppression."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from random import Random

from shoal.measures import MEASURES
from shoal.models import KAnonymity, PrivacyModel
from shoal.search.problem import Problem
from shoal.tables.hierarchies import Ranges
from tests.oracles.all_partitions import Partitions
from tests.oracles.local.losses import CLASSES
from tests.oracles.local.tables import Form, LocalTable, local_problem
from tests.oracles.plain import Record, Rows, Rules
from tests.oracles.promises import keeps
from tests.oracles.random_tables import AS_OTHERS, LIMITS, MODEL_MAKERS, random_rows

FORMS: tuple[Form, ...] = ("tree", "ranges", "numbers", "grid", "sets")
POPULATION_MODELS = ("k-map", "delta-presence")
UNEVEN = ("frequency-l-diversity", "alpha-k-anonymity", "recursive-cl-diversity", "entropy-l-diversity")


@dataclass(frozen=True)
class Case:
    """What is asked of an algorithm; the optimum is searched once, however many algorithms are asked."""

    table: LocalTable
    rules: Rules
    measure: str
    limit: Fraction

    @cached_property
    def optimum(self) -> float | None:
        """The least loss of all partitions."""
        return Partitions(self.table, self.rules).optimum(self.measure, self.limit)

    @cached_property
    def problem(self) -> Problem:
        return local_problem(self.table, self.rules, self.measure, self.limit)

    @property
    def plain(self) -> bool:
        """Whether there is a release only if one class of all records is one."""
        return self.limit == 0 and not self.rules.wildcard and not self.table.people


def random_column(rng: Random, form: Form, size: int) -> Rows:
    """Return the rows of a column: the values in their order, and the levels above them."""
    if form in ("numbers", "grid"):
        values = sorted(rng.sample(range(-2, 12), size))
        hierarchy = Ranges().build([str(value) for value in values], "a column of numbers")
        names = [
            [hierarchy.labels[level][hierarchy.codes[level, leaf]] for level in range(hierarchy.height + 1)]
            for leaf in range(size)
        ]
        return {str(row[0]): tuple(map(str, row)) for row in names}
    if form != "tree":
        return {f"v{value}": (f"v{value}", "*") for value in range(size)}
    return random_rows(rng, size, rng.choice([1, 1, 2, 3, 4]))


def random_local(
    rng: Random,
    n: int,
    *,
    forms: tuple[Form, ...] = FORMS,
    n_columns: int = 4,
    missing: bool = False,
    people: bool = False,
) -> LocalTable:
    """Return a table of n records, some of them alike, with up to `n_columns` quasi columns and two sensitive ones."""
    chosen = {
        f"q{number}": rng.choice(forms) for number in range(max(rng.randint(1, n_columns), rng.randint(1, n_columns)))
    }
    size = rng.choice([2, 4, 6])
    sizes = {column: rng.randint(2, size) if rng.random() < 0.9 else 1 for column in chosen}
    hierarchies = {column: random_column(rng, form, sizes[column]) for column, form in chosen.items()}

    def record() -> Record:
        quasi = {column: rng.choice(list(rows)) for column, rows in hierarchies.items()}
        holes = {column: None for column in quasi if missing and rng.random() < 0.25}
        return {**quasi, **holes, "illness": rng.choice("1124"), "wage": rng.choice("xy")}

    records = [record() for _ in range(n if rng.random() < 0.5 else rng.randint(1, n))]
    records += [rng.choice(records) for _ in range(n - len(records))]
    outside = [*records, *(record() for _ in range(rng.randint(0, 4)))] if people else []
    weights = {column: rng.choice([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 3.0, 0.0]) for column in hierarchies}
    return LocalTable(records, hierarchies, ("illness", "wage"), weights, outside, chosen)


def random_promises(rng: Random, *, population: bool = False) -> tuple[PrivacyModel, ...]:
    """Return k-anonymity most often, and with or without it promises on a sensitive column or on an outside table."""
    others = sorted(set(MODEL_MAKERS) - {"k-anonymity", *POPULATION_MODELS, *AS_OTHERS})
    names = rng.sample(others, rng.choice([0, 0, 0, 1, 1, 2])) + ([rng.choice(POPULATION_MODELS)] if population else [])
    models = [MODEL_MAKERS[name](rng) for name in names]
    if not models or rng.random() < 0.7:
        models.insert(0, KAnonymity(k=rng.choice([1, 2, 2, 3, 3, 4])))
    return tuple(models)


@cache
def random_request(seed: int, measure: str | None = None) -> Case:
    """Return any request; the less the brute force can take apart, the fewer the records.

    Args:
        seed: What the case is drawn from.
        measure: The measure, if it is not to be drawn.
    """
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    people, wildcard = rng.random() < 0.04, rng.random() < 0.15
    drawn = rng.choice([*MEASURES.names, "lm", "ncp", "stars", "tree", "entropy"])
    measure = drawn if measure is None else measure
    limit = rng.choice([LIMITS[0], LIMITS[0], *LIMITS])
    most = 6 if wildcard or people or measure in CLASSES else 7 if limit > 0 else 9
    forms: tuple[Form, ...] = rng.choice(
        [("tree",), ("tree",), ("tree",), FORMS, ("ranges", "numbers", "grid"), ("sets",)]
    )
    missing = wildcard or rng.random() < 0.15
    table = random_local(rng, rng.randint(1, most), forms=forms, missing=missing, people=people)
    models = random_promises(rng, population=people)
    for _ in range(5):
        if people or all(keeps(model, table.records, table.records, table.sensitive) for model in models):
            break
        models = random_promises(rng)  # most requests can be met, but not all
    return Case(table, Rules(models, stars=rng.random() < 0.3, wildcard=wildcard), measure, limit)


@cache
def plain_request(seed: int, measure: str = "stars", n: int | None = None) -> Case:
    """Return a table of trees, without missing values, of which k-anonymity alone is asked."""
    rng = Random(seed)  # noqa: S311
    n = rng.choice([2, 3, 4, 5, 6, 7, 8, 9, 6, 7, 8, 9]) if n is None else n
    k = rng.choice([1, 2, 2, 2, 3, 3, 3, 4])
    return Case(random_local(rng, n, forms=("tree",)), Rules((KAnonymity(k=min(k, n)),)), measure, Fraction(0))


@cache
def uneven_request(seed: int) -> Case:
    """Return a request that one class of all records does not meet, since some sensitive values are too frequent."""
    rng = Random(seed)  # noqa: S311
    limit = rng.choice([Fraction(1, 4), Fraction(2, 5), Fraction(1, 2), Fraction(3, 4)])
    forms: tuple[Form, ...] = rng.choice([("tree",), ("tree",), FORMS])
    while True:
        table = random_local(rng, rng.randint(3, 8), forms=forms, n_columns=2, missing=rng.random() < 0.1)
        models = tuple(MODEL_MAKERS[name](rng) for name in rng.sample(UNEVEN, rng.choice([1, 1, 1, 2])))
        if any(not keeps(model, table.records, table.records, table.sensitive) for model in models):
            break
    if rng.random() < 0.7:
        models = (KAnonymity(k=rng.choice([1, 2, 2, 3])), *models)
    if rng.random() < 0.15:
        models = (*models, MODEL_MAKERS[rng.choice(["t-closeness", "beta-likeness"])](rng))
    measure = rng.choice(["lm", "ncp", "stars", "entropy", "tree"])
    return Case(table, Rules(models, stars=rng.random() < 0.1), measure, limit)
