from tests.oracles.papers import FIGURE_1
from tests.oracles.problems import tally_of


def test_the_tally_of_figure_1() -> None:
    tally = tally_of(FIGURE_1)
    assert (tally.n_records, tally.n_points) == (10, 8)
    assert sorted(tally.counts.tolist()) == [1, 1, 1, 1, 1, 1, 2, 2]
    assert [column.leaf_counts.tolist() for column in tally.quasi] == [[3, 3, 1, 3], [2, 2, 2, 4], [6, 4]]
