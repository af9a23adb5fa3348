"""Other spellings of a clause, in which all of the sound is "it" and nothing frames the wish:
"run a compressor over the vocal take" is "add a compressor", "split the lecture at 5:00" is
"split it at 5:00"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .circumstances import CONTENTS, WHOLE, words_of

_ARTICLES = words_of(
    "the my our this that his her their your das der die den dem mein meine meinen meinem unser "
    "unsere unseren unserem dies dieses diese diesen diesem"
)
_THIS = words_of("this dies dieses diese diesen diesem")
_BARE = words_of("ton datei audio aufnahme file sound track recording sample")
_LEADING = words_of("bei at auf in um by to as als ab from von")
"""What follows a bare noun that is all of the sound: "Datei bei 2:00 teilen"."""
_BEGGING = words_of("please bitte mal doch einfach kindly")
_FULL = words_of(
    "whole entire full complete raw finished final old long short ganze ganzen gesamte gesamten "
    "komplette kompletten fertige fertigen rohe alte alten lange langen kurze kurzen"
)
NOUNS = words_of(
    "rip transfer file recording audio track song clip sound take mix master sample loop "
    "podcast interview "
    "episode speech datei aufnahme spur ton sound mischung song lied stück folge"
) | frozenset(word for word in WHOLE.split("|") if " " not in word)
"""Words for all of a sound."""
_KINDS = words_of(
    "vinyl tape cassette choir guitar piano vocal vocals voice drum violin organ band flute cello "
    "phone telephone game "
    "film video field live home studio practice radio podcast audio sound speech music song "
    "concert church school interview"
)
"""What may stand before them and tells which sound it is: "the choir rehearsal"."""
_TAKEN = words_of("rip transfer recording rehearsal sample session interview demo memo")
_BEHIND = words_of("rate format peak peaks level levels title name length volume pitch speed")
"""Words that a noun before them belongs to: "the sample rate"."""
_WITHIN = words_of("in throughout across from within on of aus auf von im")
_PUTTING = words_of(
    "run put throw slap stick whack pop chuck drop place set strap load engage insert apply use "
    "add leg lege setz setze pack hau wende nimm"
)
_ON = words_of("on over across onto to through into auf über")
_VOICES = words_of("vocal vocals voice speech narration voiceover music stimme gesang musik bus")
_EFFECTS = words_of(
    "compressor compression kompressor limiter gate noise-gate de-esser deesser high-pass highpass "
    "hochpass low-pass lowpass tiefpass band-pass bandpass reverb hall fade noise filter eq "
    "distortion overdrive leveller leveler de-clicker declicker denoiser low-cut high-cut low cut"
)
_SMALL = words_of("a an some the ein eine einen etwas den bit of little light gentle subtle")
_MOST = 4


def other_spellings(clause: str) -> Iterator[str]:
    """Yield a clause of `patterns.spell` with "it" for the words for all of the sound, without
    where it is done, and without its frame; none that is the clause itself."""
    words = clause.split()
    if not words:
        return
    seen = {clause}
    if words[0] in _BARE and (_LEADING & {*words[1:2]} or (words[1:2] and words[1][0].isdigit())):
        words[0] = "it"
    plain = [word for word in words if word not in _BEGGING]
    named = _with_it(plain) if plain else words
    for some in (named, _without_place(named), _without_frame(named)):
        spelling = "".join(f"{word} " for word in some)
        if spelling not in seen:
            seen.add(spelling)
            yield spelling


def _with_it(words: Sequence[str]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(words):
        used = _length_of_name(words[at:])
        found.append("it" if used else words[at])
        at += used or 1
    return found


def _length_of_name(words: Sequence[str]) -> int:
    """Return how many words at the front are a name of all of the sound; 0 without one."""
    if words[0] not in _ARTICLES:
        return 0
    if words[0] in _THIS and CONTENTS & {*words[1:2]}:
        return 2
    at = 1
    while at < min(len(words), _MOST) and words[at] in _FULL:
        at += 1
    if words[at : at + 1] and words[at] in _KINDS and words[at + 1 : at + 2]:
        at += words[at + 1] in _TAKEN
    behind = words[at + 1 : at + 2]
    named = words[at : at + 1] and words[at] in NOUNS and _BEHIND.isdisjoint(behind)
    return at + 1 if named else 0


def _without_place(words: Sequence[str]) -> Sequence[str]:
    """Return the words before "in my interview" at their end."""
    return words[:-2] if words[-1:] == ["it"] and _WITHIN & {*words[-2:-1]} else words


def _without_frame(words: Sequence[str]) -> Sequence[str]:
    """Return "add a compressor" of "run a compressor over it", with what follows."""
    if not words or words[0] not in _PUTTING:
        return words
    head = 1
    while words[head : head + 1] and words[head] in _SMALL:
        head += 1
    on = next((n for n, word in enumerate(words) if word in _ON and n > head), 0)
    if not on or _EFFECTS.isdisjoint(words[head:on]):
        return words
    end = on + 1 + (words[on + 1 : on + 2] != [] and words[on + 1] in _ARTICLES | {"all", "of"})
    begin = end
    while words[end : end + 1] and words[end] in _VOICES | _FULL | {"it", "this", "everything"}:
        end += 1
    return ["add", *words[1:on], *words[end:]] if end > begin else words
