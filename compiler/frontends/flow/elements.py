"""Elements of a flow YAML file: what messages call them, and where they begin."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import get_args

from ... import ir
from ...expr.ast import Expr, Literal
from ...flow_yaml.keys import AGENT, MODEL_SETTINGS, OTHER_WORDS, RETRY
from ...flow_yaml.shapes import MapShape
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.source import Span
from ...source.spelling import Spelling

LIMITS: tuple[str, ...] = get_args(ir.LimitName)
MOST_LISTED = 12
"""Keys that a message names."""

_INNER: dict[str, Collection[str]] = {
    "settings": MODEL_SETTINGS.by_name,
    "retry": RETRY.by_name,
    "limits": LIMITS,
}
"""Keys whose values are mappings, and what stands there."""

_TYPES = {bool: "boolean", int: "integer", float: "number"}


def key_faults(
    mapping: MapAt, known: Sequence[str], what: str
) -> Iterator[tuple[str, Span, str, str | None]]:
    """Yield message, place, help and the name that was meant for every key that is not known."""
    strange = [name for name, _ in mapping.pairs if name.text not in known]
    if not strange:
        return
    spelling = Spelling(known)
    for name in strange:
        help, near = _key_meant(name.text, known, spelling)
        yield f"{what} has no key `{brief(name.text)}`", name.span, help, near


def _key_meant(name: str, known: Sequence[str], spelling: Spelling) -> tuple[str, str | None]:
    """Return what to do about a key that is not known, and the known key that was probably
    meant."""
    same = OTHER_WORDS.get(name.lower())
    if same in known:
        return f"here it is `{same}:`", None
    listed = ", ".join(f"`{key}`" for key in known[:MOST_LISTED])
    help = f"the keys are {listed}{', …' if len(known) > MOST_LISTED else ''}"
    near = spelling.nearest(name)
    if near is not None:
        return help, near
    for outer, inner in _INNER.items():
        word = name if name in inner else Spelling(inner).nearest(name)
        if outer in known and word is not None:
            return f"`{word}:` stands below `{outer}:`", None
    if "agent" in known and name in AGENT.by_name:
        return f"`{name}:` is said of the agent, by its name below `agents:`", None
    return help, None


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
