import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.hierarchies import Intervals
from tests.cli.run import HEADER, patients
from tests.contracts.cluster_variants import needed

ROLES: dict[str, Any] = {
    "quasi": ["age", "zip", "sex"],
    "sensitive": ["disease"],
    "insensitive": ["note"],
    "drop": ["full_name", "ssn"],
}


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return pl.DataFrame(patients(), schema=list(HEADER), orient="row")


@pytest.fixture(scope="module")
def short(frame: pl.DataFrame) -> pl.DataFrame:
    """Fifty people, ten of them twice."""
    return pl.concat([frame.head(50), frame.head(10)])


def _classes(rows: list[tuple[Any, ...]], n_quasi: int = 3) -> list[int]:
    keys = [row[:n_quasi] for row in rows]
    return [keys.count(key) for key in set(keys)]


def test_every_kind_of_frame_comes_back_as_it_came(frame: pl.DataFrame) -> None:
    ask: dict[str, Any] = {**ROLES, "k": 4, "seed": 3}
    made = shoal.anonymize(frame, **ask).data
    lazy = shoal.anonymize(frame.lazy(), **ask).data
    pandas = shoal.anonymize(
        pd.DataFrame(frame.to_dict(as_series=False), index=range(1000, 1000 + frame.height)), **ask
    ).data
    arrow = shoal.anonymize(frame.to_arrow().replace_schema_metadata({"origin": "secret"}), **ask).data
    assert isinstance(made, pl.DataFrame)
    assert isinstance(lazy, pl.LazyFrame)
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(arrow, pa.Table)
    assert min(_classes(made.rows())) >= 4
    assert lazy.collect().rows() == made.rows()
    assert list(pandas.itertuples(index=False, name=None)) == made.rows()
    assert list(pandas.index) == list(range(frame.height))
    assert arrow.to_pylist() == made.to_dicts()
    assert not arrow.schema.metadata
    assert set(made.dtypes) == {pl.String}


def test_what_is_missing_stays_missing_and_is_no_star(frame: pl.DataFrame) -> None:
    holes = frame.with_columns(sex=pl.when(pl.int_range(pl.len()) % 4 == 0).then(None).otherwise(pl.col("sex")))
    made = shoal.anonymize(holes, **ROLES, k=4, algorithm="optimal")
    assert made.solution.levels["sex"] == 0
    assert made.data["sex"].null_count() == 40
    assert "*" not in made.data["sex"].to_list()
    pandas = shoal.anonymize(pd.DataFrame(holes.to_dict(as_series=False)), **ROLES, k=4, algorithm="optimal").data
    assert int(pandas["sex"].isna().sum()) == 40


def _fields(model: type[Any], folder: Path) -> dict[str, Any]:
    known: dict[str, Any] = {
        "k": 2, "l": 2, "p": 2, "c": 50, "t": 0.9, "alpha": 0.9, "beta": 20, "delta": 20, "least": 0, "most": 1, "e": 1,
        "column": "disease", "population": str(folder / "people.csv"), "fraction": 0.5,
    }  # fmt: skip
    return {name: known[name] for name in model.__dataclass_fields__ if name in known}


@pytest.mark.parametrize("name", MODELS.names)
def test_every_model_can_be_required(frame: pl.DataFrame, tmp_path: Path, name: str) -> None:
    frame.select("age", "zip", "sex").write_csv(tmp_path / "people.csv")
    if name == "k-e-anonymity":  # it speaks of numbers
        frame = frame.with_columns(disease=pl.int_range(pl.len()) % 7)
    fields = _fields(MODELS[name], tmp_path)
    ask: dict[str, Any] = {**ROLES, "max_suppressed": 0.1, "algorithm": "optimal"}
    by_name = shoal.anonymize(frame, **ask, require=[{"model": name, **fields}])
    by_class = shoal.anonymize(frame, **ask, require=[MODELS[name](**fields)])
    assert by_name.certificate["claims"] == by_class.certificate["claims"]
    assert by_name.certificate["claims"][0]["model"] == name
    assert getattr(shoal, MODELS[name].__name__) is MODELS[name]


@pytest.mark.parametrize("name", MEASURES.names)
def test_every_measure_can_be_minimized(frame: pl.DataFrame, name: str) -> None:
    measure = {"name": name, "column": "disease"} if name == "classification" else name
    made = shoal.anonymize(frame, **ROLES, k=4, measure=measure, algorithm="optimal")
    assert made.certificate["loss"]["measure"] == name
    assert getattr(shoal, MEASURES[name].__name__) is MEASURES[name]


@pytest.mark.parametrize("name", ["auto", *ALGORITHMS.names])
def test_every_algorithm_can_be_chosen(short: pl.DataFrame, name: str) -> None:
    trees = {"age": Intervals(widths=(5, 10, 20, 40)), "zip": "masking", "sex": "suppression"}
    kind = ALGORITHMS[name] if name != "auto" else None
    measure = "discernibility" if kind is not None and kind.alike else "lm"
    asked: dict[str, Any] = {**ROLES, "quasi": trees, "measure": measure}
    if kind is not None and kind.objective is not None:
        del asked["measure"]  # it has its own
    given = {"name": name, **needed(kind)} if kind is not None else name
    k = min(2, kind.most_k or 2) if kind is not None else 2
    made = shoal.anonymize(short, **asked, k=k, algorithm=given, max_suppressed=0.99)
    assert made.certificate["algorithm"]["name"] == ("optimal-2" if name == "auto" else name)
    assert min(_classes(made.data.rows())) >= k


