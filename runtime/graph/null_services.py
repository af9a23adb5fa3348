"""Services for graphs that are only looked at: reading checkpoints and drawing call none of
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from ..budget.budget import RunBudget
from ..errors import Failure
from ..events import EventKind
from ..journal.effects import NoJournal
from ..services import (
    NO_GRANTS,
    CommandResult,
    Grants,
    Json,
    ModelReply,
    ModelRequest,
    ScriptCall,
    ScriptResult,
    Services,
    ToolSchema,
)


@dataclass(slots=True)
class Inert:
    """Every service at once; each call fails and says `reason`."""

    reason: str
    label: str = "nothing"
    is_model: bool = False

    def _refuse(self) -> NoReturn:
        raise Failure(self.reason, "refused")

    async def reply(self, request: ModelRequest) -> ModelReply:
        self._refuse()

    async def open(self) -> None:
        return None

    async def close(self) -> None:
        return None

    def schema(self, name: str) -> ToolSchema | None:
        return None

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        self._refuse()

    async def run(self, command: str, state: str, granted: Grants = NO_GRANTS) -> CommandResult:
        self._refuse()

    def confinement(self, granted: Grants) -> str:
        self._refuse()

    @property
    def sandboxed(self) -> bool:
        self._refuse()

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        self._refuse()

    def read(self, path: str, base: str) -> str:
        self._refuse()

    def write(self, path: str, text: str, base: str) -> str:
        self._refuse()


def inert_services(reason: str = "this graph is only for looking at") -> Services:
    """Return services that are enough to build a graph with."""
    inert = Inert(reason)

    def emit(kind: EventKind, node: str, data: dict[str, Any]) -> None:
        return None

    return Services(
        models=inert,
        tools=inert,
        shell=inert,
        files=inert,
        journal=NoJournal(),
        budget=RunBudget(),
        emit=emit,
    )
