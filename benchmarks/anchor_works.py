"""What tools are timed at, each in a process of its own: `python anchor_works.py TOOL.WORK FILE`, without imports.

It is run by the Python that has the tool, which may know nothing of shoal, so it imports the standard library alone.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
SENSITIVE = ["occupation"]
Told = tuple[str, float]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what some work returns, and its CPU seconds."""
    started = time.process_time()
    found = work()
    return found, time.process_time() - started


def shoal_k(path: str) -> Told:
    """Count a table that is in memory, compiled before."""
    import polars as pl

    import shoal

    table = pl.read_csv(path, separator=";", infer_schema=False)
    shoal.check(table, quasi=QUASI)
    found, cpu = timed(lambda: shoal.check(table, quasi=QUASI)["k"])
    return f"k = {found}", cpu


def polars_k(path: str) -> Told:
    """Group a table that is in memory."""
    import polars as pl

    table = pl.read_csv(path, separator=";", infer_schema=False)
    found, cpu = timed(lambda: table.group_by(QUASI).len()["len"].min())  # noqa: PLW0108  (to group is timed, too)
    return f"k = {found}", cpu


def duckdb_k(path: str) -> Told:
    """Group a table that is in DuckDB's memory."""
    import duckdb

    base = duckdb.connect()
    base.execute("create table t as from read_csv($path, delim=';', all_varchar=true)", {"path": path})
    names = ", ".join(f'"{name}"' for name in QUASI)
    query = f"select min(n) from (select count(*) as n from t group by {names})"  # noqa: S608  (our own names)
    found, cpu = timed(lambda: base.execute(query).fetchone())
    return f"k = {found[0]}", cpu


def pycanon_k(path: str) -> Told:
    """Check a frame of pandas."""
    import pandas as pd
    from pycanon import anonymity

    table = pd.read_csv(path, sep=";", dtype=str)
    found, cpu = timed(lambda: anonymity.k_anonymity(table, QUASI))
    return f"k = {found}", cpu


def shoal_all(path: str) -> Told:
    """Measure what every promise reaches, in one call."""
    import polars as pl

    import shoal

    table = pl.read_csv(path, separator=";", infer_schema=False)
    shoal.check(table, quasi=QUASI, sensitive=SENSITIVE)
    found, cpu = timed(lambda: shoal.check(table, quasi=QUASI, sensitive=SENSITIVE))
    return f"l = {found['sensitive'][SENSITIVE[0]]['distinct_l']}", cpu


def pycanon_all(path: str) -> Told:
    """Measure six of the same, a call for each."""
    import pandas as pd
    from pycanon import anonymity as asked

    table = pd.read_csv(path, sep=";", dtype=str)
    others = (
        *(asked.entropy_l_diversity, asked.t_closeness, asked.alpha_k_anonymity),
        *(asked.basic_beta_likeness, asked.delta_disclosure),
    )
    found, first = timed(lambda: asked.l_diversity(table, QUASI, SENSITIVE))
    _, more = timed(lambda: [one(table, QUASI, SENSITIVE) for one in others])
    return f"l = {found}", first + more


def shoal_mondrian(path: str) -> Told:
    """Recode by Mondrian with ranges and sets, certificate included."""
    import polars as pl

    import shoal

    table = pl.read_csv(path, separator=";", infer_schema=False).select(QUASI)
    quasi = {name: "ranges" if name == "age" else "sets" for name in QUASI}

    def work() -> Any:
        return shoal.anonymize(table, quasi=quasi, k=10, algorithm="mondrian", measure="ncp", seed=1)

    work()
    made, cpu = timed(work)
    classes = made.certificate["classes"]
    return f"{classes['count']:,} classes of at least {classes['smallest']}", cpu


def anonypy_mondrian(path: str) -> Told:
    """Recode by Mondrian with ranges and sets."""
    import anonypy
    import pandas as pd

    table = pd.read_csv(path, sep=";", dtype=str)[QUASI].assign(one="x")
    table["age"] = table["age"].astype(int)
    for name in QUASI:
        table[name] = table[name] if name == "age" else table[name].astype("category")
    rows, cpu = timed(lambda: anonypy.Preserver(table, QUASI, "one").anonymize_k_anonymity(k=10))
    return f"{len(rows):,} classes of at least {min(row['count'] for row in rows)}", cpu


if __name__ == "__main__":
    tool, _, work = sys.argv[1].partition(".")
    result, seconds = globals()[f"{tool}_{work}"](sys.argv[2])
    print(json.dumps({"result": result, "cpu": seconds}))
