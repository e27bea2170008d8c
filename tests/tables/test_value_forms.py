"""Texts that reach somebody, and texts that only look like it."""

import pytest

from shoal.tables import value_forms


@pytest.mark.parametrize(
    ("form", "yes", "no"),
    [
        ("is_email", ("a.b@c.org", "A@B.CO.UK"), ("a@b", "a b@c.org", "@c.org", "a@b.c")),
        ("is_uuid", ("123e4567-e89b-12d3-a456-426614174000",), ("123e4567", "123e4567e89b12d3a456426614174000")),
        ("is_web_address", ("https://a.b/c", "www.a.org"), ("a.org", "https://", "www.a")),
        ("is_mac_address", ("00:1a:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E"), ("00:1a:2b:3c:4d", "00:1a-2b:3c:4d:5e")),
        ("is_ip_address", ("10.0.0.1", "::1", "2001:db8::7"), ("1", "10.0.0", "1.2.3.4.5")),
        ("is_phone", ("+49 228 123456", "(228) 1234-567", "228-555-1234"), ("1234567", "2020-01-02", "12-3", "a-b-c")),
    ],
)
def test_forms(form: str, yes: tuple[str, ...], no: tuple[str, ...]) -> None:
    test = getattr(value_forms, form)
    assert [text for text in yes if not test(text)] == []
    assert [text for text in no if test(text)] == []
