"""Utility: how long each figure takes on releases of Adult, and what some releases are good for."""

import tempfile
import time
from pathlib import Path

import polars as pl

import shoal
from benchmarks.measuring import ADULT, COLUMNS, adult_file, machine, need_adult, print_table

QUASI = [name for name in COLUMNS if name != "salary-class"]
FIGURES = ("columns", "pairs", "propensity", "classification")


def released(raw: pl.DataFrame, k: int, algorithm: str) -> shoal.Release:
    """Return a release with the hierarchies of Adult."""
    recipes = {name: {"type": "levels", "path": str(ADULT / f"hierarchy_{name}.csv")} for name in QUASI}
    return shoal.anonymize(
        raw, quasi=recipes, sensitive=["salary-class"], k=k, algorithm=algorithm, max_suppressed=0.05, seed=1
    )


def main() -> None:
    """Print a table of seconds, and one of figures."""
    seconds: list[list[object]] = []
    figures: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_records, k, algorithm in (
            (30_162, 5, "optimal"),
            (30_162, 5, "mondrian"),
            (30_162, 50, "mondrian"),
            (1_000_000, 50, "optimal"),
            (1_000_000, 50, "mondrian"),
        ):
            raw = pl.read_csv(adult_file(Path(folder), n_records), separator=";", infer_schema=False)
            release = released(raw, k, algorithm)
            name: list[object] = [f"{n_records:,}", k, algorithm]
            taken = []
            for figure in FIGURES:
                shoal.utility(release, raw=raw.head(1000), figures=figure)  # what is loaded and compiled once
                started = time.process_time()
                shoal.utility(release, raw=raw, figures=figure)
                taken.append(f"{time.process_time() - started:.2f}")
            seconds.append([*name, *taken])
            found = shoal.utility(release, raw=raw)
            variation = sum(found[column].total_variation for column in QUASI) / len(QUASI)
            pairs = sum(pair.total_variation for pair in found.pairs) / len(found.pairs)
            shares = [f"{one.share:.1%}" for one in found.propensity]
            kept = [f"{one.released.mean:.1%} of {one.raw.mean:.1%}" for one in found.classification]
            figures.append([*name, f"{found.loss:.1%}", f"{variation:.3f}", f"{pairs:.3f}", *shares, *kept])
    print_table(f"CPU seconds by figure ({machine()})", ["records", "k", "release", *FIGURES], seconds)
    header = ["loss", "variation", "of pairs", "pMSE logistic", "pMSE cart", "accuracy logistic", "accuracy tree"]
    print_table("What is left", ["records", "k", "release", *header], figures)


if __name__ == "__main__":
    need_adult()
    main()
