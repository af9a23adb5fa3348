"""Which executions a list shows, as a query of their ids that an index answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...db.database import marks

_ALL = (
    "service_executions e join service_states s on s.execution = e.id"
    " left join runs r on r.id = e.id"
)
_BEGUN = _ALL.replace("left join", "join")
_STARTING = f"service_starting t join {_ALL.replace(' join', ' on e.id = t.execution join', 1)}"
_NOT_YET = "r.id is null and s.state = ''"
_OPEN = (
    "r.status <> 'success' and r.status in ('running', 'paused', 'interrupted') and s.state = ''"
)
_LATE = "(s.ends <> '' and s.ends <= ? and r.status <> 'running')"
_WAYS: dict[str, tuple[tuple[str, str], ...]] = {
    "": ((_ALL, "1 = 1"),),
    "completed": ((_BEGUN, "r.status = 'success'"),),
    "cancelled": ((_ALL, "s.state = 'cancelled' and coalesce(r.status, '') <> 'success'"),),
    "paused": ((_ALL, "s.state = 'paused' and coalesce(r.status, '') <> 'success'"),),
    "failed": (
        (
            _BEGUN,
            "r.status <> 'success' and r.status in ('failed', 'error', 'stopped')"
            " and s.state in ('', 'fault')",
        ),
        (_ALL, "s.state = 'fault' and coalesce(r.status, '') <> 'success'"),
        (_BEGUN, f"{_OPEN} and {_LATE}"),
    ),
    "starting": ((_STARTING, _NOT_YET),),
    "executing": ((_BEGUN, f"{_OPEN} and not {_LATE}"),),
    "waits": ((_BEGUN, _OPEN), (_STARTING, _NOT_YET)),
}
"""For each status the tables and conditions that its executions are found by, each by an index: of
a million executions three may have failed, or all but three have. "waits": what may wait for a
person."""


Condition = tuple[str, Sequence[Any]]
"""A part of a query with its values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which executions a list shows: of a `status` at the time `now`, of a workflow, of teams;
    begun at `since` or later and before `until` (ISO 8601 UTC); with all these `words`; with an
    `agent` in the team; those that may wait for a person. "" and none: whatever it is. `among` and
    `digests` are what `SearchWords.narrow` makes of words and agent: the executions that have the
    rare ones (None: any), and the others."""

    now: str = ""
    status: str = ""
    workflow: str = ""
    teams: Sequence[str] = ()
    since: str = ""
    until: str = ""
    waits: bool = False
    words: Sequence[str] = ()
    agent: str = ""
    among: Sequence[str] | None = None
    digests: Sequence[str] = ()

    def query(self, owner: str | None, after: str, limit: int) -> tuple[str, list[Any]]:
        """Return a query of the ids of the newest after the id `after`, and its values."""
        shared = [*self._belonging(owner), *self.within("e.created")]
        shared += self.behind(after, "e.id", "e.created")
        asked = [value for _, values in shared for value in values]
        parts, values = [], list[Any]()
        for number, (tables, condition) in enumerate(self._ways):
            where = " and ".join([condition, *(part for part, _ in shared)])
            parts.append(
                f"select id from (select e.id from {tables} where {where}"
                f" order by e.created desc, e.id limit ?) as way_{number}"
            )
            values += [*[self.now] * condition.count("?"), *asked, limit]
        return " union ".join(parts), values

    @property
    def of_executions_alone(self) -> bool:
        """Whether no run fits that is not an execution: it has no workflow, no team, no inbox."""
        return bool(self.workflow or self.teams or self.waits or self.agent)

    def within(self, created: str) -> Iterator[Condition]:
        """Yield the conditions of the time, which stands in the column `created`."""
        if self.since:
            yield f"{created} >= ?", (self.since,)
        if self.until:
            yield f"{created} < ?", (self.until,)

    @staticmethod
    def behind(after: str, id: str, created: str) -> Iterator[Condition]:
        """Yield the condition of what comes after a row in a list, of an execution or a run: the
        newest first. `id` and `created` are the columns."""
        if after:
            yield f"({created} < {_TIME} or ({created} = {_TIME} and {id} > ?))", (after,) * 5

    def _belonging(self, owner: str | None) -> Iterator[Condition]:
        if self.workflow:
            yield "s.workflow = ?", (self.workflow,)
        if self.teams:
            yield f"s.team in ({marks(self.teams)})", tuple(self.teams)
        if owner is not None:
            yield "e.owner = ?", (owner,)
        if self.among is not None:
            yield f"e.id in ({marks(self.among)})", tuple(self.among)
        for digest in self.digests:
            yield _HAS_WORD, (digest,)

    @property
    def _ways(self) -> tuple[tuple[str, str], ...]:
        return _WAYS["waits" if self.waits else self.status]


_HAS_WORD = "exists (select 1 from service_words w where w.word = ? and w.execution = e.id)"
_TIME = (
    "coalesce((select created from service_executions where id = ?),"
    " (select started from runs where id = ?))"
)
"""When an execution or a run began."""
ALL_OF_THEM = Wanted()
