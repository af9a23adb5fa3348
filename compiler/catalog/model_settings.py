"""The settings of questions to models: what holds for a node, and a provider's names for them."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from ..ir import Agent, AgentNode, QuestionSettings, TaskNode
from ..source.spelling import Spelling

_OPENAI = {"temperature": "temperature", "top_p": "top_p", "reasoning": "reasoning_effort",
           "seed": "seed"}  # fmt: skip
FIELDS: dict[str, dict[str, str]] = {
    "anthropic": {"temperature": "temperature", "top_p": "top_p", "reasoning": "reasoning_effort"},
    "azure_openai": _OPENAI,
    "deepseek": _OPENAI,
    "google_genai": {"temperature": "temperature", "top_p": "top_p",
                     "reasoning": "reasoning_effort", "seed": "seed"},
    "groq": {"temperature": "temperature", "top_p": "model_kwargs.top_p",
             "reasoning": "reasoning_effort", "seed": "model_kwargs.seed"},
    "mistralai": {"temperature": "temperature", "top_p": "top_p", "seed": "random_seed"},
    "ollama": {"temperature": "temperature", "top_p": "top_p", "reasoning": "reasoning",
               "seed": "seed"},
    "openai": _OPENAI,
    "xai": _OPENAI,
}  # fmt: skip
"""A provider's settings by the fields of its class in LangChain; `a.b` is the entry `b` of the
mapping `a`. Of another provider only what all classes have in common is known."""
OFFLINE = "offline"
OFFLINE_ROLES = ("planner", "code_generation", "error_analyzer")
"""The agents that the offline rules can be."""
_COMMON = {"temperature": "temperature"}
_ELSEWHERE = frozenset({"max_tokens", "stop", "timeout"})
"""Settings that every provider takes, each in a way of its own."""


_PROVIDERS = Spelling((*FIELDS, "bedrock", "cohere", "fireworks", "google_vertexai", "huggingface",
                       "nvidia", "openrouter", "perplexity", "together"))  # fmt: skip
_OTHER_NAMES = {
    "azure": "azure_openai", "claude": "anthropic", "gemini": "google_genai", "gpt": "openai",
    "google": "google_genai", "grok": "xai", "mistral": "mistralai", "chatgpt": "openai",
}  # fmt: skip


def model_meant(name: str) -> str | None:
    """Return the name that was probably meant by one whose provider is misspelt, or stands before
    another sign than a colon; None where nothing is known to be wrong with it."""
    provider, sign, model = name.partition(":")
    if not sign:
        if name.lower() == OFFLINE != name:
            return OFFLINE
        provider, sign, model = re.sub(r"\s*[/ ]\s*", ":", name.strip(), count=1).partition(":")
        return f"{provider}:{model}" if sign and provider in FIELDS else None
    if provider in _PROVIDERS:
        return None
    known = provider.strip().lower().replace("-", "_")
    near = _OTHER_NAMES.get(known) or (known if known in FIELDS else _PROVIDERS.nearest(known))
    return f"{near}:{model.strip()}" if near else None


def models_for(agent: Agent, node: AgentNode | TaskNode) -> tuple[str, ...]:
    """Return the models that a node asks one after another, none for the run's own."""
    own = node.models if isinstance(node, AgentNode) else ()
    return own or agent.models


def settings_for(agent: Agent, node: AgentNode | TaskNode) -> QuestionSettings | None:
    """Return what goes with a node's questions: its own settings over those of its agent."""
    own = node.settings if isinstance(node, AgentNode) else None
    if own is None or agent.settings is None:
        return own or agent.settings
    return replace(agent.settings, span=own.span, **set_in(own))


def set_in(settings: QuestionSettings) -> dict[str, Any]:
    """Return the settings that are set, by name."""
    values = {f.name: getattr(settings, f.name) for f in fields(settings) if f.name != "span"}
    return {name: value for name, value in values.items() if value is not None and value != ()}


def client_fields(provider: str, settings: QuestionSettings) -> dict[str, object]:
    """Return the settings that a provider's class has as fields, by the names of these."""
    known = FIELDS.get(provider, _COMMON)
    found: dict[str, object] = {}
    for name, value in set_in(settings).items():
        outer, _, inner = known.get(name, "").partition(".")
        if inner:
            entries = found.setdefault(outer, {})
            assert isinstance(entries, dict)
            entries[inner] = value
        elif outer:
            found[outer] = value
    return found


def unknown_settings(provider: str, settings: QuestionSettings) -> tuple[str, ...]:
    """Return the settings for which a provider has no name, or none that is known here."""
    known = {*FIELDS.get(provider, _COMMON), *_ELSEWHERE}
    return tuple(name for name in set_in(settings) if name not in known)
