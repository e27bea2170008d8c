"""The kinds of distances between the values of a column, by name."""

from shoal.clusters.distances.equal import Equal
from shoal.clusters.distances.matrix import Matrix
from shoal.clusters.distances.number import Number
from shoal.clusters.distances.place import Place
from shoal.clusters.distances.spec import DistanceSpec
from shoal.clusters.distances.tree import Tree
from shoal.foundation.shelf import Shelf

DISTANCES: Shelf[DistanceSpec] = Shelf(
    "type of distance",
    "distances",
    [
        Number,
        Equal,
        Tree,
        Matrix,
        Place,
    ],
)

__all__ = [
    "DISTANCES",
    "DistanceSpec",
    "Equal",
    "Matrix",
    "Number",
    "Place",
    "Tree",
]
