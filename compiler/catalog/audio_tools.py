"""AUDIO_TOOLS: every audio tool, one row each, in the order in which they are listed."""

from __future__ import annotations

from .audio_cutting import CUTTING
from .audio_effects import EFFECTS
from .audio_levels import LEVELS
from .audio_model import AudioTool
from .audio_restoration import RESTORATION

AUDIO_TOOLS: tuple[AudioTool, ...] = (*CUTTING, *LEVELS, *RESTORATION, *EFFECTS)
