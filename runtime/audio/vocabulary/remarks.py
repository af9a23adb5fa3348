"""What people say around a wish: reasons, greetings, purposes. A remark asks for nothing.

"My mouth was dry, please remove the clicks" is one wish and one remark. What may be a wish is never
taken for a remark: words that say what is done, numbers, complaints of the sound ("it is muffled")
and negations keep a clause from being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flowc.compiler.catalog.audio_phrases import TAG_WORDS

from .circumstances import SCOPES, words_of
from .patterns import SOUND_FILE, is_number
from .sentences import is_known, is_unit, senses_of
from .units import SpokenWord

_SMILEY = re.compile(r"(?<=\s)[:;]-?[)(DP](?=\s|$)")
_DASH = re.compile(r"(?<=\s)[–—-](?=\s+[^\W\d])")
_BREAK = re.compile(r"(?<=\s)[/>|](?=\s)|(?<=\w\s)\+(?=\s)|…|(?<=\w)\.{2,}|->")
_QUARTER = re.compile(r"\b(?:a |one )?quarter of an? (second|minute|hour)\b", re.I)
_QUALITY = re.compile(r"((?:\bgüte|\bq)\s*(?:von|of|=)?\s*[0-9]+),([0-9])", re.I)
"""A comma in a number that has no unit."""
_KIND = re.compile(r"(?<=\w)-(?=(?:mp3|wav|flac|ogg|opus|m4a|aiff?|aac)\b(?!\.))", re.I)
_TITLE = re.compile(r"\b(?:title|titel|artist|interpret|album|comment|kommentar|name)\b", re.I)
_HARMLESS = frozenset({
    "ASIDE", "PERSON", "FILLER", "PART", "STEM", "BY", "OF", "WITH", "IN", "AND", "TO", "NACH",
    "FROM", "AT", "READY",
    "SECTION", "ALL", "FIRST", "LAST", "START", "END", "BEFORE", "AFTER", "VOICES", "SOME", "TILL",
    "FILES", "EACH", "STOP", "LITTLE", "CHANNEL", "SPEED", "LEFT", "RIGHT", "LONG", "MUCH",
    "FASTER", "SLOWER", "HIGHER", "DEEPER", "JUST",
})  # fmt: skip
"""Senses that a statement about somebody may have."""
_SCOPED = frozenset({
    "PART", "STEM", "VOICES", "SECTION", "FIRST", "LAST", "START", "END", "BEFORE", "AFTER", "TILL",
    "LEFT", "RIGHT", "CHANNEL", "EACH", "JUST", "ASIDE", "PERSON",
})  # fmt: skip
"""Senses of a part: the fault of a part is not a fault of all of the sound."""
_FAULTS = {
    "DULL": {"TREBLE", "EQ"},
    "TOOQUIET": {"LOUDER", "UP", "MORE", "LOUDNESS", "NORM", "EVEN"},
    "TOOLOUD": {"QUIETER", "DOWN", "LESS", "LOUDNESS", "NORM", "EVEN"},
    "HARSH": {"SHARP", "DEESS", "TREBLE"},
    "BACKWARDS": {"FLIP"},
    "SWAP": {"SWAP"}, "SILENCE": {"PAUSES"}, "PAUSES": {"SILENCE", "SPLIT"},
    **{one: {one} for one in ("HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE", "PITCH")},
}  # fmt: skip
"""What is wrong with a sound, each with what may be asked for to mend it."""
_WISHES = words_of(
    "please bitte can could would should must need needs want wants let make mach kannst "
    "könntest kann können soll sollen sollte sollten muss müssen brauche brauchen braucht möchte "
    "möchten wish wünsche will gern gerne hätte i'd like wie has hat have haben"
)
"""Words that a statement without a wish does not have; "it has to be shorter"."""
_SUBJECTS = words_of(
    "i we he she they it this that these those there the my our his her their your a an someone "
    "somebody one many some most who i'm we're it's that's there's he's she's they're i've we've "
    "der die das dem den ich wir er sie es mein meine meinem unser unsere unserem jemand ein "
    "eine einer viele einige dieser diese dieses hier in im on am at auf bei from von pastor da"
)
_STATES = words_of(
    "was were is are i'm we're it's that's there's he's she's they're i've we've war waren "
    "ist sind wurde wurden"
)
_PASTS = words_of(
    "had been did went came got kept thought ran stood sat played began started ended spoke "
    "talked sang fell broke took gave stayed lived used recorded moved walked drove passed "
    "opened closed drifted leaned leaning wrote forgot happened meant hatte hatten ging "
    "gingen kam kamen fiel stand lag lief saß sprach sagte spielte begann endete dauerte "
    "passierte entstanden aufgenommen gesprochen gesungen thinks walks speaks talks whispers "
    "shouts chokes lives works holds stands sits learn learning spricht singt steht liegt sitzt "
    "läuft vergeht"
)
"""Verbs of what was, and of what people do: who says so asks for nothing."""
_EVENTS = words_of(
    "rang rings drops dropped coughs coughed sneezes sneezed knocks knocked barks barked swears "
    "swore klingelt klingelte bellt bellte hustet hustete klopft klopfte fällt fiel blättere "
    "gehustet reads read mentioned said says sagt verhaspelt"
)
"""Verbs of what disturbs: who says so wants it gone, which a section that is cut or muted does."""
_SOUNDS = words_of(
    "it it's this that that's everything sound sounds voice voices recording audio mix track "
    "music song vocals file speech signal tone es das alles ton klang stimme stimmen aufnahme "
    "musik lied ganze sprache datei spur words wörter band tape"
)
_HEARING = words_of(
    "hear hears heard understand understood hören hört hörst gehört versteht verstehen "
    "verstanden intelligible echo"
)
_NEGATIONS = words_of(
    "not no never none nobody nothing nicht kein keine keinen nie niemand nichts but"
)
_CAUSES = frozenset({"because", "weil", "denn"})
_PURPOSE = frozenset({"so", "damit", "sodass"})
_LEADS = words_of(
    "hinterher followed so also therefore hence thus deshalb daher darum zwar nämlich then dann "
    "dabei dazu afterwards danach dahinter anschließend finally please bitte : - oh well anyway "
    "und and plus"
)
_TRAILS = (
    ("after", "that"), ("after", "it"), ("on", "top"), ("as", "well"), ("afterwards",), ("danach",),
    ("dahinter",), ("too",), ("then",), ("please",), ("bitte",), ("dann",), ("dazu",),
)  # fmt: skip
_LONGEST_HEADING = 6
_LONGEST = 40
"""Words of a clause that is read without its reason or its heading."""


def plain_text(request: str) -> str:
    """Return a request of the same length without signs that part or adorn what is said: dashes
    and strokes between words end a clause, parentheses and smileys are blanks."""
    text = _SMILEY.sub(_blanks, request.replace("\n", ";"))
    text = _QUARTER.sub(_quarter, text)
    text = _KIND.sub(" ", text)
    text = _QUALITY.sub(r"\1.\2", text)
    text = _BREAK.sub(lambda match: ";".ljust(len(match[0])), text)
    if not _TITLE.search(text):
        text = _DASH.sub(";", text).replace("(", " ").replace(")", " ")
    return text


def _quarter(match: re.Match[str]) -> str:
    """Return the number with its unit, blanks between them: the place of both ends stays."""
    return "0.25" + match[1].rjust(len(match[0]) - len("0.25"))


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def is_remark(words: Sequence[str], beside: Sequence[str], sections: bool) -> bool:
    """Tell whether the words of a clause ask for nothing. `beside` are those of the clauses that
    are understood: of a fault that one of them mends it may speak. With `sections` one of them
    changes a section, in which something may have happened."""
    because, purpose = words[0] in _CAUSES, words[0] in _PURPOSE and len(words) > 2
    while len(words) > 1 and words[0] in _LEADS | _CAUSES | _PURPOSE:
        words = words[1:]
    said, about = senses_of(words), senses_of(beside)
    told = said - _HARMLESS
    mended = all(not about.isdisjoint(_FAULTS.get(one, ())) for one in told)
    if not mended or not {*values_in(words)} <= {*beside} or not _WISHES.isdisjoint(words):
        return purpose and _is_purpose(words, told)
    if not _NEGATIONS.isdisjoint(words) or not _HEARING.isdisjoint(words) or _is_too(words):
        return False
    if told:  # a fault: of all of the sound, in words that are known
        return said.isdisjoint(_SCOPED) and all(map(is_known, words))
    if purpose:
        return _is_purpose(words, told)
    if because:
        return not _is_complaint(words)
    return _is_statement(words, sections) and not _is_complaint(words) and _is_past(words)


def _is_past(words: Sequence[str]) -> bool:
    """Tell whether a statement is of what was, or of somebody: how something is may be what is to
    be mended; nor of what happens again, or at an end."""
    if not _AGAIN.isdisjoint(words):
        return False
    at = next((n for n, word in enumerate(words) if word in _PRESENT), None)
    if at is None:
        return senses_of(words).isdisjoint({"START", "END", "FIRST", "LAST"})
    before = words[: at + 1]
    return not _OF_SOMEBODY.isdisjoint(before) or "PERSON" in senses_of(before)


_PRESENT = words_of("is are it's that's there's ist sind")
_OF_SOMEBODY = words_of("i we he she they ich wir er")
_AGAIN = words_of("again twice nochmal nochmals zweimal wieder auch also")


def is_scoped(words: Sequence[str]) -> bool:
    """Tell whether words speak of a part or of somebody, whom alone a change of level may mean."""
    return not senses_of(words).isdisjoint(_SCOPED - {"ASIDE"})


def _is_too(words: Sequence[str]) -> bool:
    """Tell whether something is too much, but for where somebody is: "too close to the mic"."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return any(one in ("too", "zu") and two not in _DISTANCES for one, two in pairs)


