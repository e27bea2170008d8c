"""How a long job tells how far it is, whoever shows it."""

from typing import Protocol


class Progress(Protocol):
    """Called with the step's name and, where known, the share of it that is done (0 to 1)."""

    def __call__(self, step: str, share: float | None = None) -> None:
        """Show it."""


def silent(step: str, share: float | None = None) -> None:
    """Show nothing."""
