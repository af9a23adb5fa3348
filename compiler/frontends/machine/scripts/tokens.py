"""Tokens of JavaScript, as far as finding functions and their returns needs them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_PATTERN = re.compile(
    r"""(?P<blank>(?:\s|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)++)
 |(?P<text>"(?:[^"\\\n]|\\[\s\S])*+"|'(?:[^'\\\n]|\\[\s\S])*+')
 |(?P<name>[\w$\#]++)
 |(?P<sign>=>|\.\.\.|\?\.(?!\d)|&&|\|\||\?\?|[\s\S])
""",
    re.X,
)
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++/\w*+")
_OPERATORS = frozenset(
    ("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do")
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """A word, number, text, template, regular expression or sign, in character offsets."""

    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """Yield every token but blanks and comments. A template is one token, with what it embeds."""
    at, before = 0, Token("sign", "", 0, 0)
    while at < len(text):
        token = _next(text, at, before)
        at = token.end
        if token.kind != "blank":
            before = token
            yield token


def _next(text: str, at: int, before: Token) -> Token:
    if text[at] == "`":
        end = _template_end(text, at)
        return Token("template", text[at:end], at, end)
    if text[at] == "/" and not _is_value(before):
        regex = _REGEX.match(text, at)
        if regex:
            return Token("regex", regex[0], at, regex.end())
    match = _PATTERN.match(text, at)
    assert match is not None
    assert match.lastgroup is not None
    return Token(match.lastgroup, match[0], at, match.end())


def _is_value(token: Token) -> bool:
    """Return whether a slash behind this token divides."""
    if token.kind == "sign":
        return token.text in (")", "]", "}")
    return token.text not in _OPERATORS


def _template_end(text: str, at: int) -> int:
    """Return the end of a template text; what stands in its `${ }` may hold further ones."""
    open_braces: list[int] = []  # for each template inside another: braces open in its `${ }`
    at += 1
    inside_text = True
    while at < len(text):
        sign = text[at]
        if inside_text:
            if sign == "\\":
                at += 1
            elif sign == "`":
                if not open_braces:
                    return at + 1
                inside_text = False
            elif sign == "$" and text.startswith("{", at + 1):
                open_braces.append(0)
                inside_text = False
                at += 1
        elif sign == "`":
            inside_text = True
            # The template inside ends before the braces around it do.
        elif sign in "\"'":
            match = _PATTERN.match(text, at)
            at = match.end() - 1 if match else at
        elif sign == "{":
            open_braces[-1] += 1
        elif sign == "}":
            if open_braces[-1] == 0:
                open_braces.pop()
                inside_text = True
            else:
                open_braces[-1] -= 1
        at += 1
    return len(text)


def closing(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the index of the end of each opening bracket; unbalanced ones are left out."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    for n, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in _CLOSING:
            waiting.append(n)
        elif token.text in ")]}" and waiting and _CLOSING[tokens[waiting[-1]].text] == token.text:
            pairs[waiting.pop()] = n
    return pairs
