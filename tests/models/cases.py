"""Random releases and random models, and how a release of lists becomes a grouping."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shoal.classes.grouping import Grouping, Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.models import MODELS, PrivacyModel, TCloseness
from shoal.models.by_hand import classes_by_hand
from shoal.models.table_model import TableModel
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.plain import Record, Value
from tests.oracles.promises import keeps

COLUMNS = ("illness", "wage")
ORDER = ("1", "2", "4", "7", None)
ROWS = (("1", "1-2", "1-4", "*"), ("2", "1-2", "1-4", "*"), ("4", "4", "1-4", "*"), ("7", "7", "7", "*"))
DISTANCES = (
    ("0", "1", "2.5", "3", "4"),
    ("1", "0", "1.5", "3", "4"),
    ("2.5", "1.5", "0", "2", "4"),
    ("3", "3", "2", "0", "3.5"),
    ("4", "4", "4", "3.5", "0"),
)
MATRIX = str(Path(__file__).with_name("distances.csv"))
HIERARCHY = Hierarchy.of_rows(ROWS[::-1], "hierarchy of the tests").with_missing()


@dataclass(frozen=True)
class Plain:
    """A release as lists: the (illness, wage) of each record of each class, and an outside table."""

    classes: Sequence[Sequence[tuple[Value, Value]]]
    covered: Sequence[int] = ()
    outside: int = 0

    def values(self) -> list[Value]:
        return [record[0] for records in self.classes for record in records]

    def records(self) -> list[list[Record]]:
        """Return the records of each class as the oracle reads them."""
        return [[dict(zip(COLUMNS, record, strict=True)) for record in records] for records in self.classes]


def ground(kind: str, first: Value, second: Value, occurring: Sequence[Value]) -> Fraction:
    """Return how far apart two values are, by the definition of each ground distance."""
    if first == second:
        return Fraction(0)
    if kind == "equal":
        return Fraction(1)
    if kind == "ordered":
        return Fraction(abs(occurring.index(first) - occurring.index(second)), len(occurring) - 1)
    if kind == "matrix":
        return Fraction(DISTANCES[ORDER.index(first)][ORDER.index(second)]) / 4
    labels = {row[0]: row for row in ROWS}
    if first is None or second is None:
        return Fraction(1)
    meeting = [one == other for one, other in zip(labels[first], labels[second], strict=True)]
    return Fraction(meeting.index(True), len(meeting) - 1)


def grouping(plain: Plain) -> Grouping:
    """Return the release as the models see it; values in the order of the oracle."""
    return classes_by_hand(
        plain.classes,
        COLUMNS,
        orders={"illness": ORDER},
        hierarchies={"illness": HIERARCHY},
        populations={"people.csv": plain.covered or [1] * len(plain.classes)},
        outside={"people.csv": plain.outside},
    )


@st.composite
def releases(draw: st.DrawFn, max_size: int = 7, max_classes: int = 4) -> Plain:
    """Draw a few small classes; small, so that thresholds are often met exactly."""
    letters = draw(st.sampled_from([ORDER[:1], ORDER[:2], ORDER[:3], ORDER[1:], ORDER]))
    record = st.tuples(st.sampled_from(letters), st.sampled_from(("x", "y")))
    records = st.lists(record, min_size=1, max_size=max_size)
    classes = draw(st.lists(records, min_size=1, max_size=max_classes))
    covered = [draw(st.sampled_from([0, 1, len(c), len(c) + 1, 2 * len(c), 5 * len(c)])) for c in classes]
    return Plain(classes, covered, draw(st.sampled_from([0, 0, 3])))


def _between(low: str, high: str) -> st.SearchStrategy[Fraction]:
    return st.fractions(Fraction(low), Fraction(high), max_denominator=6)


_SENSITIVE: dict[str, st.SearchStrategy[Any]] = {
    "column": st.just("illness"),
    "others": st.sampled_from(["ignored", "ignored", "known"]),
}
_SMALL = st.integers(1, 5)
_KINDS = st.sampled_from(["equal", "ordered", "hierarchical", "matrix"])

PARAMETERS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "k-anonymity": {"k": _SMALL},
    "distinct-l-diversity": {"l": _SMALL, **_SENSITIVE},
    "entropy-l-diversity": {"l": _between("1", "4"), **_SENSITIVE},
    "recursive-cl-diversity": {"c": _between("1/6", "4"), "l": _SMALL, **_SENSITIVE},
    "frequency-l-diversity": {"l": _between("1", "4"), **_SENSITIVE},
    "p-sensitive-k-anonymity": {"p": _SMALL, "k": _SMALL, **_SENSITIVE},
    "k-e-anonymity": {"k": _SMALL, "e": _between("0", "7"), **_SENSITIVE},
    "alpha-k-anonymity": {
        "alpha": _between("1/6", "1"),
        "k": _SMALL,
        "value": st.sampled_from([None, "1", "7", "none such"]),
        **_SENSITIVE,
    },
    "t-closeness": {"t": _between("0", "1"), "distance": _KINDS, **_SENSITIVE},
    "beta-likeness": {
        "beta": _between("1/6", "3"),
        "kind": st.sampled_from(["basic", "enhanced"]),
        **_SENSITIVE,
    },
    "delta-disclosure": {"delta": _between("1/6", "3"), **_SENSITIVE},
    "k-map": {"k": _SMALL, "population": st.just("people.csv")},
    "delta-presence": {"range": st.tuples(_between("0", "1"), _between("0", "1")), "population": st.just("people.csv")},
    "k-map-estimate": {
        "k": _SMALL,
        "fraction": _between("1/6", "1"),
        "significance": _between("1/6", "1/2"),
        "estimator": st.sampled_from(["binomial", "poisson"]),
    },
    "average-risk": {"most": _between("1/6", "1")},
    "sample-uniqueness": {"most": _between("0", "1")},
    "population-uniqueness": {
        "most": _between("0", "1"),
        "fraction": _between("1/6", "1"),
        "estimator": st.sampled_from(["dankar", "pitman", "zayatz", "snb"]),
    },
}
WHOLE = tuple(kind.name for kind in MODELS if issubclass(kind, TableModel))  # promises about the whole release


def build(name: str, values: dict[str, Any]) -> PrivacyModel:
    """Return a model with drawn parameters, and those that follow from them."""
    if "range" in values:
        values["least"], values["most"] = sorted(values.pop("range"))
    if values.get("distance") == "matrix":
        values["distances"] = MATRIX
    return MODELS[name](**values)


def models(name: str) -> st.SearchStrategy[PrivacyModel]:
    """Draw a model of this name."""
    return st.fixed_dictionaries(PARAMETERS[name]).map(lambda values: build(name, values))


def check(model: PrivacyModel, plain: Plain) -> None:
    """Assert that the model agrees with its definition on every class."""
    classes = plain.records()
    table = [record for records in classes for record in records]
    measured = partial(ground, model.distance) if isinstance(model, TCloseness) else None
    covered = plain.covered or [0] * len(classes)
    expected = [
        keeps(model, members, table, COLUMNS, people, plain.outside, measured)
        for members, people in zip(classes, covered, strict=True)
    ]
    held = model.holds(grouping(plain))
    assert held.dtype == np.bool_
    assert held.tolist() == expected


def histogram(counts: Sequence[Sequence[int]], reference: Sequence[int] | None = None) -> Histogram:
    """Return classes by `counts[class][value]`, however large, of a column with the hierarchy of the tests."""
    full = np.array(counts, dtype=np.int64)
    classes, values = np.nonzero(full)
    return Histogram(
        column=SensitiveColumn("illness", ORDER[: full.shape[1]], HIERARCHY),
        offsets=np.searchsorted(classes, np.arange(len(full) + 1)),
        values=values.astype(np.int32),
        counts=full[classes, values],
        sizes=full.sum(axis=1),
        reference=full.sum(axis=0) if reference is None else np.array(reference, dtype=np.int64),
    )
