"""The world of a run that is tortured: every effect has a line in the ledger, and what would reach
outside is a stand-in, but for the nodes that a person lets through."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial

from flowc.compiler.catalog.builtin_tools import BUILTIN

from ..cassette.replaying import Player
from ..context import EFFECT_KEY, HERE, binding
from ..errors import Failure
from ..events import Tape
from ..journal.before import JournalBefore
from ..requests import HttpAnswer, HttpRequest
from ..services import (
    MODEL_CALL,
    NO_GRANTS,
    CommandResult,
    EffectCall,
    FunctionCall,
    Grants,
    Journal,
    Json,
    Services,
    ServicesFactory,
    ToolSchema,
)
from ..tools.registry import check_arguments
from .ledger import EffectLedger, LedgerLine, label_of, node_of

PAUSE = 0.003
"""Seconds before and after an effect, so that a random moment finds time to fall between."""
OWN_LEDGER = "note_effect"
"""flowc's own tool, which writes into the ledger alone."""
_REAL: ContextVar[bool] = ContextVar("flowc_real_call", default=False)
"""Whether the call under way is let through."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the world of a run is made of. `real` are the nodes that are let through, with the calls
    that lead to them; `returns` are results of tools and functions by name, of commands by
    node; `recorded`: a recording answers, so that nothing is a stand-in."""

    real: frozenset[str] = frozenset()
    returns: Mapping[str, Json] = field(default_factory=dict)
    recorded: bool = False
    schemas: dict[str, ToolSchema | None] = field(default_factory=dict)
    """Tools that were looked up once: no later process starts a server for it."""


def set_scene(factory: ServicesFactory, scene: Scene, ledger: EffectLedger) -> ServicesFactory:
    """Return what makes the services of a run on this scene."""

    def services(journal: Journal, emit: Callable[..., None]) -> Services:
        made = factory(journal, emit)
        if scene.recorded:
            return replace(
                made,
                tape=_let_act(made.tape),
                journal=JournalBefore(made.journal, partial(_note, scene, ledger)),
            )
        world = StandIns(made, scene)
        return replace(
            made,
            tools=world,
            shell=world,
            files=world,
            sender=world,
            functions=world.function if made.functions else None,
            journal=JournalBefore(journal, partial(_note, scene, ledger)),
        )

    return services


def _let_act(tape: Tape) -> Tape:
    """Have a recording answer effects that can be in doubt, as those of the world can."""
    assert isinstance(tape, Player)
    tape.acts = True
    return tape


async def _note(scene: Scene, ledger: EffectLedger, journal: Journal, act: EffectCall) -> Json:
    """Make an effect through the journal, with lines for its call, its result and, where nothing
    real does it, its effect."""
    here = HERE.get()
    place = here.place if here else ""
    label = act.name
    if here:
        label = label_of(place, here.visit, here.attempt, act.ordinal, act.name)
    node, harmless = node_of(place), _is_harmless(scene, act.name)
    real = _is_real(scene, node, act.name, harmless)
    if act.name == MODEL_CALL:
        act = replace(act, effect="once")  # who answers here costs nothing; a model would be paid

    async def call() -> Json:
        key = EFFECT_KEY.get() or label  # without a journal nothing else tells calls apart
        line = LedgerLine("call", label, key, node, act.name, act.effect, real, harmless)
        ledger.add(line)
        await asyncio.sleep(PAUSE)
        failure: Failure | None = None
        value: Json = None
        try:
            with binding(_REAL, real), binding(EFFECT_KEY, key):
                value = await act.call()
        except Failure as error:
            failure = error
        if not real and _acts(ledger, act, key):
            ledger.add(LedgerLine("effect", label, key))
        why = (failure.message or "failed") if failure else ""
        ledger.add(replace(line, what="result", value=value, failure=why))
        await asyncio.sleep(PAUSE)
        if failure is not None:
            raise failure
        return value

    return await journal.once(replace(act, call=call))


