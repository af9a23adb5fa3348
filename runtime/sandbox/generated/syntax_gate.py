"""Whether a piece of generated audio code is one that may be tried: the syntax gate.

It is there for the message, with a line and a column, from which a model can write better code. It
is not a boundary: what passes runs in the sandbox all the same.

Code is a plain sequence of statements that reads `INPUT` (`INPUTS` where there are several) and
writes `OUTPUT`, with pedalboard, soundfile, numpy and math.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .allowed_names import BUILTINS, MEMBERS, MODULES

MOST_BYTES = 8192
MOST_NODES = 2000
MOST_FAULTS = 5
_LARGEST = 2**40
GIVEN = ("INPUT", "INPUTS", "OUTPUT")
"""Variables that the code finds."""

_STATEMENTS = (
    ast.Expr, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.With,
    ast.Import, ast.ImportFrom, ast.Pass, ast.Break, ast.Continue,
)  # fmt: skip
_EXPRESSIONS = (
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Attribute, ast.Subscript,
    ast.Slice, ast.Name, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.IfExp, ast.Starred,
    ast.ListComp, ast.GeneratorExp, ast.JoinedStr, ast.FormattedValue,
)  # fmt: skip
_PARTS = (
    ast.Module, ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
    ast.comprehension, ast.keyword, ast.alias, ast.withitem,
)  # fmt: skip
_ALLOWED = (*_STATEMENTS, *_EXPRESSIONS, *_PARTS)
_WORDS = {
    "FunctionDef": "a function of its own", "AsyncFunctionDef": "a function of its own",
    "Lambda": "a function of its own", "ClassDef": "a class", "Try": "`try`", "TryStar": "`try`",
    "Raise": "`raise`", "Assert": "`assert`", "Global": "`global`", "Nonlocal": "`nonlocal`",
    "Delete": "`del`", "NamedExpr": "`:=`", "Await": "`await`", "Yield": "`yield`",
    "YieldFrom": "`yield`", "Match": "`match`", "Set": "a set", "SetComp": "a set",
    "DictComp": "a dictionary made by a loop", "AnnAssign": "a type", "Return": "`return`",
    "AsyncFor": "`async`", "AsyncWith": "`async`", "TypeAlias": "a type",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodeFinding:
    """A fault of the code, and its place: line and column from 1."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


