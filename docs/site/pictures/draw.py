"""Draw the pictures of the pages again: `python -m docs.site.pictures.draw`, or with the names of some."""

import sys
from collections.abc import Callable

from docs.site.contents import DOCS
from docs.site.pictures import losses, release, searches

PICTURES: dict[str, Callable[[], str]] = {
    "way-of-a-record": release.way_of_a_record,
    "class-and-cells": release.class_and_cells,
    "lattice": searches.lattice,
    "mondrian": searches.mondrian,
    "loss-against-k": losses.loss_against_k,
    "loss-against-time": losses.loss_against_time,
}
"""The pictures by the names of their files."""

MEASURED = {"loss-against-time"}
"""Those that depend on the machine."""


def main() -> None:
    """Draw those that are named, or all."""
    for name in sys.argv[1:] or PICTURES:
        (DOCS / "pictures" / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8")


if __name__ == "__main__":
    main()
