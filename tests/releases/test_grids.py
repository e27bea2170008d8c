"""Releases with ranges on a grid: what is printed, what it costs, the job again, rules, older releases, and attacks."""

import json
import re
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.releases.claims.reading import claims_in
from shoal.tables.hierarchies import Ranges
from tests.forging import file_in, forge_first

RANGE = re.compile(r"(.+) - (.+)")


def people(n: int = 120, seed: int = 1, *, missing: bool = False) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    born = [date.fromordinal(int(day)).isoformat() for day in rng.integers(date(1930, 1, 1).toordinal(), 735_000, n)]
    born[:2] = ["1930-01-01", "2012-01-01"]
    wages = [str(wage) for wage in np.rint(np.exp(rng.normal(8, 0.6, n))).astype(int)]
    wages[:2] = ["400", "20400"]
    return pl.DataFrame(
        {
            "born": [None if missing and i % 40 == 7 else day for i, day in enumerate(born)],
            "wage": wages,
            "sex": rng.choice(["f", "m"], n),
            "ill": rng.choice(["a", "b", "c"], n),
        }
    )


def released(table: pl.DataFrame, quasi: Any = ("born", "wage", "sex"), **given: Any) -> shoal.Release:
    return shoal.anonymize(
        table, **{"quasi": quasi, "sensitive": ["ill"], "k": 5, "algorithm": "mondrian", "seed": 3} | given
    )


def ends(cell: str) -> tuple[str, str]:
    found = RANGE.fullmatch(cell)
    return (cell, cell) if found is None else (found[1], found[2])


def covers(cell: str | None, value: str | None) -> bool:
    """Read a cell plainly: dates compare as texts, wages as numbers."""
    if cell == "*" or cell is None or value is None:
        return cell == "*" or cell == value
    low, high = ends(cell)
    return low <= value <= high if "-" in value else int(low) <= int(value) <= int(high)


def test_the_grid_is_written_into_job_certificates_and_rules_and_the_job_again_gives_the_same_bytes(
    tmp_path: Path,
) -> None:
    table = people()
    table.write_csv(tmp_path / "people.csv")
    one = released(tmp_path / "people.csv")  # type: ignore[arg-type]
    one.write(tmp_path / "one")
    job = shoal.Job.read(tmp_path / "one/private/job.toml")
    assert [job.columns[name].hierarchy for name in ("born", "wage")] == [Ranges(grid="year"), Ranges(grid=200)]
    grid = {"born": {"step": "year", "fine": False}, "wage": {"step": 200, "fine": False}}
    for name in ("certificate.json", "certificate-public.json"):
        assert json.loads(file_in(tmp_path / "one", name).read_text())["grid"] == grid
    shoal.run(job).write(tmp_path / "two")
    for name in ("data.csv", "rules.json"):
        assert file_in(tmp_path / "one", name).read_bytes() == file_in(tmp_path / "two", name).read_bytes()
    assert shoal.verify(tmp_path / "two")


@pytest.mark.parametrize("algorithm", ["mondrian", "tightest", "top-down", "k-optimize"])
def test_every_record_lies_in_a_cell_whose_ends_are_on_the_grid(algorithm: str) -> None:
    table = people(60, missing=True)
    given: dict[str, Any] = {"measure": "discernibility"} if algorithm == "k-optimize" else {}
    cells = released(table, algorithm=algorithm, order="input", **given).frame
    assert cells.height == table.height
    for raw, shown in zip(table.iter_rows(named=True), cells.iter_rows(named=True), strict=True):
        assert raw["ill"] == shown["ill"]
        assert all(covers(shown[name], raw[name]) for name in ("born", "wage"))
    for cell in set(cells["born"].to_list()) - {None, "*"}:
        low, high = ends(cell)
        assert low == high or (low.endswith("-01-01") and high.endswith("-12-31"))
    for cell in set(cells["wage"].to_list()):
        low, high = ends(cell)
        assert low == high or (int(low) % 200, int(high) % 200) == (0, 199)


def test_a_single_value_is_printed_as_it_is() -> None:
    table = pl.DataFrame({"wage": ["301"] * 5 + ["405", "777", "803", "811", "5000"], "ill": ["a"] * 10})
    release = released(table, {"wage": {"type": "ranges", "grid": 100}}, algorithm="tightest")
    assert set(release.frame["wage"]) == {"301", "400 - 5099"}


