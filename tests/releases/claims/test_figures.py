"""Figures of a certificate that contradict each other."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from shoal.foundation.errors import CertificateError
from shoal.releases.claims.figures import agree, check_figures

CELLS: dict[str, Any] = {
    "records": {"input": 12, "released": 9, "suppressed": 3},
    "missing": {"reading": "drop", "dropped": 1},
    "classes": {"count": 2, "smallest": 4, "largest": 5, "average": 4.5},
    "loss": {"measure": "lm", "total": 3.0, "share": 0.5, "bound": 2.0, "ratio": 1.5, "columns": {"a": 1.0, "b": 2.0}},
    "algorithm": {"recoding": "full-domain", "guarantee": "none", "factor": None, "levels": {"a": 1}, "minimal": []},
    "told": {},
    "file": {"records": 9},
}
CLUSTERS: dict[str, Any] = {
    **CELLS,
    "loss": {"measure": "sse", "total": 3.0, "share": 0.5, "bound": 2.0, "ratio": 1.5, "columns": {"a": 3.0}},
    "algorithm": {**CELLS["algorithm"], "recoding": "centres", "levels": {}},
    "clusters": {
        "count": 3,
        "smallest": 2,
        "largest": 5,
        "bound": 2.0,
        "objectives": {"radius": 1.0, "cellular": 2.0, "sse": 3.0},
        "shape": "both",
        "file": {"clusters": 3, "records": 9},
    },
}
RULES: dict[str, Any] = {
    **CELLS,
    "loss": {**CELLS["loss"], "bound": None, "ratio": None},
    "rules": {"outside": 1, "failing": 1},
}
PUBLIC: dict[str, Any] = {
    "records": {"released": 9, "suppressed": None},
    "classes": CELLS["classes"],
    "algorithm": {"recoding": "full-domain", "levels": {"a": 1}},
    "file": {"records": 9},
}
FILE = "the records of the file and those that were released"
CLASSES = "the classes and the records of the file"
GATHERED = "the clusters and their records"
BOTH = "the records of the clusters and those of the file"
LEVELS, CENTRES = "the recoding and the levels", "the recoding and the clusters"
INPUT = "the records of the input, released and suppressed"
DROPPED = "the records that were dropped and suppressed"
BY_RULES = "the records that the rules suppressed and all that were"
COLUMNS, SHARE, BOUND = "the loss and its columns", "the loss and its share", "the loss and its bound"
RATIO = "the loss, its bound and their ratio"
FACTOR = "the guarantee and the factor"
MINIMAL = "the levels and the minimal generalizations"
OBJECTIVES = "the loss and the objectives of the clusters"
RULED = "the rules and the bound"
Change = Callable[[dict[str, Any]], object]


def told(certificate: dict[str, Any], change: Change) -> list[str]:
    """Return what contradicts each other in a certificate after a change."""
    changed = deepcopy(certificate)
    change(changed)
    try:
        check_figures(changed, "c.json")
    except CertificateError as error:
        return str(error).removeprefix("The figures of c.json contradict each other: ").removesuffix(".").split("; ")
    return []


@pytest.mark.parametrize("certificate", [CELLS, CLUSTERS, RULES, PUBLIC])
def test_figures_that_agree(certificate: dict[str, Any]) -> None:
    assert told(certificate, lambda _: None) == []


def put(part: str, **given: Any) -> Change:
    return lambda one: one[part].update(given)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("file", records=8), [FILE, CLASSES]),
        (put("file", records=13), [FILE, CLASSES]),
        (put("classes", smallest=6), [CLASSES]),
        (put("classes", smallest=3), [CLASSES]),
        (put("classes", smallest=5, largest=4), [CLASSES]),
        (put("classes", largest=6), [CLASSES]),
        (put("classes", average=4.6), [CLASSES]),
        (put("classes", count=3, average=3.0), [CLASSES]),
        (put("classes", count=1, smallest=9, largest=9, average=9.0), []),
        (put("classes", count=1, smallest=4, largest=9, average=9.0), [CLASSES]),
        (put("classes", count=1, smallest=9, largest=10, average=9.0), [CLASSES]),
        (put("classes", count=0, smallest=0, largest=0, average=0.0), [CLASSES]),
        (put("classes", count=3, smallest=2, largest=5, average=3.0), []),
        (put("classes", count=3, smallest=3, largest=4, average=3.0), [CLASSES]),
        (put("classes", count=3, smallest=1, largest=3, average=3.0), [CLASSES]),
        (put("algorithm", levels={}), [LEVELS]),
        (put("algorithm", recoding="local"), [LEVELS]),
        (put("algorithm", recoding="centres", levels={}), [CENTRES]),
        (put("records", input=13), [INPUT]),
        (put("missing", dropped=3), []),
        (put("missing", dropped=4), [DROPPED]),
        (put("missing", reading="category"), [DROPPED]),
        (put("loss", columns={"a": 1.0, "b": 2.1}), [COLUMNS]),
        (put("loss", measure="discernibility", columns={"a": 9.0}), []),
        (put("loss", measure="unknown", columns={"a": 9.0}), []),
        (put("loss", share=0.0), [SHARE]),
        (put("loss", total=0.5, columns={"a": 0.5}, bound=None, ratio=None, share=0.0), [SHARE]),
        (put("loss", total=0.0, columns={}, bound=0.0, ratio=1.0), [SHARE]),
        (put("loss", total=0.0, columns={}, bound=None, ratio=1.0, share=0.0), []),
        (put("loss", total=0.0, columns={}, bound=None, ratio=None, share=0.0), [RATIO]),
        (put("loss", bound=3.1, ratio=3.0 / 3.1), [BOUND]),
        (put("loss", bound=3.0, ratio=1.0), []),
        (put("loss", ratio=1.6), [RATIO]),
        (put("loss", ratio=1.5 + 1e-6), [RATIO]),
        (put("loss", ratio=None), [RATIO]),
        (put("loss", bound=None), [RATIO]),
        (put("loss", bound=0.0, ratio=None), []),
        (put("loss", bound=None, ratio=None), []),
        (put("algorithm", guarantee="optimal", factor=1.0), []),
        (put("algorithm", guarantee="optimal", factor=2.0), [FACTOR]),
        (put("algorithm", guarantee="optimal"), [FACTOR]),
        (put("algorithm", minimal=[{"a": 0}]), []),
        (put("algorithm", minimal=[{"a": 0}, {"b": 0}]), [MINIMAL]),
    ],
)
def test_contradictions_of_cells(change: Change, words: list[str]) -> None:
    assert told(CELLS, change) == words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("clusters", count=4), [GATHERED]),
        (put("clusters", largest=6), [GATHERED]),
        (lambda one: one["clusters"]["file"].update(clusters=4), [GATHERED]),
        (lambda one: one["clusters"]["file"].update(records=13), [GATHERED, BOTH]),
        (lambda one: one["clusters"].update(largest=6, file={"clusters": 3, "records": 10}), [BOTH]),
        (lambda one: one["clusters"].update(largest=6, file={"clusters": 3, "records": 10}, shape="clusters"), []),
        (lambda one: one["clusters"].pop("file"), []),
        (lambda one: one.pop("clusters"), [CENTRES]),
        (put("clusters", bound=1.0), [OBJECTIVES]),
        (lambda one: one["clusters"]["objectives"].update(sse=3.1), [OBJECTIVES]),
        (put("loss", total=3.1, ratio=1.55), [OBJECTIVES]),
        (put("loss", measure="lm"), [OBJECTIVES]),
        (put("loss", measure="cellular"), []),
        (
            lambda one: (one["loss"].update(measure="cellular"), one["clusters"]["objectives"].pop("cellular")),
            [OBJECTIVES],
        ),
        (put("loss", measure="cellular", total=1.9, ratio=0.95), [BOUND, OBJECTIVES]),
        (put("loss", measure="radius", total=1.00001, bound=None, ratio=None), [OBJECTIVES]),
        (put("loss", share=0.0), []),
    ],
)
def test_contradictions_of_clusters(change: Change, words: list[str]) -> None:
    assert told(CLUSTERS, change) == words


@pytest.mark.parametrize(("total", "words"), [(1.00001, []), (1.001, [RATIO, OBJECTIVES])])
def test_a_radius_has_six_digits(total: float, words: list[str]) -> None:
    def change(one: dict[str, Any]) -> None:
        one["loss"] |= {"measure": "radius", "total": total, "bound": 0.5, "ratio": 2.0}
        one["clusters"] |= {"bound": 0.5}

    assert told(CLUSTERS, change) == words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("rules", outside=2), [BY_RULES]),
        (put("rules", failing=0), [BY_RULES]),
        (put("loss", bound=2.0, ratio=1.5), [RULED]),
        (put("algorithm", guarantee="factor"), [RULED]),
    ],
)
def test_contradictions_of_rules(change: Change, words: list[str]) -> None:
    assert told(RULES, change) == words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("file", records=8), [FILE, CLASSES]),
        (lambda one: (one["file"].update(records=10), one["classes"].update(largest=6, average=5.0)), []),
        (lambda one: one["records"].update(suppressed=0), []),
        (
            lambda one: (
                one["records"].update(suppressed=0),
                one["file"].update(records=10),
                one["classes"].update(largest=6, average=5.0),
            ),
            [FILE],
        ),
        (put("algorithm", recoding="centres", levels={}), [CENTRES]),
    ],
)
def test_contradictions_of_what_is_passed_on(change: Change, words: list[str]) -> None:
    assert told(PUBLIC, change) == words


def test_rounding() -> None:
    assert agree(1.0, 1.0 + 1e-10)
    assert not agree(1.0, 1.0 + 1e-8)
    assert agree(1.0, 1.0 + 1e-8, 1e-7)
    assert not agree(0.0, 1e-20)
    assert agree(0.0, 1e-20, least=1e-19)
