"""What a promise asks of the records of each class, from its definition, in whole numbers and fractions.

`reached` gives what the classes reach by each threshold, `kept` whether that is enough. Where a definition has a
logarithm, `kept` is decided by powers of whole numbers, or by 60 digits: the logarithm of a fraction other than 1 is no
fraction, so that it is never equal to the number that it is compared with.
"""

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

Record = Mapping[str, str]
Class = Sequence[Record]
Reached = dict[str, Fraction | float | str]
Ways = Mapping[str, Callable[[list[str]], Sequence[Mapping[str, str]] | None]]
"""By column: returns the levels of a hierarchy over values, each a label by value; None if it has none."""

INFINITE = "infinite"


class NotJudgedError(Exception):
    """There is no definition here by which this promise could be judged."""


def classes_of(records: Sequence[Record], quasi: Sequence[str], *, wildcard: bool) -> list[list[Record]]:
    """Return the records that each class is judged on: those alike, or with wildcards all that match."""
    cells: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for record in records:
        cells[tuple(record[name] for name in quasi)].append(record)
    if not wildcard or not any("" in key for key in cells):
        return list(cells.values())
    return [[record for other, alike in cells.items() if _match(key, other) for record in alike] for key in cells]


def _match(one: Sequence[str], other: Sequence[str]) -> bool:
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


def blocks_of(promise: Mapping[str, Any], classes: Sequence[Class], sensitive: Sequence[str]) -> list[Class]:
    """Return what a promise is put to: classes, or blocks of these that are alike in the other sensitive columns."""
    if promise.get("others") != "known":
        return list(classes)
    known = [name for name in sensitive if name != promise["column"]]
    found: list[Class] = []
    for one in classes:
        apart: dict[tuple[str, ...], list[Record]] = defaultdict(list)
        for record in one:
            apart[tuple(record[name] for name in known)].append(record)
        found += apart.values()
    return found


def judged(
    promise: Mapping[str, Any],
    classes: Sequence[Class],
    whole: Sequence[Record],
    sensitive: Sequence[str],
    ways: Ways,
    files: Mapping[str, str],
) -> tuple[bool, Reached]:
    """Return whether a promise is kept, and what is reached; raise NotJudgedError where that is not known here.

    Args:
        promise: As in a job file.
        classes: The records of each class.
        whole: All records of the release.
        sensitive: All sensitive columns.
        ways: The levels of the hierarchies of columns.
        files: The files of the job.
    """
    judge = _JUDGES.get(promise["model"])
    if judge is None:
        raise NotJudgedError(promise["model"])
    blocks = blocks_of(promise, classes, sensitive)
    if not blocks:
        raise NotJudgedError("a release without records")
    return judge(promise, blocks, whole, ways, files)


def number(value: Any) -> Fraction:
    """Read a number of a job as the decimal, or the ratio, that is written."""
    return Fraction(str(value))


def _counts(promise: Mapping[str, Any], block: Class) -> Counter[str]:
    return Counter(record[promise["column"]] for record in block)


def _persons(promise: Mapping[str, Any], block: Class) -> int:
    entity = promise.get("entity")
    return len(block) if entity is None else len({record[entity] for record in block})


