"""The price of a model call: from the package genai-prices, overridden by the configuration.

Money is counted in picodollars, whole numbers: a price in dollars per million tokens times a number
of tokens is exact, and sums do not drift.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import Any, Protocol

DOLLAR = 10**12
"""Picodollars of a dollar."""
_MILLION = 1_000_000
_PROVIDERS = {
    "anthropic_bedrock": "aws",
    "azure_ai": "azure",
    "azure_openai": "azure",
    "bedrock": "aws",
    "bedrock_converse": "aws",
    "google_genai": "google",
    "google_vertexai": "google",
    "mistralai": "mistral",
    "xai": "x-ai",
}
"""The names of providers in genai-prices, where LangChain has others."""


class Price(Protocol):
    """The price of one model."""

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> int:
        """Return picodollars, rounded up. `cached_tokens` are among the input's."""


@dataclass(frozen=True, slots=True)
class SetPrice:
    """A price from the configuration, in dollars per million tokens; cached input costs what other
    input does unless it has a price of its own."""

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> int:
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = max(input_tokens - cached_tokens, 0)
        dollars = self.input * fresh + cached * cached_tokens + self.output * output_tokens
        return picodollars(dollars / _MILLION)


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """A price that genai-prices knows; some models cost more above a number of input tokens."""

    model: Any

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> int:
        from genai_prices import Usage

        usage = Usage(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cache_read_tokens=min(cached_tokens, input_tokens),
        )
        total: Decimal = self.model.calc_price(usage)["total_price"]
        return picodollars(total)


@dataclass(slots=True)
class Prices:
    """Prices by `provider:model`. In the `configured` ones `provider:*` stands for every model of a
    provider. `base_url` is a server in the provider's place, whose prices are its own."""

    configured: Mapping[str, SetPrice] = field(default_factory=dict)
    base_url: str | None = None
    _known: dict[str, Price | None] = field(default_factory=dict)

    def is_known(self, model: str) -> bool:
        """Tell whether the price has been looked up before, so that it takes no time."""
        return model in self._known

    def of(self, model: str) -> Price | None:
        """Return the price of a model, or None. Load the package when it has to."""
        if model not in self._known:
            provider = model.partition(":")[0]
            own = self.configured.get(model) or self.configured.get(f"{provider}:*")
            self._known[model] = own or _find_listed(model, self.base_url)
        return self._known[model]


def _find_listed(model: str, base_url: str | None) -> Price | None:
    from datetime import UTC, datetime

    from genai_prices.data_snapshot import get_snapshot

    provider, _, name = model.partition(":")
    where = (None, base_url) if base_url else (_PROVIDERS.get(provider, provider), None)
    try:
        _, model_info = get_snapshot().find_provider_model(name, None, *where)
        price = ListedPrice(model_info.get_prices(datetime.now(UTC)))
        price.cost(1, 1)
    except (LookupError, ValueError, TypeError):
        return None  # not listed, or priced by something else than tokens
    return price


def picodollars(dollars: Decimal) -> int:
    """Return a sum of money as a whole number, rounded up."""
    return int((dollars * DOLLAR).to_integral_value(ROUND_CEILING))


def read_dollars(value: object) -> Decimal:
    """Read an amount as people write it: `0.25`, `"0.25"`, `$0.25`. Raise `ValueError` unless it is
    a number from 0 to a million."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("no number")
    try:
        amount = Decimal(str(value).strip().removeprefix("$"))
    except InvalidOperation:
        raise ValueError("no number") from None
    if not amount.is_finite() or not 0 <= amount <= _MILLION:
        raise ValueError("out of range")
    return amount


def dollars(amount: int) -> str:
    """Return `$1.25`, `$0.0031`, `$0.00`; less than a hundredth of a cent is `<$0.0001`."""
    value = Decimal(amount) / DOLLAR
    if 0 < value < Decimal("0.0001"):
        return "<$0.0001"
    return f"${value:.2f}" if value >= 1 or not value else f"${value:.4f}"


def how_to_price(model: str) -> str:
    """Return what to write for a model without a price."""
    return (
        "write what it costs into flowc.toml, in dollars per million tokens:\n"
        f'[prices."{model}"]\ninput = 0.25\noutput = 2.00'
    )
