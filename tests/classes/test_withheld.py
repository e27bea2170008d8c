"""Withheld records: one more class, from the input to the certificate."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.verification.raw_table import RawTable
from shoal.actions.verify import verify
from shoal.classes.withheld import beside, of_section, section_of
from shoal.foundation.errors import CertificateError, InfeasibleError, SpecError
from shoal.releases.claims.reading import claims_in
from shoal.tables.rows import Rows
from tests.forging import Change, forge

HIERARCHY = {"type": "masking"}
PROMISE = {"model": "t-closeness", "t": 0.3, "column": "ill", "against": "input"}


def table(seed: int, n: int = 40) -> pl.DataFrame:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    zips = [str(rng.choice((11, 12, 13, 21, 22, 31))) for _ in range(n)]
    return pl.DataFrame({"zip": zips, "ill": [rng.choice("aab" if zip_ < "20" else "abbc") for zip_ in zips]})


def released(frame: Any, **given: Any) -> Any:
    asked: dict[str, Any] = {
        "quasi": {"zip": HIERARCHY},
        "sensitive": ["ill"],
        "k": 3,
        "require": PROMISE,
        "max_suppressed": 0.4,
        "algorithm": "optimal",
        "seed": 1,
    }
    return shoal.anonymize(frame, **{**asked, **given})


def distance(values: list[str], whole: list[str]) -> float:
    """Return the equal distance of two distributions by its definition."""
    here, there = Counter(values), Counter(whole)
    return sum(abs(here[one] / len(values) - there[one] / len(whole)) for one in there) / 2


def test_values_come_back_from_a_certificate() -> None:
    rows = Rows(pl.DataFrame({"ill": ["b", None, "a"]}), pl.Series([2, 1, 3]).to_numpy())
    section = json.loads(json.dumps(section_of(rows)))
    assert section == {"columns": ["ill"], "values": [["a"], ["b"], [None]], "records": [3, 2, 1]}
    again = of_section(section)
    assert dict(zip(again.frame["ill"].to_list(), again.counts.tolist(), strict=True)) == {None: 1, "a": 3, "b": 2}
    shown = Rows.each(pl.DataFrame({"zip": ["*"], "ill": ["a"]}))
    both = beside(shown, again, ["zip"])
    assert both.n_records == 7
    assert both.frame["zip"].n_unique() == 2


def test_classes_and_suppressed_records_keep_every_promise_against_the_input() -> None:
    suppressed = 0
    for seed in range(12):
        frame = table(seed)
        try:
            release = released(frame)
        except InfeasibleError:
            with pytest.raises(InfeasibleError):
                released(frame, suppressed="star")
            continue
        whole, out = frame["ill"].to_list(), release.data
        classes = [part["ill"].to_list() for _, part in out.group_by("zip")]
        left = Counter(whole) - Counter(out["ill"].to_list())
        classes += [list(left.elements())] if left else []
        assert all(len(values) >= 3 and distance(values, whole) <= 0.3 + 1e-12 for values in classes)
        suppressed += bool(left)
        with_stars = released(frame, suppressed="star").certificate
        assert release.certificate["loss"]["total"] == with_stars["loss"]["total"]
        assert "*" not in out["zip"].to_list() or not with_stars["records"]["suppressed"]
        told = release.certificate.get("withheld", {"values": [], "records": []})
        assert dict(zip((one for (one,) in told["values"]), told["records"], strict=True)) == dict(left)
    assert suppressed


def one_with_suppression() -> Any:
    return next(
        release for release in map(released, map(table, (3, 0, 1, 2, 4, 5))) if "withheld" in release.certificate
    )


def test_the_steward_derives_it_and_the_receiver_is_told_what_is_lacking(tmp_path: Path) -> None:
    one_with_suppression().write(tmp_path / "out")
    assert verify(tmp_path / "out").not_derived == {}
    lacking = verify(tmp_path / "out" / "public").not_derived
    assert lacking == {
        "t-closeness (ill)": "needs the values of the suppressed records, which the public certificate does not tell"
    }
    assert "withheld" not in (tmp_path / "out" / "public" / "certificate-public.json").read_text()


def fewer(content: dict[str, Any]) -> None:
    content["withheld"]["records"][0] += 1


def other(content: dict[str, Any]) -> None:
    content["withheld"]["values"] = [["a"] for _ in content["withheld"]["values"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content.pop("withheld"), "does not contain the values of the suppressed records"),
        (fewer, "the suppressed records and those whose values are told"),
        (other, "does not keep its promises"),
    ],
)
def test_other_values_of_suppressed_records_are_noticed(tmp_path: Path, change: Change, words: str) -> None:
    one_with_suppression().write(tmp_path / "out")
    forge(tmp_path / "out" / "private" / "certificate.json", change)
    with pytest.raises(CertificateError, match=words):
        verify(tmp_path / "out")


def test_the_raw_table_tells_the_values_of_the_suppressed_records(tmp_path: Path) -> None:
    for seed in (3, 0, 1, 2, 4, 5):
        table(seed).write_csv(tmp_path / "raw.csv")
        release = released(tmp_path / "raw.csv")
        if "withheld" in release.certificate:
            break
    release.write(tmp_path / "out")
    assert verify(tmp_path / "out", raw=True).not_derived == {}

    def exchanged(content: dict[str, Any]) -> None:
        found = content["withheld"]["values"]
        content["withheld"]["values"] = found[1:] + found[:1] if len(found) > 1 else [["c"]]

    forge(tmp_path / "out" / "private" / "certificate.json", exchanged)
    raw = RawTable.of(claims_in(tmp_path / "out"), True)
    assert list(raw._withheld(raw.source())) == ["the values of the suppressed records in column 'ill'"]  # noqa: SLF001
    with pytest.raises(CertificateError):
        verify(tmp_path / "out", raw=True)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"require": [PROMISE, {"model": "beta-likeness", "beta": 1, "column": "ill"}]}, "looks at what is released"),
        ({"missing": "wildcard"}, "lets classes overlap"),
        ({"blind": True}, "blind = true suppresses classes by their values"),
        ({"algorithm": "mdav"}, "the algorithm publishes clusters"),
    ],
)
def test_what_cannot_be_asked_for_beside_it_is_said(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        released(table(0), **given)
