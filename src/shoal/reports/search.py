"""How the release was found: its loss, the lower bound, and its node in the generalization lattice."""

from typing import Any

from shoal.reports.drawing.charts import against, percent
from shoal.reports.levels import lattice
from shoal.reports.page import Html, PageSection, facts, figure, html_table, paragraph
from shoal.reports.release_facts import ReleaseFacts, StewardFacts

_KINDS = {
    "full-domain": "full-domain: one level for each column, the same for all records",
    "single-dimensional": "single-dimensional: equal values of a column are published alike",
    "cell-suppression": "cell suppression: one level for each column, and stars in single cells of it",
    "local": "local: each class is recoded for itself",
    "centres": "clusters: each class is published as its centre",
}


def search_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection:
    """Return the section on the loss; for the steward, also on the search."""
    found, algorithm, told = (release.certificate.get(key, {}) for key in ("loss", "algorithm", "told"))
    how = "none: the rules of an earlier release were applied" if release.applied else algorithm["name"]
    pairs = [("algorithm", how), ("recoding", _KINDS[algorithm["recoding"]])]
    if found["share"] is not None:
        by = f"{found['measure']}: {release.measured}" if release.measured else found["measure"]
        by += "; each record counts by its sampling weight" if "weighted" in found else ""
        pairs.append(("lost", f"{percent(found['share'])} by the measure {by}"))
    if steward is None:
        return PageSection("loss", "Information lost", (facts(pairs),))
    pairs += [
        ("guarantee", "" if release.applied else _guarantee(algorithm)),
        ("candidates looked at", f"{told['nodes_checked']:,}"),
    ]
    pairs += [("remark", told["remark"])] if told["remark"] and not release.applied else []
    pairs += _by_rules(release)
    bound = _bound(found)
    parts: list[Html] = [
        facts([(name, value) for name, value in pairs if value not in ("", "0")]),
        figure(
            against("Loss and bound", min(found["share"], 1.0), bound),
            "What the release loses, as a share of losing all"
            + ("." if bound is None else "; and what every release of its kind must lose."),
        ),
        html_table(("column", "loss"), [(name, f"{lost:.6g}") for name, lost in found["columns"].items()], (1,)),
        paragraph(f"In the unit of {found['measure']}; in all {found['total']:.6g}."),
    ]
    if algorithm["levels"]:
        parts.append(
            figure(
                lattice(
                    {name: one.height for name, one in steward.hierarchies.items()},
                    algorithm["levels"],
                    algorithm["minimal"],
                ),
                "The lattice of generalizations: the level of each column that was chosen is filled"
                + (", other minimal generalizations are lines or frames." if algorithm["minimal"] else "."),
            )
        )
    if steward.picture is not None:
        parts.append(figure(steward.picture(), "The clusters, with the raw records in them."))
    return PageSection("loss", "Information lost, and how little it could be", tuple(parts))


def _by_rules(release: ReleaseFacts) -> list[tuple[str, str]]:
    """Return how well the rules fitted the table."""
    rules = release.certificate.get("rules")
    if rules is None:
        return []
    return [
        ("records that the rules do not cover", f"{rules['outside']:,}, all suppressed" if rules["outside"] else ""),
        ("records in classes that failed", f"{rules['failing']:,}, all suppressed" if rules["failing"] else ""),
        ("classes of the rules that are not used", f"{rules['idle_classes']:,}" if rules["idle_classes"] else ""),
        ("digest of the rules", f"sha256 {rules['sha256']}"),
    ]


def _bound(loss: dict[str, Any]) -> float | None:
    """Return the bound as a share of the largest possible loss."""
    if loss["ratio"] is None or loss["ratio"] <= 0:
        return None
    return float(min(loss["share"] / loss["ratio"], 1.0))


def _guarantee(algorithm: dict[str, Any]) -> str:
    if algorithm["guarantee"] == "optimal":
        return "optimal: no release of this kind loses less"
    if algorithm["guarantee"] == "factor" and algorithm["factor"] is not None:
        return f"at most {algorithm['factor']:.4g} times the optimum on any table"
    return "none on every table; the bound is for this one"
