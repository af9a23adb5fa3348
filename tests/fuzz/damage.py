"""Good and bad files of every dialect, and what becomes of them: cut, doubled, swapped, spliced.

Input number n of a seed is always the same text, so a number is enough to see a fault again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("tests/corpus", "workflows/examples", "tests/faults/twins")
ENDS = (".md", ".json", ".yaml", ".mmd", ".js", ".py")
MAX_SIZE = 6_000
"""Longer files are damaged elsewhere: of a million inputs each has a millisecond or two."""
SCRAPS = (
    "{", "}", "[", "]", "(", ")", "{{ x }}", "{{", "}}", "[NAME]", "${a}", "`", "```", "~~~", "'",
    '"', "\\", "\\u12", "\ud800", "\x00", "\x85", "\u2028", "\ufeff", "\r", "\r\n", "\t", "\n\n",
    "😀", "İ", "ß", "→", "-->", "-->|NO|", "-.-", ":", ": ", ",", "- ", "* ", "# ", "## ", "### 🔧",
    "🛠️ TOOL:", "---", "|", ">", "&a ", "*a", "!!x ", "%% ", "<!-- ", "-->", "null", "true", "1e999",
    "-0", "0x1", "99999999999999999999", "NaN", ".5", "item", "error.message", "end", "on", "if",
    "and", "not ", "==", "contains", "matches (", "length(", "filter(a, ", "read_file('x')", "~",
    "!INCLUDE x", "flowc: allow FC2002", "a" * 300, "(" * 120, "[" * 120, "{a: " * 60, "- " * 90,
)  # fmt: skip
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

Change = Callable[[str, random.Random], str]


def originals() -> list[tuple[str, str]]:
    """Return names and texts of the files that are damaged."""
    found = sorted(
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDS
    )
    texts = [(path.name, path.read_bytes().decode(errors="replace")) for path in found]
    return [(name, text) for name, text in texts if 0 < len(text) <= MAX_SIZE]


def damage(files: list[tuple[str, str]], seed: int, number: int) -> tuple[str, str]:
    """Return the name and the text of an input: a file with one to four changes."""
    dice = random.Random(f"{seed} {number}")
    name, text = dice.choice(files)
    if dice.random() < 0.1:
        other = dice.choice(files)[1]
        text = text[: dice.randrange(len(text) + 1)] + other[dice.randrange(len(other) + 1) :]
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 4))):
        text = dice.choice(CHANGES)(text, dice)
    return name, text


def _cut(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text) + 1)
    return text[:at] + text[at + dice.choice((1, 1, 2, 5, 20, 200)) :]


def _truncate(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text) + 1)]


def _insert(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text) + 1)
    return text[:at] + dice.choice(SCRAPS) + text[at:]


def _replace_token(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text) + 1)
    token = _TOKEN.search(text, at)
    if token is None:
        return _insert(text, dice)
    others = _TOKEN.findall(text[: at + 400])
    new = dice.choice(SCRAPS if dice.random() < 0.5 or not others else others)
    return text[: token.start()] + new + text[token.end() :]


def _change_letter(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text) + 1)
    letter = chr(dice.choice((dice.randrange(32, 127), dice.randrange(0x3000), ord("\n"))))
    return text[:at] + letter + text[at + 1 :]


def _double_lines(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, length = dice.randrange(len(lines)), dice.choice((1, 1, 2, 8))
    here = dice.randrange(len(lines) + 1)
    return "".join([*lines[:here], *lines[at : at + length], *lines[here:]])


def _drop_lines(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = dice.randrange(len(lines))
    return "".join([*lines[:at], *lines[at + dice.choice((1, 1, 2, 8)) :]])


def _indent_lines(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = dice.randrange(len(lines))
    for number in range(at, min(len(lines), at + dice.choice((1, 1, 3, 9)))):
        lines[number] = " " * dice.randrange(9) + lines[number].lstrip(" ")
    return "".join(lines)


def _swap_words(text: str, dice: random.Random) -> str:
    words = list(re.finditer(r"\w+", text))
    if len(words) < 2:
        return _insert(text, dice)
    first, second = sorted(dice.sample(words, 2), key=re.Match.start)
    between = text[first.end() : second.start()]
    return text[: first.start()] + second[0] + between + first[0] + text[second.end() :]


CHANGES: tuple[Change, ...] = (
    _cut,
    _cut,
    _truncate,
    _insert,
    _insert,
    _replace_token,
    _replace_token,
    _replace_token,
    _change_letter,
    _double_lines,
    _drop_lines,
    _indent_lines,
    _swap_words,
)
