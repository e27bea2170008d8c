"""The section on what cells print: in red where it is a true value, and in both reports."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal

TABLE = pl.DataFrame(
    {
        "age": [str(age) for age in range(20, 60)],
        "wage": [str(97 * number + number % 7) for number in range(40)],
        "born": [f"{1940 + number}-{1 + number % 12:02d}-11" for number in range(40)],
        "job": ["cook", "nurse", "pilot", "smith"] * 10,
        "grade": ["low", "middle", "high", "low"] * 10,
        "ill": ["a", "b"] * 20,
    }
)


def sections(folder: Path, quasi: Any, **given: Any) -> list[str]:
    names = list(quasi)
    dropped = [name for name in TABLE.columns if name not in (*names, "ill")]
    asked: dict[str, Any] = {"k": 4, "algorithm": "mondrian", "seed": 1} | given
    shoal.anonymize(TABLE, quasi=quasi, sensitive=["ill"], drop=dropped, **asked).write(folder)
    pages = [(folder / name).read_text() for name in ("private/report.html", "public/report-public.html")]
    found = [re.search(r'<section id="printed">(.*?)</section>', page, re.DOTALL) for page in pages]
    return [unescape(one[1]) if one else "" for one in found]


@pytest.mark.parametrize(
    ("quasi", "given", "red", "words"),
    [
        ({"wage": {"type": "ranges", "grid": "none"}}, {}, True, 'no grid (grid = "none"), so the least and the'),
        ({"age": None}, {}, True, "its grid (1) is as fine as the values, which is none"),
        ({"wage": None}, {}, False, "ranges end where a public grid does (grid = 20)"),
        ({"born": None}, {}, False, "(grid = quarter)"),
        ({"born": None}, {}, False, "a record of the class lies in the cell of the grid at each end"),
        ({"job": None}, {"k": 12}, True, "every value of a set occurs in its class"),
        (
            {"grade": {"type": "ranges", "order": ["low", "middle", "high"]}},
            {"k": 11},
            True,
            "an order of values has no",
        ),
        ({"age": {"type": "order", "fanout": 4}}, {}, True, "its groups end at values"),
        (
            {"age": {"type": "order", "fanout": 4}},
            {"algorithm": "optimal"},
            True,
            "its groups end at values that occur in the table",
        ),
        ({"age": None}, {"algorithm": "r-gather"}, True, "Each cluster tells its own radius"),
    ],
)
def test_true_values_are_told_in_red(quasi: Any, given: dict[str, Any], red: bool, words: str, tmp_path: Path) -> None:
    for shown in sections(tmp_path / "release", quasi, **given):
        assert words in shown
        assert ('<div class="warning">' in shown) is red
        assert ("often fits one person alone" in shown) is red


@pytest.mark.parametrize(
    ("quasi", "given"),
    [
        ({"age": {"type": "intervals", "widths": [10, 20]}}, {}),
        ({"wage": None}, {"algorithm": "optimal"}),
        ({"job": "suppression"}, {}),
    ],
)
def test_nodes_print_nobodys_values(quasi: Any, given: dict[str, Any], tmp_path: Path) -> None:
    assert sections(tmp_path / "release", quasi, **given) == ["", ""]
