"""LazySequence: a sequence that makes an item when it is asked for, since an audit may list a million of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class LazySequence(Sequence[T]):
    """A sequence of `size` items, each made anew by `make(index)` whenever it is read.

    Args:
        size: The number of items.
        make: Returns the item at an index from 0 to `size - 1`.
    """

    size: int
    make: Callable[[int], T]

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...

    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        places = range(self.size)[at]
        return self.make(places) if isinstance(places, int) else tuple(map(self.make, places))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
