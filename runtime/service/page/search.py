"""What somebody looks for in the list of executions: the fields of a form, which the addresses of
its pages have too."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query

from ..contract.requests import ExecutionStatus
from ..records.errors import ServiceFault
from ..records.metrics import iso
from ..search.wanted import Wanted
from ..search.words import words_in

_Field = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True, slots=True)
class SearchForm:
    """The fields, "" where nothing is asked: a status, ids of workflow, team and agent, days in UTC
    (the last one included), words."""

    text: str = ""
    status: str = ""
    workflow: str = ""
    team: str = ""
    agent: str = ""
    since: str = ""
    until: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether nothing is asked but the status."""
        return replace(self, status="") == SearchForm()

    def address(self, **other: str) -> str:
        """Return the address of the list with these fields, and others in their place."""
        fields = {name: value for name, value in {**asdict(self), **other}.items() if value}
        return f"/?{urlencode(fields)}" if fields else "/"

    def query(self, now: str) -> Wanted:
        """Return which executions these are at the time `now`. Raises `ServiceFault`."""
        return Wanted(
            now=now,
            status=self.status,
            workflow=self.workflow,
            teams=[self.team] if self.team else (),
            since=_begin_of("since", self.since, 0),
            until=_begin_of("until", self.until, 1),
            words=words_in((self.text,)),
            agent=self.agent,
        )


def search_of(
    text: _Field = "",
    status: ExecutionStatus | None = None,
    workflow: _Field = "",
    team: _Field = "",
    agent: _Field = "",
    since: _Field = "",
    until: _Field = "",
) -> SearchForm:
    """Return what the query of a request asks for."""
    return SearchForm(text.strip(), status or "", workflow, team, agent, since, until)


Searching = Annotated[SearchForm, Depends(search_of)]


def _begin_of(name: str, day: str, later: int) -> str:
    """Return when a day begins, or so many days later; "" for no day. Raises `ServiceFault`."""
    if not day:
        return ""
    try:
        begin = datetime.combine(date.fromisoformat(day) + timedelta(days=later), time(), UTC)
    except (ValueError, OverflowError):
        raise ServiceFault("INVALID_REQUEST", f"{name}: a day is written 2026-05-01") from None
    return iso(begin)
