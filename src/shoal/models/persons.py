"""Persons: the part of k-anonymity that counts persons, if a person may have several records."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.classes.grouping import Histogram
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.model import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Persons(DistinctLDiversity):
    """Each class has records of at least `l` different persons, which `column` identifies.

    That is distinct l-diversity of the column, so every search that knows that model can count persons.
    """

    name: ClassVar[str] = "k-anonymity of persons"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006; Samarati 2001"

    @property
    def asked(self) -> Measured:
        """The number of persons, under the name that k-anonymity uses."""
        return {"k": self.l}

    def measured(self, blocks: Histogram) -> Measured:
        """Return the fewest persons of any class."""
        return {"k": int(blocks.distinct.min(initial=len(blocks.reference)))}
