"""The budgets that a model call counts in: those of the workflows and nodes around it.

A run, every run of a called workflow, every element of a foreach and every node in them has its own
scope. All visits of a node and all attempts of a call count in one scope.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar

from flowc.compiler.ir import Limit
from flowc.compiler.source.records import dataclass as record

from ...charges import MEASURES, BudgetScope, Cap, Estimate
from ...checkpoints.keys import namespace_of
from ...checkpoints.namespaces import join
from ...config.prices import picodollars, read_dollars
from ...context import binding
from ...errors import Failure
from ...services import ModelRequest
from .visit import Surroundings, Visit

_PER_MESSAGE, _PER_REQUEST, _FOR_TOOLS = 16, 64, 1_000


@record(frozen=True, slots=True)
class _Spending:
    """What the running node's model calls are charged to: its workflow's run, whose key is
    `workflow`, and the node itself, below the scopes `around`."""

    workflow: str
    around: tuple[BudgetScope, ...] = ()
    node: str = ""
    caps: tuple[Cap, ...] = ()
    own: tuple[Cap, ...] = ()

    @property
    def scopes(self) -> tuple[BudgetScope, ...]:
        """Return the scopes, the outermost first: most nodes never ask for them."""
        if not self.node:
            return self.around
        node = BudgetScope(f"{self.workflow}/{self.node}", self.own)
        return (*self.around, BudgetScope(self.workflow, self.caps), node)


_SPENDING: ContextVar[_Spending | None] = ContextVar("flowc_spending", default=None)


def spending(visit: Visit) -> AbstractContextManager[None]:
    """Charge the block's model calls to the visit's node and its workflow. Raise `Failure` of kind
    limit when a limit is not a number."""
    outer = _SPENDING.get()
    caps: list[Cap] = []
    own: list[Cap] = []
    if outer is None:
        caps += visit.services.budget.caps
    for limit, is_own in visit.limits.measured:
        if is_own:
            own.append(_cap(visit, limit, f"the limit of `{visit.node.id}`"))
        else:
            caps.append(_cap(visit, limit, f"the limit of `{visit.setting.spec.name}`"))
    workflow = outer.workflow if outer is not None else _thread(visit)
    around = outer.scopes if outer is not None else ()
    spent = _Spending(workflow, around, visit.node.id, tuple(caps), tuple(own))
    return binding(_SPENDING, spent)


def inside(visit: Visit, *number: int) -> AbstractContextManager[None]:
    """Make the block a run of another workflow, one of several by `number`."""
    within = _SPENDING.get() or _Spending("")
    key = join(namespace_of(visit.config), *number)
    return binding(_SPENDING, _Spending(key, within.scopes))


def scope_of(visit: Visit, node: str = "") -> str:
    """Return the key of the workflow's run that a visit belongs to, or of a node in it."""
    outer = _SPENDING.get()
    workflow = outer.workflow if outer is not None else _thread(visit)
    return f"{workflow}/{node}" if node else workflow


def _thread(visit: Visit) -> str:
    return Surroundings.of(visit.config).run


def estimate(model: str, request: ModelRequest) -> Estimate:
    """Return the worst case of a request, with what providers add around messages and tools."""
    scopes = (_SPENDING.get() or _Spending("")).scopes
    if not model:
        return Estimate(scopes)
    # A token is at least one byte.
    size = sum(len(repr(message).encode("utf-8", "replace")) for message in request.messages)
    size += sum(
        len(repr((tool.name, tool.description, tool.parameters)).encode("utf-8", "replace"))
        for tool in request.tools
    )
    size += _PER_REQUEST + _PER_MESSAGE * len(request.messages)
    most = request.settings.max_tokens if request.settings else None
    return Estimate(scopes, model, size + (_FOR_TOOLS if request.tools else 0), most)


def _cap(visit: Visit, limit: Limit, whose: str) -> Cap:
    about = f"{whose} on {limit.name}"
    try:
        value = visit.value(limit.value)
        cost = limit.name == "cost"
        bound = picodollars(read_dollars(value)) if cost else _whole(value)
    except Failure as failure:
        raise Failure(f"{about} cannot be read: {failure.message}", "limit") from None
    except ValueError:
        shown = visit.scope.show(value)
        raise Failure(f"{about} is not a number, 0 or more: {shown}", "limit") from None
    assert limit.name in MEASURES
    return Cap(limit.name, bound, whose, limit.then == "stop")


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**15:
        raise ValueError("no amount")
    return int(value)
