"""Mistakes of JSON's grammar, whatever the document means."""

from __future__ import annotations

from .operators import Operator

JSON_SYNTAX = (
    Operator("comma left out", r'("|\d|\]|\}),\n(?= +["{])', r"\1\n", ","),
    Operator("comma before the end", r'("|\})\n( +[\]}])', r"\1,\n\2", ","),
    Operator("colon left out", r'"(\w+)": ', r'"\1" ', ":"),
    Operator("single quotes", r'": "(\w+)"', r"': '\1'", '"'),
    Operator("quote that does not end", r'(": "\w+)"', r"\1", '"'),
    Operator("key without its quotes", r'"(\w+)": ', r"\1: ", r'"'),
    Operator("bracket that does not end", r"\n +\](,?)\n", r"\1\n", "]"),
    Operator("brace that does not end", r"\n +\}(,?)\n", r"\1\n", "}"),
    Operator("comment", r"^( +)(\"\w+\": )", r"\1// as agreed\n\1\2", "comment"),
    Operator("equals sign for a colon", r'"(\w+)": ', r'"\1" = ', ":"),
    Operator("key twice", r'^( +"\w+": "[^"\n]*",\n)', r"\1\1"),
    Operator("number with plus", r'": (\d+)', r'": +\1', ""),
    Operator("number with zero first", r'": ([1-9]\d*)(?=[,\n])', r'": 0\1', ""),
    Operator("NaN", r'": (\d+)(?=[,\n])', r'": NaN', ""),
    Operator("smart quotes", r'": "(\w+)"', '": “\\1”', '"'),
    Operator("newline in a text", r'": "([^"\n]{8})([^"\n]*)"', '": "\\1\n\\2"', "\\n"),
    Operator("unknown escape", r'": "([^"\n\\]{3})', r'": "\1\\d', ""),
    Operator("semicolon for comma", r'",\n', '";\n', ","),
    Operator("parenthesis for bracket", r'": \[$', '": (', "["),
    Operator("nbsp for a space", r'^ ( +")', "\u00a0\\1", ""),
    Operator("a second document", r"\}\s*\Z", "}\n{}\n", ""),
    Operator("text at the end", r"\}\s*\Z", "}\nthat is all\n", ""),
    Operator("backticks", r'": "(\w+)"', r'": `\1`', '"'),
)
