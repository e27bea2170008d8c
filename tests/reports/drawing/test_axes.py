import pytest

from shoal.reports.drawing.axes import AxisScale, category_ticks, number_ticks


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 10, ["0", "2", "4", "6", "8", "10"]),
        (-0.05, 0.05, ["-0.04", "-0.02", "0.00", "0.02", "0.04"]),
        (0, 40_000, ["0", "5,000", "10,000", "15,000", "20,000", "25,000", "30,000", "35,000", "40,000"]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, texts: list[str]) -> None:
    scale = AxisScale((low + high) / 2, 100 / (high - low), 50, 0, 100)
    assert [text for _, text in number_ticks(scale)] == texts
    assert all(-1e-9 <= scale(number) <= 100 + 1e-9 for number, _ in number_ticks(scale))


def test_an_axis_up_the_page_has_its_least_number_at_the_bottom() -> None:
    scale = AxisScale(5, -10, 50, 0, 100)
    assert scale.ends == (0, 10)
    assert (scale(0), scale(10)) == (100, 0)


def test_an_axis_around_one_very_large_number_has_that_number() -> None:
    scale = AxisScale(2.0**60, 100.0, 50, 0, 100)
    assert number_ticks(scale) == [(2.0**60, "1,152,921,504,606,846,976")]


def test_days_are_dates() -> None:
    ticks = number_ticks(AxisScale(730_000, 10, 50, 0, 100), days=True)
    assert [text for _, text in ticks][:2] == ["1999-08-30", "1999-09-01"]


def test_many_categories_are_thinned_and_long_ones_cut() -> None:
    ticks = category_ticks([f"category number {i}" for i in range(50)])
    assert len(ticks) <= 8
    assert ticks[0] == (0.0, "category nu…")
    assert category_ticks(["a", "b"]) == [(0.0, "a"), (1.0, "b")]
