"""What a promise asks of the records of each class, from its definition, in whole numbers and fractions.

`reached` gives what the classes reach by each threshold, `kept` whether that is enough. Where a definition has a
logarithm, `kept` is decided by powers of whole numbers, or by 60 digits: the logarithm of a fraction other than 1 is no
fraction, so that it is never equal to the number that it is compared with.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from tests.soak.judge.closeness import closeness
from tests.soak.judge.persons import (
    INFINITE,
    Class,
    NotJudgedError,
    Persons,
    Reached,
    Record,
    Ways,
    holders,
    needed,
    number,
    persons_of,
    shares,
)


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
    raw: Sequence[Record] = (),
) -> tuple[bool, Reached]:
    """Return whether a promise is kept, and what is reached; raise NotJudgedError where that is not known here.

    Args:
        promise: As in a job file.
        classes: The records of each class.
        whole: All records of the release.
        sensitive: All sensitive columns.
        ways: The levels of the hierarchies of columns.
        files: The files of the job.
        raw: The raw records, where they are known.
    """
    judge = _JUDGES.get(promise["model"])
    if judge is None:
        raise NotJudgedError(promise["model"])
    unknown = promise.keys() - _KNOWN[promise["model"]] - {"model", "column", "others", "entity", "per"}
    if unknown:
        raise NotJudgedError(f"{promise['model']} with {', '.join(sorted(unknown))}")
    blocks = [persons_of(promise, block) for block in blocks_of(promise, classes, sensitive)]
    if not blocks:
        raise NotJudgedError("a release without records")
    everybody = _everybody(promise, blocks, whole) if promise["model"] in RELATIVE else []
    if promise.get("against") == "input":
        blocks, everybody = _with_the_rest(promise, blocks, whole, raw)
    if promise["model"] in OF_ALL and sum(map(len, blocks)) != len(whole):
        raise NotJudgedError(f"{promise['model']} of classes that overlap")
    return judge(promise, blocks, everybody, ways, files)


def _everybody(promise: Mapping[str, Any], blocks: Sequence[Persons], whole: Sequence[Record]) -> Persons:
    """Return the persons of the whole release; whoever has records in several classes is one person in each."""
    if promise.get("entity") is None:
        return persons_of(promise, whole)
    if sum(map(len, blocks)) < len({record[promise["entity"]] for record in whole}):
        raise NotJudgedError("some classes of persons compared with all of them")
    return [person for block in blocks for person in block]


def _with_the_rest(
    promise: Mapping[str, Any], blocks: list[Persons], whole: Sequence[Record], raw: Sequence[Record]
) -> tuple[list[Persons], Persons]:
    """Return the classes with the records that were left out as one more, and all raw records to compare them with."""
    if not raw or promise.get("entity") is not None or promise.get("others") == "known":
        raise NotJudgedError("closeness to a raw table of persons, or one that is not known")
    column = promise["column"]
    rest = Counter(one[column] for one in raw) - Counter(one[column] for one in whole)
    left = [{value} for value in rest.elements()]
    return [*blocks, *([left] if left else [])], persons_of(promise, raw)


def _average(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    """The mean of 1 over the size of the class, over all records."""
    sizes = [len(block) for block in blocks]
    mean = sum((size * Fraction(1, size) for size in sizes), Fraction(0)) / sum(sizes)
    return mean <= number(promise["most"]), {"most": mean}


def _alone(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    """The share of the records that are alone."""
    share = Fraction(sum(len(block) == 1 for block in blocks), sum(map(len, blocks)))
    return share <= number(promise["most"]), {"most": share}


def _alone_in_all(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    """Nobody alone here is alone in the population; of all of it, it is the share of those who are alone."""
    if any(len(block) == 1 for block in blocks) and number(promise["fraction"]) != 1:
        raise NotJudgedError("an estimate of who is alone in the population")
    return _alone(promise, blocks)


def _k(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    """Count persons; with `members`, those that so many records have at least, at that many for each of them."""
    members = promise.get("members", 1)
    least = min(map(len, blocks))
    return least > (promise["k"] - 1) * members, {"k": Fraction(-(-least // members))}


def _distinct(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    members = promise.get("members", 1)
    least = min(map(needed, blocks))
    return least > (promise["l"] - 1) * members, {"l": Fraction(-(-least // members))}


def _p_sensitive(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    values, size = min(map(needed, blocks)), min(map(len, blocks))
    return values >= promise["p"] and size >= promise["k"], {"p": Fraction(values), "k": Fraction(size)}


def _spread(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    """At least k different numbers, one person's smallest at least e above another's largest; other texts are none."""
    if promise.get("decimal", ".") != ".":
        raise NotJudgedError("numbers with a decimal comma")
    read = [[{one for text in held if (one := _as_number(text)) is not None} for held in block] for block in blocks]
    each = [[{str(one) for one in held} for held in block if held] for block in read]
    count = min(map(needed, each))
    ends = [[(min(held), max(held)) for held in block if held] for block in read]
    width = min(max(low for low, _ in one) - min(high for _, high in one) if one else Fraction(0) for one in ends)
    width = max(width, Fraction(0))
    return count >= promise["k"] and width >= number(promise["e"]), {"k": Fraction(count), "e": width}


def _as_number(text: str) -> Fraction | None:
    """Read digits with one point or none, a sign, and a power of ten of at most three digits."""
    found = re.fullmatch(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*", text)
    if found is None or len(text) > 200:
        return None
    value = Fraction(text.strip().replace("E", "e"))
    return value if abs(value) < Fraction(10) ** 300 else None


def _entropy(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    """-sum p ln p >= ln l, which is N^N >= l^N times the product of c^c, with the counts c and their sum N."""
    asked, kept, least = number(promise["l"]), True, math.inf
    for shape in {tuple(sorted(holders(block).values())) for block in blocks}:
        divisor = math.gcd(*shape)
        counts = [count // divisor for count in shape]
        total = sum(counts)
        have = total**total * asked.denominator**total
        need = asked.numerator**total * math.prod(count**count for count in counts)
        kept &= have >= need
        least = min(least, math.exp(math.log(total) - sum(c * math.log(c) for c in counts) / total))
    return kept, {"l": least}


def _recursive(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    """r1 < c (N - r1 - ... - r(l-1)), with the holders r1 >= r2 >= ... of the values, and all N persons."""
    asked, most, kept, lacking = number(promise["c"]), Fraction(0), True, False
    for block in blocks:
        counts = sorted(holders(block).values(), reverse=True)
        tail = max(len(block) - sum(counts[: promise["l"] - 1]), 0)
        kept &= counts[0] < asked * tail
        if tail:
            most = max(most, Fraction(counts[0], tail))
        else:
            lacking = True
    return kept, {"c": INFINITE if lacking else most}


def _frequency(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    members = promise.get("members", 1)
    least = min(Fraction(len(block), max(holders(block).values()) * members) for block in blocks)
    return least >= number(promise["l"]), {"l": least}


def _alpha_k(promise: Mapping[str, Any], blocks: list[Persons], *_: Any) -> tuple[bool, Reached]:
    value = promise.get("value")
    found = []
    for block in blocks:
        counts = holders(block)
        found.append(Fraction(max(counts.values()) if value is None else counts[value], len(block)))
    size = min(map(len, blocks))
    kept = max(found) <= number(promise["alpha"]) and size >= promise["k"]
    return kept, {"alpha": max(found), "k": Fraction(size)}


def _beta(promise: Mapping[str, Any], blocks: list[Persons], everybody: Persons, *_: Any) -> tuple[bool, Reached]:
    table, asked, most, kept, beyond = shares(everybody), number(promise["beta"]), Fraction(0), True, False
    for each in _different(blocks):
        for value, share in each.items():
            base = table[value]
            gain = (share - base) / base
            if gain <= 0:
                continue
            most = max(most, gain)
            kept &= gain <= asked
            if promise.get("kind") == "enhanced" and not _digits(gain) < -_ln(base):
                kept, beyond = False, True
    return kept, {"beta": INFINITE if beyond else most}


def _different(blocks: Sequence[Persons]) -> list[dict[str, Fraction]]:
    """Return the shares of values that classes have, each once."""
    return [dict(one) for one in {frozenset(shares(block).items()) for block in blocks}]


def _delta(promise: Mapping[str, Any], blocks: list[Persons], everybody: Persons, *_: Any) -> tuple[bool, Reached]:
    table, asked, most, kept = shares(everybody), number(promise["delta"]), 0.0, True
    for each in _different(blocks):
        if each.keys() != table.keys():
            return False, {"delta": INFINITE}
        for value, share in each.items():
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


_JUDGES: dict[str, Callable[..., tuple[bool, Reached]]] = {
    "k-anonymity": _k,
    "distinct-l-diversity": _distinct,
    "entropy-l-diversity": _entropy,
    "recursive-cl-diversity": _recursive,
    "frequency-l-diversity": _frequency,
    "p-sensitive-k-anonymity": _p_sensitive,
    "k-e-anonymity": _spread,
    "alpha-k-anonymity": _alpha_k,
    "t-closeness": closeness,
    "beta-likeness": _beta,
    "delta-disclosure": _delta,
    "average-risk": _average,
    "sample-uniqueness": _alone,
    "population-uniqueness": _alone_in_all,
}

_KNOWN: dict[str, set[str]] = {
    "k-anonymity": {"k", "members"},
    "distinct-l-diversity": {"l", "members"},
    "entropy-l-diversity": {"l"},
    "recursive-cl-diversity": {"c", "l"},
    "frequency-l-diversity": {"l", "members"},
    "p-sensitive-k-anonymity": {"p", "k"},
    "k-e-anonymity": {"k", "e", "decimal"},
    "alpha-k-anonymity": {"alpha", "k", "value"},
    "t-closeness": {"t", "distance", "distances", "against"},
    "beta-likeness": {"beta", "kind"},
    "delta-disclosure": {"delta"},
    "average-risk": {"most"},
    "sample-uniqueness": {"most"},
    "population-uniqueness": {"most", "fraction", "estimator"},
}
"""The parameters of each promise that are known here: one with another is not judged."""
OF_ALL = {"average-risk", "sample-uniqueness", "population-uniqueness"}
RELATIVE = {"t-closeness", "beta-likeness", "delta-disclosure"}
