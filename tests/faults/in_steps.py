"""Mistakes in step-tagged markdown."""

from __future__ import annotations

from .operators import Operator, typo

_HEAD = r"^(#{2,4} (?:\S+ )?"
_ITEM = r"^(- .*)"

OPERATORS = (
    Operator("step heading without its colon", _HEAD + r"WORKFLOW STEP):", r"\1", "WORKFLOW STEP:"),
    Operator("tool heading without its colon", _HEAD + r"TOOL):", r"\1", "TOOL:"),
    Operator("tools heading without its colon", _HEAD + r"TOOLS):", r"\1", "TOOLS:"),
    Operator("outputs heading without its colon", _HEAD + r"OUTPUTS):", r"\1", "OUTPUTS:"),
    Operator("inputs heading without its colon", _HEAD + r"INPUTS):", r"\1", "INPUTS:"),
    Operator("assert heading without its colon", _HEAD + r"ASSERT):", r"\1", "ASSERT:"),
    Operator("step heading misspelt", _HEAD + r")(WORKFLOW) STEP:", typo(2), r"\2"),
    Operator("word STEP misspelt", _HEAD + r"WORKFLOW )(STEP):", typo(2), r"\2"),
    Operator("tool heading misspelt", _HEAD + r")(TOOLS?):", typo(2), r"\2"),
    Operator("outputs heading misspelt", _HEAD + r")(OUTPUTS):", typo(2), r"\2"),
    Operator("inputs heading misspelt", _HEAD + r")(INPUTS):", typo(2), r"\2"),
    Operator("assert heading misspelt", _HEAD + r")(ASSERT):", typo(2), r"\2"),
    Operator("step heading in bold", r"^#{2,4} (.*WORKFLOW STEP: .*)$", r"**\1**", "###"),
    Operator("outputs heading in bold", r"^#{2,4} (.*OUTPUTS:)$", r"**\1**", "###"),
    Operator("assert heading in bold", r"^#{2,4} (.*ASSERT:)$", r"**\1**", "###"),
    Operator(
        "heading in small letters",
        r"^(### )🔧 WORKFLOW STEP:",
        r"\1workflow step:",
        "WORKFLOW STEP",
    ),
    Operator("tool misspelt", r"(TOOL: )(\w+)$", typo(2), r"\2"),
    Operator("tool misspelt in a list", r"(TOOLS:\n- )(\w+)$", typo(2), r"\2"),
    Operator("tool left out", r"^### \S+ TOOL: \w+$", r"### 🛠️ TOOL:"),
    Operator("output misspelt", r"^(- .*→ )(\w+)$", typo(2), r"\2", r"^.*(?:\[|- |== |\()\2\b"),
    Operator("output in small letters", r"^(- .*→ )(\w+)$", lambda m: m[1] + m[2].lower(), r"\2"),
    Operator("output without its arrow", r"^(- .*) → (\w+)$", r"\1 \2", "→"),
    Operator("output with another arrow", r"^(- .*) → (\w+)$", r"\1 => \2", "→"),
    Operator("output with an arrow of one dash", r"^(- .*) → (\w+)$", r"\1 > \2", "→"),
    Operator("output named by two words", r"^(- .*→ )(\w)(\w+)$", r"\1\2 \3", r"\2_\3"),
    Operator("output without a name", r"^(- .*→) (\w+)$", r"\1"),
    Operator("input misspelt", r"(?<=INPUTS:\n)(- )(\w+)(: )", typo(2), r"\2"),
    Operator("input without its colon", r"(?<=INPUTS:\n)(- )(\w+): ", r"\1\2 ", r"\2:"),
    Operator("variable misspelt in a text", r"\[([A-Z][A-Z_]{4,})\]", typo(), r"\1"),
    Operator("variable in braces", r"\[([A-Z][A-Z_]{3,})\]", r"{\1}", r"[\1]"),
    Operator("variable in two braces", r"\[([A-Z][A-Z_]{3,})\]", r"{{\1}}", r"[\1]"),
    Operator("variable in angles", r"\[([A-Z][A-Z_]{3,})\]", r"<\1>", r"[\1]"),
    Operator("variable after a dollar", r"\[([A-Z][A-Z_]{3,})\]", r"${\1}", r"[\1]"),
    Operator("variable with one bracket", r"\[([A-Z][A-Z_]{3,})\]", r"[\1", r"[\1]"),
    Operator(
        "variable misspelt in an assertion", r"^(- result.* == )([A-Z_]{4,})$", typo(2), r"\2"
    ),
    Operator("one equals sign", r"^(- \w+[\w.]*) == ", r"\1 = ", "=="),
    Operator("three equals signs", r"^(- \w+[\w.]*) == ", r"\1 === ", "=="),
    Operator("operator misspelt", r"^(- result\S* )(contains|exists)", typo(2), r"\2"),
    Operator("string that does not end", r'^(- .*(?:contains|==) ".*)"$', r"\1", '"'),
    Operator("bracket that does not end", r"^(- \w+\.\w+\[\d)\]", r"\1", "]"),
    Operator("nothing to compare with", r"^(- result\.\w+ [<>=]+) \w+$", r"\1"),
    Operator("field of a result misspelt", r"^(- result\.)(\w{4,})", typo(2), r"\2"),
    Operator("field of a tool misspelt", r"^(- (?:git_log|list_files)\.)(\w{4,})", typo(2), r"\2"),
    Operator("fence that does not end", r"(STEP: .*\n```\n(?:(?!```).*\n)+)```\n", r"\1", "```"),
    Operator("fence of two backticks", r"(STEP: .*\n)```$", r"\1``", "```"),
    Operator("list item without its dash", r"(?<=OUTPUTS:\n)- (.*→ \w+)$", r"\1", "- "),
    Operator("two steps of one text", r"^(### 🔧 WORKFLOW STEP: .*\n)", r"\1\1"),
    Operator("step without its text", r"(STEP: .*\n)```\n(?:(?!```).*\n)+```\n", r"\1"),
)
