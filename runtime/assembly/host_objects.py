"""What the program that runs a workflow gives it as objects: models and tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import RunError, one_line

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ..models.answer_file import AnswerFile
    from ..tools.source import ToolSource


@dataclass(frozen=True, slots=True)
class HostObjects:
    """`models` by the name that answers a run (`provider:name`) or that an agent asks for; `tools`
    make the sources of a run's tools beside those of the configuration; `nodes` are the functions
    of nodes by name; `answers` are scripted answers in place of a model; `model_settings`
    (temperature, …) go with every call of a model. A host may have none of them. `vouches` grants
    what the project's folder and the workflow want."""

    models: Mapping[str, BaseChatModel] = field(default_factory=dict)
    tools: tuple[Callable[[], ToolSource], ...] = ()
    nodes: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    answers: AnswerFile | None = None
    model_settings: Mapping[str, object] = field(default_factory=dict)
    vouches: bool = False


NO_OBJECTS = HostObjects()


def model_name(model: object, argument: str = "model") -> str:
    """Return the name of a model as an option says it: `openai:gpt-5-mini`. Raise `RunError` for an
    argument that is not a chat model."""
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        kind = "a chat model of LangChain's" + " or a name" * (argument == "model")
        raise RunError(
            f"`{argument}` is {kind}, not {one_line(repr(model), 60)}",
            help="a name is written provider:name" if argument == "model" else "",
        )
    provider = type(model).__module__.partition(".")[0].removeprefix("langchain_")
    for field_name in ("model_name", "model", "model_id"):
        if name := getattr(model, field_name, None):
            return f"{provider}:{name}"
    return f"{provider}:{type(model).__name__}"


def script_of(answers: Mapping[str, object]) -> AnswerFile:
    """Return scripted answers from what a file of them would hold. Raise `RunError` for a fault."""
    import yaml

    from ..models.answer_file import parse_script

    try:
        text = yaml.safe_dump(dict(answers), sort_keys=False, allow_unicode=True)
    except yaml.YAMLError as error:
        raise RunError(f"the answers hold what a file of answers cannot: {error}") from None
    return parse_script(text, "the answers")
