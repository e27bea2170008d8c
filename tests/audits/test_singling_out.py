from itertools import combinations

import pytest
from hypothesis import given, settings

import shoal
from shoal.audits.singling_out import singling_out
from shoal.errors import SpecError
from tests.audits import plain_risk as plain
from tests.audits.test_suda import RECORDS, frame_of

NAMES = ["p", "q", "r", "s"]


@settings(max_examples=40)
@given(RECORDS)
def test_shares_are_those_of_plain_python(records: list[plain.Record]) -> None:
    persons = [str(number) for number in range(len(records))]

    def share(columns: tuple[int, ...]) -> float:
        return sum(plain.alone(records, persons, n, columns) for n in range(len(records))) / len(records)

    found = singling_out(frame_of(records, NAMES), NAMES)
    assert found["all"] == share((0, 1, 2, 3))
    for key, size in (("columns", 1), ("pairs", 2)):
        rows = {tuple(row["columns"]): (row["alone"], row["without"]) for row in found[key]}
        for chosen in combinations(range(4), size):
            others = tuple(j for j in range(4) if j not in chosen)
            assert rows.pop(tuple(NAMES[j] for j in chosen)) == (share(chosen), share(others))
        assert not rows
        assert [row["without"] for row in found[key]] == sorted(row["without"] for row in found[key])


def test_one_column_has_no_pairs() -> None:
    found = shoal.singling_out(frame_of([("a",), ("b",), ("b",)], ["p"]), quasi="p")
    assert found == {"all": 1 / 3, "columns": [{"columns": ["p"], "alone": 1 / 3, "without": 0.0}], "pairs": []}
    with pytest.raises(SpecError, match="No quasi column"):
        shoal.singling_out(frame_of([("a",)], ["p"]), quasi=[])
