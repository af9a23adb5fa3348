"""The budget of a run, from what its caller chose and the configuration says."""

from __future__ import annotations

from collections.abc import Callable

from flowc.compiler.lowering.graphspec import GraphSpec, agent_asked

from ..budget.budget import RunBudget, caller_caps
from ..config.prices import Prices, how_to_price, picodollars, read_dollars
from ..config.settings import Config
from ..errors import RunError


def budget_of(
    specs: tuple[GraphSpec, ...],
    config: Config,
    model: str | None,
    base_url: str | None,
    max_tokens: int | None,
    max_cost: str | None,
) -> Callable[[], RunBudget]:
    """How the budget of one run is made; `max_cost` is in dollars. Raises `RunError` for a limit on
    cost, the caller's or the workflow's, where a model may be called that has no price."""
    most = None if max_cost is None else picodollars(read_dollars(max_cost))
    caps = caller_caps(max_tokens, most)
    prices = Prices(config.prices, base_url)

    def budget() -> RunBudget:
        return RunBudget(prices, model or "", caps, config.max_output_tokens)

    if model and (most is not None or _limits_cost(specs)):
        for name in _models(specs, budget()):
            if prices.of(name) is None:
                raise RunError(
                    f"there is no price for `{name}`, so a limit on cost cannot be kept",
                    help=how_to_price(name),
                )
    return budget


def _limits_cost(specs: tuple[GraphSpec, ...]) -> bool:
    limits = (m for s in specs for m in (*s.limits, *(m for n in s.nodes for m in n.limits)))
    return any(limit.name == "cost" for limit in limits)


def _models(specs: tuple[GraphSpec, ...], budget: RunBudget) -> tuple[str, ...]:
    """Every model that may be called, as `provider:name`."""
    agents = (agent_asked(node.op, spec) for spec in specs for node in spec.nodes)
    return tuple(dict.fromkeys(budget.full_name(a.model) for a in agents if a is not None))
