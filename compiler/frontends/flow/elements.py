"""Elements of a flow YAML file: what messages call them, and where they begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...expr.ast import Expr, Literal
from ...flow_yaml.shapes import MapShape
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.source import Span

_TYPES = {bool: "boolean", int: "integer", float: "number"}


def is_mapping_of(node: Value, element: MapShape) -> bool:
    """Return whether a mapping has keys of the element: then it is not in the short form."""
    return isinstance(node, MapAt) and (
        not node.pairs or any(name.text in element.by_name for name, _ in node.pairs)
    )


def default_of(node: Value, element: MapShape) -> tuple[str, str] | None:
    """Return the value that stands in the place of a variable's type, and how the two are written;
    None for what may be meant as a type."""
    if all(key.name != "default" for key in element.keys):
        return None
    if isinstance(node, ListAt):
        shown, type_name = "[…]" if node.items else "[]", "list"
    elif isinstance(node, Scalar) and node.value.__class__ in _TYPES and node.value != node.text:
        shown, type_name = brief(node.text), _TYPES[node.value.__class__]
    elif isinstance(node, Scalar) and node.value == "":
        shown, type_name = '""', "text"
    else:
        return None
    return shown, f"{{type: {type_name}, default: {shown}}}"


def place(mapping: MapAt) -> Span:
    """Return where a mapping begins: its first key."""
    return mapping.pairs[0][0].span if mapping.pairs else mapping.span


def kind(node: Value) -> str:
    """Return what an element is, with its article."""
    match node:
        case ListAt():
            return "a list"
        case MapAt():
            return "a mapping"
        case _ if node.is_null:
            return "nothing"
        case _:
            return f"`{brief(node.text)}`"


def list_faults(key: str, node: Value, items: Sequence[Scalar]) -> Iterator[tuple[str, Span, str]]:
    """Yield message, place and remedy where a list says nothing, or something twice."""
    if not items:
        yield f"`{key}` lists nothing", node.span, "name at least one, or leave the key out"
    seen: dict[str, Scalar] = {}
    for item in items:
        first = seen.setdefault(item.text, item)
        if not item.text:
            yield f"`{key}` lists an empty text", item.span, "write what it is to be, or remove it"
        elif first is not item:
            yield (
                f"`{brief(item.text)}` stands in `{key}` twice",
                item.span,
                "remove one of the two",
            )


def is_nothing(value: Expr) -> bool:
    """Return whether an expression is a number that is not above 0."""
    number = value.value if isinstance(value, Literal) else None
    return isinstance(number, int | float) and not isinstance(number, bool) and number <= 0


def with_keys(mapping: MapAt, element: MapShape) -> MapAt:
    """Return the keys of the element alone; the other keys have been checked."""
    names = {key.name for key in element.keys}
    kept = [pair for pair in mapping.pairs if pair[0].text in names]
    return MapAt(kept, mapping.start, mapping.end, mapping.source)


def value_span(mapping: MapAt, key: str) -> Span:
    """Return where the value of a key stands; without the key, the mapping."""
    value = mapping.get(key)
    return mapping.span if value is None else value.span
