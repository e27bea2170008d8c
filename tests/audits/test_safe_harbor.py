"""The look for the 18 identifiers of Safe Harbor: what is found, and what must not be taken for one."""

import pytest

from shoal.audits.safe_harbor import MOST_VALUES, ReleasedValues, safe_harbor

PLACES, DATES, PHONES, MAILS, SSN, ACCOUNTS = (
    "places smaller than a state",
    "dates finer than the year, and ages above 89",
    "telephone numbers",
    "e-mail addresses",
    "social security numbers",
    "account numbers",
)
DEVICES, PAGES, IPS, CODES = (
    "device identifiers and serial numbers",
    "web addresses",
    "IP addresses",
    "any other unique number, characteristic or code",
)


def found(name: str, *values: str, records: int = 10, measured: bool = True) -> dict[str, tuple[str, ...]]:
    looked = safe_harbor({name: ReleasedValues(values, records, measured)})
    assert len(looked) == 18
    return {one.identifier: one.found for one in looked if one.found}


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("zip", ("53117", "531**"), {PLACES}),
        ("ZipCode", ("5311*",), {PLACES}),
        ("zip", ("531**", "*"), set()),
        ("income", ("53117",), set()),
        ("municipio de residencia", ("Getafe", "*"), {PLACES}),
        ("C.P.", ("28931",), {PLACES}),
        ("Miejscowość", ("Wieliczka",), {PLACES}),
        ("birth", ("1960-1969", "1970", "< 1930", "19**"), set()),
        ("birth", ("1960-03",), {DATES}),
        ("birth", ("[1960-01-01, 1969-12-31]",), {DATES}),
        ("birth", ("03.04.1960",), {DATES}),
        ("birth", ("2024-Q1",), {DATES}),
        ("birth", ("1960-1961",), set()),
        ("age", ("20-29", "80-89"), set()),
        ("age", ("88 - 92",), {DATES}),
        ("patient_age", ("90",), {DATES}),
        ("age", ("90+", ">= 90", "90 or older", "> 89"), set()),
        ("wage", ("90", "120"), set()),
        ("x", tuple(f"+49 228 12345{i}" for i in range(6)), {PHONES}),
        ("x", tuple(f"0{i}.03.1960" for i in range(1, 7)), {DATES}),
        ("x", ("seen by ann@clinic.org today", "none"), {MAILS}),
        ("x", ("ann at clinic",), set()),
        ("x", ("123-45-6789", "other"), {SSN}),
        ("x", ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"), {ACCOUNTS}),
        ("x", ("00:1a:2b:3c:4d:5e",), {DEVICES}),
        ("x", ("see https://a.org/b", "-"), {PAGES}),
        ("x", ("10.0.0.1",), {IPS}),
        ("x", ("12:30", "1.5"), set()),
        ("x", ("123e4567-e89b-12d3-a456-426614174000",), {CODES}),
        ("homeCity", ("Bonn",), {PLACES}),
        ("first_name", ("Ann",), {"names"}),
        ("fax", ("-",), {"fax numbers"}),
        ("patient_id", ("1",), {"medical record numbers", CODES}),
        ("member id", ("1",), {"health plan beneficiary numbers", CODES}),
        ("licence", ("1",), {"certificate and licence numbers"}),
        ("vin", ("1",), {"vehicle identifiers and plates"}),
        ("iris", ("1",), {"biometric identifiers"}),
        ("photo", ("1",), {"full-face photographs"}),
        ("identity", ("1",), set()),
    ],
)
def test_what_is_found(name: str, values: tuple[str, ...], expected: set[str]) -> None:
    assert set(found(name, *values)) == expected


def test_it_is_told_where_and_how_often_and_never_what() -> None:
    [said] = found("zip", "53117", "53118", "531**")[PLACES]
    assert said == "zip: 2 of 3 values show more than three digits of a code"
    [said] = found("x", "a@b.org", "c")[MAILS]
    assert said == "x: 1 of 2 different values hold an e-mail address"
    assert found("email", "none")[MAILS] == ("email: its name says so",)


def test_a_value_of_its_own_for_nearly_every_record_may_be_a_code() -> None:
    values = tuple(f"v{i}" for i in range(18))
    assert set(found("x", *values, records=20, measured=False)) == {CODES}
    assert found("x", *values, records=21, measured=False) == {}
    assert found("x", *values, records=20) == {}  # a range that few share is none
    assert found("x", *values[:17], records=18, measured=False) == {}  # too few records to tell


def test_forms_that_numbers_have_by_chance_need_several() -> None:
    valid = ("4111111111111111", "5500005555555559", "4012888888881881", "4222222222222", "5105105105105100")
    assert set(found("x", *valid)) == {ACCOUNTS}
    assert found("x", *valid[:4]) == {}


def test_a_part_of_very_many_values_is_looked_at() -> None:
    values = [f"{i}" for i in range(2 * MOST_VALUES)]
    values[-1] = "a@b.org"
    assert found("x", *values) == {}
    values[-2] = "a@b.org"
    assert MAILS in found("x", *values)
