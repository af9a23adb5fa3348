"""What an editor completes in flowcharts, and where their nodes are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...reading.editing import Act, Editing, Mention, Slot, Word
from ...source.source import Span
from .document import Document
from .mermaid.chart import Chart
from .mermaid.pieces import Piece

_KINDS = (
    Word("PROMPT_", "an agent answers a prompt"),
    Word("CHECK_", "a condition decides: TRUE or FALSE"),
    Word("EXECUTE_", "shell commands are run"),
    Word("SET_", "a variable is set: `NAME=value`"),
    Word("ASSIGN_", "RESULT gets a value"),
    Word("ASK_", "a person is asked"),
    Word("CALL_", "another workflow is run"),
    Word("CHECKPOINT_", "a named point to go back to"),
    Word("START", "where it begins"),
    Word("SUCCESS", "ends in success"),
    Word("FAILED", "ends failed"),
    Word("ON_SUCCESS", "runs after success"),
    Word("ON_FAILED", "runs after a failure"),
    Word("PARAMS", "the parameters, in a note"),
)
_LABELS = (
    Word("YES", "the condition holds"),
    Word("NO", "the condition does not hold"),
    Word("TRUE", "the condition holds"),
    Word("FALSE", "the condition does not hold"),
    Word("ERROR", "taken when the activity fails"),
)
_VARIABLES = (
    Word("RESULT", "what the last activity gave"),
    Word("STATUS", "CREATED, DOING, SUCCESS or FAILED"),
    Word("EXIT_CODE", "of the last command"),
)
_OPERATORS = (Word("CONTAINS", "one text stands in the other"), Word("MATCHES", "fits a pattern"))
_ROLES = (
    Word("System ", "a prompt that begins a conversation anew"),
    Word("User ", "a prompt that the model answers"),
    Word("Assistant ", "a message said for the model"),
)
_SECTIONS = (Word("Workflow", "the chart stands below"), Word("Prompts", "the prompts' texts"))
_CHART = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})[ \t]*mermaid\b")
_PROMPTS = re.compile(r"#[ \t]+Prompts")
_SECTION = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})|#[ \t]")
_ARROW = r"(?:--+>|==+>|-\.+->|--+|&)(?:\|[^|]*\|)?[ \t]*"
_NODE = re.compile(rf"(?:^[ \t]*|{_ARROW})(?P<word>\w*)\Z")
_LABEL = re.compile(r"[-=.]>?\|(?P<word>\w*)\Z")


def flowchart_editing() -> Editing:
    """Prompts, variables, activities and labels of a document."""
    return Editing(
        slots=(
            Slot(re.compile(r"\{\{(?P<word>\w*)\Z"), ("variable",), _VARIABLES, after="}}"),
            Slot(re.compile(r"\[\[[\"']?(?P<word>[^\]\"']*)\Z"), ("file",), under=_CHART),
            Slot(
                re.compile(r"PROMPT_?\w*[\[({>]+\"?(?:Prompt:[ \t]*)?(?P<word>[^\])}\"|]*)\Z"),
                ("prompt",),
                under=_CHART,
            ),
            Slot(_LABEL, (), _LABELS, under=_CHART),
            Slot(
                re.compile(r"CHECK_?\w*\{[^}|]*?(?P<word>\w*)\Z"),
                ("variable",),
                (*_VARIABLES, *_OPERATORS),
                under=_CHART,
            ),
            Slot(
                re.compile(r"ASSIGN_?\w*\[[ \t]*(?P<word>\w*)\Z"),
                ("variable", "prompt"),
                _VARIABLES,
                under=_CHART,
            ),
            Slot(_NODE, ("node",), _KINDS, under=_CHART),
            Slot(re.compile(r"##[ \t]+(?P<word>.*)\Z"), ("prompt",), _ROLES, under=_PROMPTS),
            Slot(re.compile(r"#[ \t]+(?P<word>\w*)\Z"), (), _SECTIONS),
        ),
        section=_SECTION,
        triggers=("{", "[", "|", " ", "#"),
    )


def mermaid_editing() -> Editing:
    """The nodes of a plain chart."""
    return Editing(slots=(Slot(_NODE, ("node",)),), triggers=(" ",))


def node_mentions(chart: Chart, document: Document) -> Iterator[Mention]:
    """Every place in the document where a node's id stands."""
    return chart_mentions(chart, document.whole.of)


def chart_mentions(chart: Chart, span: Callable[[Piece], Span]) -> Iterator[Mention]:
    """Every place where a node's id stands; `span` gives the place of a piece."""
    for name in chart.named:
        node = chart.nodes.get(name.text)
        if node is not None:
            act: Act = "define" if node.id.start == name.start else "name"
            yield Mention("node", name.text, act, span(name))
