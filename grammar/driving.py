"""Drive the table that Lark made of a grammar, token by token.

What Lark's interactive parser does, without its cost: there every reduction looks its rule up by
value, which compares whole rules, and names are tokens, which compare in Python. A token is
anything with a `type`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from lark import Lark
from lark.parsers.lalr_analysis import Shift


class _Reduction(NamedTuple):
    size: int
    rule: str
    build: Callable[[list[Any]], Any]


class Driver:
    """One text while it is parsed; `states` and `values` are the parser's stacks."""

    def __init__(self, parser: Lark) -> None:
        self._actions, self._gotos, start, self._end = _tables(parser)
        self.states: list[int] = [start]
        self.values: list[Any] = []

    def feed(self, token: Any) -> bool:
        """Take a token and return True; return False when it does not fit here."""
        states, values, actions, kind = self.states, self.values, self._actions, token.type
        while True:
            action = actions[states[-1]].get(kind)
            if action is None:
                return False
            if type(action) is int:
                states.append(action)
                values.append(token)
                return True
            self._reduce(action)

    def finish(self) -> Any:
        """Return what was built of the whole text, which has to be complete."""
        while self.states[-1] != self._end:
            self._reduce(self._actions[self.states[-1]]["$END"])
        return self.values[-1]

    def pop(self) -> None:
        """Take back the token that was read last."""
        self.states.pop()
        self.values.pop()

    def _reduce(self, action: Any) -> None:
        size, rule, build = action
        states, values = self.states, self.values
        parts = values[-size:]  # no rule of ours is empty
        del states[-size:], values[-size:]
        states.append(self._gotos[states[-1]][rule])
        values.append(build(parts))


Actions = list[dict[str, int | _Reduction]]
Gotos = list[dict[str, int]]


@functools.cache
def _tables(parser: Lark) -> tuple[Actions, Gotos, int, int]:
    """Return for each state what each token does there and where each finished rule leads, and the
    first and the last state."""
    conf: Any = parser.parse_interactive().parser_state.parse_conf
    actions: Actions = [{} for _ in conf.states]
    gotos: Gotos = [{} for _ in conf.states]
    for state, row in conf.states.items():
        for name, (action, argument) in row.items():
            if action is Shift:
                actions[state][str(name)] = gotos[state][str(name)] = argument
            else:
                rule, build = str(argument.origin.name), conf.callbacks[argument]
                actions[state][str(name)] = _Reduction(len(argument.expansion), rule, build)
    return actions, gotos, conf.start_state, conf.end_state
