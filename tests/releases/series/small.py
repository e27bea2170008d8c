"""States of small series that are written down by hand."""

import numpy as np
import polars as pl

from shoal.releases.series.state import SeriesState


def person(number: int) -> str:
    """Return a pseudonym."""
    return f"p{number:032x}"


def invariant() -> SeriesState:
    """Return a release in which two persons are a class, one with a counterfeit another, and a fourth is withheld."""
    return SeriesState(
        promise="m-invariance",
        number=2,
        persons=pl.Series([person(number) for number in range(4)]),
        held=np.array([0, 0, 0, -1], dtype=np.int32),
        marks=np.array([0, 1, 0, -1], dtype=np.int32),
        places=np.array([0, 0, 1, -1], dtype=np.int32),
        known_marks=("1:f", "1:c"),
        signatures=(("flu", "cold"),),
        owned=np.array([0, 0], dtype=np.int32),
        columns={"age": ("1", "2"), "sex": ("m",)},
        cells=np.array([[0, 0], [1, 0]], dtype=np.int32),
        fakes=((1, "cold", 0),),
    )


def cohorts() -> SeriesState:
    """Return a first release with two cohorts of two companions."""
    return SeriesState(
        promise="companions",
        number=1,
        persons=pl.Series([person(number) for number in range(4)]),
        held=np.array([0, 0, 1, 1], dtype=np.int32),
        marks=np.array([0, 1, 0, 1], dtype=np.int32),
        places=np.array([0, 0, 1, 1], dtype=np.int32),
        known_marks=("1:a", "1:b"),
        signatures=(),
        owned=np.array([0, 1], dtype=np.int32),
        columns={"age": ("1", "2"), "sex": ("m",)},
        cells=np.array([[0, 0], [1, 0]], dtype=np.int32),
        fakes=(),
    )
