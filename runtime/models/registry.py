"""The source of answers: a script, or a language model. Never silently one for the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import Failure, RunError
from ..people import NoPeople, People
from ..services import ModelReply, ModelRequest, Models
from .answer_file import read_script
from .offline import OFFLINE, OfflineModels
from .people import PEOPLE, PeopleModels
from .provider import Asked, ProviderModels
from .scripted import ScriptedModels

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_NONE: Mapping[str, BaseChatModel] = MappingProxyType({})

CHOICES = """\
--model provider:name      a language model, e.g. openai:gpt-5-mini (key in OPENAI_API_KEY)
--model offline            rules for editing sound: not a language model
--base-url URL             with it: any server that speaks the OpenAI protocol
--answers FILE.yaml        scripted answers: not a language model
--model people             whoever runs it answers every turn: not a language model
--replay FILE              what was recorded with --record FILE: nothing is asked anew
model = "provider:name"    in flowc.toml, or FLOWC_MODEL in the environment: the default"""


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers model calls, and who answers for people. With `by_hand` the one who answers as
    the model uses tools of their own."""

    models: Models
    people: People
    by_hand: bool = False


def choose_models(
    model: str | None,
    base_url: str | None,
    answers: str | None,
    asked: tuple[Asked, ...],
    timeout: float,
    needed: bool = True,
    objects: Mapping[str, BaseChatModel] = _NONE,
    settings: Mapping[str, object] = _NONE,
) -> Answering:
    """Return the source of answers. `asked` are the models that nodes ask, with their settings;
    `needed` says whether the workflow calls a model at all; `objects` are models that the host
    program holds, by name; `settings` go with every call of a model. Raise `RunError` (exit 2) that
    shows the choices when nothing was chosen, or says what is missing for what was."""
    if answers is not None:
        scripted = ScriptedModels(read_script(answers))
        return Answering(scripted, scripted)
    if model is None:
        if needed:
            raise RunError("no model was chosen for this run", help=CHOICES)
        return Answering(NoModels(), NoPeople())
    if model == PEOPLE:
        return Answering(PeopleModels(), NoPeople(), by_hand=True)
    named = tuple(sorted({name for name, _ in asked if name is not None}))
    if model == OFFLINE:
        _refuse_others(named)
        return Answering(OfflineModels(), NoPeople())
    if OFFLINE in named:
        raise RunError(
            "an agent asks the offline rules by name, and this run asks a language model",
            help="`model: offline` belongs to the workflow, where --model can replace it",
        )
    provider = ProviderModels(model, base_url, timeout, objects=objects, settings=settings)
    if needed:
        provider.prepare(asked)
    return Answering(provider, NoPeople())


def _refuse_others(named: tuple[str, ...]) -> None:
    """Raise `RunError` where the rules would answer in the place of a language model."""
    others = [name for name in named if name != OFFLINE]
    if others:
        raise RunError(
            f"an agent asks `{others[0]}` by name, and the offline rules are not a language model",
            help="--model provider:name for the others; its own `model` key says who it asks",
        )


@dataclass(frozen=True, slots=True)
class NoModels:
    """For workflows that call no model."""

    label: str = "no model"
    is_model: bool = False

    async def reply(self, request: ModelRequest) -> ModelReply:
        raise Failure(f"`{request.node}` asks a model, and none was chosen", help=CHOICES)
