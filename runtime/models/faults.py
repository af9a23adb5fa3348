"""The fault of a model call: in the provider's words, and whether to try again."""

from __future__ import annotations

import datetime
import email.utils
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flowc.compiler.ir import ErrorKind

from ..charges import Usage
from ..net.answers import OutOfBounds, refusal_in
from ..secrets import redact, secret_values

RETRIED_STATUS = frozenset({429, 500, 502, 503, 504})
KEY_VARIABLES: dict[str, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "cohere": "COHERE_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "fireworks": "FIREWORKS_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "perplexity": "PPLX_API_KEY",
    "together": "TOGETHER_API_KEY",
    "xai": "XAI_API_KEY",
}
_ERROR_ROOTS = (
    ("openai", "OpenAIError"),
    ("anthropic", "AnthropicError"),
    ("httpx", "HTTPError"),
    ("httpx2", "HTTPError"),
    ("google.genai.errors", "APIError"),
    ("mistralai.models", "SDKError"),
    ("groq", "GroqError"),
)
_UNREADABLE = (
    OSError,
    TimeoutError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    RecursionError,
    OutOfBounds,
)
_NO_CONNECTION = ("ConnectError", "ConnectTimeout", "ClientConnectorError", "gaierror")
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|gsk|xai|AIza)[-_A-Za-z0-9*]{8,}")
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class ModelError:
    """One failed attempt: its message, whether to `retry`, how long the provider asks to wait
    (seconds, None when it says nothing) and what the user can do. `lost` says that an answer may
    have been made, and charged, that did not arrive."""

    text: str
    retry: bool
    kind: ErrorKind = "failure"
    wait: float | None = None
    help: str = ""
    lost: bool = False


class Malformed(ValueError):
    """An answer that is not what the protocol promises; with its usage, where it says so."""

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage


def provider_errors() -> tuple[type[BaseException], ...]:
    """Return what a model call may raise: the error classes of the providers that are loaded,
    failing connections, what LangChain raises for an answer it cannot read, and what we do for one
    that nobody should."""
    roots = []
    for module, name in _ERROR_ROOTS:
        error = getattr(sys.modules.get(module), name, None)
        if isinstance(error, type) and issubclass(error, BaseException):
            roots.append(error)
    return (*roots, *_UNREADABLE)


def describe(error: BaseException, provider: str, where: str) -> ModelError:
    """Return the fault behind an exception. 429, 5xx, time-outs, lost connections and malformed
    answers may be tried again; other refusals never. `where` is the server, for the help."""
    refused = refusal_in(error)
    if refused is not None:
        return ModelError(_clean(refused), False, help=refused.help, lost=True)
    status = _status(error)
    if status is not None:
        return _refusal(error, status, provider)
    name = type(error).__name__
    if isinstance(error, TimeoutError) or "Timeout" in name:
        text = "the model did not answer in time"
        return ModelError(text, True, "timeout", lost=not _never_arrived(error))
    if isinstance(error, OSError) or "Connect" in name or "Transport" in name or "Network" in name:
        return ModelError(
            f"no connection to {where}: {_clean(error)}",
            True,
            help=f"is a server running at {where}?",
            lost=not _never_arrived(error),
        )
    if "Protocol" in name:
        return ModelError(f"the connection broke: {_clean(error)}", True, lost=True)
    return ModelError(f"the answer cannot be read: {_clean(error)}", True, lost=True)


def _never_arrived(error: BaseException | None) -> bool:
    """Tell whether there was no connection, so that nothing was asked."""
    while error is not None:
        if isinstance(error, ConnectionRefusedError) or type(error).__name__ in _NO_CONNECTION:
            return True
        error = error.__cause__ or error.__context__
    return False


def _refusal(error: BaseException, status: int, provider: str) -> ModelError:
    words = _provider_words(error)
    text = f"{provider} answered {status}: {words}"
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    if status == 429 and "insufficient_quota" in (getattr(error, "code", None) or words):
        return ModelError(text, False, help="the account has no credit left")
    if status in RETRIED_STATUS:
        return ModelError(text, True, wait=retry_after(headers))
    variable = KEY_VARIABLES.get(provider, "the provider's API key")
    helps = {
        400: "the server refuses the request as it is; the model may not support tools",
        401: f"check {variable}",
        403: f"the key in {variable} may not use this model",
        404: "check the name of the model and --base-url",
        413: "the conversation is too long for the model",
    }
    return ModelError(text, False, help=helps.get(status, ""))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header (a number or a date) or of `retry-after-ms`; None
    without."""
    lower = {str(key).lower(): value for key, value in headers.items()}
    try:
        if "retry-after-ms" in lower:
            return max(0.0, float(lower["retry-after-ms"]) / 1000)
        if "retry-after" not in lower:
            return None
        value = lower["retry-after"].strip()
        if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", value):
            return float(value)
        when = email.utils.parsedate_to_datetime(value)
        if when.tzinfo is None:
            when = when.replace(tzinfo=datetime.UTC)
        return max(0.0, (when - datetime.datetime.now(datetime.UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


def _status(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 400 <= value <= 599:
                return value
    return None


def _provider_words(error: BaseException) -> str:
    body: Any = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict) and isinstance(inner.get("message"), str):
            return _clean(inner["message"])
    return _clean(error)


def _clean(message: object) -> str:
    """Return one line, without keys, not endless."""
    text = " ".join(str(message).split()) or type(message).__name__
    text = _KEY_SHAPE.sub("[redacted]", redact(text, secret_values(os.environ)))
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
