"""Whom a release singles out in the raw table, as reports and risk tell it, against all pairs by hand."""

import re
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.audits.attacks import raw_isolation as measured
from shoal.releases.reporting import isolation_of
from tests.cli.run import done


def table_of(seed: int, n: int = 40) -> pl.DataFrame:
    rng = Random(seed)  # noqa: S311
    columns = {
        "age": [str(rng.randrange(20, 45)) for _ in range(n)],
        "town": [rng.choice(["Aachen", "Bonn", "Celle", "Dessau"]) for _ in range(n)],
        "ill": [rng.choice("uvw") for _ in range(n)],
        "name": [f"p{rng.randrange(n // 2)}" for _ in range(n)],
    }
    return pl.DataFrame(columns)


def released(table: pl.DataFrame, **more: Any) -> shoal.Release:
    asked: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["ill"], "drop": ["name"], "k": 3, "seed": 1}
    if "entity" in more:
        del asked["drop"]
    return shoal.anonymize(table, **{**asked, **more})


def covers(cell: str, value: str) -> bool:
    if " - " in cell:
        low, high = cell.split(" - ")
        return int(low) <= int(value) <= int(high)
    return cell in ("*", value) or value in printed(cell)


def printed(cell: str) -> list[str]:
    return cell.split(" - ") if " - " in cell else cell[1:-1].split(", ") if cell.startswith("{") else []


def by_hand(release: shoal.Release, table: pl.DataFrame, persons: list[str]) -> list[int]:
    """Return the descriptions, those that fit one person alone, and the persons whom one fits alone."""
    fits = []
    for cells in set(release.frame.cast(pl.String).select("age", "town").rows()):
        inside = [i for i, row in enumerate(table.select("age", "town").rows()) if all(map(covers, cells, row))]
        fits.append(inside)
        for j, cell in enumerate(cells):
            fits += [[i for i in inside if table.row(i)[j] == text] for text in printed(cell)]
    found = [{persons[i] for i in some} for some in fits if some]
    alone = [some for some in found if len(some) == 1]
    return [len(found), len(alone), len(set().union(*alone))]


@pytest.mark.parametrize("entity", [False, True])
@pytest.mark.parametrize("algorithm", ["mondrian", "optimal"])
def test_every_description_of_a_release_is_counted(algorithm: str, entity: bool) -> None:
    n_alone = 0
    for seed in range(6):
        table = table_of(seed)
        more: dict[str, Any] = {"entity": "name"} if entity else {}
        if algorithm == "optimal":
            more["quasi"] = {"age": "suppression", "town": "suppression"}
        release = released(table, algorithm=algorithm, max_suppressed=0.2, **more)
        found = isolation_of(release.run)
        assert found is not None
        persons = table["name"].to_list() if entity else [str(i) for i in range(table.height)]
        assert [found.n_predicates, found.isolating, found.isolated] == by_hand(release, table, persons)
        assert found.unit == ("persons" if entity else "records")
        assert found.n_units == len(set(persons))
        told = shoal.attack(release, attacks=["singling-out"]).singling_out
        assert told is not None
        assert told.as_dict() == found.as_dict()
        counts = shoal.risk(release, suda=0).summary["isolation"]
        assert counts == {"measured": True, **found.counts()}
        n_alone += found.isolating
    assert (n_alone > 0) == (algorithm == "mondrian")


def answer(release: shoal.Release, audience: Any) -> str:
    page = release.report(audience=audience)
    start = page.index("Can a person be singled out?")
    text = unescape(re.sub(r"<[^>]+>", " ", page[start : page.index("Can records of one person be linked?")]))
    return " ".join(text.split())


def test_the_answer_of_the_reports_is_that_of_the_attack() -> None:
    release = released(table_of(1), algorithm="mondrian")
    found = isolation_of(release.run)
    assert found is not None
    _, ends, elements = found.predicates
    assert min(ends.isolating, elements.isolating) >= 3  # from k on counts are told
    for audience in ("steward", "public"):
        said = answer(release, audience)
        assert f"Yes, by what the release prints: {found.isolating} of {found.n_predicates} descriptions fit" in said
        words = "the cells of a class and the printed end of a range"
        assert f"{words}: {ends.isolating} of {ends.number}" in said
        assert "Not by the cells of the quasi columns (age, town) as they are published" in said
    plain = released(table_of(1), algorithm="optimal", quasi={"age": "suppression", "town": "suppression"})
    for audience in ("steward", "public"):
        said = answer(plain, audience)
        assert "descriptions that the release prints fits exactly one record of the raw table" in said
        assert "Yes" not in said


