"""A call with its files: what a tool reads, and what it says of what it wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from flowc.compiler.catalog.audio_formats import format_of

from ...errors import Failure
from ..ahead import ahead
from ..blocks import Frames
from ..calls.call import AudioCall, Unwritable
from ..calls.compression import check_reach
from ..calls.containers import bitrate_like, check_bitrate, check_fit, container_of
from ..calls.files import Sound, UnwrittenSound, cannot, open_sound
from ..calls.output import RIFF_LIMIT, FileShape, WrittenFile, check_size, write_sound
from ..calls.word_length import kept_subtype
from ..headers.speakers import lost_speakers
from ..meters.effects import needs_of, read_measure
from ..meters.known import Needs, SpectrumName, Tap, facts_of, keep, levels_of
from ..meters.loudness import decibels
from ..tags.chapters import MOST, Chapter, SoundSpan, move_chapters
from ..tags.mp4 import LOSSLESS
from ..tags.retag import copy_with_fields
from ..tags.tags import FIELDS, SET, Tags
from .stages import Stage, through

Result = dict[str, Any]
Found = Mapping[str, float | None]
"""`gain_db`, and `ceiling_db` of the limiter, None without one."""
_BECOMES_LOSSY = "the sound was lossless (ALAC) and is lossy now (AAC): flac and wav keep all of it"
LOSSY = ("MP3", "OGG", "M4A")
"""Containers that hold what is heard of a sound."""
_MOST_AT_ONCE = 120_000_000
"""Samples of a file that a tool takes which does not stream: 10 minutes of stereo at 96 kHz."""


class Chain(NamedTuple):
    """The work of a tool that keeps rate and length: stages between the input and the output, what
    else the result says, and how many channels come out, where it is another number."""

    stages: Sequence[Stage]
    remarks: Mapping[str, Any] = MappingProxyType({})
    channels: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A call, and where its files are by the path that the call names; of what it reads also what
    is known of the file; `unwritten` are those of them that lie in no file. `source` is the sound
    that the plan of the call is about; "" without one. With `working` the output is one that a
    later step of the plan reads. `wanted` are measures of its effect that will be asked for,
    `found` is what the same call came to when it looked for a gain and a ceiling. A wav file of
    more than `riff_limit` bytes is one of RF64."""

    call: AudioCall
    reads: Mapping[str, str]
    writes: Mapping[str, str]
    known: Mapping[str, Sequence[int]]
    source: str = ""
    working: bool = False
    unwritten: Mapping[str, Sound] = field(default_factory=dict)
    wanted: Sequence[str] = ()
    found: Found = field(default_factory=dict)
    riff_limit: int = RIFF_LIMIT

    @property
    def values(self) -> Mapping[str, Any]:
        """Return the arguments."""
        return self.call.arguments

    @property
    def is_planned(self) -> bool:
        """Tell whether the call is a step of a plan, whose measurements are used again."""
        return bool(self.source) or self.working

    @property
    def input(self) -> Sound:
        """Return the input of a tool that has one. Raise `Failure` as `sound` does."""
        return self.sound(self.values["input"])

    def sound(self, path: str) -> Sound:
        """Open an input. Raise `Failure` when it cannot be read, or is more than the tool takes."""
        known = tuple(self.known.get(path, ()))
        sound = self.unwritten.get(path) or open_sound(path, self.reads[path], known)
        tool = self.call.tool
        name = tool.name.upper()
        if sound.channels > tool.most_channels:
            takes = f"{name} takes at most {tool.most_channels}"
            raise Failure(f"`{path}` has {sound.channels} channels: {takes}")
        if sound.seconds > tool.most_minutes * 60:
            takes = f"{name} takes at most {tool.most_minutes} minutes"
            help = "cut it with CLIP or SPLIT first"
            raise Failure(f"`{path}` is {sound.seconds / 60:.1f} minutes long: {takes}", help=help)
        if not tool.streams and sound.frames * sound.channels > _MOST_AT_ONCE:
            takes = f"{name} takes at most {_MOST_AT_ONCE:,} at once"
            count = f"{sound.frames * sound.channels:,}"
            raise Failure(f"`{path}` holds {count} samples: {takes}", help="split it first")
        return sound

    @property
    def identity(self) -> tuple[object, ...]:
        """Return what tells the samples that the call makes from all others; () where what it reads
        has no such."""
        reads = [self.sound(path).identity for path in self.call.reads]
        arguments = json.dumps(dict(self.values), sort_keys=True)
        return (self.call.tool.name, arguments, *reads) if all(reads) else ()

    def run(self, chain: Chain) -> Result:
        """Write the output: the input behind the stages."""
        sound = self.input
        needs = self._needs(sound).without(facts_of(sound))
        tap = Tap(needs, sound.rate, sound.channels, sound.seconds)
        blocks = tap.over(sound.blocks()) if needs else sound.blocks()
        shape = (sound.rate, chain.channels or sound.channels)
        path = self.values["output"]
        subtype = self._subtype(path, self._source or sound)
        check_size(path, FileShape(*shape, subtype, frames=sound.frames))
        done = self.write(sound, through(blocks, chain.stages), shape)
        keep(sound.identity, tap.facts())
        return {**done, **chain.remarks}

    def _needs(self, sound: Sound) -> Needs:
        subtype = self._subtype(self.call.writes[0], self._source or sound)
        return needs_of([read_measure(text) for text in self.wanted], sound, subtype)

    def write(
        self,
        like: Sound,
        blocks: Iterator[Frames],
        shape: tuple[int, int] | None = None,
        tags: Tags | None = None,
        pieces: Sequence[SoundSpan] | None = None,
        more: Sequence[Chapter] = (),
        frames: int | None = None,
    ) -> Result:
        """Write the output. Rate and channels are those of `like` unless `shape` has others, its
        tags are `tags` or else those of the sound that it comes from, its chapters those of `like`
        as they lie when only `pieces` of it are kept, and `more`. `frames` is how many there will
        be, where that is not as many as `like` has."""
        return self.make(self.values["output"], like, blocks, shape, tags, pieces, more, frames)

    def make(
        self,
        path: str,
        like: Sound | None,
        blocks: Iterator[Frames],
        shape: tuple[int, int] | None = None,
        tags: Tags | None = None,
        pieces: Sequence[SoundSpan] | None = None,
        more: Sequence[Chapter] = (),
        frames: int | None = None,
    ) -> Result:
        """Write an output, which is made of `like` or of nothing: then `shape` has its rate and
        its channels."""
        source = self._source or like
        own = source.tags() if source else Tags()
        tags = self.tags_for(own) if tags is None else tags
        before = like.tags().chapters if like is not None else ()
        after = before if pieces is None else move_chapters(before, pieces)
        way = tags.on_way if self.working else ""
        tags = replace(tags, chapters=(*after, *more)[:MOST], on_way=way)
        rate, channels = shape or ((like.rate, like.channels) if like is not None else (0, 0))
        if frames is None:
            frames = round(like.frames * rate / like.rate) if like is not None else 0
        dither = bool(self.values.get("dither", True))
        same = source is not None and source.format == container_of(path).name
        kept = bitrate_like(own.bitrate) if same and own.bitrate else 0
        asked = self.values.get("bitrate_kbps")
        check_bitrate(path, asked, rate, channels)
        subtype = self._subtype(path, source)
        if asked:
            check_reach(path, asked, rate, channels, check_fit(path, subtype, rate, channels))
        speakers = self._speakers(like, channels)
        form = FileShape(rate, channels, subtype, dither, frames, asked or kept, speakers)
        # On the way nothing is lost: the last step reads the tags of the source again.
        told = replace(tags, unkept=()) if self.working else tags
        done = _result_of(self._put(path, form, blocks, tags), told)
        if lost := lost_speakers(done["format"], channels, speakers):
            done["notes"].append(lost)
        if same and source is not None and source.subtype.startswith(LOSSLESS):
            done["notes"].append(_BECOMES_LOSSY)
        if not after or "the chapters" not in tags.lost_in(done["format"]):
            done["notes"] += _remarks(before, after)
        return done

    def tags_for(self, own: Tags) -> Tags:
        """Return the tags of an output: the sound's own, with the fields as a step of the plan has
        set them in what the call reads."""
        for path in self.call.reads:
            sound = self.sound(path)
            if sound.format == "WAV" and (found := sound.tags()).on_way:
                return replace(own, fields=found.fields, on_way=SET)
        return own

    def tag(self, said: Mapping[str, str]) -> Result:
        """Write the output: the samples of the input, with some fields as they are said, "" for
        none. What is coded is copied where the output is of the same format."""
        source, sound = self._source or self.input, self.input
        here = sound.tags()
        own = self.tags_for(source.tags()) if self._source else here
        fields = {name: text for name, text in {**own.fields, **said}.items() if text}
        same = here.on_way or repr(sound.identity)
        tags = replace(own, fields=fields, on_way=same)
        is_same = same == repr(source.identity)
        if is_same and (done := self._copy(source, replace(tags, on_way=""))):
            return done
        done = self.write(sound, sound.blocks(), tags=tags)
        if not self.is_planned and done["format"] in LOSSY:
            done["notes"].append(
                f"`{done['output']}` was coded anew: that takes a little more away"
            )
        return done

    def _copy(self, sound: Sound, tags: Tags) -> Result | None:
        """Write the bytes of a sound's file with other tags; None where the output is to be
        something else, or the file is built in another way."""
        path = self.values["output"]
        container = container_of(path)
        asked = self.values.get("subtype") or ("OPUS" if format_of(path) == "opus" else "")
        if self.working or sound.format != container.name or asked not in ("", sound.subtype):
            return None
        old = sound.tags().fields
        new = {name: tags.fields.get(name, "") for name in FIELDS}
        said = {name: text for name, text in new.items() if text != old.get(name, "")}
        form = (path, sound.rate, sound.channels, container.name, sound.subtype, sound.frames)
        peak = float(levels_of(sound).peaks.max())
        place = self.writes[path]
        try:
            if not sound.look_into(
                lambda file: copy_with_fields(file, place, container.name, said, tags)
            ):
                return None
        except OSError as error:
            reason = cannot(path, error)
            raise Unwritable(reason.message, help=reason.help) from None
        return _result_of(WrittenFile(*form, peak), Tags())

    def _put(self, path: str, form: FileShape, blocks: Iterator[Frames], tags: Tags) -> WrittenFile:
        place, needs = self.writes[path], Needs()
        # Samples of other formats are not what was heard here; what joins files has no one input,
        # and of several parts the first is judged.
        is_first = path == self.call.writes[0]
        if self.wanted and form.subtype == "FLOAT" and "input" in self.values and is_first:
            asked = self._needs(self.input)
            plain = {SpectrumName(one.resolution) for one in asked.spectra}
            needs = Needs(asked.course or bool(asked.laws), {}, plain)
        tap = Tap(needs, form.rate, form.channels, form.frames / form.rate)
        heard = ahead(tap.over(blocks) if needs else blocks)
        done = write_sound(path, place, form, heard, tags, self.riff_limit)
        if (facts := tap.facts()) is not None:
            keep(open_sound(path, place).identity, facts)
            keep(self.identity, facts)
        return done

    def _speakers(self, like: Sound | None, channels: int) -> int:
        """Return the speakers of the channels, those of the input; 0 where they are others."""
        is_same = like is not None and like.channels == channels and "order" not in self.values
        return like.speakers if like is not None and is_same else 0

    @property
    def _source(self) -> Sound | None:
        """Return the sound that a plan is about, which its last step is to resemble."""
        return self.sound(self.source) if self.source else None

    def _subtype(self, path: str, source: Sound | None) -> str:
        """Return how samples are stored: as the call says, else as the source has them. What a plan
        makes on the way keeps everything, peaks above full scale as well."""
        if self.values.get("subtype"):
            return str(self.values["subtype"])
        container = container_of(path)
        if self.working and "FLOAT" in container.subtypes:
            return "FLOAT"
        if format_of(path) == "opus" or source is None:
            return ""
        return kept_subtype(container, source.subtype)


