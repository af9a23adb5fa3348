"""Slips in YAML: where a person made the mistake that a parser of YAML notices further down.

    into reply            a key without its colon         noticed in the next line
    outputs: [text        a bracket that is not closed    noticed at the next key
    error: "`wc` failed   a quote that is not closed      noticed at the next quote, or at the end

This looks at lines, and only after the parser has refused the file: what it finds there is a better
place and better words for the same fault, never a fault of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...flow_yaml import keys
from ...source.records import dataclass

KEYS = frozenset(
    key.name
    for shapes in (keys.NODES.values(), keys.NAMED.values())
    for shape in shapes
    for key in shape.keys
) | {key.name for key in (*keys.TOP, *keys.COMMON)} | {
    *keys.SECTIONS, *keys.NODES, *keys.EDGE, "flow", "name", "workflows", "nodes", "next", "cases",
}  # fmt: skip
_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<dash>(?:-[ ]+)*)(?P<body>[^\r\n]*)\r?\n?")
_KEY = re.compile(r"[ ]*(?:-[ ]+)*[\w$-]+:(?:\s|$)|[ ]*-[ ]|[ ]*$")
_BLOCK = re.compile(r":[ ]*[|>][-+0-9]*[ ]*(?:#.*)?$")
_VALUE = re.compile(r"(?:[\w$-]+:[ ]+)?(?P<value>[\"'\[{].*)")
_COLONLESS = re.compile(r"(?P<key>\w+)(?:[ ]+[^\s:=].*|[ ]*)$")
_TIGHT = re.compile(r"(?P<key>\w+):(?=[^\s:/])")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'")
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Slip:
    """A place, what is wrong there and what to write."""

    start: int
    end: int
    message: str
    help: str


def find_slip(text: str, noticed: int) -> Slip | None:
    """Return the slip that is behind a fault which the parser noticed at an offset."""
    found: Slip | None = None
    for slip in _slips(text, text.find("\n", noticed) + 1 or len(text)):
        if slip.message == _QUOTE:
            return slip  # it swallows what follows, up to the next quote
        found = slip
    return found


_QUOTE = "this quote is not closed"


def _slips(text: str, end: int) -> Iterator[Slip]:
    """Yield what looks like a slip in the lines up to an offset, outside of blocks of text."""
    at, block = 0, -1
    while at < end:
        match = _LINE.match(text, at)
        assert match is not None, "the pattern matches anything"
        start, at = at, match.end()
        indent, body = len(match["indent"]), match["body"]
        if not body or body.startswith("#") or (block >= 0 and indent > block):
            continue
        block = indent if _BLOCK.search(body) else -1
        if "\t" in match["indent"]:
            tab = start + match["indent"].index("\t")
            message = "a tab stands where blanks indent"
            yield Slip(tab, tab + 1, message, "write blanks in place of the tab")
        slip = _slip(text, match, indent + len(match["dash"]))
        if slip is not None:
            yield slip
        if at == start:
            return


def _slip(text: str, line: re.Match[str], column: int) -> Slip | None:
    body, start, following = line["body"], line.start("body"), _next_line(text, line.end())
    value = _VALUE.match(body)
    if value is not None:
        left = start + value.start("value")
        sign = value["value"][0]
        if sign in "\"'" and not _STRING.match(value["value"]) and _KEY.match(following):
            return Slip(left, left + 1, _QUOTE, f"write `{sign}` at its end")
        bare = _STRING.sub("", value["value"])
        is_open = sign in "[{" and bare.count(sign) > bare.count(_CLOSING[sign])
        if is_open and _KEY.match(following) and _indent(following) <= column:
            help = f"write `{_CLOSING[sign]}` at its end"
            return Slip(left, left + 1, f"this `{sign}` is not closed", help)
    key = _TIGHT.match(body)
    if key is not None and key["key"] in KEYS:
        end = start + key.end()
        return Slip(start, end, "no blank stands behind the colon", f"write `{key[0]} `")
    key = _COLONLESS.match(body)
    if key is not None and (key["key"] in KEYS or _has_block(key[0], column, following)):
        end = start + key.end("key")
        message = f"no colon stands behind `{key['key']}`"
        return Slip(start, end, message, f"write `{key['key']}: `")
    return None


def _has_block(body: str, column: int, following: str) -> bool:
    """Tell whether a lone word stands over keys that are indented below it."""
    return " " not in body.strip() and _indent(following) > column and bool(_KEY.match(following))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _next_line(text: str, at: int) -> str:
    """Return the next line that says something, "" at the end."""
    for line in text[at : at + 4000].splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line
    return ""
