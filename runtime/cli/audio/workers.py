"""The processes that handle sound for a command that is not a run."""

from __future__ import annotations

from pathlib import Path

from ...audio.calls.subprocess_call import AudioWorkers
from ...config.extras import require
from ...config.options import default
from ...config.settings import load_config
from ...sandbox.confinement import Confinement
from ...sandbox.modules import OwnModules
from ...sandbox.policy import Mode


def workers_on(sandbox: Mode | None) -> AudioWorkers:
    """Return audio workers confined by the flag `--sandbox`, or by the configuration. Raise
    `RunError` for a configuration that cannot be read, and without the extra."""
    require("audio", "sound")
    here = Path.cwd()
    mode: Mode = sandbox or load_config(here).sandbox or default("sandbox")
    return AudioWorkers(OwnModules(Confinement(here, here, mode=mode)))
