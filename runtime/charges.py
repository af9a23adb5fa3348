"""Usage and charges of model calls, and the limits that they count in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Measure = Literal["tokens", "cost", "chars"]
MEASURES: tuple[Measure, ...] = ("tokens", "cost", "chars")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as the provider reports them (all 0: it reports none), or of all
    calls of a run. `input_tokens` include `cached_tokens`. `cost` is in dollars, None when a price
    is not known; `estimated`: some of it is the worst case."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    estimated: bool = False


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Cap:
    """One limit: at most `bound` tokens, picodollars or characters. `whose` names its owner for
    people. A limit that `stops` makes the run stop, resumable, instead of failing: the `caller` may
    raise his limit then; a limit of the program counts anew from there."""

    measure: Measure
    bound: int
    whose: str
    stops: bool = False
    caller: bool = False


@dataclass(frozen=True, slots=True)
class BudgetScope:
    """A run, a called workflow's run, or a node within one of them, that calls are charged to."""

    key: str
    caps: tuple[Cap, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """The next call: its scopes (the outermost first), its model (`provider:name`, "" for what is
    not a model), the most tokens that its input can have, and those that its answer may have where
    whoever asks says so."""

    scopes: tuple[BudgetScope, ...]
    model: str = ""
    input_tokens: int = 0
    max_output: int | None = None

    @property
    def caps(self) -> list[tuple[BudgetScope, Cap]]:
        """Every limit on the call, the innermost first."""
        return [(scope, cap) for scope in reversed(self.scopes) for cap in scope.caps]


@dataclass(frozen=True, slots=True)
class Charge:
    """The charge of one model call to `scopes`, the outermost first. `cost` is in picodollars, None
    without a price; `chars` counts the answer's characters. `status`: "held" is the worst case of a
    call that is under way or was cut off, "told" the usage that the provider reported, "guessed"
    the worst case of a call whose provider reported nothing."""

    scopes: tuple[str, ...] = ()
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: int | None = 0
    chars: int = 0
    status: str = "told"

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class ChargeLedger(Protocol):
    """Keeps the charges of one run. One process at a time writes them."""

    async def write(self, number: int, charge: Charge, *, later: bool = False) -> None:
        """Keep a charge under its number, instead of the earlier one; `later`, on the disk with
        what is written next."""

    async def strike(self, number: int) -> None:
        """Forget a charge: its call was refused."""

    async def charges(self) -> dict[int, Charge]:
        """Return all charges, by number."""

    async def renew(self, scope: str, name: str, used: int) -> None:
        """Keep that a limit counts anew from `used`."""

    async def renewals(self) -> dict[tuple[str, str], int]:
        """Return the usage that limits count anew from, by scope and name."""


class Grant(Protocol):
    """The room that a budget grants one model call: see runtime/budget/budget.py."""

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that the answer may have; None: without a limit."""

    async def charge_lost_attempt(self, again: bool, usage: Usage | None = None) -> None:
        """Charge an attempt whose answer was lost, which may have been paid; `usage` is what the
        provider reported. `again`: another attempt follows and gets as much room. Raise as a limit
        does when there is not enough."""
