"""Parts of a request that can be read in two ways, whatever stands around them."""

from __future__ import annotations

import re
from itertools import pairwise

from flowc.compiler.catalog.wordings.tags import TAG_WORDS

from .pieces import AND, RequestPiece, is_filling, read_alone
from .words.patterns import is_number
from .words.sentences import senses_of

Unclear = tuple[str, str]
"""Why something is not clear, and what helps."""

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«')
_BROKEN = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"(?:^|\s)\.[0-9]+|\b[1-9][0-9]{0,2}\.[0-9]{3}\s*(?:hz|ms)\b", re.IGNORECASE)
"""A number without a digit before its point, and one that may be thousands or thousandths."""
_WRITE_OUT = "write `0.5` for a half, `12000 Hz` or `12 kHz` for thousands"
_LEAVE_OUT = "leave it out"
_SAY_WHICH = "say it in two requests, one after the other"
_NOT_ALL = r"(?:(?!\b(?:whole|all|everything|entire|alles|ganze\w*)\b)[^,.;]){0,60}"
_DB = r"[0-9.,]+\s*db"
PARTS: tuple[tuple[str, str, str], ...] = (
    (
        r"(?:lufs|dbfs|dbtp|db|spotify|podcast)[,;]?\s+(?:and\s+|und\s+)?"
        r"((?:so|also|thus|hence|therefore|daher|that's|das sind)\s+[0-9.,]+\s*db\s+"
        r"(?:louder|quieter|lauter|leiser))",
        "may say what comes of the words before it",
        _LEAVE_OUT,
    ),
    (
        r"\b(?:cut|trim|drop|remove|chop|schneid\w*|kürz\w*)\b[^,.;]{0,60}[0-9][^,.;]{0,60}?,?\s"
        r"((?:so|so that|damit|sodass|until|bis)\s(?:it|it's|that|es|sie|die|das)\b[^,.;]{0,60}"
        r"\b(?:lasts?|long|lang|dauert|takes|over)\b[^,.;]{0,60}[0-9][^,.;]{0,60})",
        "says once more how long the sound gets",
        _LEAVE_OUT,
    ),
    (
        r"\b(?:hum|noise|hiss|brummen|rauschen|clicks|knackser|sibilance|rumble)\b\s*,\s*"
        rf"((?:by|um)\s+{_DB})",
        "may be of all of the sound",
        "leave out the comma",
    ),
    (
        r"\b(?:first|last|ersten|letzten|from|between|von|zwischen|ab)\b[^,.;]{0,60}[0-9][^,.;]{0,60},\s*"
        rf"({_NOT_ALL}{_DB}{_NOT_ALL}\s(?:afterwards|thereafter|danach|dahinter|hinterher|anschließend))\s*"
        r"(?:[,.;]|$)",
        "may be of what lies behind, or of all of the sound",
        _SAY_WHICH,
    ),
    (
        r"(?:,|\band|\bund)\s+((?:the |my |die |den |das )?(?:voices?|vocals?|music|speech|singing|"
        r"stimmen?|musik|sprache|gesang)\s+(?:too|as well|also|auch))\b",
        "is a part of the sound, and only all of it can be changed",
        _LEAVE_OUT,
    ),
    (
        r"\b(?:start|begin|begins|from|ab|beginne|starte)\b[^,.;]{0,60}[0-9][^,.;]{0,60}[,;]?\s(?:and\s|und\s)?"
        r"((?:stop|end|finish|cut it|ende|höre? auf)\s(?:it\s)?(?:after|nach)\s+[0-9.,]+\s?"
        r"(?:s|sec|seconds|min|minutes|sekunden|minuten))\b",
        "may count from the start of the sound or of what is left",
        "say the time at which it ends, `stop at 1:30`",
    ),
    (
        r"((?:\bhum|\bnoise|\bhiss|\bclicks|brummen|rauschen|knackser|knistern)\s+"
        r"(?:is|are|ist|sind|has been|have been|wurde)\s+(?:already |schon )?"
        r"(?:gone|removed|weg|raus|entfernt))\b\s*[,.;]",
        "may say what is so already",
        "say `remove the hum`, or leave it out",
    ),
    (
        r"(\bcut\b[^,.;]{0,60}[0-9][^,.;]{0,60}\b(?:for|as)\s(?:a|my|the)\s(?:ringtone|sample|teaser|trailer|"
        r"snippet|loop|story))\b",
        "may keep that section or take it out",
        "say `keep` or `remove`",
    ),
    (
        r"\b((?:to|into|in)\s+(?:text|words|a\ssong|ein\slied))\b",
        "asks for another thing than a sound",
        "say what is to be done with the sound",
    ),
    (
        r"(?:^|[,.;])\s*((?:start|starte|beginne|begin)\s+[0-9.,]+\s*(?:s|sec|seconds|ms|sekunden)"
        r"\s+(?:later|später))",
        "may cut the start off or move the sound",
        "say `delay it by` or `cut the first`",
    ),
)  # fmt: skip
"""A pattern whose group can be read in two ways; why, and what helps. What stands between two of
its words is short, as nobody may send a request that takes minutes to search."""
_READ_IN_TWO_WAYS = tuple((re.compile(one, re.IGNORECASE), why, help) for one, why, help in PARTS)


