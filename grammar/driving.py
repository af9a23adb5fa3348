"""Drive the table that Lark made of a grammar, token by token.

What Lark's interactive parser does, without its cost: there every reduction looks its rule up by
value, which compares whole rules, and names are tokens, which compare in Python. A token is
anything with a `type`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from lark import Lark, Token
from lark.grammar import Rule
from lark.parse_tree_builder import ExpandSingleChild
from lark.parsers.lalr_analysis import Shift

Build = Callable[[list[Any]], Any]
Reduce = Callable[[list[Any]], None]
Match = Callable[[str, int], "re.Match[str] | None"]


class _Reduction(NamedTuple):
    """A rule that ends here: of how many parts, its name, and what puts its value in their place;
    None where its one part stands for it."""

    size: int
    rule: str
    reduce: Reduce | None


class _Step(NamedTuple):
    """What a token does: the rules that it finishes, and the stack on which it then lies."""

    reduces: tuple[Reduce, ...]
    stack: _Stack


class _Stack:
    """The states of a parser, one upon another: they alone decide what a token does, so each stack
    is made once, and so is each of its steps. Texts differ in their words much more than in their
    shapes."""

    __slots__ = ("above", "below", "state", "steps", "tables")

    def __init__(self, state: int, below: _Stack | None, tables: _Tables, kept: bool) -> None:
        self.state = state
        self.below = below
        self.tables = tables
        self.above: dict[int, _Stack] | None = {} if kept else None
        self.steps: dict[str, _Step] = {} if kept else _NO_STEPS

    def find(self, kind: str) -> _Step | None:
        """Return what a token of this kind does; None for one that does not fit."""
        step = self.steps.get(kind)
        if step is not None:
            return step
        tables, stack = self.tables, self
        reduces: list[Reduce] = []
        while not isinstance(action := tables.actions[stack.state].get(kind), int):
            if action is None:
                return None
            size, rule, reduce = action
            for _ in range(size):  # a rule may be empty
                assert stack.below is not None
                stack = stack.below
            stack = stack.push(tables.gotos[stack.state][rule])
            if reduce is not None:
                reduces.append(reduce)
        step = _Step(tuple(reduces), stack.push(action))
        if self.above is not None and step.stack.above is not None:
            self.steps[kind] = step
        return step

    def push(self, state: int) -> _Stack:
        """Return the stack with one more state."""
        known = self.above
        found = None if known is None else known.get(state)
        if found is None:
            kept = known is not None and self.tables.kept < _MOST_KEPT
            found = _Stack(state, self, self.tables, kept)
            if known is not None and kept:
                self.tables.kept += 1
                known[state] = found
        return found


_NO_STEPS: dict[str, _Step] = {}
_MOST_KEPT = 10_000
"""Stacks of a parser that are kept. Documents of a thousand steps need a hundred; a text can be
nested so that each of its stacks is new, and those above this number go with it."""


class Driver:
    """One text while it is parsed."""

    def __init__(self, parser: Lark) -> None:
        self._stack = _tables(parser).first
        self._values: list[Any] = []

    def feed(self, token: Any) -> bool:
        """Take a token and return True; return False when it does not fit here."""
        step = self._stack.find(token.type)
        if step is None:
            return False
        for reduce in step.reduces:
            reduce(self._values)
        self._values.append(token)
        self._stack = step.stack
        return True

    def finish(self) -> Any:
        """Return what was built of the whole text; None of one that is not complete."""
        return _finish(self._stack, self._values)

    def pop(self) -> None:
        """Take back the token that was read last."""
        assert self._stack.below is not None
        self._stack = self._stack.below
        self._values.pop()


def _finish(stack: _Stack, values: list[Any]) -> Any:
    end = stack.find("$END")
    if end is None:
        return None
    for reduce in end.reduces:
        reduce(values)
    return values[-1]


def drive_tokens(parser: Lark, tokens: Iterable[Token]) -> object:
    """Return what a parser builds of tokens; every sequence of them has to be a sentence."""
    stack, values = _tables(parser).first, list[Any]()
    for token in tokens:
        kind = token.type
        step = stack.steps.get(kind) or stack.find(kind)
        assert step is not None, token
        reduces, stack = step
        for reduce in reduces:
            reduce(values)
        values.append(token)
    return _finish(stack, values)


class Sign(NamedTuple):
    """A token of a text that is driven, with its place: cheaper to make than one of Lark's."""

    type: str
    text: str
    file: str
    start: int
    end: int


