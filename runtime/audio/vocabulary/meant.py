"""Whether words that fit a rule ask for it: they may say what was or is, what is to be left as it
is, whom it is for, or what the clause before takes away. What may be meant in two ways is not done.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .doubts import is_doubtful
from .misfits import is_of_other_place
from .remarks.assertions import is_assertion
from .remarks.beside import TREATMENTS
from .remarks.moods import begins, has_verb
from .remarks.statements import OF_ALL
from .words.circumstances import WHOLE, words_of
from .words.patterns import is_number, sounds_in
from .words.rules import Fit
from .words.sentences import senses_of
from .words.units import UNITS

_ADDING = words_of("reverb add_noise pad distort")
TAKING = frozenset({"REMOVE", "CUT", "AWAY", "DROP", "LESS", "DOWN"})
"""Senses of what takes something away."""
_GIVING = frozenset({"MORE", "ADD", "WITH", "LITTLE", "WANT", "LAY"})
_ALONE = words_of("alone unchanged unverändert untouched unangetastet drin ruhe")
_STAYING = words_of("stay stays remain remains bleiben bleibt bleibe leave lass lasse")
_BEFORE_FILE = words_of(
    "before after under underneath below beneath behind vor nach unter hinter than als"
)
_ATTACHED = words_of("dran ran dazu anhängen dranhängen anfügen davor dahinter hinzufügen")
_GRADUAL = words_of("slowly gradually langsam allmählich")
_WITHIN = words_of("after before during nach vor während in im within under unter")
_ARTICLES = words_of("the my our a der die das dem den des meiner meine")
_WHOLES = frozenset(WHOLE.split("|"))
_OF_IT = words_of(
    "its it davon sie ihn dessen the music musik reversed without with mit die ohne davor before "
    "dahinter behind"
)
_OF_EVERYTHING = words_of(
    "everything all whole result lot alles ganze ergebnis zusammen together mixdown recording "
    "aufnahme mischung mix"
)
_ON_FILES = words_of(
    "gain fade clip cut eq lowpass highpass reverse loudness_norm pitch_shift time_stretch pad"
)
_ALWAYS = words_of("gain clip cut")
"""Tools that after a join or a mix may always mean the file."""
_RELATIVE = words_of("which that who whose die der das welche welches it it's sie es")
_AT_ENDS = words_of("last first letzten ersten letzte erste")
_SOURCES = words_of("recording interview aufnahme telefonaufnahme song episode folge call")
_REQUESTS = words_of(
    "run put apply use add throw slap make mach give gib please bitte want need brauche möchte "
    "turn set convert"
)
_THEN = words_of("danach afterwards anschließend then dann")


class Neighbourhood(NamedTuple):
    """What stands around a clause: the meaning and the words of the one before it, the words of the
    one behind it, and the separator before it; `pieces` is how many of them are read together."""

    last: Fit | None
    before: Sequence[str]
    after: Sequence[str]
    separator: str
    pieces: int


def is_of_all(fit: Fit) -> bool:
    """Tell whether a meaning is of all of the sound, whomever it is for: one flute alone can be
    3 dB louder, but it cannot have another sample rate."""
    return fit.rule.tool is None or fit.rule.tool.name in OF_ALL


def is_meant(fit: Fit, words: Sequence[str], around: Neighbourhood) -> bool:
    """Tell whether words that fit a rule ask for what it does, and for nothing else."""
    said = senses_of(words)
    if "EXCEPT" in said or is_assertion(words) or _is_within_whole(words):
        return False
    if "PERSON" in said and not is_of_all(fit):
        return False
    if (
        fit.rule.wording.name == "left and right"
        and around.pieces == 1
        and ("to" not in words and begins(words) and has_verb(words))
        and words[0] not in ("please", "bitte")
    ):
        return False
    if around.last is None and around.after and _is_source(words):
        return False
    if is_doubtful(fit, words, around.last, around.before, around.pieces):
        return False
    if around.last and not _is_beside(fit, words, around):
        return False
    return _is_of_tool(fit, words, said, around)


def _is_source(words: Sequence[str]) -> bool:
    """Tell whether the first words only say what the sound is: "telephone interview, mono"."""
    return not _SOURCES.isdisjoint(words) and _REQUESTS.isdisjoint(words) and _is_noun(words)


def _is_noun(words: Sequence[str]) -> bool:
    doing = {"REMOVE", "CUT", "TRIM", "NORM", "SAVE", "KEEP", "SPLIT", "UP", "DOWN", "AWAY", "LAY"}
    return senses_of(words).isdisjoint(doing | {"DROP", "FILTER", "EVEN", "LOUDER", "QUIETER"})


def _is_beside(fit: Fit, words: Sequence[str], around: Neighbourhood) -> bool:
    """Tell whether a clause is of all of the sound beside the one before it."""
    assert around.last is not None
    sections = {"start_s", "end_s"}
    if sections & {*around.last.arguments} and not sections & {*fit.arguments}:
        there = not {"there", "dort"}.isdisjoint(words)
        level = fit.rule.tool is not None and fit.rule.tool.name == "gain"
        then = around.separator in _THEN and level and "ALL" not in senses_of(words)
        if there or then:
            return False
    tool = fit.rule.tool
    return tool is None or not is_of_file(around.last, tool.name, words)


def is_of_file(last: Fit, name: str, words: Sequence[str]) -> bool:
    """Tell whether a wish behind one that joins or mixes a file may mean that file: "lay music.mp3
    under it and fade it out"."""
    tool = last.rule.tool
    if tool is None or tool.name not in ("concat", "mix"):
        return False
    if words[0] in _RELATIVE and _OF_EVERYTHING.isdisjoint(words):
        return True  # "append outro.wav, which should fade out"
    if name not in _ON_FILES:
        return False
    if (tool.name, name) == ("concat", "fade") and not _AT_ENDS.isdisjoint(words):
        return False  # the last seconds of all are those of what comes last
    may = name in _ALWAYS or not _OF_IT.isdisjoint(words)
    return may and _OF_EVERYTHING.isdisjoint(words)


