"""Runs a module of flowc's own in a process that is confined already.

Without site packages nothing tells this interpreter where flowc is: its packages may lie in one
folder or, while flowc is worked on, in several. So their folders are given by name.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

TYPE_CHECKING = False  # see start.py
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any


class _PackageFinder:
    """Finds packages in the folders that are theirs."""

    def __init__(self, folders: dict[str, str]) -> None:
        self._folders = folders

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        folder = self._folders.get(name)
        if folder is None:
            return None
        file = f"{folder}/__init__.py"
        return importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=[folder]
        )


def main() -> None:
    """Call `main` of the module named first in sys.argv. Then come how many packages are given, and
    for each its name and its folder; what is after them is the module's own."""
    module, count = sys.argv[1], int(sys.argv[2])
    packages = sys.argv[3 : 3 + 2 * count]
    finder: Any = _PackageFinder(dict(zip(packages[::2], packages[1::2], strict=True)))
    sys.meta_path.insert(0, finder)
    importlib.import_module(module).main()