@dataclass(frozen=True, slots=True)
class Rehearsal(Job):
    """A job that writes nothing: what it would write is read from it."""

    _taken: list[tuple[FileShape, Iterator[Frames], Tags]] = field(default_factory=list, repr=False)

    def sound_of(self, work: Callable[[Job], Chain | Result], frames: int | None) -> UnwrittenSound:
        """Return what the job makes, as its file would be. `frames` is how many there are, where
        that is known. Raise `Failure`."""

        def begin() -> tuple[FileShape, Iterator[Frames], Tags]:
            done = work(self)
            if isinstance(done, Chain):
                self.run(done)
            return self._taken.pop()

        form, blocks, tags = begin()
        count = sum(map(len, blocks)) if frames is None else frames
        path = self.values["output"]
        shape = (form.rate, form.channels, count, container_of(path).name, "FLOAT", ())
        return UnwrittenSound(
            path,
            "",
            *shape,
            self.identity,
            form.speakers,
            make=lambda: begin()[1],
            written_tags=tags,
        )

    def _put(self, path: str, form: FileShape, blocks: Iterator[Frames], tags: Tags) -> WrittenFile:
        self._taken.append((form, blocks, tags))
        return WrittenFile(path, form.rate, form.channels, container_of(path).name, form.subtype)


