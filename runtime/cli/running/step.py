"""`flowc step`: one node of a run again, beside what it was in the run."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ...assembly.run_options import RunOptions
from .. import flags
from ..stores import existing_store

Node = Annotated[str, typer.Argument(metavar="NODE", help="a node; CALL/NODE in a called workflow")]
From = Annotated[str, typer.Option("--from", metavar="RUN", help="the run it is taken from")]
VisitNumber = Annotated[
    int, typer.Option("--visit", metavar="N", min=0, help="which visit, from 1; 0: the last")
]
Replay = Annotated[
    str | None,
    flags.flag("replay", metavar="run|FILE", help="what the run's journal keeps; a recording"),
]


def step(
    node: Node,
    run: From,
    visit: VisitNumber = 0,
    changes: flags.Changes = None,
    model: flags.Model = None,
    base_url: flags.BaseUrl = None,
    answers: flags.Answers = None,
    replay: Replay = None,
    answer: flags.Reply = None,
    allow_exec: flags.AllowExec = False,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
) -> int:
    """Run one node of a run again, on what it was given there. Nothing changes in the run.

    Exit code 0: it is done, 1: it failed, 4: it waits for an answer.
    """
    from ...engine.single_node import FROM_RUN
    from .stepping import step_again

    recording = None if replay == FROM_RUN else replay
    typed = RunOptions(model, base_url, answers, replay=recording, allow_exec=allow_exec)
    url = existing_store(store)
    run_flags = flags.RunFlags(typed)
    again = step_again(url, run, node, visit, changes or [], run_flags, replay, answer, as_json)
    return asyncio.run(again)
