from shoal.tables.hierarchies.grid_cells import GridCells

CELLS = GridCells.of([4, 5, 12], [(0, 9), (0, 9), (10, 19)], [("0", "9"), ("10", "19")])


def test_cells_are_clipped_to_the_range_of_the_column() -> None:
    assert CELLS.cell.tolist() == [0, 0, 1]
    assert (CELLS.first.tolist(), CELLS.last.tolist()) == ([0, 2], [1, 2])
    assert (CELLS.low.tolist(), CELLS.high.tolist()) == ([0, 6], [5, 8])
    assert CELLS.texts(1, 2) == ("0", "19")
    assert not CELLS.fine


def test_a_leaf_apart_is_a_cell_of_its_own_at_the_end() -> None:
    more = CELLS.with_apart(["-9", None])
    assert more.cell.tolist() == [0, 0, 1, 2, 3]
    assert (more.firsts.tolist(), more.lasts.tolist()) == ([0, 0, 2, 3, 4], [1, 1, 2, 3, 4])
    assert (more.low.tolist(), more.high.tolist()) == ([0, 6, 8, 8], [5, 8, 8, 8])
    assert more.texts(3, 3) == ("-9", "-9")


def test_no_leaves_have_no_cells() -> None:
    cells = GridCells.of([], [], [])
    assert len(cells.cell) == len(cells.first) == len(cells.low) == 0
    assert cells.with_apart([None]).high.tolist() == [0]
