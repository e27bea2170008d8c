"""Rules stand beside a release, and tell no value that the release does not."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.clusters.cluster_table import Shape
from shoal.foundation.errors import InfeasibleError
from tests.actions.test_apply import RECIPES, records, released
from tests.test_leaks import CANARIES, bytes_below, clustered_rows, write_job


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    quasi=st.sets(st.sampled_from([name for name in RECIPES if name != "land"]), min_size=1, max_size=3),
    algorithm=st.sampled_from(["optimal", "mondrian", "tightest"]),
)
def test_rules_name_no_value_that_the_release_does_not(seed: int, quasi: set[str], algorithm: str) -> None:
    try:
        release = released(records(seed), sorted(quasi), algorithm=algorithm, max_suppressed="0.3", k=3)
    except InfeasibleError:
        return
    content = json.loads(release.rules().text())
    texts = {name: set(release.frame[name].cast(pl.String).drop_nulls().to_list()) for name in content["columns"]}
    for name, rule in content["columns"].items():
        for cell in rule.get("cells", ()):
            assert cell["label"] is None or cell["label"] in texts[name]
            for value in (*cell.get("range", ()), *cell.get("set", ())):
                assert value in cell["label"]
    hierarchies = [column["hierarchy"] for name, column in content["request"]["columns"].items() if name in texts]
    assert all(not {"order", "tree", "path"} & hierarchy.keys() for hierarchy in hierarchies)


@pytest.mark.parametrize("algorithm", ["optimal", "tightest", "mondrian"])
def test_a_suppressed_record_leaves_no_trace_in_the_rules(tmp_path: Path, algorithm: str) -> None:
    job = write_job(tmp_path)
    text = job.read_text(encoding="utf-8").replace('"optimal"', f'"{algorithm}"')
    job.write_text(text, encoding="utf-8")
    release = shoal.run(shoal.Job.read(job))
    release.write(tmp_path / "out")
    if release.solution.suppressed == 0:  # then the release itself tells, as far as a class hides it
        return
    written = bytes_below(tmp_path / "out")
    assert not any(canary.encode() in written for canary in CANARIES)


@pytest.mark.parametrize("shape", ["both", "records"])
def test_the_rules_of_clusters_tell_no_raw_value(shape: Shape) -> None:
    rows = clustered_rows()
    frame = pl.DataFrame(rows, schema=["name", "age", "pay", "ill", "note"], orient="row").cast(pl.String)
    release = shoal.anonymize(
        frame, quasi=["age", "pay"], sensitive=["ill"], drop=["name", "note"], k=4, algorithm="mdav", shape=shape
    )
    text = release.rules().text().decode()
    for name, age, pay, _, note in rows:
        for value in (name, age, pay, note):
            assert str(value) not in text
    largest = max(float(str(row[1])) for row in rows) - min(float(str(row[1])) for row in rows)
    assert str(largest) not in text  # neither how far the farthest two are apart
