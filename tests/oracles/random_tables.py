"""Small random tables and requests, from a seed; small, so that thresholds are often met exactly."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Literal

from shoal.models import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KEAnonymity,
    KMap,
    KMapEstimate,
    PopulationUniqueness,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    SampleUniqueness,
    TCloseness,
)
from tests.models.cases import WHOLE
from tests.oracles.plain import PlainTable, Record, Rows, Rules
from tests.oracles.problems import PEOPLE

AS_OTHERS = ("k-map-estimate", *WHOLE)  # local searches are given others in place of them: see `search/by_class.py`
LIMITS = (Fraction(0), Fraction(1, 10), Fraction(3, 10), Fraction(1))


def random_rows(rng: Random, size: int, height: int) -> Rows:
    """Return a nested hierarchy of any shape: nodes may stay as they are from level to level."""
    rows = {f"v{value}": [f"v{value}"] for value in range(size)}
    groups = list(range(size))
    for level in range(1, height):
        join = [rng.choice([node, rng.randrange(size)]) for node in range(size)]
        groups = [join[group] for group in groups]
        for value, group in enumerate(groups):
            alone = groups.count(group) == 1
            rows[f"v{value}"].append(f"v{value}" if alone else f"{level}:{group}")
    return {value: (*labels, "*") for value, labels in rows.items()}


def random_table(
    rng: Random, *, missing: bool = False, people: bool = False, n_records: int | None = None, n_columns: int = 3
) -> PlainTable:
    """Return a table with up to three quasi columns and two sensitive ones."""
    hierarchies = {}
    for number in range(rng.randint(1, n_columns)):
        hierarchies[f"q{number}"] = random_rows(rng, rng.randint(1, 4), rng.randint(1, 3))
    n = n_records if n_records is not None else rng.randint(1, 10)

    def record() -> Record:
        quasi = {column: rng.choice(list(rows)) for column, rows in hierarchies.items()}
        holes = {column: None for column in quasi if missing and rng.random() < 0.2}
        return {**quasi, **holes, "illness": rng.choice("1124"), "wage": rng.choice("xy")}

    records = [record() for _ in range(n)]
    records += [rng.choice(records) for _ in range(rng.randint(0, 4))]
    outside = [*records, *(record() for _ in range(rng.randint(0, 6)))] if people else []
    weights = {column: rng.choice([1.0, 1.0, 0.5, 3.0, 0.0]) for column in hierarchies}
    return PlainTable(records, hierarchies, ("illness", "wage"), weights, outside)


def _others(rng: Random) -> Literal["ignored", "known"]:
    return "known" if rng.random() < 1 / 3 else "ignored"


def _fraction(rng: Random, low: int, high: int) -> Fraction:
    """Return a number between `low` and `high` tenths."""
    return Fraction(rng.randint(low, high), 10)


MODEL_MAKERS: dict[str, Callable[[Random], PrivacyModel]] = {
    "k-anonymity": lambda rng: KAnonymity(k=rng.randint(1, 4)),
    "distinct-l-diversity": lambda rng: DistinctLDiversity(
        l=rng.randint(1, 3), column=rng.choice(["illness", "wage"]), others=_others(rng)
    ),
    "entropy-l-diversity": lambda rng: EntropyLDiversity(
        l=_fraction(rng, 10, 22), column="illness", others=_others(rng)
    ),
    "recursive-cl-diversity": lambda rng: RecursiveClDiversity(
        c=_fraction(rng, 5, 30), l=rng.randint(1, 2), column="illness", others=_others(rng)
    ),
    "frequency-l-diversity": lambda rng: FrequencyLDiversity(
        l=rng.choice([Fraction(3, 2), Fraction(2), Fraction(5, 4)]), column="illness", others=_others(rng)
    ),
    "p-sensitive-k-anonymity": lambda rng: PSensitiveKAnonymity(
        p=rng.randint(1, 2), k=rng.randint(1, 4), column="illness", others=_others(rng)
    ),
    "k-e-anonymity": lambda rng: KEAnonymity(
        k=rng.randint(1, 2), e=_fraction(rng, 0, 30), column="illness", others=_others(rng)
    ),
    "alpha-k-anonymity": lambda rng: AlphaKAnonymity(
        alpha=_fraction(rng, 4, 9), k=rng.randint(1, 3), column="illness", value=rng.choice([None, "1"])
    ),
    "t-closeness": lambda rng: TCloseness(
        t=_fraction(rng, 0, 6), column="illness", distance=rng.choice(["equal", "ordered"]), others=_others(rng)
    ),
    "beta-likeness": lambda rng: BetaLikeness(
        beta=_fraction(rng, 2, 20), column="illness", kind=rng.choice(["basic", "enhanced"])
    ),
    "delta-disclosure": lambda rng: DeltaDisclosure(delta=_fraction(rng, 2, 15), column="wage", others=_others(rng)),
    "k-map": lambda rng: KMap(k=rng.randint(1, 6), population=PEOPLE),
    "delta-presence": lambda rng: DeltaPresence(
        least=rng.choice([Fraction(0), Fraction(0), Fraction(1, 5)]), most=_fraction(rng, 5, 10), population=PEOPLE
    ),
    "k-map-estimate": lambda rng: KMapEstimate(
        k=rng.randint(1, 8), fraction=_fraction(rng, 1, 9), estimator=rng.choice(["binomial", "poisson"])
    ),
    "average-risk": lambda rng: AverageRisk(most=_fraction(rng, 2, 9)),
    "sample-uniqueness": lambda rng: SampleUniqueness(most=_fraction(rng, 0, 6)),
    "population-uniqueness": lambda rng: PopulationUniqueness(
        most=_fraction(rng, 0, 4),
        fraction=_fraction(rng, 1, 10),
        estimator=rng.choice(["dankar", "pitman", "zayatz", "snb"]),
    ),
}


def random_models(rng: Random) -> tuple[PrivacyModel, ...]:
    """Return one to three promises of different kinds, often with k-anonymity among them."""
    first = sorted(set(MODEL_MAKERS) - {"k-e-anonymity", *AS_OTHERS})  # tests know what their seeds give with these
    names = rng.sample(first, rng.choice([1, 1, 2, 3]))
    if rng.random() < 0.4 and "k-anonymity" not in names:
        names.append("k-anonymity")
    return tuple(MODEL_MAKERS[name](rng) for name in names)


def random_case(seed: int) -> tuple[PlainTable, Rules]:
    """Return a table and the rules for its release."""
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    models = random_models(rng)
    wildcard = rng.random() < 0.3
    table = random_table(
        rng,
        missing=wildcard or rng.random() < 0.2,
        people=any(model.population_file for model in models) or rng.random() < 0.1,
    )
    return table, Rules(models, stars=rng.random() < 0.3, wildcard=wildcard)


def choosing_case(seed: int) -> tuple[PlainTable, Rules]:
    """Return a table of up to seven classes, which mostly must keep a promise that compares them with the release."""
    rng = Random(seed)  # noqa: S311
    n = rng.randint(3, 7)
    records = [
        {"q": str(number), "s": rng.choice("uvw"[: rng.randint(1, 3)])}
        for number in range(n)
        for _ in range(rng.randint(1, 4))
    ]
    model: PrivacyModel = rng.choice(
        [
            TCloseness(t=Fraction(rng.randint(1, 6), 10), column="s"),
            BetaLikeness(beta=Fraction(rng.randint(2, 12), 10), column="s"),
            DeltaDisclosure(delta=Fraction(rng.randint(3, 15), 10), column="s"),
            FrequencyLDiversity(l=Fraction(3, 2), column="s"),
        ]
    )
    rows = {str(number): (str(number), f"{number // 2}+", "*") for number in range(n)}
    rules = Rules((KAnonymity(k=rng.randint(1, 2)), model), stars=rng.random() < 0.4)
    return PlainTable(records, {"q": rows}, ("s",)), rules


def overlapping_case(seed: int) -> tuple[PlainTable, Rules]:
    """Return up to eight records, some of which miss a value, and so match others."""
    rng = Random(seed)  # noqa: S311
    records = [
        {"q": rng.choice([None, "a", "b"]), "r": rng.choice([None, "x", "y"]), "s": rng.choice("uv")}
        for _ in range(rng.randint(4, 8))
    ]
    rows = {"q": {value: (value, "*") for value in "ab"}, "r": {value: (value, "*") for value in "xy"}}
    models = (KAnonymity(k=2), TCloseness(t=Fraction(rng.randint(1, 5), 10), column="s"))
    return PlainTable(records, rows, ("s",)), Rules(models, wildcard=True)
