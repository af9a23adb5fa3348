"""What an editor completes in step documents."""

from __future__ import annotations

import re

from flowc.grammar.lexing import SIGNS

from ...reading.editing import Editing, Slot, Suggestion
from ...reading.expression_words import expression_words

_HEADINGS = (
    Suggestion("WORKFLOW STEP", "begins a step: its name", f"### {SIGNS['STEP']} WORKFLOW STEP: "),
    Suggestion("TOOL", "the one tool of the step", f"### {SIGNS['TOOL']} TOOL: "),
    Suggestion("TOOLS", "its tools, one a line, in order", f"### {SIGNS['TOOLS']} TOOLS:"),
    Suggestion("INPUTS", "what it needs: `- NAME: description`", f"### {SIGNS['INPUTS']} INPUTS:"),
    Suggestion("OUTPUTS", "what it gives: `- source → NAME`", f"### {SIGNS['OUTPUTS']} OUTPUTS:"),
    Suggestion("ASSERT", "when it has succeeded, one a line", f"### {SIGNS['ASSERT']} ASSERT:"),
)
_BULLET = r"[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]*"
_SECTION = re.compile(r"[ ]{0,3}#{1,6}[ \t]|[ ]{0,3}(?:`{3}|~{3})")
_TITLE = re.compile(r"[ ]{0,3}#{3,6}[^:A-Za-z]*\bWORKFLOW STEP:[ \t]*(?P<title>.*)")
_WITHIN = re.compile(r"[ ]{0,3}#{3,6}[^:]*\b(?:TOOLS?|INPUTS|OUTPUTS|ASSERT)\b")


def _under(word: str) -> re.Pattern[str]:
    return re.compile(rf"[ ]{{0,3}}#{{3,6}}[^:]*\b{word}:")


def steps_editing() -> Editing:
    """Complete section keywords, tools and variables."""
    return Editing(
        slots=(
            Slot(re.compile(r"^#+[^:]*\bTOOL:[ \t]*(?P<word>[\w.-]*)\Z"), ("tool",)),
            Slot(re.compile(r"^(?P<word>#{1,6}[^:]*)\Z"), (), _HEADINGS),
            Slot(re.compile(rf"^{_BULLET}(?P<word>[\w.-]*)\Z"), ("tool",), under=_under("TOOLS?")),
            Slot(
                re.compile(rf"^{_BULLET}(?P<word>\w*)\Z"),
                ("variable",),
                under=_under("INPUTS"),
                after=": ",
            ),
            Slot(re.compile(r"(?:→|->)[ \t]*(?P<word>\w*)\Z"), ("variable",)),
            Slot(
                re.compile(rf"^{_BULLET}(?:.*[^\w.])?(?P<word>\w*)\Z"),
                ("variable", "tool"),
                (Suggestion("result", "what the last tool gave"), *expression_words()),
                under=_under("ASSERT"),
            ),
            Slot(re.compile(r"\[(?P<word>[A-Z_0-9]*)\Z"), ("variable",), after="]"),
        ),
        section=_SECTION,
        within=_WITHIN,
        titles=_TITLE,
        triggers=("#", "[", " ", "-", ">"),
    )
