"""The estimator: rows stay in their place, each looks like a class of the release, and scikit-learn knows it as one."""

import pickle
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

import shoal
from shoal.foundation.errors import SpecError
from shoal.sklearn import Anonymizer

DIFFERENCES = "it subtracts what comes out, and labels are texts; with codes it passes"
OF_NUMBERS = dict.fromkeys(
    (
        "check_estimators_pickle",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_pipeline_consistency",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
    ),
    DIFFERENCES,
)


def persons(n: int = 200, seed: int = 0) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"Secret-{number}" for number in range(n)],
            "age": draw.integers(20, 80, n),
            "sex": draw.choice(["F", "M"], n),
            "ill": draw.choice(["asthma", "flu", "ulcer"], n),
        }
    )


def asked(**others: Any) -> Anonymizer:
    given: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "drop": ["name"], "k": 5}
    return Anonymizer(**(given | others))


@pytest.mark.parametrize("algorithm", ["mondrian", "optimal", "top-down"])
def test_the_training_table_comes_out_as_the_release_in_its_order(algorithm: str) -> None:
    table = persons()
    release = shoal.anonymize(
        table,
        quasi=["age", "sex"],
        sensitive=["ill"],
        drop=["name"],
        k=5,
        algorithm=algorithm,
        order="input",
        seed=0,
    )
    fitted = asked(algorithm=algorithm).fit(table)
    assert fitted.transform(table).rows() == release.data.rows()
    assert fitted.certificate_["claims"] == release.certificate["claims"]
    assert fitted.covered(table).all()


def covers(cell: str, value: object) -> bool:
    """Tell whether a cell stands for a value; written without anything of shoal."""
    ends = re.fullmatch(r"(-?\d+) - (-?\d+)", cell)
    if ends:
        return int(ends[1]) <= int(str(value)) <= int(ends[2])
    return cell in ("*", str(value)) or str(value) in cell.strip("{}").split(", ")


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.integers(-5, 120), st.sampled_from(["F", "M", "X"])), min_size=1, max_size=40),
    k=st.integers(2, 20),
    seed=st.integers(0, 5),
)
def test_each_row_looks_like_k_training_records_or_is_starred(rows: list[tuple[int, str]], k: int, seed: int) -> None:
    table = persons(120, seed).select("age", "sex")
    fitted = Anonymizer(quasi={"age": "ranges", "sex": None}, k=k).fit(table)
    trained = fitted.transform(table).rows()
    new = pl.DataFrame(rows, schema={"age": pl.Int64, "sex": pl.String}, orient="row")
    shown, covered = fitted.transform(new).rows(), fitted.covered(new)
    for row, cells, known in zip(rows, shown, covered, strict=True):
        assert all(covers(cell, value) for cell, value in zip(cells, row, strict=True))
        assert not known or cells in fitted.classes_of_release_
        assert known or cells == ("*", "*")
        assert not known or trained.count(cells) >= k


def test_a_value_that_no_rule_knows_is_starred_and_the_rest_of_its_row_stays() -> None:
    fitted = asked().fit(persons())
    new = pl.DataFrame({"name": ["a", "b"], "age": [30, 30], "sex": ["F", "unheard"], "ill": ["flu", "gout"]})
    shown = fitted.transform(new)
    assert shown.columns == ["age", "sex", "ill"]
    assert shown.row(0)[1] == "F"
    assert shown.row(1) == ("*", "*", "gout")
    assert fitted.covered(new).tolist() == [True, False]


def test_codes_are_in_the_order_of_the_numbers_and_minus_one_is_not_covered() -> None:
    table = persons()
    labels, codes = asked().fit(table), asked(output="codes").fit(table)
    ages = [cell for cell in labels.cells_["age"] if cell is not None]
    starts = [int(re.split(" - ", cell)[0]) for cell in ages]
    assert starts == sorted(starts)
    pairs = zip(labels.transform(table)["age"], codes.transform(table)["age"], strict=True)
    assert all(ages[code] == cell for cell, code in pairs)
    strange = pl.DataFrame({"name": ["a"], "age": [30], "sex": ["unheard"], "ill": ["flu"]})
    assert codes.transform(strange).row(0)[:2] == (-1, -1)


