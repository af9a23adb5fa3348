"""What an editor completes in flow YAML, and where its names stand; made from the table of keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...flow_yaml import keys
from ...flow_yaml.shapes import Key
from ...reading.editing import Act, Editing, Kind, Mention, Slot, Suggestion
from ...reading.expression_words import expression_words
from ...reading.tree import ListAt, MapAt, Scalar, Value

_KEY = re.compile(r"^[ \t]*(?:-[ \t]+)*(?P<word>\w*)\Z")
_PART = r"[\w.-]+:[ \t]*(?P<word>\w*)\Z"
_IN = r"(?:workflows\.[^.]+\.)?"
_EDGE_KEYS = (
    Suggestion("next", "where it goes on: a node, several, or ways with conditions"),
    Suggestion("on_error", "where it goes on after a failure"),
    Suggestion("cases", "the node for each value"),
    Suggestion("otherwise", "the node when no case fits"),
)
_NAMED: tuple[tuple[str, Kind], ...] = (
    ("next|to|otherwise|start|on_success|on_failed|on_error", "node"),
    ("uses", "prompt"),
    ("tool|tools", "tool"),
    ("agent|by", "agent"),
    ("threads?", "thread"),
    ("role", "role"),
    ("function", "function"),
    ("call|do", "file"),
    ("into|reply_into|keeps", "variable"),
    ("outputs|shares|fixed|after|again", "variable"),
)
_EXPRESSIONS = "when|choose|assert|foreach|until|score|check"
_USES: dict[str, tuple[Kind, Act]] = {
    "into": ("variable", "write"), "reply_into": ("variable", "write"),
    "keeps": ("variable", "write"),
    "shares": ("variable", "read"), "fixed": ("variable", "read"),
    "after": ("variable", "read"), "again": ("variable", "read"),
    "tool": ("tool", "name"), "tools": ("tool", "name"), "uses": ("prompt", "name"),
    "agent": ("agent", "name"), "by": ("agent", "name"), "thread": ("thread", "name"),
    "threads": ("thread", "name"), "function": ("function", "name"), "next": ("node", "name"),
    "on_error": ("node", "name"), "otherwise": ("node", "name"), "cases": ("node", "name"),
}  # fmt: skip
"""What the values of a node's keys name."""
_DECLARED: dict[str, Kind] = {
    "params": "variable", "state": "variable", "agents": "agent", "tools": "tool",
    "threads": "thread", "prompts": "prompt",
}  # fmt: skip


_LAST = r"(?:.*[^\w.])?(?P<word>\w*)\Z"
_INSIDE = re.compile(rf"\{{\{{(?!.*\}}\}}){_LAST}")
_EXPRESSION = re.compile(rf"(?:^|[\s{{,])(?:{_EXPRESSIONS}):[ \t]+{_LAST}")
_ASSIGNED = re.compile(rf"\bassign:[ \t]*\{{[^:]*:[ \t]+{_LAST}")
_VALUE = re.compile(rf"^[ \t]*[\w.-]+:[ \t]+{_LAST}")


def _value(keys: str) -> re.Pattern[str]:
    """Match the end of a key's value, or of an item of its list."""
    return re.compile(rf"(?:^|[\s{{,])(?:{keys}):[ \t]*(?:\[[^\]]*?)?(?P<word>[\w.-]*)\Z")


def flow_editing() -> Editing:
    """Complete keys with what they are for, the words they take, and names."""
    top = (Key("flow", "text", "the version of the language: 1"),
           Key("workflows", "json", "inner workflows, by name"))  # fmt: skip
    return _editing(top, _EDGE_KEYS)


def details_editing() -> Editing:
    """Complete the same in a block of details, without the ways out of nodes: they are drawn."""
    return _editing((), ())


def _editing(version: tuple[Key, ...], ways: tuple[Suggestion, ...]) -> Editing:
    functions = expression_words()
    kinds = tuple(k for element in keys.NODES.values() for k in element.keys)
    top = (*keys.TOP, *(Key(name, "json", help) for name, help in keys.SECTIONS.items()))
    return Editing(
        slots=(
            Slot(re.compile(r"\{\{[ \t]*(?P<word>\w*)\Z"), ("variable",), functions, after=" }}"),
            *(
                Slot(_value(keys), (kind,))
                for keys, kind in _NAMED
            ),
            Slot(_INSIDE, ("variable",), functions),
            Slot(_EXPRESSION, ("variable",), functions),
            Slot(_ASSIGNED, ("variable",), functions),
            Slot(_VALUE, ("variable",), functions, path=re.compile(rf"{_IN}nodes\.\*\.assign")),
            *_parts(),
            *_words(kinds),
            *_keys("", (*top, *version)),
            *_keys(_IN, top),
            *_keys(rf"{_IN}nodes\.\*", (*kinds, *keys.COMMON), ways),
            *_keys(rf"{_IN}nodes\.\*\.(?:next|on_error)\.\*", (),
                   tuple(Suggestion(name) for name in keys.EDGE)),
            *(
                slot
                for section, element in keys.NAMED.items()
                for slot in _keys(rf"{_IN}{section}\.[^.*]+", element.keys)
            ),
            *_keys(rf"{_IN}nodes\.\*\.retry", keys.RETRY.keys),
            *_keys(rf"{_IN}on_error\.\*", keys.RULE.keys),
            *_keys(rf"{_IN}on_input", keys.ON_INPUT.keys),
        ),
        keys="yaml",
        triggers=(":", "{", " ", "-"),
    )  # fmt: skip


