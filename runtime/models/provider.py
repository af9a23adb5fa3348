"""Language models through LangChain's `init_chat_model`, with retries of our own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from flowc.compiler.catalog.model_settings import client_fields, unknown_settings
from flowc.compiler.ir import QuestionSettings

from ..checkpoints.keys import name_in_streams
from ..config.extras import EXTRAS, missing
from ..config.options import default
from ..context import EFFECT_KEY, HERE
from ..errors import Failure, RunError, describe_exception, one_line
from ..services import ModelReply, ModelRequest
from ..state.frames import BadFrame, read_frame
from .answer_bounds import (
    LONGEST_NAME,
    AnswerGauge,
    LoopTurn,
    client_settings,
    require_few,
    usage_of,
)
from .faults import KEY_VARIABLES, Malformed, ModelError, describe, provider_errors
from .messages import ToolNames, text_of, to_function, to_langchain

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import RunnableConfig

Asked: TypeAlias = tuple[str | None, QuestionSettings | None]
"""A model that a node asks, None for the run's, and the settings of its questions."""
_PLACEHOLDER_KEY = "none"
"""Sent to a server given with --base-url when no key is set: local servers ask for none."""
_TAKE_HEADERS = frozenset({"openai", "azure_openai", "anthropic"})
"""Providers whose LangChain client passes on headers of a single call."""
_TAKE_CLIENTS = frozenset({"openai", "azure_openai"})
"""Providers whose LangChain client takes an HTTP client of ours."""
_TOLD_TO_COUNT = frozenset({"openai", "azure_openai"})
"""Providers whose client, against another server than their own, counts the tokens of a stream only
when it is told to."""
_BOUND_BY = {
    "google_genai": "max_output_tokens",
    "google_vertexai": "max_output_tokens",
    "ollama": "num_predict",
    "ibm": "max_completion_tokens",
}
"""The providers' names for the bound of an answer, where it is not `max_tokens`."""
_HOW_TO_NAME = "write provider:name, as in openai:gpt-5-mini or anthropic:claude-sonnet-5"


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often and after which waits a call is tried again. Waits double from `first` up to
    `longest` seconds, shortened at random by up to a half; when a provider asks for more than
    `longest`, the call fails."""

    attempts: int = 5
    first: float = 1.0
    longest: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random

    def wait(self, attempt: int, requested: float | None) -> float:
        """Return the seconds to wait after the failed attempt number `attempt` (from 1)."""
        if requested is not None:
            return requested
        whole = min(self.longest, self.first * 2.0 ** (attempt - 1))
        return whole * (0.5 + self.random() / 2)


@dataclass(slots=True)
class ProviderModels:
    """Calls `model` ("provider:name"), or the model that an agent names. `timeout` bounds one
    attempt, in seconds. `objects` are models that the host program holds, by name; of others a
    client is made. `settings` (temperature, …) go with every call; those of a request are in the
    fields of its client."""

    model: str
    base_url: str | None = None
    timeout: float = default("model_timeout")
    backoff: Backoff = Backoff()
    objects: Mapping[str, BaseChatModel] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    is_model: bool = True
    _own: dict[str, BaseChatModel] = field(default_factory=dict)
    _clients: dict[tuple[str, QuestionSettings | None], BaseChatModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, model in self.objects.items():
            self._own[name] = self._own[self._full_name(name)] = model

    @property
    def label(self) -> str:
        return f"{self.model} at {self.base_url}" if self.base_url else self.model

    def prepare(self, asked: Iterable[Asked] = ()) -> None:
        """Make the clients of the run's model and of those that nodes ask. Raise `RunError` when a
        provider's package or key is missing, or when it has no name for a setting, so that nothing
        starts that cannot go on."""
        wanted: list[Asked] = [(None, None), *asked]
        named = [(self._full_name(model or self.model), settings) for model, settings in wanted]
        for name, settings in named:
            _client_fields(name, settings)
        for name, settings in named:
            self._client(name, settings)

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return one answer, tried again as `Backoff` says. Raise `Failure` (failure or
        timeout)."""
        name = self._full_name(request.model or self.model)
        for attempt in range(1, self.backoff.attempts + 1):
            try:
                async with asyncio.timeout(_seconds(request.settings, self.timeout)):
                    return await self._once(request, name)
            except provider_errors() as error:
                fault = describe(error, name.partition(":")[0], self.base_url or "the provider")
                wait = self.backoff.wait(attempt, fault.wait)
                last = attempt == self.backoff.attempts
                again = fault.retry and not last and wait <= self.backoff.longest
                if fault.lost and request.grant is not None:
                    await request.grant.charge_lost_attempt(again, getattr(error, "usage", None))
                if not again:
                    raise _failure(fault, attempt) from error
            except Exception as error:  # the host's own model may raise anything
                if name not in self._own:
                    raise
                raise Failure(f"the model `{name}` raised {describe_exception(error)}") from error
            if request.on_retry:
                request.on_retry(attempt, fault.text, wait)
            await self.backoff.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _once(self, request: ModelRequest, name: str) -> ModelReply:
        names = ToolNames(tuple(tool.name for tool in request.tools))
        wanted, grant = request.settings, request.grant
        model: Any = self._client(name, wanted)
        if wanted is not None and wanted.stop:
            model = model.bind(stop=list(wanted.stop))
        if self.settings and not request.tools:
            model = model.bind(**self.settings)
        if request.tools:
            functions = [to_function(tool, names) for tool in request.tools]
            forced = {"tool_choice": names.outer(request.force_tool)} if request.force_tool else {}
            model = model.bind_tools(functions, **forced, **self.settings)
        if (key := EFFECT_KEY.get()) and name.partition(":")[0] in _TAKE_HEADERS:
            model = model.bind(extra_headers={"Idempotency-Key": key})
        longest = grant.max_tokens if grant is not None else None
        if longest is not None:
            model = model.bind(**_output_bound(name, self.base_url, longest))
        messages = to_langchain(request.messages, names)
        if request.on_text is None:
            message = await model.ainvoke(messages, _config())
        else:
            if name.partition(":")[0] in _TOLD_TO_COUNT:
                model = model.bind(stream_usage=True)
            message = await _stream(model, messages, request.on_text)
        return _reply(message, name, names)

    def _full_name(self, model: str) -> str:
        """Return `provider:name`; without a provider that of the run's model."""
        provider, colon, _ = self.model.partition(":")
        return model if ":" in model or not colon else f"{provider}:{model}"

    def _client(self, name: str, settings: QuestionSettings | None = None) -> Any:
        """Return the client with the settings, or the host's own model bound to them."""
        fields = _client_fields(name, settings)
        if name in self._own:
            own = self._own[name]
            return own.bind(**fields) if fields else own
        key = (name, settings)
        if key not in self._clients:
            timeout = _seconds(settings, self.timeout)
            self._clients[key] = _open_client(name, self.base_url, timeout, fields)
        return self._clients[key]