def test_hierarchies_may_be_objects_tables_names_or_left_out(frame: pl.DataFrame) -> None:
    given: dict[str, Any] = {"age": Intervals(widths=(20, 40)), "zip": {"type": "masking", "levels": 2}, "sex": None}
    made = shoal.anonymize(frame, **{**ROLES, "quasi": given}, k=4, weights={"age": 3})
    assert made.job.columns["age"].hierarchy == Intervals(widths=(Fraction(20), Fraction(40)))
    assert made.job.columns["age"].weight == 3
    assert [column.name for column in made.solution.recoding.columns] == ["age", "zip", "sex"]
    assert shoal.anonymize(frame, **{**ROLES, "quasi": {"age": "suppression", "zip": "masking", "sex": None}}, k=4)


def test_a_lone_name_is_a_list_of_one() -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 2]})
    assert shoal.anonymize(frame, quasi="age", k=2).data.height == 4
    assert shoal.check(frame, quasi="age")["k"] == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"k": 0}, "k-anonymity.k: Input should be greater than or equal to 1"),
        ({"k": 2.5}, "'k' is 2.5: a whole number is needed."),
        ({"k": True}, "'k' is True: a whole number is needed."),
        ({}, "require: is empty"),
        ({"k": 2, "max_supressed": 0.1}, "Unknown argument 'max_supressed'. Did you mean 'max_suppressed'?"),
        ({"k": 2, "max_suppressed": float("inf")}, "search.max_suppressed: Input should be a number"),
        ({"k": 2, "quasi": ["age"]}, "No role for columns 'zip', 'sex'"),
        ({"k": 2, "insensitive": ["note", "age"]}, "Column 'age' is given two roles: 'quasi' and 'insensitive'"),
        ({"k": 2, "weights": {"agee": 2}}, "columns.agee.role: is missing"),
        ({"require": [{"model": "l-diversity"}]}, "unknown privacy model 'l-diversity'"),
        ({"require": [{"model": "k-anonymity", "k": "x"}]}, "k-anonymity.k: Input should be a valid integer"),
        ({"k": 2, "algorithm": "magic"}, "unknown algorithm 'magic'"),
    ],
)
def test_a_mistake_is_told(frame: pl.DataFrame, given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError) as caught:
        shoal.anonymize(frame, **{**ROLES, **given})
    assert words in str(caught.value)


@pytest.mark.parametrize("data", [[1, 2], None, 5, {"a": [1]}])
def test_what_is_no_table_is_refused(data: object) -> None:
    with pytest.raises(SpecError):
        shoal.anonymize(data if data is not None else object(), quasi=["a"], k=2)


def test_no_records_are_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(SpecError, match="has no records"):
        shoal.anonymize(frame.head(0), **ROLES, k=2)
    lost = pl.DataFrame({"a": ["1", None], "b": [None, "2"]})
    with pytest.raises(SpecError, match=r"has no records \(2 before those with missing values were dropped\)"):
        shoal.anonymize(lost, quasi=["a", "b"], k=1, missing="drop")


def test_what_cannot_be_done_is_explained(frame: pl.DataFrame) -> None:
    with pytest.raises(InfeasibleError) as caught:
        shoal.anonymize(frame, **ROLES, k=161)
    assert caught.value.diagnosis["largest_k"] == 160
    assert "The largest k possible within that limit, by k-anonymity alone, is 160." in str(caught.value)


@pytest.mark.parametrize("missing", ["category", "wildcard", "drop"])
def test_missing_values_are_counted_as_they_are_read(missing: Any) -> None:
    draw = random.Random(2)  # noqa: S311
    rows = [(draw.choice(["1", "2", None]), draw.choice(["x", "y", None])) for _ in range(90)]
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    made = shoal.anonymize(frame, quasi=["a", "b"], k=2, missing=missing)
    complete = sum(None not in row for row in rows)
    assert made.certificate["records"]["released"] == (complete if missing == "drop" else 90)
    assert made.certificate["records"]["input"] == 90
    assert made.certificate["missing"]["reading"] == missing
    assert made.data.null_count().row(0) == ((0, 0) if missing == "drop" else frame.null_count().row(0))


def test_a_path_is_found_again_after_a_change_of_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data.csv").write_text("a\n1\n1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made = shoal.anonymize("data.csv", quasi=["a"], k=2)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir("below")
    made.write("out")
    again = shoal.run(shoal.Job.read(Path("out/private/job.toml")))
    assert again.data.rows() == made.data.rows()


def test_the_frontier_and_the_minimal_ones_agree_with_a_release(frame: pl.DataFrame) -> None:
    seen: list[str] = []
    best = shoal.frontier(frame, ks=[2, 4], **ROLES, progress=lambda step, share=None: seen.append(step)).best(4)
    made = shoal.anonymize(frame, **ROLES, k=4, algorithm="optimal")
    assert best is not None
    assert best["loss"] == pytest.approx(made.solution.loss.total)
    assert made.solution.levels in shoal.minimal_generalizations(frame, **ROLES, k=4)
    assert seen


def test_the_front_door_knows_its_names() -> None:
    for name in dir(shoal):
        assert getattr(shoal, name) is not None
    assert {"anonymize", "check", "verify", "Release", "KAnonymity", "Lm"} <= set(dir(shoal))
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        shoal.anonymise  # type: ignore[attr-defined]  # noqa: B018
