"""Losses and optima of full-domain releases, worked out again: every level of every column is tried on tiny tables."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Any

from tests.soak.judge.cells import Levels, levels_of
from tests.soak.judge.evidence import Case, Released
from tests.soak.judge.persons import NotJudgedError, Record
from tests.soak.judge.promises import RELATIVE, judged

_RECORDS, _NODES, _CHOICES = 14, 150, 300
"""How large a table may be to be tried whole."""
_BY_LEAVES = {"levels", "taxonomy", "suppression", "masking", "sets"}
_RECORD_BY_RECORD = {"exact", "tightest", "mondrian", "top-down", "optimal-2", "ag-cs", "auto"}
"""Algorithms that suppress single records (docs/suppression.md)."""
_FULL_DOMAIN = {"optimal", "exhaustive", "samarati", "incognito", "attribute-suppression", "tuple-suppression"}


@dataclass(frozen=True)
class Best:
    """The least loss of all full-domain releases; None if there is no such release."""

    loss: float | None


Prices = list[dict[str, float]]
"""What a cell costs by its level and label."""


def _levels(case: Case) -> dict[str, Levels] | None:
    records = case.records()
    found: dict[str, Levels] = {}
    for name in case.quasi:
        levels = levels_of(case.job["columns"][name].get("hierarchy"), [one[name] for one in records], case.files)
        if levels is None or not levels[0]:
            return None
        found[name] = levels
    return found


def _prices(case: Case, levels: Mapping[str, Levels]) -> dict[str, Prices] | None:
    """Return the prices of the measures that the judge knows: stars, and the loss metric by leaves."""
    measure = case.search("measure", "lm")
    name = measure["name"] if isinstance(measure, dict) else measure
    if name == "stars":
        return {
            column: [dict.fromkeys(labels.values(), float(place == len(of) - 1)) for place, labels in enumerate(of)]
            for column, of in levels.items()
        }
    if name != "lm":
        return None
    found: dict[str, Prices] = {}
    for column, of in levels.items():
        kind, domain = case.job["columns"][column]["hierarchy"]["type"], len(of[0])
        outside = any("population" in one for one in case.promises)  # a missing value there is a leaf, too
        place = case.header.index(column)
        gaps = any(not row[place] for row in case.rows) if outside else any(not one[column] for one in case.records())
        if kind not in _BY_LEAVES or domain < 2 or gaps:
            return None
        found[column] = [
            {label: (leaves - 1) / (domain - 1) for label, leaves in Counter(labels.values()).items()} for labels in of
        ]
    return found


def priced(case: Case, released: Released) -> float | None:
    """Return the loss of a full-domain release, from its cells and the levels that it states; None if not known."""
    levels = _levels(case)
    prices = None if levels is None else _prices(case, levels)
    told = released.certificate["algorithm"]["levels"]
    if levels is None or prices is None or any(told[name] >= len(levels[name]) for name in case.quasi):
        return None
    if any("dates" in str(case.job["columns"][name].get("hierarchy")) for name in case.quasi):
        return None  # a step of the calendar that changes nothing is left out, so that levels are counted otherwise
    numbers = released.certificate["records"]
    gone = numbers["suppressed"] - released.certificate["missing"]["dropped"]
    starred = case.release("suppressed") == "star"
    total = Fraction(0)
    for name in case.quasi:
        price, place = prices[name][told[name]], released.header.index(name)
        cells = Counter(row[place] for row in released.rows)
        if starred:
            cells["*"] -= gone
        weight = case.weight(name)
        if len(set(price.values())) == 1:  # whatever the labels are
            price = dict.fromkeys(cells, *set(price.values()))
        if any(cell and cell not in price for cell, number in cells.items() if number):
            return None
        total += weight * sum(Fraction(price[cell]) * number for cell, number in cells.items() if cell and number)
        total += weight * gone
    return float(total)


def best_known(case: Case, algorithm: str) -> Best | None:
    """Return the least loss of all full-domain releases of a tiny table; None if it is not worked out here."""
    levels, records = _levels(case), case.records()
    prices = None if levels is None else _prices(case, levels)
    if levels is None or prices is None or not _tiny(case, algorithm, levels, records):
        return None
    try:
        losses = [
            loss
            for node in _nodes(algorithm, [len(levels[name]) for name in case.quasi])
            if (loss := _at(case, node, levels, prices, records)) is not None
        ]
    except NotJudgedError:
        return None
    return Best(min(losses, default=None))


def _tiny(case: Case, algorithm: str, levels: Mapping[str, Levels], records: Sequence[Record]) -> bool:
    plain = case.missing != "wildcard" and not case.search("blind") and case.search("suppress") != "records"
    nodes = math.prod(len(of) for of in levels.values())
    fits = 0 < len(records) <= _RECORDS and nodes <= _NODES and _limit(case, records) < len(records)
    return algorithm in _FULL_DOMAIN and plain and fits and case.search("time_limit") is None


def _limit(case: Case, records: Sequence[Record]) -> int:
    return math.floor(Fraction(str(case.search("max_suppressed", 0))) * len(records))


def _nodes(algorithm: str, heights: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the levels that an algorithm chooses from."""
    if algorithm == "tuple-suppression":
        yield (0,) * len(heights)
    elif algorithm == "attribute-suppression":
        yield from product(*({0, height - 1} for height in heights))
    else:
        yield from product(*map(range, heights))


