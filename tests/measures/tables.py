"""Random small tables, and releases of them, for the property tests."""

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

from tests.measures.build import publish
from tests.measures.oracle import PlainColumn, PlainRelease

patient = settings(deadline=None, max_examples=50)  # the kernels compile on the first call


@dataclass(frozen=True)
class Ascent:
    """A release with nothing suppressed, a coarser one, and the coarser one with some classes suppressed."""

    low: PlainRelease
    high: PlainRelease
    cut: PlainRelease


@st.composite
def columns(draw: st.DrawFn, name: str = "column") -> PlainColumn:
    """Draw a column with a hierarchy of any shape; nodes may stay as they are from level to level."""
    numeric = draw(st.booleans())
    size = draw(st.integers(1, 5))
    rows = [[str(value)] for value in range(size)]
    groups = list(range(size))
    for level in range(1, draw(st.integers(1, 3))):
        drawn = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
        groups = _runs(groups, drawn) if numeric else [drawn[group] for group in groups]
        for row, group in zip(rows, groups, strict=True):
            row.append(f"{level}:{group}")
    weight = draw(st.sampled_from([0.0, 0.5, 1.0, 3.0]))
    return PlainColumn(name, tuple((*row, "*") for row in rows), weight, numeric)


def _runs(groups: list[int], drawn: list[int]) -> list[int]:
    """Join neighbouring groups where the drawn number is even, so that nodes stay intervals."""
    joined = [0]
    for left, right, number in zip(groups, groups[1:], drawn[1:], strict=False):
        joined.append(joined[-1] + int(left != right and number % 2 == 1))
    return joined


@st.composite
def plain_tables(draw: st.DrawFn) -> tuple[list[PlainColumn], list[tuple[str, ...]], list[str]]:
    """Draw columns, records and the records' labels; some values may be absent."""
    drawn = [draw(columns(name=f"column {number}")) for number in range(draw(st.integers(1, 3)))]
    value_of = [st.sampled_from([row[0] for row in column.rows]) for column in drawn]
    records = draw(st.lists(st.tuples(*value_of), min_size=1, max_size=9))
    labels = draw(st.lists(st.sampled_from("xyz"), min_size=len(records), max_size=len(records)))
    return drawn, records, labels


@st.composite
def full_domain_releases(draw: st.DrawFn) -> PlainRelease:
    """Draw a release with one level per column and nothing suppressed."""
    drawn, records, labels = draw(plain_tables())
    levels = [draw(st.integers(0, column.height)) for column in drawn]
    return publish(drawn, records, [levels] * len(records), labels)


@st.composite
def ascents(draw: st.DrawFn) -> Ascent:
    """Draw a release with a level for each cell, raise each of its classes as a whole, and suppress some."""
    drawn, records, labels = draw(plain_tables())
    if draw(st.booleans()):
        start = [[draw(st.integers(0, column.height)) for column in drawn]] * len(records)
    else:
        start = [[draw(st.integers(0, column.height)) for column in drawn] for _ in records]
    low = publish(drawn, records, start, labels)
    raised = [list(levels) for levels in start]
    for members in low.classes():
        steps = [
            draw(st.integers(level, column.height)) for level, column in zip(start[members[0]], drawn, strict=True)
        ]
        for number in members:
            raised[number] = steps
    high = publish(drawn, records, raised, labels)
    gone = {number for members in high.classes() if draw(st.booleans()) for number in members}
    kept = [None if number in gone else levels for number, levels in enumerate(raised)]
    return Ascent(low, high, publish(drawn, records, kept, labels))


def releases() -> st.SearchStrategy[PlainRelease]:
    """Draw a release of any kind, with some classes suppressed."""
    return ascents().map(lambda ascent: ascent.cut)
