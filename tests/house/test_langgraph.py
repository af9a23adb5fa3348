"""What is LangGraph's own stands in one package: its private modules, its keys, its tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = "runtime/checkpoints"
PUBLIC = re.compile(
    r"langgraph\.(?:channels|constants|errors|graph|graph\.(?:message|state)|runtime|types|warnings"
    r"|(?:checkpoint|store)\.(?:base|memory))"
)
"""Modules whose names without an underscore are documented."""
OWN = re.compile(
    r"__pregel_|__interrupt__|__start__|branch:to:|\bjoin:\{|langgraph_step|checkpoint_ns"
    r"|checkpoint_(?:blobs|writes|migrations)|\b(?:from|into|update) checkpoints\b"
    r"|channel_(?:values|versions)|versions_seen|counters_since_delta"
)
"""Keys, channels, columns and tables that LangGraph names."""
ATTRIBUTES = {"checkpoint_ns", "pending_writes", "replay_writes", "from_checkpoint"}


def _own(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what a module names of LangGraph's own, with its line."""
    texts = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        match node:
            case ast.ImportFrom(module=str(name), names=names, level=0) if name[:9] == "langgraph":
                private = any(alias.name.startswith("_") for alias in names)
                if private or not PUBLIC.fullmatch(name):
                    yield node.lineno, name
            case ast.Import(names=names):
                yield from ((node.lineno, a.name) for a in names if a.name[:9] == "langgraph")
            case ast.Attribute(attr=name) if name in ATTRIBUTES:
                yield node.lineno, name
            case ast.Constant(value=str(text)) if id(node) not in texts and OWN.search(text):
                yield node.lineno, text


def test_only_one_package_knows_langgraph_s_own(root, sources, tree):
    found = [
        f"{file.relative_to(root)}:{line}: {what}"
        for file in sources
        if HOME not in str(file.relative_to(root)) and "_langgraph" not in file.parts
        for line, what in _own(tree(file))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("from langgraph.pregel import Pregel", 1),
        ("from langgraph._internal._typing import MISSING", 1),
        ("from langgraph.graph import StateGraph", 0),
        ('config["configurable"]["checkpoint_ns"]', 1),
        ("item.pending_writes", 1),
        ('"""It reads `checkpoint_ns`."""', 0),
    ],
)
def test_what_is_langgraph_s_own(text: str, number: int) -> None:
    assert len(list(_own(ast.parse(text)))) == number


def test_the_package_is_small(root: Path, sources: tuple[Path, ...]) -> None:
    """It holds facts about LangGraph, and the savers that rest on them."""
    files = [f for f in sources if HOME in str(f.relative_to(root))]
    assert sum(len(f.read_text().splitlines()) for f in files) <= 3_105
