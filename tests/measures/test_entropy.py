from math import log2

import pytest

from shoal.measures import Entropy, Lm, Tree
from tests.measures.build import build, publish, quasi_column
from tests.measures.oracle import PlainColumn
from tests.measures.papers import SKEWED, skewed


def entropy_of(*shares: float) -> float:
    return sum(-share * log2(share) for share in shares)


GENDER = PlainColumn("gender", (("M", "*"), ("F", "*")))
PROFESSIONS = PlainColumn(
    "profession",
    (
        ("kindergarten teacher", "education", "*"),
        ("school teacher", "education", "*"),
        ("university lecturer", "education", "*"),
        ("electrical engineer", "engineering", "*"),
        ("mechanical engineer", "engineering", "*"),
        ("civil engineer", "engineering", "*"),
    ),
)
ONE_TWO_THREE = PlainColumn("value", (("1", "*"), ("2", "*"), ("3", "*")))


@pytest.mark.parametrize("n_zips", [2, 4, 8])
def test_example_4_2_hiding_the_gender_costs_less_than_hiding_the_zip(n_zips: int) -> None:
    """In the paper's own four records the two are alike, 1 bit each: the zip needs more values than the gender."""
    zips = PlainColumn("zip", tuple((str(41278 + number), "*") for number in range(n_zips)))
    records = [(gender, row[0]) for gender in "MF" for row in zips.rows]
    no_gender = build(publish([GENDER, zips], records, [[1, 0]] * len(records)))
    no_zip = build(publish([GENDER, zips], records, [[0, 1]] * len(records)))
    assert no_gender.loss(Tree()).total == no_zip.loss(Tree()).total
    assert no_gender.loss(Entropy()).total == pytest.approx(len(records))
    assert no_zip.loss(Entropy()).total == pytest.approx(len(records) * log2(n_zips))


def test_example_4_3_a_node_with_one_frequent_value_costs_little() -> None:
    counts = [20, 20, 20, 58, 1, 1]
    values = [row[0] for row, count in zip(PROFESSIONS.rows, counts, strict=True) for _ in range(count)]
    column = quasi_column(PROFESSIONS, values)
    education, engineering = Entropy().costs(column).by_level[1]
    assert education == pytest.approx(log2(3))
    assert engineering == pytest.approx(entropy_of(58 / 60, 1 / 60, 1 / 60))
    assert engineering < education / 5
    for even in (Tree(), Lm()):
        assert len(set(even.costs(column).by_level[1])) == 1


def test_example_4_4_costs_3() -> None:
    release = publish([ONE_TWO_THREE], [("1",), ("2",), ("3",), ("3",)], [[1], [1], [0], [0]])
    loss = build(release).loss(Entropy())
    assert loss.total == pytest.approx(3)
    assert loss.share == pytest.approx(0.5)


def test_example_4_5_costs_3_183() -> None:
    """One of six equal records is hidden and five are not."""
    records = [("1",), ("2",)] + [("3",)] * 6
    release = publish([ONE_TWO_THREE], records, [[1]] * 3 + [[0]] * 5)
    assert build(release).loss(Entropy()).total == pytest.approx(3.183, abs=1e-3)


@pytest.mark.parametrize(("rare", "n_records"), [(1, 1000), (10, 1000), (1, 16)])
def test_example_4_7_it_is_not_monotone(rare: int, n_records: int) -> None:
    costs = Entropy().costs(quasi_column(SKEWED, skewed(rare, n_records)))
    epsilon = rare / n_records
    assert costs.by_level[1][1] == pytest.approx(1)
    assert costs.full == pytest.approx(entropy_of(1 - 3 * epsilon, epsilon, epsilon, epsilon))
    assert costs.by_level[1][1] > costs.full
    assert not Entropy.monotone


@pytest.mark.parametrize(("rare", "n_records"), [(1, 8), (1, 1000)])
def test_tables_1_and_2(rare: int, n_records: int) -> None:
    costs = Entropy().costs(quasi_column(SKEWED, skewed(rare, n_records)))
    epsilon = rare / n_records
    both = entropy_of((1 - 3 * epsilon) / (1 - 2 * epsilon), epsilon / (1 - 2 * epsilon))
    assert costs.by_level[0].tolist() == [0, 0, 0, 0]
    assert costs.by_level[1] == pytest.approx([both, 1])
    assert costs.by_level[2] == pytest.approx([entropy_of(1 - 3 * epsilon, epsilon, epsilon, epsilon)])


def test_equation_7_the_loss_of_the_whole_table() -> None:
    records = [(value,) for value in skewed(1, 8)]
    both = entropy_of(5 / 6, 1 / 6)
    assert build(publish([SKEWED], records, [[1]] * 8)).loss(Entropy()).total == pytest.approx(
        8 * (6 / 8 * both + 2 / 8)
    )


def test_a_release_may_cost_more_than_nothing_at_all_and_its_share_is_1() -> None:
    values = skewed(10, 1000)
    levels = [[1] if value in "34" else [2] for value in values]
    loss = build(publish([SKEWED], [(value,) for value in values], levels)).loss(Entropy())
    assert loss.total > 1000 * Entropy().costs(quasi_column(SKEWED, values)).full
    assert loss.share == 1


def test_absent_values_cost_nothing() -> None:
    costs = Entropy().costs(quasi_column(SKEWED, ["1", "1"]))
    assert [prices.tolist() for prices in costs.by_level] == [[0, 0, 0, 0], [0, 0], [0]]
    assert costs.full == 0
