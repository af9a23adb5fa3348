"""What an attack is: a program, and the harm that it would do if nothing stopped it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Harm = Literal["leak", "change", "contact", "hurt", "alive", "exec", "greed"]
"""The key was read · a file outside was changed · a server was reached · another process was killed
or changed · something lived on · another program ran · more was taken than the limits give."""


@dataclass(frozen=True, slots=True)
class Attack:
    """`code` is Python, or a command of bash; the arena puts names in front of it. `harm` is what
    it does to a bare process; `bare` False: never run without a sandbox, it would hurt the machine
    or it needs flowc's own part to be an attack at all."""

    name: str
    harm: Harm
    code: str
    bare: bool = True
    root: bool = False
    """Only root can do this harm to begin with."""
