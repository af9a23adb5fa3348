"""In which order the wishes of a request are done, and which times can be meant in two ways."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise, permutations

from ...errors import Failure
from .clauses import SEE, refusal
from .findings import Clause
from .words.patterns import words_in
from .words.sentences import senses_of


def order(work: list[Clause]) -> list[Clause]:
    """Return the clauses in the order in which they are done."""
    orders = [clause.fit.rule.wording.order for clause in work]
    first = orders.index("sets level") if "sets level" in orders else len(work)
    # Channels and rate change the level that is set: stereo at -14 LUFS is mono at -17.
    early = [c for c in work[first:] if c.fit.rule.wording.order == "before level"]
    work = [*work[:first], *early, *(one for one in work[first:] if one not in early)]
    # A tool writes as many bits as it can, whatever it read: the last one decides.
    ends = ("last", "parts")
    formats = [clause for clause in work if clause.fit.rule.wording.order in ends]
    formats.sort(key=lambda clause: ends.index(clause.fit.rule.wording.order))
    others = [clause for clause in work if clause not in formats]
    others = _with_fades_last(_by_time(others))
    last = max((at for at, clause in enumerate(work) if clause.fit.rule.tool), default=-1)
    behind = sum(clause not in formats for clause in work[: last + 1])
    return [*others[:behind], *formats, *others[behind:]]


def _check_sections(work: list[Clause]) -> None:
    """Raise `Failure` (refused) for sections of which one moves where the other is."""
    for one in work:
        kept = _clip_of(one)
        start = kept.get("start_s")
        last = isinstance(start, int | float) and start < 0
        for other in work:
            said = other.fit.arguments
            again = other is not one and {*_clip_of(other)} & {*kept}
            inner = {"start_s", "end_s"} <= {*kept} and _name_of(other) == "cut"
            behind = last and _name_of(other) in ("cut", "gain") and "end_s" in said
            outside = other is not one and kept and _is_outside(kept, _section_of(other))
            gone = one is not other and _is_within(_section_of(other), one)
            if gone or (kept and (again or inner or behind or outside)):
                why = "where the one is moves with the other"
                raise contradictory(other.text, one.text, why, _ONE_BY_ONE)


def _section_of(clause: Clause) -> tuple[float, float] | None:
    """Return from when to when a clause mutes or changes a level; None for all of the sound, and
    where it counts from the end."""
    start, end = (clause.fit.arguments.get(name) for name in ("start_s", "end_s"))
    if _name_of(clause) not in ("gain", "cut") or not (start or end):
        return None
    section = (float(start or 0), float(end or "inf"))
    return section if min(section) >= 0 else None


def _is_within(section: tuple[float, float] | None, cut: Clause) -> bool:
    """Tell whether a section is in what a clause cuts out."""
    out = _section_of(cut) if _name_of(cut) == "cut" else None
    return bool(section and out and out[0] <= section[0] and section[1] <= out[1])


def _is_outside(kept: Mapping[str, object], section: tuple[float, float] | None) -> bool:
    """Tell whether nothing is left of a section, which is meant as one of the result then."""
    start, end = (kept.get(name) for name in ("start_s", "end_s"))
    if section is None or not all(
        one is None or isinstance(one, int | float) for one in (start, end)
    ):
        return False
    early = isinstance(start, int | float) and section[1] <= start
    late = isinstance(end, int | float) and 0 < end <= section[0]
    return early or late


def _name_of(clause: Clause) -> str:
    return clause.fit.rule.tool.name if clause.fit.rule.tool else ""


def _clip_of(clause: Clause) -> Mapping[str, object]:
    """Return what a clause keeps; nothing for one that keeps no section."""
    said = clause.fit.arguments if _name_of(clause) == "clip" else {}
    return {name: value for name, value in said.items() if value}


def _cut_ends(clause: Clause) -> set[str]:
    """Return which ends a clause cuts off: `start_s`, `end_s`."""
    if _name_of(clause) == "trim_silence":
        edges = clause.fit.arguments.get("edges", "both")
        return {"start_s", "end_s"} if edges == "both" else {f"{edges}_s"}
    return {*_clip_of(clause)}


def _with_fades_last(work: list[Clause]) -> list[Clause]:
    """Return the clauses with a fade behind what cuts off the end at which it is, or the silence
    there."""
    found = [*work]
    for fade in (clause for clause in work if _name_of(clause) == "fade"):
        ends = {"out_s": "end_s", "in_s": "start_s"}
        cut = {ends[name] for name, value in fade.fit.arguments.items() if value and name in ends}
        later = [n for n, one in enumerate(found) if cut & _cut_ends(one)]
        at = found.index(fade)
        if later and later[-1] > at:
            found.insert(later[-1] + 1, fade)
            del found[at]
    return found


_SHIFTING = frozenset({"trim_silence", "shorten_pauses", "time_stretch", "pad", "shift", "reverse"})
"""Tools that move all that lies behind, and have no place of their own."""
_TIMED = frozenset({"clip", "cut", "gain"})


def _by_time(work: list[Clause]) -> list[Clause]:
    """Return the clauses with those that change sections in such an order that the times of each
    are those of the sound as it came: later ones first, and at last what moves the start. Where
    something else stands between them, they come before it."""
    placed = [one for one in work if _place_of(one) is not None]
    in_order = sorted(placed, key=lambda one: -(_place_of(one) or 0.0))
    if in_order == placed or not any(_name_of(one) in _TIMED for one in placed):
        return work
    first, last = work.index(placed[0]), work.index(placed[-1])
    between = [one for one in work[first : last + 1] if one not in placed]
    return [*work[:first], *in_order, *between, *work[last + 1 :]]


def _place_of(clause: Clause) -> float | None:
    """Return from where on a clause moves or changes what lies behind; None where it has no times
    from the start."""
    tool, said = clause.fit.rule.tool, clause.fit.arguments
    if tool is not None and tool.name in _SHIFTING:
        return -1.0
    if tool is None or tool.name not in _TIMED or not {"start_s", "end_s"} & {*said}:
        return None
    start, end = said.get("start_s") or 0.0, said.get("end_s") or 0.0
    if tool.name == "clip":
        return float("inf") if start < 0 or end < 0 else 0.0 if start else float(end)
    return float("inf") if start < 0 or end < 0 else float(start)


_MOVING = frozenset({
    "clip", "cut", "trim_silence", "shorten_pauses", "time_stretch", "concat", "pad", "shift",
})  # fmt: skip
"""Tools behind which what was at one time is at another, or may be."""
_TIMES = ("noise_start_s", "points_s", "offsets_s")


def check_times(work: list[Clause]) -> None:
    """Raise `Failure` (refused) for a time behind a step that moves what was there: it may be that
    of the sound before or after."""
    moving: Clause | None = None
    for clause in work:
        said = clause.fit.arguments
        times = _SECTION if moving and _is_before(moving) else ()
        if moving and any(said.get(name) for name in (*_TIMES, *times)):
            why = f"behind `{moving.text}` times are others"
            raise contradictory(clause.text, moving.text, why, _ONE_BY_ONE)
        tool = clause.fit.rule.tool
        if tool and tool.name in _MOVING and not (moving and _is_before(moving)):
            moving = clause


def _is_before(clause: Clause) -> bool:
    """Tell whether a clause puts another file before the sound."""
    inputs = clause.fit.arguments.get("inputs", ())
    return _name_of(clause) == "concat" and bool(inputs) and inputs[0] != ""


_SECTION = ("start_s", "end_s")
_THEN = re.compile(r"[,;.]?\s+(?:and\s+|und\s+)?(?:then|dann|danach|afterwards|anschließend)\b")
_AT_LAST = re.compile(
    r"^\s*(?:finally|lastly|at last|as the last step|zum schluss|zuletzt|am schluss|am ende|"
    r"als letztes|schließlich)\b",
    re.IGNORECASE,
)


def check_said_order(request: str, work: list[Clause]) -> None:
    """Raise `Failure` (refused) where a request says its order in words that do not hold: what is
    at last comes first, or a section is counted from the start of what another leaves."""
    others = [clause for clause in work if clause.fit.rule.wording.order != "last"]
    if len(others) > 1 and _AT_LAST.match(request):
        first, second = others[0].text, others[1].text
        if re.search(re.escape(first) + r"\s*[,;]\s*" + re.escape(second), request):
            raise contradictory(first, second, "what is done at last comes first", _ONE_BY_ONE)
    for number, one in enumerate(work):
        for two in work[number + 1 :]:
            if _is_turned(one, two) and _is_said_in_order(request, one.text, two.text):
                why = f"behind `{one.text}` times are others"
                raise contradictory(two.text, one.text, why, _ONE_BY_ONE)
    for one, two in permutations(work, 2):
        ends = [{*_clip_of(clause)} for clause in (one, two)]
        if ends == [{"start_s"}, {"end_s"}] and _THEN.match(_between(request, one.text, two.text)):
            why = f"behind `{one.text}` times are others"
            raise contradictory(two.text, one.text, why, _ONE_BY_ONE)


_FIRST = re.compile(r"\b(?:first|before that|beforehand|vorher|zuvor|zuerst|erst)\b")


def _is_said_in_order(request: str, one: str, two: str) -> bool:
    """Tell whether words say that one is done before the other."""
    then = _between(request, one, two)
    return bool(_THEN.search(then) or _FIRST.search(_between(request, two, one)))


def _between(request: str, one: str, two: str) -> str:
    """Return what stands between two texts; "" where the second does not follow the first."""
    return request[request.find(one) + len(one) : max(request.rfind(two), 0)]


def _is_turned(one: Clause, two: Clause) -> bool:
    """Tell whether the second of two clauses is done first, though they are in order."""
    if one.fit.rule.wording.order == "parts" and two.fit.rule.wording.order not in (
        "parts",
        "last",
    ):
        return two.fit.rule.tool is not None
    places = _place_of(one), _place_of(two)
    if None in places or _name_of(two) not in _TIMED:
        return False
    return _name_of(one) in _SHIFTING | {"clip", "cut"} and (places[0] or 0.0) < (places[1] or 0.0)


_ONE_BY_ONE = "ask for one, then for the other"


_OF_RESULT = frozenset({"result", "new", "neue", "neuen", "neuer", "left", "ergebnis"})


def check_ends(work: list[Clause]) -> None:
    """Raise `Failure` (refused) for what is asked for of an end that the clause before it moves, or
    of the result, and for files that are joined in two ways: each may be meant of either."""
    _check_sections(work)
    _check_levels(work)
    for one, other in pairwise(work):
        name, said = one.fit.rule.tool and one.fit.rule.tool.name, other.fit.arguments
        moved = name == "clip" and "end_s" in one.fit.arguments
        before_end = (said.get("start_s") or 0) < 0 and other.fit.rule.wording.name != "clip"
        words = {word.text for word in words_in(other.text)}
        timed = name in ("clip", "cut") and not {"start_s", "end_s"}.isdisjoint(said)
        if (moved and before_end) or (timed and words & _OF_RESULT):
            why = f"behind `{one.text}` times are others"
            raise contradictory(other.text, one.text, why, _ONE_BY_ONE)
        joins = name == "concat" and other.fit.rule.tool and other.fit.rule.tool.name == "concat"
        if joins and "crossfade_s" in said.keys() - one.fit.arguments.keys():
            why = "one has a crossfade"
            raise contradictory(other.text, one.text, why, "say it with each of them")


_PEAKS = frozenset({"PEAK", "CEILING"})
_BARE_HZ = re.compile(r"(?:at |bei )?[0-9.,]+ ?k(?:hz)?(?: auch| as well| too)?", re.IGNORECASE)
_SHAPING = frozenset({"eq", "gain", "deess", "highpass", "lowpass", "bandpass"})


def _check_levels(work: list[Clause]) -> None:
    """Raise `Failure` (refused) for peaks beside another level, which may be a limit, for a bare
    frequency beside bands, which may be one more of them, and for noise that is added and reduced.
    """
    others = {_name_of(clause) for clause in work}
    levels = {"gain", "loudness_norm", "limit", "shorten_pauses"}
    for at, clause in enumerate(work):
        name, said = _name_of(clause), senses_of([w.text for w in words_in(clause.text)])
        beside = [other for other in work if _name_of(other) in levels and other is not clause]
        if name == "peak_norm" and beside and not said & {"NORM", "LOUD"} and said & _PEAKS:
            why = "the peaks may be set or limited"
            raise contradictory(clause.text, beside[0].text, why, "say `limit peaks to -1 dBTP`")
        near = {_name_of(one) for one in (*work[max(at - 1, 0) : at], *work[at + 1 : at + 2])}
        if name == "split_silence" and others & {"shorten_pauses", "trim_silence"}:
            why = "the pauses may be shortened before or behind it"
            raise contradictory(clause.text, "shorten the pauses", why, _ONE_BY_ONE)
        if name == "convert" and near & _SHAPING and _BARE_HZ.fullmatch(clause.text.strip()):
            rate = clause.fit.arguments.get("sample_rate_hz", 0)
            if rate not in _RATES:
                why = "it may be a band or a sample rate"
                raise contradictory(clause.text, work[at - 1].text, why, "say `resample to 48 kHz`")
        mixed = said & {"ADD", "MORE", "LAY", "WITH"}
        if name == "add_noise" and "denoise" in others and not mixed:
            why = "the noise may be there or asked for"
            raise contradictory(clause.text, "denoise", why, "say `add noise`")


_RATES = frozenset(
    {11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000}
)


def contradictory(one: str, other: str, why: str, help: str = "ask for one of them") -> Failure:
    """Return the failure of two clauses of which one takes back the other."""
    both = f"`{one}` contradicts itself"
    if one != other:
        both = f"`{one}` and `{other}` contradict each other"
    reason = f"{both}: {why}; {help}"
    return refusal(f"the offline rules refuse this request: {reason}", SEE)