def half_character(request: str) -> Unclear | None:
    """Return why a request cannot be written down."""
    if broken := _BROKEN.search(request):
        why = f"the request holds half a character, U+{ord(broken[0]):04X}, which no file can hold"
        return why, "write it as UTF-8"
    return None


def unclear_part(request: str) -> Unclear | None:
    """Return what can be read in two ways; None without anything like it."""
    request = _QUOTED.sub(lambda found: " " * len(found[0]), request)
    if number := _NUMBER.search(request):
        return f"`{number[0].strip()}` may be read in two ways", _WRITE_OUT
    for pattern, why, help in _READ_IN_TWO_WAYS:
        if found := pattern.search(request):
            return f"`{found[1].strip()}` {why}", help
    return None


def unclear_name(request: str, pieces: list[RequestPiece]) -> Unclear | None:
    """Return a name without quotes that may go on behind an "and" or a comma: "title: You and Me",
    "title: Now and Then"."""
    name = ""
    for one, other in pairwise([*pieces, None]):
        if one is None or not ({word.text for word in one.words[:3]} & TAG_WORDS):
            continue
        if any(request[word.start] in _QUOTES for word in one.words):
            continue
        begin, stop = one.words[0].start, one.words[-1].end
        between = request[stop : other.words[0].start if other else len(request)]
        if joined := _CAPITAL.search(between) or _DANGLING.search(between):
            name = request[begin : stop + joined.end()]
        elif shaped := _SHAPED.search(request[begin:stop]):
            name = request[begin : begin + shaped.end()]
        elif other and _may_go_on(request, other):
            name = request[begin : other.words[-1].end]
    return (f"where the name `{name}` ends is not clear", "write it in quotes") if name else None


def _may_go_on(request: str, other: RequestPiece) -> bool:
    """Tell whether a piece may be the rest of the name before it."""
    capital = request[other.words[0].start].isupper() and other.words[0].text not in TAG_WORDS
    polite = " ".join(word.text for word in other.words) in _COURTESIES
    words = [word.text for word in other.words]
    empty = (
        not senses_of(words) and read_alone(other.words) is None and not any(map(is_number, words))
    )
    if (empty or is_filling(other)) and not (polite and other.before == ","):
        return other.before in AND | {","}
    return other.before in AND and len(other.words) == 1 and capital


_QUOTES = '"“„«»'
_COURTESIES = frozenset({
    "thanks", "thank you", "please", "bitte", "danke", "danke dir", "many thanks", "vielen dank",
    "cheers", "thanks a lot", "danke schön", "bitte schön", "ta",
})  # fmt: skip
_DANGLING = re.compile(r"^\s*(?:and|und|&)\s+\w+\s*[,;]", re.IGNORECASE)
_SHAPED = re.compile(
    r"[:=].*\s(?:as|als|in|to)\s+(?:an?\s|ein\s|eine\s)?(?:mp3|wav|flac|ogg|opus|m4a|aiff?|mono|stereo)$",
    re.IGNORECASE,
)
"""A name with a format at its end: "title: Interview as mp3"."""
_CAPITAL = re.compile(r"^\s*(?:and|und|&)\s+[A-ZÄÖÜ]\w*")
