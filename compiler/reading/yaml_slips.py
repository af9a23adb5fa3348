"""Slips in YAML: where a person made the mistake that a parser of YAML notices further down.

    into reply            a key without its colon         noticed in the next line
    outputs: [text        a bracket that is not closed    noticed at the next key
    error: "`wc` failed   a quote that is not closed      noticed at the next quote, or at the end
    title: Report: May    a text that needs quotes        noticed at its colon

This looks at lines, and only after the parser has refused the file: what it finds there is a better
place and better words for the same fault, never a fault of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from ..source.records import dataclass
from .tree import brief

_LINE = re.compile(r"(?P<indent>[ \t]*)(?P<dash>(?:-[ ]+)*)(?P<body>[^\r\n]*)\r?\n?")
_KEY = re.compile(r"[ ]*(?:-[ ]+)*[\w$-][\w$ .-]*:(?:\s|$)|[ ]*-[ ]|[ ]*$")
_BLOCK = re.compile(r":[ ]*[|>][-+0-9]*[ ]*(?:#.*)?$")
_VALUE = re.compile(r"(?:[\w$-]+:[ ]+)?(?P<value>[\"'\[{].*)")
_COLONLESS = re.compile(r"(?P<key>\w+)(?:[ ]+[^\s:=].*|[ ]*)$")
_EQUALS = re.compile(r"(?P<key>\w+)(?P<sign>[ ]*=[ ]*)(?!=)(?=\S|$)")
_TIGHT = re.compile(r"(?P<key>\w+):(?=[^ \t\r\n:/])")
_WIDE = re.compile(r"(?P<key>\w+)(?P<sign>[ ]?[：︓∶][ ]?)")
_OTHER_COMMENT = re.compile(r"//|/\*|<!--|<{7}(?= |$)|={7}$|>{7}(?= |$)")
_DASH = re.compile(r"-(?P<key>\w+):")
ODD_BLANKS = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000]+[ ]*")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'")
_ENTRY = re.compile(r"(?P<key>[\w$.-]+):(?:[ ]+(?P<value>\S.*?))?[ ]*(?:[ ]#.*)?$")
_LAST_WORD = re.compile(r"[ ]+[\w$-]+$")
_WORD = re.compile(r"[\w$-]+(?=[ \r\n]|\Z)")
_WORD_AND_VALUE = re.compile(r"[\w$-]+[ ]+[\[{\"']")
_ESCAPE = re.compile(r"\\(?![0abtnvfre \"/\\N_LPxuU\t]|$)")
_BRACKET = re.compile(rf"{_STRING.pattern}|[\[\]{{}}]")
_CLOSING = {"[": "]", "{": "}"}
_OPENING = {"]": "[", "}": "{"}
_QUOTE = "this quote is not closed"


@dataclass(frozen=True, slots=True)
class Repair:
    """Replace the characters from `start` to `end` by `text`. It is `safe` where nothing else can
    have been meant."""

    start: int
    end: int
    text: str
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Slip:
    """A place, what is wrong there, what to write, and what makes YAML of it."""

    start: int
    end: int
    message: str
    help: str
    repair: Repair | None = None


def find_slip(
    text: str, keys: Set[str], noticed: int, problem: str = "", begun: int | None = None
) -> Slip | None:
    """Return the slip that is behind a fault which the parser noticed at an offset. `keys` are
    those of the language, `problem` is what the parser says, `begun` where that began which it
    could not finish."""
    found: Slip | None = None
    for slip in _slips(text, keys, text.find("\n", noticed) + 1 or len(text)):
        if slip.message == _QUOTE:
            return slip  # it swallows what follows, up to the next quote
        found = slip
    if found is not None and ("expected ','" in problem or _is_near(text, found, noticed)):
        return found
    return _noticed_slip(text, noticed, problem, begun) or found


def _is_near(text: str, slip: Slip, noticed: int) -> bool:
    """Tell whether a slip stands in the line where a fault was noticed, or in the last before."""
    line = text.rfind("\n", 0, noticed) + 1
    return not text[text.find("\n", slip.end) + 1 : line].strip()


def _slips(text: str, keys: Set[str], end: int) -> Iterator[Slip]:
    """Yield what looks like a slip in the lines up to an offset, outside of blocks of text."""
    before: re.Match[str] | None = None
    for line in _content_lines(text, end):
        if "\t" in line["indent"]:
            tab = line.start() + line["indent"].index("\t")
            message, help = "a tab stands where blanks indent", "write blanks in place of the tab"
            repair = Repair(line.start(), line.end("indent"), " " * _column_below(before), True)
            yield Slip(tab, tab + 1, message, help, repair)
        slip = _slip(text, keys, line)
        if slip is not None:
            yield slip
        before = line


def _content_lines(text: str, end: int) -> Iterator[re.Match[str]]:
    """Yield the lines up to an offset that are neither empty nor comments nor text in a block."""
    at, block = 0, -1
    while at < end:
        match = _LINE.match(text, at)
        assert match is not None, "the pattern matches anything"
        start, at = at, match.end()
        indent, body = len(match["indent"]), match["body"]
        if not body or body.startswith("#") or (block >= 0 and indent > block):
            continue
        block = indent if _BLOCK.search(body) else -1
        yield match
        if at == start:
            return


def _column_below(line: re.Match[str] | None) -> int:
    """Return the column of what follows a line: of what is beside it, or below it."""
    if line is None:
        return 0
    below = line["body"].rstrip().endswith(":")
    return len(line["indent"]) + len(line["dash"]) + (2 if below else 0)


def _slip(text: str, keys: Set[str], line: re.Match[str]) -> Slip | None:
    column = len(line["indent"]) + len(line["dash"])
    body, start, following = line["body"], line.start("body"), _next_line(text, line.end())
    end = start + len(body.rstrip())
    value = _VALUE.match(body)
    if value is not None:
        left = start + value.start("value")
        sign = value["value"][0]
        if sign in "\"'" and not _STRING.match(value["value"]) and _KEY.match(following):
            repair = Repair(end, end, sign, " #" not in value["value"])
            return Slip(left, left + 1, _QUOTE, f"write `{sign}` at its end", repair)
        ends = bool(_KEY.match(following)) and _indent(following) <= column
        if sign in "[{" and (slip := _brackets(value["value"], left, end, ends)):
            return slip
    return _odd_signs(keys, line) or _without_colon(keys, line, following)


def _odd_signs(keys: Set[str], line: re.Match[str]) -> Slip | None:
    """Return the slip of signs that look like YAML's own, and of a dash that touches its key."""
    body, start = line["body"], line.start("body")
    blanks = ODD_BLANKS.match(body)
    if blanks is not None:
        end = start + blanks.end()
        message, help = "a blank of another kind stands where blanks indent", "write plain blanks"
        return Slip(start, end, message, help, Repair(start, end, " " * len(blanks[0]), True))
    if (other := _OTHER_COMMENT.match(body)) is not None:
        end = start + len(body.rstrip())
        message, help = f"`{other[0]}` begins no comment", "a comment begins with `#`"
        if other[0][0] in "<>=":
            message, help = "a line of a merge stands here", "take it out, and keep one version"
        return Slip(start, end, message, help)
    key = _WIDE.match(body)
    if key is not None and key["key"] in keys:
        first, last = start + key.start("sign"), start + key.end("sign")
        message, help = f"this is not a colon: `{key['sign']}`", f"write `{key['key']}: `"
        return Slip(first, last, message, help, Repair(first, last, ": ", True))
    key = _DASH.match(body)
    if key is not None and key["key"] in keys:
        message, help = "no blank stands behind the dash", f"write `- {key['key']}:`"
        return Slip(start, start + 1, message, help, Repair(start + 1, start + 1, " ", True))
    return None