def _k(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    least = min(_persons(promise, block) for block in blocks)
    return least >= promise["k"], {"k": Fraction(least)}


def _distinct(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    least = min(len(_counts(promise, block)) for block in blocks)
    return least >= promise["l"], {"l": Fraction(least)}


def _p_sensitive(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    values = min(len(_counts(promise, block)) for block in blocks)
    size = min(len(block) for block in blocks)
    return values >= promise["p"] and size >= promise["k"], {"p": Fraction(values), "k": Fraction(size)}


def _spread(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    """At least k different numbers, the largest at least e above the smallest; other texts count for nothing."""
    each = [{one for text in _counts(promise, block) if (one := _as_number(text)) is not None} for block in blocks]
    count = min(map(len, each))
    width = min((max(one) - min(one) if one else Fraction(0)) for one in each)
    return count >= promise["k"] and width >= number(promise["e"]), {"k": Fraction(count), "e": width}


def _as_number(text: str) -> Fraction | None:
    """Read digits with one point or none, a sign, and a power of ten of at most three digits."""
    found = re.fullmatch(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*", text)
    if found is None or len(text) > 200:
        return None
    value = Fraction(text.strip().replace("E", "e"))
    return value if abs(value) < Fraction(10) ** 300 else None


def _entropy(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    """-sum p ln p >= ln l, which is N^N >= l^N times the product of c^c, with the counts c and their sum N."""
    asked, kept, least = number(promise["l"]), True, math.inf
    for shape in {tuple(sorted(_counts(promise, block).values())) for block in blocks}:
        divisor = math.gcd(*shape)
        counts = [count // divisor for count in shape]
        total = sum(counts)
        have = total**total * asked.denominator**total
        need = asked.numerator**total * math.prod(count**count for count in counts)
        kept &= have >= need
        least = min(least, math.exp(math.log(total) - sum(c * math.log(c) for c in counts) / total))
    return kept, {"l": least}


def _recursive(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    asked, most, kept, lacking = number(promise["c"]), Fraction(0), True, False
    for block in blocks:
        counts = sorted(_counts(promise, block).values(), reverse=True)
        tail = sum(counts[promise["l"] - 1 :])
        kept &= counts[0] < asked * tail
        if tail:
            most = max(most, Fraction(counts[0], tail))
        else:
            lacking = True
    return kept, {"c": INFINITE if lacking else most}


def _frequency(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    least = min(Fraction(len(block), max(_counts(promise, block).values())) for block in blocks)
    return least >= number(promise["l"]), {"l": least}


def _alpha_k(promise: Mapping[str, Any], blocks: list[Class], *_: Any) -> tuple[bool, Reached]:
    value = promise.get("value")
    shares = []
    for block in blocks:
        counts = _counts(promise, block)
        shares.append(Fraction(max(counts.values()) if value is None else counts[value], len(block)))
    size = min(len(block) for block in blocks)
    kept = max(shares) <= number(promise["alpha"]) and size >= promise["k"]
    return kept, {"alpha": max(shares), "k": Fraction(size)}


def _shares(counts: Counter[str]) -> dict[str, Fraction]:
    total = sum(counts.values())
    return {value: Fraction(count, total) for value, count in counts.items()}


def _beta(promise: Mapping[str, Any], blocks: list[Class], whole: Sequence[Record], *_: Any) -> tuple[bool, Reached]:
    table, asked, most, kept, beyond = (
        _shares(_counts(promise, whole)),
        number(promise["beta"]),
        Fraction(0),
        True,
        False,
    )
    for shape in {frozenset(_counts(promise, block).items()) for block in blocks}:
        for value, share in _shares(Counter(dict(shape))).items():
            base = table[value]
            gain = (share - base) / base
            if gain <= 0:
                continue
            most = max(most, gain)
            kept &= gain <= asked
            if promise.get("kind") == "enhanced" and not _digits(gain) < -_ln(base):
                kept, beyond = False, True
    return kept, {"beta": INFINITE if beyond else most}


def _delta(promise: Mapping[str, Any], blocks: list[Class], whole: Sequence[Record], *_: Any) -> tuple[bool, Reached]:
    table, asked, most, kept = _shares(_counts(promise, whole)), number(promise["delta"]), 0.0, True
    for shape in {frozenset(_counts(promise, block).items()) for block in blocks}:
        shares = _shares(Counter(dict(shape)))
        if shares.keys() != table.keys():
            return False, {"delta": INFINITE}
        for value, share in shares.items():
            surprise = abs(_ln(share / table[value]))
            kept &= surprise < _digits(asked)
            most = max(most, float(surprise))
    return kept, {"delta": most}


def _digits(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(value.numerator) / Decimal(value.denominator)


def _ln(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return (Decimal(value.numerator) / Decimal(value.denominator)).ln()


def _closeness(
    promise: Mapping[str, Any], blocks: list[Class], whole: Sequence[Record], ways: Ways, files: Mapping[str, str]
) -> tuple[bool, Reached]:
    table = _shares(_counts(promise, whole))
    work = _work(promise, sorted(table), ways, files)
    shapes = {frozenset(_counts(promise, block).items()) for block in blocks}
    far = max(work(_differences(_shares(Counter(dict(shape))), table)) for shape in shapes)
    return far <= number(promise["t"]), {"t": far}


def _differences(shares: Mapping[str, Fraction], table: Mapping[str, Fraction]) -> dict[str, Fraction]:
    return {value: shares.get(value, Fraction(0)) - share for value, share in table.items()}


def _work(
    promise: Mapping[str, Any], values: list[str], ways: Ways, files: Mapping[str, str]
) -> Callable[[dict[str, Fraction]], Fraction]:
    """Return the earth mover's distance between two distributions, of the differences of their shares."""
    distance = promise.get("distance", "equal")
    if distance == "equal":
        return lambda apart: sum((abs(one) for one in apart.values()), Fraction(0)) / 2
    if distance == "ordered":
        places = {value: Fraction(place) for place, value in enumerate(_ordered(promise["column"], values, ways))}
        return _along(places, Fraction(len(values) - 1))
    if distance == "matrix":
        return _along(*_line(files[promise["distances"]]))
    levels = ways[promise["column"]](values)
    if levels is None or len(levels) < 2:
        raise NotJudgedError("t-closeness along a hierarchy that is not known here")
    return _tree(levels[:-1])


def _tree(levels: Sequence[Mapping[str, str]]) -> Callable[[dict[str, Fraction]], Fraction]:
    """Values are as far apart as the level where they meet, over the height; a missing one meets others at the top."""

    def work(apart: dict[str, Fraction]) -> Fraction:
        total = Fraction(0)
        for labels in levels:
            nodes: dict[str, Fraction] = defaultdict(Fraction)
            for value, one in apart.items():
                nodes[labels[value] if value else ""] += one
            total += sum(abs(one) for one in nodes.values())
        return total / (2 * len(levels))

    return work


def _along(places: Mapping[str, Fraction], longest: Fraction) -> Callable[[dict[str, Fraction]], Fraction]:
    """On a line the least work moves what is left over, from each place to the next one."""

    def work(apart: dict[str, Fraction]) -> Fraction:
        total = carried = Fraction(0)
        order = sorted(apart, key=lambda value: places[value])
        for one, following in pairwise(order):
            carried += apart[one]
            total += abs(carried) * (places[following] - places[one])
        return total / longest if longest else Fraction(0)

    return work


def _line(text: str) -> tuple[dict[str, Fraction], Fraction]:
    """Return the places on a line whose distances a matrix tells; the soak's matrices are such, the first is at 0."""
    header, first, *_ = list(csv.reader(io.StringIO(text)))
    places = {value: Fraction(entry) for value, entry in zip(header[1:], first[1:], strict=True)}
    return places, max(places.values())


def _ordered(column: str, values: list[str], ways: Ways) -> list[str]:
    if "" in values:
        raise NotJudgedError("t-closeness along an order with missing values")
    levels = ways[column](values) if column in ways else None
    if levels is not None:
        known = list(levels[0])
        return sorted(values, key=known.index)
    if column in ways:
        raise NotJudgedError("t-closeness along an order that is not known here")
    numbers = [_plain_number(value) for value in values]
    if all(one is not None for one in numbers) and len(set(numbers)) == len(numbers):
        return sorted(values, key=Fraction)
    if any(one is not None for one in numbers) or any(value[:1].isdigit() for value in values):
        raise NotJudgedError("t-closeness along an order of mixed values")
    return sorted(values)


def _plain_number(text: str) -> Fraction | None:
    try:
        return None if "/" in text or "_" in text or not text.isascii() else Fraction(text)
    except ValueError:
        return None


_JUDGES: dict[str, Callable[..., tuple[bool, Reached]]] = {
    "k-anonymity": _k,
    "distinct-l-diversity": _distinct,
    "entropy-l-diversity": _entropy,
    "recursive-cl-diversity": _recursive,
    "frequency-l-diversity": _frequency,
    "p-sensitive-k-anonymity": _p_sensitive,
    "k-e-anonymity": _spread,
    "alpha-k-anonymity": _alpha_k,
    "t-closeness": _closeness,
    "beta-likeness": _beta,
    "delta-disclosure": _delta,
}
