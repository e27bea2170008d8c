"""How much work the search needs: nodes, evaluations and judgements of fixed tables."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from shoal.measures import Classification, Discernibility
from shoal.models import EntropyLDiversity, FrequencyLDiversity, KAnonymity, PrivacyModel
from shoal.search.single_dimensional import enumeration
from shoal.search.single_dimensional.enumeration import Enumeration
from shoal.search.single_dimensional.recodings import Recodings
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.single_dimensional.test_enumeration import LIMITS


def wide(seed: int) -> Recodings:
    """Return the recodings of a table of three columns with six ordered values: 15 cut points."""
    rng = Random(seed)  # noqa: S311
    values = [str(number) for number in range(6)]
    records = [{**{name: rng.choice(values) for name in "abc"}, "s": rng.choice("xy")} for _ in range(40)]
    rows = {name: {value: (value, "*") for value in values} for name in "abc"}
    table = LocalTable(records, rows, ("s",), forms=dict.fromkeys("abc", "ranges"))
    models: tuple[PrivacyModel, ...] = (KAnonymity(k=3),)
    if seed % 3 == 1:
        models = (*models, EntropyLDiversity(l=Fraction(3, 2), column="s"))
    if seed % 3 == 2:
        models = (*models, FrequencyLDiversity(l=Fraction(3, 2), column="s"))
    measure = Discernibility() if seed % 2 else Classification()
    return Recodings(local_problem(table, Rules(models), measure.name, LIMITS[seed // 2 % 3]), measure, 32)


@pytest.mark.parametrize(
    ("climbs", "deep", "most", "effort"),
    [
        (True, None, None, (4333, 5245, 1395)),
        (False, None, None, (5923, 5932, 2006)),
        (False, 2, None, (3809, 3818, 1150)),
        (False, 1, 1, (5322, 5331, 1763)),
        (False, 1, 2, (5404, 5413, 1819)),
    ],
)
def test_as_many_nodes_as_it_needs_now(
    climbs: bool, deep: int | None, most: int | None, effort: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes, evaluations and judgements: more would mean that less is pruned, or climbed in vain."""
    if not climbs:
        monkeypatch.setattr(Enumeration, "_climb", lambda self: None)
    for name, number in (("_DEEP", deep), ("_MOST_NODES", most)):
        if number is not None:
            monkeypatch.setattr(enumeration, name, number)
    asked: Counter[str] = Counter()
    for name in ("evaluate", "judge"):
        _count(monkeypatch, name, asked)
    n_nodes, costs = 0, []
    for seed in range(9):
        search = Enumeration(wide(seed), float("inf"))
        search.run()
        assert search.complete
        n_nodes += search.n_nodes
        costs.append(search.cost)
    assert costs == [12, 166, 14, 168, 11, 220, 12, 194, 15]

    assert (n_nodes, asked["evaluate"], asked["judge"]) == effort


def _count(monkeypatch: pytest.MonkeyPatch, name: str, asked: Counter[str]) -> None:
    own = getattr(Recodings, name)

    def counted(*given: Any) -> Any:
        asked[name] += 1
        return own(*given)

    monkeypatch.setattr(Recodings, name, counted)
