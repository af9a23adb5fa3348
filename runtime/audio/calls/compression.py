"""How strongly libsndfile compresses for the kilobits a second that are asked for.

An mp3 file has them in each frame. A vorbis file names those that its quality usually takes, and an
opus file is coded so that it has about as many; both take fewer where little is to be heard.

LAME, by which libsndfile writes mp3 files, makes a sound quieter before it codes it for so many
kilobits a second, by its table of presets, that no peak which coding raises may be cut in a player
of whole numbers. What is written here is what was asked for: peaks are measured and held by LIMIT
and LOUDNESS_NORM, and are told. LAME takes samples above full scale, so the gain that undoes it
cuts nothing.
"""

from __future__ import annotations

import io
import struct

import soundfile

from ...errors import Failure
from .containers import compression_of

_MARK = b"\x01vorbis"
_TRIES = 9
_OPUS_LEAST, _OPUS_MOST = 6, 256
"""Of each channel of an opus file, by libsndfile."""
_MP3_SCALES = ((160, 0.95), (192, 0.97), (224, 0.98))
"""By what LAME multiplies samples, up to each number of kilobits a second; above by 1."""
_HIGHEST_SHARE = 0.999
"""libsndfile sets a quality before it knows that the bitrate is constant, and LAME refuses the
quality 1.0. This share gives the lowest bitrate as well."""


def coding_of(path: str, kbps: int, rate: int, channels: int, subtype: str) -> dict[str, object]:
    """Return the arguments of `soundfile.SoundFile` that give a file so many kilobits a second, or
    the nearest number that a file of this shape can have."""
    if subtype == "VORBIS":
        return {"compression_level": _vorbis_level(kbps, rate, channels)}
    if subtype == "OPUS":
        share = (kbps / channels - _OPUS_LEAST) / (_OPUS_MOST - _OPUS_LEAST)
        return {"compression_level": min(max(1 - share, 0.0), 1.0)}
    share = min(compression_of(path, kbps, rate), _HIGHEST_SHARE)
    return {"compression_level": share, "bitrate_mode": "CONSTANT"}


def level_gain(subtype: str, kbps: int) -> float:
    """Return the factor by which samples have to be raised before libsndfile writes them with so
    many kilobits a second, 0 for the usual, for what is heard of the file to have their level."""
    if subtype != "MPEG_LAYER_III" or not kbps:
        return 1.0
    return 1 / next((scale for most, scale in _MP3_SCALES if kbps <= most), 1.0)


def check_reach(path: str, kbps: int, rate: int, channels: int, subtype: str) -> None:
    """Raise `Failure` where an ogg file of this shape cannot have so many kilobits a second."""
    if subtype == "VORBIS":
        least, most = (_usual(level, rate, channels) for level in (1.0, 0.0))
    elif subtype == "OPUS":
        least, most = _OPUS_LEAST * channels, _OPUS_MOST * channels
    else:
        return
    if not least <= kbps <= most:
        raise Failure(
            f"`{path}` cannot have {kbps} kbit/s: its rate and channels allow {least} to {most}",
            help="ask for one of these, or CONVERT the channels or the sample rate",
        )


def _vorbis_level(kbps: int, rate: int, channels: int) -> float:
    """Return the level whose quality usually takes so many; fewer the higher it is."""
    best, worst = 0.0, 1.0
    for _ in range(_TRIES):
        middle = (best + worst) / 2
        if _usual(middle, rate, channels) > kbps:
            best = middle
        else:
            worst = middle
    return worst


def _usual(level: float, rate: int, channels: int) -> int:
    """Return the kilobits a second that the head of a vorbis file of this level names."""
    head = io.BytesIO()
    shape = {"samplerate": rate, "channels": channels, "subtype": "VORBIS", "format": "OGG"}
    soundfile.SoundFile(head, "w", **shape, compression_level=level).close()
    begin = head.getvalue().index(_MARK) + len(_MARK)
    _, _, _, _, nominal = struct.unpack_from("<IBIii", head.getvalue(), begin)
    return round(int(nominal) / 1000)
