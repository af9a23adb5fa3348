"""Loudness and peaks brought to a target, and true peaks held below a ceiling: the limiter.

How much a limiter may take off the highest peak on the way to a loudness was measured on speech,
music, drums and clicks, with `plugins.limiter` and its release of 100 ms. The level of 10 ms beside
that of the gain alone, for the share of the sound in which something is to be heard:

    off the highest peak   lower by 1 dB: speech   music   by 3 dB: speech   music
            3 dB                   49 %             9 %        0 %           0 %
            6 dB                   84 %            38 %       49 %          13 %
           10 dB                  100 %            88 %       74 %          64 %

1 dB is about the least change of level that is heard, 3 dB nobody misses. With 6 dB peaks are half
as high and most of the sound is worked on; of any further gain the limiter takes nine tenths back,
on speech as on music: the sound becomes flatter and no louder. So it ends there. A few clicks alone
would bear more, but what is a click and what a voice nobody has said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor
from statistics import median
from typing import NamedTuple

import numpy as np

from ...errors import Failure
from ..ahead import ahead
from ..calls.containers import container_of
from ..calls.files import Sound, open_sound
from ..meters import measure as meter
from ..meters.known import levels_of
from ..meters.loudness import Loudness, LoudnessMeter, decibels
from . import stages
from .chains import silence_failure
from .job import LOSSY, Chain, Found, Job, Result
from .stages import Stage, through

MOST_TAKEN_DB = 6.0
"""The most that the limiter takes off the highest true peak on the way to a loudness."""
_ROUNDS = 24
_CLOSE_LU, _SAFETY_DB = 0.02, 0.01


class _Times(NamedTuple):
    """How fast a limiter lets go, and how long before a peak it begins."""

    release_ms: float = 100.0
    lookahead_ms: float = 5.0


_USUAL = _Times()


_CODINGS, _NEAR_DB = 4, 0.02
"""How often a lossy file is written at most, and how near to the ceiling its peaks may end."""
_PEAK_CODINGS, _MOST_CODINGS, _CODED_SECONDS, _BELOW_DB = 8, 32, 300, 0.09
"""The same for the highest sample, which in noise moves by chance: a short sound is written more
often, as long as all that is written has so many seconds; and how far below it may end."""
_STEPS, _ASIDE_DB = 4, 0.01
"""Codings whose last alone says the next gain; where chance has its part, the middle of all is
nearer to it, and gains beside that have another chance."""


def limit(job: Job) -> Chain | Result:
    """Lower the plugin's own ceiling until the true peaks are where they were asked to be."""
    return _below(job, job.values["ceiling_dbtp"], lambda most: _limit(job, most))


def loudness_norm(job: Job) -> Chain | Result:
    """Apply a gain; where peaks come in the way a limiter after it, and more gain for what it
    takes. Raise `Failure` where that is more than `MOST_TAKEN_DB`."""
    return _below(job, job.values["max_true_peak_dbtp"], lambda most: _normalise(job, most))


def _below(job: Job, most: float, build: Callable[[float], Chain]) -> Chain | Result:
    """Return what `build` makes for a ceiling. A lossy coder raises peaks by up to a decibel: there
    the file is written, measured, and written again below a ceiling that is lower by as much."""
    path, chain = job.values["output"], build(most)
    if container_of(path).name not in LOSSY:
        return chain
    result, ceiling = job.run(chain), most
    loud = measure_loudness(open_sound(path, job.writes[path]), [])
    for _ in range(_CODINGS - 1):
        if loud.true_peak is None or loud.true_peak <= most + _NEAR_DB:
            break
        ceiling -= loud.true_peak - most + _NEAR_DB
        result = job.run(build(ceiling))
        loud = measure_loudness(open_sound(path, job.writes[path]), [])
    result["true_peak_dbtp"] = loud.true_peak
    if "integrated_lufs" in result:
        result["integrated_lufs"] = loud.integrated
    return result


