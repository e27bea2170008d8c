"""What the public certificate tells, and what it holds back."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.jobs.disclosure import PUBLIC
from tests.releases.test_cluster_release import released as clusters

LEVELS = "a;x;*\nb;x;*\nc;y;*\nsecretvalue;y;*\n"


def table(n: int = 40) -> pl.DataFrame:
    return pl.DataFrame(
        {"person": [f"p{i}z" for i in range(n)], "age": [20 + i % 2 for i in range(n)], "ill": [*"abca" * (n // 4)]}
    )


def released(data: pl.DataFrame | None = None, **more: Any) -> shoal.Release:
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "drop": ["person"], "k": 4, "seed": 918273645}
    return shoal.anonymize(table() if data is None else data, **{**asked, "algorithm": "optimal", **more})


def with_few(n: int, **more: Any) -> dict[str, Any]:
    """Return the public certificate of a table with so many records that hide in no class."""
    lonely = {"person": [f"q{i}" for i in range(n)], "age": [900 + 7 * i for i in range(n)], "ill": ["a"] * n}
    data = pl.concat([table(), pl.DataFrame(lonely, schema=table().schema)])
    hierarchy = {"age": {"type": "intervals", "widths": [2]}}
    return released(data, quasi=hierarchy, max_suppressed=0.2, **more).public_certificate


def test_what_verify_needs_and_no_more(tmp_path: Path) -> None:
    made = released()
    made.write(tmp_path / "out")
    told = json.loads((tmp_path / "out" / "public" / PUBLIC).read_text(encoding="utf-8"))
    assert list(told) == [
        "shoal", "schema", "verdict", "blind", "records", "missing", "columns", "classes", "claims", "loss",
        "algorithm", "file",
        "delimiter", "seal",
    ]  # fmt: skip
    assert told["columns"] == {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    assert told["algorithm"] == {"name": "optimal", "recoding": "full-domain", "levels": {"age": 0}}
    assert {key: told[key] for key in made.public_certificate if key != "file"} == {
        key: value for key, value in made.public_certificate.items() if key != "file"
    }
    for word in ("person", "918273645", "seed", str(tmp_path), "bound", "ratio", "minimal", "input"):
        assert word not in json.dumps(told)


@pytest.mark.parametrize(("n", "shown"), [(0, 0), (1, None), (3, None), (4, 4), (6, 6)])
def test_a_few_suppressed_records_are_not_counted(n: int, shown: int | None) -> None:
    told = with_few(n)
    assert told["records"] == {"released": 40, "suppressed": shown}
    assert (told["loss"]["share"] is None) == (shown is None)


def test_a_few_among_those_dropped_for_missing_values_cannot_be_worked_out() -> None:
    """Eleven did not leave, which may be told; by the loss, one of them was suppressed, and ten had no age."""
    gone = pl.DataFrame({"person": ["r"] * 10, "age": [None] * 10, "ill": ["a"] * 10}, schema=table().schema)
    lonely = pl.DataFrame({"person": ["q"], "age": [900], "ill": ["a"]}, schema=table().schema)
    data = pl.concat([table(), gone, lonely])
    asked: dict[str, Any] = {"max_suppressed": 0.2, "missing": "drop"}
    made = released(data, quasi={"age": {"type": "intervals", "widths": [2]}}, **asked)
    assert made.certificate["missing"]["dropped"] == 10
    assert made.public_certificate["records"]["suppressed"] == 11
    assert made.public_certificate["loss"]["share"] is None


def test_the_loss_is_told_with_few_digits() -> None:
    made = released(quasi={"age": {"type": "intervals", "widths": [2, 300]}}, k=40)
    full, told = (one["loss"]["share"] for one in (made.certificate, made.public_certificate))
    assert told == float(f"{full:.3g}")
    from shoal.jobs.disclosure import _roughly

    assert [_roughly(share) for share in (0, 0.12345, 0.99999, 1)] == [0, 0.123, 0.999, 1]


def promises(folder: Path) -> dict[str, tuple[dict[str, Any], Any, dict[str, Any], str]]:
    """Return promises with the hierarchy of their column, what is told of both, and why they cannot be derived."""
    (folder / "levels.csv").write_text(LEVELS, encoding="utf-8")
    (folder / "matrix.csv").write_text(",a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n", encoding="utf-8")
    close = {"model": "t-closeness", "t": "1/3", "column": "ill"}
    far = {**close, "distance": "hierarchical"}
    levels, matrix = (str(folder / name) for name in ("levels.csv", "matrix.csv"))
    alpha = {"model": "alpha-k-anonymity", "alpha": 0.9, "k": 2, "column": "ill"}
    hierarchy = "needs the hierarchy of column 'ill'"
    return {
        "exact": (close, None, {"t": "1/3"}, ""),
        "a held value": ({**alpha, "value": "a"}, None, {"value": "a"}, ""),
        "another": ({**alpha, "value": "secretvalue"}, None, {"value": None}, "needs the value that it speaks of"),
        "matrix": ({**close, "distance": "matrix", "distances": matrix}, None, {"distances": None}, "needs the matrix"),
        "levels": (far, {"type": "levels", "path": levels}, {"distance": "hierarchical"}, hierarchy),
        "tree": (far, {"type": "taxonomy", "tree": {"A": {"B": ["a", "b"], "C": ["c", "secretvalue"]}}}, {}, hierarchy),
        "order": (far, {"type": "order", "fanout": 2, "order": [*"cba"]}, {}, ""),
        "a longer order": (far, {"type": "order", "fanout": 2, "order": [*"abc", "secretvalue"]}, {}, hierarchy),
        "ordered": ({**close, "distance": "ordered"}, None, {"distance": "ordered"}, ""),
        "not along it": (close, {"type": "levels", "path": levels}, {"distance": "equal"}, ""),
    }


@pytest.mark.parametrize(
    "kind",
    [
        "exact",
        "a held value",
        "another",
        "matrix",
        "levels",
        "tree",
        "order",
        "a longer order",
        "ordered",
        "not along it",
    ],
)
def test_a_promise_is_told_without_files_and_values_that_did_not_leave(tmp_path: Path, kind: str) -> None:
    promise, recipe, parameters, reason = promises(tmp_path)[kind]
    made = released(sensitive={"ill": recipe}, require=[promise])
    made.write(tmp_path / "out")
    text = (tmp_path / "out" / "public" / PUBLIC).read_text(encoding="utf-8")
    told = json.loads(text)["claims"][1]["parameters"]
    assert {name: told[name] for name in parameters} == parameters
    assert "secretvalue" not in text
    assert ".csv" not in text.replace("data.csv", "")
    assert shoal.verify(tmp_path / "out").not_derived == {}
    found = shoal.verify(tmp_path / "out" / "public" / PUBLIC)
    assert found.public
    assert [why.startswith(reason) for why in found.not_derived.values()] == [True] * bool(reason)
    assert len(found.findings.claims) == 2 - bool(reason)


@pytest.mark.parametrize(("distance", "weight"), [({"type": "number", "unit": 10}, 0.1), ("number", None)])
def test_a_unit_that_is_taken_from_the_raw_table_is_not_told(distance: Any, weight: float | None) -> None:
    told = clusters(distances={"age": distance, "pay": "equal"}).public_certificate["clusters"]
    assert [axis["weight"] for axis in told["metric"]["axes"]] == [weight, 1.0]
    assert not {"radius", "objectives", "bound"} & told.keys()


def test_records_without_their_clusters_tell_nothing_of_them() -> None:
    made = clusters(shape="records")
    assert made.public_certificate["clusters"] == {"shape": "records"}
    alone = clusters(shape="clusters").public_certificate
    assert list(alone["columns"]) == ["age", "pay", "ill", "job"]
