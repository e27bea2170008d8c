"""Ten rows before and after: what they show of rare values, and to whom."""

import re
from html import unescape

import polars as pl

import shoal

TABLE = pl.DataFrame(
    {
        "name": [f"Person{i}" for i in range(24)],
        "city": ["Bonn"] * 12 + ["Aachen"] * 11 + ["Zzyzx"],
        "job": ["cook", "nurse"] * 12,
        "ill": ["flu", "gout"] * 11 + ["rabies", "flu"],
    }
)


def rows_of(page: str) -> list[list[list[str]]]:
    [section] = re.findall(r'<section id="rows">(.*?)</section>', page, re.DOTALL)
    tables = re.findall(r"<tbody>(.*?)</tbody>", section, re.DOTALL)
    rows = [re.findall(r"<tr>(.*?)</tr>", table) for table in tables]
    cells = re.compile(r"<td[^>]*>(?:<i>)?(.*?)(?:</i>)?</td>")
    return [[list(map(unescape, cells.findall(row))) for row in table] for table in rows]


def test_rare_values_are_shown_by_their_form_and_identifiers_not_at_all() -> None:
    release = shoal.anonymize(TABLE, quasi=["city", "job"], sensitive=["ill"], drop=["name"], k=3, seed=1)
    page = release.report()
    before, after = rows_of(page)
    assert len(before) == len(after) == 10
    assert before[0] == ["Bonn", "cook", "flu"]
    assert before[-1][0] == "aaaaa"
    assert "<i>aaaaa</i>" in page
    assert all(len(row) == 3 for row in (*before, *after))
    assert not any(word in page for word in ("Zzyzx", "rabies", "Person"))
    assert any("{" in cell for row in after for cell in row if "aaaaa" in cell)  # the set that names it
    assert 'id="rows"' not in release.report(audience="public")


def test_fewer_rows_and_missing_values_and_long_ones() -> None:
    table = pl.DataFrame({"a": ["x" * 100] * 3 + [None] * 3, "b": ["1"] * 6})
    before, after = rows_of(shoal.anonymize(table, quasi=["a"], insensitive=["b"], k=3, seed=1).report())
    assert [row[0] for row in before] == ["x" * 80 + "..."] * 3 + [""] * 3
    assert sorted({row[0] for row in after}) == ["", "x" * 80 + "..."]
