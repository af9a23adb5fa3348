"""In which order the wishes of a request are done, and which times can be meant in two ways."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise, permutations

from ...errors import Failure
from .clauses import SEE, refusal
from .findings import Clause
from .words.patterns import words_in


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
            if kept and (again or inner or behind):
                why = "where the one is moves with the other"
                raise contradictory(other.text, one.text, why, _ONE_BY_ONE)


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
_THEN = r"[,;.]?\s+(?:and\s+|und\s+)?(?:then|dann|danach|afterwards|anschließend)\b"
_AT_LAST = re.compile(
    r"^\s*(?:finally|lastly|at last|zum schluss|zuletzt|am schluss|schließlich)\b", re.IGNORECASE
)


def check_said_order(request: str, work: list[Clause]) -> None:
    """Raise `Failure` (refused) where a request says its order in words that do not hold: what is
    at last comes first, or a section is counted from the start of what another leaves."""
    others = [clause for clause in work if clause.fit.rule.wording.order != "last"]
    if len(others) > 1 and _AT_LAST.match(request):
        first, second = others[0].text, others[1].text
        if re.search(re.escape(first) + r"\s*[,;]\s*" + re.escape(second), request):
            raise contradictory(first, second, "what is done at last comes first", _ONE_BY_ONE)
    for one, two in permutations(work, 2):
        ends = [{*_clip_of(clause)} for clause in (one, two)]
        if ends == [{"start_s"}, {"end_s"}] and re.search(
            f"{re.escape(one.text)}{_THEN}.*{re.escape(two.text)}", request
        ):
            why = f"behind `{one.text}` times are others"
            raise contradictory(two.text, one.text, why, _ONE_BY_ONE)


_ONE_BY_ONE = "ask for one, then for the other"


_OF_RESULT = frozenset({"result", "new", "neue", "neuen", "neuer", "left", "ergebnis"})


def check_ends(work: list[Clause]) -> None:
    """Raise `Failure` (refused) for what is asked for of an end that the clause before it moves, or
    of the result, and for files that are joined in two ways: each may be meant of either."""
    _check_sections(work)
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


def contradictory(one: str, other: str, why: str, help: str = "ask for one of them") -> Failure:
    """Return the failure of two clauses of which one takes back the other."""
    both = f"`{one}` contradicts itself"
    if one != other:
        both = f"`{one}` and `{other}` contradict each other"
    reason = f"{both}: {why}; {help}"
    return refusal(f"the offline rules refuse this request: {reason}", SEE)
