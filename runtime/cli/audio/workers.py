"""The processes that handle sound for a command which is no run."""

from __future__ import annotations

from pathlib import Path

from ...assembly.sandbox_options import mode_of
from ...audio.calls.subprocess_call import AudioWorkers
from ...config.settings import load_config
from ...sandbox.confinement import Confinement
from ...sandbox.modules import OwnModules


def workers_on(sandbox: str | None) -> AudioWorkers:
    """Confined as the flag `--sandbox` says, or the configuration. Raises `RunError` for a
    configuration that cannot be read."""
    here = Path.cwd()
    mode = mode_of(sandbox or "", load_config(here).sandbox)
    return AudioWorkers(OwnModules(Confinement(here, here, mode=mode)))
