"""More mistakes in JSON state machines, in other forms."""

from __future__ import annotations

from .operators import Operator, typo

_TARGET = r'("target": ")(\w+)(")'
_CONDITION = r'("condition": ")(common_data\.\w+) ([<>=!]+) ([^"]+)(")'
_HOLE = r"\{\{common_data\.(\w+)\}\}"

OPERATORS = (
    Operator("target upper", r'("target": ")(\w{4,})"', lambda m: m[1] + m[2].upper() + '"', r"\2"),
    Operator("target cut", r'("target": ")(\w{4,})\w"', r'\1\2"', ""),
    Operator("target plural", r'("target": ")(\w{3,})"', r'\1\2s"', r"\2"),
    Operator("target a list", r'("target": )("\w+")', r"\1[\2]", ""),
    Operator("agent upper", r'("agent": ")(\w+)"', lambda m: m[1] + m[2].upper() + '"', r"\2"),
    Operator("agent plural", r'("agent": ")(\w+)"', r'\1\2s"', r"\2"),
    Operator("agent an object", r'("agent": )("\w+")', r'\1{"name": \2}', ""),
    Operator("context plural", r'("context": ")(\w+)"', r'\1\2s"', r"\2"),
    Operator(
        "states key state_name",
        r'^(  +)"name": ("\w+",\n +"(?:agent|action|input|transition))',
        r'\1"state_name": \2',
        "name",
    ),
    Operator(
        "state id for a name",
        r'^(  +)"name": ("\w+",\n +"(?:agent|action|input|transition))',
        r'\1"id": \2',
        "name",
    ),
    Operator("name number", r'("name": )"\w+"(,\n +"(?:agent|action))', r"\g<1>3\2", ""),
    Operator("name empty", r'("name": )"\w+"(,\n +"(?:agent|action))', r'\1""\2', ""),
    Operator(
        "two states of one name",
        r'("name": "\w+")(,\n +"(?:agent|action)[\s\S]*?)"name": "\w+"(,\n +"(?:agent|action))',
        r"\1\2\1\3",
        "",
    ),
    Operator("transition an object", r'"transition": \[$', '"transition": {', "["),
    Operator("transition inside action", r'("action": \{)', r'"transitoin": [], \1', "transition"),
    Operator("condition number", r'("condition": )"[^"]*"', r"\g<1>1", ""),
    Operator("condition python and", r" && ", " and ", "&&"),
    Operator("condition python True", r'("condition": ")true"', r'\1True"', "true"),
    Operator("condition python not", r'("condition": ")([^"]*[<>=]{2}[^"]*)"', r'\1not \2"', ""),
    Operator("condition length call", r"\.length\b(?!\()", ".length()", "length"),
    Operator("condition len", r"([\w.]+(?:\(\))?)\.length\b", r"len(\1)", "length"),
    Operator("condition size", r"\.length\b", ".size", "length"),
    Operator("condition single quote left", r"(\"condition\": \"[^\"']*'[^'\"]*)'", r"\1", "'"),
    Operator("condition double =", r"(\"condition\": \"[^\"]*) < ", r"\1 =< ", "<="),
    Operator("condition paren extra", r'("condition": "[^"]*\w)"', r'\1)"', ""),
    Operator(
        "lastAgentResponse snake", r"lastAgentResponse", "last_agent_response", "lastAgentResponse"
    ),
    Operator("lastAgentResponse cut", r"lastAgentResponse", "lastResponse", "lastAgentResponse"),
    Operator(
        "lastAgentResponse upper", r"lastAgentResponse", "LastAgentResponse", "lastAgentResponse"
    ),
    Operator("strip for trim", r"\.trim\(\)", ".strip()", "trim"),
    Operator("common_data bracket", r"common_data\.(\w+)", r"common_data[\1]", ""),
    Operator("common_data colon", r"common_data\.(\w+)", r"common_data:\1", ""),
    Operator("common_data data", r"common_data\.", r"data.", "common_data"),
    Operator("common_data plural", r"common_data\.", r"common_datas.", "common_data"),
    Operator(
        "common_data upper field",
        r"common_data\.([a-z]\w{3,})",
        lambda m: "common_data." + m[1].title(),
        r"\1",
    ),
    Operator("common_data plural field", r"(common_data\.)([a-z]\w{3,})\b", r"\1\2s", r"\2"),
    Operator(
        "template blanks missing dot", r"\{\{common_data\.(\w+)\}\}", r"{{common_data \1}}", "."
    ),
    Operator("template brackets", r"\{\{(common_data\.\w+)\}\}", r"[\1]", "{{"),
    Operator("template brackets two", r"\{\{(common_data\.\w+)\}\}", r"[[\1]]", "{{"),
    Operator("template open missing", r"\{\{(common_data\.\w+)\}\}", r"\1}}", "{{"),
    Operator("template filter", r"\{\{(common_data\.\w+)\}\}", r"{{\1 | upper}}", ""),
    Operator("variables list", r'"variables": \{', '"variables": [', "{"),
    Operator("variable value bare word", r'("\w+": )(\d+)(,?\n)', r"\1many\3", ""),
    Operator(
        "script function call misspelt", r'("action": \{ ?\n? *"function": ")(\w+)"', typo(2), r"\2"
    ),
    Operator(
        "action a text",
        r'"action": \{\s*"(?:function|script)": ("[^"]*")\s*\}',
        r'"action": \1',
        "",
    ),
    Operator("action key code", r'"action": \{(\s*)"script"', r'"action": {\1"code"', "script"),
    Operator(
        "action both unknown", r'"action": \{(\s*)"function"', r'"action": {\1"func"', "function"
    ),
    Operator(
        "starting messages misspelt",
        r'"starting_messages"',
        '"start_messages"',
        "starting_messages",
    ),
    Operator("role of message", r'("role": ")system"', r'\1sytem"', "system"),
    Operator("content of message", r'"content": ', '"text": ', "content"),
    Operator("handler with parens", r'(_handler": ")(\w+)"', r'\1\2()"', r"\2"),
    Operator("handler upper", r'(_handler": ")(\w+)"', lambda m: m[1] + m[2].title() + '"', r"\2"),
    Operator("before misspelt", r'"before":', '"befor":', "before"),
    Operator("before called after", r'"before":', '"after":', "before"),
    Operator("whole misses a brace", r"\}\s*\Z", "", "}"),
    Operator("array closes with a brace", r"\n( +)\](,?)\n", r"\n\1}\2\n", "]"),
    Operator("missing quote at start of a key", r'\n( +)"(\w+)": ', r'\n\1\2": ', '"'),
    Operator("missing quote at end of a key", r'\n( +)"(\w+)": ', r'\n\1"\2: ', '"'),
    Operator("comma doubled", r'",\n', '",,\n', ","),
    Operator("comma for colon", r'"(\w+)": ', r'"\1", ', ":"),
    Operator("hash comment", r'^( +)("\w+": )', r"\1# note\n\1\2", "comment"),
    Operator(
        "strange conflict",
        r'^( *)("name": "(\w+)",?)$',
        r'<<<<<<< HEAD\n\1\2\n=======\n\1"name": "other",\n>>>>>>> main',
        "<<<<<<<",
    ),
    Operator("strange zwsp target", _TARGET, "\\1\\2\u200b\\3", r"\2"),
    Operator(
        "strange zwsp key", r'"(target|agent|condition|transition_handler)":', '"\\1\u200b":', r"\1"
    ),
    Operator(
        "strange nbsp in key",
        r'"(target|agent|condition|transition_handler)":',
        '"\\1\u00a0":',
        r"\1",
    ),
    Operator("strange key cond", r'"condition":', '"cond":', "condition"),
    Operator("strange key guard", r'"condition":', '"guard":', "condition"),
    Operator("strange key Next", r'"target":', '"Next":', "target"),
    Operator("strange key goto", r'"target":', '"goto":', "target"),
    Operator("strange key Choices", r'"transition":', '"Choices":', "transition"),
    Operator("strange key nodes", r'"states":', '"nodes":', "states"),
    Operator("strange key maxLength", r'"max_length":', '"maxLength":', "max_length"),
    Operator("strange key max_tokens", r'"max_length":', '"max_tokens":', "max_length"),
    Operator("strange key id", r'^( +)"name": ("\w+",)$', r'\1"id": \2', "name"),
    Operator("strange key onEnter", r'"pre_handler":', '"onEnter":', "pre_handler"),
    Operator(
        "strange handler with this",
        r'("(?:pre|post|transition)_handler": ")(\w+)"',
        r'\1this.\2"',
        r"\2",
    ),
    Operator(
        "strange handler null text",
        r'("(?:pre|post|transition)_handler": ")(\w+)"',
        r'\1none"',
        r"",
    ),
    Operator("strange target END", r'"target": "stop"', '"target": "END"', "stop"),
    Operator("strange target __end__", r'"target": "stop"', '"target": "__end__"', "stop"),
    Operator("strange target with braces", _TARGET, r"\1{{\2}}\3", r"\2"),
    Operator("strange c always", r'"condition": "true"', '"condition": "always"', "true"),
    Operator("strange c else", r'"condition": "true"', '"condition": "else"', "true"),
    Operator("strange c default", r'"condition": "true"', '"condition": "default"', "true"),
    Operator("strange c otherwise", r'"condition": "true"', '"condition": "otherwise"', "true"),
    Operator(
        "strange c state.",
        _CONDITION,
        lambda m: m[1] + m[2].replace("common_data.", "state.") + f" {m[3]} {m[4]}" + m[5],
        "common_data",
    ),
    Operator(
        "strange c function path args",
        r"function\.(\w+)\.arguments\.",
        r"function.\1.args.",
        "arguments",
    ),
    Operator(
        "strange c function arg one",
        r'("condition": ")function\.(\w+)\.argument\w*\.(\w+)',
        r"\1function.\2.\3",
        "arguments",
    ),
    Operator(
        "strange c .lower",
        r'("condition": ")(common_data\.\w+) ([<>=!]+) ([^"]+)(")',
        r"\1\2.lower() == 'x'\5",
        "toLowerCase",
    ),
    Operator(
        "strange c .startswith",
        r'("condition": ")(common_data\.\w+) ([<>=!]+) ([^"]+)(")',
        r"\1\2.startswith('x')\5",
        "startsWith",
    ),
    Operator("strange c python and", _CONDITION, r"\1\2 \3 \4 and common_data.x_y == 1\5", ""),
    Operator("strange t if", _HOLE, r"{% if common_data.\1 %}x{% endif %}", r""),
    Operator("strange t erb", _HOLE, r"<%= common_data.\1 %>", r"common_data.\1"),
    Operator("strange t fullwidth", _HOLE, r"｛｛common_data.\1｝｝", r"common_data.\1"),
    Operator("strange input dollar path", r'("input": ")(common_data\.\w+)(")', r"\1$.\2\3", r"\2"),
    Operator(
        "strange input path in prose",
        r'("input": ")(common_data\.\w+)(")',
        r"\1Please answer \2 now.\3",
        r"{{\2}}",
    ),
    Operator("strange agent role ai", r'("role": ")assistant(")', r"\1ai\2", "assistant"),
    Operator("strange max_length text", r'("max_length": )(\d+)', r'\1"\2"', r"\2"),
    Operator(
        "strange before misspelt right",
        r'("before": "common_data\.\w+ = this\.)(\w+)',
        r"\1lastAnswer",
        "lastAgentResponse",
    ),
    Operator("second blank agent", r'("agent": )"\w+"', r'\1" "', "agent"),
)
