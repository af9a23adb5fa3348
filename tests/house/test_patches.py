"""Tests hand the product other clocks, sizes and services; they never patch its modules."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest


def patches(tree: ast.Module) -> list[int]:
    """Return the lines that patch anything but an import from outside of flowc, such as `os`."""
    imports: dict[str, str] = {}
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imports |= {alias.asname or alias.name: node.module or "" for alias in node.names}
        elif isinstance(node, ast.Import):
            imports |= {a.asname or a.name.partition(".")[0]: a.name for a in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr != "setattr":
                continue
            target = node.args[0]
            where = imports.get(target.id, "flowc") if isinstance(target, ast.Name) else "flowc"
            if where.partition(".")[0] in ("flowc", ""):
                lines.append(node.lineno)
    return lines


def mocks(tree: ast.Module) -> bool:
    """Return whether a file imports `unittest.mock`."""
    return any(
        (isinstance(node, ast.ImportFrom) and "mock" in f"{node.module} {node.names[0].name}")
        or (isinstance(node, ast.Import) and any("mock" in alias.name for alias in node.names))
        for node in ast.walk(tree)
    )


def test_no_module_of_the_product_is_patched(root: Path) -> None:
    found = {}
    corpus = root / "tests/corpus"
    for file in sorted((root / "tests").rglob("*.py")):
        if corpus in file.parents and file.parent != corpus:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        assert not mocks(tree), file
        if lines := patches(tree):
            found[file.relative_to(root).as_posix()] = lines
    assert found == {}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("import os\nmonkeypatch.setattr(os, 'write', f)", []),
        ("from langgraph.graph import StateGraph\nmonkeypatch.setattr(StateGraph, 'x', f)", []),
        ("from flowc.runtime import context\nmonkeypatch.setattr(context, 'x', f)", [2]),
        ("from flowc.runtime import context\nmonkeypatch.setattr(context.time, 'x', f)", [2]),
        ("import flowc.runtime as r\nself.monkeypatch.setattr(r, 'x', f)", [2]),
        ("monkeypatch.setattr('flowc.runtime.context.x', f)", [1]),
        ("monkeypatch.setattr(owner, name, f)", [1]),
        ("setattr(world, name, f)", []),
    ],
)
def test_what_counts_as_a_patch(code: str, lines: list[int]) -> None:
    assert patches(ast.parse(code)) == lines
