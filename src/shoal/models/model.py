"""What a privacy model is: a promise about each class of a release."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Grouping, Histogram
from shoal.classes.person_values import PersonValues
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.checked_fields import check_fields
from shoal.foundation.errors import FieldError, SpecError
from shoal.foundation.exact import written
from shoal.models.caps import Caps
from shoal.models.linear import Linear
from shoal.models.sufficient_test import SufficientTest

Measured = dict[str, int | float | str]
"""The value that a release reaches, by the name of the threshold; `infinite` if it is not finite."""


ShareRanges = Callable[[NDArray[np.bool_]], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Returns, for sets of values `sets[set, value]`, the least and the largest share that each may have in a release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyModel(ABC):
    """A promise about each class, with the algebra that a search may rely on.

    `monotone`: joining classes that all keep the promise gives a class that keeps it. So if no record is
    suppressed, a generalization of a release that keeps the promise keeps it.

    `absorbing`: a class that keeps the promise keeps it whatever class joins it. So generalizing never
    makes more records fail, and a search may prune with suppression too: ask an instance for its
    `monotone_with_suppression`, since a parameter may take that away.

    `relative`: the promise compares a class with the whole release, so that suppressing some classes
    may change the verdict on the others.

    `by_sets`: the sizes of the classes and the sets of their values decide it; else the frequencies of the values do.

    It says of its fields what others must know who do not know the model. `files`: those that name a file, with what
    that is, in words. Relative paths start from the job's folder, and who gets a release is not told of the file.
    `plain`: texts that are no data, such as the name of a column. `told_values`: values of its column, which are told
    only if the release holds them. Other texts are taken for data, and are not told to those who get a release.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    monotone: ClassVar[bool]
    absorbing: ClassVar[bool]
    relative: ClassVar[bool] = False
    by_sets: ClassVar[bool] = False
    thresholds: ClassVar[tuple[str, ...]]
    files: ClassVar[Mapping[str, str]] = {}
    plain: ClassVar[tuple[str, ...]] = ()
    told_values: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters when the model is made; a float counts as the decimal that was written."""
        check_fields(self)

    @abstractmethod
    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Return which classes keep the promise, decided exactly."""

    @abstractmethod
    def achieved(self, groups: Grouping) -> Measured:
        """Return the strictest thresholds that all classes meet, for people to read."""

    @property
    def monotone_without_suppression(self) -> bool:
        """Whether classes that keep this promise keep it when they are joined."""
        return self.monotone

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether a class that keeps this promise keeps it whatever class joins it."""
        return self.absorbing

    @property
    def entity_column(self) -> str | None:
        """The column that tells whose record it is, if the promise counts persons."""
        return None

    @property
    def of_input(self) -> bool:
        """Whether classes are compared with the input, suppressed records included, and not with the release."""
        return False

    @property
    def estimated(self) -> bool:
        """Whether a model of a population decides, so that the claim is an estimate."""
        return False

    def forfeits(self, groups: Grouping, share: Fraction) -> NDArray[np.int64]:
        """Return a lower bound on the records of each class that every refinement of these classes suppresses.

        A refinement releases parts of a class that each keep the promise. If the promise is absorbing, every part of a
        failing class fails too. If it is only monotone, the union of the released parts keeps it, so at least one
        record of a failing class is suppressed; unless the promise is relative, and the table it is compared with has
        changed.

        Args:
            groups: The classes, compared with the whole table.
            share: The share of the records of the table that may be suppressed.
        """
        return _forfeits(self, self.holds(groups), groups.sizes, share)

    def counted(self) -> "tuple[PrivacyModel, ...]":
        """Return the promise as searches know it: itself, or models that together are equivalent to it."""
        return (self,)

    @property
    def least_size(self) -> int:
        """A number of records below which no class keeps the promise."""
        return 1

    @property
    def asked(self) -> Measured:
        """The thresholds of this promise, as numbers."""
        values = {name: getattr(self, name) for name in self.thresholds}
        return {name: float(value) if isinstance(value, Fraction) else value for name, value in values.items()}

    @property
    def parameters(self) -> dict[str, object]:
        """All fields that were given, as in a job file."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: written(value) if isinstance(value, Fraction) else value for name, value in values.items()}
        return {name: value for name, value in plain.items() if value is not None}

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns that the promise speaks of."""
        return ()

    @property
    def population_file(self) -> str | None:
        """The outside table that the promise speaks of."""
        return None

    @property
    def others_known(self) -> bool:
        """Whether the attacker is taken to know all sensitive columns but one."""
        return False

    @property
    def along_hierarchy(self) -> bool:
        """Whether the hierarchy of its column, or the order that this has, says how far apart two values are."""
        return False

    @property
    def needs_hierarchy(self) -> bool:
        """Whether its column must have a hierarchy."""
        return False

    def told_by(self, values: Literal["multiset", "set"]) -> bool:
        """Tell whether the sizes and the multisets (or sets) of values of the classes suffice to check the promise."""
        return values == "multiset" or self.by_sets


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveModel(PrivacyModel):
    """A promise about the values of one sensitive column.

    `evened`: of all ways to remove a number of records from a class, the one that evens out the values that the promise
    limits (see `limited`) keeps the promise if any does: records of the most frequent of them, down to a common level.

    With `others = "known"` the attacker is assumed to know the other sensitive columns. The promise must then hold in
    each block of records that have the same class and the same values there (Ciriani et al. 2007, section 5: all
    sensitive columns but one count as quasi columns). Joining classes that keep the promise still keeps it, since each
    block of the union is a block of one of them or a join of blocks. But a class that fails may bring a failing block
    of its own into the union, so that no such promise is monotone with suppression.

    With an `entity`, the column that tells whose record it is, persons are counted in place of records: the size of a
    class is the number of its persons, and a value counts as many as hold it in any of their records in the class (see
    `PersonValues`). Then no promise is monotone: a person of two classes is one person of their union, so that sizes
    need not add up while those who hold a value may be different ones. Two classes of two persons each, with one of
    three in both, have one holder each: one of two, but two of the three in the union. Where no person has records in
    both classes, all counts add up, and what is said of records holds of persons. A promise that is asked for `per`
    record counts records although there is such a column.
    """

    evened: ClassVar[bool] = False
    plain: ClassVar[tuple[str, ...]] = ("column", "others", "entity", "per")

    column: Annotated[str, Field(min_length=1)]
    others: Literal["ignored", "known"] = "ignored"
    entity: Annotated[str, Field(min_length=1)] | None = None
    per: Literal["record"] | None = None

    def __post_init__(self) -> None:
        """Check that it is said once what is counted."""
        PrivacyModel.__post_init__(self)
        if self.entity is None:
            return
        if self.per is not None:
            raise FieldError("'entity' counts persons, and per = 'record' does not: give one of them")
        if self.others == "known":
            raise FieldError("'entity' is not a column that an attacker knows: leave it out, or others = 'known'")
        if self.entity == self.column:
            raise FieldError("'entity' says whose record it is, so it must not be 'column'")
        reason = self.records_only
        if reason is not None:
            raise FieldError(reason)

    @property
    def largest_share(self) -> Fraction | None:
        """The largest share of the records of a class that any value may have, if the promise says so of all values."""
        return None

    @abstractmethod
    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Return which blocks keep the promise, decided exactly."""

    @abstractmethod
    def measured(self, blocks: Histogram) -> Measured:
        """Return the strictest thresholds that all blocks meet."""

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Return a test of one class that no failing class passes; None if only `holds` can decide.

        Args:
            column: The sensitive column, as it is in the table.
            reference: How often each of its values occurs in the table.
        """
        return None

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Return the promise as linear constraints on one class; None if it has no such form.

        Args:
            column: The sensitive column, as it is in the table.
            reference: How often each of its values occurs in the table.
        """
        return None

    def limited(self, column: SensitiveColumn) -> NDArray[np.bool_]:
        """Return which values of the column the promise limits: removing records of another one never helps."""
        return np.ones(len(column.values), dtype=np.bool_)

    def may_pass(self, blocks: Histogram, shares: ShareRanges) -> NDArray[np.bool_]:
        """Return which blocks may keep the promise; False only where no release of such shares lets them.

        Args:
            blocks: The blocks.
            shares: Returns the least and the largest share of sets of values in the release, rounded outward.
        """
        return np.ones(len(blocks.sizes), dtype=np.bool_)

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Return a lower bound on the records of each block that every refinement suppresses (see `forfeits`)."""
        return _forfeits(self, self.passes(blocks), blocks.sizes, share)

    def forfeited_together(self, blocks: Histogram, share: Fraction, lost: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a lower bound no less than `lost`, which is what `forfeited` says, where the blocks are disjoint."""
        return lost

    def fewest_records(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> int:
        """Return a number of records below which no class keeps the promise, whichever values they have.

        Args:
            column: The sensitive column.
            reference: The number of records of each value in the table that classes are compared with.
            share: The share of its records that may be suppressed.
        """
        return 1

    def caps(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> Caps | None:
        """Return caps on the shares of values that hold in each class which keeps the promise; None if none are known.

        Args:
            column: The sensitive column.
            reference: The number of records of each value in the table that classes are compared with.
            share: The share of its records that may be suppressed.
        """
        if self.largest_share is None or self.entity is not None:
            return None
        return Caps((self.largest_share,) * len(column.values))

    def forfeits(self, groups: Grouping, share: Fraction) -> NDArray[np.int64]:
        """Sum the bounds of the blocks of each class, since a refinement splits each block separately."""
        if self.entity is not None:
            return np.zeros(groups.n_classes, dtype=np.int64)
        blocks, owners = groups.blocks(self.column, others_known=self.others == "known")
        lost = self.forfeited_together(blocks, share, self.forfeited(blocks, share))
        return np.bincount(owners, weights=lost, minlength=groups.n_classes).astype(np.int64)

    @property
    def monotone_with_suppression(self) -> bool:
        """Whether the promise is absorbing, and applies to whole classes of records rather than blocks or persons."""
        return self.absorbing and self.others == "ignored" and self.entity is None

    @property
    def monotone_without_suppression(self) -> bool:
        """Whether the promise is monotone, and counts records: a person may be one of several classes."""
        return self.monotone and self.entity is None

    @property
    def entity_column(self) -> str | None:
        """As was asked for."""
        return self.entity

    @property
    def records_only(self) -> str | None:
        """Why the promise is not defined for persons with several records; None if it is."""
        return None

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The one column, and the one that tells whose record it is, if persons are counted."""
        return (self.column,) if self.entity is None else (self.column, self.entity)

    @property
    def others_known(self) -> bool:
        """As was asked for."""
        return self.others == "known"

    @property
    def records_asked(self) -> int:
        """How many records a class must have by a parameter of its own; 0 if the promise has none."""
        return 0

    def told_by(self, values: Literal["multiset", "set"]) -> bool:
        """Tell whether the values of the column alone decide; they do not if the other columns are known."""
        return self.others == "ignored" and self.entity is None and (values == "multiset" or self.by_sets)

    def passes_for(self, persons: PersonValues) -> NDArray[np.bool_]:
        """Return which classes keep the promise for each person, decided exactly."""
        return self.passes(persons.holders())

    def measured_for(self, persons: PersonValues) -> Measured:
        """Return the strictest thresholds that all classes meet for each person."""
        return self.measured(persons.holders())

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Return which classes have only blocks that keep the promise."""
        if self.entity is not None:
            return self.passes_for(PersonValues.of(groups, self.column, self.entity))
        blocks, owners = groups.blocks(self.column, others_known=self.others == "known")
        kept = np.ones(groups.n_classes, dtype=np.bool_)
        kept[owners[~self.passes(blocks)]] = False
        return kept

    def achieved(self, groups: Grouping) -> Measured:
        """Return the strictest thresholds that all blocks meet."""
        if self.entity is not None:
            return self.measured_for(PersonValues.of(groups, self.column, self.entity))
        blocks, _ = groups.blocks(self.column, others_known=self.others == "known")
        return self.measured(blocks)


def check_members(entity: str | None, members: int | None) -> None:
    """Raise a FieldError if persons are counted, and it is also said how many records they have."""
    if entity is not None and members is not None:
        raise FieldError("'members' is for records whose persons are unknown, but 'entity' identifies them")


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationModel(PrivacyModel):
    """A promise about how many records of an outside table, `population`, lie in the cell of each class."""

    files: ClassVar[Mapping[str, str]] = {"population": "the outside table"}

    population: Annotated[str, Field(min_length=1)]

    @property
    def population_file(self) -> str | None:
        """The outside table."""
        return self.population

    def covered(self, groups: Grouping) -> NDArray[np.int64]:
        """Return the number of the outside table's records in the cell of each class."""
        if self.population not in groups.populations:
            raise SpecError(f"The population '{self.population}' of {self.name} was not counted with the table.")
        return groups.populations[self.population]


def holding(models: Iterable[PrivacyModel], groups: Grouping) -> NDArray[np.bool_]:
    """Return which classes keep every promise."""
    kept = np.ones(groups.n_classes, dtype=np.bool_)
    for model in models:
        kept &= model.holds(groups)
    return kept


def _forfeits(
    model: PrivacyModel, kept: NDArray[np.bool_], sizes: NDArray[np.int64], share: Fraction
) -> NDArray[np.int64]:
    if model.absorbing:
        return np.where(kept, 0, sizes)
    certain = model.monotone and (share == 0 or not model.relative)
    return np.where(kept, 0, int(certain))
