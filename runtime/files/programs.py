"""Programs by their names, as the user's own path finds them."""

from __future__ import annotations

import os
import shutil


def find_program(name: str, path: str | None = None) -> str | None:
    """Return where a program is; None when it is not installed. Entries of the path (by default
    PATH) that depend on the current folder do not count: that may be a stranger's."""
    given = os.environ.get("PATH", os.defpath) if path is None else path
    whole = os.pathsep.join(entry for entry in given.split(os.pathsep) if os.path.isabs(entry))
    return shutil.which(name, path=whole) if whole else None
