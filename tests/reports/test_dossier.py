"""What officers ask for: the identifiers of HIPAA, and what was not tested."""

import re
from html import unescape
from typing import Any, Literal

import polars as pl

import shoal

TABLE = pl.DataFrame(
    {
        "zip": ["53117", "53118"] * 10,
        "age": [str(91 + i % 2) for i in range(20)],
        "note": [f"mail to p{i}@clinic.org" for i in range(20)],
        "ill": ["flu", "gout"] * 10,
    }
)


def section(page: str, key: str) -> str:
    [found] = re.findall(rf'<section id="{key}">(.*?)</section>', page, re.DOTALL)
    return unescape(re.sub("<[^>]+>", " ", found))


def test_identifiers_are_told_by_column_and_never_as_proof() -> None:
    given: dict[str, Any] = {
        "quasi": {"zip": "suppression", "age": "suppression"},
        "sensitive": ["ill"],
        "insensitive": ["note"],
    }
    page = shoal.anonymize(TABLE, **given, k=2, algorithm="optimal", seed=1).report()
    told = section(page, "hipaa")
    assert "zip: 2 of 2 values show more than three digits" in told
    assert "age: 2 of 2 different values print ages above 89" in told
    assert "note: 20 of 20 different values hold an e-mail address" in told
    assert "note: nearly every record has a value of its own" in told
    assert "4 may be in the release" in told
    assert "Nothing found is no proof" in told
    assert "@clinic" not in told
    clean = shoal.anonymize(TABLE, quasi=["ill"], omit=["zip", "age", "note"], k=2).report()
    assert "None of the 18 identifiers" in section(clean, "hipaa")
    assert "Nothing found is no proof" in section(clean, "hipaa")


def test_what_was_not_tested_is_said_to_both() -> None:
    given: dict[str, Any] = {"quasi": ["zip"], "insensitive": ["note"], "omit": ["age", "ill"], "k": 2}
    release = shoal.anonymize(TABLE, **given)
    audiences: tuple[Literal["steward", "public"], ...] = ("steward", "public")
    for audience in audiences:
        told = section(release.report(audience=audience), "not-tested")
        for words in ("motivated intruder", "published as they are (note)", "no column is declared sensitive", "Harm"):
            assert words in told
    given = {"quasi": ["zip"], "sensitive": ["ill"], "omit": ["age", "note"], "k": 2}
    told = section(shoal.anonymize(TABLE, **given).report(), "not-tested")
    assert "declared sensitive" not in told
    assert "published as they are" not in told
