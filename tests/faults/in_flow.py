"""Mistakes in flow YAML."""

from __future__ import annotations

from .operators import Operator, typo


def _key(name: str) -> Operator:
    return Operator(f"key {name} misspelt", rf"^( *(?:- )?)({name})(:)", typo(2), name)


OPERATORS = (
    *map(_key, ("nodes", "agents", "params", "outputs", "state", "workflows", "limits", "title")),
    *map(_key, ("prompt", "assign", "into", "foreach", "item", "with", "schema", "concurrency")),
    *map(
        _key, ("agent", "next", "join", "retry", "choices", "returns", "assert", "name", "system")
    ),
    Operator("nodes called steps", r"^nodes:", "steps:", "nodes"),
    Operator("colon left out", r"^( +\w+): (?=\w)", r"\1 ", ":"),
    Operator("colon left out of a key with a block", r"^( *\w+):$", r"\1", ":"),
    Operator("space after the colon left out", r"^( +(?:agent|prompt|into|next)): ", r"\1:", ": "),
    Operator("tab for spaces", r"^    (\w+: )", "\t\\1", "tab"),
    Operator("indented too little", r"^    ((?:agent|prompt|into|assign): )", r"   \1"),
    Operator("indented too far", r"^    ((?:into|next|agent): )", r"      \1"),
    Operator("dash left out", r"^  - (name: )", r"    \1", "-"),
    Operator("quote that does not end", r'(: "[^"\n]*)"$', r"\1", '"'),
    Operator("bracket that does not end", r"(: \[[^\]\n]*)\]$", r"\1", "]"),
    Operator("brace that does not end", r"^( +\w+: \{[^}\n]*)\}$", r"\1", "}"),
    Operator("template unquoted", r"^( +(?:error|prompt|text): )\"(\{\{.*)\"$", r"\1\2", '"'),
    Operator("next misspelt", r"^(    next: )(\w{4,})$", typo(2), r"\2"),
    Operator("next misspelt in a list", r"(next: \[)(\w{4,})", typo(2), r"\2"),
    Operator("target of a case misspelt", r"(\bto: )(\w{4,})\b", typo(2), r"\2"),
    Operator("node misspelt", r"^(  - name: )(\w{4,})$", typo(2), r"\2", r"(?:next|to).*\b\2\b"),
    Operator("node of two names", r"^(  - name: \w+\n)", r"\1    name: other\n", "name"),
    Operator(
        "two nodes of one name",
        r"^  - name: (\w+)([\s\S]*?)^  - name: \w+",
        r"  - name: \1\2  - name: \1",
        r"\1",
    ),
    Operator("agent misspelt", r"^( +agent: )(\w{3,})$", typo(2), r"\2"),
    Operator("tool misspelt", r"(tools?: \[?)(\w+_\w+)", typo(2), r"\2"),
    Operator("argument of a tool misspelt", r"(args: \{)(path|pattern)(:)", typo(2), r"\2"),
    Operator("workflow misspelt", r"^( +(?:do|call): )(\w+)$", typo(2), r"\2"),
    Operator("output misspelt", r"^( *outputs: \[)(\w{4,})", typo(2), r"\2"),
    Operator("output that is a number", r"^( *outputs: )\[.*\]$", r"\g<1>3", "list"),
    Operator("return misspelt", r"(returns: \{\w+: )(\w{4,})", typo(2), r"\2"),
    Operator("item without such a parameter", r"^( +item: )(\w{4,})$", typo(2), r"\2"),
    Operator("value handed over misspelt", r"(with: \{)(\w{4,})(:)", typo(2), r"\2"),
    Operator("value that is not handed over", r"(with: \{)(\w+): \w+(?=[,}])", r"\1", r"\2"),
    Operator("list that is misspelt", r"^( +foreach: )(\w{4,})$", typo(2), r"\2"),
    Operator("variable misspelt in a template", r"(\{\{ )(\w{4,})( \}\})", typo(2), r"\2"),
    Operator("variable in one brace", r"\{\{ (\w{4,}) \}\}", r"{\1}", r"{{ \1 }}"),
    Operator("variable in brackets", r"\{\{ ([A-Za-z]\w{3,}) \}\}", r"[\1]", r"{{ \1 }}"),
    Operator("variable with a brace too few", r"\{\{ (\w{4,}) \}\}", r"{{ \1 }", r"}}"),
    Operator("function misspelt", r"\b(length|upper|join|number)\(", typo(), r"\1"),
    Operator("variable misspelt in an expression", r"(assert: length\()(\w{4,})", typo(2), r"\2"),
    Operator("field misspelt", r"(\{\{ \w+\.)(\w{4,})( \}\})", typo(2), r"\2"),
    Operator("parenthesis that does not end", r"(assert: \w+\(\w+)\)", r"\1", ")"),
    Operator("one equals sign", r"(assert: .*) == ", r"\1 = ", "=="),
    Operator(
        "type misspelt", r"(type: )(text|list|integer|object|number|string)\b", typo(2), r"\2"
    ),
    Operator("default of another type", r"(type: integer, default: )(\d+)", r"\1three", "integer"),
    Operator(
        "text for a list", r"^( +languages: \{type: list, default: )\[.*\]", r"\1French", "list"
    ),
    Operator("reducer misspelt", r"(reducer: )(\w+)", typo(2), r"\2"),
    Operator("required property misspelt", r"(required: \[)(\w{4,})", typo(2), r"\2"),
    Operator("case that is not a choice", r"^(      )(GOOD|BAD)(: )", typo(2), r"\2"),
    Operator("number as a word", r"(concurrency: )\d+", r"\1two"),
    Operator("prompt misspelt", r"(uses: )(\w+)$", typo(2), r"\2"),
    Operator("thread misspelt", r"(thread: )(\w+)$", typo(2), r"\2"),
    Operator("function of a script misspelt", r"(function: )(\w+)$", typo(2), r"\2"),
    Operator("script misspelt", r"^(    script: )(\w+)$", typo(2), r"\2"),
    Operator("what is written misspelt", r"^(    into: )(\w{5,})$", typo(2), r"\2", r"\b\2\b"),
    Operator("wait of another word", r"(join: )all", r"\1alll", "all"),
    Operator("version of another language", r"^flow: 1$", "flow: 2", "1"),
    Operator("key twice", r"^(    into: \w+\n)", r"\1\1", "into"),
)
