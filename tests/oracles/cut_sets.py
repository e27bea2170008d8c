"""Brute force over all ways to split the values of each column, the same for all records."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from shoal.measures import Classification
from tests.oracles.local.tables import LocalTable
from tests.oracles.plain import Record, Rules, Value
from tests.oracles.promises import keeps

Block = frozenset[Value]
Blocks = frozenset[Block]
"""The values of a column, split."""


def blocks_of(table: LocalTable, column: str) -> list[Blocks]:
    """Return all ways to split the values of a column that occur: along its tree, or by cuts between neighbours."""
    present = {record[column] for record in table.records}
    ordered = [value for value in table.domain(column) if value in present]
    if table.form(column) == "tree":
        return sorted(_along_tree(table, column, ordered, table.height(column)), key=repr)
    proper = [value for value in ordered if value is not None]
    whole = frozenset([frozenset(ordered)])
    if None not in present:
        return list(_cut(proper))
    apart = [frozenset([*cut, frozenset[Value]([None])]) for cut in _cut(proper)] if proper else []
    return [whole, *apart]


def _cut(values: Sequence[Value]) -> Iterator[Blocks]:
    places = range(1, len(values))
    for number in range(len(values)):
        for cuts in combinations(places, number):
            ends = zip([0, *cuts], [*cuts, len(values)], strict=True)
            yield frozenset(frozenset(values[start:end]) for start, end in ends)


def _along_tree(table: LocalTable, column: str, values: Sequence[Value], level: int) -> set[Blocks]:
    """Return the node of these values whole, and all that its children can be split into."""
    found = {frozenset([frozenset(values)])}
    if level == 0:
        return found
    children: dict[Value, list[Value]] = {}
    for value in values:
        children.setdefault(table.label(column, value, level - 1), []).append(value)
    choices = [_along_tree(table, column, below, level - 1) for below in children.values()]
    return found | {frozenset().union(*chosen) for chosen in product(*choices)}


def all_recodings(table: LocalTable) -> Iterator[tuple[Blocks, ...]]:
    """Go through all choices of one way for each column."""
    return product(*(blocks_of(table, column) for column in table.quasi))


def classes_of(table: LocalTable, chosen: Sequence[Blocks]) -> list[list[Record]]:
    """Return the classes: the records of the same block in every column."""
    block_of = [{value: block for block in blocks for value in block} for blocks in chosen]
    classes: dict[tuple[Block, ...], list[Record]] = {}
    for record in table.records:
        key = tuple(blocks[record[column]] for blocks, column in zip(block_of, table.quasi, strict=True))
        classes.setdefault(key, []).append(record)
    return list(classes.values())


def cost_of(table: LocalTable, rules: Rules, measure: str, limit: int, classes: list[list[Record]]) -> int | None:
    """Return the least loss of all choices of the classes to release, or None if none is allowed."""
    alone = Rules(tuple(model for model in rules.models if not model.relative))
    able = [members for members in classes if _keeps_all(table, alone, members, table.records)]
    least = None
    for number in range(len(able), 0, -1):
        for kept in combinations(able, number):
            cost = _cost(table, rules, measure, limit, classes, kept)
            least = cost if least is None or (cost is not None and cost < least) else least
        if least is not None and not rules.stars and not any(model.relative for model in rules.models):
            break  # each class is judged alone, and none costs more than suppressing it
    return least


def _cost(
    table: LocalTable,
    rules: Rules,
    measure: str,
    limit: int,
    classes: list[list[Record]],
    kept: Sequence[list[Record]],
) -> int | None:
    reference = table.records if rules.stars else [record for members in kept for record in members]
    gone = [record for members in classes if members not in kept for record in members]
    if len(gone) > limit or not all(_keeps_all(table, rules, members, reference) for members in kept):
        return None
    if rules.stars and gone and not _keeps_all(table, rules, gone, table.records):
        return None
    if measure == "discernibility":
        return sum(len(members) ** 2 for members in kept) + len(gone) * len(table.records)
    assert measure == Classification.name
    return sum(_beside(members, table.sensitive[0]) for members in kept) + len(gone)


def _keeps_all(table: LocalTable, rules: Rules, members: list[Record], reference: Sequence[Record]) -> bool:
    return all(keeps(model, members, reference, table.sensitive) for model in rules.models)


def _beside(members: list[Record], column: str) -> int:
    values = [record[column] for record in members]
    return len(values) - max(values.count(value) for value in set(values))


def optimum(table: LocalTable, rules: Rules, measure: str, limit: Fraction) -> int | None:
    """Return the least loss of all recodings, or None if none is allowed."""
    most = int(limit * len(table.records))
    costs = [cost_of(table, rules, measure, most, classes_of(table, chosen)) for chosen in all_recodings(table)]
    return min((cost for cost in costs if cost is not None), default=None)
