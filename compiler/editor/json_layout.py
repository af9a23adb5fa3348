"""The layout of JSON files. Only white space between tokens changes, so every text, number and key
stays as it is written, in its order.

Two blanks for each level and one member a line; an object or list that stands on one line stays
there while it is short.
"""

from __future__ import annotations

from flowc.grammar.json_lexing import tokens

WIDTH = 100
"""Columns up to which an object or list may stay on one line."""
_OPEN = frozenset({"OPEN_OBJECT", "OPEN_LIST"})
_CLOSE = frozenset({"CLOSE_OBJECT", "CLOSE_LIST"})
_PLAIN = frozenset({"KEY", "TEXT", "NUMBER", "WORD", "COMMA"})


def lay_out_json(text: str) -> str | None:
    """Return the same JSON in this layout, with the line ends that it has; None for what is not
    JSON from end to end, comments among it."""
    found = _tokens(text)
    if found is None:
        return None
    words, closes = found
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    return "".join(_pieces(words, closes, text)).replace("\n", ending) + ending


_Word = tuple[str, int, int]
"""Kind, start and end of a token."""


def _tokens(text: str) -> tuple[list[_Word], dict[int, int]] | None:
    """Return the tokens, and for each one that opens a bracket the number of that which closes
    it."""
    words: list[_Word] = []
    closes: dict[int, int] = {}
    opened: list[int] = []
    for kind, start, end in tokens(text):
        if kind in _OPEN:
            opened.append(len(words))
        elif kind in _CLOSE:
            if not opened or words[opened[-1]][0][5:] != kind[6:]:
                return None
            closes[opened.pop()] = len(words)
        elif kind == "END":
            break
        elif kind not in _PLAIN:
            return None
        words.append((kind, start, end))
    return None if opened or not words else (words, closes)


def _pieces(words: list[_Word], closes: dict[int, int], text: str) -> list[str]:
    lengths = _lengths(words, text)
    pieces: list[str] = []
    spread: list[bool] = []  # for each open bracket whether its members stand on lines of their own
    for number, (kind, start, end) in enumerate(words):
        if kind in _OPEN:
            last = closes[number]
            wide = 2 * len(spread) + lengths[last + 1] - lengths[number] > WIDTH
            lines = (not spread and last > number + 1) or "\n" in text[start : words[last][2]]
            is_spread = last > number + 1 and (wide or lines)
            # Nothing inside of a line is spread: the bracket around it decided.
            spread.append(is_spread and (not spread or spread[-1]))
            pieces.append(text[start:end])
            if spread[-1]:
                pieces.append("\n" + "  " * len(spread))
        elif kind in _CLOSE:
            if spread.pop():
                pieces.append("\n" + "  " * len(spread))
            pieces.append(text[start:end])
        elif kind == "COMMA":
            inside = bool(spread) and spread[-1]
            pieces.append(",\n" + "  " * len(spread) if inside else ", ")
        else:
            pieces.append(_word(kind, text[start:end]))
    return pieces


def _word(kind: str, word: str) -> str:
    return f"{word[:-1].rstrip()}: " if kind == "KEY" else word


def _lengths(words: list[_Word], text: str) -> list[int]:
    """Return for each token how many characters stand before it when all is on one line."""
    lengths = [0]
    for kind, start, end in words:
        extra = kind == "COMMA"
        lengths.append(lengths[-1] + len(_word(kind, text[start:end])) + extra)
    return lengths
