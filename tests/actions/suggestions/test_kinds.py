import pytest

from shoal.actions.suggestions.kinds import ValueKind, plain_number, value_kind_of


@pytest.mark.parametrize(
    ("values", "name", "form"),
    [
        (["2024-01-02", "2023-12-31"], "date", None),
        (["2024-01-02 10:00", "2023-12-31T11:00"], "date", None),
        (["15.03.1970", "01.12.2001"], "date", "%d.%m.%Y"),
        (["15/03/1970", "01/12/2001"], "date", "%d/%m/%Y"),
        (["03/15/1970", "12/01/2001"], "date", "%m/%d/%Y"),
        (["19700315", "20011201"], "date", "%Y%m%d"),
        (["15 Mar 1970", "01 Dec 2001"], "date", "%d %b %Y"),
        (["02130", "10115"], "code", None),
        (["1956", "2001"], "number", "plain"),
        (["5", "17", "90"], "number", "plain"),
        (["1.5", "-2", "3e2"], "number", "plain"),
        (["1,5", "22,25"], "number", "comma"),
        (["1.234,50", "2,5"], "number", "comma"),
        (["1,234", "12,345,678", "12"], "number", "grouped"),
        (["1'234", "22'000"], "number", "grouped"),
        (["red", "green"], "category", None),
        (["18-24", "25-34", "65+"], "span", None),
        (["<18", "18 to 64", "65+"], "span", None),
        (["12-34", "10-20"], "category", None),
        (["08:59", "23:38:10"], "clock", None),
        (["8h30", "12h00"], "clock", None),
        (["08:59", "25:00"], "category", None),
        ([], "category", None),
        ([*map(str, range(30)), "unknown", "<1"], "number", "plain"),
        (["1", "2", "low", "high"], "category", None),
    ],
)
def test_kinds(values: list[str], name: str, form: str | None) -> None:
    found = value_kind_of(values)
    assert (found.name, found.form, found.doubt) == (name, form, "")


def test_day_and_month_that_cannot_be_told_apart_are_a_doubt() -> None:
    assert "the day was assumed" in value_kind_of(["01/02/1970", "03/04/1980"]).doubt
    assert value_kind_of(["01/02/1970", "13/04/1980"]) == ValueKind("date", "%d/%m/%Y")
    assert "two digits" in value_kind_of(["01.02.70", "13.04.80"]).doubt


@pytest.mark.parametrize(
    ("text", "form", "plain"),
    [
        ("1,5", "comma", "1.5"),
        ("1.234,5", "comma", "1234.5"),
        ("7", "comma", "7"),
        ("1.5", "comma", None),
        ("1,234", "grouped", "1234"),
        ("x", "grouped", None),
        (" 12 ", "plain", "12"),
        ("1,5", "plain", None),
    ],
)
def test_numbers_as_people_write_them(text: str, form: str, plain: str | None) -> None:
    assert plain_number(text, form) == plain