_new = tuple.__new__  # `Sign(…)` goes through a `__new__` in Python


def drive(parser: Lark, text: str, file: str, offset: int) -> object:
    """Return what a parser with a contextual lexer builds of a text, which stands at `offset`
    of `file`; None for one that does not parse, of which Lark's own `parse` says why."""
    patterns, ignored = _patterns(parser)
    stack, position, end = _tables(parser).first, 0, len(text)
    values: list[Any] = []
    while position < end:
        if text[position] == " " and ignored:
            position += 1
            continue
        match = patterns[stack.state](text, position)
        if match is None:
            return None
        start, position, kind = position, match.end(), match.lastgroup
        assert kind is not None, "every token has a name"
        if kind in ignored:
            continue
        step = stack.steps.get(kind) or stack.find(kind)
        if step is None:
            return None
        reduces, stack = step
        for reduce in reduces:
            reduce(values)
        values.append(_new(Sign, (kind, match[0], file, offset + start, offset + position)))
    return _finish(stack, values)


@functools.cache
def _patterns(parser: Lark) -> tuple[list[Match], frozenset[str]]:
    """Return for each state the match of the tokens that Lark's contextual lexer takes there, and
    the kinds that it passes over."""
    lexer = parser.parser.lexer
    found = [lexer.lexers[state].scanner for state in range(len(lexer.lexers))]
    assert not any(lexer.lexers[state].callback for state in range(len(found)))
    for scanner in found:
        assert len(scanner._mres) == 1, "one pattern has them all"
    return [scanner._mres[0].match for scanner in found], lexer.root_lexer.ignore_types


class _Tables:
    """For each state what each token does there and where each finished rule leads; the stack on
    which a text begins, and how many stacks are kept."""

    def __init__(
        self, actions: list[dict[str, int | _Reduction]], gotos: list[dict[str, int]], first: int
    ) -> None:
        self.actions = actions
        self.gotos = gotos
        self.first = _Stack(first, None, self, True)
        self.kept = 1


@functools.cache
def _tables(parser: Lark) -> _Tables:
    conf: Any = parser.parse_interactive().parser_state.parse_conf
    actions: list[dict[str, int | _Reduction]] = [{} for _ in conf.states]
    gotos: list[dict[str, int]] = [{} for _ in conf.states]
    for state, row in conf.states.items():
        for name, (action, argument) in row.items():
            if action is Shift:
                actions[state][str(name)] = gotos[state][str(name)] = argument
            else:
                actions[state][str(name)] = _reduction(argument, conf.callbacks[argument])
    actions[conf.end_state]["$END"] = conf.end_state  # the text is whole
    return _Tables(actions, gotos, conf.start_state)


def _reduction(rule: Rule, build: Build) -> _Reduction:
    size = len(rule.expansion)
    stands_for_it = size == 1 and isinstance(build, ExpandSingleChild)
    return _Reduction(size, str(rule.origin.name), None if stands_for_it else _reduce(rule, build))


def _reduce(rule: Rule, build: Build) -> Reduce:
    size = len(rule.expansion)
    if _repeats(rule):

        def reduce(values: list[Any]) -> None:
            part = values.pop()
            values[-1].children.append(part)
    elif size == 1:

        def reduce(values: list[Any]) -> None:
            values[-1] = build([values[-1]])
    else:

        def reduce(values: list[Any]) -> None:
            begin = len(values) - size  # a rule may be empty
            parts = values[begin:]
            del values[begin:]
            values.append(build(parts))

    return reduce


def _repeats(rule: Rule) -> bool:
    """Return whether a rule puts one more part behind the parts of a repetition: for each of them
    Lark makes a tree, which the rule around it takes apart again."""
    if len(rule.expansion) != 2 or rule.expansion[0] != rule.origin:
        return False
    part = rule.expansion[1]
    is_left_out = part.name.startswith("_") or getattr(part, "filter_out", False)
    return rule.origin.name.startswith("__") and not is_left_out
