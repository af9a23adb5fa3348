"""Names of variables where a file writes them: one that no expression can read is a slip.

into: reply,          a comma of another language
into: "{{ reply }}"   a placeholder in the place of a name
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....diagnostics.diagnostic import Fix, Sink
from ....expr.ast import Name
from ....expr.parse import parse
from ....reading.tree import ListAt, MapAt, Scalar, Value, brief

_WORD = re.compile(r"[^\W\d]\w*(?:[ -]\w+)*")
_VARIABLES = frozenset(("into", "reply_into", "keeps"))
_NAMES = frozenset(("assign", "set"))
_WORDS_OF_EXPRESSIONS = ("true", "false", "null", "not")


def check_written_names(workflow: MapAt, sink: Sink) -> None:
    """Report FC1005 for parameters and variables whose names are not names."""
    for name in _targets(workflow):
        text = name.text
        if text.isascii() and text.isidentifier() and text not in _WORDS_OF_EXPRESSIONS:
            continue
        if text.startswith("__") or isinstance(parse(text, "", 0), Name):
            continue
        found = _WORD.search(text)
        meant = re.sub("[ -]", "_", found[0]) if found else ""
        if meant and not isinstance(parse(meant, "", 0), Name):
            meant = ""
        sink.report(
            "FC1005",
            f"`{brief(text)}` is not a name of a variable: no expression could read it",
            name.span,
            severity="warning",
            help=f"write `{meant}`" if meant else "a name is made of letters, digits and `_`",
            fix=Fix(f"write `{meant}`", name.span, meant) if meant else None,
        )


def _targets(workflow: MapAt) -> Iterator[Scalar]:
    for section in ("params", "state"):
        yield from _keys(workflow.get(section))
    nodes = workflow.get("nodes")
    for node in nodes.items if isinstance(nodes, ListAt) else ():
        for key, value in node.pairs if isinstance(node, MapAt) else ():
            name = key.text
            if name in _NAMES:
                for item in value.items if isinstance(value, ListAt) else [value]:
                    yield from _keys(item)
            elif name in _VARIABLES and isinstance(value, Scalar) and not value.is_null:
                yield value


def _keys(value: Value | None) -> Iterator[Scalar]:
    yield from (key for key, _ in value.pairs) if isinstance(value, MapAt) else ()
