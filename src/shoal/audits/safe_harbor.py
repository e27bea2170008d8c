"""Safe Harbor: a look for the 18 identifiers of HIPAA's first way, in the names and values of released columns.

What is found is worth a look; what is not found is not proven to be absent.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from shoal.tables.national_numbers import NATIONAL_NUMBERS, is_card, is_iban, is_us_ssn
from shoal.tables.value_forms import is_email, is_ip_address, is_mac_address, is_phone, is_uuid, is_web_address

MOST_VALUES = 5_000
"""So many different values of a column are looked at, spread over all of them."""

_SHARE = 0.9  # of the values must have a form that other numbers may have by chance
_FEW = 5  # with fewer values such forms do not count
_OWN = 0.9  # the share of values of its own from which on a column may be a code
_MANY = 20  # records from which on that is asked
_OLD = 90
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DOTS = re.compile(r"(?<=\b[A-Za-z])\.(?=[A-Za-z]\b)|(?<=\.[A-Za-z])\.")
_YEAR = r"(?:1[89]|20)\d\d"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DATE = re.compile(
    rf"(?<!\d){_YEAR}[-/.]{_MONTH}(?!\d)|(?<!\d)\d\d?[-/. ]\d\d?[-/. ]{_YEAR}(?!\d)|(?<!\d){_YEAR}-?(?:Q[1-4]|W\d\d)"
)
_ZIP = re.compile(r"(?<!\d)\d{4,}")
_NUMBER = re.compile(r"(?<![\d.,])\d+")
_TOP_AGE = re.compile(r"\D*90\s*(?:\+|(?:and|or)\s+(?:above|over|older|more))|(?:>|>=|\u2265)\s*(?:89|90)")


@dataclass(frozen=True, slots=True)
class ReleasedValues:
    """A released column, as it is looked at.

    Args:
        values: Its different values.
        n_records: The number of records that have one.
        measured: Whether it is a quasi column or a number that is measured, so that a value of its own is no code.
    """

    values: Sequence[str]
    n_records: int
    measured: bool = False


@dataclass(frozen=True, slots=True)
class HarborFinding:
    """What was found of one of the 18 identifiers.

    Args:
        identifier: The identifier.
        found: What was found, with the column; empty if nothing was.
    """

    identifier: str
    found: tuple[str, ...]


Look = Callable[[str, Collection[str], ReleasedValues], Iterable[str]]
"""Yields what is found in a column, given its name, the words of its name and its values."""


def safe_harbor(columns: Mapping[str, ReleasedValues]) -> list[HarborFinding]:
    """Look for each of the 18 identifiers in the names and the values of released columns."""
    looked = {name: (_words(name), _sampled(column)) for name, column in columns.items()}
    return [
        HarborFinding(
            identifier, tuple(found for name, (words, column) in looked.items() for found in look(name, words, column))
        )
        for identifier, look in _LOOKS.items()
    ]


def _sampled(column: ReleasedValues) -> ReleasedValues:
    step = -(-len(column.values) // MOST_VALUES) or 1
    return column if step == 1 else ReleasedValues(column.values[::step], column.n_records, column.measured)


def _words(name: str) -> frozenset[str]:
    """Return the words of a name in small letters without accents; `C.P.` is one."""
    bare = unicodedata.normalize("NFKD", name.replace("\u0142", "l").replace("\u00df", "ss"))
    plain = "".join(sign for sign in bare if not unicodedata.combining(sign))
    return frozenset(re.split(r"[^a-z]+", _HUMP.sub(" ", _DOTS.sub("", plain)).lower()))


def _named(*known: str) -> Look:
    """Look at the words of the name alone."""

    def look(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
        if any(set(one.split()) <= set(words) for one in known):
            yield f"{name}: its name says so"

    return look


def _holding(test: Callable[[str], bool], noun: str) -> Look:
    """Look for a form in the parts of every value: one is enough."""

    def look(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
        n_found = sum(any(map(test, re.split(r"[\s,;<>(){}\[\]\"]+", value))) for value in column.values)
        if n_found:
            yield f"{name}: {n_found:,} of {len(column.values):,} different values hold {noun}"

    return look


def _being(tests: Mapping[str, Callable[[str], bool]]) -> Look:
    """Look for a form that most of the values have: other numbers may have it by chance."""

    def look(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
        if len(column.values) < _FEW:
            return
        for noun, test in tests.items():
            if sum(test(value.strip()) for value in column.values) >= _SHARE * len(column.values):
                yield f"{name}: its values look like {noun}"
                return

    return look


def _all(*looks: Look) -> Look:
    def look(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
        for one in looks:
            yield from one(name, words, column)

    return look


def _is_telephone(text: str) -> bool:
    return _DATE.search(text) is None and is_phone(text)


def _zip_codes(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
    if {"zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "cap", "cp", "cep", "pincode", "pocztowy"} & set(
        words
    ):
        n_found = sum(_ZIP.search(value) is not None for value in column.values)
        if n_found:
            yield f"{name}: {n_found:,} of {len(column.values):,} values show more than three digits of a code"


def _fine_dates(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
    n_found = sum(_DATE.search(value) is not None for value in column.values)
    if n_found:
        yield f"{name}: {n_found:,} of {len(column.values):,} different values print dates finer than the year"


def _high_ages(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
    if not {"age", "ages", "alter", "edad", "eta", "leeftijd", "idade"} & set(words):
        return
    plain = [value for value in column.values if _TOP_AGE.fullmatch(value.strip()) is None]
    n_found = sum(any(int(number) >= _OLD for number in _NUMBER.findall(value)) for value in plain)
    if n_found:
        yield f"{name}: {n_found:,} of {len(column.values):,} different values print ages above 89"


def _own_values(name: str, words: Collection[str], column: ReleasedValues) -> Iterable[str]:
    if not column.measured and column.n_records >= _MANY and len(column.values) >= _OWN * column.n_records:
        yield f"{name}: nearly every record has a value of its own, which may be a code"


_LOOKS: Mapping[str, Look] = {
    "names": _named(
        "name",
        "surname",
        "forename",
        "firstname",
        "lastname",
        "fullname",
        "vorname",
        "nachname",
        "initials",
        *(
            "nom",
            "prenom",
            "nombre",
            "apellido",
            "apellidos",
            "cognome",
            "nome",
            "voornaam",
            "achternaam",
            "naam",
            "sobrenome",
        ),
        *("apelido", "imie", "nazwisko"),
    ),
    "places smaller than a state": _all(
        _named(
            "street",
            "address",
            "city",
            "town",
            "county",
            "district",
            "village",
            "parish",
            "precinct",
            "ward",
            "municipality",
            *(
                "latitude",
                "longitude",
                "lat",
                "lon",
                "lng",
                "fips",
                "strasse",
                "stadt",
                "wohnort",
                "ort",
                "gemeinde",
                "kreis",
            ),
            *(
                "landkreis",
                "bezirk",
                "ville",
                "commune",
                "rue",
                "adresse",
                "quartier",
                "ciudad",
                "municipio",
                "localidad",
            ),
            *(
                "barrio",
                "calle",
                "direccion",
                "citta",
                "comune",
                "indirizzo",
                "quartiere",
                "stad",
                "gemeente",
                "plaats",
            ),
            *("woonplaats", "wijk", "straat", "adres", "cidade", "concelho", "freguesia", "bairro", "rua", "endereco"),
            *("miasto", "miejscowosc", "gmina", "powiat", "ulica", "dzielnica"),
        ),
        _zip_codes,
    ),
    "dates finer than the year, and ages above 89": _all(_fine_dates, _high_ages),
    "telephone numbers": _all(
        _named("phone", "telephone", "mobile", "tel", "telefon", "telefono", "telefone", "telefoon", "handy", "movil"),
        _being({"telephone numbers": _is_telephone}),
    ),
    "fax numbers": _named("fax"),
    "e-mail addresses": _all(_named("email", "mail"), _holding(is_email, "an e-mail address")),
    "social security numbers": _all(
        _named("ssn", "social security"), _holding(is_us_ssn, "the form of one"), _being(NATIONAL_NUMBERS)
    ),
    "medical record numbers": _named("mrn", "record number", "record id", "patient id", "patient number", "patient no"),
    "health plan beneficiary numbers": _named("beneficiary", "policy number", "insurance number", "member id"),
    "account numbers": _all(
        _named("account", "iban", "card number"), _holding(is_iban, "an IBAN"), _being({"numbers of cards": is_card})
    ),
    "certificate and licence numbers": _named("license", "licence", "certificate number", "passport"),
    "vehicle identifiers and plates": _named("vin", "plate", "vehicle id"),
    "device identifiers and serial numbers": _all(
        _named("imei", "serial number", "device id", "device"), _holding(is_mac_address, "a MAC address")
    ),
    "web addresses": _all(_named("url", "website", "homepage"), _holding(is_web_address, "a web address")),
    "IP addresses": _all(_named("ip"), _holding(is_ip_address, "an IP address")),
    "biometric identifiers": _named("fingerprint", "voiceprint", "iris", "retina", "biometric"),
    "full-face photographs": _named("photo", "photograph", "picture", "image", "portrait"),
    "any other unique number, characteristic or code": _all(
        _named("id", "uuid", "guid", "identifier"), _holding(is_uuid, "a UUID"), _own_values
    ),
}
