"""Whatever a file holds: no exception leaves the compiler, and every place lies in the file."""

from __future__ import annotations

import re

import pytest
from flowc.compiler.frontends import FRONTENDS
from flowc.compiler.source.source import Unreadable, decode
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.fuzz

FORMATS = st.sampled_from([None, *(f.name for f in FRONTENDS)])
CONTROLS = [
    "\x00",
    "\ufeff",
    "\r",
    "\r\n",
    "\u2028",
    "\x85",
    "\x0c",
    "\x1b[31m",
    "\u200b",
    "\ufe0f",
]
SIGNS = [
    "🔧",
    "â†’",
    "ğŸ”§",
    "→",
    "``",
    "'",
    '"',
    "\\",
    "<br>",
    "{{A}}",
    "[A]",
    "%%",
    "ß",
    "İ",
    "|",
]
ODD = st.sampled_from([*CONTROLS, *SIGNS])
WORDS = st.one_of(
    st.text(max_size=12), ODD, st.sampled_from(["A", "RESULT", "STATUS", "a b", "-1"])
)


def _lines(line: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", ""])
    return st.lists(st.tuples(line, ends), max_size=25).map(
        lambda parts: "".join(text + end for text, end in parts)
    )


def _filled(templates: str) -> st.SearchStrategy[str]:
    """One of the templates (` ¦ ` or a line end stands between them), with a generated word for
    each `@` in it."""

    def fill(template: str) -> st.SearchStrategy[str]:
        first, *rest = template.split("@")
        words = st.lists(WORDS, min_size=len(rest), max_size=len(rest))
        return words.map(lambda w: first + "".join(a + b for a, b in zip(w, rest, strict=True)))

    return st.sampled_from(re.split(" ¦ |\n", templates.strip("\n"))).flatmap(fill)


MARKDOWN = _lines(
    _filled("""
@ ¦ # @ ¦ ## @ ¦ ###### @ ¦ - @ ¦   - @ ¦ * @ ¦ 1. @ ¦ > @ ¦ | @ | @ | ¦     @ ¦ --- ¦ ===
``` ¦ ```@ ¦ ```` ¦ ~~~ ¦ `@` ¦ [@](@) ¦ ![@](@) ¦ \\# @ ¦ <!-- @ --> ¦ <!-- @ ¦ -->
<!-- flowc: allow @ --> ¦ <!-- flowc: allow FC2002 @ -->
""")
)

STEPS = _lines(
    _filled("""
### 🔧 WORKFLOW STEP: @ ¦ ### 🔧 WORKFLOW STEP: ¦ ###🔧 WORKFLOW STEP: @ ¦ ### ğŸ”§ WORKFLOW STEP: @
## @ ¦ ``` ¦ ```@ ¦ ` ` ` ¦ @ [@] @ ¦ ### 🛠️ TOOL: @ ¦ ### 🛠 TOOLS: ¦ ### 🛠️ TOOLS:@ ¦ ### @ TOOL: @
- @ ¦ - @: @ ¦ - @ → @ ¦ - @ -> @ -> @ ¦   @ ¦ --- ¦ ### 📥 INPUTS: ¦ ### 📤 OUTPUTS: (@)
### ✅ ASSERT: ¦ #### ✅ ASSERT: ¦ - result.@ == @ ¦ - length(@) > @ ¦ ### 📥 INPUT:
<!-- flowc: allow FC3003 -->
""")
)

NODE = _filled("""
START ¦ SET_A ¦ ASSIGN_B ¦ CHECK_C ¦ PROMPT_D ¦ ASK_E ¦ EXECUTE_F ¦ CALL_G ¦ CHECKPOINT ¦ SUCCESS
FAILED ¦ ON_SUCCESS ¦ ON_FAILED ¦ PARAMS ¦ MYSTERY_1 ¦ end ¦ A
""")
CAPTION = _filled("""
[@] ¦ [[@]] ¦ {@} ¦ (@) ¦ ([@]) ¦ ["@"] ¦ {@ ¦ @] ¦ [A=@] ¦ [@=@] ¦ [file:@] ¦ [User @] ¦ [{{@}}]
{RESULT == '@'} ¦ {@ MATCHES @} ¦ {@ CONTAINS @} ¦ {A >= @ @} ¦ [[@.wf.md]] ¦ [[fuzz.md]]
[A=env:@] ¦ [Prompt: System] ¦ @{ shape: rect, label: "@" }
""")
ARROW = _filled("""
--> ¦ --> |@| ¦ -->|YES| ¦ --> |NO| ¦ --> |ERROR| ¦ ==> ¦ -.-> ¦ -.- ¦ -- ¦ -- @ -->
""")
CHART = st.one_of(
    st.tuples(NODE, CAPTION).map("".join),
    st.tuples(NODE, CAPTION, ARROW, NODE, CAPTION).map(lambda p: "{}{} {} {}{}".format(*p)),
    st.tuples(NODE, ARROW, NODE).map(" ".join),
    _filled("""
style @ fill:@ ¦ classDef @ @ ¦ class @ ¦ subgraph @ ¦ end ¦ %% @ ¦ flowchart @ ¦ graph TD ¦ @
%% flowc: allow FC2002 ¦ A --> B --> C & D ¦ !INCLUDE @
"""),
)
PROMPT = _filled("""
# Prompts ¦ ## System ¦ ## User @ ¦ ## Assistant @ ¦ @ ¦ {{@}} ¦ # @ ¦ ```sh ¦ ```
!INCLUDE fuzz.md ¦ !INCLUDE @
""")
BEFORE = ["", "# @\n", "# Title\n\ntext\n", "# Title\n# Other\n"]
OPEN = ["# Workflow\n```mermaid\nflowchart TD\n", "# Workflow\n```mermaid\n", "```mermaid\n", ""]
CLOSE = ["\n```\n", "\n", "```\n```mermaid\nflowchart LR\nSTART --> SUCCESS\n```\n"]
FLOWCHART = st.tuples(
    st.sampled_from(BEFORE),
    st.sampled_from(OPEN),
    _lines(CHART),
    st.sampled_from(CLOSE),
    _lines(PROMPT),
).map("".join)


@given(st.binary(max_size=400))
def test_bytes_are_decoded_or_refused_with_a_reason(data):
    """A file that is no text is FC0001, and the reason is words."""
    reason = ""
    try:
        text = decode("fuzz.md", data)
    except Unreadable as error:
        reason, text = error.reason, None
    assert (text is None) == bool(reason)


@given(data=st.binary(max_size=400), format=FORMATS)
def test_bytes(data, format, compiled):
    compiled(data.decode("utf-8", errors="replace"), format)


@given(text=st.text(max_size=300), format=FORMATS)
def test_text(text, format, compiled):
    compiled(text, format)


@given(text=MARKDOWN, format=FORMATS)
def test_markdown(text, format, compiled):
    compiled(text, format)


@given(text=STEPS)
def test_step_documents(text, compiled):
    compiled(text)


@given(text=FLOWCHART)
def test_flowcharts(text, compiled):
    compiled(text)


@given(text=st.one_of(STEPS, FLOWCHART), format=FORMATS)
def test_a_document_read_as_the_wrong_format(text, format, compiled):
    compiled(text, format)


@given(text=st.one_of(STEPS, FLOWCHART), cut=st.integers(0, 400), length=st.integers(0, 40))
def test_a_document_with_a_piece_torn_out(text, cut, length, compiled):
    """Editors check while a person types: half a line is the normal case."""
    compiled(text[:cut] + text[cut + length :])
