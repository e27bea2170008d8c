"""What a search says when the lattice is too large or the time is up, and why stars may be in the way."""

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.search.algorithms import ALGORITHMS
from shoal.search.lattice.lattice import Lattice

WIDE = pl.DataFrame({f"c{number}": ["a", "b", "c", "d"] * 5 for number in range(24)})
ROLES: dict[str, Any] = {"quasi": {name: {"type": "order", "fanout": 2} for name in WIDE.columns}}
LOOK_AT_ALL = ["exhaustive", "samarati", "incognito"]


@pytest.mark.parametrize("name", LOOK_AT_ALL)
def test_a_lattice_that_is_too_large_is_refused(name: str) -> None:
    with pytest.raises(shoal.SpecError, match=r"has 2.8e\+11 generalizations, too many .* Use the algorithm 'optimal'"):
        shoal.anonymize(WIDE, quasi=ROLES["quasi"], k=2, algorithm=name)


def test_the_frontier_of_a_lattice_that_is_too_large_is_refused() -> None:
    with pytest.raises(shoal.SpecError, match="too many to check each"):
        shoal.frontier(WIDE, quasi=ROLES["quasi"], ks=[2])


def test_the_optimal_search_needs_no_list_of_nodes() -> None:
    release = shoal.anonymize(WIDE, quasi=ROLES["quasi"], k=2)
    assert release.certificate["algorithm"]["guarantee"] == "optimal"
    assert release.certificate["loss"]["total"] == 0


@pytest.mark.parametrize("name", ["samarati", "incognito"])
def test_what_has_nothing_to_show_in_time_says_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lattice, "out_of_time", property(lambda _: True))
    with pytest.raises(shoal.InfeasibleError, match=r"time limit of 5.0 s has passed before .* Allow more time"):
        shoal.anonymize(WIDE.select("c0", "c1"), quasi=["c0", "c1"], k=6, algorithm=name, time_limit=5)


def test_every_algorithm_that_lists_nodes_is_tested_here() -> None:
    full_domain = {kind.name for kind in ALGORITHMS if not (kind.local or kind.alike or kind.objective)}
    assert full_domain - set(LOOK_AT_ALL) == {"optimal", "attribute-suppression", "tuple-suppression"}


def test_stars_that_are_in_the_way_are_named() -> None:
    table = pl.DataFrame({"zip": ["1"] * 4 + ["2"]})
    asked: dict[str, Any] = {
        "quasi": {"zip": "suppression"},
        "k": 3,
        "max_suppressed": 0.2,
        "algorithm": "tuple-suppression",
    }
    assert shoal.anonymize(table, **asked).certificate["records"]["suppressed"] == 1
    with pytest.raises(shoal.InfeasibleError) as told:
        shoal.anonymize(table, **asked, suppressed="star")
    assert "The starred records are a class that fails in every release. With suppressed = 'drop'" in str(told.value)
    assert "Suppressing 1 records (20.00%) would be enough" in str(told.value)
    assert told.value.diagnosis["largest_k"] == 1


def test_stars_and_wildcards_are_judged_side_by_side() -> None:
    table = pl.DataFrame({"q": ["u", None, "w", "w"], "s": ["b", "a", "a", "c"]})
    release = shoal.anonymize(
        table,
        quasi={"q": "suppression"},
        sensitive=["s"],
        require=[shoal.FrequencyLDiversity(l=2, column="s")],
        max_suppressed=0.5,
        suppressed="star",
        missing="wildcard",
    )
    assert release.certificate["claims"][0]["achieved"] == 2.0