def _brackets(value: str, start: int, end: int, ends: bool) -> Slip | None:
    """Return the slip of a bracket in a value that begins at an offset. `ends` says that the value
    surely ends on its line."""
    open: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(value):
        sign, at = match[0], start + match.start()
        if sign in _CLOSING:
            open.append((_CLOSING[sign], at))
        elif sign in _OPENING and open:
            wanted, began = open.pop()
            if sign != wanted:
                message, help = f"this `{_OPENING[wanted]}` is not closed", f"write `{wanted}`"
                needed = sum(sign == other for other, _ in open)
                spare = value.count(sign, match.start()) > needed
                repair = Repair(at, at + spare, wanted)
                return Slip(began, began + 1, message, help, repair)
    if not open or not ends:
        return None
    rest = "".join(sign for sign, _ in reversed(open))
    message, began = f"this `{_OPENING[open[0][0]]}` is not closed", open[0][1]
    repair = Repair(end, end, rest, " #" not in value)
    return Slip(began, began + 1, message, f"write `{rest}` at its end", repair)


def _without_colon(keys: Set[str], line: re.Match[str], following: str) -> Slip | None:
    body, start = line["body"], line.start("body")
    column = len(line["indent"]) + len(line["dash"])
    key = _TIGHT.match(body)
    if key is not None and key["key"] in keys:
        end = start + key.end()
        message = "no blank stands behind the colon"
        return Slip(start, end, message, f"write `{key[0]} `", Repair(end, end, " ", True))
    key = _EQUALS.match(body)
    if key is not None and key["key"] in keys:
        first, last = start + key.start("sign"), start + key.end("sign")
        message, help = f"no colon stands behind `{key['key']}`", f"write `{key['key']}: `"
        return Slip(start, last, message, help, Repair(first, last, ": ", True))
    key = _COLONLESS.match(body)
    known = key is not None and key["key"] in keys
    if key is not None and (known or _has_block(key[0], column, following)):
        end = start + key.end("key")
        message = f"no colon stands behind `{key['key']}`"
        return Slip(start, end, message, f"write `{key['key']}: `", Repair(end, end, ":", known))
    return None


