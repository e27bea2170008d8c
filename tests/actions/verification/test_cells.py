"""The texts of a release, read by the hierarchies of the raw table."""

from typing import Any

import pytest

from shoal.actions.verification.cells import AmbiguousCellError, cells_at, cells_of
from shoal.foundation.errors import CertificateError
from shoal.tables.hierarchies import Intervals, Ranges, Sets, Taxonomy


def found(subsets: Any) -> list[tuple[int, int, list[int]]]:
    offsets, members = subsets.offsets.tolist(), subsets.members.tolist()
    pairs = zip(subsets.levels.tolist(), subsets.codes.tolist(), strict=True)
    return [(*pair, members[offsets[i] : offsets[i + 1]]) for i, pair in enumerate(pairs)]


def test_nodes_of_one_level() -> None:
    hierarchy = Intervals(widths=(10,)).build(["20", "25", "31"], "age").with_missing()
    assert found(cells_at(hierarchy, 1, ["30-39", "20-29", None], "age")) == [(1, 1, []), (1, 0, []), (1, 2, [])]
    assert found(cells_at(hierarchy, 0, ["31"], "age")) == [(0, 2, [])]
    assert found(cells_at(hierarchy, 2, ["*"], "age")) == [(2, 0, [])]
    with pytest.raises(CertificateError, match="Column 'age' has 2 different cells"):
        cells_at(hierarchy, 1, ["20", "*", "20-29"], "age")
    with pytest.raises(CertificateError, match="has no level 3: its hierarchy has 2"):
        cells_at(hierarchy, 3, ["*"], "age")


def test_a_node_stands_at_its_lowest_level() -> None:
    hierarchy = Taxonomy(tree={"all": {"x": ["a", "b"], "y": {"y1": ["c"]}}}).build(["a", "b", "c"], "q")
    read = dict(zip("axc", found(cells_of(hierarchy, ["a", "x", "c"], "q")), strict=True))
    assert read["a"][0] == read["c"][0] == 0
    assert read["x"][0] == min(level for level, labels in enumerate(hierarchy.labels) if "x" in labels)
    for text in ("a - b", "{a, b}", None):
        with pytest.raises(CertificateError, match="has 1 different cells that the values"):
            cells_of(hierarchy, [text], "q")


def test_ranges() -> None:
    hierarchy = Ranges().build(["1", "2", "3", "15"], "n").with_missing()
    top = hierarchy.height
    read = found(cells_of(hierarchy, ["2", "1 - 3", "1 - 15", "*", None, "2 -- 3"], "n"))
    assert [leaves for _, _, leaves in read] == [[], [0, 2], [0, 3], [], [], [1, 2]]
    assert (read[0][:2], read[3][:2], read[4][:2]) == ((0, 1), (top, 0), (0, 4))
    for level, code, leaves in read[1:3]:
        assert all(hierarchy.codes[level, leaf] == code for leaf in leaves)
        assert level == 0 or len({hierarchy.codes[level - 1, leaf] for leaf in leaves}) == 2
    for text in ("3 - 1", "1 - 1", "1 - 4", "1-3", "0 - 3"):
        with pytest.raises(CertificateError):
            cells_of(hierarchy, [text], "n")


def test_with_a_grid_ranges_end_where_its_cells_do_and_nodes_stand_for_themselves() -> None:
    values = ["20", "22", "25", "31", "38"]
    hierarchy = Ranges(grid=5).build(values, "n")
    assert hierarchy.labels[2][0] == "20-23"
    assert found(cells_of(hierarchy, ["20-23", "22"], "n")) == [(2, 0, []), (0, 1, [])]
    read = found(cells_of(hierarchy, ["20 - 24", "20 - 29", "25 - 34", "30 - 39"], "n"))
    assert [leaves for _, _, leaves in read] == [[0, 1], [0, 2], [2, 3], [3, 4]]
    for text in ("20 - 22", "22 - 29", "25 - 29", "15 - 24"):
        with pytest.raises(CertificateError):
            cells_of(hierarchy, [text], "n")
    for text in ("20-23", "20 - 24"):  # without a grid neither is published
        with pytest.raises(CertificateError):
            cells_of(Ranges().build(values, "n"), [text], "n")


def test_a_column_that_misses_nothing_has_no_empty_cell() -> None:
    for recipe in (Ranges(), Sets()):
        with pytest.raises(CertificateError, match="has 1 different cells"):
            cells_of(recipe.build(["1", "2", "3"], "n"), ["2", None], "n")


def test_ranges_of_texts_that_hold_dashes() -> None:
    hierarchy = Ranges(order=("a", "a - b", "b - c", "c")).build([], "n")
    assert found(cells_of(hierarchy, ["a - b"], "n")) == [(0, 1, [])]
    clear = Ranges(order=("a", "a - b", "c")).build([], "n")
    assert found(cells_of(clear, ["a - b - c"], "n"))[0][2] == [1, 2]
    with pytest.raises(AmbiguousCellError):
        cells_of(Ranges(order=("a", "a - b", "b - d", "d")).build([], "n"), ["a - b - d"], "n")


def test_sets() -> None:
    hierarchy = Sets().build(["a", "b", "x, y", "z"], "n").with_missing()
    read = found(cells_of(hierarchy, ["{a, b}", "{a, x, y}", "{b,, z}", "{a, b, x, y, z}", "*", None, "z"], "n"))
    assert [leaves for _, _, leaves in read] == [[0, 1], [0, 2], [1, 3], [0, 1, 2, 3], [], [], []]
    assert read[0][:2] == read[4][:2] == (hierarchy.height, 0)
    for text in ("{b, a}", "{a, a}", "{a}", "{a, c}", "a, b", "{a, b", "{}", "{x, y}", "(a, b)", "{a, b)", "(a, b}"):
        with pytest.raises(CertificateError):
            cells_of(hierarchy, [text], "n")
    with pytest.raises(AmbiguousCellError):
        cells_of(Sets().build(["a", "a, b", "b", "c"], "n"), ["{a, b, c}"], "n")
