"""Sentences that tell what is or was, and ask for nothing: "My choir can't reach the high notes in
this backing track" beside "transpose it down by two semitones".

Of the words of a wish every one has to be known; of a sentence that tells something none has to be.
So what tells is known by its form: it begins as a statement does and not as an order, it has a verb
of it, and no word of those by which people say that they want something, that something is to be
another way, or that they change their mind.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..words.circumstances import words_of
from ..words.patterns import is_number
from ..words.sentences import is_known, senses_of
from .beside import FAULT_TOOLS, LASTING, OF_TOOLS, TREATMENTS, Beside, is_beside
from .labels import is_comparison, is_heard, is_label
from .moods import (
    GOING,
    SOMEBODY,
    USES,
    WANTED,
    begins,
    has_strange_verb,
    has_verb,
    is_destination,
    is_event,
    is_intention,
    is_name,
    is_of_past,
    is_of_somebody,
    is_present,
)
from .statements import FAULTS, LEADS, PURPOSE, values_in
from .telling import VERBS

_TURNED = words_of(
    "wird werden wrong joke joking kidding lied mind forget ignore scratch cancel nevermind "
    "actually sorry oops undo scherz spaß falsch quatsch vergiss vergessen egal korrektur "
    "correction doch eigentlich next then afterwards finally later danach dann anschließend "
    "zuletzt nächstes instead again twice hate hates hated hasse hasst love loves liebe liebt "
    "annoys annoying annoyed nervt nerven disturbs disturbing stört stören bothers miss misses "
    "missing fehlt secret geheim boring langweilig while during when während sobald nochmal "
    "nochmals zweimal wieder except unless if falls wenn sofern ob whether außer about regarding "
    "concerning betrifft betreffs concerns geht gehen gehört gehören goes go gone going becomes "
    "become turns gets get comes come kommt kommen stays stay remains bleibt bleiben bleibe "
    "lass lasst lassen leave leaves like wie"
)
"""Words by which a statement may be a wish for all that: what goes, comes, becomes or stays, what
comes then, on a condition or not at all."""


_LONGEST = 40


def is_context(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether the words of a sentence only tell something. Of a fault that is mended beside
    them may be told; how something is or sounds only at once before a wish that changes it."""
    words = [*words]
    while len(words) > 1 and words[0] in LEADS:
        words = words[1:]
    words = _without_distances(words)
    if words[-3:] == ["in", "1", "go"]:
        words = words[:-3]
    if _is_untouched(words, beside) or _is_broken(words, beside):
        return True
    if is_comparison(words, beside) or is_label(words, beside) or is_heard(words, beside):
        return True
    if words and words[0] in _ONLY and "channels" in beside.tools and is_of_past(words):
        words = words[1:]  # "only the left mic was recording"
    if not 2 <= len(words) <= _LONGEST or not begins(words) or _is_taken_back(words, beside):
        return False
    turned = _TURNED - _EARLY if beside.after == "shift" else _TURNED
    if is_event(words):
        turned -= {"wird"}
    if not _DEGREES.isdisjoint(words):
        turned -= _GETTING
    if is_destination(words):
        turned, words = turned - GOING, [word for word in words if word not in _HAVING]
    past = is_of_past(words)
    if past:
        turned -= _WHILE
    wanted = WANTED - _ABLE if not _HARDLY.isdisjoint(words) else WANTED
    if not wanted.isdisjoint(words) and not is_intention(words):
        return False
    if not turned.isdisjoint(words) or not is_beside(words, beside):
        return False
    if not LASTING.isdisjoint(words) and [*values_in(words)]:
        return _COMPLAINING.isdisjoint(words)
    if not _COMPLAINING.isdisjoint(words) or not (
        past
        or is_event(words)
        or is_of_somebody(words)
        or is_name(words)
        or is_intention(words)
        or is_destination(words)
    ):
        treated = beside.after in TREATMENTS or senses_of(words) & OF_TOOLS.get(beside.after, set())
        named = not _COMPLAINING & {*words} and _is_of_fault(words, beside)
        named = named or (has_strange_verb(words) and beside.tools <= TREATMENTS)
        return is_present(words) and (named or bool(treated) or _is_of_whole(words))
    return True


