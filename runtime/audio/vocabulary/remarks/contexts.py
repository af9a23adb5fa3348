"""Sentences that tell what is or was, and ask for nothing: "My choir can't reach the high notes in
this backing track" beside "transpose it down by two semitones".

Of the words of a wish every one has to be known; of a sentence that tells something none has to be.
So what tells is known by its form: it begins as a statement does and not as an order, it has a verb
of it, and no word of those by which people say that they want something, that something is to be
another way, or that they change their mind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..words.circumstances import SCOPES, words_of
from ..words.sentences import is_known, senses_of
from .statements import FAULTS, HARMLESS, LEADS, OF_ALL, PURPOSE, SCOPED, values_in
from .telling import PARTICIPLES, PASTS, VERBS

_OPENERS = words_of(
    "i we he she they it this that these those there here the my our his her their its a an some "
    "someone somebody everyone everybody nobody one many most both no who i'm i've we're we've "
    "he's she's it's that's there's here's they're in on at from since although though as to "
    "with because unfortunately apparently sometimes yesterday today otherwise der die das dem "
    "den des ein eine einer eines einem einen ich wir er sie es mein meine meinem meinen meiner "
    "meines unser unsere unserem unseren unserer unseres sein seine ihr ihre dieser diese dieses "
    "diesem diesen hier da im am auf aus bei beim von vom als seit nachdem weil man jemand "
    "irgendwer niemand leider manche manchmal viele einige draußen drinnen gestern heute durch "
    "wegen mit obwohl sonst kein keine mir mich uns"
)
"""Words that a statement begins with, and no order does."""
_SOMEBODY = words_of(
    "i we he she they i'm we're i've we've he's she's they're ich wir er man jemand someone "
    "somebody everyone everybody niemand nobody"
)
_AUXILIARIES = words_of(
    "is are was were am has have had i'm i've we're we've he's she's it's that's there's here's "
    "they're isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't do does did "
    "can't cannot couldn't ist sind war waren bin hat haben habe hatte hatten wurde wurden wird "
    "werden"
)
_STATES = words_of("is are was were ist sind war waren hat hatte had has")
_WAS = words_of("was were had did war waren hatte hatten wurde wurden wasn't weren't hadn't didn't")
_PERFECT = words_of("hat habe haben ist sind bin has have i've we've they've")
_WANTED = words_of(
    "please bitte can could would should must need needs needed want wants wanted let lets "
    "kannst könntest können könnt kann könnten könnte soll sollen sollte sollten solls muss "
    "müssen müsste müssten brauche brauchen braucht brauchst bräuchte möchte möchten mag will "
    "wollen willst wollt würde würden würdest wish wishes wished wünsche wünscht wünschen gern "
    "gerne lieber hätte hätten i'd we'd like prefer prefers rather hope hopes hoped hoping hoffe "
    "hoffen expect expects expected erwarte erwartet demand demands insist insists ask asks "
    "require requires suggest suggests propose recommend order orders request requests verlange "
    "verlangt bestehe besteht bitten bittet fordere fordert schlage empfehle dream imagine "
    "envision vote choose opt mean means meant meinte supposed ought better besser shall may "
    "might dürfen darf dürfte try versuch versuche aim goal idea plan target objective task job "
    "aufgabe ziel wunsch idee vorgabe auftrag instead stattdessen"
)
"""Words of wishes, of other people's and of one's own."""
_TURNED = words_of(
    "wrong joke joking kidding lied mind forget ignore scratch cancel nevermind actually sorry "
    "oops undo scherz spaß falsch quatsch vergiss vergessen egal korrektur correction doch "
    "eigentlich next then afterwards finally later danach dann anschließend zuletzt nächstes "
    "instead again twice hate hates hated hasse hasst love loves liebe liebt annoys annoying "
    "annoyed nervt nerven disturbs disturbing stört stören bothers miss misses missing fehlt "
    "secret geheim boring langweilig while during when während sobald nochmal nochmals zweimal "
    "wieder except unless if falls wenn sofern ob whether außer about regarding concerning "
    "betrifft betreffs concerns geht gehen gehört gehören goes go gone going becomes become "
    "turns gets get comes come kommt kommen stays stay remains bleibt bleiben bleibe not-yet "
    "lass lasst lassen leave leaves like wie as-if als-ob"
)
"""Words by which a statement may be a wish for all that: what goes, comes, becomes or stays, what
comes then, on a condition or not at all."""
_STRANGE_PASSIVE = re.compile(
    r"(?:\w*ge\w{2,}(?:t|en)|\w+iert|(?:ver|be|ent|er|zer)\w{2,}(?:t|en))"
)
_LONGEST = 40
_SOURCES = frozenset({"PART", "STEM", "VOICES", "PERSON"})
_PLACES = SCOPES - words_of(
    "take takes beat beats note notes word words wort wörter sentence sentences satz sätze phrase"
)
_SIDES = _SOURCES | {
    "LEFT", "RIGHT", "CHANNEL", "JUST", "EACH", "SILENCE", "MUTE", "MONO", "STEREO", "SWAP", "BOTH",
}  # fmt: skip
_LEVELS = words_of("gain")
_TREATMENTS = words_of(
    "eq highpass lowpass bandpass denoise dehum declick deess noise_gate compress leveller limit "
    "reverb channels invert shift distort shorten_pauses pitch_shift time_stretch trim_silence "
    "reverse add_noise split_silence fade"
)
"""Tools by which a sound is made another one, as who complains of it wants."""
_OF_TOOLS: dict[str, frozenset[str]] = {
    "loudness_norm": frozenset({"PODCAST", "STREAM", "BROADCAST"}),
    "time_stretch": frozenset({"LONG", "SPEED", "MUCH", "FASTER", "SLOWER"}),
    "fade": frozenset({"HARSH", "START", "END", "SECTION", "STOP"}),
    "channels": _SIDES | {"MORE"},
    "convert": frozenset({"MONO", "STEREO"}),
    "bandpass": frozenset({"PHONE"}),
    "invert": frozenset({"PHASE"}),
    "lowpass": frozenset({"NOISE", "SHARP", "HARSH", "TREBLE"}),
    "highpass": frozenset({"RUMBLE", "BASS", "HUM", "NOISE"}),
    "eq": frozenset({"DULL", "HARSH", "SHARP", "BASS", "TREBLE", "RUMBLE"}),
    "distort": frozenset({"HARSH"}),
    "reverse": frozenset({"FLIP", "BACKWARDS"}),
    "denoise": frozenset({"NOISE", "BACKGROUND"}),
    "noise_gate": frozenset({"PAUSES", "SILENCE", "NOISE", "BACKGROUND", "EACH"}),
    "dehum": frozenset({"HUM"}),
    "declick": frozenset({"CLICKS"}),
    "deess": frozenset({"SHARP", "HARSH"}),
    "leveller": frozenset({"QUIET", "LOUD", "TOOQUIET", "TOOLOUD", "VOICES", "LEVEL"}),
    "compress": frozenset({"DYNAMICS", "LEVEL", "LOUD", "QUIET"}),
    "shorten_pauses": frozenset({"PAUSES", "SILENCE", "LONG"}),
    "trim_silence": frozenset({"SILENCE", "BEFORE", "AFTER", "START", "END", "MUTE"}),
    "split_silence": frozenset({"PAUSES", "SILENCE", "FILES", "EACH"}),
    "pitch_shift": frozenset({"PITCH", "HIGHER", "DEEPER", "TREBLE", "BASS"}),
}
"""What is told of a sound for which a tool is asked."""


class Beside(NamedTuple):
    """What is understood beside some words: its own words and its tools; the tool of the wish at
    once behind, "" without one."""

    words: Sequence[str]
    tools: frozenset[str]
    after: str


def is_context(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether the words of a sentence only tell something. Of a fault that is mended beside
    them may be told; how something is or sounds only at once before a wish that changes it."""
    words = [*words]
    while len(words) > 1 and words[0] in LEADS:
        words = words[1:]
    if words[-3:] == ["in", "1", "go"]:
        words = words[:-3]
    if _is_untouched(words, beside) or _is_broken(words, beside):
        return True
    if not 2 <= len(words) <= _LONGEST or not _begins(words):
        return False
    turned = _TURNED - _EARLY if beside.after == "shift" else _TURNED
    if not _DEGREES.isdisjoint(words):
        turned -= _GETTING
    if _is_destination(words):
        turned, words = turned - _GOING, [word for word in words if word not in _HAVING]
    past = _is_of_past(words)
    if past:
        turned -= _WHILE
    wanted = _WANTED - _ABLE if not _HARDLY.isdisjoint(words) else _WANTED
    if not wanted.isdisjoint(words) and not _is_intention(words):
        return False
    if not turned.isdisjoint(words) or not _is_beside(words, beside):
        return False
    if not _LASTING.isdisjoint(words) and [*values_in(words)]:
        return _COMPLAINING.isdisjoint(words)
    if not _COMPLAINING.isdisjoint(words) or not (
        past
        or _is_of_somebody(words)
        or _is_name(words)
        or _is_intention(words)
        or _is_destination(words)
    ):
        treated = beside.after in _TREATMENTS or senses_of(words) & _OF_TOOLS.get(
            beside.after, set()
        )
        named = not _COMPLAINING & {*words} and _is_of_fault(words, beside)
        return named or (_is_present(words) and (bool(treated) or _is_of_whole(words)))
    return True


