"""Types say something: `Any` is rare, and stands nowhere at the doors of the runtime's heart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

MOST = 127
"""Annotations of parameters, variables and fields that are `Any`."""
HEART = ("runtime/engine", "runtime/graph", "runtime/journal", "runtime/store")


def _is_any(annotation: ast.expr | None) -> bool:
    """Whether an annotation is `Any`, alone or beside None; `dict[str, Any]` is not."""
    match annotation:
        case ast.Name(id="Any") | ast.Attribute(attr="Any"):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_any(left) or _is_any(right)
    return False


def _annotations(node: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the annotations that belong to a node itself."""
    match node:
        case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            yield from (arg.annotation for arg in every if arg is not None)
        case ast.AnnAssign():
            yield node.annotation


def _public_signatures(module: ast.Module) -> Iterator[tuple[int, list[ast.expr | None]]]:
    """Yield what functions, methods and fields without an underscore take and return."""
    for node in module.body:
        inner = node.body if isinstance(node, ast.ClassDef) else ()
        for each in (node, *inner):
            name = getattr(each, "name", "") or ast.unparse(getattr(each, "target", ast.Name("_")))
            if name.startswith("_") and not name.startswith("__"):
                continue
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.AnnAssign):
                yield each.lineno, [*_annotations(each), getattr(each, "returns", None)]


def test_any_is_rare(sources, tree):
    count = sum(_is_any(a) for f in sources for n in ast.walk(tree(f)) for a in _annotations(n))
    assert count <= MOST


def test_no_door_of_the_heart_is_any(root, sources, tree):
    found = [
        f"{file.relative_to(root)}:{line}"
        for file in sources
        if str(file.relative_to(root)).startswith(HEART)
        for line, annotations in _public_signatures(tree(file))
        if any(map(_is_any, annotations))
    ]
    assert found == []


def test_no_name_in_the_runtime_stands_for_any(root, sources, tree):
    """An alias of `Any` would hide it. What has no type is an `object` or a `Json`."""
    alone = "runtime/sandbox/scripts/worker_python.py"  # imports nothing of flowc
    found = [
        f"{file.relative_to(root)}:{node.lineno}"
        for file in sources
        if "runtime" in file.parts and str(file.relative_to(root)) != alone
        for node in tree(file).body
        if isinstance(node, ast.Assign) and _is_any(node.value)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def f(a: Any, *b: Any, c: int) -> Any: ...", 2),
        ("def f(a: dict[str, Any]) -> None: ...", 0),
        ("a: Any = 1", 1),
        ("a: Any | None = 1", 1),
    ],
)
def test_what_counts_as_any(text, count):
    nodes = ast.walk(ast.parse(text))
    assert sum(_is_any(a) for node in nodes for a in _annotations(node)) == count