def _at(
    case: Case, node: tuple[int, ...], levels: Mapping[str, Levels], prices: Mapping[str, Prices], records: list[Any]
) -> float | None:
    """Return the least loss at a node, with the best classes suppressed; None if no choice is allowed."""
    cells: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for record in records:
        key = tuple(
            levels[name][level][record[name]] if record[name] else _of_missing(levels[name], level)
            for name, level in zip(case.quasi, node, strict=True)
        )
        cells[key].append(record)
    limit, worst = _limit(case, records), float(sum(case.weight(name) for name in case.quasi))
    best: float | None = None
    for kept in _choices(case, cells, records, limit):
        loss = worst * (len(records) - sum(len(cells[key]) for key in kept))
        for key in kept:
            for name, level, label in zip(case.quasi, node, key, strict=True):
                price = prices[name][level].get(label, float(level == len(levels[name]) - 1)) if label else 0.0
                loss += float(case.weight(name)) * price * len(cells[key])
        best = loss if best is None else min(best, loss)
    return best


def _of_missing(levels: Levels, level: int) -> str:
    """Return what a missing value is published as: itself, and at the top what all others are."""
    return next(iter(levels[-1].values())) if level == len(levels) - 1 else ""


def _choices(
    case: Case, cells: Mapping[tuple[str, ...], list[Record]], records: list[Record], limit: int
) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield the choices of classes that are released at a node and keep every promise."""
    relative, starred = any(one["model"] in RELATIVE for one in case.promises), case.release("suppressed") == "star"
    if limit == 0:
        if keeps(case, list(cells.values()), records):
            yield tuple(cells)
        return
    if not (relative or starred):
        failing = [key for key, one in cells.items() if not keeps(case, [one], records)]
        if sum(len(cells[key]) for key in failing) <= limit:
            yield tuple(key for key in cells if key not in failing)
        return
    most = min(len(cells), limit)  # each class has a record at least
    if sum(math.comb(len(cells), number) for number in range(most + 1)) > _CHOICES:
        raise NotJudgedError("too many classes to try every choice")
    for number in range(most + 1):
        for gone in combinations(cells, number):
            kept = tuple(key for key in cells if key not in gone)
            left = [record for key in kept for record in cells[key]]
            stars = [record for key in gone for record in cells[key]]
            if not left or len(stars) > limit:
                continue
            shown = [cells[key] for key in kept] + ([stars] if starred and stars else [])
            if keeps(case, shown, records if starred else left):
                yield kept


def keeps(case: Case, classes: Sequence[Sequence[Record]], whole: Sequence[Record]) -> bool:
    """Tell whether these classes keep every promise of a case, as parts of a whole release."""
    ways = {
        name: partial(levels_of, recipe, files=case.files)
        for name in case.sensitive
        if (recipe := case.job["columns"][name].get("hierarchy")) is not None
    }
    for promise in case.promises:
        if not judged(case.asked(promise), classes, whole, case.sensitive, ways, case.files)[0]:
            return False
    return True


def possible(case: Case, *, of_any_kind: bool = True) -> str | None:
    """Return which release there is of a case that is said to have none; None if the judge knows of none.

    Args:
        case: The case.
        of_any_kind: Whether it is said of all releases, and not of generalizations or cut points, which suppress whole
            classes.
    """
    records = case.records()
    if not records or case.search("blind") or case.algorithm == "tuple-suppression":
        best = best_known(case, case.algorithm)
        return None if best is None or best.loss is None else f"a full-domain release of loss {best.loss}"
    try:
        if keeps(case, [records], records):
            return "all records as one class"
        if of_any_kind and case.algorithm in _RECORD_BY_RECORD and len(records) <= _RECORDS and _fewer(case, records):
            return "all records but some as one class"
    except NotJudgedError:
        return None
    best = best_known(case, case.algorithm)
    return None if best is None or best.loss is None else f"a full-domain release of loss {best.loss}"


def _fewer(case: Case, records: list[Any]) -> bool:
    """Tell whether some records, as one class, keep the promises when few enough others are left out."""
    if case.release("suppressed") == "star" or case.missing == "wildcard":
        return False
    for number in range(1, min(_limit(case, records), 4, len(records) - 1) + 1):
        for gone in combinations(range(len(records)), number):
            left = [record for place, record in enumerate(records) if place not in gone]
            if keeps(case, [left], left):
                return True
    return False
