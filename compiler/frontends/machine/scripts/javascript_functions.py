"""The functions of a JavaScript handler, and the texts that they return, from its syntax tree."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from .functions import Returned, ScriptFunction, ScriptFunctions

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_DEFINITIONS = frozenset({"function_declaration", "generator_function_declaration"})
_VALUES = frozenset({"function_expression", "generator_function", "arrow_function"})
_FUNCTIONS = _DEFINITIONS | _VALUES | {"method_definition"}
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_MAYBE_A_FUNCTION = re.compile(r"[^\W\d]|\$")
_DEEPEST = 200
"""Blocks in blocks that are looked into; below, a block is taken for one that may not return."""


def javascript_functions(text: str) -> ScriptFunctions:
    """Return the functions of the default export, an object, or else the exported functions."""
    return _Reader(text).functions(parse_javascript(text))


def parse_javascript(text: str) -> Node:
    """Return the root of a script's syntax tree; it counts in bytes of UTF-8."""
    return _parser().parse(text.encode("utf-8", "replace")).root_node


@functools.cache
def _parser() -> Parser:
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_javascript.language()))


def _offsets(text: str) -> Callable[[int], int]:
    """Return what gives the character at a byte: the tree counts bytes, a place characters."""
    if text.isascii():
        return lambda byte: byte
    sizes = (len(sign.encode("utf-8", "replace")) for sign in text)
    at = {byte: n for n, byte in enumerate(accumulate(sizes, initial=0))}
    return at.__getitem__


class _Reader:
    """Reads the tree of one script."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = _offsets(text)

    def span(self, node: Node) -> tuple[int, int]:
        return self.offset(node.start_byte), self.offset(node.end_byte)

    def source(self, node: Node) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def functions(self, root: Node) -> ScriptFunctions:
        exports = [node for node in root.children if node.type == "export_statement"]
        for node in exports:
            if any(part.type == "default" for part in node.children):
                return self.default(root, node.child_by_field_name("value"))
        by_name: dict[str, ScriptFunction] = {}
        for node in exports:
            declaration = node.child_by_field_name("declaration")
            if declaration is None or declaration.type not in _DEFINITIONS | _DECLARATIONS:
                return ScriptFunctions(by_name, is_complete=False)
            for name, value in self.declarations(declaration):
                one = self.value(name, value)
                by_name[one.name if one else self.source(name)] = one or self.unknown(name)
        return ScriptFunctions(by_name, is_complete=True)

    def default(self, root: Node, value: Node | None) -> ScriptFunctions:
        """Return what `export default` gives: an object, or the name of one."""
        if value is not None and value.type == "identifier":
            wanted = self.source(value)
            pairs = (d for node in root.children for d in self.declarations(node))
            value = next((v for name, v in pairs if self.source(name) == wanted), None)
        if value is None or value.type != "object":
            return ScriptFunctions({}, is_complete=False)
        return self.members(value)

    def declarations(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """Yield the names that a statement declares, with their values."""
        if node.type in _DEFINITIONS and (name := node.child_by_field_name("name")):
            yield name, node
        for part in node.named_children if node.type in _DECLARATIONS else ():
            name, value = part.child_by_field_name("name"), part.child_by_field_name("value")
            if name is not None and value is not None:
                yield name, value

    def members(self, literal: Node) -> ScriptFunctions:
        """Return the methods of an object literal."""
        by_name: dict[str, ScriptFunction] = {}
        complete = True
        for part in literal.named_children:
            name, one = part.child_by_field_name("name") or part.child_by_field_name("key"), None
            if part.type == "shorthand_property_identifier":
                one = self.unknown(part)
            elif part.type == "spread_element" or (name and name.type == "computed_property_name"):
                complete = False
            elif name is not None and part.type == "method_definition":
                accessor = any(child.type in ("get", "set") for child in part.children)
                one = None if accessor else self.function(name, part)
            elif name is not None and (value := part.child_by_field_name("value")):
                one = self.value(name, value)
            if one is not None:
                by_name[one.name] = one
        return ScriptFunctions(by_name, complete)

    def value(self, name: Node, value: Node) -> ScriptFunction | None:
        """Return a function, or a value that may be one, or None."""
        if value.type in _FUNCTIONS:
            return self.function(name, value)
        may_be = _MAYBE_A_FUNCTION.match(self.source(value))
        return self.unknown(name) if may_be else None

    def unknown(self, name: Node) -> ScriptFunction:
        """Return a function of which only the name is known."""
        text = self.source(name)
        return ScriptFunction(text[1:-1] if name.type == "string" else text, self.span(name)[0])

    def function(self, name: Node, node: Node) -> ScriptFunction:
        body = node.child_by_field_name("body")
        known = self.unknown(name)
        if body is None:
            return known
        if body.type != "statement_block":
            texts = self.texts(body)
            return ScriptFunction(known.name, known.start, tuple(texts or ()), texts is not None)
        returns: list[Returned] = []
        exact = True
        for statement in _own_returns(body):
            texts = self.returned_texts(statement)
            exact = exact and texts is not None
            returns.extend(texts or ())
        if not _always_returns(body):
            returns.append(Returned(None, *self.span(name)))
        return ScriptFunction(known.name, known.start, tuple(returns), exact)

    def returned_texts(self, statement: Node) -> list[Returned] | None:
        values = [part for part in statement.named_children if part.type != "comment"]
        if values:
            return self.texts(values[0])
        start = self.offset(statement.start_byte)
        return [Returned(None, start, start + len("return"))]

    def texts(self, value: Node) -> list[Returned] | None:
        """Return the texts that an expression can be; None when it may be anything."""
        returns: list[Returned] = []
        left = [value]
        while left:
            node = left.pop()
            parts = [part for part in node.named_children if part.type != "comment"]
            if node.type == "parenthesized_expression" and len(parts) == 1:
                left += parts
            elif node.type == "ternary_expression" and len(parts) == 3:
                left += [parts[2], parts[1]]
            elif node.type in ("null", "undefined"):
                returns.append(Returned(None, *self.span(node)))
            elif node.type in ("string", "template_string") and _is_plain(parts):
                returns.append(Returned(self.source(node)[1:-1], *self.span(node)))
            else:
                return None
        return returns


def _is_plain(parts: list[Node]) -> bool:
    """Return whether a text holds no escapes and nothing that is computed."""
    return all(part.type == "string_fragment" for part in parts)


def _own_returns(body: Node) -> Iterator[Node]:
    """Yield the `return`s of a block that do not belong to an inner function, in their order."""
    left = [body]
    while left:
        node = left.pop()
        if node.type == "return_statement":
            yield node
        elif node.type not in _FUNCTIONS:
            left += reversed(node.named_children)


def _always_returns(node: Node | None, depth: int = 0) -> bool:
    """Return whether a statement never comes to its end: it returns or throws, or all of its
    branches do."""
    if node is None or depth > _DEEPEST:
        return False
    match node.type:
        case "return_statement" | "throw_statement":
            return True
        case "statement_block" | "else_clause":
            return any(_always_returns(part, depth + 1) for part in node.named_children)
        case "if_statement":
            branches = (node.child_by_field_name(name) for name in ("consequence", "alternative"))
            return all(_always_returns(branch, depth + 1) for branch in branches)
        case "try_statement":
            handler = node.child_by_field_name("handler")
            caught = handler.child_by_field_name("body") if handler else None
            tried = _always_returns(node.child_by_field_name("body"), depth + 1)
            return tried and (handler is None or _always_returns(caught, depth + 1))
        case _:
            return False
