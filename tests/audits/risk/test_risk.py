from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audits.risk.risk import Scenario, assess
from shoal.audits.risk.thresholds import THRESHOLDS, k_for
from shoal.foundation.errors import SpecError
from shoal.tables.rows import Rows
from tests.audits import plain_risk as plain
from tests.audits.risk.test_person_classes import CELL, NAMES, ROWS, each, frame_of

Row = tuple[str | None, ...]


@pytest.mark.parametrize(
    ("threshold", "k"), [("0.33", 4), ("1/3", 3), ("0.2", 5), ("0.1", 10), ("0.09", 12), ("0.05", 20), ("1", 1)]
)
def test_the_k_that_a_threshold_needs(threshold: str, k: int) -> None:
    limit = Fraction(threshold)
    assert k_for(limit) == k
    assert Fraction(1, k) <= limit
    assert k == 1 or Fraction(1, k - 1) > limit


def checked(found: dict[str, Any], sizes: list[int], thresholds: list[Fraction]) -> None:
    """Compare what is said of some counts with what plain fractions say."""
    assert found["largest"] == pytest.approx(1 / min(sizes))
    assert found["average"] == pytest.approx(sum(1 / size for size in sizes) / len(sizes))
    assert [row["threshold"] for row in found["thresholds"]] == [float(limit) for limit in thresholds]
    for row, limit in zip(found["thresholds"], thresholds, strict=True):
        assert row["above"] == plain.above(sizes, limit)
        assert row["share"] == row["above"] / len(sizes)
        assert row["k"] == k_for(limit)


@settings(max_examples=60)
@given(ROWS, st.booleans(), st.fractions(Fraction(1, 20), 1))
def test_prosecutor_and_marketer(rows: list[Row], named: bool, own: Fraction) -> None:
    records = [row[:2] for row in rows]
    persons = [str(row[2]) for row in rows] if named else [str(number) for number in range(len(rows))]
    scenario = Scenario(entity="id" if named else None, suda=0, threshold=own)
    found = assess(each(rows, NAMES), ["p", "q"], scenario)
    thresholds = sorted({*THRESHOLDS, own}, reverse=True)
    for reading, wildcard in (("strict", False), ("wildcard", True)):
        sizes = list(plain.worst(records, persons, wildcard=wildcard).values())
        checked(found.summary["prosecutor"][reading], sizes, thresholds)
        assert found.summary["marketer"][reading]["expected"] == pytest.approx(sum(1 / size for size in sizes))
    strict = plain.worst(records, persons, wildcard=False).values()
    assert found.summary["k"] == min(strict)
    assert found.summary["unique"]["number"] == list(strict).count(1)
    assert found.summary["unit"] == ("persons" if named else "records")
    wanted = [plain.persons_alike(records, persons, record, wildcard=False) for record in records]
    assert found.of_rows["k"].to_list() == wanted
    assert found.of_rows["prosecutor"].to_list() == [1 / size for size in wanted]


@settings(max_examples=40)
@given(ROWS, st.lists(st.tuples(CELL, CELL), max_size=20))
def test_journalist_with_a_population(rows: list[Row], others: list[Row]) -> None:
    records = [row[:2] for row in rows]
    mine, theirs = [str(n) for n in range(len(rows))], [str(n) for n in range(len(others))]
    population = each(others, ["p", "q"])
    found = assess(each(rows, NAMES), ["p", "q"], Scenario(population=population, suda=0)).summary["journalist"]
    here = [plain.persons_alike(records, mine, record, wildcard=False) for record in records]
    there = [plain.persons_alike(others, theirs, record, wildcard=False) for record in records]
    sizes = [max(both) for both in zip(here, there, strict=True)]
    outward = dict(zip(records, sizes, strict=True))
    inward = sum(1 / size for size in sizes) / len(sizes)
    assert found["strict"]["average"] == pytest.approx(max(inward, len(outward) / sum(outward.values())))
    checked(found["strict"] | {"average": inward}, sizes, list(THRESHOLDS))
    assert found["not_covered"] == sum(one > other for one, other in zip(here, there, strict=True))
    assert found["basis"] == "population"