def _noticed_slip(text: str, at: int, problem: str, begun: int | None) -> Slip | None:
    """Return the slip in the very line where the parser noticed a fault, or began to."""
    if "could not find expected ':'" in problem and begun is not None:
        return _word(text, begun)
    start = text.rfind("\n", 0, at) + 1
    line = _LINE.match(text, start)
    assert line is not None, "the pattern matches anything"
    first = start + len(line["indent"])
    if "mapping values are not allowed" in problem:
        return _with_colon(text, line, at)
    if "cannot start any token" in problem and "\t" not in line["indent"]:
        return _bare(line, f"a text that begins with `{text[at : at + 1]}` stands without quotes")
    if "did not find expected ',' or" in problem:
        return _inside_brackets(text, start, at)
    if "unknown escape" in problem:
        return _escape(line)
    if at > first and ("expected key" in problem or "'-' indicator" in problem):
        sign = text[first:at].rstrip()[-1:]
        return _bare(line, f"the text goes on behind `{sign}`")
    if "expected key" in problem or "'-' indicator" in problem:
        return _column_slip(text, line, "'-'" in problem)
    return None


def _with_colon(text: str, line: re.Match[str], at: int) -> Slip | None:
    """Return the slip of a line with a colon where none may stand: in a text without quotes, or in
    a line that is indented below a value."""
    entry = _ENTRY.match(line["body"])
    if entry is not None and entry["value"] and at > line.start("body") + entry.end("key"):
        return _bare(line, "a text with `: ` stands without quotes")
    above = _columns(text, line.start())
    column = len(line["indent"])
    if entry is None and _WORD_AND_VALUE.match(line["body"]):
        return _word(text, line.start("body"))
    before = next(iter(reversed(list(_content_lines(text, line.start())))), None)
    if before is not None and _ENTRY.match(before["body"]) is None and entry is not None:
        return _word(text, before.start("body"))
    if entry is None or line["dash"] or not above or column <= above[0]:
        return None
    return _indent_slip(line, above[0], "this line is indented too far")


def _word(text: str, at: int) -> Slip | None:
    """Return the slip of a key without its colon at an offset, whatever the key."""
    word = _WORD.match(text, at)
    if word is None:
        return None
    message, help = f"no colon stands behind `{word[0]}`", f"write `{word[0]}: `"
    return Slip(at, word.end(), message, help, Repair(word.end(), word.end(), ":"))


