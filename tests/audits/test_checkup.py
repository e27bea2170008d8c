from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audits.checkup import check_up, judged
from shoal.foundation.errors import SpecError
from shoal.models import DistinctLDiversity, KAnonymity
from shoal.tables.rows import Rows
from tests.audits import plain

FIGURE_18 = [
    ("2203*", "been married", "F", "hypertension"),
    ("2203*", "been married", "F", "hypertension"),
    ("2203*", "never married", "M", "obesity"),
    ("2203*", "never married", "M", "HIV"),
    ("2203*", "never married", "M", "obesity"),
    ("2203*", "been married", "F", "hypertension"),
    ("2204*", "been married", "M", "obesity"),
    ("2204*", "been married", "M", "HIV"),
    ("2204*", "been married", "M", "HIV"),
]
"""The 3-anonymous table of the chapter on k-anonymity."""

CELL = st.one_of(st.none(), st.sampled_from(["*", "a", "b"]))
VALUE = st.one_of(st.none(), st.sampled_from(["x", "y", "z"]))
RECORDS = st.lists(st.tuples(CELL, CELL, VALUE), min_size=1, max_size=24)


def frame_of(records: list[Any], *names: str) -> pl.DataFrame:
    return pl.DataFrame(records, schema=dict.fromkeys(names, pl.String), orient="row")


@settings(deadline=None)  # kernels may be compiled on the first call
@given(RECORDS)
def test_check_measures_what_plain_python_measures(records: list[plain.Record]) -> None:
    found = check_up(Rows.each(frame_of(records, "p", "q", "s")), ["p", "q"], ["s"])
    sizes = [len(part) for part in plain.classes(records, [0, 1]).values()]
    assert found["records"] == len(records)
    assert found["classes"]["count"] == len(sizes)
    assert found["classes"]["smallest"] == found["k"] == min(sizes)
    assert found["classes"]["largest"] == max(sizes)
    assert found["classes"]["average"] == pytest.approx(len(records) / len(sizes))
    assert found["k_wildcard"] == plain.k_wildcard(records, [0, 1])
    wanted = plain.measured(records, [0, 1], 2)
    for name, value in found["sensitive"]["s"].items():
        assert value == (wanted[name] if value == "infinite" else pytest.approx(wanted[name], abs=1e-12)), name


@settings(deadline=None)
@given(RECORDS, st.integers(1, 6), st.integers(1, 3))
def test_a_judgement_counts_the_classes_that_fail_by_size(records: list[plain.Record], k: int, l: int) -> None:  # noqa: E741
    promises = [KAnonymity(k=k), DistinctLDiversity(l=l, column="s")]
    found = judged(Rows.each(frame_of(records, "p", "q", "s")), promises, ["p", "q"], ["s"], {})
    parts = plain.classes(records, [0, 1]).values()
    failing = [len(part) for part in parts if len(part) < k or len({record[2] for record in part}) < l]
    assert found["failing"] == [{"size": n, "classes": failing.count(n)} for n in sorted(set(failing))]
    assert found["claims"][0]["holds"] is (min(map(len, parts)) >= k)
    assert all(claim["holds"] for claim in found["claims"]) is not bool(failing)


def test_the_figure_has_the_answers_of_the_chapter() -> None:
    frame = frame_of(FIGURE_18, "zip", "status", "sex", "disease")
    found = shoal.check(frame, quasi=["zip", "status", "sex"], sensitive=["disease"])
    assert found["classes"] == {"count": 3, "smallest": 3, "largest": 3, "average": 3.0}
    assert found["k"] == found["k_wildcard"] == 3
    assert found["sensitive"]["disease"]["distinct_l"] == 1
    assert found["sensitive"]["disease"]["alpha"] == 1.0
    assert found["sensitive"]["disease"]["t"]["equal"] == pytest.approx(2 / 3)


def test_empty_cells_count_strictly_and_as_wildcards(tmp_path: Path) -> None:
    """A table as sdcMicro leaves it after local suppression."""
    (tmp_path / "t.csv").write_text("a,b\n1,x\n1,x\n1,\n,x\n2,y\n2,\n2,y\n", encoding="utf-8")
    found = shoal.check(tmp_path / "t.csv", quasi=["a", "b"])
    assert (found["k"], found["k_wildcard"]) == (1, 3)


def test_a_hierarchy_adds_the_distance_along_it() -> None:
    frame = frame_of([("a", "11"), ("a", "12"), ("b", "21"), ("b", "22")], "q", "s")
    along = shoal.check(frame, quasi=["q"], sensitive={"s": "masking"})["sensitive"]["s"]["t"]
    assert along == {"equal": 0.5, "ordered": pytest.approx(1 / 3), "hierarchical": pytest.approx(0.5)}
    assert shoal.check(frame, quasi=["q"], sensitive={"s": None})["sensitive"]["s"]["t"].keys() == {"equal", "ordered"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"quasi": []}, "No quasi column is named"),
        ({"quasi": ["q"], "sensitive": ["q"]}, "Column 'q' is given two roles: 'quasi' and 'sensitive'"),
        ({"quasi": ["qq"]}, "No column 'qq' in the frame"),
        ({"quasi": ["q"], "sensitive": {"s": "maskin"}}, "unknown type of hierarchy 'maskin'. Did you mean 'masking'?"),
        ({"quasi": ["q"], "sensitive": {"s": {"type": "intervals"}}}, "In the hierarchy of column 's'"),
    ],
)
def test_a_mistake_is_told(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError) as caught:
        shoal.check(frame_of([("a", "1")], "q", "s"), **given)
    assert words in str(caught.value)
