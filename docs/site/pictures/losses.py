"""Loss against k, and loss against time, measured on the hospital's table."""

from typing import Any

import shoal
from docs.site.contents import ROOT
from docs.site.pictures.chart import ChartAxis, Curve, chart

_TABLE = ROOT / "examples" / "hospital" / "patients.csv"
_ROLES: dict[str, Any] = {
    "quasi": {"birth_date": "dates", "zip": "masking", "sex": "suppression", "marital_status": "suppression"},
    "sensitive": ["diagnosis"],
    "drop": ["name", "ssn"],
    "omit": ["occupation", "admission_date", "length_of_stay"],
    "seed": 1,
}


def loss_against_k() -> str:
    """Return the least loss of each way to recode, for each k."""
    found = shoal.compare(
        _TABLE,
        **_ROLES,
        k=[2, 3, 5, 8, 12, 20, 50, 100],
        algorithm=["optimal", "mondrian", "tightest"],
        max_suppressed=[0.02],
    )
    rows = found.frame.filter(found.frame["loss"].is_not_null())
    names = {"optimal": "optimal (all alike)", "mondrian": "mondrian (each class)", "tightest": "tightest (each class)"}
    curves = [
        Curve(words, tuple(rows.filter(rows["algorithm"] == name).select("k", "loss").sort("k").iter_rows()))
        for name, words in names.items()
    ]
    words = "Three curves that rise with k; the one that treats all records alike is highest, tightest is lowest."
    return chart("Loss against k", words, ChartAxis("k", log=True), ChartAxis("loss (lm)", share=True), curves)


def loss_against_time() -> str:
    """Return what `tightest` loses after so many seconds, and the proven bound below it."""
    reached, bounds = [], []
    for seconds in (0.25, 0.5, 1, 2, 4, 8, 16):
        release = shoal.anonymize(_TABLE, **_ROLES, k=5, algorithm="tightest", time_limit=seconds)
        loss = release.certificate["loss"]
        reached.append((float(seconds), float(loss["share"])))
        if loss["ratio"] is not None:
            bounds.append((float(seconds), float(loss["share"] / loss["ratio"])))
    curves = [Curve("tightest", tuple(reached)), Curve("proven bound", tuple(bounds))]
    words = "The loss falls with the seconds of the search, quickly at first; a proven bound lies below it."
    return chart(
        "Loss against time, k = 5",
        words,
        ChartAxis("time limit, seconds", log=True),
        ChartAxis("loss (lm)", share=True),
        curves,
    )
