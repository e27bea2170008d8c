import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies import Hierarchy, Taxonomy

WORLD: dict[str, Any] = {"Any": {"Europe": ["France", "Italy"], "Asia": ["India", {"East": ["Japan", "Korea"]}]}}


def build(tree: dict[str, Any]) -> Hierarchy:
    return Taxonomy(tree=tree).build((), "country", Path())


def test_an_unbalanced_tree_level_by_level() -> None:
    hierarchy = build(WORLD)
    assert hierarchy.labels == (
        ("France", "Italy", "India", "Japan", "Korea"),
        ("France", "Italy", "India", "East"),
        ("Europe", "Asia"),
        ("Any",),
    )
    assert hierarchy.codes.tolist() == [[0, 1, 2, 3, 4], [0, 1, 2, 3, 3], [0, 0, 1, 1, 1], [0, 0, 0, 0, 0]]
    tree = hierarchy.tree()
    assert tree.labels[5:] == ("East", "Europe", "Asia", "Any")
    assert tree.leaves[5:].tolist() == [2, 2, 3, 5]


def test_a_leaf_straight_below_the_root_stays_itself_up_to_the_top() -> None:
    assert build({"Any": ["a", {"B": {"C": ["d", "e"]}}]}).labels == (("a", "d", "e"), ("a", "C"), ("a", "B"), ("Any",))


def test_files(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(json.dumps(WORLD))
    (tmp_path / "tree.toml").write_text(
        '[Any]\nEurope = ["France", "Italy"]\nAsia = ["India", { East = ["Japan", "Korea"] }]\n'
    )
    for path in ("tree.json", "tree.toml"):
        assert Taxonomy(path=path).build((), "country", tmp_path).labels == build(WORLD).labels


def test_a_job_file_holds_the_tree_itself() -> None:
    assert TypeAdapter(Taxonomy).validate_python({"tree": WORLD}) == Taxonomy(tree=WORLD)


def test_values_that_the_tree_lacks_are_counted() -> None:
    with pytest.raises(SpecError, match=r"^The hierarchy of column 'country' lacks 1 of the 2 different values"):
        build(WORLD).encode(["France", "SECRET"], "country")


NOTHING: tuple[Any, ...] = ("SECRET", 7, {}, [], [{}], None)
WHERE = "the taxonomy of column 'country'"


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({}, f"No single top in {WHERE}: it has 0 names at the top. Put all nodes below one name."),
        (
            {"A": ["SECRET"], "B": ["c"]},
            f"No single top in {WHERE}: it has 2 names at the top. Put all nodes below one name.",
        ),
        (
            {"Any": {"A": ["SECRET"], "B": {"C": ["d", "SECRET"]}}},
            f"A value stands twice in {WHERE}: below 'Any > A' and below 'Any > B > C'.",
        ),
        ({"Any": {"A": ["b", ""]}}, f"Empty value below 'Any > A' in {WHERE}: the missing value needs no leaf."),
        ({"Any": {"": ["SECRET"]}}, f"A node without a name in {WHERE}: 'Any > '."),
        (
            {"Any": {"A": {"Other": ["SECRET"]}, "B": {"Other": ["c"]}}},
            f"Two nodes of the same name in {WHERE}: 'Any > A > Other' and 'Any > B > Other'. Give them different "
            "names, or a release could not tell them apart.",
        ),
        (
            {"Any": {"A": ["B"], "B": ["SECRET"]}},
            f"A value below 'Any > A' has the name of a node in {WHERE}. Give the node another name, or a release "
            "could not tell them apart.",
        ),
        *(
            (
                {"Any": {"A": below, "B": ["c"]}},
                f"Nothing that can be read below 'Any > A' in {WHERE}: a list of values (texts) or a table of nodes is "
                "needed.",
            )
            for below in NOTHING
        ),
        *(
            (
                {"Any": {"A": ["SECRET", item]}},
                f"The list below 'Any > A' in {WHERE} may hold only values (texts) and tables.",
            )
            for item in (7, ["b"], None)
        ),
    ],
)
def test_what_is_wrong_is_said_without_values(tree: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(tree)
    assert str(caught.value) == message
    assert "SECRET" not in message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "t.json",
            '{"Any": ["a"}',
            "is not a JSON file: Expecting ',' delimiter: line 1 column 13 (char 12).",
        ),
        ("t.json", '{"Any": {"A": ["b"], "A": ["c"]}}', "is not a JSON file: a name stands twice in one table."),
        ("t.json", '["a"]', "is not a tree: a table of nodes is needed at the top."),
        ("t.toml", "Any = [", "is not a TOML file: Invalid value (at end of document)."),
    ],
)
def test_files_that_are_no_trees(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SpecError) as caught:
        Taxonomy(path=name).build((), "country", tmp_path)
    assert str(caught.value) == f"The taxonomy '{name}' of column 'country' {message}"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        Taxonomy(path="none.toml").build((), "country", tmp_path)
    assert str(caught.value) == (
        f"No file for the taxonomy 'none.toml' of column 'country': '{tmp_path / 'none.toml'}' does not exist."
    )


@pytest.mark.parametrize("spec", [{}, {"path": "t.toml", "tree": {"Any": ["a"]}}])
def test_a_path_or_a_tree(spec: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^a taxonomy needs 'path' or 'tree', and not both$"):
        Taxonomy(**spec)
