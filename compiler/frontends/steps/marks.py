"""The signs and fences of step markdown: which emoji belongs to which keyword, what damage does.

Damage (S24) means that UTF-8 bytes were read in a Windows code page: `→` became `â†’`, and a byte
that means nothing there was lost, so the damage is recognised by its letters, never decoded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from flowc.grammar.lexing import (
    COLONLESS,
    HEADING,
    KEYWORDS,
    MARKERS,
    SIGNS,
    keyword_heading,
    nearest_keyword,
)

from ...diagnostics.diagnostic import Fix, Sink
from ...source.source import Source, Span

_OPENING = re.compile(r"[ \t]*(`[ ]`[ ]`|`+|~+)([^\n]*)")
_BARE = {kind: sign.rstrip("\ufe0f") for kind, sign in SIGNS.items()}
_WORDS = {kind: word for word, kind in KEYWORDS.items()}

ARROW = re.compile("→|â(?:†|\x86)[’'\x92]")
"""The arrow, or what is left of it in the code pages 1252 and 1254, or in Latin-1."""


_BOLD = re.compile(
    r"^[ \t]{0,40}+(?P<line>(?P<lead>(?:[-*+>]|\d{1,3}[.)])[ ]+|\\)?(?P<hashes>\#{1,6}[ \t]?)?"
    r"(?P<stars>\*\*|__|<(?:b|h\d|strong)>)?[ ]?"
    rf"(?:(?P<icon>{'|'.join(sorted(set(_BARE.values())))})\ufe0f?[ ]?)?"
    rf"(?P<word>{'|'.join(KEYWORDS)}):(?P<rest>[^\n\r]*))",
    re.MULTILINE,
)


_TAG = re.compile(r"</(?:b|h\d|strong)>[ \t]*\Z")
_TURNED = re.compile(
    rf"[ ]{{0,3}}\#{{3,6}}[ \t]*(?P<word>{'|'.join(KEYWORDS)}):?[ ]*"
    rf"(?P<icon>{'|'.join(sorted(set(_BARE.values())))})"
)
"""A heading with its sign behind the keyword."""
_SHORT_FENCE = re.compile(
    r"^[ ]{0,3}(?P<mark>``|~~|'{3}|´{3}|\"{3})[ \t]*\w{0,20}[ \t]*\r?$", re.MULTILINE
)


def marker(kind: str) -> str:
    """Return a section's heading up to the colon: `### 📥 INPUTS`."""
    return f"### {SIGNS[kind]} {_WORDS[kind]}"


USUAL = {kind: f"{marker(kind)}:\n" for kind in SIGNS}
"""The whole line of a heading that needs no second look."""


def is_damaged(sign: str) -> bool:
    """Return whether a sign is only letters and marks of a code page, or replacement characters."""
    return bool(sign) and all(c < "\u2190" or c == "\ufffd" for c in sign)


def check_marker(source: Source, start: int, line: str, kind: str, sink: Sink) -> int:
    """Report a heading of the wrong form but read it as meant: return the offset in `line` behind
    the colon, where the heading's own text begins."""
    colon = line.find(":")
    if colon >= 0 and line[:colon] in MARKERS:
        return colon + 1
    found = keyword_heading(line)
    assert found is not None, "the lexer found a keyword here"
    match = found[0]
    if match.re is COLONLESS:
        _report_colon(source.span(start + match.start("hashes"), start + match.end()), kind, sink)
        return match.end()
    sign, word = match["icon"].strip(), match["word"]
    bare = sign.rstrip("\ufe0f")
    sound = bare == _BARE[kind] and len(match["hashes"]) > 2
    if sound and word in KEYWORDS:
        return match.end()
    at = source.span(start + match.start("hashes"), start + match.end("word"))
    if bare != _BARE[kind] and is_damaged(sign) and word in KEYWORDS:
        left = start + match.start("icon") + match["icon"].index(sign)
        sink.report(
            "FC1006",
            f"the sign of `{word}` is damaged: `{sign}` was `{SIGNS[kind]}`",
            source.span(left, left + len(sign)),
            help="read as meant; save the repaired sign, and the file as UTF-8",
            fix=Fix(
                f"write `{SIGNS[kind]}`", source.span(left, left + len(sign)), SIGNS[kind], True
            ),
        )
        return match.end()
    sink.report(
        "FC1002",
        _complaint(sign, word, len(match["hashes"]), kind),
        at,
        help=f"write `{marker(kind)}:`",
        fix=Fix(f"write `{marker(kind)}`", at, marker(kind), True),
    )
    return match.end()


def _report_colon(at: Span, kind: str, sink: Sink) -> None:
    written = f"{marker(kind)}:"
    message = f"`{_WORDS[kind]}` stands without its colon"
    fix = Fix(f"write `{written}`", at, written, True)
    sink.report("FC1002", message, at, help=f"write `{written}`", fix=fix)


