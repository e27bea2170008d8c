"""A series from its first release to the verification of its chain, and what breaks it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.foundation.errors import CertificateError, InfeasibleError, SpecError
from shoal.releases.series.classes import ShownClasses
from shoal.releases.series.link import check_file, check_step
from shoal.releases.series.state import STATE, WITHHELD, SeriesState
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.rows import Rows
from tests.actions.continuing.conftest import CLINIC, MONTHS, asked
from tests.forging import forge, relist

QUASI = ["age", "town", "sex"]
ERASED = "P0007"


def said(folder: Path, month: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / month / "private" / "certificate.json").read_text(encoding="utf-8"))
    return told["series"]


def data(folder: Path, month: str) -> pl.DataFrame:
    return pl.read_csv(folder / month / "public" / "data.csv", infer_schema=False)


def test_the_steward_derives_the_whole_chain(months: Path) -> None:
    found = shoal.verify(months / "march", raw=True, bound=True)
    assert found.series is not None
    assert (found.series.number, found.series.posterior) == (3, "1/3")
    assert found.series.compared == found.series.linked == (1, 2)
    assert found.series.table
    assert not found.not_derived


def test_who_got_the_data_derives_classes_and_chain(months: Path) -> None:
    public = months / "march" / "public"
    earlier = [months / month / "public" for month in MONTHS[:2]]
    found = shoal.verify(public, earlier=earlier)
    assert found.series is not None
    assert found.series.compared == (1, 2)
    assert list(found.not_derived) == ["series (link)"]
    alone = shoal.verify(public)
    assert "1, 2" in alone.not_derived["series"]


def test_the_attack_on_all_releases_is_certain_of_nobody(months: Path) -> None:
    """The attack of the audits knows nothing of how the series was made, and guesses classes from cells that overlap.

    The bound of the certificate is about one who is told all classes, so a guess may come to more than one third
    (`test_who_has_to_guess_classes_may_count_more`): here it is proven of at most one person in twenty.
    """
    releases = [months / month for month in MONTHS]
    found = shoal.attack(releases, truth=["patient"], l=3).series["diagnosis"].as_dict()
    assert np.min(found["certain"]) == 0
    assert np.min(found["largest"]) < 2 / 3
    assert 20 * np.min(found["above"]) <= found["persons"]


def test_who_is_told_all_classes_counts_what_the_certificate_says(months: Path) -> None:
    found = shoal.attack([months / month for month in MONTHS]).series["diagnosis"]
    assert found.l == 3
    assert found.told is not None
    assert (found.told.certain, found.told.above) == ((0, 0), (0, 0))
    assert found.told.largest == (1 / 3, 1 / 3)
    alone = shoal.attack([data(months, month) for month in MONTHS], quasi=QUASI, sensitive=["diagnosis"])
    assert alone.series["diagnosis"].told is None


def test_the_attack_refuses_a_state_of_other_classes(copied: Path) -> None:
    state = SeriesState.read(copied / "march" / "private")
    columns: dict[str, tuple[Label, ...]] = {
        name: tuple(f"{text} " for text in texts) for name, texts in state.columns.items()
    }
    (copied / "march" / "private" / STATE).write_bytes(replace(state, columns=columns).text())
    with pytest.raises(CertificateError, match="not those of the state"):
        shoal.attack([copied / month for month in MONTHS])


def test_who_was_erased_is_hidden_by_who_takes_the_place(months: Path) -> None:
    before, after = (data(months, month) for month in MONTHS[1:])
    assert before.height <= after.height
    assert said(months, "march")["counterfeits"] >= said(months, "february")["counterfeits"]


def test_the_state_names_nobody(months: Path) -> None:
    for month in MONTHS:
        text = (months / month / "private" / STATE).read_text(encoding="utf-8")
        names = pl.read_csv(CLINIC / f"{month}.csv")["patient"].to_list()
        assert not any(name in text for name in names)
        assert (months / month / "private" / STATE).stat().st_mode & 0o077 == 0
        assert not (months / month / "public" / STATE).exists()


def test_a_changed_link_is_refused(copied: Path) -> None:
    for key in ("data", "certificate", "records", "counterfeits", "posterior"):
        path = copied / "march" / "private" / "certificate.json"
        kept = path.read_bytes()

        def change(content: dict[str, Any], key: str = key) -> None:
            link = content["series"]["earlier"][1]
            link[key] = link[key] + 1 if isinstance(link[key], int) else link[key][::-1]

        forge(path, change)
        with pytest.raises(CertificateError):
            shoal.verify(copied / "march")
        with pytest.raises(CertificateError):
            shoal.verify(copied / "march" / "public", earlier=[copied / "february" / "public"])
        path.write_bytes(kept)


def test_a_release_that_follows_itself_is_refused(copied: Path) -> None:
    path = copied / "march" / "private" / "job.toml"
    job = path.read_text(encoding="utf-8")
    assert job.count("february") == 1
    path.write_text(job.replace("february", "march"), encoding="utf-8")
    relist(copied / "march")
    with pytest.raises(CertificateError, match="follows itself"):
        shoal.verify(copied / "march")


def test_planted_changes_of_links_are_refused(copied: Path, seeds: Callable[[int], range]) -> None:
    """A digit of one figure of the chain is another one in both certificates, which are sealed and listed anew."""
    public, private = copied / "march" / "public" / "certificate-public.json", copied / "march" / "private"
    kept = {path: path.read_bytes() for path in (public, private / "certificate.json")}
    manifests = {path: path.read_bytes() for path in (copied / "march").rglob("manifest*.json")}
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311  (breaks, not secrets)
        number, name = rng.randrange(2), rng.choice(["data", "certificate", "records", "counterfeits", "withheld"])

        def change(content: dict[str, Any], number: int = number, name: str = name, rng: Random = rng) -> None:
            link = content["series"]["earlier"][number]
            at = 0 if isinstance(link[name], int) else rng.randrange(len(link[name]))
            text = str(link[name])
            other = text[:at] + str((int(text[at], 16) + 1) % 10) + text[at + 1 :]
            link[name] = int(other) if isinstance(link[name], int) else other

        forge(private / "certificate.json", change)  # the public one is made by it
        with pytest.raises(CertificateError):
            shoal.verify(copied / "march")
        with pytest.raises(CertificateError):
            shoal.verify(public.parent, earlier=[copied / month / "public" for month in MONTHS[:2]])
        for path, content in {**kept, **manifests}.items():
            path.write_bytes(content)


def test_another_release_in_the_place_of_one_of_the_chain_is_refused(copied: Path) -> None:
    key = asked(copied / "clinic.key")
    other = shoal.anonymize(CLINIC / "february.csv", **{**key, "seed": 2}, after=copied / "january")
    other.write(copied / "february", force=True)
    with pytest.raises(CertificateError, match="chain of the series"):
        shoal.verify(copied / "march")


def test_a_changed_state_is_refused_by_the_raw_table(copied: Path) -> None:
    """Two persons of other classes change places in the state: each class has as many as before."""
    folder = copied / "march" / "private"
    state = SeriesState.read(folder)
    inside = np.flatnonzero(state.places >= 0)
    first = inside[0]
    second = next(one for one in inside if state.owned[state.places[one]] != state.owned[state.places[first]])
    swap = np.arange(len(state.persons))
    swap[[first, second]] = second, first
    changed = replace(state, held=state.held[swap], places=state.places[swap])
    (folder / STATE).write_bytes(changed.text())
    relist(folder)
    with pytest.raises(CertificateError, match="another signature"):
        shoal.verify(copied / "march")


@pytest.mark.parametrize("beyond", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_a_counterfeit_that_copies_no_record_is_refused(copied: Path, last: bool, beyond: bool) -> None:
    """The first and the last record may be copied, and what is beyond them may not."""
    folder, n_records = copied / "march" / "private", pl.read_csv(CLINIC / "march.csv").height
    state = SeriesState.read(folder)
    (place, value, _), *others = state.fakes
    row = n_records - 1 + beyond if last else 0 - beyond
    (folder / STATE).write_bytes(replace(state, fakes=((place, value, row), *others)).text())
    relist(folder)
    if beyond:
        with pytest.raises(CertificateError, match="copies records that the raw table does not have"):
            shoal.verify(copied / "march", raw=CLINIC / "march.csv")
    else:
        assert shoal.verify(copied / "march", raw=CLINIC / "march.csv").verdict == "all claims hold"


def test_planted_breaks_are_refused(months: Path, seeds: Callable[[int], range]) -> None:
    before, state = (SeriesState.read(months / month / "private") for month in MONTHS[1:])
    frame = data(months, "march")
    check_step(state, before)
    check_file(state, ShownClasses.of(Rows.each(frame), QUASI, ["diagnosis"]), QUASI)
    for seed in seeds(1000):
        rng = Random(seed)  # noqa: S311  (breaks, not secrets)
        with pytest.raises(CertificateError):
            BREAKS[seed % len(BREAKS)](state, before, frame, rng)


def removed(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """A record is gone: a counterfeit, or somebody let go alone."""
    left = frame.with_row_index().filter(pl.col("index") != rng.randrange(frame.height)).drop("index")
    shown = ShownClasses.of(Rows.each(left), QUASI, ["diagnosis"])
    check_file(state, shown, QUASI)


def unfaked(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """A counterfeit is gone from the file, or from the state."""
    gone, others = rng.randrange(len(state.fakes)), list(state.fakes)
    place, value, _ = others.pop(gone)
    if rng.random() < 0.5:
        check_file(replace(state, fakes=tuple(others)), ShownClasses.of(Rows.each(frame), QUASI, ["diagnosis"]), QUASI)
    cells = [texts[code] for texts, code in zip(state.columns.values(), state.cells[place].tolist(), strict=True)]
    same = [pl.col(name).eq_missing(pl.lit(text)) for name, text in zip(state.columns, cells, strict=True)]
    numbered = frame.with_row_index()
    row = numbered.filter(*same, pl.col("diagnosis") == value)["index"][0]
    left = numbered.filter(pl.col("index") != row).drop("index")
    check_file(state, ShownClasses.of(Rows.each(left), QUASI, ["diagnosis"]), QUASI)


def uneven(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """A record of a class of three is gone, and only the file is looked at."""
    small = frame.with_row_index().filter(pl.len().over(QUASI) == 3)["index"].to_list()
    left = frame.with_row_index().filter(pl.col("index") != rng.choice(small)).drop("index")
    ShownClasses.of(Rows.each(left), QUASI, ["diagnosis"]).demand_equal(3)


def moved(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """A person has another signature."""
    held = state.held.copy()
    at = rng.randrange(len(before.persons))
    place = int(state.places_of([before.persons[at]])[0])
    held[place] = (held[place] + 1 + rng.randrange(len(state.signatures) - 1)) % len(state.signatures)
    check_step(replace(state, held=held), before)


def lost(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """The state no longer knows a person."""
    gone = before.persons[rng.randrange(len(before.persons))]
    kept = (state.persons != gone).to_numpy()
    left = replace(
        state,
        persons=state.persons.filter(pl.Series(kept)),
        held=state.held[kept],
        marks=state.marks[kept],
        places=state.places[kept],
    )
    check_step(left, before)


def back(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """Somebody is published who was withheld for good."""
    held = before.held.copy()
    there = [one for one in before.persons.to_list() if state.places[state.places_of([one])[0]] >= 0]
    held[before.places_of([rng.choice(there)])[0]] = WITHHELD
    check_step(state, replace(before, held=held))


def revalued(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """A person has another value than before."""
    marks = state.marks.copy()
    at = state.places_of([before.persons[rng.randrange(len(before.persons))]])[0]
    marks[at] = (marks[at] + 1) % len(state.known_marks)
    check_step(replace(state, marks=marks), before)


def renumbered(state: SeriesState, before: SeriesState, frame: pl.DataFrame, rng: Random) -> None:
    """A state is left out of the chain."""
    check_step(replace(state, number=state.number + rng.choice([-1, 1])), before)


BREAKS = (removed, unfaked, uneven, moved, lost, back, revalued, renumbered)


def test_who_asks_to_be_forgotten_leaves_no_mark(copied: Path) -> None:
    (copied / "gone.csv").write_text(f"patient\n{ERASED}\n", encoding="utf-8")
    key = copied / "clinic.key"
    release = shoal.anonymize(
        CLINIC / "february.csv", **asked(key, forget=str(copied / "gone.csv")), after=copied / "january"
    )
    state = release.run.series.state if release.run.series else None
    assert state is not None
    at = int(state.places_of([shoal.pseudonym(ERASED, key=key, linked="patient")])[0])
    assert (state.held[at], state.marks[at], state.places[at]) == (WITHHELD, -1, -1)
    assert release.certificate["series"]["withheld"] == 1


def test_who_has_another_value_than_before_is_withheld(copied: Path) -> None:
    table = pl.read_csv(CLINIC / "february.csv", infer_schema=False)
    known = set(pl.read_csv(CLINIC / "january.csv", infer_schema=False)["patient"])
    row = next(number for number, one in enumerate(table["patient"].to_list()) if one in known)
    values = table["diagnosis"].to_list()
    values[row] = next(one for one in values if one != values[row])
    changed = table.with_columns(pl.Series("diagnosis", values))
    release = shoal.anonymize(changed, **asked(copied / "clinic.key"), after=copied / "january")
    assert release.certificate["series"]["withheld"] == 1


def test_without_counterfeits_persons_are_withheld_for_good(copied: Path) -> None:
    given = {**asked(copied / "clinic.key", counterfeits="none"), "max_suppressed": 0.4}
    table = pl.read_csv(CLINIC / "february.csv", infer_schema=False)[150:]  # many left, and few came
    release = shoal.anonymize(table, **given, after=copied / "january")
    series = release.certificate["series"]
    assert series["counterfeits"] == 0
    assert series["withheld"] > 0
    with pytest.raises(InfeasibleError, match="--max-suppressed"):
        shoal.anonymize(table, **{**given, "max_suppressed": 0}, after=copied / "january")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"series": {"m": 2}}, "differ in m"),
        ({"pseudonyms": ["patient"]}, "leaves as a pseudonym"),
        ({"insensitive": ["town"], "quasi": ["age", "sex"]}, "part of everybody's history"),
        ({"entity": "town", "quasi": ["age", "sex"]}, "needs one record for each person"),
        ({"household": "town", "quasi": ["age", "sex"]}, "needs one record for each person"),
        ({"engine": "duckdb"}, "has its records in memory"),
        ({"missing": "wildcard"}, "reads missing values as a category"),
        ({"suppressed": "star"}, "would publish the values"),
        ({"algorithm": "mdav"}, "clusters"),
        ({"algorithm": "optimal"}, "makes classes its own way"),
        ({"blind": True}, "not blind"),
        ({"sensitive": ["diagnosis", "town"], "quasi": ["age", "sex"]}, "one sensitive column"),
        ({"series": {"person": "age"}}, "must have the role 'identifier'"),
        ({"series": {"m": None}}, "needs 'm'"),
    ],
    ids=lambda one: str(one)[:30],
)
def test_what_a_series_refuses(months: Path, change: dict[str, Any], words: str) -> None:
    given = asked(months / "clinic.key")
    series = {**given["series"], **change.get("series", {})}
    given |= {key: value for key, value in change.items() if key != "series"}
    given["series"] = {key: value for key, value in series.items() if value is not None}
    with pytest.raises(SpecError, match=words):
        shoal.anonymize(CLINIC / "february.csv", **given, after=months / "january")


def test_another_key_is_refused(months: Path, tmp_path: Path) -> None:
    shoal.new_pseudonym_key(tmp_path / "other.key")
    with pytest.raises(SpecError, match="not that of the previous release"):
        shoal.anonymize(CLINIC / "february.csv", **asked(tmp_path / "other.key"), after=months / "january")


def test_a_lost_key_is_replaced_by_repeating_the_releases(months: Path, tmp_path: Path) -> None:
    """The search reads no key: by another one the same is passed on, byte for byte."""
    shoal.new_pseudonym_key(tmp_path / "new.key")
    after: dict[str, Any] = {}
    for month in MONTHS:
        shoal.anonymize(CLINIC / f"{month}.csv", **asked(tmp_path / "new.key"), **after).write(tmp_path / month)
        after = {"after": tmp_path / month}
        for name in ("data.csv", "certificate-public.json"):
            first, second = (one / month / "public" / name for one in (months, tmp_path))
            assert first.read_bytes() == second.read_bytes()
    old, new = (SeriesState.read(one / "march" / "private") for one in (months, tmp_path))
    assert not set(old.persons.to_list()) & set(new.persons.to_list())


def test_several_records_of_a_person_are_refused(months: Path) -> None:
    table = pl.read_csv(CLINIC / "february.csv", infer_schema=False)
    with pytest.raises(SpecError, match=r"1 person .* have several records"):
        shoal.anonymize(pl.concat([table, table.head(1)]), **asked(months / "clinic.key"), after=months / "january")


def test_a_release_before_that_is_none_of_a_series_is_refused(months: Path, tmp_path: Path) -> None:
    plain = {key: value for key, value in asked(months / "clinic.key").items() if key != "series"}
    shoal.anonymize(CLINIC / "january.csv", **plain).write(tmp_path / "plain")
    for path in (tmp_path / "plain", months / "january" / "public"):
        with pytest.raises(SpecError, match="not the steward's folder of a release of a series"):
            shoal.anonymize(CLINIC / "february.csv", **asked(months / "clinic.key"), after=path)
