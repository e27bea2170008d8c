"""Printed values: what the cells of a release print of single records, in red where it is a true value."""

from collections.abc import Iterator

from shoal.audits.notations import items, range_ends
from shoal.reports.page import Html, PageSection, bullets, html, paragraph, strong
from shoal.reports.release_facts import ReleaseFacts, StewardFacts
from shoal.tables.hierarchies import HierarchySpec, Order, Ranges, Sets
from shoal.tables.table import Role

_MEANS = (
    "Whoever knows this knows more than the cell says: “in this class, and at this value” often fits one person alone, "
    "and of outsiders whom it fits most are in the table."
)


def printed_section(release: ReleaseFacts, steward: StewardFacts | None) -> PageSection | None:
    """Return the section on printed values; None if cells print none, as the nodes of a hierarchy do not."""
    red: list[Html] = []
    plain: list[Html] = []
    for name in release.names(Role.QUASI):
        for true, words in _said(release, name):
            (red if true else plain).append(Html(strong(name) + html(f": {words}")))
    if release.centres:
        red += [html(words) for words in _of_clusters(release)]
    if not red and not plain:
        return None
    parts = [bullets(plain)] if plain else []
    if red:
        parts.append(Html(f'<div class="warning">{bullets(red)}{paragraph(_MEANS)}</div>'))
    return PageSection("printed", "What the cells print of single records", tuple(parts))


def _said(release: ReleaseFacts, name: str) -> Iterator[tuple[bool, str]]:
    """Yield whether a column prints true values, and what it prints in words; nothing if it prints no single value."""
    recipe, cells = release.recipes.get(name), release.column(name).values
    if release.centres or release.certificate["algorithm"]["recoding"] == "full-domain":
        if _groups(recipe) and any(True for cell in cells for _ in range_ends(cell)):
            yield True, "its groups end at values that occur in the table, since no order of all values was given."
        return
    if isinstance(recipe, Sets) and any(items(cell) for cell in cells):
        yield True, "every value of a set occurs in its class."
    if isinstance(recipe, Ranges | Order) and any(True for cell in cells for _ in range_ends(cell)):
        yield _ends(release, name, recipe)


def _ends(release: ReleaseFacts, name: str, recipe: Ranges | Order) -> tuple[bool, str]:
    """Return whether the ends of ranges are true values, and what they are in words."""
    if isinstance(recipe, Order):
        return _groups(recipe), "its groups end at values of its order."
    grid = release.certificate.get("grid", {}).get(name, {"step": "none", "fine": True})
    true = "the least and the greatest value of each range are those of records of its class"
    if grid["step"] == "none":
        why = 'it has no grid (grid = "none")' if recipe.order is None else "an order of values has no grid"
        return True, f"{why}, so {true}."
    if grid["fine"]:
        return True, f"its grid ({grid['step']}) is as fine as the values, which is none, so {true}."
    return False, (
        f"ranges end where a public grid does (grid = {grid['step']}), which is the same whoever is in the class: an "
        "end is nobody's value. It tells that a record of the class lies in the cell of the grid at each end; how much "
        "better outsiders guess by that who is in the table, shoal attack measures (presence, near an end). A class in "
        "which all have one value shows it."
    )


def _groups(recipe: HierarchySpec | None) -> bool:
    """Tell whether the nodes of a hierarchy are groups of the values that occur."""
    return isinstance(recipe, Order) and recipe.order is None


def _of_clusters(release: ReleaseFacts) -> Iterator[str]:
    """Yield what clusters print of single records."""
    clusters = release.certificate["clusters"]
    if clusters.get("metric", {}).get("centres") == "records":
        yield "Each centre is where a record of the table is: its quasi values are those of one person or several."
    if clusters.get("radii") == "own":
        yield (
            "Each cluster tells its own radius: how far its farthest record is from the centre, rounded up. "
            "radius = “largest” tells one for all."
        )
