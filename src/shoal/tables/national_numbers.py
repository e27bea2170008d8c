"""National numbers: personal numbers of states and banks, recognized by their form and check digits."""

import re
from collections.abc import Callable
from datetime import date

_GAPS = re.compile(r"[ .\-/]")


def _digits(text: str, length: int) -> list[int] | None:
    """Return the digits of a number with or without separators; None if it does not have `length` digits."""
    bare = _GAPS.sub("", text)
    return [int(digit) for digit in bare] if len(bare) == length and bare.isascii() and bare.isdigit() else None


def _weighted(digits: list[int], weights: tuple[int, ...]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(digits: list[int]) -> bool:
    """Tell whether the last digit is right by Luhn's formula."""
    doubled = [2 * digit if i % 2 else digit for i, digit in enumerate(reversed(digits))]
    return sum(digit - 9 if digit > 9 else digit for digit in doubled) % 10 == 0


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _is_day_of_century(digits: list[int], order: str) -> bool:
    """Tell whether six digits are a day, in the given order of year, month and day; 29 February always passes."""
    parts = {part: digits[2 * i] * 10 + digits[2 * i + 1] for i, part in enumerate(order)}
    return _is_day(2000, parts["m"], parts["d"])


def is_us_ssn(text: str) -> bool:
    """Tell a US social security number, written with dashes; numbers that are never assigned pass too."""
    return re.fullmatch(r"[0-9]{3}-[0-9]{2}-[0-9]{4}", text) is not None


def is_uk_nhs(text: str) -> bool:
    """Tell an NHS number: ten digits, the last by modulus 11."""
    digits = _digits(text, 10)
    return digits is not None and any(digits) and (11 - _weighted(digits, tuple(range(10, 1, -1)))) % 11 == digits[9]


def is_uk_nino(text: str) -> bool:
    """Tell a British national insurance number by its allowed letters."""
    bare = _GAPS.sub("", text).upper()
    form = r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]"
    return re.fullmatch(form, bare) is not None


def is_german_tax_id(text: str) -> bool:
    """Tell a German tax identification number: eleven digits, the last by ISO 7064 modulus 11, 10."""
    digits = _digits(text, 11)
    if digits is None or digits[0] == 0 or max(map(digits[:10].count, range(10))) not in (2, 3):
        return False
    product = 10
    for digit in digits[:10]:
        product = 2 * ((digit + product) % 10 or 10) % 11
    return (11 - product) % 10 == digits[10]


def is_french_nir(text: str) -> bool:
    """Tell a French social security number: 13 signs and a key by modulus 97."""
    bare = _GAPS.sub("", text).upper()
    if not re.fullmatch(r"[1-478][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{8}", bare):
        return False
    number = bare[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(number) % 97 == int(bare[13:])


def is_spanish_dni(text: str) -> bool:
    """Tell a Spanish DNI or NIE: the last letter by modulus 23."""
    bare = _GAPS.sub("", text).upper()
    if not re.fullmatch(r"[0-9XYZ][0-9]{7}[A-Z]", bare):
        return False
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(bare[:8].translate(str.maketrans("XYZ", "012"))) % 23] == bare[8]


def is_dutch_bsn(text: str) -> bool:
    """Tell a Dutch citizen service number: nine digits that pass the test of eleven."""
    digits = _digits(text, 9)
    return digits is not None and any(digits) and _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


_ODD_DIGITS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_ODD_LETTERS = (*_ODD_DIGITS, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_ODD = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (*_ODD_DIGITS, *_ODD_LETTERS), strict=True))


def is_italian_fiscal_code(text: str) -> bool:
    """Tell an Italian codice fiscale: 16 signs, the last a letter by modulus 26."""
    bare = _GAPS.sub("", text).upper()
    digit = "[0-9LMNPQRSTUV]"  # letters replace digits if two persons had the same code
    if not re.fullmatch(rf"[A-Z]{{6}}{digit}{{2}}[A-EHLMPRST]{digit}{{2}}[A-Z]{digit}{{3}}[A-Z]", bare):
        return False
    even = sum(int(sign) if sign.isdigit() else ord(sign) - 65 for sign in bare[1:15:2])
    return chr(65 + (even + sum(_ODD[sign] for sign in bare[0:15:2])) % 26) == bare[15]


def is_swedish_number(text: str) -> bool:
    """Tell a Swedish personal or coordination number: a day, three digits, and Luhn's check digit."""
    bare = text.replace("-", "").replace("+", "")
    digits = _digits(bare[2:] if len(bare) == 12 else bare, 10)
    if digits is None or not luhn(digits):
        return False
    day = digits[4] * 10 + digits[5]
    born = [*digits[:4], *divmod(day - 60 if day > 60 else day, 10)]
    return _is_day_of_century(born, "ymd")


