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
    "PART", "STEM", "BY", "OF", "WITH", "IN", "AND", "TO", "NACH", "FROM", "AT", "READY", "SECTION",
    "ALL", "FIRST", "LAST", "START", "END", "BEFORE", "AFTER", "VOICES", "SOME", "TILL", "WANT",
})  # fmt: skip
"""Senses that a heading and a reason may have."""
_TELLING = frozenset({
    "HUM", "NOISE", "CLICKS", "SHARP", "HARSH", "RUMBLE", "TOOQUIET", "TOOLOUD", "MUCH", "MORE",
    "LESS", "LOUD", "LOUDER", "QUIET", "QUIETER", "SILENCE", "PAUSES", "LONG", "REVERB", "ROOMY",
    "FASTER", "SLOWER", "HIGHER", "DEEPER", "BASS", "TREBLE", "LEFT", "RIGHT", "BACKWARDS",
    "DISTORT", "EVEN", "DULL", "DYNAMICS", "PEAK", "MONO", "STEREO", "FADE",
})  # fmt: skip
"""Senses of what is wrong with a sound: who tells of it wants it mended."""
_WISHES = words_of(
    "please bitte can could would should must need needs want wants let make mach kannst "
    "könntest kann können soll sollen sollte sollten muss müssen brauche brauchen braucht möchte "
    "möchten wish wünsche will gern gerne hätte would'd i'd"
)
_SUBJECTS = words_of(
    "i we he she they it this that these those there the my our his her their your a an someone "
    "somebody everyone everybody nobody one many some most both who which i'm we're it's that's "
    "there's he's she's they're i've we've i'd der die das dem den des ich wir er sie es man "
    "mein meine meinem unser unsere unserem jemand ein eine einer viele einige beide alle dieser "
    "diese dieses hier in im on am at auf bei from von because since as weil denn da had while "
    "obwohl although"
)
_VERBS = words_of(
    "was were is are am has had have been i'm we're it's that's there's he's she's they're i've "
    "we've did does do went came got kept said thinks think thought rang runs ran stands stood "
    "sits sat plays played begins began starts started stops stopped ends ended goes drags leans "
    "leaned drifted spoke speaks talks talked sang sings coughs coughed sneezed knocked fell "
    "dropped broke made makes took takes gave gives left stayed stays lives lived used uses "
    "recorded hums buzzes hits caught moved walked drove passes passed barked barks opened "
    "closed changed changes cancelling cancel seems learn learning read reads wrote writes found "
    "forgot forgets happened happens means meant belongs comes asked asks wanted liked likes "
    "loves loved hates hated war waren ist sind hat hatte hatten haben wurde wurden wird werden "
    "ging gingen kam kamen kommt fällt fiel steht stand liegt lag lief läuft laufen sitzt saß "
    "spricht sprach sprechen sagt sagte singt singen spielt spielte beginnt begann fängt hört "
    "endet endete dauert dauerte vergeht vergehen stört stören bellt bellte klingelt klingelte "
    "hustet hustete knarrt knarzt gehört gehören passiert passierte heißt finden findet fand mag "
    "mögen brummt rauscht knackt zischt zischen entstanden aufgenommen gemacht gesprochen "
    "gesungen lernen lernt"
)
_COPULAS = words_of(
    "was were is are it's that's sounds sound feels feel seems seem looks lacks lack ist sind "
    "klingt klingen wirkt wirken fehlt fehlen hört i'm"
)
_SOUNDS = words_of(
    "it it's this that that's everything sound sounds voice voices recording audio mix track "
    "music song vocals file speech signal tone es das alles ton klang stimme stimmen aufnahme "
    "musik lied ganze sprache datei spur words wörter"
)
_HEARING = words_of("hear understand hören hört hörst versteht verstehen intelligible")
_OF_PEOPLE = frozenset({"FASTER", "SLOWER", "HIGHER", "DEEPER", "LEFT", "RIGHT", "LONG", "MUCH"})
"""Senses that tell of a sound only beside a word for it: people have slow internet."""
_NEGATIONS = frozenset({"NOT", "NOTHING"})
_REASONS = (
    "because", "since", "weil", "denn", "so that", "damit", "sodass", "so the", "so my", "so our",
    "so people", "so everyone", "so we can", "so i can", "so they can", "where i", "where we",
    "where he", "where she", "would make", "that makes", "which makes", "where the", "wo ich",
    "wo wir", "wo der", "als ich", "while i", "when i",
)  # fmt: skip
_PURPOSES = frozenset({"for", "für", "fürs", "zum", "zur"})
_LEADS = words_of(
    "finish hinterher followed lastly "
    "followed so also therefore hence thus deshalb daher darum zwar nämlich then dann dabei dazu "
    "afterwards danach dahinter anschließend finally please bitte : - oh well anyway ansonsten "
    "sonst dort there und and after that plus"
)
_TRAILS = (
    ("after", "that"), ("after", "it"), ("on", "top"), ("to", "finish"), ("as", "well"),
    ("first",), ("at", "the", "end"),
    ("at", "last"), ("last",), ("afterwards",), ("danach",), ("dahinter",), ("too",), ("then",),
    ("please",), ("bitte",), ("though",), ("zuletzt",), ("dann",), ("instead",), ("dazu",),
    ("again",),
)  # fmt: skip
_LONGEST_HEADING = 6
_PASSING = frozenset({
    "FILES", "SAVE", "ABOVE", "TAKE", "EACH", "STOP", "LITTLE", "LAY", "CHANNEL", "MOST", "JUST",
    "NOT", "NOTHING", "JOIN", "SPEED",
})  # fmt: skip
"""Senses that a statement may have as well: there they ask for nothing."""
_FAULTS = {
    "DULL": {"TREBLE", "EQ", "FREQUENCY", "BASS", "HIGHPASS"},
    "TOOQUIET": {"LOUDER", "UP", "MORE", "LOUDNESS", "NORM", "EVEN"},
    "TOOLOUD": {"QUIETER", "DOWN", "LESS", "LOUDNESS", "NORM", "EVEN"},
    "HARSH": {"SHARP", "DEESS", "TREBLE"}, "HIGHER": {"DEEPER", "DOWN"}, "DEEPER": {"HIGHER", "UP"},
    "LONG": {"PAUSES", "SILENCE", "TRIM"}, "MUCH": _TELLING - {"MUCH"},
    "QUIET": {"LOUDER", "UP", "EVEN"}, "LOUD": {"QUIETER", "DOWN", "EVEN"},
    "NOISE": {"LEFT", "RIGHT", "CHANNEL", "GATE"}, "HUM": {"HIGHPASS", "LEFT", "RIGHT"},
    "LEFT": {"RIGHT", "CHANNEL"}, "RIGHT": {"LEFT", "CHANNEL"}, "BACKWARDS": {"FLIP"},
    "RUMBLE": {"HIGHPASS"}, "SILENCE": {"PAUSES"}, "PAUSES": {"SILENCE", "SPLIT"},
}  # fmt: skip
"""What is wrong, each with what may be asked for to mend it."""


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


