"""Wording: what pictures say, in English or in the language of a page that they stand in."""

from collections.abc import Callable
from dataclasses import dataclass

_ENGLISH = {
    "settings": "Risk and loss of {count} settings",
    "setting": "Risk and loss of 1 setting",
    "failed": "{count} settings have no release",
    "failed_one": "1 setting has no release",
    "side_by_side": "marks side by side stand for one place",
    "left_out": "{count} labels left out for want of room",
    "risk_axis": "highest risk of a record: 1 / records of the smallest class (prosecutor)",
    "loss_axis": "loss by {measure}",
    "one_in": "1 in {count}",
    "more": "{count} more",
    "filled": "filled: no other beats it",
    "open": "open: another beats it",
    "frontier": "the frontier",
    "risk": "risk {risk}",
    "mark": "{label}, {group}: risk 1 in {count}, loss {loss}",
}


@dataclass(frozen=True, slots=True)
class Wording:
    """A language of pictures.

    Args:
        say: Returns a sentence by its key, with its values put in.
        decimal: Returns a number with so many digits behind the point, at most.
        share: Returns a number in per cent with its sign, from a text.
    """

    say: Callable[..., str]
    decimal: Callable[[float, int], str]
    share: Callable[[str], str]

    def percent(self, share: float, digits: int = 1) -> str:
        """Return a share in per cent; a positive share is never shown as 0, nor one below 1 as 100."""
        if 0 < share < 0.0005:
            return f"< {self.share(self.decimal(0.1, 1))}"
        if 0.9995 <= share < 1:
            return f"> {self.share(self.decimal(99.9, 1))}"
        return self.share(self.decimal(100 * share, digits))


def _decimal(number: float, digits: int) -> str:
    text = f"{number:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


ENGLISH = Wording(lambda key, **values: _ENGLISH[key].format(**values), _decimal, "{}%".format)
"""How reports speak."""
