"""Notebooks: the verdict, the claims and the first records of a release as HTML."""

from collections.abc import Mapping
from html import escape
from typing import Any

import polars as pl


def html_of(certificate: Mapping[str, Any], useful: str, head: pl.DataFrame | None) -> str:
    """Return a release as a notebook shows it.

    Args:
        certificate: Its certificate.
        useful: Whether it is of use, as HTML.
        head: Its first records; None if there are none to show.
    """
    claims = certificate["claims"]
    both = any("strict" in claim for claim in claims)
    reached = ("achieved", "strict") if both else ("achieved",)
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{escape(str(claim[key]))}</td>" for key in ("model", "asked", *reached))
        + f"<td>{'yes' if claim['holds'] else 'no'}</td></tr>"
        for claim in claims
    )
    names = "".join(f"<th>{one}</th>" for one in (("by wildcards", "strictly") if both else reached))
    records, loss, algorithm = certificate["records"], certificate["loss"], certificate["algorithm"]
    return (
        f"<p><b>{certificate['verdict']}</b>: {records['released']} of {records['input']} records released, "
        f"{loss['measure']} loss {loss['share']:.1%}, {algorithm['name']} ({algorithm['guarantee']})</p>{useful}"
        f"<table><tr><th>promise</th><th>asked</th>{names}<th>holds</th></tr>{rows}</table>"
        f"{'' if head is None else head._repr_html_()}"
    )
