"""Answers that agents owe each other, and until when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ..operations.correspondence import correspondence_of, last_words
from ..operations.executions import Executing
from ..operations.status import ExecutionState
from .moments import DueNote


async def answers_due(executing: Executing, standing: ExecutionState) -> Sequence[DueNote]:
    """Return a moment for each message whose answers were asked for until a time and are not all
    there."""
    known = await executing.messages.of(standing.execution.id)
    if not any(message.response_deadline for message in known):
        return ()
    team = await correspondence_of(executing, standing.execution)
    last, found = last_words(known), list[DueNote]()
    for message in known:
        missing = team.responses_missing(message, last)
        if message.response_deadline and missing:
            end = message.response_deadline
            who = ", ".join(missing)
            text = f"{who} had until {end} to answer {message.id} of {message.sender}"
            key = f"answers {message.id} {end}"
            found.append(DueNote(datetime.fromisoformat(end), key, "deadline", "", text))
    return found
