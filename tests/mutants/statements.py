"""Which statements of a source are run: each tells its line, in code that is put in the place of that of functions."""

import ast
from collections.abc import Iterator

TOLD = "__statement_told__"  # what a module calls with the file and the line


def statements(source: str) -> dict[int, int]:
    """Return for every line of a source the first line of the innermost statement that it is a part of."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse(source)):  # what is inside comes later
        if isinstance(node, ast.stmt):
            found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.lineno))
    return found


def statement_of(source: str, number: int) -> int | None:
    """Return the statement that tests come by which run the code of a line; None if it is in no function.

    The defaults of a function belong to its first statement.
    """
    own = statements(source)[number]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.lineno <= own <= (node.end_lineno or own):
            body = [part for part in node.body if not _is_text(part)]
            if own == node.lineno and body:
                return body[0].lineno
            if own >= node.body[0].lineno:
                return own
    return None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def telling(source: str, file: str) -> ast.Module:
    """Return a source in which each statement of a function tells `file:line` before it is run."""
    tree = ast.parse(source)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for body in list(_bodies(function)):
                body[:] = [line for statement in body for line in (*_teller(statement, file), statement)]
    return ast.fix_missing_locations(tree)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Go through the bodies of a function, but not those of functions and classes in it."""
    for _, field in ast.iter_fields(node):
        parts = [part for part in field if isinstance(part, ast.AST)] if isinstance(field, list) else []
        if parts and isinstance(parts[0], ast.stmt):
            yield field
        for part in parts:
            if not isinstance(part, ast.FunctionDef | ast.ClassDef | ast.expr):
                yield from _bodies(part)


def _teller(statement: ast.stmt, file: str) -> list[ast.stmt]:
    if _is_text(statement):  # a docstring
        return []
    told = ast.Expr(ast.Call(ast.Name(TOLD, ast.Load()), [ast.Constant(f"{file}:{statement.lineno}")], []))
    return [ast.copy_location(told, statement)]
