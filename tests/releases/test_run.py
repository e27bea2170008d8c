"""What a release was made of stays in the process that made it: a copy that leaves holds no raw value, and says so."""

import copy
import gc
import multiprocessing
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import Release, SpecError
from shoal.actions.anonymize import run as run_job
from shoal.jobs.job import Job
from shoal.jobs.source import Source
from shoal.releases.gathered import Gathered
from shoal.releases.run import Run, run_of
from shoal.search.engines import Engine
from shoal.search.problem import Solution
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.table import Table
from tests.test_leaks import clustered_rows

SEED = 987654321
CANARIES = (
    "CanaryName",  # an identifier
    "CanaryAge",  # of a record that is suppressed
    "CanaryIll",
    "CanaryCity",  # generalized away, and named in the job
    "CanaryReason",  # more that the job says
    "CanaryCode",
    "CanaryPath",
    "CanarySecret",
    str(SEED),
)
N = 24


def frame() -> pl.DataFrame:
    """Return a table in which one record hides in no class."""
    return pl.DataFrame(
        {
            "name": ["CanaryName"] * (N + 1),
            "city": ["Aby"] * 10 + ["CanaryCity"] * 2 + ["Bro"] * 12 + ["Elsewhere"],
            "age": [str(20 + i % 3) for i in range(N)] + ["CanaryAge"],
            "ill": [("flu", "gout")[i % 2] for i in range(N)] + ["CanaryIll"],
        }
    )