def is_danish_number(text: str) -> bool:
    """Tell a Danish CPR number, whose check digit is not kept any more: a day, a dash and four digits."""
    digits = _digits(text.replace("-", "", 1), 10)
    return digits is not None and text[6:7] == "-" and _is_day_of_century(digits[:6], "dmy")


def is_norwegian_number(text: str) -> bool:
    """Tell a Norwegian birth number: eleven digits, the last two by modulus 11."""
    digits = _digits(text, 11)
    if digits is None or not any(digits):
        return False
    first = (11 - _weighted(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2))) % 11
    second = (11 - _weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2))) % 11
    return first == digits[9] and second == digits[10]


def is_finnish_number(text: str) -> bool:
    """Tell a Finnish personal identity code: a day, a sign for the century, and a check sign by modulus 31."""
    if not re.fullmatch(r"[0-9]{6}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y]", text):
        return False
    sign = "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:6] + text[7:10]) % 31]
    return sign == text[10] and _is_day_of_century([int(digit) for digit in text[:6]], "dmy")


def is_belgian_number(text: str) -> bool:
    """Tell a Belgian national register number: eleven digits, the last two by modulus 97."""
    digits = _digits(text, 11)
    if digits is None:
        return False
    first, key = int("".join(map(str, digits[:9]))), digits[9] * 10 + digits[10]
    return key in (97 - first % 97, 97 - (2_000_000_000 + first) % 97)


def is_polish_pesel(text: str) -> bool:
    """Tell a Polish PESEL: eleven digits, the last by modulus 10."""
    digits = _digits(text, 11)
    return digits is not None and any(digits) and -_weighted(digits, (1, 3, 7, 9) * 2 + (1, 3)) % 10 == digits[10]


def is_portuguese_nif(text: str) -> bool:
    """Tell a Portuguese tax number: nine digits, the last by modulus 11."""
    digits = _digits(text, 9)
    if digits is None or digits[0] == 0:
        return False
    rest = 11 - _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return (0 if rest > 9 else rest) == digits[8]


def is_brazilian_cpf(text: str) -> bool:
    """Tell a Brazilian CPF: eleven digits, not all alike, the last two by modulus 11."""
    digits = _digits(text, 11)
    if digits is None or len(set(digits)) == 1:
        return False
    return all(_weighted(digits, tuple(range(n + 1, 1, -1))) * 10 % 11 % 10 == digits[n] for n in (9, 10))


def is_swiss_ahv(text: str) -> bool:
    """Tell a Swiss AHV number: 756 and ten digits, the last as that of an EAN."""
    digits = _digits(text, 13)
    return digits is not None and digits[:3] == [7, 5, 6] and -_weighted(digits, (1, 3) * 6) % 10 == digits[12]


def is_austrian_number(text: str) -> bool:
    """Tell an Austrian social insurance number: a serial number, a check digit by modulus 11, a day of birth."""
    digits = _digits(text, 10)
    if digits is None or digits[0] == 0:
        return False
    return _weighted(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == digits[3]


def is_iban(text: str) -> bool:
    """Tell an IBAN: a country, two check digits, and modulus 97."""
    bare = _GAPS.sub("", text).upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", bare):
        return False
    return int("".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Tell the number of a payment card: 13 to 19 digits with Luhn's check digit."""
    bare = _GAPS.sub("", text)
    return re.fullmatch(r"[2-6][0-9]{12,18}", bare) is not None and luhn([int(digit) for digit in bare])


NATIONAL_NUMBERS: dict[str, Callable[[str], bool]] = {
    "US social security numbers": is_us_ssn,
    "NHS numbers": is_uk_nhs,
    "British national insurance numbers": is_uk_nino,
    "German tax identification numbers": is_german_tax_id,
    "French social security numbers": is_french_nir,
    "Spanish DNI or NIE numbers": is_spanish_dni,
    "Dutch citizen service numbers": is_dutch_bsn,
    "Italian fiscal codes": is_italian_fiscal_code,
    "Swedish personal numbers": is_swedish_number,
    "Danish CPR numbers": is_danish_number,
    "Norwegian birth numbers": is_norwegian_number,
    "Finnish personal identity codes": is_finnish_number,
    "Belgian national register numbers": is_belgian_number,
    "Polish PESEL numbers": is_polish_pesel,
    "Portuguese tax numbers": is_portuguese_nif,
    "Brazilian CPF numbers": is_brazilian_cpf,
    "Swiss AHV numbers": is_swiss_ahv,
    "Austrian social insurance numbers": is_austrian_number,
}
