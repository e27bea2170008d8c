"""Collection: any given subsets of the values, if they are a proper collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.foundation.errors import FieldError, SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.numeric import natural_order
from shoal.tables.hierarchies.proper import improper, tree_of_subsets
from shoal.tables.hierarchies.spec import HierarchySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection(HierarchySpec):
    """Publish one of the given subsets, a single value, or all values as a star (Gionis and Tassa 2009, section 3).

    Single values and the set of all need not be given. The collection must be proper (Gionis and Tassa 2009, Definition
    3.2): of two subsets that have a value in common one holds the other. Then it is a tree (Lemma 3.3), which need not
    be balanced, and its nodes are the subsets. A value that is in no subset lies directly below the star, and so does a
    missing one: a given subset of all values is a star too, whatever its label.

    Args:
        subsets: The subsets, each a list of values.
        labels: What each is published as; by default its values, `{a, b}`.
    """

    name: ClassVar[str] = "collection"

    subsets: Annotated[tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...], Field(min_length=1)]
    labels: tuple[Annotated[str, Field(min_length=1)], ...] | None = None

    def __post_init__(self) -> None:
        """Judge the collection, and count the labels."""
        HierarchySpec.__post_init__(self)
        domain, subsets = self._completed(())
        reason = improper(domain, subsets)
        if reason is not None:
            raise FieldError(f"'subsets' are no proper collection: {reason} (they are counted from 0)")
        if self.labels is not None and len(self.labels) != len(self.subsets):
            raise FieldError(f"'labels' names {len(self.labels)} of {len(self.subsets)} subsets: give one for each")

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the tree of the collection over all values that occur or are in a subset."""
        domain, subsets = self._completed(values)
        named = None if self.labels is None else [*self.labels, *domain, "*"]
        labels = None if named is None else [_published(*one, domain) for one in zip(named, subsets, strict=True)]
        try:
            return tree_of_subsets(domain, subsets, labels)
        except SpecError as error:
            raise SpecError(f"The hierarchy of column '{column}' cannot be made. {error}") from None

    def _completed(self, values: Sequence[str]) -> tuple[list[str], list[tuple[str, ...]]]:
        """Return the domain, and the subsets with the single values and the domain."""
        named = [value for subset in self.subsets for value in subset]
        domain = natural_order(list(dict.fromkeys([*named, *values])))
        return list(domain), [*self.subsets, *((value,) for value in domain), tuple(domain)]


def _published(label: str, subset: Sequence[str], domain: Sequence[str]) -> str:
    """Return the label of a subset; that of all values stands for a missing one as well, of which no label tells."""
    return "*" if set(subset) == set(domain) else label
