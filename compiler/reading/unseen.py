"""What a file of any format holds by accident: an unresolved merge, and signs that nobody sees.

<<<<<<< HEAD          two versions of one part, as a version control system leaves them
=======
>>>>>>> main
[CI<U+200B>TY]        a name that looks right and is another one
[C<U+0406>TY]         a letter of another script that looks like its own
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterable

from ..diagnostics.diagnostic import Diagnostic, Fix, Label, Sink
from ..source.source import Source

_ALIKE = dict(
    zip(
        "АВЕКМНОРСТУХІЈЅавеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
        "ABEKMHOPCTYXIJSaBeopcyxijsABEZHIKMNOPTYXo",
        strict=True,
    )
)
"""Letters of other scripts, and those that they look like."""
_OTHER_LETTER = re.compile(f"[{''.join(_ALIKE)}]")
_AROUND = 60
"""Letters beside one of another script that are looked at."""
_PROMPTS = re.compile(r"^\# Prompts[ \t]*\r?$", re.MULTILINE)
_EXAMPLE = re.compile(
    r"^(?P<mark>`{3,}|~{3,})[^\n`]*\n(?:(?!(?P=mark)[ \t]*\r?$)[^\n]*\n)*(?P=mark)", re.MULTILINE
)
UNRESOLVED = "a merge was begun here and not resolved"
_CONFLICT = re.compile(
    r"^(?P<ours><{7})(?:[ ][^\n]*)?\n(?:(?!<{7}|={7}\r?\n)[^\n]*\n)*(?P<between>={7})\r?\n"
    r"(?:(?!<{7}|>{7})[^\n]*\n)*(?P<theirs>>{7})(?![^\s])",
    re.MULTILINE,
)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+")
_SIGNS = tuple(filter(_UNSEEN.match, map(chr, (0xAD, *range(0x200B, 0x206A), 0xFEFF))))
_WORD_BEFORE = re.compile(r"\w*\Z")
_WORD_BEHIND = re.compile(r"\A\w*")
_OF_OTHER_SCRIPTS = frozenset("\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
"""Those that texts from right to left, texts in joined letters and pictures are written with."""


def report_unseen(sources: Iterable[Source], sink: Sink) -> None:
    """Report each unresolved merge (FC1001), and warn of invisible signs beside those of ASCII
    (FC1009)."""
    for source in sources:
        examples = _examples(source.text) if "<<<<<<<" in source.text else None
        for match in _CONFLICT.finditer(source.text) if examples is not None else ():
            if examples is not None and _is_shown(examples, match):
                continue
            first, *others = (source.span(*match.span(mark)) for mark in match.groupdict())
            labels = tuple(map(Label, others, ("here the other version begins", "here it ends")))
            help = "keep one of the versions; take out the lines `<<<<<<<`, `=======` and `>>>>>>>`"
            sink.report("FC1001", UNRESOLVED, first, labels=labels, help=help)
        if not source.text.isascii():
            _report_alike(source, sink)
        # To look for each of them takes a fifth of the time of the pattern.
        if source.text.isascii() or not any(sign in source.text for sign in _SIGNS):
            continue
        for match in _UNSEEN.finditer(source.text):
            _report_signs(source, match, sink)


def _examples(text: str) -> tuple[list[int], list[int]]:
    """Return where the fenced blocks of prompts begin and end, in their order."""
    prompts = _PROMPTS.search(text)
    found = list(_EXAMPLE.finditer(text, prompts.end())) if prompts is not None else []
    return [example.start() for example in found], [example.end() for example in found]


def _is_shown(examples: tuple[list[int], list[int]], conflict: re.Match[str]) -> bool:
    """Return whether a prompt shows a merge as an example, in a fenced block of its own."""
    starts, ends = examples
    last = bisect.bisect_left(starts, conflict.start()) - 1
    return last >= 0 and conflict.end() < ends[last]


def _report_alike(source: Source, sink: Sink) -> None:
    """Warn of letters of another script in a word of ASCII letters that looks right with them."""
    end = 0
    for match in _OTHER_LETTER.finditer(source.text):
        at = match.start()
        if at < end:
            continue
        before = _WORD_BEFORE.findall(source.text[max(at - _AROUND, 0) : at])[0]
        end = at + len(_WORD_BEHIND.findall(source.text[at : at + _AROUND])[0])
        start = at - len(before)
        word = source.text[start:end]
        meant = "".join(_ALIKE.get(letter, letter) for letter in word)
        own = sum(letter.isascii() and letter.isalpha() for letter in word)
        if not meant.isascii() or own < 2:
            continue
        name = unicodedata.name(match[0]).lower()
        message = f"`{word}` holds a letter of another script: U+{ord(match[0]):04X}, {name}"
        span, help = source.span(start, end), f"write `{meant}`"
        sink.report("FC1009", message, span, help=help, fix=Fix(help, span, meant))


def without_followers(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics without what else is said of a file whose merge is unresolved: two
    versions were read as one."""
    torn = {d.file for d in found if d.message == UNRESOLVED}
    return tuple(d for d in found if d.file not in torn or d.message == UNRESOLVED)


def _report_signs(source: Source, match: re.Match[str], sink: Sink) -> None:
    start, end = match.span()
    beside = source.text[max(start - 1, 0) : start], source.text[end : end + 1]
    plain = [sign for sign in beside if sign.isascii() and sign.strip()]
    if not plain or (_OF_OTHER_SCRIPTS.issuperset(match[0]) and not all(map(str.isascii, beside))):
        return
    sign = match[0][0]
    name = unicodedata.name(sign, "invisible sign").lower()
    around = (source.text[max(start - 30, 0) : start], source.text[end : end + 30])
    word = _WORD_BEFORE.findall(around[0])[0] + _WORD_BEHIND.findall(around[1])[0]
    help = f"remove it, so that it says `{word}`" if word else "remove it"
    message = f"an invisible sign stands here: U+{ord(sign):04X}, {name}"
    span = source.span(start, end)
    sink.report("FC1009", message, span, help=help, fix=Fix("remove it", span, "", safe=True))
