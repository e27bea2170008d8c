"""Attacks on releases of Adult: the release is joined with the raw table it was made of, and the truth is counted."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, machine, need_adult, print_table
from shoal.audits.attacks.attacks import Attacks

QUASI = [name for name in COLUMNS if name != "occupation"]
ON_CLASSES = ["homogeneity", "background-knowledge", "skewness"]


def table(n_records: int) -> pl.DataFrame:
    """Return Adult, or as many of its records drawn with replacement, with numbers for names."""
    raw = pl.read_csv(ADULT / "adult.csv", separator=";", infer_schema=False)
    raw = raw if n_records == raw.height else raw.sample(n_records, with_replacement=True, seed=1)
    return raw.with_columns(id=pl.int_range(raw.height).cast(pl.String))


def released(raw: pl.DataFrame, k: int, algorithm: str, levels: bool) -> shoal.Release:
    """Return a release with the hierarchies of Adult, or with free ranges and sets."""
    recipes = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in QUASI}
    return shoal.anonymize(
        raw,
        quasi=recipes if levels else QUASI,
        sensitive=["occupation"],
        drop=["id"],
        k=k,
        algorithm=algorithm,
        max_suppressed=0.05 if algorithm == "optimal" else 0,
        seed=1,
    )


def timed(attack: Callable[[], Attacks]) -> tuple[Attacks, str, str]:
    """Return what an attack finds, its seconds and its CPU seconds, the second time."""
    attack()
    wall, cpu = time.perf_counter(), time.process_time()
    found = attack()
    return found, f"{time.perf_counter() - wall:.2f}", f"{time.process_time() - cpu:.2f}"


def main() -> None:
    """Print a row for each release."""
    need_adult()
    rows: list[list[Any]] = []
    for n_records, k, algorithm, levels in (
        (30_162, 5, "optimal", True),
        (30_162, 5, "mondrian", True),
        (30_162, 5, "mondrian", False),
        (30_162, 2, "mondrian", False),
        (1_000_000, 5, "mondrian", False),
    ):
        raw = table(n_records)
        release = released(raw, k, algorithm, levels)
        linkage = partial(shoal.attack, release, public=raw, truth=["id"], raw=raw, attacks=["linkage"])
        found, wall, cpu = timed(linkage)
        _, _, other = timed(partial(shoal.attack, release, attacks=ON_CLASSES))
        link = found.linkage
        assert link is not None
        assert link.truth is not None
        kind = f"{algorithm}, {'hierarchies' if levels else 'ranges and sets'}"
        n_classes = release.certificate["classes"]["count"]
        right, certain = f"{link.truth.right:,.0f}", f"{link.certain['occupation']:,}"
        rows.append([f"{n_records:,}", k, kind, f"{n_classes:,}", wall, cpu, other, link.fewest, right, certain])
    header = ["records", "k", "release", "classes", "linkage s", "CPU s", "other three CPU s"]
    header += ["fewest matches", "right by chance", "certain"]
    print_table(f"Attacks, Adult against its raw table, 8 quasi columns ({machine()})", header, rows)


if __name__ == "__main__":
    main()
