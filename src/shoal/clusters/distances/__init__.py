"""The kinds of distances between the values of a column, by name."""

from typing import TYPE_CHECKING

from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.clusters.distances.spec import DistanceSpec as DistanceSpec
    from shoal.clusters.distances.number import Number as Number
    from shoal.clusters.distances.equal import Equal as Equal
    from shoal.clusters.distances.tree import Tree as Tree
    from shoal.clusters.distances.matrix import Matrix as Matrix
    from shoal.clusters.distances.place import Place as Place
else:
    __getattr__, __dir__ = offer(__name__, "DISTANCES")

DISTANCES: "Shelf[DistanceSpec]" = Shelf("type of distance", __name__, "DistanceSpec")
