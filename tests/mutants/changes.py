"""The changes that are made to a source: one operator, constant, condition, return or statement at a time.

Words are left alone (docstrings, messages, names), and so are annotations, decorators and progress.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMBINED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_PAIRS = (("min", "max"), ("any", "all"), ("minimum", "maximum"), ("argmin", "argmax"), ("ceil", "floor"))
_OPPOSITES = {name: other for pair in _PAIRS for name, other in (pair, pair[::-1])}
_INDIFFERENT = {"strict", "dtype", "axis", "copy"}  # of a call: what has no other sensible value
_BOUNDS = ("bound", "floor")  # a name with one of these is a bound: it is also raised by a twentieth


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a source.

    Args:
        function: The function or class that it is in.
        number: The number of the line.
        line: The text of that line.
        change: What became what.
        text: The whole source with the change made.
    """

    function: str
    number: int
    line: str
    change: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the change, wherever its line stands."""
        return self.function, self.line, self.change


def changes(source: str) -> list[Change]:
    """Return every change of a source, in the order of its lines, and no two that come to the same.

    Where a line says the same twice, the second change of it has a number: `0 -> 1 (2)`.
    """
    found = {change.text: change for change in _Maker(source).of_body(ast.parse(source).body, "")}
    numbered, seen = [], Counter[tuple[str, str, str]]()
    for change in sorted(found.values(), key=lambda change: change.number):
        seen[change.key] += 1
        number = seen[change.key]
        numbered.append(change if number == 1 else replace(change, change=f"{change.change} ({number})"))
    return numbered


class _Maker:
    def __init__(self, source: str) -> None:
        self._source = source.encode()
        self._lines = source.splitlines()
        lengths = [len(line.encode()) for line in source.splitlines(keepends=True)]
        self._starts = [sum(lengths[:number]) for number in range(len(lengths) + 1)]

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def _changed(self, node: ast.expr | ast.stmt, new: str, function: str) -> Change:
        start, end = self._span(node)
        old = ast.unparse(node)
        text = (self._source[:start] + new.encode() + self._source[end:]).decode()
        return Change(function, node.lineno, self._lines[node.lineno - 1].strip(), f"{old} -> {new}", text)

    def of_body(self, body: list[ast.stmt], function: str) -> Iterator[Change]:
        for statement in body:
            yield from self._of_statement(statement, function)

    def _of_statement(self, node: ast.stmt, function: str) -> Iterator[Change]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from self._of_definition(node, f"{function}.{node.name}".lstrip("."))
        elif not _left_alone(node):
            for old, new in _instead_of_statement(node):
                yield self._changed(old, new, function)
            if not isinstance(node, ast.Raise):  # what it says is a message
                yield from self._of_parts(node, function)

    def _of_definition(self, node: ast.FunctionDef | ast.ClassDef, function: str) -> Iterator[Change]:
        if isinstance(node, ast.FunctionDef):
            for default in [*node.args.defaults, *node.args.kw_defaults]:
                if default is not None:
                    yield from self._of_expression(default, function)
            yield from self._of_returns(node, function)
        yield from self.of_body(node.body, function)

    def _of_returns(self, node: ast.FunctionDef, function: str) -> Iterator[Change]:
        """Change what a function gives by its type, where no change of the expression does so already."""
        kind = ast.unparse(node.returns) if node.returns is not None else ""
        new = {"bool": "not ({})", "int": "({}) + 1", "float": "({}) * 1.05"}.get(kind)
        for part in ast.walk(node):
            if new is not None and isinstance(part, ast.Return) and part.value is not None:
                plain = isinstance(part.value, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)
                if not (plain and kind != "float"):
                    yield self._changed(part.value, new.format(ast.unparse(part.value)), function)

    def _of_parts(self, node: ast.AST, function: str) -> Iterator[Change]:
        for name, field in ast.iter_fields(node):
            if name in ("annotation", "targets", "target", "pattern", "type") and not isinstance(
                node, ast.comprehension
            ):
                continue
            for part in field if isinstance(field, list) else [field]:
                if isinstance(part, ast.stmt):
                    yield from self._of_statement(part, function)
                elif isinstance(part, ast.expr):
                    yield from self._of_expression(part, function)
                elif isinstance(part, ast.AST):
                    yield from self._of_parts(part, function)

    def _of_expression(self, node: ast.expr, function: str) -> Iterator[Change]:
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return
        if isinstance(node, ast.Call) and "progress" in ast.unparse(node.func):
            return
        for new in _instead(node):
            yield self._changed(node, new, function)
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return
        if isinstance(node, ast.Call):
            yield from self._of_call(node, function)
            return
        yield from self._of_parts(node, function)

    def _of_call(self, node: ast.Call, function: str) -> Iterator[Change]:
        parts = [node.func, *node.args, *(word.value for word in node.keywords if word.arg not in _INDIFFERENT)]
        for part in parts:
            yield from self._of_expression(part, function)
        for word in node.keywords:
            if isinstance(word.value, ast.Compare | ast.BoolOp):
                yield self._changed(word.value, "True", function)
                yield self._changed(word.value, "False", function)


def _left_alone(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Expr(value=ast.Constant()):  # a docstring
            return True
    return False


def _instead_of_statement(node: ast.stmt) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Go through the parts of a statement that become another as wholes."""
    match node:
        case ast.Raise() if "NotImplementedError" not in ast.unparse(node):
            yield node, "pass"
        case ast.Expr(value=ast.Call(func=called)) if "progress" not in ast.unparse(called):
            yield node, "pass"
        case ast.AugAssign() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Continue():
            yield node, "pass"
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_bound(name):
            yield value, f"({ast.unparse(value)}) * 1.05"
        case ast.If(test=test):
            yield test, "True"
            yield test, "False"
        case ast.While(test=test):
            yield test, "False"


