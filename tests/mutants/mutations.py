"""Every small change that could be made to a module: the operators of mutmut, and two of ours.

Example: `if left is not None and right:` becomes `if left is None and right:`,
`if left is not None or right:` and `if not (left is not None and right):`.

Left alone are texts (the goldens of the corpus hold the words of every message), annotations,
decorators and assertions, and the operators that put None for a value: nearly all of those die of a
TypeError, whatever the tests say.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import libcst as cst
import yaml
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

MUTANT_WORDS = ("file", "function", "change", "because")
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change to one file; `first` to `last` are the lines of the outermost function whose body
    it changes, both 0 where it changes something else."""

    file: str
    function: str
    line: int
    first: int
    last: int
    code: Code = field(repr=False)
    before: cst.CSTNode = field(repr=False)
    after: cst.CSTNode = field(repr=False)

    @property
    def text(self) -> str:
        """The whole module with the change."""
        return self.code.module.deep_replace(self.before, self.after).code  # type: ignore[attr-defined]

    @property
    def change(self) -> str:
        """The lines that differ: `old -> new`."""
        lines = difflib.ndiff(self.code.text.splitlines(), self.text.splitlines())
        sides: dict[str, list[str]] = {"-": [], "+": []}
        for line in lines:
            if line[0] in sides:
                sides[line[0]].append(" ".join(line[1:].split()))
        return " -> ".join(" ".join(side) for side in sides.values()).strip()


@dataclass(frozen=True, eq=False)
class Code:
    """A file, read."""

    file: str
    text: str
    module: cst.Module = field(repr=False)


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """All mutants of a file below the root."""
    text = (root / file).read_text(encoding="utf-8")
    wrapper = MetadataWrapper(cst.parse_module(text))
    visitor = _Visitor(Code(file, text, wrapper.module))
    wrapper.visit(visitor)
    return visitor.mutants


def sample(pool: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many mutants of as many lines, in the order of files: no line is drawn twice."""
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in pool:
        lines.setdefault((mutant.file, mutant.line), []).append(mutant)
    dice = random.Random(seed)
    chosen = dice.sample(sorted(lines), min(count, len(lines)))
    return [dice.choice(lines[place]) for place in sorted(chosen)]


def negated_condition(node: cst.If | cst.While | cst.CompIf) -> Iterator[cst.CSTNode]:
    """`if x:` becomes `if not (x):`."""
    inner = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    yield node.with_changes(test=cst.UnaryOperation(cst.Not(), inner))


def dropped_statement(node: cst.SimpleStatementLine) -> Iterator[cst.CSTNode]:
    """`call(x)` becomes `pass`: what a statement does for its effect alone. `assert_never` does
    nothing, where the type checker is content."""
    match node.body:
        case [cst.Expr(value=cst.Call(func=cst.Name(value="assert_never")))]:
            return
        case [cst.Expr(value=cst.Call() | cst.Await())]:
            yield node.with_changes(body=[cst.Pass()])


_NOT_TAKEN = (
    mutators.operator_string,
    mutators.operator_assignment,
    mutators.operator_arg_removal,
    mutators.operator_lambda,
)
_OPERATORS: tuple[tuple[Any, Any], ...] = (
    *(row for row in mutators.mutation_operators if row[1] not in _NOT_TAKEN),
    (cst.If | cst.While | cst.CompIf, negated_condition),
    (cst.SimpleStatementLine, dropped_statement),
)
_LEFT_ALONE = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.Assert)


class _Visitor(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, code: Code) -> None:
        super().__init__()
        self.mutants: list[Mutant] = []
        self._code = code
        self._scopes: list[cst.FunctionDef | cst.ClassDef] = []
        self._parameters = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _LEFT_ALONE) or _is_for_type_checkers(node):
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self._scopes.append(node)
        self._parameters += isinstance(node, cst.Parameters)
        for kind, operator in _OPERATORS:
            if isinstance(node, kind):
                self.mutants += [self._mutant(node, after) for after in operator(node)]
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._parameters -= isinstance(original_node, cst.Parameters)
        if self._scopes and self._scopes[-1] is original_node:
            self._scopes.pop()

    def _mutant(self, before: cst.CSTNode, after: cst.CSTNode) -> Mutant:
        line = self.get_metadata(PositionProvider, before).start.line
        names = ".".join(scope.name.value for scope in self._scopes)
        outermost = next((s for s in self._scopes if isinstance(s, cst.FunctionDef)), None)
        first = last = 0
        if outermost is not None and not self._parameters:
            span = self.get_metadata(PositionProvider, outermost)
            first, last = span.start.line - len(outermost.decorators), span.end.line
        return Mutant(self._code.file, names, line, first, last, self._code, before, after)


def _is_for_type_checkers(node: cst.CSTNode) -> bool:
    match node:
        case cst.If(test=cst.Name(value="TYPE_CHECKING")):
            return True
    return False


@dataclass(frozen=True)
class Equivalent:
    """A change that no test can notice, with the reason why not."""

    file: str
    function: str
    change: str
    because: str

    def covers(self, mutant: Mutant) -> bool:
        """Whether the mutant is this one, on whichever line it stands today."""
        place = (self.file, self.function)
        return place == (mutant.file, mutant.function) and self.change == mutant.change


def equivalents() -> list[Equivalent]:
    """The committed list of the mutants that do what the original does."""
    rows = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8")) or []
    return [Equivalent(**{word: row[word] for word in MUTANT_WORDS}) for row in rows]


def stale(listed: Iterable[Equivalent], pool: list[Mutant]) -> Iterator[Equivalent]:
    """What is on the list and cannot be made of the code any more."""
    files = {mutant.file for mutant in pool}
    for row in listed:
        if row.file in files and not any(row.covers(mutant) for mutant in pool):
            yield row
