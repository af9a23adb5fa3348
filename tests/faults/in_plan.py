"""Mistakes in a living workflow.md."""

from __future__ import annotations

from . import more_plan
from .operators import Operator, typo


def _field(name: str) -> Operator:
    return Operator(f"field {name} misspelt", rf"^(\*   \*\*)({name})(:\*\*)", typo(2), name)


OPERATORS = (
    *map(_field, ("Status", "Description", "Input Audio", "Output Audio", "Code", "Goal")),
    *map(_field, ("Overall Status", "Original Request", "Success Criteria", "ID")),
    Operator("step of another level", r"^### (Step \d+:)", r"## \1", "### Step"),
    Operator("step of a deeper level", r"^### (Step \d+:)", r"#### \1", "### Step"),
    Operator("step misspelt", r"^(### )(Step)( \d+:)", typo(2), "Step"),
    Operator("step without its number", r"^### Step \d+:", "### Step:"),
    Operator("step in bold", r"^### (Step \d+: .*)$", r"**\1**", "###"),
    Operator("section misspelt", r"^(## \d\. Processing )(Plan)", typo(2), "Plan"),
    Operator(
        "section of the request misspelt", r"^(## \d\. )(Request)( Summary)", typo(2), "Request"
    ),
    Operator("section of the output misspelt", r"^(## \d\. Final )(Output)", typo(2), "Output"),
    Operator("status misspelt", r"(\*\*Status:\*\* )(READY|PENDING)", typo(2), r"\2"),
    Operator("whole status misspelt", r"(\*\*Overall Status:\*\* )(\w+)", typo(2), r"\2"),
    Operator(
        "field without its colon", r"^(\*   \*\*(?:Status|Output Audio|Code)):\*\*", r"\1**", ":"
    ),
    Operator(
        "field without its stars",
        r"^\*   \*\*((?:Status|Output Audio|Input Audio):)\*\*",
        r"*   \1",
        "**",
    ),
    Operator("field without its list", r"^\*   (\*\*(?:Status|Output Audio):\*\*)", r"\1", "*"),
    Operator("output of no step", r"\$OUTPUT_STEP_\d", r"$OUTPUT_STEP_9", "9"),
    Operator("output of a later step", r"\$OUTPUT_STEP_1", r"$OUTPUT_STEP_3", "3"),
    Operator("output misspelt", r"\$(OUTPUT)_STEP_\d", typo(), "OUTPUT"),
    Operator("input that nobody writes", r"(Input Audio:\*\* `)(\w+)(_\w+\.wav)", typo(2), r"\2"),
    Operator("call misspelt", r"^( +)([A-Z_]{4,})(\()", typo(2), r"\2", counts=True),
    Operator(
        "argument misspelt",
        r"(\(.*\b)(gain_db|target_lufs|cutoff_hz)(=)",
        typo(2),
        r"\2",
        counts=True,
    ),
    Operator(
        "argument of another kind",
        r"(\(.*\b(?:gain_db|target_lufs|cutoff_hz)=)(-?[\d.]+)",
        r'\1"loud"',
        counts=True,
    ),
    Operator("argument left out", r", (?:gain_db|target_lufs|cutoff_hz)=-?[\d.]+", "", counts=True),
    Operator("parenthesis that does not end", r"^( +[A-Z_]{4,}\(.*)\)$", r"\1", ")", counts=True),
    Operator("quote that does not end", r"^( +[A-Z_]{4,}\(.*\.wav)\"", r"\1", counts=True),
    Operator("fence of code that does not end", r"(```python\n(?: .*\n)+?) +```\n", r"\1", "```"),
    Operator("id of two steps", r"`step_2`", "`step_1`", "step_1"),
    Operator("id misspelt", r"`(step)_2`", typo(), "step_2"),
    Operator("path without its end", r"(Output Audio:\*\* `[\w-]+\.wav)`", r"\1", "`", counts=True),
    Operator(
        "two steps of one output",
        r"(Output Audio:\*\* )`(.*)`([\s\S]*?Output Audio:\*\* )`.*`",
        r"\1`\2`\3`\2`",
        counts=True,
    ),
    Operator(
        "status lower",
        r"(\*\*Status:\*\* )(READY|PENDING|DONE)",
        lambda m: m[1] + m[2].title(),
        r"\2",
    ),
    Operator("status todo", r"(\*\*Status:\*\* )(READY|PENDING)", r"\1TODO", ""),
    Operator(
        "field in small letters",
        r"^\*   \*\*(Status|Output Audio|Input Audio|Code):\*\*",
        lambda m: f"*   **{m[1].lower()}:**",
        r"\1",
    ),
    Operator(
        "field colon outside",
        r"^\*   \*\*(Status|Output Audio|Input Audio):\*\*",
        r"*   **\1**:",
        "",
    ),
    Operator("field called Output", r"^\*   \*\*Output Audio:", "*   **Output:", "Output Audio"),
    Operator("field called Input", r"^\*   \*\*Input Audio:", "*   **Input:", "Input Audio"),
    Operator(
        "field called Inputs Audio", r"^\*   \*\*Input Audio:", "*   **Input File:", "Input Audio"
    ),
    Operator(
        "field with underscore", r"^\*   \*\*(Output|Input) Audio:", r"*   **\1_Audio:", "Audio"
    ),
    Operator("field twice", r"^(\*   \*\*Status:\*\* .*\n)", r"\1\1", "Status"),
    Operator("field left out code", r"^\*   \*\*Code:\*\*\n", "", "Code"),
    Operator("field left out id", r"^\*   \*\*ID:\*\* .*\n", "", "ID"),
    Operator("step hash missing space", r"^### (Step \d+:)", r"###\1", "### "),
    Operator("step with word number", r"^### Step 1:", "### Step one:", "1"),
    Operator("step called Schritt", r"^### Step (\d+:)", r"### Schritt \1", "Step"),
    Operator("output without dollar", r"\$OUTPUT_STEP_(\d)", r"OUTPUT_STEP_\1", "$"),
    Operator("output in braces", r"\$OUTPUT_STEP_(\d)", r"${OUTPUT_STEP_\1}", "$OUTPUT"),
    Operator("output without underscore", r"\$OUTPUT_STEP_(\d)", r"$OUTPUT_STEP\1", "OUTPUT_STEP"),
    Operator("call of python", r"^( +)([A-Z_]{4,})\((.*)\)$", r"\1os.system(\3)", "", counts=True),
    Operator("two calls", r"^(( +)[A-Z_]{4,}\(.*\))$", r"\1\n\1", "", counts=True),
    Operator(
        "import before", r"^( +)([A-Z_]{4,}\(.*\))$", r"\1import numpy\n\1\2", "", counts=True
    ),
    Operator(
        "argument colon", r"(\(.*\b(?:gain_db|target_lufs|cutoff_hz))=", r"\1: ", "=", counts=True
    ),
    Operator(
        "argument unit",
        r"(\(.*\b(?:gain_db|target_lufs|cutoff_hz)=)(-?[\d.]+)",
        r"\1\2dB",
        "",
        counts=True,
    ),
    Operator(
        "argument unit text",
        r"(\(.*\b(?:gain_db|target_lufs|cutoff_hz)=)(-?[\d.]+)",
        r'\1"\2 dB"',
        "",
        counts=True,
    ),
    Operator(
        "argument decimal comma",
        r"(\(.*\b(?:gain_db|target_lufs|cutoff_hz)=-?\d+)\.?(\d*)",
        r"\1,5",
        "",
        counts=True,
    ),
    Operator("argument out of range", r"(\(.*\bcutoff_hz=)(-?[\d.]+)", r"\1-80", "", counts=True),
    Operator(
        "argument twice",
        r"(\(.*)(, (?:gain_db|target_lufs|cutoff_hz)=-?[\d.]+)",
        r"\1\2\2",
        "",
        counts=True,
    ),
    Operator("keyword of another tool", r"(\(.*)(\))$", r"\1, wetness=0.3\2", "", counts=True),
    Operator("section of level three", r"^## (\d\. Processing Plan)", r"### \1", "##"),
    Operator("section left out", r"^## \d\. Request Summary\n", "", ""),
    *more_plan.OPERATORS,
)