def _parts() -> Iterator[Slot]:
    """Yield the parts of results, behind the variables that get them."""
    for element in keys.NODES.values():
        for key in (key for key in element.keys if key.form == "parts"):
            words = tuple(Suggestion(word) for word in key.words)
            yield Slot(re.compile(rf"\b{key.name}:[ \t]*\{{[^}}]*{_PART}"), words=words)
            path = re.compile(rf"{_IN}nodes\.\*\.{key.name}")
            yield Slot(re.compile(rf"\s{_PART}"), words=words, path=path)


def _keys(path: str, rows: tuple[Key, ...], more: tuple[Suggestion, ...] = ()) -> Iterator[Slot]:
    named = {key.name: Suggestion(key.name, key.help, f"{key.name}: ") for key in rows}
    words = (*named.values(), *(Suggestion(w.text, w.detail, f"{w.text}: ") for w in more))
    yield Slot(_KEY, words=words, path=re.compile(path))


def _words(rows: tuple[Key, ...]) -> Iterator[Slot]:
    """Yield the words that a key takes, wherever it stands."""
    words_by_key: dict[str, tuple[str, ...]] = {}
    named = (key for element in keys.NAMED.values() for key in element.keys)
    for key in (*rows, *keys.COMMON, *named):
        if key.words and key.form != "parts":
            known = words_by_key.get(key.name, ())
            words_by_key[key.name] = (*known, *(w for w in key.words if w not in known))
    for name, words in words_by_key.items():
        yield Slot(_value(name), words=tuple(Suggestion(word) for word in words))


def flow_mentions(root: MapAt, parts: Mapping[str, MapAt]) -> Iterator[Mention]:
    """Yield the places of the workflow's names, and those of inner workflows as `workflow#name`."""
    yield from _mentions(root, "")
    named = root.get("workflows")
    for key, _ in named.pairs if isinstance(named, MapAt) else ():
        yield Mention("workflow", f"{key.span.file}#{key.text}", "define", key.span)
    for name, part in parts.items():
        yield from _mentions(part, f"{name}#")


def _mentions(mapping: MapAt, scope: str) -> Iterator[Mention]:
    for key, value in mapping.pairs:
        kind = _DECLARED.get(key.text)
        if kind is not None and isinstance(value, MapAt):
            for name, about in value.pairs:
                yield Mention(kind, scope + name.text, "define", name.span)
                if isinstance(about, MapAt):
                    yield from _uses(about, scope)
        elif key.text == "nodes" and isinstance(value, ListAt):
            for node in value.items:
                if isinstance(node, MapAt):
                    yield from _node(node, scope)
        elif key.text == "outputs":
            yield from _names_in("variable", "read", value, scope)
        elif key.text in ("start", "on_success", "on_failed", "on_input", "defaults"):
            yield from _names_in("node", "name", value, scope)


def _node(node: MapAt, scope: str) -> Iterator[Mention]:
    name = node.get("name")
    if isinstance(name, Scalar):
        yield Mention("node", scope + name.text, "define", name.span)
    if node.get("task") is not None:
        yield from _names_in("role", "name", node.get("role"), "")
    yield from _uses(node, scope)


def _uses(mapping: MapAt, scope: str) -> Iterator[Mention]:
    for key, value in mapping.pairs:
        use = _USES.get(key.text)
        if use is not None:
            yield from _names_in(*use, value, scope)


_TARGETS = ("to", "on_error")


def _names_in(kind: Kind, act: Act, value: Value | None, scope: str) -> Iterator[Mention]:
    """Yield the names in a value: one, a list, or ways with `to:` and cases by value."""
    match value:
        case Scalar() if not value.is_null and value.text:
            # Tools and functions are known beyond the workflow.
            inside = "" if kind in ("tool", "function", "role") else scope
            yield Mention(kind, inside + value.text, act, value.span)
        case ListAt():
            for item in value.items:
                yield from _names_in(kind, act, item, scope)
        case MapAt() if act == "write":
            yield from (Mention(kind, scope + key.text, act, key.span) for key, _ in value.pairs)
        case MapAt() if kind == "node":
            way = any(value.get(key) is not None for key in _TARGETS)
            for key, inner in value.pairs:
                if not way or key.text in _TARGETS:
                    yield from _names_in(kind, act, inner, scope)
