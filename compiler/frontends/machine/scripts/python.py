"""Python handlers (`script.py`): whether the file parses, its functions, what they return.

Nothing is run or imported: the syntax tree is all that is looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....reading.script_syntax import ScriptFault, line_starts, python_tree
from .functions import Returned, ScriptFunction, ScriptFunctions


def read_python(text: str) -> ScriptFunctions | ScriptFault:
    """Return the functions of the module, or why it does not parse."""
    tree = python_tree(text)
    if isinstance(tree, ScriptFault):
        return tree
    places = _Places(text)
    functions = {
        node.name: _function(node, places)
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    # Assignments and imports may bind further names to functions.
    plain = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Expr, ast.ClassDef)
    return ScriptFunctions(functions, all(isinstance(node, plain) for node in tree.body))


class _Places:
    """Offsets of syntax nodes: Python counts their columns in bytes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = line_starts(text)

    def of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return self.offset(node.lineno, node.col_offset), self.offset(*end)

    def offset(self, line: int, column: int) -> int:
        start = self.starts[line - 1]
        # A character has a byte or more, so the column lies within as many characters.
        written = self.text[start : start + column].encode()[:column].decode(errors="ignore")
        return start + len(written)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, places: _Places) -> ScriptFunction:
    start = places.of(node)[0]
    returns: list[Returned] = []
    exact = True
    for statement in _own_returns(node.body):
        returned = _returned_texts(statement, statement.value, places)
        exact = exact and returned is not None
        returns.extend(returned or ())
    if not _always_returns(node.body):
        returns.append(Returned(None, start, start))
    return ScriptFunction(node.name, start, tuple(returns), exact)


def _own_returns(body: list[ast.stmt]) -> Iterator[ast.Return]:
    todo: list[ast.AST] = list(reversed(body))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            todo.extend(reversed(list(ast.iter_child_nodes(node))))


def _returned_texts(
    at: ast.Return, value: ast.expr | None, places: _Places
) -> list[Returned] | None:
    match value:
        case None | ast.Constant(value=None):
            return [Returned(None, *places.of(value or at))]
        case ast.Constant(value=str() as text):
            return [Returned(text, *places.of(value))]
        case ast.IfExp():
            one, other = (_returned_texts(at, v, places) for v in (value.body, value.orelse))
            return None if one is None or other is None else [*one, *other]
        case _:
            return None


def _always_returns(body: list[ast.stmt]) -> bool:
    for node in body:
        match node:
            case ast.Return() | ast.Raise():
                return True
            case ast.If() if _always_returns(node.body) and _always_returns(node.orelse):
                return True
            case ast.Try() if _try_returns(node):
                return True
            case ast.With() if _always_returns(node.body):
                return True
    return False


def _try_returns(node: ast.Try) -> bool:
    handled = all(_always_returns(handler.body) for handler in node.handlers)
    return _always_returns(node.finalbody) or (
        handled and (_always_returns(node.body) or _always_returns(node.orelse))
    )