def _instead(node: ast.expr) -> Iterator[str]:
    """Go through what may stand in the place of an expression itself; its parts are changed for themselves."""
    match node:
        case ast.Compare():
            yield from _compared(node)
        case ast.BoolOp(op=op, values=values):
            yield from _joined(op, values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield _text(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _COMBINED and not _words(left, right):
            yield _text(ast.BinOp(left, _COMBINED[type(sign)](), right))
        case ast.Constant(value=bool() | int() | float() as value):
            yield str(not value) if isinstance(value, bool) else str(value + 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield _text(body)
            yield _text(orelse)
        case ast.Call(func=called) if _name(called) in _OPPOSITES:
            other = _OPPOSITES[_name(called)]
            new = ast.Attribute(called.value, other) if isinstance(called, ast.Attribute) else ast.Name(other)
            yield _text(ast.Call(new, node.args, node.keywords))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _comprehended(node)


def _joined(op: ast.boolop, values: list[ast.expr]) -> Iterator[str]:
    yield _text(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
    for i in range(len(values)):
        left = [*values[:i], *values[i + 1 :]]
        yield _text(ast.BoolOp(op, left) if len(left) > 1 else left[0])


def _compared(node: ast.Compare) -> Iterator[str]:
    for i, op in enumerate(node.ops):
        ops = [*node.ops[:i], _COMPARED[type(op)](), *node.ops[i + 1 :]]
        yield _text(ast.Compare(node.left, ops, node.comparators))
    operands = [node.left, *node.comparators]
    for i, operand in enumerate(operands):
        if _is_bound(_name(operand)):
            raised = ast.BinOp(operand, ast.Mult(), ast.Constant(1.05))
            all_of = [*operands[:i], raised, *operands[i + 1 :]]
            yield _text(ast.Compare(all_of[0], node.ops, all_of[1:]))


def _comprehended(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Iterator[str]:
    for part in node.generators:
        if part.ifs:
            kept, part.ifs = part.ifs, []
            without = _text(node)
            part.ifs = kept
            yield without


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(ast.Expression(node)))})"


def _words(*operands: ast.expr) -> bool:
    return any(
        isinstance(o, ast.JoinedStr) or (isinstance(o, ast.Constant) and isinstance(o.value, str)) for o in operands
    )


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name(value)
    return ""


def _is_bound(name: str) -> bool:
    return any(word in name for word in _BOUNDS)
