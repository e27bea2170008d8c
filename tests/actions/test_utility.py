import pickle
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.audits.utility import learners
from shoal.foundation.errors import MissingExtraError, SpecError
from tests.cli.run import HEADER, JOB, K_ANONYMITY, patients, patients_csv

FAST: dict[str, Any] = {"figures": ["columns", "pairs"]}


def table(n: int = 160) -> pl.DataFrame:
    rows = [[str(cell) for cell in row] for row in patients(n)]
    return pl.DataFrame(rows, schema=dict.fromkeys(HEADER, pl.String), orient="row")


def released(**given: Any) -> shoal.Release:
    known: dict[str, Any] = {
        "quasi": {"age": {"type": "intervals", "widths": [5, 10, 20, 40]}, "zip": "masking", "sex": None},
        "sensitive": ["disease"],
        "insensitive": ["note"],
        "drop": ["full_name", "ssn"],
        "k": 4,
        "algorithm": "optimal",
        "seed": 1,
    }
    return shoal.anonymize(table(), **known | given)


def gathered(**given: Any) -> shoal.Release:
    return released(quasi=["age", "sex"], drop=["full_name", "ssn", "zip"], algorithm="r-gather", **given)


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return released()


def test_a_release_in_memory_in_a_folder_and_as_a_table_give_the_same(tmp_path: Path) -> None:
    patients_csv(tmp_path)
    (tmp_path / "job.toml").write_text(JOB + K_ANONYMITY, encoding="utf-8")
    made = shoal.run(shoal.Job.read(tmp_path / "job.toml", {"search": {"algorithm": "optimal", "seed": 1}}))
    made.write(tmp_path / "out")
    found = shoal.utility(made, **FAST).as_dict()
    assert shoal.utility(tmp_path / "out", **FAST).as_dict() == found
    assert shoal.utility(tmp_path / "out", raw=table(), **FAST).as_dict() == found
    other = shoal.utility(
        made.data,
        raw=table(),
        quasi={"age": {"type": "intervals", "widths": [5, 10, 20, 40]}, "zip": "masking", "sex": "suppression"},
        sensitive=["disease"],
        named_from=4,
        **FAST,
    )
    assert other.as_dict() == found
    assert found["named_from"] == 4
    assert found["records"] == {"before": 160, "after": 160}
    assert found["loss"] == pytest.approx(made.certificate["loss"]["share"])
    (tmp_path / "data.csv").unlink()
    with pytest.raises(SpecError, match="--raw"):
        shoal.utility(tmp_path / "out", **FAST)


@pytest.mark.parametrize("made", [released, gathered, lambda: gathered(shape="clusters")])
def test_what_anonymize_returned_knows_its_raw_table(made: Callable[[], shoal.Release]) -> None:
    release = made()
    assert shoal.utility(release, **FAST).as_dict() == shoal.utility(release, raw=table(), **FAST).as_dict()
    with pytest.raises(SpecError, match="are available here, not"):
        shoal.utility(pickle.loads(pickle.dumps(release)), **FAST)  # noqa: S301  (our own)


def test_all_figures_of_a_release(release: shoal.Release) -> None:
    found = shoal.utility(release, raw=table(), sample=100)
    told = found.as_dict()
    assert [one["column"] for one in told["columns"]] == ["age", "zip", "sex", "disease", "note"]
    assert [one["role"] for one in told["columns"]] == ["quasi"] * 3 + ["sensitive", "insensitive"]
    assert len(told["pairs"]) == 10
    assert [one["model"] for one in told["propensity"]] == ["logistic", "cart"]
    assert [(one["target"], one["learner"]) for one in told["classification"]] == [
        ("disease", "logistic"),
        ("disease", "tree"),
    ]
    assert told["propensity"][0]["records"] == {"before": 100, "after": 100}
    assert not told["not_run"]
    assert "at most 100 records" in " ".join(told["notes"])
    assert "in the release too" in " ".join(told["notes"])
    assert found["disease"].total_variation == 0
    assert "160 of 160 records" in repr(found)
    with pytest.raises(KeyError, match="age"):
        found["agee"]
    again = shoal.utility(release, raw=table(), sample=100)
    assert again.as_dict() == told


def test_no_rare_value_and_no_identifier_is_told_unless_asked_for() -> None:
    raw = table().with_columns(
        pl.Series("note", ["unheard-of"] + ["seen"] * 159), pl.Series("disease", ["Köhler"] * 3 + ["flu"] * 157)
    )
    release = shoal.anonymize(
        raw,
        quasi=["age", "zip", "sex"],
        insensitive=["note", "disease"],
        drop=["full_name", "ssn"],
        k=4,
        algorithm="optimal",
    )
    found = shoal.utility(release, raw=raw, figures="columns")
    counts = {name: raw[name].value_counts() for name in ("zip", "note", "disease")}
    rare = {value for part in counts.values() for value, count in part.rows() if count < 4}
    assert {"unheard-of", "Köhler"} <= rare
    words = set(re.split(r"[^\w-]+", str(found.as_dict())))
    assert not rare & words
    assert not {str(cell) for name in ("full_name", "ssn") for cell in raw[name]} & words
    assert "unheard-of" in str(found.as_dict(show=True))


def test_the_release_is_made_anew_for_each_fold(release: shoal.Release) -> None:
    found = shoal.utility(release, raw=table(), figures="classification", learner="tree", split=True, folds=2)
    assert found.classification[0].split
    assert found.classification[0].trained == (80, 80)
    assert "anew" in found.notes[-1]


