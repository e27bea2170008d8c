"""The file of rules has a line for each innermost object or list, however it is made."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.releases.rules.rules import _lines

LEAVES = st.sampled_from([1, None, 2.5, True, "x", "], [", "[", "{"])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner))
NUMBERS = st.lists(st.lists(st.integers(-5, 5) | st.none(), max_size=3), min_size=1, max_size=5)


def plain(value: Any, indent: str = "") -> str:
    """Write one entry after another."""
    inner = list(value.values() if isinstance(value, dict) else value)
    nested = [one for one in inner if isinstance(one, dict | list)]
    flat = [one for one in nested if isinstance(one, list) and not any(isinstance(each, dict | list) for each in one)]
    if len(flat if isinstance(value, dict) else []) == len(nested):
        return json.dumps(value, ensure_ascii=False)
    entries = [plain(one, indent + "  ") if isinstance(one, dict | list) else json.dumps(one) for one in inner]
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}: {entry}" for key, entry in zip(value, entries, strict=True)]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{indent}  " + f",\n{indent}  ".join(entries) + f"\n{indent}{end}"


@settings(deadline=None, max_examples=400)
@given(value=st.dictionaries(st.sampled_from("ab"), VALUES | NUMBERS) | st.lists(VALUES | NUMBERS, max_size=4))
def test_lines_are_those_of_the_plain_way(value: Any) -> None:
    assert _lines(value) == plain(value)
    assert json.loads(_lines(value)) == value
