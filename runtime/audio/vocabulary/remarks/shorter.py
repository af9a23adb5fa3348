"""A clause without what leads on to it, without its reason, its heading or its purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flowc.compiler.catalog.wordings.tags import TAG_WORDS

from ..circumstances import SCOPES
from ..patterns import is_number
from ..sentences import is_known, senses_of
from ..units import SpokenWord
from .statements import CAUSES, LEADS, PURPOSE, is_remark

_TRAILS = (
    ("after", "that"), ("after", "it"), ("on", "top"), ("as", "well"), ("afterwards",), ("danach",),
    ("dahinter",), ("too",), ("then",), ("please",), ("bitte",), ("dann",), ("dazu",),
)  # fmt: skip
_LONGEST_HEADING = 6
_LONGEST = 40


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
            return words[:at] + words[end + (texts[end : end + 1] == [":"]) :]
    return []


def _without_ends(words: list[SpokenWord]) -> list[SpokenWord]:
    start, end = 0, len(words)
    while start < end - 1 and words[start].text in LEADS:
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
        if texts[at] in CAUSES | PURPOSE and is_remark(texts[at:], texts[:at], sections=False):
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
