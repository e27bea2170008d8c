"""What `check` measures, written as plainly as possible."""

import math
from collections import Counter
from typing import Any

Record = tuple[str | None, ...]


def classes(records: list[Record], quasi: list[int]) -> dict[Record, list[Record]]:
    found: dict[Record, list[Record]] = {}
    for record in records:
        found.setdefault(tuple(record[j] for j in quasi), []).append(record)
    return found


def k_wildcard(records: list[Record], quasi: list[int]) -> int:
    """Count, for each record, those that agree with it wherever neither is missing or a star."""

    def matches(one: Record, other: Record) -> bool:
        return all(one[j] in (None, "*") or other[j] in (None, "*") or one[j] == other[j] for j in quasi)

    return min(sum(matches(one, other) for other in records) for one in records)


def measured(records: list[Record], quasi: list[int], column: int) -> dict[str, Any]:
    whole = Counter(record[column] for record in records)
    parts = [Counter(record[column] for record in part) for part in classes(records, quasi).values()]
    return {
        "distinct_l": min(len(part) for part in parts),
        "entropy_l": min(_entropy_l(part) for part in parts),
        "frequency_l": min(part.total() / max(part.values()) for part in parts),
        "recursive_c": {str(l): _largest([_recursive(part, l) for part in parts]) for l in (2, 3)},  # noqa: E741
        "t": {
            "equal": max(_equal(part, whole) for part in parts),
            "ordered": max(_ordered(part, whole) for part in parts),
        },
        "alpha": max(max(part.values()) / part.total() for part in parts),
        "beta": max(_share(part, v) / _share(whole, v) - 1 for part in parts for v in whole),
        "delta": _largest([_delta(part, whole, v) for part in parts for v in whole]),
    }


def _share(part: Counter[str | None], value: str | None) -> float:
    return part[value] / part.total()


def _entropy_l(part: Counter[str | None]) -> float:
    return math.exp(-sum(_share(part, v) * math.log(_share(part, v)) for v in part))


def _recursive(part: Counter[str | None], l: int) -> float:  # noqa: E741
    counts = sorted(part.values(), reverse=True)
    rest = sum(counts[l - 1 :])
    return counts[0] / rest if rest else math.inf


def _equal(part: Counter[str | None], whole: Counter[str | None]) -> float:
    return sum(abs(_share(part, v) - _share(whole, v)) for v in whole) / 2


def _ordered(part: Counter[str | None], whole: Counter[str | None]) -> float:
    moved = carried = 0.0
    for value in sorted(whole, key=lambda v: (v is None, v or "")):
        carried += _share(part, value) - _share(whole, value)
        moved += abs(carried)
    return moved / max(len(whole) - 1, 1)


def _delta(part: Counter[str | None], whole: Counter[str | None], value: str | None) -> float:
    return abs(math.log(_share(part, value) / _share(whole, value))) if part[value] else math.inf


def _largest(values: list[float]) -> float | str:
    return "infinite" if math.inf in values else max(values)