@settings(max_examples=40)
@given(ROWS, st.data())
def test_a_household_is_found_if_anybody_is(rows: list[Row], data: st.DataObject) -> None:
    homes = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    frame = frame_of(rows, NAMES).with_columns(pl.Series("home", homes))
    found = assess(Rows.each(frame), ["p", "q"], Scenario(household="home", entity="id", suda=0))
    records, persons = [row[:2] for row in rows], [str(row[2]) for row in rows]
    risks = [1 / plain.persons_alike(records, persons, record, wildcard=False) for record in records]
    of_home = {}
    for home in set(homes):
        inside = [(person, risk) for person, risk, at in zip(persons, risks, homes, strict=True) if at == home]
        largest = [max(risk for one, risk in inside if one == person) for person in {one for one, _ in inside}]
        of_home[home] = 1 - prod(1 - risk for risk in largest)
    assert found.of_rows["household"].to_list() == pytest.approx([of_home[home] for home in homes])
    assert found.summary["household"]["households"] == len(of_home)
    assert found.summary["household"]["largest"] == pytest.approx(max(of_home.values()))
    for row in found.summary["household"]["thresholds"]:
        assert row["above"] == sum(risk > row["threshold"] + 1e-9 for risk in of_home.values())


@settings(max_examples=80)
@given(ROWS, st.sampled_from(["", "id", "local", "weights", "fraction", "population", "household"]), st.data())
def test_counted_rows_have_the_risks_of_their_records(rows: list[Row], kind: str, data: st.DataObject) -> None:
    """However the records are put together into rows, the report is the same, and each record has its figures."""
    size = len(rows)
    weights = data.draw(st.lists(st.sampled_from(["1", "1.7", "30"]), min_size=size, max_size=size))
    homes = data.draw(st.lists(st.sampled_from("xyz"), min_size=size, max_size=size))
    others: list[Row] = data.draw(st.lists(st.tuples(CELL, CELL), max_size=9))
    frame = frame_of(rows, NAMES).with_columns(pl.Series("w", weights), pl.Series("home", homes))
    scenario = {
        "": Scenario(),
        "id": Scenario(entity="id", household="home", weights="w"),
        "local": Scenario(entity="id", local=True),
        "weights": Scenario(weights="w"),
        "fraction": Scenario(fraction=0.3),
        "population": Scenario(population=Rows.of(frame_of(others, ["p", "q"]), ["p", "q"])),
        "household": Scenario(household="home", suda=None),
    }[kind]
    names = ["p", "q", *scenario.columns]
    counted = Rows.of(frame, names)
    halves = [Rows.of(part, names) for part in (frame[: size // 2], frame[size // 2 :])]
    apart = Rows(pl.concat([half.frame for half in halves]), np.concatenate([half.counts for half in halves]))
    single = assess(Rows.each(frame), ["p", "q"], scenario)
    for form in (counted, apart):
        found = assess(form, ["p", "q"], scenario)
        assert found.summary == single.summary
        texts = form.frame.select(pl.all().cast(pl.String)).rows()
        figures = dict(zip(texts, found.of_rows.rows(), strict=True))
        assert [figures[row] for row in frame.select(names).rows()] == single.of_rows.rows()


def test_the_guide_as_a_whole() -> None:
    frame = pl.DataFrame(plain.GUIDE, [*plain.GUIDE_COLUMNS, "weight"], orient="row")
    found = assess(Rows.each(frame), plain.GUIDE_COLUMNS, Scenario(weights="weight"))
    assert found.of_rows["journalist"].round(4).to_list() == plain.GUIDE_RISKS
    assert found.of_rows["suda"].to_list() == plain.GUIDE_SUDA
    journalist = found.summary["journalist"]
    assert journalist["basis"] == "weights"
    assert journalist["strict"]["largest"] == pytest.approx(0.0290, abs=5e-5)
    assert found.summary["marketer"]["strict"]["expected"] == pytest.approx(sum(plain.GUIDE_RISKS), abs=5e-4)
    assert found.summary["uniqueness"]["population"] == 1570
    assert found.summary["suda"]["dis"] == pytest.approx(4 / (4 + 6 * (1570 / 10 - 1)))


def test_a_fraction_is_a_weight_for_all() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b"], "w": ["20", "20", "20"]})
    by_fraction = assess(Rows.each(frame), ["q"], Scenario(fraction=0.05)).summary
    by_weights = assess(Rows.each(frame), ["q"], Scenario(weights="w")).summary
    assert by_fraction["journalist"] == by_weights["journalist"] | {"basis": "fraction"}
    strict, fitted = (by_fraction["journalist"][name]["average"] for name in ("strict", "fitted"))
    assert fitted > strict
    assert by_fraction["uniqueness"] == by_weights["uniqueness"]


def test_wildcards_lower_the_risk_by_weights() -> None:
    frame = pl.DataFrame({"q": ["a", "a", None], "w": ["5", "5", "10"]})
    found = assess(Rows.each(frame), ["q"], Scenario(weights="w")).summary["journalist"]
    assert found["wildcard"]["largest"] < found["strict"]["largest"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"fraction": 0.0}, "above 0 and at most 1"),
        ({"fraction": 0.5, "weights": "w"}, "one of them, not several"),
        ({"threshold": Fraction(2)}, "A threshold of risk is above 0"),
        ({"suda": -1}, "0 or more"),
    ],
)
def test_a_mistake_is_told(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Scenario(**given)
    with pytest.raises(SpecError, match="no records"):
        assess(Rows.each(pl.DataFrame({"q": pl.Series([], dtype=pl.String)})), ["q"])


@settings(max_examples=60)
@given(ROWS, st.data())
def test_each_record_has_its_wildcard_risk_and_its_frequency_in_the_population(
    rows: list[Row], data: st.DataObject
) -> None:
    records, mine = [row[:2] for row in rows], [str(n) for n in range(len(rows))]
    weights = data.draw(st.lists(st.sampled_from([1.0, 4.0, 30.0]), min_size=len(rows), max_size=len(rows)))
    frame = frame_of(rows, NAMES).with_columns(pl.Series("w", [str(weight) for weight in weights]))
    found = assess(Rows.each(frame), ["p", "q"], Scenario(weights="w", suda=0)).of_rows
    loosely = [plain.persons_alike(records, mine, record, wildcard=True) for record in records]
    assert found["prosecutor_wildcard"].to_list() == [1 / size for size in loosely]
    for name, wildcard in (("population", False), ("population_wildcard", True)):
        sums = [
            sum(w for w, other in zip(weights, records, strict=True) if plain.alike(record, other, wildcard=wildcard))
            for record in records
        ]
        assert found[name].to_list() == pytest.approx(sums)


@settings(max_examples=40)
@given(ROWS, st.lists(st.tuples(CELL, CELL), max_size=20))
def test_the_frequency_in_a_population_that_is_known_is_counted(rows: list[Row], others: list[Row]) -> None:
    records = [row[:2] for row in rows]
    mine, theirs = [str(n) for n in range(len(rows))], [str(n) for n in range(len(others))]
    found = assess(each(rows, NAMES), ["p", "q"], Scenario(population=each(others, ["p", "q"]), suda=0))
    here = [plain.persons_alike(records, mine, record, wildcard=False) for record in records]
    there = [plain.persons_alike(others, theirs, record, wildcard=False) for record in records]
    counts = [max(both) for both in zip(here, there, strict=True)]
    assert found.of_rows["population"].to_list() == counts
    assert found.of_rows["journalist"].to_list() == [1 / count for count in counts]
    loosely = found.of_rows["population_wildcard"].to_list()
    assert found.of_rows["journalist_wildcard"].to_list() == [1 / count for count in loosely]
    assert all(loose >= strict for loose, strict in zip(loosely, counts, strict=True))


@settings(max_examples=40)
@given(ROWS, st.data())
def test_the_global_risk_is_the_sum_of_the_risks_of_the_records(rows: list[Row], data: st.DataObject) -> None:
    """As sdcMicro has it: of single records, and with the risk of the whole household in the place of each."""
    homes = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    frame = frame_of(rows, NAMES).with_columns(pl.Series("home", homes), pl.Series("w", ["5"] * len(rows)))
    found = assess(Rows.each(frame), ["p", "q"], Scenario(household="home", weights="w", suda=0))
    each_risk = found.of_rows["journalist"].to_list()
    together = found.summary["global"]
    assert together["basis"] == "weights"
    assert together["strict"]["expected"] == pytest.approx(sum(each_risk))
    assert together["fitted"]["expected"] == pytest.approx(found.of_rows["journalist_fitted"].sum())
    assert together["strict"]["share"] == pytest.approx(sum(each_risk) / len(rows))
    of_home = {
        home: 1 - prod(1 - risk for risk, at in zip(each_risk, homes, strict=True) if at == home) for home in homes
    }
    assert found.of_rows["household_strict"].to_list() == pytest.approx([of_home[home] for home in homes])
    assert together["household"]["expected"] == pytest.approx(sum(of_home[home] for home in homes))
    assert found.summary["household"]["strict"]["largest"] == pytest.approx(max(of_home.values()))
    for loose, strict in zip(found.of_rows["household"], found.of_rows["household_strict"], strict=True):
        assert loose >= strict - 1e-9


def test_the_guide_tells_frequencies_and_a_global_risk() -> None:
    frame = pl.DataFrame(plain.GUIDE, [*plain.GUIDE_COLUMNS, "weight"], orient="row")
    found = assess(Rows.each(frame), plain.GUIDE_COLUMNS, Scenario(weights="weight", suda=0))
    assert found.of_rows["population"].to_list() == [360, 360, 215, 152, 186, 152, 180, 215, 262, 262]
    assert found.summary["global"]["strict"]["expected"] == pytest.approx(sum(plain.GUIDE_RISKS), abs=5e-4)
    assert "household" not in found.summary["global"]