_NEAR = {
    ("next", "to"),
    *(
        (too, far)
        for too in ("too", "zu")
        for far in words_of("close far near early late nah nahe weit dicht früh spät")
    ),
}


_HEARD = {(one, "through") for one in words_of("cuts cut comes come")}


def _without_distances(words: list[str]) -> list[str]:
    """Return the words without where somebody is: "next to the heating", "too far away"; and
    without what is heard: "cuts through"."""
    found: list[str] = []
    for word in words:
        if found and (found[-1], word) in _HEARD:
            found[-1] = "plays"
        elif found and (found[-1], word) in _NEAR:
            found.pop()
        else:
            found.append(word)
    return found


_TAKEN_BACK = words_of(
    "mistake typo kidding refused refuse refuses cancelled canceled done decided dagegen "
    "abgelehnt storniert vertippt geirrt anders überlegt entschieden warten wait waiting thought "
    "tomorrow morgen already schon bereits rejected withdrawn ziehe talking rede reden promised "
    "promise versprochen told gesagt agreed wrong bleeped other andere anderen nächste"
)
_POINTING = words_of("that this das dies it es ihn damit dagegen them these those")


def _is_taken_back(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words may take back or correct the wish before them: "that was a mistake"."""
    if not _TAKEN_BACK.isdisjoint(words) or "not to" in " ".join(words):
        return True
    if not beside.before or is_event(words):
        return False
    told = is_name(words) or is_destination(words) or has_strange_verb(words)
    plain = words[:1] in (["it's"], ["it"], ["es"]) and told
    pairs = zip(words, [*words[1:], ""], strict=True)
    pointing = any(one in _POINTING and not _is_noun(one, two) for one, two in pairs)
    pointing = pointing or any(map(is_number, words))
    return pointing and not plain


def _is_noun(article: str, word: str) -> bool:
    """Tell whether "das" is the article of a noun behind it: "das Kabel war kaputt"."""
    named = bool(senses_of([word]) & {"ASIDE", "PERSON"}) or (
        not is_known(word) and word not in VERBS and not has_verb([word])
    )
    return article == "das" and bool(word) and named


_ONLY = words_of("only just nur")


def _is_of_fault(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words name the fault that a wish mends: "de-ess it, the woman hisses"."""
    said = senses_of(words)
    return any(said & OF_TOOLS[tool] for tool in beside.tools & FAULT_TOOLS)


_WHOLE = words_of(
    "file recording whole everything all alles ganze ganzes datei aufnahme it it's es this that "
    "das track mix audio ton sound song lied mischung volume lautstärke"
)


def _is_of_whole(words: Sequence[str]) -> bool:
    """Tell whether words name a fault of all of the sound, which is mended beside them."""
    faults = senses_of(words) & FAULTS.keys()
    return bool(faults) and not _WHOLE.isdisjoint(words[:4]) and all(map(is_known, words))


_HARDLY = words_of("hardly barely kaum")
_DEGREES = words_of("really too very so quite ziemlich sehr")
_GETTING = words_of("get gets")
_HAVING = words_of("soll should needs need must")
_UNTOUCHED = words_of(
    "touch ruhe nichts nothing change anfassen ändere ändern unverändert unchanged alone lassen"
)
_KEPT = words_of("don't not nicht nichts nothing ruhe unverändert unchanged alone")
_SOUND = words_of("audio ton sound klang")


def _is_untouched(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words say beside tags that the sound stays as it is."""
    kept = not _UNTOUCHED.isdisjoint(words) and not _KEPT.isdisjoint(words)
    sound = not _SOUND.isdisjoint(words) and kept
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
    return (
        told
        and beside.after == "distort"
        and is_beside([word for word in words if word not in _HOW], beside)
    )


def is_reason(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words say why, or what somebody can do then, and ask for nothing."""
    if words[0] in _AGAINST and 2 <= len(words) <= _SHORT:
        return senses_of(words) <= _AGAINST_WHAT and not any(map(is_number, words))
    why = words[0] in _WHY
    aim = words[0] == "to" and not (VERBS | _AIMS).isdisjoint(words[1:2])
    if not (why or aim) and words[0] not in PURPOSE and tuple(words[:2]) not in _IN_ORDER:
        return False
    words = (
        words[2:]
        if tuple(words[:2]) in _IN_ORDER or words[1:2] in (["that"], ["dass"])
        else words[1:]
    )
    if not 2 <= len(words) <= _LONGEST or not (WANTED - _ABLE).isdisjoint(words):
        return False
    if tuple(words[-2:]) in _SO:
        words = words[:-2]
    words = _without_distances([*words])
    if _is_use(words):
        return True
    if not (_TURNED - _WHILE - _OUTCOMES).isdisjoint(words):
        return False
    if not is_beside(words, beside) or not (why or _HOW.isdisjoint(words)):
        return False
    able = next((n for n, word in enumerate(words) if word in _ABLE), 0)
    somebody = "PERSON" in senses_of(words[:able]) or not {"they", "alle"}.isdisjoint(words[:able])
    meant = somebody or (not SOMEBODY.isdisjoint(words[:1]) and not able)
    if not why and not _NO.isdisjoint(words):
        return False
    if senses_of(words) & {"STEM"}:
        return False
    return (aim or meant or is_present(words)) and (
        frozenset() < beside.tools <= TREATMENTS or _COMPLAINING.isdisjoint(words) or why
    )


def _is_use(words: Sequence[str]) -> bool:
    """Tell whether words say what somebody can do with the sound, and no other sound is wanted:
    "so I can practise the solo", "damit wir den Refrain üben können"."""
    plays = words[0] == "it" and not _PLAYING.isdisjoint(words[1:2])
    if (SOMEBODY.isdisjoint(words[:1]) and not plays) or [*values_in(words)]:
        return False
    if not senses_of(words).isdisjoint(_CHANGED) or not _NO.isdisjoint(words):
        return False
    english = words[1:2] in (["can"], ["could"]) and not USES.isdisjoint(words[2:4])
    german = words[-1] in ("kann", "können", "könnte") and words[-2] in USES
    return english or german or plays


_PLAYING = words_of("plays works opens runs loads fits")
_CHANGED = frozenset({
    "FASTER", "SLOWER", "HIGHER", "DEEPER", "JUST", "LOUDER", "QUIETER", "REMOVE", "CUT", "MORE",
    "LESS", "UP", "DOWN", "SAVE", "MONO", "STEREO",
})  # fmt: skip
_AGAINST = words_of("gegen against")
_AGAINST_WHAT = frozenset({"HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE", "HARSH", "BACKGROUND"})
_AIMS = words_of("make help give get protect avoid save match fit keep")
_SO = {("like", "that"), ("like", "this"), ("that", "way")}


_OUTCOMES = words_of("like bleibt stays get gets")
_WHY = words_of("because weil denn otherwise sonst")
_IN_ORDER = {("in", "order"), ("so", "as"), ("so", "dass")}


_ABLE = words_of("can could kann können könnte will besser")
_NO = words_of("nobody no not never niemand nicht kein keine keiner nichts nothing")
_HOW = words_of("sound sounds klingt klingen like wie")
_WHILE = words_of("while during when während")
_EARLY = words_of("comes come kommt kommen runs")
_COMPLAINING = words_of(
    "than too zu hears sound sounds sounding klingt klingen klang not no never hardly barely "
    "nothing nobody nicht kein keine keinen nie kaum nichts niemand hear heard hört hören "
    "understand versteht verstehen lacks lack mangelt can't cannot couldn't don't doesn't didn't "
    "isn't aren't wasn't"
)