def is_remark(words: Sequence[str], beside: Sequence[str]) -> bool:
    """Tell whether the words of a clause ask for nothing; `beside` are those of the clauses next to
    it that are understood. What they speak of as well, it may speak of."""
    if words[0] in _CAUSES and {*values_in(words)} <= {*beside}:
        return True
    because = words[0] in _CONJUNCTIONS or (
        words[0] == "so" and not _SUBJECTS.isdisjoint(words[1:2])
    )
    while len(words) > 1 and words[0] in _LEADS - _SUBJECTS:
        words = words[1:]
    said, about = senses_of(words), senses_of(beside)
    if not {*values_in(words)} <= {*beside}:
        return False
    of_sound = not _SOUNDS.isdisjoint(words) or not _HEARING.isdisjoint(words) or "PART" in said
    quiet = _HARMLESS | _PASSING if of_sound else _HARMLESS | _PASSING | _OF_PEOPLE
    told = said - quiet
    known = {one for one in told if one in about or about & _FAULTS.get(one, set())}
    if told - known - (_TELLING if because else set()):
        return False
    if because:
        return True
    if not _WISHES.isdisjoint(words) or (not _NEGATIONS.isdisjoint(said) and (of_sound or told)):
        return False
    if words[0] in _GREETINGS and not told:
        return True
    if not _is_statement(words):
        return False
    if about & _FAULTS["TOOQUIET"] and not _HEARING.isdisjoint(words):
        return True
    return bool(known - {"MUCH"}) or (_HEARING.isdisjoint(words) and not _is_complaint(words))