def test_the_public_is_told_no_count_below_k() -> None:
    """Of five ages one occurs twice, so that one end of the range is one person's and the other is not."""
    table = pl.DataFrame({"age": ["20", "21", "22", "30", "30"], "ill": ["u", "v", "w", "u", "v"]})
    release = shoal.anonymize(table, quasi=["age"], sensitive=["ill"], k=5, seed=1)
    assert "1 of 3 descriptions fit exactly one record" in answer(release, "steward")
    said = answer(release, "public")
    assert "Yes, by what the release prints: some of 3 descriptions fit exactly one record of the raw table" in said
    assert "the printed end of a range: fewer than 5 of 2" in said


def test_persons_with_several_records_are_singled_out_by_all_of_them() -> None:
    """The oldest is there twice: no record is alone at the end of the range, but the person is."""
    table = pl.DataFrame({"age": ["20", "20", "25", "30", "30"], "ill": list("uvwuv"), "name": list("abcdd")})
    release = shoal.anonymize(table, quasi=["age"], sensitive=["ill"], entity="name", k=4, seed=1)
    found = isolation_of(release.run)
    assert found is not None
    assert [(one.kind, one.number, one.isolating) for one in found.predicates[:2]] == [("cells", 1, 0), ("ends", 2, 1)]
    assert "1 of 3 descriptions fit exactly one person of the raw table" in answer(release, "steward")
    said = shoal.attack(release, attacks=["singling-out"]).as_dict()["attacks"][0]
    assert (said["isolated"], said["of_persons"], said["of_records"], said["share"]) == (1, 4, 5, 0.25)


def test_centres_that_are_records_single_them_out() -> None:
    table = pl.DataFrame({"age": ["20", "21", "22", "40", "40", "41", "80", "81"], "ill": list("uvwuvwuv")})
    release = shoal.anonymize(table, quasi=["age"], sensitive=["ill"], k=2, seed=1, algorithm="r-gather")
    found = isolation_of(release.run)
    assert found is not None
    centres = set(release.frame["age"].cast(pl.String))
    ages = table["age"].to_list()
    assert found.isolating == sum(ages.count(centre) == 1 for centre in centres) > 0
    assert found.n_predicates == len(centres)
    said = answer(release, "steward")
    assert "the values of the centre of a cluster" in said
    assert "Distances from the centres were not looked at." in said
    assert shoal.risk(release, suda=0).summary["isolation"]["measured"] is False


@pytest.mark.parametrize("limit", ["_WORDS", "_PAIRS"])
def test_too_large_a_table_is_said_not_to_be_measured(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    release = released(table_of(1), algorithm="mondrian")
    monkeypatch.setattr(measured, limit, 0)
    assert isolation_of(release.run) is None
    for audience in ("steward", "public"):
        said = answer(release, audience)
        assert said.startswith("Can a person be singled out? Not measured: the table is too large")
        assert "Yes" not in said
    words = {"measured": False, "reason": "the table is too large; shoal attack measures it"}
    assert shoal.risk(release, suda=0).summary["isolation"] == words


def test_risk_tells_it_and_says_what_it_could_not_look_at(tmp_path: Path) -> None:
    table_of(1).write_csv(tmp_path / "t.csv")
    asked: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["ill"], "drop": ["name"], "k": 3, "seed": 1}
    release = shoal.anonymize(tmp_path / "t.csv", **asked, algorithm="mondrian")
    release.write(tmp_path / "out")
    found = isolation_of(release.run)
    assert found is not None
    said = done("risk", tmp_path / "out").out
    words = (
        f"singled out: {found.isolating} of {found.n_predicates} descriptions that the release prints fit exactly one"
    )
    assert words in " ".join(said.split())
    assert "and the end of a range" in said
    assert "singled out" not in done("risk", tmp_path / "t.csv", "--quasi", "age,town").out
    (tmp_path / "t.csv").unlink()
    said = done("risk", tmp_path / "out").out
    assert "singled out: not measured: the raw table is not at hand, so that the cells alone were looked at" in said