def _seconds(settings: QuestionSettings | None, usual: float) -> float:
    """Return how long one attempt may take."""
    return usual if settings is None or settings.timeout is None else settings.timeout


def _client_fields(name: str, settings: QuestionSettings | None) -> dict[str, object]:
    """Return the fields of a client. Raise `RunError` for a setting that would be lost."""
    if settings is None:
        return {}
    provider = name.partition(":")[0]
    lost = ", ".join(f"`{setting}`" for setting in unknown_settings(provider, settings))
    if lost:
        raise RunError(
            f"the model `{name}` is asked with {lost}, which flowc cannot tell {provider}",
            help="leave it out of `settings:`, or name another model",
        )
    return client_fields(provider, settings)


def _config() -> RunnableConfig | None:
    """Return the configuration of a call that is streamed in the name of the user's node."""
    from langchain_core.runnables.config import ensure_config

    here = HERE.get()
    if here is None or here.outermost is None:
        return None
    known = ensure_config().get("metadata") or {}
    return {"metadata": {**known, **name_in_streams(here.outermost)}}


async def _stream(model: Any, messages: Any, on_text: Callable[[str], None]) -> AIMessage:
    whole: Any = None
    gauge = AnswerGauge()
    turn = LoopTurn()
    async for chunk in model.astream(messages, _config()):
        text = text_of(chunk)
        gauge.take(text, getattr(chunk, "tool_call_chunks", []))
        if text:
            on_text(text)
        whole = chunk if whole is None else whole + chunk
        await turn.give()
    if whole is None:
        raise Malformed("the stream ended before it began")
    # A model that does not stream gives its answer in one piece, which is whole.
    pieces = getattr(whole, "tool_call_chunks", ())
    for call in () if _is_cut(whole) else pieces:
        # LangChain completes cut-off JSON by guessing; half an argument list must not be called.
        if not _is_object(call.get("args") or "{}"):
            text = f"the arguments of the call of `{call.get('name')}` are not JSON"
            raise Malformed(text, usage_of(whole.usage_metadata))
    answer: AIMessage = whole
    return answer


