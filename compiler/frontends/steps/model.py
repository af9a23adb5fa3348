"""A step document as written: its steps, with the places of their parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from lark import Token

from ...ir import Input, Output
from ...reading.located import Located
from ...source.source import Span


@dataclass(slots=True)
class Step:
    """One step as written. `span` is its name, or else its heading; `end` the offset behind its
    last line."""

    number: int
    name: str
    span: Span
    section: str
    end: int = 0
    description: Located | None = None
    tools: list[Located] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    asserts: list[Located] = field(default_factory=list)
    sections: list[Token] = field(default_factory=list)
    odd_fence: Span | None = None

    @property
    def label(self) -> str:
        """What messages call the step: its 1-based number and, if it has one, its name."""
        return f"step {self.number + 1} (`{self.name}`)" if self.name else f"step {self.number + 1}"


@dataclass(slots=True)
class StepDocument:
    """A whole file as written: its first level-1 heading, the prose before the steps, the steps."""

    title: str = ""
    prose: str = ""
    steps: list[Step] = field(default_factory=list)
