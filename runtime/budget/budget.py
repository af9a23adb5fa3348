"""Budgets: what model calls may use up, reserved before a call and settled after it.

    reserve   the worst case of the call is taken from every budget that it counts in
       │ ├──── settle     the provider's own numbers take its place
       │ ├──── release    the call was refused: it cost nothing
       │ └──── let go     cut off: nobody knows what it cost, so the worst case stays
       └ (no room)        wait for the calls under way; when there are none, the limit is reached
                          and nothing is called

Branches that run side by side share their budgets, because all of a run's calls go through one
`RunBudget` in the one process that executes the run. Between two awaits nothing else looks at it,
so it needs no lock.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..charges import BudgetScope, Cap, Charge, ChargeLedger, Estimate, Measure, Usage
from ..config.prices import DOLLAR, Price, Prices, dollars, how_to_price
from ..errors import Failure, LimitReached, RunError
from ..services import ModelReply
from .ledger import usage_of

MOST_OUTPUT = 32_768
"""Tokens that an answer may have under a limit when nobody says how long it may be."""
LEAST_OUTPUT = 16
"""Tokens of an answer below which a call is not worth its question."""
_NOTHING, _PLENTY = -1, sys.maxsize
"""The room for an answer where there is not even room for the question, and where it is free."""


@dataclass(slots=True)
class Held:
    """A call under way, and what is reserved for it. `max_tokens` bounds its answer (None: nothing
    does); `tight` is the limit that makes it shorter than it might be."""

    budget: RunBudget
    number: int
    want: Estimate
    charge: Charge
    max_tokens: int | None = None
    tight: tuple[BudgetScope, Cap] | None = None

    async def settle(self, reply: ModelReply) -> Charge:
        """Put what the call really used in the place of the worst case. Raise as `reserve` does
        when the answer, which is paid and counts as such, has more characters than are left."""
        budget, charge = self.budget, await self.budget._charge_of(self, reply)
        budget._put(self.number, replace(charge, chars=0))
        over = [
            (scope, cap)
            for scope, cap in self.want.caps
            if cap.measure == "chars" and budget.left(scope, cap) < charge.chars
        ]
        if not over:
            budget._put(self.number, charge)
        self.let_go()
        await budget._write(self.number, later=True)
        if over:
            raise budget._limit_error(self.want, *over[0])
        return charge

    async def release(self) -> None:
        """Give back what a refused call holds: it cost nothing. One let go before stays spent."""
        budget = self.budget
        if self.number not in budget._held:
            return
        budget._count(budget._charges.pop(self.number), -1)
        self.let_go()
        if self.want.model and budget.ledger is not None:
            await budget.ledger.strike(self.number)

    def let_go(self) -> None:
        """Count the call as over; what is charged for it stays. Those that wait look again."""
        self.budget._held.pop(self.number, None)
        waiting, self.budget._waiting = self.budget._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def cut_short(self) -> Failure | LimitReached:
        """Return why an answer broke off that had all the tokens it might have."""
        if self.tight is not None:
            return self.budget._limit_error(self.want, *self.tight)
        return Failure(
            f"the answer broke off after {self.max_tokens:,} tokens, which is all it may have",
            "limit",
            help="`max_tokens` below `settings:`, or max_output_tokens in flowc.toml, bounds it",
        )

    async def charge_lost_attempt(self, again: bool, usage: Usage | None = None) -> None:
        """Keep as spent what is reserved for an attempt whose answer was lost on its way, unless it
        is known what it used: it may have been paid. For another attempt (`again`) reserve as much
        once more; raise as `RunBudget.reserve` does when there is no room."""
        if usage is not None and usage.input_tokens:
            await self.settle(ModelReply("", usage=usage))
        self.let_go()
        if again:
            fresh = await self.budget.reserve(self.want)
            self.number, self.charge = fresh.number, fresh.charge
            self.max_tokens, self.tight = fresh.max_tokens, fresh.tight
            self.budget._held[self.number] = self


@dataclass(slots=True)
class RunBudget:
    """The charges and limits of one run. `model` is the run's own, `caps` are the caller's limits
    of the whole run, `max_output` bounds every answer (tokens; None: no bound). Without a ledger
    everything is forgotten with the process."""

    prices: Prices = field(default_factory=Prices)
    model: str = ""
    caps: tuple[Cap, ...] = ()
    max_output: int | None = None
    ledger: ChargeLedger | None = None
    _charges: dict[int, Charge] = field(default_factory=dict)
    _used: dict[str, Counter[str]] = field(default_factory=dict)
    _held: dict[int, Held] = field(default_factory=dict)
    _since: dict[tuple[str, str], int] = field(default_factory=dict)
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)
    _numbers: int = 0

    async def open(self, ledger: ChargeLedger, *, blank: bool = False) -> None:
        """Go on from what the run has used up before: nothing, where it is `blank`."""
        self.ledger = ledger
        if blank:
            return
        self._since = await ledger.renewals()
        for number, charge in (await ledger.charges()).items():
            self._put(number, charge)
            self._numbers = number

    def full_name(self, model: str | None) -> str:
        """Return `provider:name` of the model that an agent names; without one the run's."""
        if model is None or ":" in model or ":" not in self.model:
            return model or self.model
        return f"{self.model.partition(':')[0]}:{model}"

    async def reserve(self, want: Estimate, *, later: bool = False) -> Held:
        """Take the worst case from every scope; while other calls hold what this one needs, wait
        for them. `later`: it is written with what comes next, `Journal.begin`. Raise `Failure` of
        kind limit, or `LimitReached`, when there is no room."""
        price = await self._price(want.model)
        if price is None and want.model and any(cap.measure == "cost" for _, cap in want.caps):
            raise RunError(f"there is no price for `{want.model}`", help=how_to_price(want.model))
        while not isinstance(held := self._fit(want, price), Held):
            scope, cap = held
            if not self._is_held(scope):
                raise self._limit_error(want, scope, cap)
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self._held[held.number] = held
        self._put(held.number, held.charge)
        try:
            if want.model:
                await self._write(held.number, later=later)
        except BaseException:
            self._count(self._charges.pop(held.number), -1)
            held.let_go()
            raise
        return held

    async def renew(self, scope: str, name: str, used: int | None = None) -> None:
        """Let a limit of the program that stopped the run count anew from here, or from `used`."""
        if used is None:
            used = self._used.get(scope, Counter())[name]
        self._since[scope, name] = used
        if self.ledger is not None:
            await self.ledger.renew(scope, name, used)

    def since(self, scope: str, name: str) -> int:
        """Return from where a limit of the program counts."""
        return self._since.get((scope, name), 0)

    def left(self, scope: BudgetScope, cap: Cap) -> int:
        """Return what a limit leaves; below 0 when more was used than there was."""
        since = 0 if cap.caller else self.since(scope.key, cap.measure)
        return cap.bound - (self._used.get(scope.key, Counter())[cap.measure] - since)

    def left_of(self, want: Estimate) -> dict[str, float]:
        """Return what the limits on a call leave, by what they measure: the least where there are
        several. Cost in dollars."""
        least: dict[str, float] = {}
        for scope, cap in want.caps:
            left = max(self.left(scope, cap), 0)
            amount = left / DOLLAR if cap.measure == "cost" else left
            least[cap.measure] = min(amount, least.get(cap.measure, amount))
        return least

    def used(self) -> Usage:
        """Return what all calls of the run used up together."""
        return usage_of(self._charges.values())

    def _fit(self, want: Estimate, price: Price | None) -> Held | tuple[BudgetScope, Cap]:
        """Return a reservation, or the limit that leaves no room for one. The answer may be as long
        as it might be anyway; it is cut shorter only when waiting for other calls would not help.
        """
        rooms = [(self._room(want, scope, cap, price), scope, cap) for scope, cap in want.caps]
        most = self._longest(want) if want.model else 0
        if most is None and any(cap.measure != "chars" for _, _, cap in rooms):
            most = MOST_OUTPUT
        if not rooms:
            return self._hold(want, price, most)
        room, scope, cap = min(rooms, key=lambda one: one[0])
        if room >= (most or 0):
            return self._hold(want, price, most)
        if room < LEAST_OUTPUT or self._is_held(scope):
            return scope, cap
        return self._hold(want, price, room, (scope, cap))

    def _longest(self, want: Estimate) -> int | None:
        """Return how many tokens an answer may have, None where nobody says so."""
        bounds = [bound for bound in (self.max_output, want.max_output) if bound is not None]
        return min(bounds, default=None)

    def _room(self, want: Estimate, scope: BudgetScope, cap: Cap, price: Price | None) -> int:
        """Return how many tokens of answer a limit leaves to a call."""
        left = self.left(scope, cap)
        if left <= 0:
            return _NOTHING
        match cap.measure:
            case "tokens":
                return max(left - want.input_tokens, _NOTHING)
            case "cost" if price is not None:
                return _affordable(left, want.input_tokens, price)
            case _:
                return _PLENTY

    def _hold(
        self,
        want: Estimate,
        price: Price | None,
        output: int | None,
        tight: tuple[BudgetScope, Cap] | None = None,
    ) -> Held:
        keys = tuple(scope.key for scope in want.scopes)
        cost = _cost(price, want.model, want.input_tokens, output or 0)
        charge = Charge(keys, want.model, want.input_tokens, output or 0, 0, cost, 0, "held")
        self._numbers += 1
        return Held(self, self._numbers, want, charge, output if want.model else None, tight)

    async def _charge_of(self, held: Held, reply: ModelReply) -> Charge:
        worst, usage, text = held.charge, reply.usage, _output_text(reply)
        if held.want.model and not (usage.input_tokens or usage.output_tokens):
            output = held.max_tokens or len(text.encode("utf-8", "replace"))
            usage = Usage(worst.input_tokens, output)
            status = "guessed"
        else:
            status = "told"
        price = await self._price(worst.model)
        tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        cost = _cost(price, worst.model, *tokens)
        return Charge(worst.scopes, worst.model, *tokens, cost, len(text), status)

    async def _price(self, model: str) -> Price | None:
        """Return the price of a model. The first question loads the whole list, so in a thread."""
        if not model:
            return None
        if self.prices.is_known(model):
            return self.prices.of(model)
        return await asyncio.to_thread(self.prices.of, model)

    def _is_held(self, scope: BudgetScope) -> bool:
        """Tell whether calls under way hold some of it."""
        held = (one.want for one in self._held.values() if one.want.model)
        return any(scope.key == other.key for want in held for other in want.scopes)

    def _put(self, number: int, charge: Charge) -> None:
        if number in self._charges:
            self._count(self._charges[number], -1)
        self._charges[number] = charge
        self._count(charge, 1)

    def _count(self, charge: Charge, sign: int) -> None:
        for key in charge.scopes:
            counts = self._used.setdefault(key, Counter())
            counts["tokens"] += sign * charge.tokens
            counts["cost"] += sign * (charge.cost or 0)
            counts["chars"] += sign * charge.chars

    async def _write(self, number: int, *, later: bool = False) -> None:
        if self.ledger is not None:
            await self.ledger.write(number, self._charges[number], later=later)

    def _limit_error(self, want: Estimate, scope: BudgetScope, cap: Cap) -> Failure | LimitReached:
        """Return the limit, with what is left of it and what the next call may take."""
        left = max(self.left(scope, cap), 0)
        message = f"{cap.whose} of {_amount(cap.measure, cap.bound)}"
        if left and cap.measure == "tokens" and left < want.input_tokens + LEAST_OUTPUT:
            need = f"the question alone may have {want.input_tokens:,}"
            message += f" leaves {left:,}, and {need}"
        elif left:
            message += f" is too little to go on: {_amount(cap.measure, left)} are left"
        else:
            message += " is used up"
        if cap.stops:
            return LimitReached(message, cap.measure, "" if cap.caller else scope.key)
        return Failure(message, "limit")