def _is_object(text: str) -> bool:
    try:
        return isinstance(read_frame(text), dict)
    except BadFrame:
        return False


def _reply(message: AIMessage, name: str, names: ToolNames) -> ModelReply:
    """Return the answer. Raise `Malformed` for calls whose arguments are not JSON."""
    usage = usage_of(message.usage_metadata)
    told = str(message.response_metadata.get("model_name") or name.partition(":")[2])
    model, id = told[:LONGEST_NAME], (message.id or "")[:LONGEST_NAME]
    require_few(len(message.tool_calls))
    if _is_cut(message):
        return ModelReply(text_of(message), (), usage, model, cut=True)
    if message.invalid_tool_calls:
        call = message.invalid_tool_calls[0]
        raise Malformed(f"the arguments of the call of `{call.get('name')}` are not JSON", usage)
    calls = tuple(
        {
            "id": call["id"] or f"call_{number}",
            "name": names.inner(call["name"]),
            "args": call["args"],
        }
        for number, call in enumerate(message.tool_calls, start=1)
    )
    return ModelReply(text_of(message), calls, usage, model, id=id)


def _is_cut(message: AIMessage) -> bool:
    """Tell whether the answer broke off at the bound of its length."""
    about = message.response_metadata
    reason = about.get("finish_reason") or about.get("stop_reason") or about.get("done_reason")
    return str(reason).lower() in ("length", "max_tokens")


def _output_bound(model: str, base_url: str | None, tokens: int) -> dict[str, Any]:
    """Return the argument that bounds an answer. OpenAI has given it another name, which not every
    server of its protocol has learnt: those get both."""
    provider = model.partition(":")[0]
    bound: dict[str, Any] = {_BOUND_BY.get(provider, "max_tokens"): tokens}
    if provider == "openai" and base_url:
        bound["extra_body"] = {"max_tokens": tokens}
    return bound


def preload(model: str | None) -> None:
    """Load what the models of a provider need: that takes a second, better before somebody waits
    for an answer. A missing package is reported when a model is asked."""
    provider = (model or "").partition(":")[0]
    if not provider.isidentifier():
        return
    with contextlib.suppress(ImportError):
        import_module("langchain.chat_models")
        import_module(f"langchain_{provider}")
        if provider in _TAKE_CLIENTS:
            client_settings(None)


def _open_client(
    name: str, base_url: str | None, timeout: float, fields: Mapping[str, object]
) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    if not name:
        raise RunError("the model has no name", help=_HOW_TO_NAME)
    provider = name.partition(":")[0]
    settings: dict[str, Any] = {**fields, "max_retries": 0, "timeout": timeout}
    if base_url:
        settings["base_url"] = base_url
    if provider == "openai" and base_url and not os.environ.get("OPENAI_API_KEY"):
        settings["api_key"] = _PLACEHOLDER_KEY
    try:
        if provider in _TAKE_CLIENTS:
            settings |= client_settings(base_url)
        client: BaseChatModel = init_chat_model(name, **settings)
        return client
    except ImportError as error:
        raise _no_package(name, provider, error) from None
    except provider_errors() as error:
        raise _no_client(name, provider, error) from None


def _no_package(name: str, provider: str, error: ImportError) -> RunError:
    """Return the error for a provider whose package is missing; several providers share one."""
    module = getattr(error.__cause__, "name", None) or ""
    if not module.startswith("langchain_"):
        module = f"langchain_{provider}"
    if module in EXTRAS["openai"].modules:
        return missing("openai", f"the model `{name}`")
    package = module.partition(".")[0].replace("_", "-")
    return RunError(f"the model `{name}` needs {package}", help=f"pip install {package}")


def _no_client(name: str, provider: str, error: BaseException) -> RunError:
    variable = KEY_VARIABLES.get(provider)
    if variable and not os.environ.get(variable):
        return RunError(
            f"the model `{name}` needs a key, and {variable} is not set",
            help=f"export {variable}=…, or --base-url URL for a local server",
        )
    return RunError(f"the model `{name}` cannot be used: {one_line(error)}", help=_HOW_TO_NAME)


def _failure(fault: ModelError, attempts: int) -> Failure:
    tried = f" (tried {attempts} times)" if attempts > 1 else ""
    return Failure(fault.text + tried, fault.kind, help=fault.help)