def peak_norm(job: Job) -> Chain | Result:
    """Bring the highest sample to a level; in a lossy file that of what is heard of it. Raise
    `Failure` for silence."""
    sound, target, path = job.input, job.values["target_dbfs"], job.values["output"]
    peak = decibels(float(levels_of(sound).peaks.max()))
    if peak is None:
        raise silence_failure(sound)
    gain_db = target - peak
    if container_of(path).name not in LOSSY:
        return _gain_chain(gain_db)
    tried: dict[float, float] = {}
    most = min(max(_PEAK_CODINGS, int(_CODED_SECONDS / sound.seconds)), _MOST_CODINGS)
    while True:
        result = job.run(_gain_chain(gain_db))
        coded = open_sound(path, job.writes[path])
        found = decibels(max(float(np.abs(block).max()) for block in coded.blocks()))
        result["sample_peak_dbfs"] = found
        if found is None or -_BELOW_DB <= found - target <= _NEAR_DB:
            return result
        if gain_db in tried:
            if abs(found - target) > _BELOW_DB:
                result["notes"].append(
                    f"the coder moves the highest sample by chance: of {most} codings"
                    f" {found:.2f} dBFS is the nearest to {target:g} dBFS"
                )
            return result
        tried[gain_db] = found - target
        if len(tried) < most:
            gain_db = _next_gain(tried)
        else:  # the nearest once more: the same samples make the same file
            gain_db = min(tried, key=lambda one: (tried[one] > _BELOW_DB, abs(tried[one])))


def _next_gain(tried: dict[float, float]) -> float:
    """Return the gain at which the peak would be where it may be, by how far it was off it."""
    right = [gain - off for gain, off in tried.items()]
    middle = -(_BELOW_DB - _NEAR_DB) / 2
    if (later := len(right) - _STEPS) < 0:
        return right[-1] + middle
    aside = (later + 1) // 2 * _ASIDE_DB  # never the same gain again, once above and once below
    return median(right) + middle + (aside if later % 2 else -aside)


def _gain_chain(gain_db: float) -> Chain:
    return Chain([stages.gain(gain_db)], {"gain_db": gain_db})


def _limit(job: Job, most: float) -> Chain:
    sound = job.input
    times = _Times(job.values["release_ms"], job.values["lookahead_ms"])
    if job.found:
        return Chain(_found_chain(sound, job.found, times))
    loud, ceiling = _hold(sound, 0.0, most, most, times)
    if ceiling is None:
        raise Failure(f"`{sound.path}` cannot be limited to {most:g} dBTP")
    found: Found = {"gain_db": 0.0, "ceiling_db": ceiling}
    chain = _found_chain(sound, found, times)
    return Chain(chain, {"true_peak_dbtp": loud.true_peak, **_search_result(job, found)})


def _found_chain(sound: Sound, found: Found, times: _Times) -> list[Stage]:
    gain_db, ceiling = found["gain_db"], found["ceiling_db"]
    if ceiling is None:
        return [stages.gain(gain_db or 0.0)]
    return _limiter_chain(sound, gain_db or 0.0, ceiling, times)


def _search_result(job: Job, found: Found) -> Result:
    """Return what a search came to, for a plan that may have the same made again."""
    return {"found": found} if job.is_planned else {}


def _normalise(job: Job, most: float) -> Chain:
    sound, target = job.input, job.values["target_lufs"]
    if job.found:
        return Chain(_found_chain(sound, job.found, _USUAL))
    heard = meter.measure(sound, parts=("loudness",))
    loudness, peak = heard["integrated_lufs"], heard["true_peak_dbtp"]
    if loudness is None or peak is None:
        short = "shorter than 0.4 s" if sound.seconds < 0.4 else "too quiet, or not mono to 7.1"
        raise Failure(f"`{sound.path}` has no loudness that could be changed: it is {short}")
    gain_db = target - loudness
    facts: Result = {"loudness_before_lufs": loudness}
    if job.is_planned:
        facts["heard"] = heard
    if peak + gain_db <= most:
        levels = {"integrated_lufs": target, "true_peak_dbtp": peak + gain_db}
        found: Found = {"gain_db": gain_db, "ceiling_db": None}
        remarks = {**facts, **levels, "gain_db": gain_db, "limited": False}
        return Chain(_found_chain(sound, found, _USUAL), {**remarks, **_search_result(job, found)})
    free = most - peak
    search = _Search(low=free, reached=loudness + free, top=free + MOST_TAKEN_DB)
    for level in _louder(sound, search, target, most):
        if abs(target - level.reached) <= _CLOSE_LU:
            levels = {"integrated_lufs": level.reached, "true_peak_dbtp": level.peak}
            found = {"gain_db": level.gain_db, "ceiling_db": level.ceiling}
            remarks = {**facts, **levels, "gain_db": level.gain_db, "limited": True}
            return Chain(
                _found_chain(sound, found, _USUAL), {**remarks, **_search_result(job, found)}
            )
        if level.gain_db == search.top and level.reached < target:
            raise _too_much(sound, target, most, level.reached)
    raise Failure(f"`{sound.path}` cannot be brought to {target:g} LUFS below {most:g} dBTP")