def test_the_kind_of_table_and_its_index_stay() -> None:
    table = persons().to_pandas().set_index(np.arange(200) + 1000)
    fitted = asked().fit(table)
    shown = fitted.transform(table)
    assert shown.index.equals(table.index)
    assert shown["ill"].equals(table["ill"])
    assert fitted.transform(table.iloc[::-1])["age"].tolist() == shown["age"].tolist()[::-1]
    plain = Anonymizer(quasi=["x0"], insensitive=["x1"]).fit(np.arange(40.0).reshape(20, 2))
    array = plain.transform(np.arange(40.0).reshape(20, 2))
    assert isinstance(array, np.ndarray)
    assert array[:, 1].tolist() == list(np.arange(1.0, 40.0, 2))
    named = asked().set_output(transform="pandas").fit(table).transform(table)
    assert isinstance(named, pd.DataFrame)
    assert named.columns.tolist() == fitted.get_feature_names_out().tolist() == ["age", "sex", "ill"]


def test_a_missing_value_is_a_category_of_its_own() -> None:
    table = pd.DataFrame({"age": [30.0, None] * 10, "sex": ["F", "M"] * 10})
    shown = Anonymizer(k=5).fit(table).transform(table)
    assert shown["age"].isna().tolist() == [False, True] * 10


def test_it_is_a_step_of_a_pipeline() -> None:
    table = persons(300).to_pandas()
    target = (table["age"] > 50).to_numpy()
    steps = make_pipeline(
        asked(quasi=["age", "sex"], k=10),
        OneHotEncoder(handle_unknown="ignore"),
        RandomForestClassifier(20, random_state=0),
    )
    assert steps.fit(table[:200], target[:200]).score(table[200:], target[200:]) > 0.8
    copied = clone(steps[0])
    assert copied.get_params()["k"] == 10
    assert not hasattr(copied, "rules_")


def test_what_is_pickled_holds_nothing_of_the_raw_table_but_rules() -> None:
    fitted = asked().fit(persons())
    stored = pickle.dumps(fitted)
    assert b"Secret-" not in stored
    again = pickle.loads(stored)  # noqa: S301  (made one line above)
    assert again.transform(persons()).equals(fitted.transform(persons()))


def test_the_rules_of_a_fit_are_rules_like_any() -> None:
    table = persons()
    fitted = asked(algorithm="optimal").fit(table)
    applied = shoal.apply(fitted.rules_, table)
    assert sorted(applied.data.rows()) == sorted(fitted.transform(table).rows())


@pytest.mark.parametrize(("output", "failing"), [("codes", {}), ("labels", OF_NUMBERS)])
def test_scikit_learn_checks_it(output: Any, failing: dict[str, str]) -> None:
    results = check_estimator(
        Anonymizer(k=2, output=output),
        expected_failed_checks=failing,
        on_fail=None,
        on_skip=None,
    )
    found = {(one["check_name"], one["status"]) for one in results if one["status"] not in ("passed", "skipped")}
    assert {name for name, _ in found} == set(failing)
    assert {status for _, status in found} <= {"xfail"}
    assert {one["check_name"] for one in results if one["status"] == "skipped"} <= {"check_array_api_input"}
    assert sum(one["status"] == "passed" for one in results) > 30


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"output": "texts"}, "'output' is 'texts'"),
        ({"quasi": ["age"]}, "sex"),
        ({"k": 0}, "k"),
    ],
)
def test_what_is_asked_wrongly_is_said_in_the_words_of_shoal(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        asked(**wrong).fit(persons())


def test_scikit_learn_is_loaded_only_where_it_is_asked_for() -> None:
    told = (
        "import sys, shoal; shoal.sklearn; print('sklearn' in sys.modules)\n"
        "shoal.sklearn.Anonymizer; print('sklearn' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "True"]
    without = (
        "import sys; sys.modules['sklearn'] = None; import shoal\n"
        "try: shoal.sklearn.Anonymizer\n"
        "except shoal.MissingExtraError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=True)
    assert "pip install 'shoal[learn]'" in ran.stdout