def pieces_of(
    sound: Sound, spans: Iterable[tuple[int, int]], scale: float = 1.0
) -> list[SoundSpan]:
    """Return spans of frames as pieces, one behind the other, each `scale` times as long."""
    pieces, at = [], 0.0
    for start, end in spans:
        pieces.append(SoundSpan(start / sound.rate, end / sound.rate, at, scale))
        at += (end - start) / sound.rate * scale
    return pieces


def _remarks(before: Sequence[Chapter], after: Sequence[Chapter]) -> list[str]:
    """Return what became of chapters that an edit moved, in words."""
    left = {chapter.title for chapter in after}
    gone = [chapter.title for chapter in before if chapter.title not in left]
    told = [f"the sound of the chapter `{title}` is gone, and so is the chapter" for title in gone]
    if after and [c.start for c in after] != [c.start for c in before[: len(after)]]:
        told.append(f"chapters were moved with the sound: {len(after)} of {len(before)} are kept")
    return told


def _result_of(done: WrittenFile, tags: Tags) -> Result:
    result: Result = {
        "output": done.path,
        "duration_s": done.frames / done.rate,
        "sample_rate_hz": done.rate,
        "channels": done.channels,
        "format": done.format,
        "subtype": done.subtype,
        "sample_peak_dbfs": decibels(done.peak),
        "notes": [],
    }
    if done.above:
        # A coder gets them as they are; what comes out of it is cut by players of whole numbers.
        cut = "most players cut them" if done.format in LOSSY else "they are cut there"
        result["notes"].append(f"{done.above} samples lie above full scale: {cut}")
    elif done.peak > 1.0:
        result["notes"].append("peaks lie above full scale; this format keeps them")
    if lost := tags.lost_in(done.format):
        result["notes"].append(f"{', '.join(lost)} of the source cannot be written into this file")
    return result
