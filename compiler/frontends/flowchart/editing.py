"""What an editor completes in flowcharts, and where their nodes are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ...ir import Node
from ...reading.editing import Act, Editing, Mention, Slot, Suggestion
from ...reading.expression_words import expression_words
from ...source.source import Span
from .document import FlowchartDocument
from .mermaid.chart import Chart
from .mermaid.placed_text import PlacedText

_KINDS = (
    Suggestion("PROMPT_", "an agent answers a prompt"),
    Suggestion("CHECK_", "a condition decides: TRUE or FALSE"),
    Suggestion("EXECUTE_", "shell commands are run"),
    Suggestion("SET_", "a variable is set: `NAME=value`"),
    Suggestion("ASSIGN_", "RESULT gets a value"),
    Suggestion("ASK_", "a person is asked"),
    Suggestion("CALL_", "another workflow is run"),
    Suggestion("CHECKPOINT_", "a named point to go back to"),
    Suggestion("START", "where it begins"),
    Suggestion("SUCCESS", "ends in success"),
    Suggestion("FAILED", "ends failed"),
    Suggestion("ON_SUCCESS", "runs after success"),
    Suggestion("ON_FAILED", "runs after a failure"),
    Suggestion("PARAMS", "the parameters, in a note"),
)
_LABELS = (
    Suggestion("YES", "the condition holds"),
    Suggestion("NO", "the condition does not hold"),
    Suggestion("TRUE", "the condition holds"),
    Suggestion("FALSE", "the condition does not hold"),
    Suggestion("ERROR", "taken when the activity fails"),
)
_VARIABLES = (
    Suggestion("RESULT", "what the last activity gave"),
    Suggestion("STATUS", "CREATED, DOING, SUCCESS or FAILED"),
    Suggestion("EXIT_CODE", "of the last command"),
)
_OPERATORS = (
    Suggestion("CONTAINS", "one text stands in the other"),
    Suggestion("MATCHES", "fits a pattern"),
)
_ROLES = (
    Suggestion("System ", "a prompt that begins a conversation anew"),
    Suggestion("User ", "a prompt that the model answers"),
    Suggestion("Assistant ", "a message said for the model"),
)
_SECTIONS = (
    Suggestion("Workflow", "the chart stands below"),
    Suggestion("Prompts", "the prompts' texts"),
)
_CHART = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})[ \t]*mermaid\b")
_DETAILS = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})[ \t]*yaml[ \t]+flow\b")
_PROMPTS = re.compile(r"#[ \t]+Prompts")
_SECTION = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})|#[ \t]")
_ARROW = r"(?:--+>|==+>|-\.+->|--+|&)(?:\|[^|]*\|)?[ \t]*"
_NODE = re.compile(rf"(?:^[ \t]*|{_ARROW})(?P<word>\w*)\Z")
_LABEL = re.compile(r"[-=.]>?\|(?P<word>\w*)\Z")


def flowchart_editing(details: Callable[[], Editing]) -> Editing:
    """Complete prompts, variables, activities and labels of a document; `details` says what is
    completed in its block of flow YAML."""
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
                (*_VARIABLES, *_OPERATORS, *expression_words()),
                under=_CHART,
            ),
            Slot(
                re.compile(r"ASSIGN_?\w*\[(?:[^\]|]*[^\w.\]|])?(?P<word>\w*)\Z"),
                ("variable", "prompt"),
                (*_VARIABLES, *expression_words()),
                under=_CHART,
            ),
            Slot(_NODE, ("node",), _KINDS, under=_CHART),
            Slot(re.compile(r"##[ \t]+(?P<word>.*)\Z"), ("prompt",), _ROLES, under=_PROMPTS),
            Slot(re.compile(r"#[ \t]+(?P<word>\w*)\Z"), (), _SECTIONS),
        ),
        section=_SECTION,
        blocks=((_DETAILS, details()),),
        triggers=("{", "[", "|", " ", "#", ":", "-"),
    )


def mermaid_editing() -> Editing:
    """Complete the nodes of a plain chart."""
    return Editing(slots=(Slot(_NODE, ("node",)),), triggers=(" ",))


def node_mentions(
    chart: Chart, document: FlowchartDocument, detailed: Iterable[Node]
) -> Iterator[Mention]:
    """Yield every place in the document where a node's id stands."""
    yield from chart_mentions(chart, document.whole.of)
    for node in detailed:
        if node.span is not None:
            yield Mention("node", node.id, "name", node.span)


def chart_mentions(chart: Chart, span: Callable[[PlacedText], Span]) -> Iterator[Mention]:
    """Yield every place where a node's id stands; `span` gives the place of a text."""
    for name in chart.named:
        node = chart.nodes.get(name.text)
        if node is not None:
            act: Act = "define" if node.id.start == name.start else "name"
            yield Mention("node", name.text, act, span(name))
