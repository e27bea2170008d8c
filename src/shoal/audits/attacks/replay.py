"""Replay: how many tables that differ in who has which values would have led to the same release."""

from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Replay:
    """What an attacker learns who knows the algorithm, by swapped tables that were released again.

    Inside of each released class the columns that leave as they are were dealt anew to its records. A table that leads
    to another release is one that the attacker can rule out: the real one led to this.

    Args:
        columns: The columns that were swapped, as whole rows.
        blind: Whether the job makes blind releases, of which none can be ruled out.
        swaps: The number of swapped tables.
        equal: How many of them led to the same release: the same cells, and beside them the same values, as often.
        refused: How many led to none.
        unchanged: How many did not differ from the raw table in what the search reads.
    """

    name: ClassVar[str] = "replay"
    reference: ClassVar[str] = "Wong et al. 2007"

    columns: tuple[str, ...]
    blind: bool
    swaps: int
    equal: int
    refused: int
    unchanged: int

    @property
    def share(self) -> float:
        """The share of the swapped tables that are ruled out."""
        return (self.swaps - self.equal) / self.swaps if self.swaps else 0.0

    @property
    def at_most(self) -> float | None:
        """Where none was ruled out, what share of all may be, with 95% confidence (the rule of three)."""
        return min(3 / self.swaps, 1.0) if self.swaps and self.equal == self.swaps else None

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; there is nothing to `show`."""
        return {
            "attack": self.name,
            "columns": list(self.columns),
            "blind": self.blind,
            "share": self.share,
            "swaps": self.swaps,
            "equal": self.equal,
            "refused": self.refused,
            "unchanged": self.unchanged,
            "at_most": self.at_most,
            "exposed": [],
        }
