"""The forms of sentences: whether words tell what was, what somebody does, what something is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..words.circumstances import words_of
from ..words.sentences import is_known, senses_of
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
    "wegen mit obwohl sonst kein keine mir mich uns zwischen between"
)
"""Words that a statement begins with, and no order does."""


SOMEBODY = words_of(
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
WANTED = words_of(
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


_STRANGE_PASSIVE = re.compile(
    r"(?:\w*ge\w{2,}(?:t|en)|\w+iert|(?:ver|be|ent|er|zer)\w{2,}(?:t|en))"
)


def is_event(words: Sequence[str]) -> bool:
    """Tell whether words say what a section is that goes: "that's only me packing up"."""
    return tuple(words[:2]) in _EVENTS or tuple(words[:3]) in _EVENTS


_EVENTS = {
    ("that's", "only"), ("that's", "just"), ("it's", "only"), ("it's", "just"),
    ("das", "ist", "nur"),
    ("da", "ist", "nur"), ("da", "wird", "nur"), ("das", "sind", "nur"), ("that", "is", "only"),
    ("that", "is", "just"),
}  # fmt: skip


def goes_on(words: Sequence[str]) -> bool:
    """Tell whether words go on with the sentence before them, and are none of their own."""
    return words[0] not in _OPENERS


GOING = words_of("goes go going geht gehen gehts kommt kommen comes come")
_TOWARDS = words_of("to into onto on in ins an auf per via zu zum zur for für")


def is_destination(words: Sequence[str]) -> bool:
    """Tell whether words say where the sound goes: "it goes to a station", "soll ins Museum"."""
    return _goes_somewhere(words) and bool(
        senses_of(words[2:]) & {"PERSON", "ASIDE", "PHONE", "BROADCAST", "PODCAST", "STREAM"}
    )


def _goes_somewhere(words: Sequence[str]) -> bool:
    if "fit" in words[-6:] and not _TOWARDS.isdisjoint(words[words.index("fit") + 1 :][:1]):
        return True
    at = next((n for n, word in enumerate(words) if word in GOING), None)
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


_GOALS = words_of(
    "wants want to like i'd we'd möchte will wollen möchten würde gern gerne going have need plan"
)


def is_intention(words: Sequence[str]) -> bool:
    """Tell whether words say what somebody wants to do with the sound: "I want to practise with
    this", and not what he wants of it."""
    wants = next((n for n, word in enumerate(words[:5]) if word in ("wants", "want")), 0)
    if wants and "PERSON" in senses_of(words[:wants]) and words[wants + 1 : wants + 2] == ["to"]:
        return words[wants + 2 : wants + 3] != [] and _is_use(words[wants + 2 :])
    if not SOMEBODY.isdisjoint(words[:1]) or words[0] in ("i'd", "we'd"):
        if not WANTED.isdisjoint({*words} - _GOALS) or not _MOVES.isdisjoint(senses_of(words)):
            return False
        for at in range(1, min(4, len(words) - 1)):
            if words[at] == "to":
                return _is_use(words[at + 1 :])
        german = not {"möchte", "will", "wollen", "möchten"}.isdisjoint(words[1:2])
        return german and _is_use([words[-1], *words[2:-1]])
    return False


USES = words_of(
    "transcribe write follow dance mitsingen mitspielen mitsprechen "
    "practise practice rehearse learn sing listen study upload publish send share post show "
    "teach play use export read üben singen lernen anhören hören verschicken versenden hochladen "
    "zeigen öffnen abtippen transkribieren"
)
_INUSES = words_of(
    "it this that these them along with to for at in on my our the a an of us me es das die den "
    "dem der ein eine einen im auf mit per zu zum sie dazu damit aufnahme recording song lied "
    "file datei sample track mir uns mich"
)


def _is_use(words: Sequence[str]) -> bool:
    """Tell whether words say to what use a sound is put, and not another sound that is wanted."""
    behind = [
        two
        for one, two in pairwise(words)
        if not {two} & _INUSES and not {one} & _OWNERS and senses_of([two]) - {"ASIDE", "PERSON"}
    ]  # fmt: skip
    strange = [word for word in words[1:] if word not in _INUSES and not is_known(word)]
    if not {"slowly", "langsam", "langsamer", "slower", "loop"}.isdisjoint(words):
        return False
    owned = all(words[words.index(word) - 1] in _OWNERS for word in strange)
    return words[0] in USES and not behind and owned


_OWNERS = words_of("unserem my our their meine meinen meiner unsere unserem unserer")
_MOVES = frozenset({"FASTER", "SLOWER", "HIGHER", "DEEPER", "JUST", "FIRST", "LAST", "LOUDER"})


