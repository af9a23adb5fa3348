"""What people say around a wish: reasons, greetings, purposes. A remark asks for nothing.

"My mouth was dry, please remove the clicks" is one wish and one remark. What may be a wish is never
taken for a remark: words that say what is done, numbers, complaints of the sound ("it is muffled")
and negations keep a clause from being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .circumstances import SCOPES
from .patterns import SOUND_FILE, is_number
from .sentences import is_known, senses_of
from .units import SpokenWord

_SMILEY = re.compile(r"(?<=\s)[:;]-?[)(DP](?=\s|$)")
_DASH = re.compile(r"(?<=\s)[–—-](?=\s+[^\W\d])")
_BREAK = re.compile(r"(?<=\s)[/>|](?=\s)|…|(?<=\w)\.{2,}|->")
_TITLE = re.compile(r"\b(?:title|titel|artist|interpret|album|comment|kommentar|name)\b", re.I)
_HARMLESS = frozenset({
    "PART", "STEM", "BY", "OF", "WITH", "IN", "AND", "TO", "NACH", "FROM", "AT", "READY", "SECTION",
    "ALL", "FIRST", "LAST", "START", "END", "BEFORE", "AFTER", "VOICES", "SOME", "TILL", "WANT",
})  # fmt: skip
"""Senses that a remark may have."""
_WISHES = frozenset(
    "please bitte can could would should must need needs want wants let make mach kannst könntest "
    "kann können soll sollen sollte sollten muss müssen brauche brauchen braucht möchte möchten "
    "wish wünsche will gern gerne hätte would'd i'd".split()
)
_SUBJECTS = frozenset(
    "i we he she they it this that these those there the my our his her their your a an someone "
    "somebody everyone everybody nobody one many some most both who which i'm we're it's that's "
    "there's he's she's they're i've we've i'd der die das dem den des ich wir er sie es man mein "
    "meine meinem unser unsere unserem unser jemand ein eine einer viele einige beide alle dieser "
    "diese dieses hier there's in im on am at auf bei from von because since as weil denn da had "
    "while obwohl although".split()
)
_VERBS = frozenset(
    "was were is are am has had have been i'm we're it's that's there's he's she's they're i've "
    "we've did does do went came got kept said thinks think thought rang runs ran stands stood sits "
    "sat plays played begins began starts started stops stopped ends ended goes drags leans leaned "
    "drifted spoke speaks talks talked sang sings coughs coughed sneezed knocked fell dropped broke "
    "made makes took takes gave gives left stayed stays lives lived used uses recorded hums buzzes "
    "hits caught moved walked drove passes passed barked barks opened closed changed changes "
    "cancelling cancel seems learn learning read reads wrote writes found forgot forgets happened "
    "happens means meant belongs comes asked asks wanted liked likes loves loved hates hated "
    "war waren ist sind hat hatte hatten haben wurde wurden wird werden ging gingen kam kamen kommt "
    "fällt fiel steht stand liegt lag lief läuft laufen sitzt saß spricht sprach sprechen sagt "
    "sagte singt singen sang spielt spielte beginnt begann fängt hört endet endete dauert dauerte "
    "vergeht vergehen stört stören bellt bellte klingelt klingelte hustet hustete knarrt knarzt "
    "gehört gehören passiert passierte heißt finden findet fand mag mögen brummt rauscht knackt "
    "zischt zischen entstanden aufgenommen gemacht gesprochen gesungen lernen lernt".split()
)
_COPULAS = frozenset(
    "is are it's that's sounds sound feels feel seems seem looks lacks lack ist sind klingt klingen "
    "wirkt wirken fehlt fehlen hört i'm".split()
)
_SOUNDS = frozenset(
    "it it's this that that's everything sound sounds voice voices recording audio mix track music "
    "song vocals file speech signal tone es das alles ton klang stimme stimmen aufnahme musik lied "
    "ganze sprache datei spur words wörter i'm ich i".split()
)
_NEGATIONS = frozenset({"NOT", "NOTHING", "JUST"})
_REASONS = ("because", "since", "weil", "denn", "so that", "damit", "sodass", "so the", "so my",
            "so our", "so people", "so everyone", "so we can", "so i can", "so they can")  # fmt: skip
_PURPOSES = frozenset({"for", "für", "fürs"})
_LEADS = frozenset(
    "so also therefore hence thus deshalb daher darum zwar nämlich then dann dabei dazu afterwards "
    "danach dahinter anschließend finally please bitte : - oh well anyway ansonsten sonst dort there "
    "und and after that plus".split()
)
_TRAILS = (
    ("after", "that"), ("after", "it"), ("on", "top"), ("to", "finish"), ("as", "well"),
    ("at", "last"), ("last",), ("afterwards",), ("danach",), ("dahinter",), ("too",), ("then",),
    ("please",), ("bitte",), ("though",), ("zuletzt",), ("dann",), ("instead",), ("again",),
)  # fmt: skip
_LONGEST_HEADING = 6
_FAULTS = {"TOOQUIET": {"LOUDER", "UP", "MORE", "LOUDNESS", "NORM", "EVEN"},
           "TOOLOUD": {"QUIETER", "DOWN", "LESS", "LOUDNESS", "NORM", "EVEN"}}  # fmt: skip


def plain_text(request: str) -> str:
    """Return a request of the same length without signs that part or adorn what is said: dashes
    and strokes between words end a clause, parentheses and smileys are blanks."""
    text = _SMILEY.sub(_blanks, request.replace("\n", ";"))
    text = _BREAK.sub(lambda match: ";".ljust(len(match[0])), text)
    if not _TITLE.search(text):
        text = _DASH.sub(";", text).replace("(", " ").replace(")", " ")
    return text


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def is_remark(words: Sequence[str], beside: Sequence[str]) -> bool:
    """Tell whether the words of a clause ask for nothing; `beside` are those of the clauses next to
    it that are understood. What they speak of as well, it may speak of."""
    said, about = senses_of(words), senses_of(beside)
    values = [word for word in words if is_number(word) or re.fullmatch(SOUND_FILE, word)]
    if not {*values} <= {*beside} or not _NEGATIONS.isdisjoint(said):
        return False
    open_senses = said - _HARMLESS
    known = {one for one in open_senses if one in about or about & _FAULTS.get(one, set())}
    if open_senses - known or not _WISHES.isdisjoint(words) or not SCOPES.isdisjoint(words):
        return False
    if words[0] not in _SUBJECTS or not any(_is_verb(word) for word in words):
        return False
    return bool(known) or not _is_complaint(words)


def _is_verb(word: str) -> bool:
    return word in _VERBS or (word.endswith("ed") and len(word) > 4)


def _is_complaint(words: Sequence[str]) -> bool:
    """Tell whether words say how the sound is: "it is muffled" wishes that it were not."""
    at = next((n for n, word in enumerate(words) if word in _COPULAS), None)
    if at is None:
        return False
    before = words[: at + 1]
    return not _SOUNDS.isdisjoint(before) or senses_of(before) & {"PART"} != frozenset()


def is_heading(words: Sequence[str]) -> bool:
    """Tell whether words before a colon only say what the rest is about."""
    said = senses_of(words)
    return (
        len(words) <= _LONGEST_HEADING
        and said <= _HARMLESS
        and SCOPES.isdisjoint(words)
        and not any(map(is_number, words))
    )


def simpler(words: list[SpokenWord]) -> Iterator[list[SpokenWord]]:
    """Yield the same clause without what leads on to it, without its reason, without whom it is for,
    without a heading; from more words to fewer."""
    seen = {len(words)}
    for some in (words, [*_after_heading(words)]):
        bare = _without_ends(some)
        for one in (bare, _without_reason(bare), _without_purpose(bare),
                    _without_purpose(_without_reason(bare))):  # fmt: skip
            if one and len(one) not in seen:
                seen.add(len(one))
                yield one


def _without_ends(words: list[SpokenWord]) -> list[SpokenWord]:
    start, end = 0, len(words)
    while start < end - 1 and words[start].text in _LEADS:
        start += 1
    cut = True
    while cut:
        cut = False
        for trail in _TRAILS:
            last = tuple(word.text for word in words[max(start, end - len(trail)) : end])
            if last == trail and end - len(trail) > start:
                end, cut = end - len(trail), True
    return words[start:end]


def _without_reason(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words before "because", "so that" and the like, where a reason follows."""
    texts = [word.text for word in words]
    for at in range(1, len(texts)):
        rest = texts[at:]
        if not " ".join(rest[:4]).startswith(tuple(f"{one} " for one in _REASONS)):
            continue
        if senses_of(rest) <= _HARMLESS and not any(map(is_number, rest)):
            return words[:at]
    return words


def _without_purpose(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words without "for" and those unknown ones that follow it at once."""
    kept: list[SpokenWord] = []
    at = 0
    while at < len(words):
        end = at + 1
        if words[at].text in _PURPOSES:
            while end < len(words) and _is_strange(words[end].text):
                end += 1
            named = [word.text for word in words[at + 1 : end]]
            if all(map(is_known, named)) or not SCOPES.isdisjoint(named):
                end = at + 1
        if end == at + 1:
            kept.append(words[at])
        at = end
    return kept


def _is_strange(word: str) -> bool:
    """Tell whether a word is unknown, or adds nothing."""
    return not is_number(word) and (not is_known(word) or not senses_of([word]))


def _after_heading(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words after the first colon, where a heading stands before it."""
    for at, word in enumerate(words):
        if word.text == ":" and at and is_heading([one.text for one in words[:at]]):
            return words[at + 1 :]
    return words