@dataclass(slots=True)
class _Search:
    """Gains in dB around the one that is searched: `low` gives too little, `reached` LUFS; `top` is
    the most there may be."""

    low: float
    reached: float
    top: float


class _Level(NamedTuple):
    """The result of a gain, with the plugin's ceiling at which no peak is too high."""

    gain_db: float
    reached: float
    peak: float
    ceiling: float


def _louder(sound: Sound, search: _Search, target: float, most: float) -> Iterator[_Level]:
    """Yield gains that come nearer and nearer, from what would do if the limiter took nothing back.
    More gain is more loudness as far as this goes, so what lies between two gains can be halved."""
    high: float | None = None
    gain = search.low + target - search.reached
    ceiling = most
    for _ in range(_ROUNDS):
        bound = search.top if high is None else high
        if not search.low < gain < bound:
            gain = bound if high is None else (search.low + bound) / 2
        loud, held = _hold(sound, gain, most, ceiling, _USUAL)
        if held is None or loud.integrated is None or loud.true_peak is None:
            return
        reached, ceiling = loud.integrated, held
        yield _Level(gain, reached, loud.true_peak, ceiling)
        if reached >= target:
            high, gain = gain, gain - (reached - target)
            continue
        slope = (reached - search.reached) / (gain - search.low)
        search.low, search.reached = gain, reached
        gain += (target - reached) / slope if slope > 0 else search.top


def _hold(
    sound: Sound, gain_db: float, most: float, ceiling: float, times: _Times
) -> tuple[Loudness, float | None]:
    """Lower the plugin's own ceiling until no true peak is above `most`. Return what comes out, and
    the ceiling; None when no ceiling does that."""
    for _ in range(_ROUNDS):
        loud = measure_loudness(sound, _limiter_chain(sound, gain_db, ceiling, times))
        if loud.true_peak is None or loud.true_peak <= most:
            return loud, ceiling
        ceiling -= loud.true_peak - most + _SAFETY_DB
    return loud, None


def _too_much(sound: Sound, target: float, most: float, reached: float) -> Failure:
    loudest = floor(reached * 10) / 10
    return Failure(
        f"`{sound.path}` cannot be brought to {target:g} LUFS below {most:g} dBTP: a limiter would "
        f"take more than {MOST_TAKEN_DB:g} dB off its peaks, which is heard; {loudest:.1f} LUFS is "
        "the loudest that can be reached",
        help=f"ask for {loudest:.1f} LUFS or less, allow a higher peak, or COMPRESS first",
    )


def _limiter_chain(sound: Sound, gain_db: float, ceiling: float, times: _Times) -> list[Stage]:
    from .plugins import limiter as limiter_of  # pedalboard, which many sounds need not

    limiter = limiter_of(ceiling, *times, sound.rate, sound.channels)
    return [stages.gain(gain_db), limiter] if gain_db else [limiter]


def measure_loudness(sound: Sound, chain: list[Stage]) -> Loudness:
    """Return the loudness of a sound behind some stages."""
    meter = LoudnessMeter(sound.rate, sound.channels, sound.speakers)
    for block in ahead(through(sound.blocks(), chain)):
        meter.feed(block)
    return meter.end()
