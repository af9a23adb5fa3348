"""foreach: run a workflow for every element of a list, some at a time.

Every element has its own graph below the node, under its number, so that a run that died goes on
inside the elements that were under way. The journal holds the finished ones, which never run again.
Elements side by side end in an order that another execution does not repeat: the tape has it, and a
replay keeps to it.
"""

from __future__ import annotations

import asyncio
import bisect
from dataclasses import dataclass, field
from typing import Any, cast

from flowc.compiler.ir import ForeachNode
from flowc.compiler.lowering.graphspec import GraphSpec
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Interrupt

from ..context import CALL_PATH
from ..errors import Failure, LimitReached
from ..services import Json
from ..state.channels import STEPS, STEPS_BEFORE, outcome_in, variables_of
from .call import subgraph_inputs
from .visit.spending import inside
from .visit.visit import Done, Visit, assign

ITEMS, BEGUN, DONE = "items", "item begun", "item done"
"""The journal's names for the list, the elements that have begun, and their results."""


async def run(visit: Visit, op: ForeachNode) -> Done:
    """Return the results in the order of the elements. Raise `Failure` with the number of the
    element that failed, when the others under way have ended."""
    loop = _Loop(visit, op, await _items(visit, op))
    await loop.recall()
    await loop.run()
    values = [value for _, value in loop.values]
    total = len(loop.items)
    text = f"{len(values)} items" if len(values) == total else f"{len(values)} of {total} items"
    return Done({op.into: values}, {"$visits": {STEPS: 1 + loop.steps}}, text=text)


async def _items(visit: Visit, op: ForeachNode) -> list[Json]:
    """Return the list as it was when the node began."""
    entries = await visit.services.journal.entries(visit.runtime, ITEMS)
    if 0 in entries:
        return list(cast("list[Json]", entries[0]))
    items = visit.value(op.items)
    if not isinstance(items, list):
        raise Failure(f"`{visit.node.id}` goes through a list: this is {visit.scope.show(items)}")
    await visit.services.journal.keep(visit.runtime, ITEMS, 0, items)
    return items


