"""Trees: as much of a large hierarchy as fits on a page; what is left out can be asked for by its number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from shoal.actions.hierarchy import Sheet, SheetNode

MOST = 240  # nodes of a page
WIDEST = 40  # nodes below one node, at once
FOUND = 100  # nodes that a search shows


@dataclass(slots=True)
class Shown:
    """A node on a page.

    Args:
        node: The node.
        below: The nodes below it that are shown.
        first: The number of the first of them, among all below the node.
    """

    node: SheetNode
    below: list["Shown"] = field(default_factory=list)
    first: int = 0

    @property
    def key(self) -> str:
        """What a form names the node by: level and row, and no value."""
        return f"{self.node.level}-{self.node.place}"

    @property
    def rest(self) -> int:
        """How many nodes right below it come after those that are shown."""
        return len(self.node.below) - self.first - len(self.below)


def shown(top: SheetNode, first: int = 0) -> Shown:
    """Return a node with what lies below it, the upper levels first, as far as a page holds it."""
    whole = Shown(top, first=max(0, min(first, len(top.below) - 1)))
    waiting, room = [whole], MOST
    while waiting and room > 0:
        above = waiting.pop(0)
        if above is not whole and len(above.node.below) > room:
            continue  # another one may fit
        some = above.node.below[above.first : above.first + min(WIDEST, room)]
        above.below = [Shown(node) for node in some]
        room -= len(some)
        waiting += above.below
    return whole


def path_to(top: SheetNode, place: int, level: int) -> list[SheetNode]:
    """Return the nodes from the top down to the one of a row and level, or to the last one above that."""
    path = [top]
    while path[-1].level > level:
        below = [node for node in path[-1].below if node.place <= place]
        inside = next((node for node in reversed(below) if place in places_of(node)), None)
        if inside is None or inside.level < level:
            return path
        path.append(inside)
    return path


def places_of(node: SheetNode) -> set[int]:
    """Return the rows below a node."""
    return {one.place for one in all_below(node) if not one.below}


def all_below(node: SheetNode) -> Iterator[SheetNode]:
    """Go through a node and all below it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(one.below)


def search(top: SheetNode, text: str) -> tuple[list[Shown], int]:
    """Return the first nodes whose labels hold a text, in either case, and how many there are."""
    wanted = text.strip().casefold()
    found = [
        node
        for node in all_below(top)
        if node is not top and (wanted in node.label.casefold() or wanted in node.means.casefold())
    ]
    return [Shown(node) for node in found[:FOUND]], len(found)


def labels_of(sheet: Sheet, keys: Sequence[str]) -> list[str]:
    """Return the labels of the nodes that a form names."""
    found = []
    for key in keys:
        level, _, place = key.partition("-")
        if not (level.isdecimal() and place.isdecimal() and len(key) < 24):
            continue
        if int(place) < len(sheet.rows) and int(level) < len(sheet.rows[0]):
            found.append(sheet.rows[int(place)][int(level)])
    return found
