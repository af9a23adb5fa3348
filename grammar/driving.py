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
Match = Callable[[str, int], "re.Match[str] | None"]


class _Reduction(NamedTuple):
    """A rule that ends here; `build` is None where its one part stands for it."""

    size: int
    rule: str
    build: Build | None


class Driver:
    """One text while it is parsed; `states` and `values` are the parser's stacks."""

    def __init__(self, parser: Lark) -> None:
        self._tables = _tables(parser)
        self.states: list[int] = [self._tables.first]
        self.values: list[Any] = []

    def feed(self, token: Any) -> bool:
        """Take a token and return True; return False when it does not fit here."""
        fits = _advance(self._tables, self.states, self.values, token.type)
        if fits:
            self.values.append(token)
        return fits

    def finish(self) -> Any:
        """Return what was built of the whole text; None of one that is not complete."""
        whole = _advance(self._tables, self.states, self.values, "$END")
        return self.values[-1] if whole else None

    def pop(self) -> None:
        """Take back the token that was read last."""
        self.states.pop()
        self.values.pop()


def _advance(tables: _Tables, states: list[int], values: list[Any], kind: str) -> bool:
    """Build what is whole until a token of this kind fits, and go to the state behind it. Return
    False when it does not fit."""
    actions, gotos, _, climbed, _ = tables
    while True:
        top = states[-1]
        action = actions[top].get(kind)
        if isinstance(action, int):
            states.append(action)
            return True
        if action is None:
            return False
        size, rule, build = action
        if build is None:
            below = states[-2]
            states[-1] = climbed.get((below, top, kind)) or _climb(tables, below, top, kind)
        else:
            begin = len(values) - size  # a rule may be empty
            parts = values[begin:]
            del values[begin:], states[len(states) - size :]
            states.append(gotos[states[-1]][rule])
            values.append(build(parts))


def _climb(tables: _Tables, below: int, top: int, kind: str) -> int:
    """Return the state that rules of one part lead to: an operand is one of every precedence in
    turn."""
    found = top
    while found != tables.last and type(action := tables.actions[found].get(kind)) is _Reduction:
        if action.build is not None:
            break
        found = tables.gotos[below][action.rule]
    tables.climbed[below, top, kind] = found
    return found


def drive_tokens(parser: Lark, tokens: Iterable[Token]) -> object:
    """Return what a parser builds of tokens; every sequence of them has to be a sentence."""
    tables = _tables(parser)
    states, values = [tables.first], list[Any]()
    for token in tokens:
        fits = _advance(tables, states, values, token.type)
        assert fits, token
        values.append(token)
    return values[-1] if _advance(tables, states, values, "$END") else None


class Sign(NamedTuple):
    """A token of a text that is driven, with its place: cheaper to make than one of Lark's."""

    type: str
    text: str
    file: str
    start: int
    end: int


def drive(parser: Lark, text: str, file: str, offset: int) -> object:
    """Return what a parser with a contextual lexer builds of a text, which stands at `offset`
    of `file`; None for one that does not parse, of which Lark's own `parse` says why."""
    patterns, ignored = _patterns(parser)
    tables = _tables(parser)
    states, position, end = [tables.first], 0, len(text)
    values: list[Any] = []
    while position < end:
        if text[position] == " " and ignored:
            position += 1
            continue
        match = patterns[states[-1]](text, position)
        if match is None:
            return None
        start, position, kind = position, match.end(), match.lastgroup
        assert kind is not None, "every token has a name"
        if kind in ignored:
            continue
        if not _advance(tables, states, values, kind):
            return None
        values.append(Sign(kind, match[0], file, offset + start, offset + position))
    return values[-1] if _advance(tables, states, values, "$END") else None


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


class _Tables(NamedTuple):
    """For each state what each token does there and where each finished rule leads, the last and
    the first state, and what `_climb` has found."""

    actions: list[dict[str, int | _Reduction]]
    gotos: list[dict[str, int]]
    last: int
    climbed: dict[tuple[int, int, str], int]
    first: int


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
    return _Tables(actions, gotos, conf.end_state, {}, conf.start_state)


def _reduction(rule: Rule, build: Build) -> _Reduction:
    size = len(rule.expansion)
    stands_for_it = size == 1 and isinstance(build, ExpandSingleChild)
    return _Reduction(size, str(rule.origin.name), None if stands_for_it else build)