@dataclass(slots=True)
class _Loop:
    """The elements of one visit. `values` are (place, result) in the order of the places, `steps`
    counts the nodes that ran in them, `held` the elements that wait for a person, which are under
    way too; `ended` are the others in the order in which they ended, the last with a result as
    number `order`; `then` are those left of a recording, the next one last."""

    visit: Visit
    op: ForeachNode
    items: list[Json]
    values: list[tuple[int, Json]] = field(default_factory=list)
    steps: int = 0
    begun: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    tasks: dict[asyncio.Task[tuple[Json, int]], int] = field(default_factory=dict)
    waiting: list[Interrupt] = field(default_factory=list)
    held: int = 0
    ended: list[int] = field(default_factory=list)
    order: int = 0
    then: list[int] = field(default_factory=list)
    stopped: Exception | None = None

    @property
    def spec(self) -> GraphSpec:
        return self.visit.setting.subgraphs[self.op.workflow]

    async def recall(self) -> None:
        """Take the results that the journal holds."""
        journal, runtime = self.visit.services.journal, self.visit.runtime
        done = cast("dict[int, dict[str, Any]]", await journal.entries(runtime, DONE))
        for place, entry in sorted(done.items(), key=lambda one: int(one[1]["order"])):
            self._take(place, entry["value"], entry["steps"])
            self.order = entry["order"]
        self.then = [p for p in self.visit.services.tape.items()[::-1] if p not in self.known]
        if self.op.until is not None:
            self.begun = set(await journal.entries(runtime, BEGUN))

    async def run(self) -> None:
        """Run until no element is left or under way. Raise what ends the visit."""
        places = iter([n for n in range(len(self.items)) if n not in self.known])
        place = next(places, None)
        try:
            while True:
                while place is not None and self._may_begin(place):
                    await self._begin(place)
                    place = next(places, None)
                if not self.tasks:
                    break
                task = await self._next()
                await self._end(self.tasks.pop(task), task)
        finally:
            if self.op.concurrency > 1:
                self.visit.services.tape.record_items(self.ended)
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)
        if self.stopped is not None:
            raise self.stopped
        if self.waiting:
            raise GraphInterrupt(tuple(self.waiting))

    async def _next(self) -> asyncio.Task[tuple[Json, int]]:
        """Return an element's task that has ended: in a replay the one that ended next then."""
        ahead = [task for task, place in self.tasks.items() if place in self.then[-1:]]
        del self.then[len(self.then) - len(ahead) :]
        done, _ = await asyncio.wait(ahead or self.tasks, return_when=asyncio.FIRST_COMPLETED)
        return min(done, key=self.tasks.__getitem__)

    def _may_begin(self, place: int) -> bool:
        """Return whether the element may begin now."""
        if self.stopped is not None or len(self.tasks) + self.held >= self.op.concurrency:
            return False
        return place in self.begun or not self._enough()

    def _enough(self) -> bool:
        if self.op.until is None:
            return False
        so_far = {self.op.into: [value for _, value in self.values]}
        return self.visit.scope.with_values(so_far).value(self.op.until) is True

    async def _begin(self, place: int) -> None:
        visit = self.visit
        if self.op.until is not None and place not in self.begun:
            await visit.services.journal.keep(visit.runtime, BEGUN, place, True)
        about = {"item": place + 1, "of": len(self.items), "done": len(self.values)}
        visit.emit("item_started", about)
        self.tasks[asyncio.create_task(self._one(place))] = place

    async def _one(self, place: int) -> tuple[Json, int]:
        """Run one element, and return its result and the number of nodes that ran."""
        visit = self.visit
        inputs = self._inputs(place, visit.steps + self.steps)
        # Never reset: an element has a task, and so a context, of its own.
        CALL_PATH.set((*CALL_PATH.get(), f"{visit.node.id}#{place + 1}"))
        with inside(visit, place):
            result = await visit.run_subgraph(inputs, place)
        if outcome_in(self.spec, result) != "success":
            raise Failure(f"the workflow `{self.spec.name}` ended FAILED")
        outputs = {
            name: result.get(channel.name, channel.default)
            for name, channel in variables_of(self.spec).items()
            if name in self.spec.outputs
        }
        value = next(iter(outputs.values())) if len(outputs) == 1 else outputs
        return value, result["$visits"][STEPS] - result["$visits"][STEPS_BEFORE]

    def _inputs(self, place: int, steps: int) -> dict[str, Any]:
        values = assign(self.visit.scope, self.op.passes)
        values[self.op.item] = self.items[place]
        if self.op.index is not None:
            values[self.op.index] = place
        foreign = [name for name in values if name not in variables_of(self.spec)]
        if foreign:
            raise Failure(f"the workflow `{self.spec.name}` has no parameter `{foreign[0]}`")
        return subgraph_inputs(self.visit, self.spec, values, steps)

    async def _end(self, place: int, task: asyncio.Task[tuple[Json, int]]) -> None:
        """Take an element's result, its question, or the failure that stops the others."""
        visit = self.visit
        try:
            value, steps = task.result()
        except GraphInterrupt as interrupt:
            self.waiting.extend(interrupt.args[0])
            self.held += 1
        except Failure as failure:
            self.ended.append(place)
            where = f"item {place + 1} of {len(self.items)}"
            self._stop(_within(where, failure))
        except (LimitReached, GraphBubbleUp) as stop:
            self._stop(stop)
        else:
            self.order += 1
            entry = {"value": value, "steps": steps, "order": self.order}
            await visit.services.journal.keep(visit.runtime, DONE, place, entry)
            self._take(place, value, steps)
            about = {"item": place + 1, "of": len(self.items), "done": len(self.values)}
            visit.emit("item_finished", about)

    def _take(self, place: int, value: Json, steps: int) -> None:
        self.known.add(place)
        self.ended.append(place)
        self.steps += steps
        if not self.values or self.values[-1][0] < place:
            self.values.append((place, value))
        else:
            bisect.insort(self.values, (place, value), key=lambda entry: entry[0])

    def _stop(self, reason: Exception) -> None:
        """Keep the first failure, or else the first limit or request to drain."""
        fails_first = isinstance(reason, Failure) and not isinstance(self.stopped, Failure)
        if self.stopped is None or fails_first:
            self.stopped = reason


def _within(where: str, failure: Failure) -> Failure:
    """Return the failure as the node's own, at the place where it happened."""
    return Failure(
        f"{where}: {failure.message}",
        failure.kind,
        node=failure.node,
        place=failure.place,
        help=failure.help,
    )
