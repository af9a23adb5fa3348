"""Mistakes in a living workflow.md."""

from __future__ import annotations

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
)
