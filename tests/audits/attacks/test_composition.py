from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audits.attacks.composition import Composition
from shoal.foundation.errors import SpecError
from tests.audits import attacks_plain as plain
from tests.audits import papers

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["21", "25", "33"]),
        st.sampled_from(["0111", "0112", "0222"]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(["u", "v"]),
    ),
    min_size=1,
    max_size=10,
)
AGES = {"21": ["21", "20-29", "*"], "25": ["25", "20-29", "*"], "33": ["33", "30-39", "*"]}
ZIPS = {"0111": ["0111", "011*", "*"], "0112": ["0112", "011*", "*"], "0222": ["0222", "02**", "*"]}


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[plain.Row], list[plain.Row], list[plain.Row]]:
    """Draw a table, and two releases of it in which each cell is generalized by itself."""
    rows = draw(ROWS)
    one, other = (
        [
            (draw(st.sampled_from(AGES[age])), draw(st.sampled_from(ZIPS[code])), ill, note)
            for age, code, ill, note in rows
        ]
        for _ in range(2)
    )
    return [*rows], [*one], [*other]


def put_together(rows: list[plain.Row], one: list[plain.Row], other: list[plain.Row]) -> Composition:
    names = ("age", "zip", "ill", "note")
    found = shoal.attack(
        papers.frame(one, *names),
        other=papers.frame(other, *names),
        public=papers.frame([row[:2] for row in rows], *names[:2]),
        quasi=["age", "zip"],
        sensitive=["ill"],
        attacks=["composition"],
    ).composition
    assert found is not None
    return found


@settings(deadline=None, max_examples=30)
@given(releases())
def test_candidates_are_those_of_both_releases(drawn: tuple[list[plain.Row], ...]) -> None:
    rows, one, other = drawn
    found = put_together(rows, one, other)
    k = [min(map(len, plain.classes(side, 2))) for side in (one, other)]
    short, shorter = ([row[:3] for row in side] for side in (one, other))
    by_value = [plain.left(short, shorter, 2, row[:2]) for row in rows]
    by_row = [plain.left(one, other, 2, row[:2]) for row in rows]
    assert found.by_row is not None
    assert found.promised == tuple(k)
    assert found.possible == len(rows)  # whoever is in the table is in both
    for measured, left in ((found.by_value, by_value), (found.by_row, by_row)):
        assert measured.fewest == min(left) >= 1
        assert measured.below == tuple(sum(n < each for n in left) for each in k)
        assert measured.below_both == sum(n < min(k) for n in left)
        assert sum(one.count for one in measured.candidates) == len(rows)
    assert all(row <= value for row, value in zip(by_row, by_value, strict=True))
    alone = together = 0
    for row in rows:
        shown = [{match[2] for match in plain.matches(side, row[:2])} for side in (one, other)]
        alone += 1 in (len(shown[0]), len(shown[1]))
        together += len(shown[0] & shown[1]) == 1
        assert row[2] in shown[0] & shown[1]
    assert found.certain == {"ill": (alone, together)}
    few: Counter[plain.Row] = Counter()
    for row, number in zip(rows, by_row, strict=True):
        if number < min(k):
            few.update({match[:2] for match in plain.matches(one, row[:2])})
    assert {tuple(part.cells.values()): part.figures["persons"] for part in found.exposed} == few


def test_two_releases_of_three_give_one_away() -> None:
    """Each release shows three diseases in the class of the person; only one of them is in both."""
    rows: list[plain.Row] = [("21", "0111", "flu"), ("25", "0112", "gout"), ("33", "0111", "asthma")]
    rows += [("33", "0222", "angina"), ("25", "0222", "ulcer"), ("21", "0222", "cold")]
    first = [("*", "011*" if row[1] != "0222" else "0222", row[2]) for row in rows]
    second = [("20-29" if row[0] != "33" else "33", "*", row[2]) for row in rows]
    found = put_together(rows, [(*row, "u") for row in first], [(*row, "u") for row in second])
    assert (found.promised, found.alone) == ((3, 2), (3, 2))
    assert found.by_value.fewest == 1
    assert found.certain == {"ill": (0, 2)}  # the persons of 33: each release alone says two or three
    assert found.by_value.below == (6, 2)
    assert found.share == pytest.approx(2 / 6)


def test_persons_are_needed() -> None:
    frame = papers.figure_18()
    with pytest.raises(SpecError, match="neither a public table nor the raw table"):
        shoal.attack(frame, other=frame, quasi=papers.CHAPTER, sensitive=["disease"])