def _is_real(scene: Scene, node: str, name: str, harmless: bool) -> bool:
    """Tell whether a call is let through: its node is, or nothing can come of it. Models answer
    from a script in any case."""
    if name == MODEL_CALL or scene.recorded:
        return False
    return harmless or node in scene.real or node.rpartition("/")[2] in scene.real


def _is_harmless(scene: Scene, name: str) -> bool:
    """Tell whether flowc itself knows that a call changes nothing, or only the ledger."""
    name = name.removeprefix("tool ") if name.startswith("tool ") else ""
    if scene.recorded:
        return name in BUILTIN and BUILTIN[name].effect == "pure"
    tool = scene.schemas.get(name)
    return tool is not None and _changes_nothing(tool)


def _changes_nothing(tool: ToolSchema) -> bool:
    if tool.source == "builtin":
        return tool.effect == "pure"
    return tool.name == OWN_LEDGER and tool.source.startswith("python:flowc")


def _acts(ledger: EffectLedger, act: EffectCall, key: str) -> bool:
    """Tell whether a stand-in acts when it is called: one that is declared idempotent acts once
    under a key, one that is declared pure never."""
    if act.effect == "idempotent":
        return not ledger.has_effect(key)
    return act.effect == "once"


@dataclass(frozen=True, slots=True)
class StandIns:
    """Tools, shell, files and functions in one: what is let through reaches those of `services`,
    the rest changes nothing and answers by itself."""

    services: Services
    scene: Scene

    async def open(self) -> None:
        """Open the real tools, unless it is known what they look like and none is let through."""
        if self._needs_real:
            await self.services.tools.open()

    async def close(self) -> None:
        if self._needs_real:
            await self.services.tools.close()

    @property
    def _needs_real(self) -> bool:
        known = [tool for tool in self.scene.schemas.values() if tool is not None]
        return not known or bool(self.scene.real) or any(map(_changes_nothing, known))

    async def schema(self, name: str) -> ToolSchema | None:
        """Return what the real tool looks like."""
        schemas = self.scene.schemas
        if name not in schemas:
            schemas[name] = await self.services.tools.schema(name)
        return schemas[name]

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        """Return the scripted result, or a text that says what it is. Raise `Failure` for arguments
        that do not fit the declared schema, and what a real tool raises."""
        if _REAL.get():
            return await self.services.tools.call(name, args)
        schema = await self.schema(name)
        if schema is not None:
            await asyncio.to_thread(check_arguments, schema, args)
        return self.scene.returns.get(name, f"stand-in for {name}")

    async def run(
        self, command: str, state: str, granted: Grants = NO_GRANTS, merged: bool = False
    ) -> CommandResult:
        """Return a command's result: exit code 0, the scripted output of its node or none."""
        if _REAL.get():
            return await self.services.shell.run(command, state, granted, merged)
        here = HERE.get()
        node = node_of(here.place) if here else ""
        value = self.scene.returns.get(node, self.scene.returns.get(node.rpartition("/")[2], ""))
        output = value if isinstance(value, str) else json.dumps(value)
        return CommandResult(command, 0, output, 0.0, False, state)

    def confinement(self, granted: Grants) -> str:
        return self.services.shell.confinement(granted)

    def read(self, path: str, base: str) -> str:
        return self.services.files.read(path, base)

    async def write(self, path: str, text: str, base: str) -> str:
        if _REAL.get():
            return await self.services.files.write(path, text, base)
        return path

    async def send(self, request: HttpRequest) -> HttpAnswer:
        if _REAL.get():
            return await self.services.sender.send(request)
        here = HERE.get()
        value = self.scene.returns.get(node_of(here.place) if here else "", {})
        return HttpAnswer(200, {}, value if isinstance(value, str) else json.dumps(value))

    async def function(self, call: FunctionCall) -> Json:
        if _REAL.get():
            assert self.services.functions is not None
            return await self.services.functions(call)
        return self.scene.returns.get(call.function, {})