def _bare(line: re.Match[str], message: str) -> Slip | None:
    """Return the slip of a value that needs quotes."""
    entry = _ENTRY.match(line["body"])
    if entry is None or not entry["value"]:
        return None
    value = entry["value"]
    quote = "'" if '"' in value or "\\" in value else '"'
    quoted = quote + (value.replace("'", "''") if quote == "'" else value) + quote
    start = line.start("body") + entry.start("value")
    end = start + len(value)
    return Slip(start, end, message, f"write `{brief(quoted)}`", Repair(start, end, quoted))


def _inside_brackets(text: str, start: int, at: int) -> Slip | None:
    """Return the slip of a comma that is left out, or of a bracket that closes another one."""
    sign, before = text[at : at + 1], text[start:at]
    if sign == ":" and (word := _LAST_WORD.search(before)):
        place = start + word.start()
        name = word[0].strip()
        help = f"write `, {name}`"
        return Slip(place, at, f"no comma stands before `{name}`", help, Repair(place, place, ","))
    if sign in ("]", "}"):
        other = "}" if sign == "]" else "]"
        message = f"`{sign}` does not close the bracket that is open"
        return Slip(at, at + 1, message, f"write `{other}`", Repair(at, at + 1, other))
    if before.strip() and sign in ('"', "'", "[", "{") and before.rstrip()[-1] in "\"']}":
        place = start + len(before.rstrip())
        help = "write `,`"
        return Slip(place, at + 1, "no comma stands here", help, Repair(place, place, ","))
    return None


def _escape(line: re.Match[str]) -> Slip | None:
    match = _ESCAPE.search(line["body"])
    if match is None:
        return None
    at = line.start("body") + match.start()
    shown = line["body"][match.start() : match.end() + 1]
    message, help = (
        f"`{shown}` is not an escape in YAML",
        f"write `\\{shown}`, or use single quotes",
    )
    return Slip(at, at + 2, message, help, Repair(at, at, "\\"))


def _column_slip(text: str, line: re.Match[str], in_list: bool) -> Slip | None:
    """Return the slip of a line that stands at no column of those above, or lacks its dash."""
    above = _columns(text, line.start())
    column = len(line["indent"])
    if not above or _ENTRY.match(line["body"]) is None:
        return None
    if in_list and not line["dash"] and column not in above:
        at = line.start() + column
        name = line["body"].partition(":")[0]
        if any(column == other for other in _columns(text, line.start(), dashes=True)):
            message, help = f"no dash stands before `{name}`", f"write `- {name}`"
            return Slip(at, at + len(name), message, help, Repair(at, at, "- "))
    if line["dash"]:
        above = _columns(text, line.start(), dashes=True) or above
    nearest = min(above, key=lambda other: (abs(other - column), -other))
    if nearest == column or abs(nearest - column) > 3:
        return None
    return _indent_slip(line, nearest, "this line is indented unlike those around it")


def _indent_slip(line: re.Match[str], column: int, message: str) -> Slip:
    start, end = line.start("dash"), line.start("body") + len(line["body"].rstrip())
    help = f"indent it by {column} blanks" if column else "do not indent it"
    return Slip(start, end, message, help, Repair(line.start(), start, " " * column))


def _columns(text: str, end: int, *, dashes: bool = False) -> list[int]:
    """Return the columns where keys may follow behind the lines up to an offset, the innermost
    first; with `dashes` those of list items."""
    open: list[tuple[int, bool]] = []
    for line in _content_lines(text, end):
        indent, inner = len(line["indent"]), len(line["indent"]) + len(line["dash"])
        while open and open[-1][0] >= indent:
            open.pop()
        open += [(indent, True)] if line["dash"] else []
        open += [(inner, False)]
    return [column for column, is_dash in reversed(open) if is_dash == dashes]


def _has_block(body: str, column: int, following: str) -> bool:
    """Tell whether a lone word stands over keys that are indented below it."""
    return " " not in body.strip() and _indent(following) > column and bool(_KEY.match(following))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _next_line(text: str, at: int) -> str:
    """Return the next line that says something, "" at the end."""
    for line in text[at : at + 4000].splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line
    return ""