def made(folder: Path, data: Any) -> Release:
    """Release it by a job that names values of its own."""
    columns: dict[str, Any] = {
        "name": {"role": "identifier", "reason": "CanaryReason"},
        "city": {
            "role": "quasi",
            "hierarchy": {"type": "order", "fanout": 3, "order": ["Aby", "CanaryCity", "Bro", "Elsewhere"]},
            "missing": ["CanaryCode"],
        },
        "age": {"role": "quasi", "hierarchy": {"type": "suppression"}},
        "ill": {"role": "sensitive"},
    }
    content = {
        "input": {"path": "CanaryPath/data.csv"},
        "columns": columns,
        "require": [{"model": "k-anonymity", "k": 3}],
        "search": {"algorithm": "optimal", "max_suppressed": 0.05, "seed": SEED},
        "release": {"url": "postgresql://me:CanarySecret@nowhere/db", "table": "t"},
    }
    return run_job(Job.of(content, folder), data)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Return it with all that is worked out only when it is asked for."""
    found = made(tmp_path_factory.mktemp("made"), frame().cast(pl.Categorical))
    assert found.solution.suppressed == 1
    assert set(found.data["city"]) == {"Aby - Bro"}
    assert "CanaryCity" in str(found.run.raw.columns["city"].values)
    return found


def assert_silent(held: bytes | str) -> None:
    text = held.decode("latin-1") if isinstance(held, bytes) else held
    assert [word for word in CANARIES if word in text] == []


def reached(start: object) -> Iterator[object]:
    """Give all objects that an object refers to, and what these refer to, but for code."""
    seen, left = set[int](), [start]
    while left:
        one = left.pop()
        if id(one) not in seen and not isinstance(one, type | ModuleType | FunctionType | BuiltinFunctionType):
            seen.add(id(one))
            yield one
            left += gc.get_referents(one)


def test_pickled_it_holds_what_was_released_and_nothing_else(release: Release) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        text = pickle.dumps(release, protocol)
        assert b"Aby - Bro" in text  # so that values would be found
        assert_silent(text)


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow"])
def test_so_it_is_whatever_kind_of_frame_it_goes_back_as(tmp_path: Path, kind: str) -> None:
    table = frame()
    found = made(
        tmp_path,
        {"polars": lambda: table, "lazy": table.lazy, "pandas": table.to_pandas, "arrow": table.to_arrow}[kind](),
    )
    assert found.data is not None
    text = pickle.dumps(found)
    assert_silent(text)
    loaded = pickle.loads(text)  # noqa: S301  (our own)
    assert type(loaded.data) is type(found.data)


def test_what_a_copy_refers_to_is_none_of_the_stewards(release: Release) -> None:
    assert release.data is not None
    for one in (release, copy.copy(release), copy.deepcopy(release), pickle.loads(pickle.dumps(release))):  # noqa: S301
        assert isinstance(one, Release)
        words = []
        records = vars(one)["_records"]
        released = {"order", "counts", "_ends", "_occurring"}  # which row each record has, and how often each occurs
        allowed = [held for name, held in vars(records).items() if name in released]
        for held in reached(vars(one)):
            assert not isinstance(held, Run | Job | Source | Table | Solution | Hierarchy | Gathered | Engine)
            assert not isinstance(held, np.ndarray) or any(held is own for own in allowed)
            if isinstance(held, str | bytes):
                words.append(str(held))
            if isinstance(held, pl.DataFrame):
                words.append(repr([chunk for column in held.to_arrow().columns for chunk in column.chunks]))
        assert any("Aby - Bro" in word for word in words)
        assert_silent("\n".join(words))
        assert_silent(repr(one) + one._repr_html_() + repr(vars(one)) + repr(dir(one)))


def test_a_copy_in_the_same_process_knows_the_run(release: Release) -> None:
    for one in (copy.copy(release), copy.deepcopy(release)):
        assert one is not release
        assert one.run is release.run
        assert one.rules().digest() == release.rules().digest()
    changed = copy.deepcopy(release)
    changed.certificate["verdict"] = "none"
    assert release.certificate["verdict"] == "all claims hold"


def test_the_run_itself_is_neither_pickled_nor_copied(release: Release) -> None:
    for action in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SpecError, match="stays in the process that made it"):
            action(release.run)


def test_a_run_is_forgotten_with_its_release(tmp_path: Path) -> None:
    import weakref

    found = made(tmp_path, frame())
    table = weakref.ref(found.run.engine)
    del found
    gc.collect()
    assert table() is None


def test_a_loaded_copy_tells_what_was_released(release: Release, tmp_path: Path) -> None:
    loaded = pickle.loads(pickle.dumps(release))  # noqa: S301
    assert loaded.data.equals(release.data)
    assert loaded.frame.equals(release.frame)
    assert loaded.clusters is None
    assert loaded.certificate == release.certificate
    assert loaded.public_certificate == release.public_certificate
    assert repr(loaded) == repr(release)
    assert loaded._repr_html_() == release._repr_html_()
    assert loaded.report(tmp_path / "report.html", audience="public") == release.report(audience="public")
    again = pickle.loads(pickle.dumps(loaded))  # noqa: S301
    assert again.report(audience="public") == release.report(audience="public")


NEEDED: dict[str, Callable[[Release, Path], object]] = {
    "write": lambda one, folder: one.write(folder / "out"),
    "report": lambda one, folder: one.report(),
    "rules": lambda one, folder: one.rules(),
    "run": lambda one, folder: one.run,
    "job": lambda one, folder: one.job,
    "solution": lambda one, folder: one.solution,
    "utility": lambda one, folder: shoal.utility(one),
    "risk": lambda one, folder: shoal.risk(one),
    "attack": lambda one, folder: shoal.attack(one),
    "apply": lambda one, folder: shoal.apply(one, frame()),
}


@pytest.mark.parametrize("action", NEEDED)
def test_and_says_what_is_not_at_hand(release: Release, tmp_path: Path, action: str) -> None:
    loaded = pickle.loads(pickle.dumps(release))  # noqa: S301
    with pytest.raises(SpecError, match=r"are available here, not .* or write it there \(release\.write\)"):
        NEEDED[action](loaded, tmp_path)
    assert not list(tmp_path.iterdir())


OTHER = """
import pickle, sys
from pathlib import Path
import shoal
release = pickle.loads(Path(sys.argv[1]).read_bytes())
print(release, release.data.height, len(release.report(audience="public")))
try:
    release.write("out")
