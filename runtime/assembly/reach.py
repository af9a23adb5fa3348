"""What of this machine a run may use that came by a request: what the operator gave its team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..files.roots import Roots


@dataclass(frozen=True, slots=True)
class Reach:
    """`root` is the folder of the team, None: no files at all. `env` names the environment
    variables that its workflows and commands get, with patterns (`CI_*`)."""

    root: Path | None = None
    env: tuple[str, ...] = ()

    def roots(self) -> Roots:
        """Return the folder as the files of a run."""
        return Roots(self.root or Path("/"), sealed=self.root is None, alone=True)


Reaches = Mapping[str, Reach]
"""By team; "" is whoever has a token without a team, or none."""
