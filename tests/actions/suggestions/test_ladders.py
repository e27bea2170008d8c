from shoal.actions.suggestions.kinds import value_kind_of
from shoal.actions.suggestions.ladders import ladder_of


def rows(*values: str) -> list[list[str]] | None:
    return ladder_of(dict.fromkeys(values, 3), value_kind_of(values), 100).rows


def test_neighbours_among_spans_are_joined() -> None:
    """By frequency, the young and the old could be put together."""
    assert rows("65+", "<18", "18-24", "25-64") == [
        ["<18", "<18 - 18-24", "*"],
        ["18-24", "<18 - 18-24", "*"],
        ["25-64", "25-64 - 65+", "*"],
        ["65+", "25-64 - 65+", "*"],
    ]


def test_times_of_the_day_by_hours() -> None:
    assert rows("23:38:01", "08:59:00", "8:05") == [
        ["08:59:00", "08:00-08:59", "06:00-11:59", "*"],
        ["8:05", "08:00-08:59", "06:00-11:59", "*"],
        ["23:38:01", "23:00-23:59", "18:00-23:59", "*"],
    ]


def test_every_minute_of_the_day_has_a_place_next_year() -> None:
    found = rows("23:38", "08:59")
    assert found is not None
    assert len(found) == 24 * 60
    assert ["00:00", "00:00-00:59", "00:00-05:59", "*"] in found
