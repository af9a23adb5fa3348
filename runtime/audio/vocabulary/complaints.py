"""What is said of a clause that the rules cannot read: what they do not know, and what is near."""

from __future__ import annotations

from flowc.compiler.source.spelling import Spelling

from .concepts import DOWN, NOTHING, UP, nearest_concept
from .meanings import ANYWHERE
from .patterns import is_number
from .rules import fit_of, known_words, nearest_example
from .sentences import alone_text, is_known, one_of_several, parts_in, senses_of
from .units import SpokenWord

_PARTS = frozenset({"PART", "STEM", "VOICES", "BACKGROUND"})
_UP, _DOWN = frozenset({"UP", "LOUDER", "TOOQUIET"}), frozenset({"DOWN", "QUIETER", "TOOLOUD"})
_GONE = frozenset({"REMOVE", "CUT", "TAKE", "AWAY"})
_FAULTS = frozenset(
    {"HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE", "PAUSES", "SILENCE", "MUCH", "HARSH"}
)
_WORK = _GONE | {"DOWN", "LESS", "TRIM", "FILTER", "SPLIT", "FADE"}
_WORDS_OF_LEAVING = frozenset({
    "don't", "dont", "without", "ohne", "keinen", "keinem", "keiner", "keinesfalls", "avoid",
    "untouched", "unangetastet", "unverändert", "unchanged", "alone", "ruhe", "anfassen", "lassen",
})  # fmt: skip
_AS_IT_IS = ("as it is", "as they are", "so wie", "wie es ist", "wie sie ist", "wie sie sind",
             "wie er ist")  # fmt: skip
_OF_TIME = frozenset({"JUST", "FIRST", "LAST", "START", "END", "SECTION", "SILENCE", "PAUSES"})
_STATEMENTS = frozenset({
    "is", "are", "isn't", "aren't", "ist", "sind", "sounds", "klingt", "can't", "cannot", "hört",
    "hear", "enough", "genug", "versteht", "understand",
})  # fmt: skip
"""With these a negation says how the sound is, not what is to be left."""
_BESIDE = frozenset({"LEVEL", "LITTLE", "MORE", "LESS", "TAKE"})


def complaint_of(text: str, words: list[SpokenWord]) -> str:
    """Return why the rules cannot read a clause, with the nearest that they can."""
    plain = [word.text for word in words]
    if _is_left_alone(plain):
        if part := next(iter(parts_in(plain)), ""):
            return alone_text(part, text)
        return (
            f"`{text}` says what is not to be done: only what is asked for is done, so leave it out"
        )
    known = known_words()
    strange = [word for word in plain if not (word in known or is_number(word) or is_known(word))]
    near = nearest_concept(plain)
    if part := one_of_several(plain):
        return alone_text(part, text)
    if not strange and (part := _part_in(plain)):
        return _with_hint(alone_text(part, text), _level_wanted(plain) or near)
    if not strange:
        known_only = f"`{text}` has only known words, but no phrase that is known"
        if two := _two(text, words):
            return f"{known_only}: a comma belongs between `{two[0]}` and `{two[1]}`"
        example = near or nearest_example(plain)
        return _with_hint(known_only, example)
    names = ", ".join(f"`{word}`" for word in dict.fromkeys(strange))
    said = f"they do not know {names} in `{text}`"
    if slip := _slip(plain, strange[0]):
        return f"{said} (did you mean `{slip}`?)"
    return _with_hint(said, near)


def _is_left_alone(words: list[str]) -> bool:
    """Tell whether a clause says what is not to be done; "no hum" says what is to be done."""
    spelling, senses = " ".join(words), senses_of(words)
    if any(phrase in spelling for phrase in _AS_IT_IS):
        return True
    if not _STATEMENTS.isdisjoint(words) or "MOST" in senses:
        return False
    if "KEEP" in senses and not senses & _OF_TIME and not any(map(is_number, words)):
        return True
    at = next((n for n, word in enumerate(words) if _leaves(word)), len(words))
    if at == len(words) or any(map(is_number, words[:at])):
        return False  # "3 % slower without a change of pitch" says what is to be done
    return not senses & _FAULTS or bool(senses & _WORK)


def _leaves(word: str) -> bool:
    return word in _WORDS_OF_LEAVING or not senses_of([word]).isdisjoint({"NOT", "NOTHING"})


def _part_in(words: list[str]) -> str:
    """Return the word for what is a part of a sound, where that part alone is to be changed: for an
    instrument, or for anything that is to be louder, quieter or gone; "" without one."""
    gone = senses_of(words) <= _PARTS | _GONE | ANYWHERE
    alone = gone or _level_wanted(words)
    for word in words:
        sense = senses_of([word])
        if not sense.isdisjoint({"STEM", "ASIDE"}) or (not sense.isdisjoint(_PARTS) and alone):
            return word
    return ""


def _level_wanted(words: list[str]) -> str:
    """Return how the whole is made louder or quieter, where that is all that is wanted."""
    senses = senses_of(words)
    if not senses <= _PARTS | _UP | _DOWN | ANYWHERE | _BESIDE:
        return ""
    return UP if senses & _UP else DOWN if senses & _DOWN else ""


def _with_hint(said: str, example: str) -> str:
    return f"{said}: near it is `{example}`" if example and example != NOTHING else said


def _slip(words: list[str], strange: str) -> str:
    """Return the known word that was meant: with it the clause is one that the rules read."""
    if len(strange) < 4:
        return ""
    longer = [word for word in known_words() if len(word) > 3]
    nearest = Spelling(longer).nearest(strange)
    clause = "".join(f"{nearest if word == strange else word} " for word in words)
    return nearest if nearest and fit_of(clause) is not None else ""


def _two(text: str, words: list[SpokenWord]) -> tuple[str, str] | None:
    """Return the two clauses that stand there without a comma between them."""
    for at in range(1, len(words)):
        parts = words[:at], words[at:]
        if all(fit_of("".join(f"{w.text} " for w in part)) for part in parts):
            cut = words[0].start
            return text[: words[at - 1].end - cut], text[words[at].start - cut :]
    return None
