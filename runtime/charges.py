"""What a model call uses up, and the limits that it counts in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Measure = Literal["tokens", "cost", "chars"]
MEASURES: tuple[Measure, ...] = ("tokens", "cost", "chars")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as the provider reports them (all 0: it reports none), or of all
    the calls of a run. `cached_tokens` are among those of the input. `cost` is in dollars, None
    when a price is not known; `estimated` says that some of it is the worst case."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    estimated: bool = False


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Cap:
    """One limit: at most `bound` tokens, picodollars or characters. `whose` is who has it, in
    words. One that `stops` has the run stop, to be resumed, instead of failing: the `caller`'s may
    be raised then, the program's counts anew from there."""

    measure: Measure
    bound: int
    whose: str
    stops: bool = False
    caller: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """What calls are counted for: a run, a called workflow's run, a node within one of them."""

    key: str
    caps: tuple[Cap, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A call that is about to be made: by which model (`provider:name`, "" for what is none), in
    which scopes (the outermost first), with at most how many tokens of input."""

    scopes: tuple[Scope, ...]
    model: str = ""
    input_tokens: int = 0

    @property
    def caps(self) -> list[tuple[Scope, Cap]]:
        """Every limit on the call, the innermost first."""
        return [(scope, cap) for scope in reversed(self.scopes) for cap in scope.caps]


@dataclass(frozen=True, slots=True)
class Charge:
    """One model call. `scopes` are the budgets it is charged to, the outermost first; `cost` is in
    picodollars, None without a price; `chars` are those of its answer. `status`: "held" is the
    worst case of a call under way or one that was cut off, "told" what the provider reported,
    "guessed" the worst case of a call whose provider reported nothing."""

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

    async def write(self, number: int, charge: Charge) -> None:
        """Keep a charge under its number, in the place of what it was before."""

    async def strike(self, number: int) -> None:
        """Forget a charge: its call was refused."""

    async def charges(self) -> dict[int, Charge]:
        """All charges, by number."""

    async def renew(self, scope: str, name: str, used: int) -> None:
        """Keep that a limit counts anew from `used`."""

    async def renewals(self) -> dict[tuple[str, str], int]:
        """From where limits count anew, by scope and name."""


class Grant(Protocol):
    """What a budget grants one model call: see runtime/budget/budget.py."""

    @property
    def max_tokens(self) -> int | None:
        """How many tokens the answer may have; None: nobody said."""

    async def lost(self, again: bool, usage: Usage | None = None) -> None:
        """An attempt was made whose answer was lost, so it may have been paid; `usage` is what it
        said that it used. `again`: another one follows, for which as much is granted anew. Raises
        as a limit does when there is not."""
