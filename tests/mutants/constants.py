"""Changed constants of a module or class, and changed defaults of functions: what puts them in place."""

import ast
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, ModuleType
from typing import Any


def changed_constants(module: ModuleType, source: str, text: str) -> Callable[[], None] | None:
    """Return what puts the changed constants of a source in place; None if something else was changed.

    Other modules that imported a constant get it too. The default of a field of a dataclass is none: its class is made
    by it. Neither is what cannot be made at all: whoever imports that fails.
    """
    try:
        puts = [_put(module, names, node) for names, node in _differing(ast.parse(source), ast.parse(text), ())]
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None
    known = [put for put in puts if put is not None]
    if not known or len(known) < len(puts):
        return None
    return partial(_call, known)


def _call(puts: list[Callable[[], None]]) -> None:
    for put in puts:
        put()


def _differing(before: Any, after: Any, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.stmt | None]]:
    """Go through the statements of modules and classes that differ, each with the classes around it.

    None stands for a function whose body differs.
    """
    for old, new in zip(before.body, after.body, strict=True):
        if ast.dump(old) != ast.dump(new):
            if isinstance(new, ast.ClassDef):
                yield from _differing(old, new, (*names, new.name))
            elif isinstance(new, ast.FunctionDef):
                yield names, new if [*map(ast.dump, old.body)] == [*map(ast.dump, new.body)] else None
            else:
                yield names, new


def _put(module: ModuleType, names: tuple[str, ...], node: ast.stmt | None) -> Callable[[], None] | None:
    place: Any = module
    for name in names:
        place = vars(place)[name]
    match node:
        case ast.Assign(targets=[target], value=value) if not names:
            return partial(_put_everywhere, module, ast.unparse(target), _value(module, value))
        case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=ast.expr() as value):
            if not names:
                return partial(_put_everywhere, module, name, _value(module, value))
            return partial(setattr, place, name, _value(module, value)) if "ClassVar" in ast.unparse(kind) else None
        case ast.FunctionDef():
            return _put_defaults(module, vars(place).get(node.name), node)
    return None


def _put_everywhere(module: ModuleType, target: str, value: Any) -> None:
    names = [name.strip() for name in target.strip("()").split(",")]
    for name, own in zip(names, value if len(names) > 1 else [value], strict=True):
        old = vars(module)[name]
        for other in [one for key, one in sys.modules.items() if key.startswith("shoal")]:
            if vars(other).get(name) is old:
                setattr(other, name, own)


def _put_defaults(module: ModuleType, function: Any, node: ast.FunctionDef) -> Callable[[], None] | None:
    found = getattr(function, "__func__", function)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    if not isinstance(found, FunctionType):
        return None
    words = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    named = {word.arg: _value(module, default) for word, default in words if default is not None}
    ordered = tuple(_value(module, default) for default in node.args.defaults)

    def put() -> None:
        found.__defaults__, found.__kwdefaults__ = ordered or None, named or None

    return put


def _value(module: ModuleType, node: ast.expr) -> Any:
    code = compile(ast.Expression(node), str(module.__file__), "eval")
    return eval(code, dict(vars(module)))  # noqa: S307  (a part of a source of shoal)
