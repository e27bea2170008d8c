"""What a certificate tells that was not derived, by its places."""

from typing import Any

from shoal.actions.verification.told import MAKER, RAW, SEARCH, told, without

CERTIFICATE: dict[str, Any] = {
    "shoal": "0.1.0",
    "told": {"seconds": 0.0, "nodes_checked": 0},
    "records": {"input": 9, "suppressed": 0, "released": 9},
    "missing": {"dropped": None, "merged": []},
    "loss": {"bound": 1.5, "witness": 0.0, "columns": {}, "weighted": False},
    "algorithm": "none",
    "labels": {"age": {}},
    "verdict": "all claims hold",
}


def test_what_is_told_is_found_by_its_place_and_what_is_empty_tells_nothing() -> None:
    assert told(CERTIFICATE) == {
        "shoal": "0.1.0",
        "told": {"seconds": 0.0, "nodes_checked": 0},
        "records.input": 9,
        "records.suppressed": 0,
        "loss.bound": 1.5,
        "loss.witness": 0.0,
        "loss.weighted": False,
        "labels": {"age": {}},
    }
    left = told(CERTIFICATE, ["loss.bound", "shoal"], [], ["told", "records.input", "records.suppressed"])
    assert list(left) == ["labels", "loss.weighted", "loss.witness"]
    assert told(CERTIFICATE, RAW, SEARCH, MAKER) == told({}) == {}


def test_a_certificate_without_some_places_is_another_one() -> None:
    left = without(CERTIFICATE, ["shoal", "loss.bound", "loss.none", "algorithm.name", "none.at.all"])
    kept = {key: value for key, value in CERTIFICATE.items() if key not in ("shoal", "loss")}
    assert left == {**kept, "loss": {"witness": 0.0, "columns": {}, "weighted": False}}
    assert CERTIFICATE["loss"]["bound"] == 1.5
    assert "shoal" in CERTIFICATE
