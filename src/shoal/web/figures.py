"""Figures: numbers as the language of the pages writes them."""

from shoal.reports.drawing.wording import Wording
from shoal.web.texts import Translate


def number(count: int, t: Translate) -> str:
    """Return a whole number, in groups of three digits."""
    return f"{count:,}".replace(",", t("app.thousands"))


def decimal(value: float, t: Translate, digits: int = 2) -> str:
    """Return a number with some digits behind the point, or the comma; zeros at its end are left out."""
    whole, _, rest = f"{value:,.{digits}f}".partition(".")
    rest = rest.rstrip("0")
    return whole.replace(",", t("app.thousands")) + (t("app.point") + rest if rest else "")


def percent(share: float, t: Translate, digits: int = 1) -> str:
    """Return a share in per cent, without the sign."""
    return decimal(100 * share, t, digits)


def share_of_all(share: float, t: Translate) -> str:
    """Return a share in per cent, with the sign."""
    return t("app.percent", share=percent(share, t))


def wording(t: Translate) -> Wording:
    """Return the language of the pages for pictures."""
    return Wording(
        lambda key, **values: t(f"picture.{key}", **values),
        lambda value, digits: decimal(value, t, digits),
        lambda text: t("app.percent", share=text),
    )
