"""The kinds of distances between the values of a column, by name."""

from shoal.distances.equal import Equal
from shoal.distances.matrix import Matrix
from shoal.distances.number import Number
from shoal.distances.place import Place
from shoal.distances.spec import DistanceSpec
from shoal.distances.tree import Tree
from shoal.shelf import Shelf

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
