"""Value forms: texts that reach a person, a device or a page, recognized by how they are written."""

import re
from collections.abc import Callable
from ipaddress import ip_address


def matcher(form: str) -> Callable[[str], bool]:
    """Return a test of whether a whole text has a form, in small or capital letters."""
    compiled = re.compile(form, re.IGNORECASE)
    return lambda text: compiled.fullmatch(text) is not None


is_email = matcher(r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}")
is_uuid = matcher(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?")
is_web_address = matcher(r"(https?|ftp)://\S+|www\.\S+\.\S+")
is_mac_address = matcher(r"[0-9a-f]{2}([:-])([0-9a-f]{2}\1){4}[0-9a-f]{2}")


def is_ip_address(text: str) -> bool:
    """Tell an IP address of version 4 or 6; a bare number is none."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return "." in text or ":" in text


def is_phone(text: str) -> bool:
    """Tell a telephone number: it begins with `+`, `(` or `00`, or has three or more groups of digits."""
    digits = sum(map(str.isdigit, text))
    if not 7 <= digits <= 15 or not re.fullmatch(r"\+?[0-9 ()./\-]+", text):
        return False
    lead = text.startswith(("+", "(", "00")) and digits < len(text)
    return lead or (len(re.findall(r"[0-9]+", text)) >= 3 and not re.match(r"[0-9]{4}[-./]", text))