def faults(code: str) -> tuple[CodeFinding, ...]:
    """Return what keeps the code from being tried, at most `MOST_FAULTS` in the order of the text;
    () when nothing does."""
    size = len(code.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        return (CodeFinding(1, 1, f"the code has {size} bytes; at most {MOST_BYTES} are taken"),)
    if "\0" in code:
        return (CodeFinding(1, 1, "the code holds a NUL character"),)
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return (CodeFinding(error.lineno or 1, max(1, error.offset or 1), f"{error.msg}"),)
    except UnicodeEncodeError:
        return (CodeFinding(1, 1, "the code holds half a character"),)
    except (ValueError, RecursionError, MemoryError):
        return (CodeFinding(1, 1, "the code cannot be read: it is nested too deep"),)
    nodes = sum(1 for _ in ast.walk(tree))
    if nodes > MOST_NODES:
        return (CodeFinding(1, 1, f"the code has {nodes} parts; at most {MOST_NODES} are taken"),)
    if not tree.body:
        return (CodeFinding(1, 1, "there is no code"),)
    findings = sorted(set(_Reader(tree, code).faults()), key=lambda f: (f.line, f.column))
    return tuple(findings[:MOST_FAULTS])


class _Reader:
    """Walks over the tree once, knowing what each name stands for."""

    def __init__(self, tree: ast.Module, code: str) -> None:
        self._tree = tree
        self._lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._modules: dict[str, str] = {}
        self._bound: set[str] = {*GIVEN, *BUILTINS}
        self._refused: set[str] = set()

    def faults(self) -> Iterator[CodeFinding]:
        """Yield all of them."""
        for node in ast.walk(self._tree):
            yield from self._import(node)
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield from self._store(node)
        rest: list[tuple[ast.AST, bool]] = [(self._tree, False)]
        while rest:
            node, is_base = rest.pop()
            if not isinstance(node, _ALLOWED):
                kind = type(node).__name__
                yield self._at(node, f"{_WORDS.get(kind, f'`{kind}`')} is not taken here")
                continue
            yield from self._node(node, is_base)
            base = node.value if isinstance(node, ast.Attribute) else None
            rest += [(child, child is base) for child in ast.iter_child_nodes(node)]

    def _import(self, node: ast.AST) -> Iterator[CodeFinding]:
        """Note the modules and names that an import makes known."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in MODULES:
                    self._refuse(alias)
                    yield self._at(node, f"`{alias.name}` cannot be imported; {_importable()}")
                elif "." in alias.name and not alias.asname:
                    yield self._at(node, f"write `import {alias.name} as …`")
                else:
                    yield from self._makes(node, alias)
                    self._modules[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module not in MODULES:
                for alias in node.names:
                    self._refuse(alias)
                yield self._at(node, f"`{module}` cannot be imported; {_importable()}")
                return
            for alias in node.names:
                yield from self._makes(node, alias)
                if f"{module}.{alias.name}" in MODULES:
                    self._modules[alias.asname or alias.name] = f"{module}.{alias.name}"
                elif alias.name not in MODULES[module]:
                    self._refuse(alias)
                    yield self._at(node, f"`{alias.name}` of {module} is not for generated code")
                else:
                    self._bound.add(alias.asname or alias.name)

    def _refuse(self, alias: ast.alias) -> None:
        """Note names that a refused import would have made known: one fault is enough."""
        name = (alias.asname or alias.name).partition(".")[0]
        self._bound.add(name)
        self._refused.add(name)

    def _makes(self, node: ast.AST, alias: ast.alias) -> Iterator[CodeFinding]:
        name = alias.asname or alias.name
        if name in BUILTINS or name in GIVEN:
            yield self._at(node, f"`{name}` has a meaning already: choose another name")

    def _store(self, node: ast.Name) -> Iterator[CodeFinding]:
        if node.id in BUILTINS or node.id in self._modules or node.id in GIVEN:
            yield self._at(node, f"`{node.id}` has a meaning already: choose another name")
        self._bound.add(node.id)

    def _node(self, node: ast.AST, is_base: bool) -> Iterator[CodeFinding]:
        match node:
            case ast.Name():
                yield from self._name(node, is_base)
            case ast.Attribute():
                yield from self._attribute(node, is_base)
            case ast.Constant(value=value):
                yield from self._constant(node, value)
            case ast.keyword(arg=str(name)) | ast.alias(asname=str(name)) if name.startswith("_"):
                yield self._at(node, f"`{name}` begins with an underscore")
            case ast.For(orelse=[_, *_]) | ast.While(orelse=[_, *_]):
                yield self._at(node, "`else` after a loop is not taken here")
            case _:
                return

    def _name(self, node: ast.Name, is_base: bool) -> Iterator[CodeFinding]:
        if node.id.startswith("_"):
            yield self._at(node, f"`{node.id}` begins with an underscore")
        elif node.id in self._modules:
            if not is_base:
                yield self._at(node, f"the module `{node.id}` is not a value")
        elif node.id not in self._bound:
            yield self._at(node, f"`{node.id}` is not known")

    def _attribute(self, node: ast.Attribute, is_base: bool) -> Iterator[CodeFinding]:
        module = self._module(node.value)
        if node.attr.startswith("_"):
            yield self._at_name(node, f"`{node.attr}` begins with an underscore")
        elif module is not None:
            if f"{module}.{node.attr}" in MODULES:
                if not is_base:
                    yield self._at_name(node, f"the module `{node.attr}` is not a value")
            elif node.attr not in MODULES[module]:
                yield self._at_name(node, f"`{node.attr}` of {module} is not for generated code")
        elif isinstance(node.value, ast.Name) and node.value.id in self._refused:
            return
        elif node.attr not in MEMBERS:
            yield self._at_name(node, f"`.{node.attr}` is not for generated code")

    def _module(self, node: ast.expr) -> str | None:
        """Return the module that an expression names: `np`, `np.fft`."""
        if isinstance(node, ast.Name):
            return self._modules.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{self._modules.get(node.value.id)}.{node.attr}"
            return name if name in MODULES else None
        return None

    def _constant(self, node: ast.AST, value: object) -> Iterator[CodeFinding]:
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LARGEST:
            yield self._at(node, "the number is too large")
        elif not isinstance(value, str | int | float | None) and value is not Ellipsis:
            yield self._at(node, f"a constant of the type {type(value).__name__} is not taken here")

    def _at_name(self, node: ast.Attribute, message: str) -> CodeFinding:
        """Return a fault at the name after the dot."""
        line = node.end_lineno or node.lineno
        column = len(self._until(line, node.end_col_offset or 0)) - len(node.attr)
        return CodeFinding(line, column + 1, message)

    def _at(self, node: ast.AST, message: str) -> CodeFinding:
        line = getattr(node, "lineno", 1)
        return CodeFinding(
            line, len(self._until(line, getattr(node, "col_offset", 0))) + 1, message
        )

    def _until(self, line: int, offset: int) -> str:
        """Return a line up to an offset, which ast counts in bytes."""
        return self._lines[line - 1].encode()[:offset].decode("utf-8", "replace")


def _importable() -> str:
    return f"there are {', '.join(MODULES)}"
