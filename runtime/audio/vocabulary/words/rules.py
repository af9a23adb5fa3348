"""The offline vocabulary: which call of which tool a clause of a request is.

People's phrases for a tool stand in the tool's row (`compiler.catalog.audio_tools`). A clause fits
a phrase as a whole or not at all, so a word that no phrase knows is never passed over: "do not
compress" is not a compression. Nothing here is a language model.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from flowc.compiler.catalog.audio_formats import SPOKEN
from flowc.compiler.catalog.audio_model import AudioTool, Planning, Wording
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS

from ..settings.table import SETTINGS
from .frames import other_spellings
from .patterns import ENDS, Pattern, pattern, show

NAME = "offline-rules/1"
SEPARATORS = ENDS
TURNS = frozenset({"but", "aber"})
"""Words between clauses, unless "all" or "nothing" stands before them."""
BEGINNINGS = frozenset({"first", "firstly", "erst", "zuerst", "zunächst"})
"""Words that the first clause may begin with and that add nothing, unless a number follows."""
GOING_ON = frozenset({"next", "lastly", "zuletzt"})
"""The same of later clauses: what is said later and done first is another order."""
_PARTS = "(files|parts|pieces|tracks|teile|dateien|stücke)"
FORMAT = Wording("file format", "Export", "export flac", tuple(
    phrase
    for word, name in SPOKEN.items()
    for phrase in (
        f"[SAVE] IT [as|to|in|into|als|nach] THE {word} [file|datei|files|dateien] [speichern|"
        f"exportieren|umwandeln|konvertieren] {{format={name}}}",
        f"[SAVE] [all|both|each of] [the|die|alle|beide] {_PARTS} (as|als) {word} "
        f"{{format={name}}}",
    )
), "wav")  # fmt: skip
LISTENING = Wording("listening", "Listen", "let me listen", (
    "(let me|wait until i) (listen|review) [to it|it]",
    "(wait|pause) for (me|a person|my review)",
))  # fmt: skip


class Rule(NamedTuple):
    """People's phrases for a tool. Without a tool: `FORMAT` is the ending of the result,
    `LISTENING` a step that a person does."""

    wording: Wording
    patterns: tuple[Pattern, ...]
    tool: AudioTool | None = None
    planning: Planning | None = None

    @property
    def words(self) -> frozenset[str]:
        """Return every word of its phrases."""
        return frozenset().union(*(pattern.words for pattern in self.patterns))


class Fit(NamedTuple):
    """The meaning of a clause: a rule, and the arguments."""

    rule: Rule
    arguments: dict[str, Any]


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Return every rule, in the order of the tools."""
    return (
        *(
            Rule(wording, _patterns(wording, tool), tool, tool.planning)
            for tool in AUDIO_TOOLS
            if isinstance(tool.planning, Planning)
            for wording in tool.planning.wordings
        ),
        *(Rule(wording, _patterns(wording)) for wording in (FORMAT, LISTENING)),
    )


def _patterns(wording: Wording, tool: AudioTool | None = None) -> tuple[Pattern, ...]:
    return tuple(pattern(phrase, tool) for phrase in wording.phrases)


def fits(clause: str) -> Iterator[Fit]:
    """Yield every rule with a phrase that fits a clause of `patterns.spell`."""
    words = {word for word in clause.split() if word.isalpha()}
    for rule in rules():
        matches = (one.match(clause) for one in rule.patterns if words <= one.words)
        if (arguments := next((m for m in matches if m is not None), None)) is not None:
            yield Fit(rule, rule.planning.builds(arguments) if rule.planning else arguments)


@functools.lru_cache(maxsize=512)
def fit_of(clause: str) -> Fit | None:
    """Return the first of `fits`, of the clause as it is or else in another spelling. A run reads
    its request and the steps of it again and again."""
    spellings = (clause, *other_spellings(clause))
    return next((fit for one in spellings for fit in fits(one)), None)


@functools.cache
def known_words() -> frozenset[str]:
    """Return every word of every phrase, units and what separates clauses among them."""
    return SEPARATORS.union(*(rule.words for rule in rules()))


def nearest_example(words: Collection[str]) -> str:
    """Return the example of the rule that says most of these words, of which one that few rules say
    counts for more; "" when it shares only what many say, such as units."""
    phrases, wanted = [(rule.wording.example, rule.words) for rule in rules()], {*words}

    def weight(example: str, own: frozenset[str]) -> float:
        known = sum(1 / sum(word in other for _, other in phrases) for word in own & wanted)
        return known + len(wanted & {*example.split()}) / 100

    # Of two that share as much, the one with more words is the one that people say more often.
    example, own = max(phrases, key=lambda one: (weight(*one), len(one[1])))
    return example if weight(example, own) > _TELLING else ""


_TELLING = 0.3
"""A word that three rules have in common."""


def vocabulary_rows() -> Iterator[dict[str, Any]]:
    """Yield every rule as data: name, tool, default, example, patterns, and the names of the tool's
    settings by parameter."""
    for rule in rules():
        yield {
            "name": rule.wording.name,
            "tool": rule.tool.name if rule.tool else None,
            "default": rule.wording.default,
            "example": rule.wording.example,
            "patterns": [show(pattern) for pattern in rule.patterns],
            "settings": {
                one.parameter: one.names.split("|")
                for one in SETTINGS
                if rule.tool and one.tool == rule.tool.name and one.names
            },
        }
