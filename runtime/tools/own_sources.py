"""Imports from a project's folder: from the sources that were granted, never from compiled caches.

Trust covers the sources of a folder. A cache with the time and size of its source would be run in
its place, whatever it holds; and a source may be another one by the time at which it is imported.
So the bytes that are executed are those whose SHA-256 is compared.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
)
from typing import Any, NoReturn

from ..config.code_files import OwnCode

_GRANTED: dict[str, Mapping[str, str] | None] = {}
"""The SHA-256 (hex) of the files of each folder, by their real paths; None: whatever lies there."""


class _FromSource(SourceFileLoader):
    """Compiles each source anew: without its time no cache is read or written."""

    def path_stats(self, path: str) -> NoReturn:
        raise OSError("no cache counts here")

    def get_data(self, path: str) -> bytes:
        data = super().get_data(path)
        if path.endswith(tuple(SOURCE_SUFFIXES)):
            _require_granted(path, data)
        return data


class _FromLibrary(ExtensionFileLoader):
    """Loads the bytes that were compared, from a file that nobody else has."""

    def create_module(self, spec: ModuleSpec) -> Any:
        data = self.get_data(self.path)
        _require_granted(self.path, data)
        number = os.memfd_create(self.name, os.MFD_CLOEXEC)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(number, rest) :]
            copy = ModuleSpec(spec.name, self, origin=f"/proc/self/fd/{number}")
            return super().create_module(copy)
        finally:
            os.close(number)


def add_sources(code: OwnCode) -> None:
    """Let modules be found in a folder and in its packages, before all others."""
    folder = code.folder
    _GRANTED[folder] = None if code.files is None else _by_place(folder, code.files)
    if folder in sys.path:
        return
    sys.path_hooks.insert(0, _finder_below(os.path.join(folder, "")))
    sys.path_importer_cache.pop(folder, None)
    sys.path.insert(0, folder)


def _by_place(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    return {os.path.realpath(os.path.join(folder, name)): sha for name, sha in files.items()}


def _require_granted(path: str, data: bytes) -> None:
    """Raise ImportError for bytes that nobody granted."""
    place = os.path.abspath(path)
    folder = max((one for one in _GRANTED if place.startswith(os.path.join(one, ""))), key=len)
    granted = _GRANTED[folder]
    known = None if granted is None else granted.get(os.path.realpath(place), "")
    if known is not None and known != hashlib.sha256(data).hexdigest():
        raise ImportError(f"`{path}` is not what was granted any more: look at it, and run again")


def _finder_below(root: str) -> Callable[[str], Any]:
    kinds = (_FromLibrary, EXTENSION_SUFFIXES), (_FromSource, SOURCE_SUFFIXES)
    make = FileFinder.path_hook(*kinds)

    def find(path: str) -> Any:
        if not os.path.join(path, "").startswith(root):
            raise ImportError(f"{path} is not below {root}")
        return make(path)

    return find
