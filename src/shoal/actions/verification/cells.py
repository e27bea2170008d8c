"""Cells: what the texts of a release stand for, read by the hierarchies of the raw table, without knowing its maker."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from shoal.classes.recoding import Subsets
from shoal.foundation.errors import CertificateError, SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label

_DASHES = re.compile(r" -+ ")
_COMMAS = re.compile(r",+ ")


class AmbiguousCellError(SpecError):
    """The text of a cell stands for more than one range or set: a value of the table holds what separates values."""


Leaves = dict[str, int]
"""Leaves by a text that stands for them."""
Cell = tuple[int, int, tuple[int, ...]]
"""The level and the code of a node, and the leaves of a range (its ends) or of a set, if it is one."""


def cells_at(hierarchy: Hierarchy, level: int, texts: Sequence[Label], column: str) -> Subsets:
    """Read the texts of a full-domain release: each is a node of one level.

    Raises:
        CertificateError: Some are not.
    """
    if level > hierarchy.height:
        raise CertificateError(f"Column '{column}' has no level {level}: its hierarchy has {hierarchy.height}.")
    known: dict[Label, Cell] = {text: (level, code, ()) for code, text in enumerate(hierarchy.labels[level])}
    return _subsets([known.get(text) for text in texts], texts, column)


def cells_of(hierarchy: Hierarchy, texts: Sequence[Label], column: str) -> Subsets:
    """Read the texts of a release that recodes each class for itself: nodes of any level, ranges, or sets.

    Raises:
        CertificateError: Some stand for nothing in the raw table.
        AmbiguousCellError: Some stand for more than one thing.
    """
    known: dict[Label, Cell] = {}
    nodes = hierarchy.form == "tree" or hierarchy.grid is not None  # with a grid, some measures price ranges as nodes
    levels = range(hierarchy.height, -1, -1) if nodes else (hierarchy.height, 0)
    for level in levels:
        known |= {text: (level, code, ()) for code, text in enumerate(hierarchy.labels[level])}
    leaf = {value: code for code, value in enumerate(hierarchy.values) if value is not None}
    ends = _ends(hierarchy, leaf)
    found = [known[text] if text in known else _read(hierarchy, leaf, ends, text or "") for text in texts]
    return _subsets(found, texts, column)


def _read(hierarchy: Hierarchy, leaf: Leaves, ends: tuple[Leaves, Leaves], text: str) -> Cell | None:
    """Read a range or a set, if there is a way to do so."""
    if hierarchy.form == "tree":
        return None
    ways = set(_ranges(*ends, text) if hierarchy.form == "ranges" else _sets(leaf, text))
    if len(ways) > 1:
        raise AmbiguousCellError("A cell of the release can be read in several ways.")
    if not ways:
        return None
    leaves = ways.pop()
    nodes = hierarchy.codes[:, list(leaves)]
    level = int(np.flatnonzero((nodes == nodes[:, :1]).all(axis=1))[0])
    return level, int(nodes[level, 0]), leaves


def _ends(hierarchy: Hierarchy, leaf: Leaves) -> tuple[Leaves, Leaves]:
    """Return the first leaf of a range by its lower end, and the last leaf by its upper end, as they are printed."""
    grid = hierarchy.grid
    if grid is None:
        return leaf, leaf
    lows = {ends[0]: int(first) for ends, first in zip(grid.ends, grid.first, strict=True)}
    return lows, {ends[1]: int(last) for ends, last in zip(grid.ends, grid.last, strict=True)}


def _ranges(lows: Leaves, highs: Leaves, text: str) -> Iterator[tuple[int, ...]]:
    """Yield the leaves at the ends of a range such as `31 - 38`, in every way to read it."""
    for joint in _DASHES.finditer(text):
        low, high = lows.get(text[: joint.start()], -1), highs.get(text[joint.end() :], -1)
        if 0 <= low < high:
            yield low, high


def _sets(leaf: Leaves, text: str) -> Iterator[tuple[int, ...]]:
    """Yield the values of a set such as `{flu, gout}`, in every way to read it: a value may hold commas itself."""
    if not (text.startswith("{") and text.endswith("}")):
        return
    for joint in sorted(set(_COMMAS.findall(text))):
        parts = text[1:-1].split(joint)
        widest = max((value.count(joint) for value in leaf), default=0) + 1
        begun: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while begun:
            at, leaves = begun.pop()
            if at == len(parts) and len(leaves) > 1:
                yield leaves
            for joints in range(widest):
                end = at + joints + 1
                found = leaf.get(joint.join(parts[at:end]), -1)
                if found > (leaves[-1] if leaves else -1):
                    begun.append((end, (*leaves, found)))


def _subsets(found: Sequence[Cell | None], texts: Sequence[Label], column: str) -> Subsets:
    """Return the cells as subsets, or raise a CertificateError that counts those that cannot be read."""
    read = [cell for cell in found if cell is not None]
    if len(read) < len(found):
        raise CertificateError(
            f"Column '{column}' has {len(found) - len(read)} different cells that the values and the hierarchy of the "
            "raw table do not explain."
        )
    members = [leaves for _, _, leaves in read]
    return Subsets(
        labels=tuple(texts),
        levels=np.array([level for level, _, _ in read], dtype=np.int32),
        codes=np.array([code for _, code, _ in read], dtype=np.int32),
        offsets=np.cumsum([0, *map(len, members)]).astype(np.int64),
        members=np.array([leaf for leaves in members for leaf in leaves], dtype=np.int32),
    )