_FAULTS = words_of("denoise dehum declick deess highpass shorten_pauses leveller")


def _is_of_fault(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words name the fault that a wish mends: "de-ess it, the woman hisses"."""
    said = senses_of(words)
    return any(said & _OF_TOOLS[tool] for tool in beside.tools & _FAULTS)


_CUTTING = words_of("clip cut")


def _is_event(words: Sequence[str]) -> bool:
    """Tell whether words say what a section is that goes: "that's only me packing up"."""
    return tuple(words[:2]) in _EVENTS or tuple(words[:3]) in _EVENTS


_EVENTS = {
    ("that's", "only"), ("that's", "just"), ("it's", "only"), ("it's", "just"),
    ("das", "ist", "nur"),
    ("da", "ist", "nur"), ("das", "sind", "nur"), ("that", "is", "only"), ("that", "is", "just"),
}  # fmt: skip
_WHOLE = words_of(
    "file recording whole everything all alles ganze ganzes datei aufnahme it it's es this that "
    "das track mix audio ton sound song lied mischung volume lautstärke"
)


def _is_of_whole(words: Sequence[str]) -> bool:
    """Tell whether words name a fault of all of the sound, which is mended beside them."""
    faults = senses_of(words) & FAULTS.keys()
    return bool(faults) and not _WHOLE.isdisjoint(words[:4]) and all(map(is_known, words))


def goes_on(words: Sequence[str]) -> bool:
    """Tell whether words go on with the sentence before them, and are none of their own."""
    return words[0] not in _OPENERS


_HARDLY = words_of("hardly barely kaum")
_DEGREES = words_of("really too very so quite ziemlich sehr")
_GETTING = words_of("get gets")
_HAVING = words_of("soll should needs need must")
_UNTOUCHED = words_of(
    "touch ruhe nichts nothing change anfassen ändere ändern unverändert unchanged alone lassen"
)
_SOUND = words_of("audio ton sound klang")


def _is_untouched(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words say beside tags that the sound stays as it is."""
    sound = not _SOUND.isdisjoint(words) and not _UNTOUCHED.isdisjoint(words)
    return bool(beside.tools) and beside.tools <= {"tag"} and sound and len(words) < _SHORT


_SHORT = 8
_BROKEN = words_of(
    "kaputt kaputten kaputtes kaputter broken dirty dreckig dreckigen megafon megaphone "
    "walkie-talkie"
)
_AIMING = words_of("soll sollte should must i'd muss")


def _is_broken(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words say how a sound is to be that the wish at once behind distorts."""
    told = not _BROKEN.isdisjoint(words) and not _AIMING.isdisjoint(words)
    return told and beside.after == "distort" and _is_beside([*{*words} - _HOW], beside)


_GOING = words_of("goes go going geht gehen gehts kommt kommen comes come")
_TOWARDS = words_of("to into onto on in ins an auf per via zu zum zur for für")


def _is_destination(words: Sequence[str]) -> bool:
    """Tell whether words say where the sound goes: "it goes to a station", "soll ins Museum"."""
    if "fit" in words[-6:] and not _TOWARDS.isdisjoint(words[words.index("fit") + 1 :][:1]):
        return True
    at = next((n for n, word in enumerate(words) if word in _GOING), None)
    if at is None:
        at = next((n for n, word in enumerate(words) if word == "soll"), None)
        return at is not None and words[at + 1 : at + 2] in (
            ["in"],
            ["ins"],
            ["an"],
            ["zum"],
            ["zur"],
        )
    english = not _TOWARDS.isdisjoint(words[at + 1 : at + 2])
    return english or (words[at] == "gehen" and "soll" in words and not _TOWARDS.isdisjoint(words))


def is_reason(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words say why, or what somebody can do then, and ask for nothing."""
    why = words[0] in _WHY
    aim = words[0] == "to" and not (VERBS | _AIMS).isdisjoint(words[1:2])
    if not (why or aim) and words[0] not in PURPOSE and tuple(words[:2]) not in _IN_ORDER:
        return False
    words = (
        words[2:]
        if tuple(words[:2]) in _IN_ORDER or words[1:2] in (["that"], ["dass"])
        else words[1:]
    )
    if not 2 <= len(words) <= _LONGEST or not (_WANTED - _ABLE).isdisjoint(words):
        return False
    if tuple(words[-2:]) in _SO:
        words = words[:-2]
    if not (_TURNED - _WHILE - _OUTCOMES).isdisjoint(words):
        return False
    if not _is_beside(words, beside) or not (why or _HOW.isdisjoint(words)):
        return False
    meant = not _SOMEBODY.isdisjoint(words[:1]) and _ABLE.isdisjoint(words)
    return (aim or meant or _is_present(words)) and (
        frozenset() < beside.tools <= _TREATMENTS or _COMPLAINING.isdisjoint(words) or why
    )


_AIMS = words_of("make help give get protect avoid save match fit keep")
_SO = {("like", "that"), ("like", "this"), ("that", "way")}
_OUTCOMES = words_of("like bleibt stays get gets")
_WHY = words_of("because weil denn since da")
_IN_ORDER = {("in", "order"), ("so", "as"), ("sodass",), ("so", "dass")}
_ABLE = words_of("can could kann können könnte will besser")
_HOW = words_of("sound sounds klingt klingen like wie")
_WHILE = words_of("while during when während")
_EARLY = words_of("comes come kommt kommen runs")


def _is_beside(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether what words speak of is mended beside them, and no part is meant alone."""
    lasting = not _LASTING.isdisjoint(words)
    if not (lasting or {*values_in(words)} <= {*beside.words}) or _is_passive(words):
        return False
    words = _without_names(_without_purpose(words))
    said = senses_of(words) - _PASSING
    if beside.after in _TREATMENTS:
        said -= {"NOT", "NOTHING", "WITHOUT"}
    own = frozenset().union(*(_OF_TOOLS.get(tool, frozenset()) for tool in beside.tools))
    if beside.tools & _CUTTING and _is_event(words):
        said -= {"JUST"}
    placed = (said & (_ENDS | {"SECTION"})) - own or not _PLACES.isdisjoint(words)
    placed = placed and not (_is_intention(words) and beside.tools <= OF_ALL)
    if placed and (not _is_of_past(words) or "JUST" in said):
        return False
    scoped = (said & SCOPED) - {"ASIDE"} - own
    if scoped and not beside.tools <= OF_ALL and (scoped - _SOURCES or beside.tools & _LEVELS):
        return False
    if _is_intention(words):
        said -= {"WANT"}
    if _is_destination(words):
        said -= {"PHONE", "EACH"}
    about = senses_of(beside.words)
    return all(not about.isdisjoint(FAULTS.get(one, ())) for one in said - HARMLESS - own)


_GOALS = words_of(
    "wants want to like i'd we'd möchte will wollen möchten würde gern gerne going have need plan"
)


def _is_intention(words: Sequence[str]) -> bool:
    """Tell whether words say what somebody wants to do with the sound: "I want to practise with
    this", and not what he wants of it."""
    wants = next((n for n, word in enumerate(words[:5]) if word in ("wants", "want")), 0)
    if wants and "PERSON" in senses_of(words[:wants]) and words[wants + 1 : wants + 2] == ["to"]:
        return words[wants + 2 : wants + 3] != [] and words[wants + 2] in VERBS
    if not _SOMEBODY.isdisjoint(words[:1]) or words[0] in ("i'd", "we'd"):
        if not _WANTED.isdisjoint({*words} - _GOALS) or not _MOVES.isdisjoint(senses_of(words)):
            return False
        for at in range(1, min(4, len(words) - 1)):
            if words[at] == "to":
                return words[at + 1] in VERBS
        german = not {"möchte", "will", "wollen", "möchten"}.isdisjoint(words[1:2])
        return german and words[-1] in VERBS
    return False


_MOVES = frozenset({"FASTER", "SLOWER", "HIGHER", "DEEPER", "JUST", "FIRST", "LAST", "LOUDER"})


_ENDS = frozenset({"START", "END", "FIRST", "LAST", "TILL", "EACH", "JUST"})


def _begins(words: Sequence[str]) -> bool:
    """Tell whether words begin as a statement does."""
    if words[0] in _OPENERS:
        return True
    named = is_known(words[0]) and senses_of(words[:1]) <= {"ASIDE", "PERSON"}
    verbs = {*words[1:3]} if named else {*words[1:2]}
    return not verbs.isdisjoint(_STATES | VERBS if named else _STATES)


def _is_of_past(words: Sequence[str]) -> bool:
    """Tell whether words say what was."""
    if not {*words}.isdisjoint(_WAS | PASTS):
        return True
    return not {*words}.isdisjoint(_PERFECT) and not {*words}.isdisjoint(PARTICIPLES)


def _is_of_somebody(words: Sequence[str]) -> bool:
    """Tell whether words say what somebody does, or has or is."""
    at = next((n for n, word in enumerate(words) if word in _AUXILIARIES | VERBS), None)
    if at is None:
        return False
    around = words[: at + 2]
    return not _SOMEBODY.isdisjoint(around) or "PERSON" in senses_of(words[: at + 1])


def _is_name(words: Sequence[str]) -> bool:
    """Tell whether words say what the sound is, or what it is for: "this is our morning circle"."""
    if words[0] in _CALLED:
        words = [words[0].removesuffix("'s"), "is", *words[1:]]
    if words[0] not in _POINTING or words[1] not in ("is", "ist", "wird", "was", "sind", "are"):
        return False
    return not {*words[2:4]}.isdisjoint(_ARTICLES) and {*words}.isdisjoint(_SLIGHT)


_CALLED = words_of("it's that's here's this's")
_POINTING = words_of("this that it das dies hier here es")
_ARTICLES = words_of(
    "a an the my our his her their for from one some ein eine einer mein meine unser unsere der "
    "die das für fürs aus vom von"
)
_SLIGHT = words_of("bit little touch bisschen etwas wenig kinda kind sort mess shame pity schade")


def _is_present(words: Sequence[str]) -> bool:
    return any(word in _AUXILIARIES or word in VERBS or word in _SOUNDING for word in words)


_PASSING = frozenset({"LAY", "ABOVE", "BELOW", "BACKGROUND", "FREQUENCY"})
"""Senses of small words and names that ask for nothing in a sentence that tells something."""
_LASTING = words_of("dauert dauerte lasts lasted runs ran")
_SOUNDING = words_of(
    "beginnt endet begins starts stops ends sounds sound klingt klingen klang seems lacks hear "
    "hears hört hören versteht verstehen understand kommt comes hums hisses clicks crackles "
    "rumbles buzzes brummt rauscht knackt knistert zischt zischelt dröhnt hissing humming "
    "buzzing"
)
"""Verbs of how something sounds."""
_ACCEPTING = words_of("has have plays accepts takes loads reads hat spielt nimmt liest")
_NAMES = words_of(
    "backing string bottom speicher mix mixed play plays spielt schicke over line speech speaker "
    "speakers mixing master mastering recorded playback"
)
"""Words that do not ask for work in a sentence that tells something."""


def _without_purpose(words: Sequence[str]) -> Sequence[str]:
    """Return the words before "for our museum speakers" and the like."""
    for at in range(2, len(words) - 1):
        if words[at] in ("for", "für") and words[at + 1] in _OWNERS:
            return words[:at]
    return words


_OWNERS = words_of(
    "my our his her their a an mein meine meinen unser unsere unseren ein eine einen"
)


def _without_names(words: Sequence[str]) -> list[str]:
    """Return the words without those that are names here: "our hall", "only has an old phone"."""
    found: list[str] = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        hall = word == "hall" and found and found[-1] in ("our", "the", "a", "this", "church")
        only = word in ("only", "just") and after in _ACCEPTING
        if word not in _NAMES and not hall and not only:
            found.append(word)
    return found


def _is_passive(words: Sequence[str]) -> bool:
    """Tell whether words say what is done: "der Refrain wird verdoppelt" is an order."""
    at = next(
        (n for n, word in enumerate(words) if word in ("wird", "werden", "be", "being")), None
    )
    return at is not None and any(map(_STRANGE_PASSIVE.fullmatch, words[at + 1 :]))


_COMPLAINING = words_of(
    "than too zu hears sound sounds sounding klingt klingen klang not no never hardly barely "
    "nothing nobody nicht kein keine keinen nie kaum nichts niemand hear heard hört hören "
    "understand versteht verstehen lacks lack mangelt can't cannot couldn't don't doesn't didn't "
    "isn't aren't wasn't"
)
