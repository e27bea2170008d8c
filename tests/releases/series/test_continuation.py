"""A release as a part of its series, and what its certificate says of that."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.certificate import sealed, text_of
from shoal.foundation.errors import CertificateError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.series_request import SeriesRequest
from shoal.models import KAnonymity
from shoal.releases.series.continuation import ATTACKER, Continuation, link_of
from shoal.releases.series.state import SeriesState
from shoal.tables.location import file_digest
from shoal.tables.rows import Rows
from tests.releases.series.small import cohorts, invariant

ASKED = SeriesRequest(promise="m-invariance", person="patient", key=Path("a.key"), m=2)
TOGETHER = SeriesRequest(promise="companions", person="patient", key=Path("a.key"))
LINK = {"posterior": "2/3"}
RECORDS = [("1", "m", "flu"), ("1", "m", "cold"), ("2", "m", "flu"), ("2", "m", "cold")]


def continuation(
    asked: SeriesRequest, state: SeriesState, before: SeriesState, earlier: tuple[dict[str, Any], ...] = ()
) -> Continuation:
    return Continuation.of(asked, [KAnonymity(k=2)], ("ill",), (state, before), earlier, (4, 5))


def rows(records: Sequence[tuple[str, ...]]) -> Rows:
    return Rows.each(pl.DataFrame(records, schema=["age", "sex", "ill"], orient="row"))


def test_the_certificate_says_all_of_it() -> None:
    before = replace(invariant(), number=1)
    assert continuation(ASKED, invariant(), before, (LINK,)).section() == {
        "promise": "m-invariance",
        "m": 2,
        "column": "ill",
        "number": 2,
        "counterfeits": 1,
        "withheld": 4,
        "waiting": 5,
        "persons": 4,
        "least": {"values": 2, "persons": 1},
        "posterior": "2/3",
        "attacker": ATTACKER,
        "earlier": [LINK],
    }
    first = continuation(TOGETHER, cohorts(), replace(cohorts(), number=0)).section()
    assert first["posterior"] == "1/2"  # those of before the first release are not asked
    assert not {"m", "column"} & first.keys()


def test_what_was_before_counts_for_companions() -> None:
    before = replace(cohorts(), known_marks=("1:a", "1:a"))
    assert continuation(TOGETHER, replace(cohorts(), number=2), before).posterior == Fraction(1, 2)
    gone = replace(before, number=2, held=before.held * 0 - 1, places=before.places * 0 - 1, owned=before.owned[:0])
    assert continuation(TOGETHER, gone, before).posterior == 1
    assert continuation(TOGETHER, gone, replace(before, number=0)).posterior == 0


def test_what_leaves_is_put_to_the_state() -> None:
    found = continuation(ASKED, invariant(), replace(invariant(), number=1))
    found.demand(rows(RECORDS), ("age", "sex"), 1)
    with pytest.raises(CertificateError, match="a class has 1 persons, counterfeits left out, and k is 2"):
        found.demand(rows(RECORDS), ("age", "sex"), 2)
    with pytest.raises(CertificateError, match="m-invariance asks"):
        found.demand(rows([*RECORDS, ("1", "m", "cold")]), ("age", "sex"), 1)
    with pytest.raises(CertificateError, match="the classes of the file"):
        found.demand(rows(RECORDS[:2]), ("age", "sex"), 1)
    together = continuation(TOGETHER, cohorts(), replace(cohorts(), number=0))
    together.demand(rows([("1", "m", "flu")] * 2 + [("2", "m", "flu")] * 2), ("age", "sex"), 2)


def test_a_link_tells_what_was_released(tmp_path: Path) -> None:
    series = {"number": 2, "posterior": "1/2", "counterfeits": 1, "withheld": 3, "earlier": [LINK], "m": 2}
    told = {"file": {"sha256": "00ff", "records": 7}, "series": series}
    (tmp_path / PUBLIC).write_bytes(text_of(sealed(told)))
    links, own = link_of(tmp_path)
    assert own == series
    assert links == (
        LINK,
        {
            "number": 2,
            "data": "00ff",
            "certificate": file_digest(tmp_path / PUBLIC),
            "records": 7,
            "posterior": "1/2",
            "counterfeits": 1,
            "withheld": 3,
        },
    )
    (tmp_path / PUBLIC).write_bytes(text_of(sealed({"file": told["file"]})))
    with pytest.raises(CertificateError, match="is not one of a series"):
        link_of(tmp_path)
    (tmp_path / PUBLIC).write_text(json.dumps(told))
    with pytest.raises(CertificateError):
        link_of(tmp_path)
