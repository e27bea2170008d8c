"""The chapter's private table (002 Figure 1) with its hierarchies (Figure 3)."""

from fractions import Fraction

from shoal.models import KAnonymity
from tests.oracles.full_domain import FullDomain
from tests.oracles.plain import PlainTable, Rules

_ROWS = """22030 married F hypertension
22030 married F hypertension
22030 single M obesity
22032 single M HIV
22032 single M obesity
22032 divorced F hypertension
22045 divorced M obesity
22047 widow M HIV
22047 widow M HIV
22047 single F obesity"""

FIGURE_1 = PlainTable(
    records=[dict(zip(("zip", "marital", "sex", "disease"), row.split(), strict=True)) for row in _ROWS.split("\n")],
    hierarchies={
        "zip": {zip_: (zip_, f"{zip_[:4]}*", "220**") for zip_ in ("22030", "22032", "22045", "22047")},
        "marital": {
            "married": ("married", "been_married", "not_released"),
            "divorced": ("divorced", "been_married", "not_released"),
            "widow": ("widow", "been_married", "not_released"),
            "single": ("single", "never_married", "not_released"),
        },
        "sex": {"M": ("M", "not_released"), "F": ("F", "not_released")},
    },
    sensitive=("disease",),
)

MAX_SUP = Fraction(2, 10)
"""Two of the ten records."""


def figure_1(k: int = 3) -> FullDomain:
    """Return the table with k-anonymity asked of it."""
    return FullDomain(FIGURE_1, Rules((KAnonymity(k=k),)))
