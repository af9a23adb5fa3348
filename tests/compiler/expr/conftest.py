"""What the tests of expressions share: reading and evaluating a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flowc.compiler.expr.ast import Expr
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.expr.parse import ParseFault, parse


@pytest.fixture(scope="session")
def read() -> Callable[[str], Expr]:
    """The tree of a text that must parse."""

    def reader(text: str) -> Expr:
        expr = parse(text, "a.md", 0)
        assert not isinstance(expr, ParseFault), expr
        return expr

    return reader


@pytest.fixture(scope="session")
def value(read: Callable[[str], Expr]) -> Callable[..., Any]:
    """`value("a + 1", a=2)` is 3."""
    return lambda text, **variables: evaluate(read(text), variables)
