"""TOML and JSON from elsewhere: read as they are, or refused before they take time."""

from decimal import Decimal
from pathlib import Path

import pytest

from shoal import SpecError
from shoal.foundation.budgets import DIGITS, limits
from shoal.foundation.documents import decimal_of, is_short, json_of, toml_in, toml_of
from shoal.foundation.exact import fraction


def test_what_can_be_read_is_read(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text('a = 0.1\nb.c = [1, "x"]\n', encoding="utf-8")
    assert toml_in(tmp_path / "job.toml", decimal_of) == {"a": Decimal("0.1"), "b": {"c": [1, "x"]}}
    assert toml_of("a = 1_0.5e1_0", decimal_of) == {"a": Decimal("10.5e10")}
    assert json_of(b'{"a": [1, {}]}', "it") == {"a": [1, {}]}
    assert json_of(b'{"a": 1}', "it", tuple) == (("a", 1),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 50_000, "deep"),
        ("a = " + "{b=" * 50_000, "deep"),
        ("a = 1e-999999999", "digits"),
        ("a = 1e99999999999999999999", "digits"),
        ("a = " + "1" * 100_000, "digits"),
        ("a = 9223372036854775808", "64 bits"),
        ("a = [{b = -9223372036854775809}]", "64 bits"),
        ("a." * 100 + "a = 1", "parts"),
        ("'a' . " * 200_000 + "a = 1", "parts"),
        ("a = ", "Invalid value"),
    ],
)
def test_what_toml_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        toml_of(text, decimal_of)


def test_what_is_just_allowed() -> None:
    assert toml_of("a = 9223372036854775807\nb = -9223372036854775808")["a"] == 2**63 - 1
    assert toml_of("a." * 99 + "a = 1") != {}
    assert toml_of('a = "' + "b " * 500 + '."')["a"].endswith(".")


def test_how_many_digits_a_number_may_have() -> None:
    for text in ("1" * DIGITS, f"1e{DIGITS - 1}", f"1e-{DIGITS - 1}", "inf", "nan", "0"):
        assert is_short(Decimal(text))
        decimal_of(text)
    for text in ("1" * (DIGITS + 1), f"1e{DIGITS}", f"1e-{DIGITS}", "0e99999"):
        assert not is_short(Decimal(text))
        with pytest.raises(ValueError, match="digits"):
            decimal_of(text)


@pytest.mark.parametrize("value", ["1e-999999999", "1e999999999", "9" * 1_001, Decimal("1e-999999999"), "1e-9_999"])
def test_no_such_number_becomes_a_fraction(value: str | Decimal) -> None:
    assert fraction(value) is value


def test_json_that_is_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.foundation.budgets._TEXT_BYTES", 160)
    for raw in (b"[" * 5, b'{"a": ' + b"1" * 5_000 + b"}", b"\xff", b""):
        with pytest.raises(ValueError):  # noqa: PT011  (each caller has words of its own)
            json_of(raw, "it")
    assert len(json_of(b"[" + b"1," * 8 + b"1]", "it")) == 9
    for raw in (b"[" + b"1," * 10 + b"1]", b"[" * 11, b'{"a":' * 11):
        with pytest.raises(SpecError, match="more than 10 entries in it"):
            json_of(raw, "it")


def test_toml_has_a_limit_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_bytes(b"#" * 100)
    with limits(max_bytes=100):
        assert toml_in(tmp_path / "job.toml") == toml_of("#" * 100) == {}
    with limits(max_bytes=99):
        with pytest.raises(SpecError, match="more than 99 bytes"):
            toml_in(tmp_path / "job.toml")
        with pytest.raises(SpecError, match="more than 99 bytes"):
            toml_of("#" * 100)


def test_json_that_stands_too_deep_is_refused() -> None:
    with pytest.raises(ValueError, match="deep"):
        json_of(b"[" * 100_000, "it")
