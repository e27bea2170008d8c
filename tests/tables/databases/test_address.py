from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.foundation.errors import SpecError
from shoal.tables.databases.address import Address, is_url, quoted, table_parts

SECRETS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=8, max_size=12)


@given(secret=SECRETS, option=SECRETS)
def test_a_password_is_in_no_url_that_is_shown(secret: str, option: str) -> None:
    whole = (
        f"postgresql://ann:{quote(secret, safe='')}@host:5433/db?sslmode=require&sslpassword={quote(option, safe='')}"
    )
    address = Address.of(whole)
    assert address.url == "postgresql://ann@host:5433/db?sslmode=require"
    assert address.password == secret
    assert secret not in repr(address)
    assert Address.of(address.whole) == address
    assert secret not in address.hidden(f"login with {secret} failed")


@pytest.mark.parametrize(
    "url", ["postgresql:///db", "postgresql://host/db", "sqlite:///a b.db", "sqlite:////abs/x.db", "postgres://u@h/db"]
)
def test_a_url_without_secrets_stays_as_it_is(url: str) -> None:
    assert Address.of(url).url == url
    assert Address.of(url).whole == url


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:CANARY#x@host/db",
        "postgresql://u:1/CANARY@host/db",
        "postgresql://u:1?CANARY@host/db",
        "postgresql://u:CANARY/x@host/db",
        "postgresql://[CANARY/db",
    ],
)
def test_a_password_with_bare_signs_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SpecError, match="cannot be read") as caught:
        Address.of(url)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_url_is_told_from_a_path() -> None:
    assert is_url("postgresql://x")
    assert not is_url("folder/patients.csv")
    assert not is_url("C:\\patients.csv")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("patients", ["patients"]),
        ("clinic.patients", ["clinic", "patients"]),
        ('"a.b"', ["a.b"]),
        ('clinic."x""y"', ["clinic", 'x"y']),
        ("p; DROP TABLE q --", ["p; DROP TABLE q --"]),
    ],
)
def test_the_name_of_a_table_is_split(text: str, parts: list[str]) -> None:
    assert table_parts(text) == parts


@pytest.mark.parametrize("text", ["", ".", "a.", "a.b.c", 'a"b', '"a', "a\0"])
def test_what_is_no_name_of_a_table(text: str) -> None:
    with pytest.raises(SpecError, match="The name of a table is written as"):
        table_parts(text)


@given(name=st.text(min_size=1))
def test_a_quoted_name_ends_where_it_ends(name: str) -> None:
    inside = quoted(name)[1:-1]
    assert '"' not in inside.replace('""', "")
    assert inside.replace('""', '"') == name