def _affordable(left: int, input_tokens: int, price: Price) -> int:
    """Return how many tokens of answer the money pays beside the question. A price that rises with
    the length of the question is that of this one; that of an answer is the same for every token.
    """
    question = price.cost(input_tokens, 0)
    million = price.cost(input_tokens, 1_000_000) - question
    if question > left:
        return _NOTHING
    if million <= 0:
        return _PLENTY
    return (left - question) * 1_000_000 // million


def _cost(price: Price | None, model: str, *tokens: int) -> int | None:
    """Return 0 without a model, None for a model without a price."""
    if not model:
        return 0
    return price.cost(*tokens) if price is not None else None


def _output_text(reply: ModelReply) -> str:
    """Return the text of a reply, and the arguments of the tools that it calls."""
    calls = (json.dumps(call.get("args"), ensure_ascii=False) for call in reply.tool_calls)
    return "".join((reply.text, *calls))


def _amount(measure: Measure, number: int) -> str:
    if measure == "cost":
        return dollars(number)
    word = "token" if measure == "tokens" else "character"
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def caller_caps(max_tokens: int | None, max_cost: int | None) -> tuple[Cap, ...]:
    """Return the limits that the person who runs a workflow sets for all of it; cost in
    picodollars."""
    whose = "this run's limit"
    bounds: Iterable[tuple[Measure, int | None]] = (("tokens", max_tokens), ("cost", max_cost))
    return tuple(Cap(m, bound, whose, True, True) for m, bound in bounds if bound is not None)
