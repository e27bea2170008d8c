"""The state of a series is written and read, and one that contradicts itself is refused."""

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.foundation.errors import CertificateError
from shoal.releases.series.state import STATE, SeriesState
from tests.releases.series.small import cohorts, invariant, person


def array(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.int32)


@pytest.mark.parametrize("state", [invariant(), cohorts()])
def test_what_is_written_is_read(state: SeriesState, tmp_path: Path) -> None:
    (tmp_path / STATE).write_bytes(state.text())
    found = SeriesState.read(tmp_path)
    assert found.text() == state.text()
    assert found.persons.to_list() == [person(number) for number in range(4)]
    assert found.cells.tolist() == [[0, 0], [1, 0]]
    assert (found.promise, found.number, found.signatures, found.fakes, found.columns, found.known_marks) == (
        state.promise,
        state.number,
        state.signatures,
        state.fakes,
        state.columns,
        state.known_marks,
    )
    for name in ("held", "marks", "places", "owned"):
        assert getattr(found, name).tolist() == getattr(state, name).tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"held": array(0, 0, 1, -1)},  # there is one signature
        {"held": array(0, 0, 0, -2)},
        {"held": array(0, 0, 0)},
        {"held": array(0, 0, -1, -1), "marks": array(0, 1, -1, -1)},  # but the class of the third has one
        {"owned": array(0, 1)},
        {"owned": array(0, 1), "held": array(0, 0, 1, -1)},  # of one signature there is no second
        {"owned": array(0, 1), "places": array(0, 0, 0, -1)},
        {"held": array(-1, 0, 0, -1), "marks": array(-1, 1, 0, -1)},
        {"owned": array(0, -1), "held": array(0, 0, -1, -1), "marks": array(0, 1, -1, -1)},
        {"owned": array(0)},
        {"marks": array(0, 1, 2, -1)},
        {"marks": array(0, 1, -2, -1)},
        {"marks": array(0, 1, -1, -1)},
        {"marks": array(0, 1, 0, 0)},
        {"marks": array(0, 1, 0, -1, -1)},
        {"places": array(0, 0, 2, -1)},
        {"places": array(0, 0, -2, -1)},
        {"places": array(0, 0, 1)},
        {"cells": np.array([[0, 0], [2, 0]], dtype=np.int32)},
        {"cells": np.array([[0, 0], [-1, 0]], dtype=np.int32)},
        {"cells": np.array([[0, 0], [1, 0], [1, 0]], dtype=np.int32)},
        {"cells": np.array([[0, 0]], dtype=np.int32)},
        {"persons": pl.Series([person(0), person(1), person(1), person(2)])},
        {"fakes": ((2, "cold", 0),)},
        {"fakes": ((-1, "cold", 0),)},
        {"known_marks": ("1:f", "c")},
        {"known_marks": ("1:f", "1:c 2")},
        {"known_marks": ("1:f", "one:c")},
    ],
)
def test_a_state_that_contradicts_itself_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    assert invariant().fits()
    state = replace(invariant(), **change)
    assert not state.fits()
    (tmp_path / STATE).write_bytes(state.text())
    with pytest.raises(CertificateError, match="contradicts itself"):
        SeriesState.read(tmp_path)


def test_cohorts_have_any_numbers() -> None:
    state = cohorts()
    assert state.fits()
    assert replace(state, owned=array(7, 2**31 - 2), held=array(7, 7, 2**31 - 2, 2**31 - 2)).fits()
    assert replace(state, owned=array(0, 0), held=array(0, 0, 0, 0)).fits()
    assert not replace(state, owned=array(0, 0)).fits()
    assert replace(invariant(), known_marks=("1:", "1:c 12:c,d")).fits()
    assert replace(invariant(), fakes=((0, "cold", 0), (1, None, 7))).fits()


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(series=2),
        lambda content: content.update(number=0),
        lambda content: content.update(promise="none"),
        lambda content: content.update(more=1),
        lambda content: content.pop("fakes"),
        lambda content: content.update(held="%"),
        lambda content: content.update(held=b64encode(b"123").decode()),
        lambda content: content.update(cells=b64encode(bytes(12)).decode()),
        lambda content: content.update(persons=b64encode(bytes(17)).decode()),
        lambda content: content.update(persons="%%%%"),
        lambda content: content.update(fakes=[[1, "cold"]]),
    ],
)
def test_a_state_of_another_form_is_refused(change: Callable[[dict[str, Any]], object], tmp_path: Path) -> None:
    content = json.loads(invariant().text())
    change(content)
    (tmp_path / STATE).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CertificateError, match="is not as it was written"):
        SeriesState.read(tmp_path)


def test_persons_are_found_and_have_histories() -> None:
    state = invariant()
    at = state.places_of([person(2), person(9), person(0)])
    assert at.tolist() == [2, -1, 0]
    assert state.histories(at).tolist() == ["1:f", "", "1:f"]
    assert state.histories(state.places_of([person(3), person(1)])).tolist() == ["", "1:c"]


def test_the_smallest_class_is_counted_without_counterfeits() -> None:
    assert invariant().least_persons == 1
    assert cohorts().least_persons == 2
    assert replace(invariant(), owned=array(0, 0, 0)).least_persons == 0
    nobody = replace(invariant(), owned=array(), places=array(-1, -1, -1, -1))
    assert nobody.least_persons == 4  # without a class no class has fewer than all