_DISTANCES = words_of("close far near nah nahe weit dicht")


def _is_purpose(words: Sequence[str], told: frozenset[str]) -> bool:
    """Tell whether words say what somebody can do then: "so the students can follow"."""
    quiet = not told and _NEGATIONS.isdisjoint(words) and _HEARING.isdisjoint(words)
    plain = senses_of(words).isdisjoint({"JUST", "PART", "STEM"}) and not [*values_in(words)]
    at = next((n for n, word in enumerate(words) if word in _ABLE), 0)
    somebody = "PERSON" in senses_of(words[:at]) or not {"they", "alle"}.isdisjoint(words[:at])
    able = somebody or (words[-1] in _ABLE and "PERSON" in senses_of(words))
    return quiet and plain and able and {"like", "wie"}.isdisjoint(words)


_ABLE = words_of("can could kann können können.")


def values_in(words: Sequence[str]) -> Iterator[str]:
    """Yield the numbers that have a unit or are times, the files, and what is quoted."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        unit = is_unit(after) or after in _SIZES
        named = word[0] in _QUOTES or re.fullmatch(SOUND_FILE, word)
        if named or (is_number(word) and (":" in word or unit)):
            yield word


_QUOTES = '"“„«»'
_SIZES = frozenset({"mb", "gb", "kb", "bpm", "mbit"})


def _is_statement(words: Sequence[str], sections: bool = False) -> bool:
    """Tell whether words say something of somebody: who asks for work begins with a verb, or names
    the work."""
    verbs = _STATES | _PASTS | (_EVENTS if sections else frozenset())
    named = is_known(words[0]) and senses_of(words[:1]) <= {"ASIDE"}
    if words[0] not in _SUBJECTS and not named and words[1:2] and words[1] not in verbs:
        return False
    return words[0] in _STATES or not verbs.isdisjoint(words[1:])


_SETTINGS = words_of("for für auf in im on at from bei aus von my our mein meine unser unsere")
"""Words behind "is" that begin a place, a time or an owner, and no complaint."""


def _is_complaint(words: Sequence[str]) -> bool:
    """Tell whether words say how the sound is: "it is muffled" wishes that it were not."""
    at = next((n for n, word in enumerate(words) if word in _STATES), None)
    if at is None:
        return not _SOUNDS.isdisjoint(words[:2])
    before = words[: at + 1]
    is_sound = not _SOUNDS.isdisjoint(before) or not senses_of(before).isdisjoint({"PART", "STEM"})
    return is_sound and _SETTINGS.isdisjoint(words[at + 1 : at + 2])


def is_assertion(words: Sequence[str]) -> bool:
    """Tell whether words say what was done or how the sound is, or ask about it, and so do not ask
    for it: "I cut the first 10 s", "it is 16 bit", "is it mono?"."""
    if tuple(words[:2]) in _ASKING or (words[0] in _PERSONS and words[1:2] in _OWNING):
        return words[2:3] != ["to"]
    if not _WISHES.isdisjoint(words) or any(word[0] in _QUOTES for word in words):
        return False
    if words[0] in _QUESTIONS or not _ORIGINS.isdisjoint(words):
        return True
    does = words[0] in _PERSONS and len(words) > 1
    kept = senses_of(words) & (_COMPLAINTS | _WORK)
    return does or (not kept and not _STATES.isdisjoint(words[:6]))


_ASKING = {
    *((one, who) for one in ("do", "does", "did") for who in ("i", "we", "you", "it")),
    ("should", "i"), ("should", "we"), ("soll", "ich"), ("sollen", "wir"), ("has", "the"),
    ("has", "it"), ("have", "you"), ("hast", "du"), ("could", "it"), ("muss", "ich"),
}  # fmt: skip
"""How questions begin."""
_OWNING = (["have"], ["had"], ["habe"], ["haben"], ["hatte"], ["hatten"])
_PERSONS = words_of("i we he she they you ich wir er ihr du")
_QUESTIONS = words_of("is are do does did was were ist sind hat what why how who which warum wieso")
_ORIGINS = words_of("recorded aufgenommen taped filmed rang rings klingelt klingelte")
_WORK = frozenset({
    "REMOVE", "CUT", "TRIM", "SPLIT", "DROP", "AWAY", "FILTER", "SAVE", "CONVERT", "LAY",
    "JOIN", "MUTE", "SWAP", "FADE", "FADEIN", "FADEOUT", "EVEN", "STOP", "SKIP", "ATTACH",
})  # fmt: skip
"""Senses of what is to be done."""
_COMPLAINTS = frozenset({
    "TOOQUIET", "TOOLOUD", "MUCH", "HUM", "NOISE", "CLICKS", "SHARP", "HARSH", "RUMBLE", "PAUSES",
    "BASS", "TREBLE", "NOT", "NOTHING", "MOST",
})  # fmt: skip
"""Senses of complaints, which do ask for something."""
_POINTERS = words_of(
    "it its that this them those these there both dort da das die den es ihn sie dies beides "
    "alles weg bit stelle section part teil abschnitt"
)
_LONGEST_POINTER = 10
_PLACES = frozenset({"from", "between", "at", "von", "zwischen", "bei", "ab", "in", "im"})
_LIMITS = frozenset({
    "KEEP", "NOT", "NOTHING", "HUM", "NOISE", "CLICKS", "RUMBLE", "SHARP", "HARSH", "BASS",
    "TREBLE", "PART", "STEM", "TOOLOUD", "SILENCE", "PAUSES", "EXCEPT",
})  # fmt: skip
"""Senses of a fault: a wish behind them may point back to the fault, and not to the section."""


def points_back(words: Sequence[str]) -> bool:
    """Tell whether a wish names what it is for only by a word that points back: "remove it"."""
    return not _POINTERS.isdisjoint(words) and len(words) <= _LONGEST_POINTER


def may_be_told(words: Sequence[str]) -> bool:
    """Tell whether words say what is where, to which a wish points back. Of them the unknown ones
    may be the name of it."""
    begins = words[0] in _SUBJECTS | _PLACES
    return begins and _NEGATIONS.isdisjoint(words)


_WHERE = frozenset({
    "FROM", "TO", "TILL", "AND", "AT", "BEFORE", "AFTER", "FIRST", "LAST", "START", "END", "ABOVE",
    "BELOW", "IN", "OF", "NACH",
})  # fmt: skip
_THINGS = frozenset({
    "HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE", "PAUSES", "SILENCE", "LEFT", "RIGHT", "BACKWARDS",
    "PHASE", "CHANNEL", "SWAP",
})  # fmt: skip
TOLD = (_WHERE, _WHERE | _THINGS, frozenset({"FIRST", "LAST"}))
"""Senses of the words that tell where something is, or what and where, or at which end."""


def told_words(words: Sequence[str], kept: frozenset[str]) -> list[str]:
    """Return the numbers, with their units, and the words of these senses; none where the words
    name a fault or a part beside a place: the wish may mean either."""
    said = senses_of(words)
    if not kept & _THINGS and not said.isdisjoint(_LIMITS):
        return []
    if said - kept - _HARMLESS - _WHERE - {"WANT"}:
        return []
    return [
        word for word in words
        if is_number(word) or is_unit(word) or word in ("and", "und") or senses_of([word]) & kept
    ]  # fmt: skip


def is_told_of(words: Sequence[str]) -> bool:
    """Tell whether words say where something is, and not what to do: "my mic is on the left"."""
    return _is_statement(words)


def is_heading(words: Sequence[str]) -> bool:
    """Tell whether words before a colon only say what the rest is about."""
    return (
        len(words) <= _LONGEST_HEADING
        and senses_of(words) <= {"ASIDE", "WITH", "OF", "EQ", "PART"}
        and all(map(is_known, words))
        and TAG_WORDS.isdisjoint(words)
        and not any(map(is_number, words))
    )


def simpler(words: list[SpokenWord]) -> Iterator[list[SpokenWord]]:
    """Yield the same clause without what leads on to it, without its reason, its heading; from more
    words to fewer."""
    seen = {len(words)}
    if len(words) > _LONGEST:
        return
    for some in (words, [*_after_heading(words)]):
        bare = _without_ends(some)
        for one in (bare, _without_reason(bare)):
            if one and len(one) not in seen:
                seen.add(len(one))
                yield one


_FOR = frozenset({"for", "für", "fürs", "zum"})


def without_purpose(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words without "for" and the unknown ones that follow it at once, and may name a
    purpose or somebody; none where there are none."""
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        end = at + 1
        while end < len(texts) and not senses_of([texts[end]]) and not is_number(texts[end]):
            end += 1
        named = texts[at + 1 : end]
        if text in _FOR and not all(map(is_known, named)) and SCOPES.isdisjoint(named):
            return words[:at] + words[end:]
    return []


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
        if texts[at] in _CAUSES | _PURPOSE and is_remark(texts[at:], texts[:at], sections=False):
            return words[:at]
    return words


def _after_heading(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words after the first colon, where a heading or a remark stands before it."""
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if text != ":" or not at:
            continue
        if is_heading(texts[:at]) or is_remark(texts[:at], texts[at + 1 :], sections=False):
            return words[at + 1 :]
    return words
