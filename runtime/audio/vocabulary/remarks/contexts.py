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

from ..circumstances import SCOPES, words_of
from ..sentences import is_known, senses_of
from .statements import FAULTS, HARMLESS, LEADS, values_in
from .telling import PARTICIPLES, PASTS, VERBS

_OPENERS = words_of(
    "i we he she they it this that these those there here the my our his her their its a an some "
    "someone somebody everyone everybody nobody one many most both no who i'm i've we're we've "
    "he's she's it's that's there's here's they're in on at from since although though as to with "
    "because unfortunately apparently sometimes yesterday today otherwise der die das dem den des "
    "ein eine einer eines einem einen ich wir er sie es mein meine meinem meinen meiner meines "
    "unser unsere unserem unseren unserer unseres sein seine ihr ihre dieser diese dieses diesem "
    "diesen hier da im in am an auf aus bei beim von vom als seit nachdem weil man jemand "
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
    "please bitte can could would should must need needs needed want wants wanted let lets kannst "
    "könntest können könnt kann könnten könnte soll sollen sollte sollten solls muss müssen "
    "müsste müssten brauche brauchen braucht brauchst bräuchte möchte möchten mag will wollen "
    "willst wollt würde würden würdest wish wishes wished wünsche wünscht wünschen gern gerne "
    "lieber hätte hätten i'd we'd like prefer prefers rather hope hopes hoped hoping hoffe hoffen "
    "expect expects expected erwarte erwartet demand demands insist insists ask asks require "
    "requires suggest suggests propose recommend order orders request requests verlange verlangt "
    "bestehe besteht bitten bittet fordere fordert schlage empfehle dream imagine envision vote "
    "choose opt mean means meant meine meinte supposed ought better besser shall may might dürfen "
    "darf dürfte try versuch versuche aim goal idea plan target objective task job aufgabe ziel "
    "wunsch idee vorgabe auftrag after instead stattdessen lieber"
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
    "betrifft betreffs concerns geht gehen gehört gehören goes go gone going becomes become turns "
    "gets get comes come kommt kommen stays stay remains bleibt bleiben bleibe not-yet lass lasst "
    "lassen leave leaves like wie as-if als-ob"
)
"""Words by which a statement may be a wish for all that: what goes, comes, becomes or stays, what
comes then, on a condition or not at all."""
_STRANGE_PASSIVE = re.compile(
    r"(?:\w*ge\w{2,}(?:t|en)|\w+iert|(?:ver|be|ent|er|zer)\w{2,}(?:t|en))"
)
_LONGEST = 30


def is_context(words: Sequence[str], beside: Sequence[str], treated: bool) -> bool:
    """Tell whether the words of a sentence only tell something. `beside` are the words of what is
    understood: of a fault that it mends may be told. `treated` is whether the wish at once behind
    changes how the sound is: only before such a one may it be told how something is or sounds."""
    words = [*words]
    while len(words) > 1 and words[0] in LEADS:
        words = words[1:]
    if not 2 <= len(words) <= _LONGEST or not {*words}.isdisjoint(_WANTED | _TURNED):
        return False
    if not {*values_in(words)} <= {*beside} or not SCOPES.isdisjoint(words):
        return False
    said = senses_of(words)
    if not _is_mended(said - HARMLESS, beside) or _is_passive(words) or said & _ENDS:
        return False
    if not _begins(words):
        return False
    if {*words} & _COMPLAINING or not (
        _is_of_past(words) or _is_of_somebody(words) or _is_name(words)
    ):
        return treated and _is_present(words)
    return True


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
    return any(word in _AUXILIARIES or word in VERBS for word in words)


def _is_mended(told: frozenset[str], beside: Sequence[str]) -> bool:
    about = senses_of(beside)
    return all(not about.isdisjoint(FAULTS.get(one, ())) for one in told)


def _is_passive(words: Sequence[str]) -> bool:
    """Tell whether words say what is done: "der Refrain wird verdoppelt" is an order."""
    at = next(
        (n for n, word in enumerate(words) if word in ("wird", "werden", "be", "being")), None
    )
    return at is not None and any(map(_STRANGE_PASSIVE.fullmatch, words[at + 1 :]))


_COMPLAINING = words_of(
    "too zu sound sounds sounding klingt klingen klang not no never hardly barely nothing nobody "
    "nicht kein keine keinen nie kaum nichts niemand hear heard hört hören understand versteht "
    "verstehen lacks lack mangelt can't cannot couldn't don't doesn't didn't isn't aren't wasn't"
)