def test_the_loss_is_that_of_the_published_cells() -> None:
    """By hand: the width of each cell within the range of the column, over that range; by utility, the same."""
    table = people(60)
    release = released(table, ("born", "wage"), drop=["sex"])
    days, wages = (table[name].to_list() for name in ("born", "wage"))
    total = 0.0
    for row in release.frame.iter_rows(named=True):
        for name, place, known in (
            ("born", lambda text: date.fromisoformat(text).toordinal(), days),
            ("wage", int, wages),
        ):
            least, most = (place(edge) for edge in (min(known, key=place), max(known, key=place)))
            low, high = (place(end) for end in ends(row[name]))
            total += (min(high, most) - max(low, least)) / (most - least)
    assert release.certificate["loss"]["total"] == pytest.approx(total)
    found = {one.name: one.loss for one in shoal.utility(release, raw=table, figures="columns").columns or ()}
    told = release.certificate["loss"]["columns"]
    for name in told:
        loss = found[name]
        assert loss is not None
        assert loss.total == pytest.approx(told[name])


def test_a_measure_that_charges_nodes_publishes_them() -> None:
    release = released(people(60), measure="tree")
    assert not any(RANGE.fullmatch(cell) for name in ("born", "wage") for cell in release.frame[name])
    before = released(
        people(60), {"born": {"type": "ranges", "grid": "none"}, "wage": None, "sex": None}, measure="tree"
    )
    assert before.certificate["loss"]["columns"]["born"] == pytest.approx(
        release.certificate["loss"]["columns"]["born"]
    )


@pytest.mark.parametrize("measure", ["lm", "tree"])
def test_the_rules_of_a_release_recode_its_own_table_and_the_next_one(measure: str, tmp_path: Path) -> None:
    table, later = people(), people(100, seed=2)
    release = released(table, measure=measure)
    release.write(tmp_path / "first")
    for frame in (table, later):
        applied = shoal.apply(tmp_path / "first", frame, max_suppressed=1, failing="suppress")
        assert applied.frame.height > (0 if frame is later else 100)
        known = {name: set(release.frame[name]) for name in ("born", "wage")}
        for row in applied.frame.iter_rows(named=True):
            assert all(row[name] in known[name] for name in known)


def test_a_release_of_before_is_one_without_a_grid(tmp_path: Path) -> None:
    """Its certificate has no such key, and its job says nothing of a grid: it is verified and read as it was."""
    table = people()
    table.write_csv(tmp_path / "people.csv")
    none = {name: {"type": "ranges", "grid": "none"} for name in ("born", "wage")}
    released(tmp_path / "people.csv", {**none, "sex": None}).write(tmp_path / "old")  # type: ignore[arg-type]
    job = tmp_path / "old/private/job.toml"
    job.write_text(job.read_text().replace('grid = "none"\n', ""))
    for name in ("certificate.json", "certificate-public.json"):
        forge_first(file_in(tmp_path / "old", name), lambda told: (told.pop("grid"), told.pop("blind")))
    assert shoal.verify(tmp_path / "old")
    claims = claims_in(tmp_path / "old")
    assert claims.job is not None
    assert claims.job.columns["born"].hierarchy == Ranges(grid="none")
    found = {one.name: one.loss for one in shoal.utility(tmp_path / "old", raw=table, figures="columns").columns or ()}
    told = json.loads((tmp_path / "old" / "private/certificate.json").read_text())["loss"]["columns"]
    assert found["born"] is not None
    assert found["born"].total == pytest.approx(told["born"])


@cache
def incomes() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return made-up incomes of 2,000 persons, and a public table of which a quarter is among them."""
    rng = np.random.default_rng(7)
    n = 2000
    everybody = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n + 1500)],
            "income": np.rint(np.exp(rng.normal(10.4, 0.5, n + 1500))).astype(int).astype(str),
            "region": rng.choice(list("ABC"), n + 1500),
            "ill": rng.choice(["a", "b", "c"], n + 1500),
        }
    )
    return everybody[:n], pl.concat([everybody[:500], everybody[n:]]).drop("ill")


def attacked(grid: str | None) -> tuple[float, dict[str, Any], dict[str, Any]]:
    raw, public = incomes()
    recipe = None if grid is None else {"type": "ranges", "grid": grid}
    release = released(raw, {"income": recipe, "region": "suppression"}, drop=["name"], k=10)
    attacks = ["presence", "singling-out"]
    found = shoal.attack(release, public=public, truth=["name"], raw=raw, attacks=attacks).as_dict()["attacks"]
    here, alone = ({one["attack"]: one for one in found}[name] for name in attacks)
    ends_alone = next(one for one in alone["predicates"] if one["kind"] == "ends")
    return release.certificate["loss"]["share"], here, ends_alone


def test_ends_on_the_default_grid_tell_little_of_who_is_there_and_cost_little() -> None:
    lost, here, alone = attacked("none")
    assert here["at_end"]["times_base"] > 3
    assert alone["isolating"] > 300
    less, there, few = attacked(None)
    assert there["in_class"]["times_base"] < 1.05
    by_chance = there["at_end"]["reach"] * there["base"]
    assert there["at_end"]["right"] <= by_chance + 3 * by_chance**0.5 + 1
    assert there["at_end"]["reach"] < here["at_end"]["reach"] / 4
    assert few["isolating"] < alone["isolating"] / 20
    assert less - lost < 0.004
