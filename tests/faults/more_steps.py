"""More mistakes in step-tagged markdown, in other forms."""

from __future__ import annotations

from .operators import Operator

_VARIABLE = r"\[([A-Z][A-Z_]{3,})\]"
_HEAD = r"^(#{2,4} (?:\S+ )?"

OPERATORS = (
    Operator(
        "step heading singular words",
        _HEAD + r")WORKFLOW STEP:",
        r"\1WORKFLOWSTEP:",
        "WORKFLOW STEP",
    ),
    Operator("step heading plural", _HEAD + r"WORKFLOW STEP):", r"\1S:", "WORKFLOW STEP"),
    Operator("step heading numbered", _HEAD + r"WORKFLOW STEP):", r"\1 2:", "WORKFLOW STEP:"),
    Operator(
        "step heading hyphen", _HEAD + r")WORKFLOW STEP:", r"\1WORKFLOW-STEP:", "WORKFLOW STEP"
    ),
    Operator(
        "step heading underscore", _HEAD + r")WORKFLOW STEP:", r"\1WORKFLOW_STEP:", "WORKFLOW STEP"
    ),
    Operator("step heading in a list", r"^### (\S+ WORKFLOW STEP:.*)$", r"- \1", "###"),
    Operator("step heading without marks", r"^### (\S+ WORKFLOW STEP:.*)$", r"\1", "###"),
    Operator("step title empty", _HEAD + r"WORKFLOW STEP:).*$", r"\1", ""),
    Operator("outputs semicolon", _HEAD + r"OUTPUTS):", r"\1;", ":"),
    Operator("outputs heading called RESULTS", _HEAD + r")OUTPUTS:", r"\1RESULTS:", "OUTPUTS"),
    Operator("outputs heading called RETURNS", _HEAD + r")OUTPUTS:", r"\1RETURNS:", "OUTPUTS"),
    Operator("inputs heading called PARAMETERS", _HEAD + r")INPUTS:", r"\1PARAMETERS:", "INPUTS"),
    Operator("assert heading called CHECK", _HEAD + r")ASSERT:", r"\1CHECK:", "ASSERT"),
    Operator("assert heading called VALIDATE", _HEAD + r")ASSERT:", r"\1EXPECT:", "ASSERT"),
    Operator("tool heading called FUNCTION", _HEAD + r")TOOL:", r"\1FUNCTION:", "TOOL"),
    Operator("outputs emoji and text swapped", r"^### (\S+) OUTPUTS:", r"### OUTPUTS \1:", ""),
    Operator("tools on one line", r"TOOLS:\n- (\w+)$", r"TOOLS: \1", ""),
    Operator("tool as a list", r"TOOL: (\w+)$", r"TOOL:\n- \1", ""),
    Operator("tool with backticks", r"TOOL: (\w+)$", r"TOOL: `\1`", ""),
    Operator("tool two", r"TOOL: (\w+)$", r"TOOL: \1, no_such_tool", ""),
    Operator("tool plural name", r"(TOOL: )(\w+[a-z])$", r"\1\2s", r"\2"),
    Operator("tool cut", r"(TOOL: )(\w+_\w+)\w\w$", r"\1\2", ""),
    Operator("output with star", r"^- (.*→ \w+)$", r"•\1", "- "),
    Operator("output in brackets", r"^(- .*→ )(\w+)$", r"\1[\2]", r"\2"),
    Operator("output in backticks", r"^(- .*→ )(\w+)$", r"\1`\2`", r"\2"),
    Operator("output in braces", r"^(- .*→ )(\w+)$", r"\1{\2}", r"\2"),
    Operator("output with a dot", r"^(- .*→ )(\w+)$", r"\1\2.", r"\2"),
    Operator("output hyphen", r"^(- .*→ )([A-Z]+)_([A-Z_]+)$", r"\1\2-\3", r"\2_\3"),
    Operator("output two arrows", r"^(- .*→ )(\w+)$", r"\1\2 → OTHER", ""),
    Operator("output of two names", r"^(- .*→ )(\w+)$", r"\1\2, OTHER", ""),
    Operator("output two dashes arrow", r"^(- .*) → (\w+)$", r"\1 --> \2", "→"),
    Operator("output equals", r"^(- .*) → (\w+)$", r"\1 = \2", "→"),
    Operator("output as", r"^(- .*) → (\w+)$", r"\1 as \2", "→"),
    Operator("output twice in a step", r"^(- .* → \w+\n)", r"\1\1", ""),
    Operator("variable plural", _VARIABLE, r"[\1S]", r"\1"),
    Operator("variable cut", r"\[([A-Z][A-Z_]{4,})([A-Z])\]", r"[\1]", r"\1\2"),
    Operator("variable title case", _VARIABLE, lambda m: "[" + m[1].title() + "]", r"\1"),
    Operator("variable template expr", _VARIABLE, r"{{ \1 }}", r"[\1]"),
    Operator("variable hash", _VARIABLE, r"#{\1}", r"[\1]"),
    Operator("variable close bracket only", _VARIABLE, r"\1]", r"[\1]"),
    Operator("variable mixed brackets", _VARIABLE, r"[\1}", r"[\1]"),
    Operator("assert without dash", r"^- (result\S* (?:==|>|contains) .*)$", r"\1", "- "),
    Operator("assert arrow field", r"^(- result)\.(\w+)", r"\1->\2", "."),
    Operator("assert greater word", r"^(- result\S*) > ", r"\1 greater than ", ">"),
    Operator("assert not equal sql", r"^(- result\S*) == ", r"\1 <> ", "!="),
    Operator("assert two dots", r"^(- result)\.(\w+)", r"\1..\2", "."),
    Operator("assert method len", r"^(- )(result\.\w+) > (\d+)$", r"\1len(\2) > \3", "length"),
    Operator("assert unknown var", r"(== )([A-Z]{4,})$", r"\1\2_X", r"\2"),
    Operator("assert brackets", r"^- (result\S* > \d+)$", r"- [\1]", ""),
    Operator("fence of one backtick", r"(STEP: .*\n)```$", r"\1`", "```"),
    Operator("fence quotes", r"(STEP: .*\n)```$", r"\1'''", "```"),
    Operator("fence left out both", r"(STEP: .*\n)```\n((?:(?!```).*\n)+)```\n", r"\1\2", ""),
    Operator("input with arrow", r"(?<=INPUTS:\n)- (\w+): (.*)$", r"- \2 → \1", ":"),
    Operator("input bracketed", r"(?<=INPUTS:\n)- (\w+): ", r"- [\1]: ", r"\1"),
    Operator("input twice", r"(?<=INPUTS:\n)(- \w+: .*\n)", r"\1\1", ""),
)