def _is_of_tool(
    fit: Fit, words: Sequence[str], said: frozenset[str], around: Neighbourhood
) -> bool:
    """Tell whether nothing in the words says that another work is meant than that of the tool."""
    name = fit.rule.tool.name if fit.rule.tool else ""
    if is_of_other_place(fit, words, around.last, around.before):
        return False
    ends = len({"start_s", "end_s"} & {*fit.arguments})
    if name == "clip" and words[-1] in ("aus", "out") and _is_fade(around.last):
        return False  # "blende vorne 2 s ein und hinten 3 s aus"
    if name == "clip" and _is_left(words, said, around.last):
        return False
    if name in ("clip", "cut", "gain") and ends == 2 and _is_inverse(words, said):
        return False
    if name == "fade" and not _is_at_an_end(fit, words, said):
        return False
    told = not (_FOR | _WANTING).isdisjoint(words) and not _LIKENESS & {*words}
    if name == "bandpass" and told and not any(map(is_number, words)):
        return False  # "normalise, for my phone", "my phone wants it"
    if name == "cut" and "PART" in said:
        return False  # "remove the music from 1:00 to 2:00"
    start = fit.arguments.get("start_s", 0)
    if name == "clip" and start < 0 and not _UNTIL.isdisjoint(words):
        return False  # "keep everything up to the last 10 s"
    if around.last and _is_of_fault(name, words, around):
        return False
    last = around.last.rule.tool.name if around.last and around.last.rule.tool else ""
    if name == "clip" and last in (TREATMENTS | {"gain"}) - {"fade"} and said & {"START", "STOP"}:
        return False  # "add reverb, start at 0:10 and end at 0:20"
    if name == "gain" and not (_GRADUAL.isdisjoint(words) and _says_of_what(words)):
        return False
    if name == "compress" and not {"file", "datei"}.isdisjoint(words):
        return any(map(is_number, words))
    beside = senses_of(around.before) | senses_of(around.after)
    gives = said & (TAKING | _GIVING) or not _ATTACHED.isdisjoint(words)
    if name in _ADDING and not gives and beside & TAKING:
        return False
    if name in _ADDING and said <= _ON_IT and beside & _CLEANING and _ADDERS.isdisjoint(words):
        return False  # "a bit of distortion on it, denoise"
    if name == "tag" and not _is_set(words, around.last):
        return False
    inputs = fit.arguments.get("inputs", ())
    if "" in inputs and len(inputs) == 2:
        plain = [word for word in words if word not in _ARTICLES]
        return not any(one in _BEFORE_FILE and sounds_in(two) for one, two in pairwise(plain))
    return not (name == "reverb" and not {"zu", "too"}.isdisjoint(words))


def _is_at_an_end(fit: Fit, words: Sequence[str], said: frozenset[str]) -> bool:
    """Tell whether a fade is at the end that its words say: "put a 2 second fade on it" says none,
    "a fade in and out" says both."""
    both = any(
        one in _INWARD and two in _AND_SO and three in _OUTWARD
        for one, two, three in zip(words, words[1:], words[2:], strict=False)
    )
    if both and len(fit.arguments) == 1:
        return False
    return not said <= {"FADE", "IN"} or not {"in", "im"}.isdisjoint(words)