except shoal.SpecError as error:
    print(error)
"""


def test_another_process_gets_the_release_alone(release: Release, tmp_path: Path) -> None:
    (tmp_path / "sent").write_bytes(pickle.dumps(release))
    ran = subprocess.run(
        [sys.executable, "-c", OTHER, str(tmp_path / "sent")], capture_output=True, text=True, check=True
    )
    assert repr(release) in ran.stdout
    assert f" {N} {len(release.report(audience='public'))}\n" in ran.stdout
    assert "are available here, not" in ran.stdout


def test_a_pipe_carries_no_raw_value(release: Release) -> None:
    here, there = multiprocessing.Pipe()
    here.send(release)
    text = there.recv_bytes()
    assert b"Aby - Bro" in text
    assert_silent(text)


@pytest.mark.parametrize("shape", ["records", "clusters", "both"])
def test_clusters_leave_without_their_records(shape: Literal["records", "clusters", "both"]) -> None:
    rows = clustered_rows()
    table = pl.DataFrame(rows, ["name", "age", "pay", "disease", "note"], orient="row").cast(pl.String)
    roles: dict[str, Any] = {
        "quasi": ["age", "pay"],
        "sensitive": ["disease"],
        "insensitive": ["note"],
        "drop": ["name"],
    }
    found = shoal.anonymize(table, **roles, k=4, algorithm="mdav", shape=shape)
    found.plot()
    text = pickle.dumps(found)
    loaded = pickle.loads(text)  # noqa: S301
    notes = [str(row[4]) for row in rows]
    raw = [str(value) for row in rows for value in row[:3]]
    assert [value for value in raw if value.encode() in text] == []
    assert any(note.encode() in text for note in notes) is (shape != "clusters")
    assert (loaded.data is None) is (shape == "clusters")
    assert (loaded.clusters is None) is (shape == "records")
    if shape != "records":
        assert loaded.clusters.equals(found.clusters)
    elif found.run.gathered is not None:
        assert all(value.encode() not in text for value in found.run.gathered.frame["radius"])
    assert loaded.report(audience="public") == found.report(audience="public")
    for action in ("plot", "rules"):
        with pytest.raises(SpecError, match="are available here, not"):
            getattr(loaded, action)()


def counted(table: Table, names: tuple[str, ...]) -> Counter[tuple[str | None, ...]]:
    """Count the records of a table by some columns, one by one."""
    columns = [table.columns[name].texts(name).to_list() for name in names]
    weights = [1] * table.n_rows if table.counts is None else table.counts.tolist()
    found: Counter[tuple[str | None, ...]] = Counter()
    for weight, *row in zip(weights, *columns, strict=True):
        found[tuple(row)] += weight
    return found


@pytest.mark.parametrize(
    "asked", [{}, {"require": "distinct-l-diversity:l=2,column=ill"}, {"missing": "drop"}, {"entity": "name"}]
)
def test_points_stand_for_the_records_of_the_raw_table(asked: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    cells: dict[str, list[str | None]] = {
        "city": ["Aby", "Bro", None],
        "age": ["31", "7", "x", None],
        "ill": ["flu", "gout", "pox"],
    }
    drawn = {name: [values[i] for i in rng.integers(0, len(values), 300)] for name, values in cells.items()}
    names = [f"n{i}" for i in rng.integers(0, 250, 300)]
    given: dict[str, Any] = {"quasi": {"city": None, "age": None}, "sensitive": ["ill"], "k": 2, **asked}
    given |= {} if "entity" in asked else {"drop": ["name"]}
    made = run_of(shoal.anonymize(pl.DataFrame({"name": names, **drawn}), algorithm="mondrian", **given))
    points = made.raw_points
    assert counted(points, ("city", "age")) == counted(made.raw, ("city", "age"))
    assert (points is made.raw) == ("entity" in asked)
    assert points.n_records == made.raw.n_records
    assert points.n_rows < 50 or points is made.raw
