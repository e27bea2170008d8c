"""Both reports say what pseudonyms link, whose key it is, and what they do not protect from."""

from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest

import shoal
from shoal.releases.reporting import Audience

TABLE = {
    "id": ["Canary1", "Canary1", "Canary2", "Canary3", "Canary4", "Canary4"],
    "age": ["30", "30", "30", "50", "50", "50"],
    "ill": ["flu", "cold"] * 3,
}
ASKED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 2}


def section(page: str) -> str:
    return page.partition('<section id="pseudonyms">')[2].partition("</section>")[0]


@pytest.mark.parametrize("kept", [False, True])
def test_what_pseudonyms_do_not_protect_from_is_said(tmp_path: Path, kept: bool) -> None:
    shoal.new_pseudonym_key(tmp_path / "a.key")
    key: dict[str, Any] = {"pseudonym_key": tmp_path / "a.key"} if kept else {}
    release = shoal.anonymize(pl.DataFrame(TABLE), pseudonyms=["id"], **ASKED, **key)
    for audience in get_args(Audience):
        page = release.report(audience=audience)
        told = section(page)
        assert "Canary" not in page
        assert "whoever finds one record of a person" in told.lower()
        assert ("kept by nobody" in told) is not kept
        assert ("k holds for each of them alone" in told) is kept
        assert ("Keep the key apart" in told) is (kept and audience == "steward")
        assert "at least 1 others of different persons" in page  # two persons in each class, though three records
        assert not any(one in page for one in release.data["id"])
        methods = page.partition('<section id="methods">')[2]
        assert "HMAC-SHA-256, 128 bits" in methods
        assert "numbers from 1 within each class" not in methods


def test_persons_with_one_record_are_not_said_to_be_linked_and_others_say_nothing() -> None:
    once = pl.DataFrame(TABLE).with_columns(pl.Series("id", [f"Canary{i}" for i in range(6)]))
    assert "finds one record" not in section(shoal.anonymize(once, pseudonyms=["id"], **ASKED).report())
    assert 'id="pseudonyms"' not in shoal.anonymize(once, drop=["id"], **ASKED).report()
