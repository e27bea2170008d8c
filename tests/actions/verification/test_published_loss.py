"""The loss of a release, from its own cells and the raw table."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.actions.verification.published_loss import _without_stars, published_loss
from shoal.actions.verification.raw_table import RawTable
from shoal.foundation.errors import CertificateError
from shoal.releases.claims.reading import claims_in
from shoal.tables.rows import Rows
from tests.actions.verification.test_raw_table import people, written


def at_hand(out: Path) -> tuple[RawTable, pl.DataFrame]:
    raw = RawTable.of(claims_in(out), True)
    return raw, raw.claims.locations["records"].read()


def test_more_records_than_the_raw_table_has_are_refused(tmp_path: Path) -> None:
    raw, released = at_hand(written(tmp_path, algorithm="mondrian"))
    assert published_loss(raw.source(), Rows.each(released), {}, 0).total == pytest.approx(
        raw.certificate["loss"]["total"]
    )
    with pytest.raises(CertificateError, match="More records were released than the raw table has"):
        published_loss(raw.source(), Rows.each(pl.concat([released, released[:1]])), {}, 0)


def test_missing_values_count_among_those_of_their_column(tmp_path: Path) -> None:
    """By the non-uniform entropy a cell costs the less the more records have a value that it stands for."""
    raw, released = at_hand(written(tmp_path, algorithm="mondrian", measure="nonuniform-entropy"))
    assert published_loss(raw.source(), Rows.each(released), {}, 0).total == pytest.approx(
        raw.certificate["loss"]["total"]
    )


def test_records_that_became_stars_are_looked_for(tmp_path: Path) -> None:
    out = written(tmp_path, algorithm="optimal", max_suppressed=0.4, suppressed="star")
    raw, released = at_hand(out)
    levels, starred = raw.certificate["algorithm"]["levels"], raw.certificate["records"]["suppressed"]
    assert starred > 0
    loss = published_loss(raw.source(), Rows.each(released), levels, starred)
    assert loss.total == pytest.approx(raw.certificate["loss"]["total"])
    with pytest.raises(CertificateError, match=f"{starred + 1} records are said to be stars, and {starred} are"):
        published_loss(raw.source(), Rows.each(released), levels, starred + 1)


def test_a_full_domain_release_is_read_by_the_levels_that_it_tells(tmp_path: Path) -> None:
    """Its cells are nodes where a release of another kind has ranges, and a label may stand at several levels."""
    data = people().with_columns(pl.col("age").fill_null(33)).drop("job")
    quasi: Any = {"age": {"type": "ranges", "grid": "none"}, "sex": "suppression"}
    out = written(tmp_path, data, quasi=quasi, algorithm="optimal")
    raw, released = at_hand(out)
    levels = raw.certificate["algorithm"]["levels"]
    assert levels["age"] > 0
    assert released["age"].cast(pl.String).str.contains(r"^\d+-\d+$").all()
    assert "loss.total" not in shoal.verify(out, raw=True).told
    with pytest.raises(CertificateError, match=r"Column .age. has \d+ different cells"):
        published_loss(raw.source(), Rows.each(released), {**levels, "age": levels["age"] - 1}, 0)


@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_a_measure_of_sensitive_values_counts_suppressed_records_in_full(tmp_path: Path, suppressed: str) -> None:
    asked: dict[str, Any] = {"algorithm": "optimal", "max_suppressed": 0.4, "suppressed": suppressed}
    out = written(tmp_path, people(30), measure="classification", **asked)
    raw, released = at_hand(out)
    gone = raw.certificate["records"]["suppressed"]
    assert gone > 0
    levels, starred = raw.certificate["algorithm"]["levels"], gone if suppressed == "star" else 0
    shown = released.filter(~pl.all_horizontal(pl.col("age", "sex", "job").eq_missing("*"))) if starred else released
    most = shown.group_by("age", "sex", "job", "ill").len().group_by("age", "sex", "job").agg(pl.col("len").max())
    others = shown.height - int(most["len"].sum())
    assert published_loss(raw.source(), Rows.each(released), levels, starred).total == others + gone


@pytest.mark.parametrize(
    ("starred", "left"),
    [(0, [3, 4, 5, 6, 7]), (3, [3, 1, 5, 6, 7]), (4, [3, 5, 6, 7]), (7, [3, 5, 3, 7]), (17, [3, 5])],
)
def test_the_first_stars_are_the_records_that_became_stars(starred: int, left: list[int]) -> None:
    frame = pl.DataFrame({"*": ["a", "*", "*", "*", "*"], "b": ["*", "*", None, "*", "*"]})
    rows = Rows(frame, np.array([3, 4, 5, 6, 7], dtype=np.int64))
    assert _without_stars(rows, ["*", "b"], starred).counts.tolist() == left


def test_a_missing_value_that_is_published_is_a_cell(tmp_path: Path) -> None:
    data = pl.DataFrame({"job": ["a", None, "b"] * 3, "sex": ["M"] * 9, "ill": ["u"] * 9})
    raw, released = at_hand(written(tmp_path, data, quasi=["job", "sex"], algorithm="optimal"))
    assert released["job"].null_count() == 3
    for levels in ({"job": 0, "sex": 0}, {}):
        assert published_loss(raw.source(), Rows.each(released), levels, 0).total == 0