def begins(words: Sequence[str]) -> bool:
    """Tell whether words begin as a statement does."""
    if words[0] in _OPENERS:
        return True
    named = is_known(words[0]) and senses_of(words[:1]) <= {"ASIDE", "PERSON"}
    verbs = {*words[1:3]} if named else {*words[1:2]}
    return not verbs.isdisjoint(_STATES | VERBS if named else _STATES)


def is_of_past(words: Sequence[str]) -> bool:
    """Tell whether words say what was."""
    if not {*words}.isdisjoint(_WAS | _ONLY_PAST) or words[-1] in _TAKEN:
        return True
    for one, two in zip(words, [*words[1:], ""], strict=True):
        if one in PASTS and (two in _OBJECTS or not SOMEBODY.isdisjoint(words)):
            return True
    if not {*words}.isdisjoint(PASTS) and "PERSON" in senses_of(words[:3]):
        return True
    return not {*words}.isdisjoint(_PERFECT) and not {*words}.isdisjoint(PARTICIPLES)


_TAKEN = words_of("aufgenommen digitalisiert gefilmt aufgezeichnet")
_ONLY_PAST = words_of(
    "began blew broke drank drew drove ate fell flew forgot froze gave grew knew rang rose sang "
    "sat saw shook spoke stole swam swore took tore threw woke wore went wrote came became fuhr "
    "fuhren fiel fand fanden flog gab gaben ging gingen hielt hing kam kamen kannte lag lagen "
    "lief liefen las nahm nahmen nannte rannte rief riefen saß saßen sah sangen schlief schrie "
    "schrieb sprach standen stand starb stieg tat traf trug trank verlor wusste zog zogen "
    "brachte bekam"
)
_OBJECTS = words_of("the a an my our his her their this that us me it him them in on at with from")


def is_of_somebody(words: Sequence[str]) -> bool:
    """Tell whether words say what somebody does, or has or is."""
    at = next((n for n, word in enumerate(words) if word in _AUXILIARIES | VERBS), None)
    if at is None:
        return False
    around = words[: at + 2]
    return not SOMEBODY.isdisjoint(around) or "PERSON" in senses_of(words[: at + 1])


def is_name(words: Sequence[str]) -> bool:
    """Tell whether words say what the sound is, or what it is for: "this is our morning circle"."""
    if words[0] in _CALLED:
        words = [words[0].removesuffix("'s"), "is", *words[1:]]
    if words[0] not in _POINTING or words[1] not in ("is", "ist", "was", "sind", "are"):
        return False
    return not {*words[2:4]}.isdisjoint(_ARTICLES) and {*words}.isdisjoint(_SLIGHT)


_CALLED = words_of("it's that's here's this's")
_POINTING = words_of("this that it das dies hier here es")
_ARTICLES = words_of(
    "a an the my our his her their for from one some ein eine einer mein meine unser unsere der "
    "die das für fürs aus vom von"
)
_SLIGHT = words_of("bit little touch bisschen etwas wenig kinda kind sort mess shame pity schade")


def has_verb(words: Sequence[str]) -> bool:
    """Tell whether words have a verb of what is or happens, and so are a sentence of their own."""
    plain = _AUXILIARIES - words_of("do")
    return any(word in plain or (word in VERBS and word not in _NOUNS) for word in words)


_NOUNS = words_of("film plan press record report train walk play plug point post sound view voice")


_SUBJECTS = words_of("it")
_STRANGE_VERB = re.compile(r"[a-z]{3,}[^s\W]s")


def has_strange_verb(words: Sequence[str]) -> bool:
    """Tell whether a word that nobody knows is a verb by its place: "it booms in the church"."""
    return (
        words[0] in _SUBJECTS
        and _STRANGE_VERB.fullmatch(" ".join(words[1:2])) is not None
        and not is_known(words[1])
    )


def is_present(words: Sequence[str]) -> bool:
    """Tell whether words have a verb of what is or sounds now."""
    present = VERBS - PASTS
    return has_strange_verb(words) or any(
        word in _AUXILIARIES or word in present or word in _SOUNDING for word in words
    )


_SOUNDING = words_of(
    "beginnt endet begins starts stops ends sounds sound klingt klingen klang seems lacks hear "
    "hears hört hören versteht verstehen understand kommt comes hums hisses clicks crackles "
    "rumbles buzzes brummt rauscht knackt knistert zischt zischelt dröhnt hissing humming "
    "buzzing"
)
"""Verbs of how something sounds."""


def is_passive(words: Sequence[str]) -> bool:
    """Tell whether words say what is done: "der Refrain wird verdoppelt" is an order."""
    if "to be" in " ".join(words) or "going to" in " ".join(words):
        return True
    at = next(
        (n for n, word in enumerate(words) if word in ("wird", "werden", "be", "being")), None
    )
    return at is not None and any(map(_STRANGE_PASSIVE.fullmatch, words[at + 1 :]))