def values_in(words: Sequence[str]) -> Iterator[str]:
    """Yield the numbers that have a unit or are times, and the files."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if re.fullmatch(SOUND_FILE, word) or (is_number(word) and (":" in word or is_unit(after))):
            yield word


def _is_statement(words: Sequence[str]) -> bool:
    """Tell whether words say something of somebody: who asks for work begins with a verb, or names
    the work."""
    named = not senses_of(words[:1]) and is_known(words[0])
    if words[0] not in _SUBJECTS and not named and (len(words) < 2 or words[1] not in _VERBS):
        return False
    return words[0] in _CONTRACTED or any(_is_verb(word) for word in words[1:])


def _is_verb(word: str) -> bool:
    """Tell whether a word is a finite verb, of the unknown ones by how it ends."""
    if word in _VERBS:
        return True
    return len(word) > 4 and not is_known(word) and word.endswith(("ed", "s", "t", "te", "ten"))


_ABOUT_PLACES = words_of(
    "for für auf in im on at from bei aus von only just nur bloß my our mein meine unser unsere"
)


def _is_complaint(words: Sequence[str]) -> bool:
    """Tell whether words say how the sound is: "it is muffled" wishes that it were not."""
    at = next((n for n, word in enumerate(words) if word in _COPULAS), None)
    if at is None or not _ABOUT_PLACES.isdisjoint(words[at + 1 : at + 2]):
        return False
    if any(word in _VERBS - _COPULAS for word in words[:at]):
        return False
    before = words[: at + 1]
    return not _SOUNDS.isdisjoint(before) or senses_of(before) & {"PART"} != frozenset()


_POINTERS = words_of(
    "it its that that's this them those these there both dort da das die den es ihn sie dies "
    "beides alles weg"
)


def points_back(words: Sequence[str]) -> bool:
    """Tell whether a wish names what it is for only by a word that points back: "remove it"."""
    return not _POINTERS.isdisjoint(words) and len(words) <= _LONGEST_POINTER


_LONGEST_POINTER = 10
_PLACES = frozenset({"from", "between", "at", "von", "zwischen", "bei", "ab", "in", "im"})
_LIMITS = frozenset({"KEEP", "NOT", "NOTHING"})
_WHERE = frozenset({
    "FROM", "TO", "TILL", "AND", "AT", "BEFORE", "AFTER", "FIRST", "LAST", "START", "END", "ABOVE",
    "BELOW", "IN", "OF", "NACH",
})  # fmt: skip
_THINGS = _TELLING | {"PHASE", "CHANNEL", "FREQUENCY", "SPEED", "PITCH"}


TOLD = (_WHERE, _WHERE | _THINGS, frozenset({"FIRST", "LAST"}))
"""Senses of the words that tell where something is, or what and where, or at which end."""


def told_words(words: Sequence[str], kept: frozenset[str]) -> list[str]:
    """Return the numbers, with their units, and the words of these senses."""
    return [
        word for word in words
        if is_number(word) or is_unit(word) or word in ("and", "und") or senses_of([word]) & kept
    ]  # fmt: skip


_CONJUNCTIONS = frozenset(
    {"because", "weil", "damit", "denn", "while", "although", "obwohl", "sodass"}
)
_CAUSES = frozenset({"because", "weil", "denn"})
_GREETINGS = words_of("hi hello hallo hey liebe lieber dear guten mit viele best kind grüße gruß")
_CONTRACTED = frozenset({"i'm", "it's", "that's", "there's", "he's", "she's", "we're", "they're"})


def may_be_told(words: Sequence[str]) -> bool:
    """Tell whether words say what is where, to which a wish points back. Of them the unknown ones
    may be the name of it."""
    strange = [word for word in words if not is_known(word) and not is_number(word)]
    if not strange:
        return True
    begins = words[0] in _SUBJECTS | _PLACES or any(_is_verb(word) for word in words)
    return begins and _LIMITS.isdisjoint(senses_of(words))


_STATES = words_of("is was war ist hat sits went came recorded aufgenommen lag liegt")


def is_told_of(words: Sequence[str]) -> bool:
    """Tell whether words say where something is, and not what to do: "my mic is on the left"."""
    return _is_statement(words) and not _STATES.isdisjoint(words)


def is_heading(words: Sequence[str]) -> bool:
    """Tell whether words before a colon only say what the rest is about."""
    said = senses_of(words)
    return (
        len(words) <= _LONGEST_HEADING
        and said <= _HARMLESS | {"EQ", "BACKWARDS", "CHANNEL"}
        and SCOPES.isdisjoint(words)
        and not any(map(is_number, words))
        and TAG_WORDS.isdisjoint(words)
    )


def simpler(words: list[SpokenWord]) -> Iterator[list[SpokenWord]]:
    """Yield the same clause without what leads on to it, without its reason, its heading, without
    whom it is for; from more words to fewer."""
    seen = {len(words)}
    for some in (words, [*_after_heading(words)]):
        bare = _without_ends(some)
        short = _without_reason(bare)
        for one in (bare, _without_source(bare), short, _without_purpose(bare),
                    _without_purpose(short), _without_source(_without_purpose(short)),
                    _without_name(short)):  # fmt: skip
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
        if not " ".join(rest[:3]).startswith(tuple(f"{one} " for one in _REASONS)):
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


_EXCEPTIONS = words_of("but except besides excluding außer ausgenommen other others not nicht")
_OF_FAULTS = frozenset({"NOISE", "HUM", "RUMBLE", "CLICKS", "SHARP", "SILENCE", "PAUSES"})
_SOURCES = frozenset({"of", "from", "der", "des", "vom", "von", "meines", "meiner", "on"})


def _without_source(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words without what follows a fault and says where it comes from: "of the desk"."""
    for at in range(1, len(words)):
        if words[at].text not in _SOURCES or not senses_of([words[at - 1].text]) & _OF_FAULTS:
            continue
        end = at + 1
        while end < len(words) and _is_strange(words[end].text):
            end += 1
        if end > at + 1 and SCOPES.isdisjoint(word.text for word in words[at:end]):
            return words[:at] + words[end:]
    return words


def _without_name(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the known words of a clause with two times, which say what the unknown ones name."""
    texts = [word.text for word in words]
    if sum(":" in value for value in values_in(texts)) < 2 or "SPLIT" in senses_of(texts):
        return words
    if not _EXCEPTIONS.isdisjoint(texts) or any(map(_is_verb, texts)):
        return words
    return [word for word in words if is_known(word.text) or is_number(word.text)]


def _is_strange(word: str) -> bool:
    """Tell whether a word is unknown, or adds nothing."""
    return not is_number(word) and not senses_of([word])


def _after_heading(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words after the first colon, where a heading or a remark stands before it."""
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if (
            text == ":"
            and at
            and (is_heading(texts[:at]) or is_remark(texts[:at], texts[at + 1 :]))
        ):
            return words[at + 1 :]
    return words
