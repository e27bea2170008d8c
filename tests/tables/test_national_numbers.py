import pytest

from shoal.tables.national_numbers import NATIONAL_NUMBERS, is_card, is_iban, luhn

GOLDEN = {
    "US social security numbers": ["078-05-1120"],
    "NHS numbers": ["943 476 5919", "9434765919"],
    "British national insurance numbers": ["AB 12 34 56 C"],
    "German tax identification numbers": ["86095742719", "47 036 892 816"],
    "French social security numbers": ["2 55 08 14 168 025 38"],
    "Spanish DNI or NIE numbers": ["12345678Z", "X1234567L"],
    "Dutch citizen service numbers": ["111222333"],
    "Italian fiscal codes": ["RSSMRA85T10A562S"],
    "Swedish personal numbers": ["811218-9876", "198112189876"],
    "Danish CPR numbers": ["070761-4285"],
    "Norwegian birth numbers": ["15108695088"],
    "Finnish personal identity codes": ["131052-308T"],
    "Belgian national register numbers": ["85.07.30-033 28"],
    "Polish PESEL numbers": ["44051401359"],
    "Portuguese tax numbers": ["501964843"],
    "Brazilian CPF numbers": ["390.533.447-05"],
    "Swiss AHV numbers": ["756.9217.0769.85"],
    "Austrian social insurance numbers": ["1237 010180"],
}
UNCHECKED = ("US social security numbers", "British national insurance numbers", "Danish CPR numbers")


@pytest.mark.parametrize("noun", NATIONAL_NUMBERS)
def test_published_examples_pass(noun: str) -> None:
    for number in GOLDEN[noun]:
        assert NATIONAL_NUMBERS[noun](number), number


@pytest.mark.parametrize("noun", [noun for noun in NATIONAL_NUMBERS if noun not in UNCHECKED])
def test_a_wrong_last_sign_fails(noun: str) -> None:
    number = GOLDEN[noun][0]
    others = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if number[-1].isalpha() else "0123456789"
    assert [sign for sign in others if NATIONAL_NUMBERS[noun](number[:-1] + sign)] == [number[-1]]


@pytest.mark.parametrize("noun", NATIONAL_NUMBERS)
@pytest.mark.parametrize("text", ["", "x", "2024-03-15", "00000000000", "é" * 11, "12", "Anna Berg", "١٢٣٤٥٦٧٨٩"])
def test_other_texts_fail(noun: str, text: str) -> None:
    assert not NATIONAL_NUMBERS[noun](text)


def test_accounts_and_cards() -> None:
    assert is_iban("DE89 3704 0044 0532 0130 00")
    assert not is_iban("DE88 3704 0044 0532 0130 00")
    assert not is_iban("ABCDEFGHIJKLMNOPQ")
    assert is_card("4111 1111 1111 1111")
    assert not is_card("4111 1111 1111 1112")
    assert luhn([7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 3])


@pytest.mark.parametrize("bad", ["BG123456A", "QQ123456C", "AB123456E", "DA123456A", "AO123456A"])
def test_letters_that_no_insurance_number_has(bad: str) -> None:
    assert not NATIONAL_NUMBERS["British national insurance numbers"](bad)


@pytest.mark.parametrize("bad", ["991352-308T", "311152-308T"])
def test_days_that_there_are_not(bad: str) -> None:
    assert not NATIONAL_NUMBERS["Finnish personal identity codes"](bad)
