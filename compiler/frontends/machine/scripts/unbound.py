"""Names in a JavaScript that it reads and that nothing in it binds: each ends the run where it is
read.

A name counts as bound wherever the script binds it at all, and where it is only asked for its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .javascript_functions import parse_javascript

if TYPE_CHECKING:
    from tree_sitter import Node

_READS = ("identifier", "shorthand_property_identifier")
_BINDS = "shorthand_property_identifier_pattern"
_BINDING_PARENTS = frozenset({
    "formal_parameters", "rest_pattern", "array_pattern", "object_pattern", "pair_pattern",
    "assignment_pattern", "object_assignment_pattern", "function_declaration",
    "function_expression", "generator_function", "generator_function_declaration", "class",
    "class_declaration", "import_specifier", "import_clause", "namespace_import",
})  # fmt: skip
_BINDING_FIELDS = frozenset({
    ("variable_declarator", "name"), ("arrow_function", "parameter"),
    ("catch_clause", "parameter"), ("for_in_statement", "left"),
    ("assignment_expression", "left"),
})  # fmt: skip


def unbound_names(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each name that is read and never bound, with its place in characters; nothing for a
    script that does not parse."""
    root = parse_javascript(text)
    if root.has_error:
        return
    bound, read = set[str](), list[tuple[str, int]]()
    for node, parent, field in _names(root):
        name = (node.text or b"").decode("utf-8", "replace")
        binds = node.type == _BINDS or parent in _BINDING_PARENTS
        if binds or (parent, field) in _BINDING_FIELDS or parent == "typeof":
            bound.add(name)
        else:
            read.append((name, node.start_byte))
    encoded, at, last = text.encode("utf-8", "replace"), 0, 0
    for name, start in read:
        at, last = at + len(encoded[last:start].decode("utf-8", "replace")), start
        if name not in bound:
            yield name, at, at + len(name)


def _names(root: Node) -> Iterator[tuple[Node, str, str]]:
    """Yield the names in their order, with the type of what each stands in and its field there."""
    cursor, above = root.walk(), [""]
    while True:
        node = cursor.node
        if node is not None and node.type in (*_READS, _BINDS):
            yield node, above[-1], cursor.field_name or ""
        kind = node.type if node is not None else ""
        if kind == "unary_expression" and node is not None and node.children[0].type == "typeof":
            kind = "typeof"
        if cursor.goto_first_child():
            above.append(kind)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            above.pop()
