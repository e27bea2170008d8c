from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.actions.suggestions.promises import FittingSpread, fitting_diversity, fitting_spread, most_classes


def dealt(counts: list[int], needed: int) -> int:
    """Return the most classes with `needed` different values each, by trying all ways to deal the records out."""
    records = [value for value, count in enumerate(counts) for _ in range(count)]
    best = 0
    for classes in product(range(len(records)), repeat=len(records)):
        held: dict[int, set[int]] = {}
        for record, number in zip(records, classes, strict=True):
            held.setdefault(number, set()).add(record)
        best = max(best, sum(len(values) >= needed for values in held.values()))
    return best


@settings(max_examples=25)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda counts: sum(counts) <= 5), st.integers(1, 3))
def test_the_most_classes_are_those_of_all_ways(counts: list[int], needed: int) -> None:
    assert most_classes(np.array(counts), needed) == dealt(counts, needed)


def test_what_is_suggested() -> None:
    assert fitting_diversity(np.array([100, 100, 100, 100]), 5).l == 3
    assert fitting_diversity(np.array([100, 100]), 5).l == 2
    rare = fitting_diversity(np.array([990, 9, 1]), 5)
    assert (rare.l, rare.classes) == (2, 10)
    assert fitting_diversity(np.array([10]), 5).l == 1
    assert fitting_diversity(np.array([], dtype=np.int64), 5).l == 1


def test_a_range_is_asked_of_many_numbers() -> None:
    values = [str(1000 + 10 * i) for i in range(100)]
    spread = fitting_spread(values, np.ones(100, dtype=np.int64))
    assert spread == FittingSpread(3, Fraction(200))  # the middle half is 500 wide, half of it 250
    assert fitting_spread(values[:20], np.ones(20, dtype=np.int64)) is None
    assert fitting_spread([*values, "n/a"], np.ones(101, dtype=np.int64)) == spread  # the model counts numbers alone
    assert fitting_spread([*values, *("abcdef")], np.ones(106, dtype=np.int64)) is None
    counts = np.ones(100, dtype=np.int64)
    counts[0] = 1000
    assert fitting_spread(values, counts) is None


def claims_of(job: Path) -> list[dict[str, Any]]:
    """Run a job beside whose folder the table lies, with a quick algorithm, and return what its certificate claims."""
    text = job.read_text()
    for old, new in (("table.csv", str(job.parent.with_name("table.csv"))), ('"auto"', '"mondrian"')):
        assert old in text
        text = text.replace(old, new)
    job.write_text(text)
    claims: list[dict[str, Any]] = shoal.run(shoal.Job.read(job)).certificate["claims"]
    return claims


def test_a_job_asks_for_the_range_and_runs(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {"age": [str(20 + i % 9) for i in range(300)], "income": [str(1000 + i * 7) for i in range(300)]}
    )
    proposal = shoal.init(table)
    assert proposal.spreads == {"income": FittingSpread(3, Fraction(500))}
    assert proposal.diversities == {}
    table.write_csv(tmp_path / "table.csv")
    assert 'model = "k-e-anonymity"\nk = 3\ne = 500\ncolumn = "income"' in proposal.toml()
    job = proposal.write(tmp_path / "job")
    claims = claims_of(job)
    assert [(claim["model"], claim["holds"]) for claim in claims] == [("k-anonymity", True), ("k-e-anonymity", True)]
    assert proposal.changed(diversity={"income": 2}).spreads == {}


def test_a_job_reads_decimal_commas(tmp_path: Path) -> None:
    wages = [f"{1000 + i * 7},50" for i in range(299)]
    table = pl.DataFrame({"age": [str(20 + i % 9) for i in range(300)], "income": [*wages, "n/a"]})
    proposal = shoal.init(table)
    assert proposal.spreads == {"income": FittingSpread(3, Fraction(500), ",")}
    table.write_csv(tmp_path / "table.csv")
    job = proposal.write(tmp_path / "job")
    claims = claims_of(job)
    assert [(claim["model"], claim["holds"]) for claim in claims] == [("k-anonymity", True), ("k-e-anonymity", True)]
    assert claims[1]["parameters"]["decimal"] == ","
