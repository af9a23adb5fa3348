"""Imports from a project's folder: from sources, never from compiled caches beside them.

Trust covers the sources of a folder. A cache with the time and size of its source would be run in
its place, whatever it holds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from typing import Any, NoReturn


class _FromSource(SourceFileLoader):
    """Compiles each source anew: without its time no cache is read or written."""

    def path_stats(self, path: str) -> NoReturn:
        raise OSError("no cache counts here")


def add_sources(folder: str) -> None:
    """Let modules be found in a folder and in its packages, before all others."""
    if folder in sys.path:
        return
    sys.path_hooks.insert(0, _finder_below(os.path.join(folder, "")))
    sys.path_importer_cache.pop(folder, None)
    sys.path.insert(0, folder)


def _finder_below(root: str) -> Callable[[str], Any]:
    kinds = (ExtensionFileLoader, EXTENSION_SUFFIXES), (_FromSource, SOURCE_SUFFIXES)
    make = FileFinder.path_hook(*kinds)

    def find(path: str) -> Any:
        if not os.path.join(path, "").startswith(root):
            raise ImportError(f"{path} is not below {root}")
        return make(path)

    return find
