"""`file:` in a workflow (M22): files below its folder and the granted roots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .roots import Roots


@dataclass(frozen=True, slots=True)
class RootedFiles:
    """`services.Files`: `base` is the workflow's file, its folder is where paths start."""

    roots: tuple[Path, ...] = ()

    def read(self, path: str, base: str) -> str:
        """The text of a file. Raises `Failure`: refused outside the roots."""
        return self._of(base).read_text(path)

    def write(self, path: str, text: str, base: str) -> str:
        """Replace a file's text; gives its path from the workflow's folder. Raises `Failure`."""
        roots = self._of(base)
        return roots.show(roots.write_text(path, text))

    def _of(self, base: str) -> Roots:
        return Roots(Path(base).absolute().parent, self.roots)
