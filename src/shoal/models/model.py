"""What a privacy model is: a promise about each class of a release."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.grouping import Grouping, Histogram

Measured = dict[str, int | float | str]
"""The value that a release reaches, by the name of the threshold; a limit that is not finite is a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyModel(ABC):
    """A promise about each class, with the algebra that a search may rely on.

    `monotone`: joining classes that all keep the promise gives a class that keeps it. So if no record is
    suppressed, a generalization of a release that keeps the promise keeps it.

    `monotone_with_suppression`: a class that keeps the promise keeps it whatever class joins it. So
    generalizing never makes more records fail, and a search may prune with suppression too.

    `relative`: the promise compares a class with the whole release, so that suppressing some classes
    may change the verdict on the others.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    monotone: ClassVar[bool]
    monotone_with_suppression: ClassVar[bool]
    relative: ClassVar[bool] = False
    thresholds: ClassVar[tuple[str, ...]]

    @abstractmethod
    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Return which classes keep the promise, decided exactly."""

    @abstractmethod
    def achieved(self, groups: Grouping) -> Measured:
        """Return the strictest thresholds that all classes meet, for people to read."""

    @property
    def asked(self) -> Measured:
        """The thresholds of this promise, as numbers."""
        values = {name: getattr(self, name) for name in self.thresholds}
        return {name: float(value) if isinstance(value, Fraction) else value for name, value in values.items()}

    @property
    def parameters(self) -> dict[str, object]:
        """All fields, as they stand in a job file, without those left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: float(value) if isinstance(value, Fraction) else value for name, value in values.items()}
        return {name: value for name, value in plain.items() if value is not None}

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns that the promise speaks of."""
        return ()

    @property
    def population_file(self) -> str | None:
        """The outside table that the promise speaks of."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveModel(PrivacyModel):
    """A promise about the values of one sensitive column.

    With `others = "known"` the attacker is taken to know the other sensitive columns, and the promise is
    kept in each block of records that share their class and those columns (002 s.5: the quasi columns
    joined with all sensitive columns but one).
    """

    column: Annotated[str, Field(min_length=1)]
    others: Literal["ignored", "known"] = "ignored"

    @abstractmethod
    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Return which blocks keep the promise, decided exactly."""

    @abstractmethod
    def measured(self, blocks: Histogram) -> Measured:
        """Return the strictest thresholds that all blocks meet."""

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Return which classes have only blocks that keep the promise."""
        blocks, owners = groups.blocks(self.column, others_known=self.others == "known")
        kept = np.ones(groups.n_classes, dtype=np.bool_)
        kept[owners[~self.passes(blocks)]] = False
        return kept

    def achieved(self, groups: Grouping) -> Measured:
        """Return the strictest thresholds that all blocks meet."""
        blocks, _ = groups.blocks(self.column, others_known=self.others == "known")
        return self.measured(blocks)
