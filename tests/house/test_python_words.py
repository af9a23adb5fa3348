"""What goes wrong is said once, for the command line and for Python."""

from __future__ import annotations

import ast
import re

from flowc.runtime.assembly.wording import in_python

IN_A_SHELL = re.compile(
    r"(?<!\S)`?(--[a-z]|-i [A-Z]|flowc (fork|history|pause|resume|runs?|show)\b)"
)
FOR_COMMANDS = (
    "runtime/cli",
    "runtime/service",
    "runtime/mcp",
    "runtime/stepper",
    "runtime/lsp",
    "runtime/torture",
)


def texts_of(call: ast.Call) -> list[str]:
    """Return the literal parts of a help text, placeholders as `x`."""
    texts = []
    for keyword in call.keywords:
        inner: set[ast.AST] = set()
        for node in ast.walk(keyword.value) if keyword.arg == "help" else ():
            if isinstance(node, ast.JoinedStr):
                inner |= set(node.values)
                parts = [v.value if isinstance(v, ast.Constant) else "x" for v in node.values]
                texts.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and node not in inner:
                texts.append(str(node.value))
    return texts


def test_no_help_of_an_error_that_python_can_get_speaks_of_flags(root, sources, tree):
    texts = {
        text
        for file in sources
        if (path := str(file.relative_to(root))).startswith("runtime/")
        and not path.startswith(FOR_COMMANDS)
        for call in ast.walk(tree(file))
        if isinstance(call, ast.Call)
        for text in texts_of(call)
    }
    assert len(texts) > 150
    assert {text for text in map(in_python, texts) if IN_A_SHELL.search(text)} == set()
