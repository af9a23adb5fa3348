"""What an editor has to know about a format: where which names are written, and its own words.

A front end says it as data: `Slot`s are the places where something can be completed, `Mention`s the
places where a name stands that no value of the IR has a span for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Literal as Lit

from ..source.records import dataclass
from ..source.source import Span

Kind = Lit[
    "node", "variable", "prompt", "tool", "workflow", "function", "agent", "thread", "role", "file"
]
"""What a name can name."""
Act = Lit["define", "write", "read", "name"]
"""What a place does with a name; `name` is any other use."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a name stands. The characters there may say it in another way."""

    kind: Kind
    name: str
    act: Act
    span: Span


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word of the format to complete: its text, what it is for, and what to insert."""

    text: str
    detail: str = ""
    insert: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """Where something can be completed.

    `before` matches the line up to the cursor, at its end; its group `word` is what was typed of
    it. `under` matches the nearest line above that opens a section (see `Editing`), `path` the
    keys around the cursor joined by dots (`states.*.action`; `*` is one key or position). `names`
    are kinds of names that are offered beside `words`; `after` is written behind a name.
    """

    before: re.Pattern[str]
    names: tuple[Kind, ...] = ()
    words: tuple[Suggestion, ...] = ()
    under: re.Pattern[str] | None = None
    path: re.Pattern[str] | None = None
    after: str = ""


@dataclass(frozen=True, slots=True)
class Editing:
    """The first slot that fits counts. `section` matches lines that open one; `keys` says how the
    keys around a place are found: in `json` by brackets, in `yaml` by indentation. `within` matches
    headings that belong to the one above them, though they are of its level. `titles` matches lines
    whose group `title` names a node for people alone. `blocks` are lines that open a section of
    another language, with what is completed in it. Characters that make completion start are in
    `triggers`."""

    slots: tuple[Slot, ...] = ()
    section: re.Pattern[str] | None = None
    within: re.Pattern[str] | None = None
    keys: Lit["none", "json", "yaml"] = "none"
    titles: re.Pattern[str] | None = None
    blocks: tuple[tuple[re.Pattern[str], Editing], ...] = ()
    triggers: tuple[str, ...] = field(default=())


_JSON_KEY = re.compile(r"(?:^|[{,])[ \t]*\"(?P<word>\w*)\Z")


def json_keys(path: str, keys: Mapping[str, str]) -> Slot:
    """Return the slot of the keys of a JSON object, with what each of them is for."""
    words = tuple(Suggestion(key, detail) for key, detail in keys.items())
    return Slot(_JSON_KEY, words=words, path=re.compile(path))


def json_value(keys: str) -> re.Pattern[str]:
    """Match the beginning of a text that is the value of one of `keys` (`a|b`)."""
    return re.compile(rf"\"(?:{keys})\"\s*:\s*\"(?P<word>[^\"]*)\Z")
