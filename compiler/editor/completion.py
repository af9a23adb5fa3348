"""Completion: what fits at a cursor, from the words of the format and the names of the file.

Where something fits is data of the front end (`Editing`). The names come from the last compilation
that gave any, so that a half-written line does not empty the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from ..reading.editing import Editing, Kind, Slot
from ..source.records import dataclass
from ..source.source import Source, Span

MAX_LINES = 5000
"""How far up a section's opening line is looked for."""
MAX_LINE = 2000
MAX_CHOICES = 300
"""Names that are offered at once, those that begin with what was typed before others."""
MAX_KEYS = 200_000
"""Characters before the cursor that are read for the keys around it."""


_REST = re.compile(r"\w{0,100}")
"""What of a name stands behind the cursor already."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that fits: its label, what is written in place of `span`, and what it is."""

    label: str
    kind: Kind | None
    detail: str
    insert: str
    span: Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that can be offered, with a few words."""

    name: str
    detail: str = ""


def complete(
    source: Source, offset: int, editing: Editing, names: Mapping[Kind, Iterable[Candidate]]
) -> tuple[list[Completion], bool]:
    """What fits at `offset`, and whether that is all; `names` are the known names by kind."""
    start = source.text.rfind("\n", 0, offset) + 1
    before = source.text[max(start, offset - MAX_LINE) : offset]
    fitting = _slot(source, offset, before, editing)
    if fitting is None:
        return [], True
    slot, match = fitting
    word = match["word"]
    behind = _REST.match(source.text, offset)
    end = behind.end() if behind is not None else offset
    span = source.span(offset - len(word), end if word else offset)
    closed = bool(slot.after) and source.text.startswith(slot.after.strip(), end)
    after = "" if closed else slot.after
    every = list(_names(slot, span, after, names))
    chosen = every
    if len(every) > MAX_CHOICES:
        typed = word.lower()
        chosen = [choice for choice in every if typed in choice.label.lower()]
        chosen.sort(key=lambda choice: not choice.label.lower().startswith(typed))
        chosen = chosen[:MAX_CHOICES]
    return [*_words(slot, span, after), *chosen], len(chosen) == len(every)


def _words(slot: Slot, span: Span, after: str) -> Iterator[Completion]:
    for word in slot.words:
        insert = word.text + after if word.insert is None else word.insert
        yield Completion(word.text, None, word.detail, insert, span)


def _names(
    slot: Slot, span: Span, after: str, names: Mapping[Kind, Iterable[Candidate]]
) -> Iterator[Completion]:
    taken = {w.text for w in slot.words}
    for kind in slot.names:
        for named in names.get(kind, ()):
            if named.name not in taken:
                taken.add(named.name)
                yield Completion(named.name, kind, named.detail, named.name + after, span)


def _slot(
    source: Source, offset: int, before: str, editing: Editing
) -> tuple[Slot, re.Match[str]] | None:
    # Few slots ask for these, and a long file is read for them.
    section = cache(lambda: _section(source, offset, editing))
    top, opening = section() if editing.blocks else (0, "")
    inner = next((inner for opens, inner in editing.blocks if opens.match(opening)), editing)
    keys = cache(lambda: ".".join(_keys(source, offset, inner, top)))
    for slot in inner.slots:
        match = slot.before.search(before)
        if match is None or (slot.under is not None and not slot.under.match(section()[1])):
            continue
        if slot.path is None or slot.path.fullmatch(keys()):
            return slot, match
    return None


def _section(source: Source, offset: int, editing: Editing) -> tuple[int, str]:
    """The nearest line above that opens a section, with its number; a fence that closes again
    opens none."""
    if editing.section is None:
        return 0, ""
    line = source.position(offset).line
    for number in range(line - 1, max(0, line - MAX_LINES), -1):
        text = source.line_text(number)[:MAX_LINE]
        if editing.section.match(text):
            return number, text
    return 0, ""


def _keys(source: Source, offset: int, editing: Editing, top: int) -> list[str]:
    if editing.keys == "json":
        return keys_by_brackets(source.text[max(0, offset - MAX_KEYS) : offset])
    if editing.keys == "yaml":
        return keys_by_indentation(source, offset, top)
    return []


# Possessive (`*+`): a quote that is never closed must not be tried from every character.
_TOKEN = re.compile(r'"(?P<text>(?:[^"\\\n]|\\.)*+)"?|(?P<mark>[{}\[\]:,])')


def keys_by_brackets(text: str) -> list[str]:
    """The keys around the end of a piece of JSON, `*` for a place in a list; broken JSON is read
    as far as its brackets go: `{"states": [{"na` gives states, *."""
    open_keys: list[str] = []
    last = ""
    for token in _TOKEN.finditer(text):
        match token["mark"]:
            case None:
                last = token["text"]
            case "{":
                open_keys.append(last)
                last = ""
            case "[":
                open_keys += [last, "*"]
                last = ""
            case "}" | "]" as mark:
                if mark == "]" and open_keys and open_keys[-1] == "*":
                    open_keys.pop()
                if open_keys:
                    open_keys.pop()
                last = ""
            case ",":
                last = ""
            case _:
                pass
    return [key for key in [*open_keys, last if text.rstrip().endswith(":") else ""] if key]


_YAML_KEY = re.compile(r"(?P<indent>[ ]*)(?P<dash>(?:-[ ]+)*)(?P<key>[\w.$-]+|\"[^\"]*\"):")


def keys_by_indentation(source: Source, offset: int, top: int = 0) -> list[str]:
    """The keys around a place in YAML, outermost first, `*` for a place in a list. Lines up to
    number `top` do not count."""
    line = source.position(offset).line
    text = source.line_text(line)
    deep = len(text) - len(text.lstrip(" "))
    dashes = re.match(r"[ ]*(?P<dash>(?:-[ ]*)*)", text)
    keys: list[str] = ["*"] if dashes and dashes["dash"] else []
    for number in range(line - 1, max(top, line - MAX_LINES), -1):
        above = source.line_text(number)[:MAX_LINE]
        match = _YAML_KEY.match(above)
        if match is None:
            continue
        column = len(match["indent"]) + len(match["dash"])
        if column < deep or (column == deep and keys[-1:] == ["*"] and not match["dash"]):
            keys.append(match["key"].strip('"'))
            if match["dash"]:
                keys.append("*")
            deep = len(match["indent"])
        elif column == deep and match["dash"] and keys[-1:] != ["*"]:
            keys.append("*")
            deep = len(match["indent"])
        if deep == 0 and keys and keys[-1] != "*":
            break
    return keys[::-1]
