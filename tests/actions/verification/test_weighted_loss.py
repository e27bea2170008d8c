"""A loss by sampling weights is derived from the raw table, whether or not the weights were released."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

import shoal
from shoal.actions.verification.published_loss import _weighed
from shoal.actions.verification.verified import Verified
from shoal.classes.observed import Observed
from shoal.foundation.errors import CertificateError
from shoal.jobs.source import Source
from shoal.tables.rows import Rows
from shoal.tables.table import Role, Table
from tests.actions.verification.test_raw_table import INTERVALS, people
from tests.forging import forge

WEIGHTS = ["1", "2.5", "1", "4", "0.5", "1"]


def weighted(n: int = 60) -> pl.DataFrame:
    return people(n).drop("job").with_columns(pl.Series("w", WEIGHTS * (n // 6)))


def released(folder: Path, *, leaves: bool = True, **asked: Any) -> Path:
    weighted().write_csv(folder / "raw.csv")
    fixed: dict[str, Any] = {"quasi": {"age": INTERVALS, "sex": "suppression"}, "sensitive": ["ill"], "k": 3, "seed": 1}
    left = {"insensitive": ["w"]} if leaves else {}
    shoal.anonymize(folder / "raw.csv", **{**fixed, **left, **asked}, sampling_weights="w").write(folder / "out")
    return folder / "out"


def forge_loss(folder: Path, part: str) -> None:
    forge(
        folder / "private" / "certificate.json",
        lambda content: content["loss"].update({part: content["loss"][part] * 1.01}),
    )


def repeated(found: Verified) -> bool:
    """Tell whether the search was repeated, for which there is no need where the release tells its loss."""
    assert not found.told.keys() & {"loss.total", "loss.share", "loss.columns"}
    return "algorithm.guarantee" not in found.told


@pytest.mark.parametrize("leaves", [True, False])
@pytest.mark.parametrize(("algorithm", "suppressed"), [("optimal", "star"), ("mondrian", "drop")])
def test_it_is_derived_without_a_search_where_each_record_has_its_weight(
    tmp_path: Path, algorithm: str, suppressed: str, leaves: bool
) -> None:
    out = released(tmp_path, leaves=leaves, algorithm=algorithm, suppressed=suppressed, max_suppressed=0.2)
    assert repeated(shoal.verify(out, raw=True)) == (algorithm == "mondrian" and not leaves)
    assert set(shoal.verify(out, raw=True, bound=True).told) <= {"shoal", "told"}
    forge_loss(out, "total")
    for bound in (False, True):
        with pytest.raises(CertificateError, match="the loss"):
            shoal.verify(out, raw=True, bound=bound)


@pytest.mark.parametrize("leaves", [True, False])
def test_of_a_frame_the_search_is_repeated_if_the_weights_did_not_leave(tmp_path: Path, leaves: bool) -> None:
    out = released(tmp_path, leaves=leaves, algorithm="optimal")
    assert repeated(shoal.verify(out, raw=weighted())) == (not leaves)


@pytest.mark.parametrize("weights", [["1"] * 6, [*WEIGHTS[:5], "7"], [*WEIGHTS[:5], ""]])
def test_other_weights_than_those_of_the_raw_table_are_refused(tmp_path: Path, weights: list[str]) -> None:
    out = released(tmp_path, algorithm="mondrian")
    with pytest.raises(CertificateError, match="other sampling weights in column 'w'"):
        shoal.verify(out, raw=weighted().with_columns(pl.Series("w", weights * 10)))


def test_a_table_in_which_records_are_gone_tells_no_weights(tmp_path: Path) -> None:
    out = released(tmp_path, leaves=False, algorithm="optimal")
    weighted().with_columns(sex=pl.lit("X")).write_csv(tmp_path / "raw.csv")
    with pytest.raises(CertificateError, match="The weighted loss cannot be derived"):
        shoal.verify(out, raw=True)


def test_a_weight_that_is_missing_in_the_release_is_none_of_the_raw_table() -> None:
    """Not even where a record was suppressed whose weight it might have been."""
    raw = Table.of(pl.DataFrame({"w": ["1", "2", "2"]}), {"w": Role.INSENSITIVE})
    released = Rows.each(pl.DataFrame({"sex": ["F", "F"], "w": ["1", None]}))
    groups = Observed.of_rows(released, ["sex"], ["w"]).groups
    with pytest.raises(CertificateError, match="other sampling weights"):
        _weighed(cast(Source, SimpleNamespace(table=raw)), "w", groups)
