"""The runs of a workflow, for `flow.runs()`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

from ..errors import RunError, one_line
from ..event_loops import in_thread
from ..store.listing import RunFilter, RunSummary, read_filter
from ..store.runs import RunRecord, RunStore
from .arguments import each_of, text_of

_PAGE = 200


class RunQuery(TypedDict, total=False):
    """Which runs are listed: those in one `status` or several, that changed `since` an age ago
    (`"2h"`, `"3d"`) or a date, and `before` one; at most `limit`, without it all."""

    status: str | Sequence[str]
    since: str
    before: str
    limit: int


def filter_of(query: RunQuery, workflow: str) -> RunFilter:
    """Return the filter of a query. Raise `RunError` for what it does not have, and for a status, a
    time or a number that is none."""
    for name in query:
        if name not in RunQuery.__annotations__:
            raise RunError(
                f"a list of runs is not chosen by `{name}`",
                help=f"it is by {', '.join(RunQuery.__annotations__)}",
            )
    status, limit = query.get("status"), query.get("limit")
    statuses = (status,) if isinstance(status, str) else each_of("status", status, "statuses")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
        raise RunError(f"`limit` is a number of runs, not {one_line(repr(limit), 60)}")
    since, before = (
        text_of(name, query.get(name), "an age or a date") for name in ("since", "before")
    )
    return read_filter(statuses, since, before, workflow)


async def runs_of(
    store: RunStore, wanted: RunFilter, limit: int | None, path: str, name: str
) -> list[RunRecord]:
    """Return the runs of the workflow of a name in a file. Raise `RunError`."""
    records: list[RunRecord] = []
    place = await in_thread(lambda: os.path.abspath(path))
    while limit is None or len(records) < limit:
        some = await store.listing.page(wanted, _PAGE)
        own = [run.id for run in some if is_own(run, place, name)]
        records += await store.get_each(own if limit is None else own[: limit - len(records)])
        if len(some) < _PAGE:
            break
        wanted = replace(wanted, before=(some[-1].updated, some[-1].id))
    return records


def is_own(run: RunSummary | RunRecord, place: str, name: str) -> bool:
    """Return whether a run is of the workflow of a name in a file."""
    folder = run.folder if isinstance(run, RunSummary) else run.options.get("folder")
    return run.name == name and os.path.join(str(folder or ""), run.file) == place