def _says_of_what(words: Sequence[str]) -> bool:
    """Tell whether words say more than a level without a sign: "2 dB" may be anything's."""
    return len(words) != _BARE or not is_number(words[0]) or words[0][0] == "+"


_INWARD, _AND_SO = words_of("in ein einblenden"), words_of("and und or oder plus")
_OUTWARD = words_of("out aus ausblenden fade")
_CLEANING = TAKING | {"DENOISE", "DECLICK", "DEESS", "HIGHPASS", "LOWPASS"}
_ADDERS = words_of(
    "add adding put apply give use slap throw hinzufügen füge gib leg lege mach mache pack dazu "
    "drauflegen"
)
_ON_IT = frozenset({"DISTORT", "REVERB", "LITTLE", "IN", "SOME", "OF", "MORE", "ASIDE"})
_BARE = 2
_WANTING = words_of("wants needs requires will braucht verlangt")
_LIKENESS = words_of("like wie sound klingen")
_FOR = words_of("for für fürs")
_UNTIL = words_of("up till until bis")
_PRONOUNS = words_of("it them that es sie ihn das")
_FAULTY = frozenset({"HUM", "NOISE", "CLICKS", "SHARP", "RUMBLE"})
_TELLING = words_of(
    "it es there's there da man you hums buzzes hisses crackles clicks rumbles pops brummt rauscht "
    "knackt knistert zischt dröhnt"
)
_ON_FAULTS = words_of("gain fade lowpass highpass compress")


def _is_of_fault(name: str, words: Sequence[str], around: Neighbourhood) -> bool:
    """Tell whether a pronoun means what the clause before it complains of or adds, and not all of
    the sound: "the hum is annoying, turn it down 6 dB"."""
    said = senses_of(around.before)
    hums = said & _FAULTY and {*around.before[:1]} & _TELLING
    told = (
        hums or "MUCH" in said or "HARSH" in said or {"is", "are", "ist", "sind"} & {*around.before}
    )
    complains = bool(told) and said.isdisjoint(TAKING)
    reverb = "REVERB" in said and "ihn" in words
    return name in _ON_FAULTS and not _PRONOUNS.isdisjoint(words) and (complains or reverb)


def _is_fade(last: Fit | None) -> bool:
    return last is not None and last.rule.wording.name == "fade"


def is_bare_tag(words: Sequence[str]) -> bool:
    """Tell whether words are only a field and a name without quotes: "der Titel Nachtbus"."""
    return len(words) == 3 and words[0] in _ARTICLES and words[2][0] == "«"


def _is_set(words: Sequence[str], last: Fit | None) -> bool:
    """Tell whether a tag is to be set: "der Titel Nachtbus" alone may be what is spoken of, behind
    another tag it is not."""
    beside = last is not None and last.rule.tool is not None and last.rule.tool.name == "tag"
    return beside or not is_bare_tag(words)


def _is_within_whole(words: Sequence[str]) -> bool:
    """Tell whether what is asked for is asked for in, before or after something that is all of the
    sound elsewhere: "3 dB louder during the sermon"."""
    plain = [word for word in words if word not in _ARTICLES]
    return any(one in _WITHIN and two in _WHOLES for one, two in pairwise(plain))


def _is_inverse(words: Sequence[str], said: frozenset[str]) -> bool:
    """Tell whether two times are not those of one section from the first to the second: "until 0:10
    and from 3:00", "at 1:00 and 2:00", "30 s from 1:00"."""
    pairs = zip(words, [*words[1:], ""], strict=True)
    times = [
        at for at, (one, two) in enumerate(pairs)
        if is_number(one) and (":" in one or two in UNITS["s"])
    ]  # fmt: skip
    joined = said & {"TO", "TILL"} or {"between", "zwischen"} & {*words}
    if len(times) < 2:
        return not joined and not {"at", "bei"}.isdisjoint(words)
    behind = senses_of(words[times[0] + 1 :]) & {"FROM", "NACH", "AFTER"}
    return bool(behind) or not joined


def _is_left(words: Sequence[str], said: frozenset[str], last: Fit | None) -> bool:
    """Tell whether a section is to be left as it is, or is where the clause before it holds, and is
    not to be kept alone."""
    if not _ALONE.isdisjoint(words):
        return True
    if not _STAYING.isdisjoint(words) and "JUST" not in said and "me" not in words:
        return True
    scope = last is not None and "JUST" in said
    kept = not said.isdisjoint({"KEEP", "WANT", "TAKE", "TRIM"})
    return (scope and not kept) or words[-1] in ("in", "drin")
