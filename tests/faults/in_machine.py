"""Mistakes in JSON state machines with script handlers."""

from __future__ import annotations

from . import more_machine
from .in_json import JSON_SYNTAX
from .operators import Operator, typo


def _key(name: str) -> Operator:
    return Operator(f"key {name} misspelt", rf'"({name})":', typo(), name)


def _called(key: str, other: str) -> Operator:
    return Operator(f"key {key} called {other}", rf'"{key}":', f'"{other}":', key)


OPERATORS = (
    *JSON_SYNTAX,
    *map(_key, ("states", "transition", "target", "condition", "agent", "input", "action")),
    *map(_key, ("function", "script", "agents", "context", "agent_role", "variables", "name")),
    *map(_key, ("pre_handler", "post_handler", "transition_handler", "max_length", "before")),
    Operator("target misspelt", r'("target": ")(\w{4,})"', typo(2), r"\2"),
    Operator("agent misspelt", r'("agent": ")(\w+)"', typo(2), r"\2"),
    Operator("context misspelt", r'("context": ")(\w+)"', typo(2), r"\2"),
    Operator("handler misspelt", r'(_handler": ")(\w+)"', typo(2), r"\2"),
    Operator("function misspelt", r'("function": ")(\w+)"', typo(2), r"\2"),
    Operator(
        "state misspelt", r'("states": [\s\S]*"name": ")(\w{4,})"', typo(2), r"\2", r'target": "\2"'
    ),
    Operator("state of two names", r'^( +"name": "\w+",\n)( +"agent)', r"\1\1\2", "name"),
    Operator("start misspelt", r'("name": ")(start)"', typo(2), r"\2"),
    Operator("end misspelt", r'("name": ")(stop)"', typo(2), r"\2"),
    Operator(
        "variable misspelt in a condition",
        r'(condition": "[^"]*common_data\.)(\w{5,})',
        typo(2),
        r"\2",
    ),
    Operator(
        "variable misspelt in an input", r'("input": "[^"]*common_data\.)(\w{4,})', typo(2), r"\2"
    ),
    Operator("variable misspelt in a script", r'(= [^"]*common_data\.)(\w{5,})', typo(2), r"\2"),
    Operator(
        "variable misspelt where a script sets it",
        r'("(?:before|script)": "[^"]*common_data\.)(\w{4,})(?= = |\+\+)',
        typo(2),
        r"\2",
    ),
    Operator("common_data misspelt", r'("[^"\n]*)(common_data)(\.)', typo(2), r"\2"),
    Operator("answer misspelt", r"(lastAgentResponse)", typo(), r"\1"),
    Operator("template that does not end", r"(\{\{common_data\.\w+)\}\}", r"\1}", "}}"),
    Operator("template in one brace", r"\{\{(common_data\.\w+)\}\}", r"{\1}", r"{{\1}}"),
    Operator("assignment for a comparison", r'(condition": "[^"]*) ===? ', r"\1 = ", "=="),
    Operator("parenthesis that does not end", r'(condition": "[^"]*\()\)', r"\1", ")"),
    Operator("script that does not end", r"('[^'\"\n]*)'\"", r'\1"'),
    Operator("tool misspelt", r"(function\.)(\w+)(\.arguments)", typo(2), r"\2"),
    Operator("argument misspelt", r"(\.arguments\.)(\w+)", typo(2), r"\2"),
    Operator("kind of action misspelt", r'("role": ")(assistant)"', typo(2), r"\2"),
    Operator("number as a word", r'("max_length": )(\d+)', r'\1"\2"', "number"),
    Operator(
        "one transition without its list",
        r'("transition": )\[\s*(\{[^{}]*\})\s*\]',
        r"\1\2",
        "list",
    ),
    Operator("state without a way out", r',\s*"transition": \[\s*\{[^{}]*\}\s*\]', ""),
    Operator("name left out", r'^ +"name": "\w+",\n(?= +"(?:agent|action))', "", "name"),
    _called("states", "state"),
    _called("states", "nodes"),
    _called("transition", "transitions"),
    _called("target", "to"),
    _called("target", "next"),
    _called("condition", "when"),
    _called("condition", "if"),
    _called("agent", "agents"),
    _called("input", "prompt"),
    _called("pre_handler", "preHandler"),
    _called("context", "ctx"),
    _called("variables", "vars"),
    _called("max_length", "maxLength"),
    _called("agents", "agent"),
    Operator("states an object", r'"states": \[', '"states": {', "["),
    Operator("target null", r'("target": )"\w+"', r"\1null", ""),
    Operator("target a number", r'("target": )"\w+"', r"\g<1>3", ""),
    Operator("target empty", r'("target": ")\w+"', r'\1"', ""),
    Operator("condition empty", r'("condition": ")[^"]+"', r'\1"', ""),
    Operator("condition a boolean text", r'("condition": ")[^"]+"', r'\1yes"', ""),
    Operator("method misspelt", r"\.(includes|trim|toLowerCase|indexOf)\(", typo(), r"\1"),
    Operator("length misspelt", r"\.(length)\b", typo(), r"\1"),
    Operator("camel common data", r"common_data\.", "commonData.", "common_data"),
    Operator("hyphen common data", r"common_data\.", "common-data.", "common_data"),
    Operator("template of dollar", r"\{\{(common_data\.\w+)\}\}", r"${\1}", "{{"),
    Operator(
        "template without common_data", r"\{\{common_data\.(\w+)\}\}", r"{{\1}}", "common_data"
    ),
    Operator("template in angle", r"\{\{(common_data\.\w+)\}\}", r"<\1>", "{{"),
    Operator("template percent", r"\{\{(common_data\.\w+)\}\}", r"{%\1%}", "{{"),
    Operator("transition left out", r',\s*"transition": \[[^\[\]]*\]', "", ""),
    Operator("agent of an unknown", r'("agent": )"\w+"', r'\1"nobody"', ""),
    Operator("agent a list", r'("agent": )"(\w+)"', r'\1["\2"]', ""),
    Operator("max_length negative", r'("max_length": )(\d+)', r"\1-\2", ""),
    Operator("max_length a fraction", r'("max_length": )(\d+)', r"\1\2.5", ""),
    Operator("state without name two", r'^( +)"name": "\w+",\n', "", "name"),
    *more_machine.OPERATORS,
)
