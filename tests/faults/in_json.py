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
)