def report_bold(source: Source, start: int, text: str, sink: Sink, *, inside: bool) -> None:
    """Report lines of a text that are written in bold, bare, far inside or as an item where a
    section's heading was meant: a keyword in capitals with its colon, and its sign, stars or
    hashes. `inside` of a step it needs none where nothing stands behind it but one word."""
    # The heading of a section is one: the lines below it are looked at.
    for match in _BOLD.finditer(text, text.find("\n") + 1 if text.startswith("###") else 0):
        plain = match["stars"] is None and match["icon"] is None and match["hashes"] is None
        step = match["word"] == "WORKFLOW STEP"
        if match["lead"] and match["icon"] is None and match["hashes"] is None:
            continue  # an item of a list, about the section
        if plain and not step and not (inside and len(match["rest"].split()) < 2):
            continue
        indent = text[match.start() : match.start("line")].expandtabs(4)
        if match["hashes"] and not match["lead"] and len(indent) < 4:
            continue  # a heading that is one
        kind = KEYWORDS[match["word"]]
        name = _TAG.sub("", match["rest"]).strip().rstrip("*").strip()
        written = f"{marker(kind)}: {name}".rstrip()
        at = source.span(start + match.start("line"), start + match.end("line"))
        sink.report(
            "FC1002",
            f"`{match['word']}` does not stand in a heading, so it is not read",
            at,
            help=f"write `{written}`",
            fix=Fix(f"write `{written}`", at, written, True),
        )


def report_short_fence(source: Source, start: int, text: str, sink: Sink) -> None:
    """Report a line of two backticks, or three other marks, where a fence was meant to begin."""
    for match in _SHORT_FENCE.finditer(text):
        at = source.span(start + match.start("mark"), start + match.end("mark"))
        mark = "~~~" if match["mark"] == "~~" else "```"
        help = "write three of them" if len(match["mark"]) < 3 else f"write `{mark}`"
        message = "a fence begins with three backticks, so this line does not begin one"
        sink.report("FC1001", message, at, help=help, fix=Fix(f"write `{mark}`", at, mark, True))


def _complaint(sign: str, word: str, level: int, kind: str) -> str:
    if word not in KEYWORDS:
        return f"`{word}` is not a section keyword: did you mean `{_WORDS[kind]}`?"
    if level < 3:
        return f"`{word}` needs a heading of level 3, this one has {level}"
    if not sign:
        return f"`{word}` stands without its sign `{SIGNS[kind]}`"
    return f"`{word}` has the sign `{sign}`, which is not its own"


def unknown_section(line: str) -> tuple[int, int, str] | None:
    """Return start and end of the word of a heading that looks like a section's but has no known
    keyword, and the token meant, or "". It has a sign, a word in capitals and nothing behind the
    colon; a section's own sign, whatever stands behind it; a keyword in small letters without a
    sign; or the sign behind the keyword."""
    match = HEADING.match(line)
    if match is None:
        match = _TURNED.match(line)
        found = match is not None and match["icon"] == _BARE[KEYWORDS[match["word"]]]
        return (*match.span("word"), KEYWORDS[match["word"]]) if match and found else None
    rest, word, sign = line[match.end() :].strip(), match["word"], match["icon"].strip()
    at = match.span("word")
    if word.upper() in KEYWORDS and not rest:
        return (*at, KEYWORDS[word.upper()])
    if not sign or not word.isupper() or nearest_keyword(word, sign) is not None:
        return None
    own = [kind for kind, bare in _BARE.items() if bare == sign.rstrip("\ufe0f")]
    if own:
        return (*at, own[0] if rest else own[-1])
    return None if rest else (*at, "")


class Fence(NamedTuple):
    """A fenced block: the mark that opens it, its language tag, and where its body lies in it."""

    mark: str
    info: str
    start: int
    end: int
    closed: bool


def read_fence(block: str) -> Fence:
    """Take a fenced block apart; `block` begins with the opening line and ends with the closing
    one, unless nothing closes it. Offsets count from the block's first character."""
    # Nearly every fence is a bare one.
    if block.startswith("```\n") and block.endswith("\n```\n"):
        return Fence("```", "", 4, max(4, len(block) - 4), True)
    opening = _OPENING.match(block)
    assert opening is not None, "a fence begins with its mark"
    mark, info = opening[1], opening[2].strip()
    body = block.find("\n") + 1
    last = block.rfind("\n", 0, len(block) - 1) + 1
    closing = block[last:].strip()
    closed = 0 < body <= last and closing.startswith(mark) and not closing.strip("`~ ")
    if not closed:
        return Fence(mark, info, body or len(block), len(block), False)
    return Fence(mark, info, body, last, True)