def test_targets_that_cannot_be_told_are_named() -> None:
    raw = table().with_columns(pl.Series("note", ["same"] * 160))
    release = shoal.anonymize(
        raw,
        quasi=["age", "zip", "sex"],
        insensitive=["note", "disease"],
        drop=["full_name", "ssn"],
        k=4,
        algorithm="optimal",
    )
    found = shoal.utility(release, raw=raw, figures="classification")
    assert "--target" in found.not_run["classification"]
    found = shoal.utility(release, raw=raw, figures="classification", target="note")
    assert "two values" in found.not_run["classification (note)"]


def test_clusters_are_compared_by_their_centres(tmp_path: Path) -> None:
    for shape in ("both", "clusters"):
        release = gathered(shape=shape)
        found = shoal.utility(release, raw=table(), **FAST)
        assert found["age"].loss is None
        assert found.loss is None
        assert found["age"].after is not None
        assert found["age"].after.mean == pytest.approx(found["age"].before.mean, abs=3)  # type: ignore[union-attr]
        assert found["disease"].total_variation == 0
        assert "certificate" in found.notes[0]
        release.write(tmp_path / shape)
        assert shoal.utility(tmp_path / shape, raw=table(), **FAST).as_dict() == found.as_dict()
    sets = gathered(shape="clusters", values="set")
    assert [one.name for one in shoal.utility(sets, raw=table(), **FAST).columns] == ["age", "sex"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"figures": "pair"}, "Did you mean 'pairs'"),
        ({"learner": "forrest"}, "Did you mean 'forest'"),
        ({"target": "diseas"}, "Did you mean 'disease'"),
        ({"measure": "discernibility"}, "does not apply to a single column"),
        ({"measure": "lmm"}, "Unknown measure"),
        ({"folds": 1}, "at least 2"),
        ({"quasi": ["age"]}, "defines the roles"),
        ({"raw": table().drop("age")}, "lacks columns of the release: age"),
        ({"raw": table().head(0)}, "has no records"),
    ],
)
def test_requests_that_cannot_be_met_say_why(release: shoal.Release, given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        shoal.utility(release, **{"raw": table(), **given})


def test_a_table_by_another_tool_has_no_job_to_run_again(release: shoal.Release) -> None:
    with pytest.raises(SpecError, match="job"):
        shoal.utility(release.data, raw=table(), quasi=["age", "zip", "sex"], split=True)


def test_without_scikit_learn_the_rest_is_measured(release: shoal.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "installed", lambda: False)
    found = shoal.utility(release, raw=table())
    assert [one.model for one in found.propensity] == ["logistic"]
    assert set(found.not_run) == {"propensity (cart)", "classification"}
    assert "shoal[learn]" in found.not_run["classification"]
    with pytest.raises(MissingExtraError, match="learn"):
        shoal.utility(release, raw=table(), target="disease")


def test_many_columns_are_bounded() -> None:
    wide = pl.DataFrame({f"c{j}": [str((i * j) % 3) for i in range(30)] for j in range(24)})
    found = shoal.utility(wide, raw=wide, quasi=["c0", "c1"], figures="pairs")
    assert len(found.pairs) == 190
    assert "20 columns of 24" in found.notes[0]
    assert all(pair.total_variation == 0 for pair in found.pairs)


def test_one_record_is_enough() -> None:
    one = pl.DataFrame({"größe": ["180"], "*": [None]}, schema={"größe": pl.String, "*": pl.String})
    found = shoal.utility(one, raw=one, quasi=["größe"], sensitive=["*"])
    assert "propensity" in found.not_run
    assert found["größe"].total_variation == 0
    assert "180" not in str(found.as_dict())


def test_a_release_of_stars_only_tells_nothing() -> None:
    raw = pl.DataFrame({"x": [str(n % 5) for n in range(40)], "y": ["a", "b"] * 20})
    found = shoal.utility(raw.with_columns(x=pl.lit("*"), y=pl.lit("*")), raw=raw, quasi=["x", "y"], target="y")
    assert found.loss == 1
    assert [one.total_variation for one in found.columns] == [1, 1]
    assert found.pairs[0].cramers_v[1] is None
    assert "every column" in found.not_run["propensity"]
    assert "fewer than" in found.not_run["classification (y)"]


def test_cells_that_stand_for_nothing_are_counted() -> None:
    raw = pl.DataFrame({"x": ["a", "b"] * 20})
    found = shoal.utility(pl.DataFrame({"x": ["a", "z"] * 20}), raw=raw, quasi=["x"], figures="columns")
    assert found["x"].strange == 20
    assert found["x"].loss is None
    assert found["x"].total_variation == 0.5
    assert "x (20)" in found.notes[0]
    assert "z" not in str(found.as_dict()["columns"][0]["distribution"]["places"][0])
    with pytest.raises(SpecError, match="raw table"):
        shoal.utility(pl.DataFrame({"x": ["young"]}), raw=pl.DataFrame({"x": ["1", "2"]}), quasi=["x"])


def test_a_copy_of_the_target_is_no_predictor() -> None:
    draw = random.Random(4)  # noqa: S311
    alive = draw.choices(["no", "yes"], k=200)
    table = pl.DataFrame(
        {
            "age": [str(draw.randint(20, 60)) for _ in range(200)],
            "alive": alive,
            "survived": ["0" if one == "no" else "1" for one in alive],
        }
    )
    release = shoal.anonymize(table, quasi=["age"], sensitive=["alive", "survived"], k=5, algorithm="mondrian")
    found = shoal.utility(release, target=["alive"], figures=["classification"], learner=["tree"])
    assert found.classification[0].raw.mean < 0.8
    assert any("'alive' is not told from what says the same in other words: survived" in note for note in found.notes)
