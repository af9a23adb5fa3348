"""Answers of people to a graph's questions, kept before anything comes of them.

LangGraph writes the answer that a resume brings beside what it does with it, and one that is by the
question's id only when the question is asked again. What is killed between asks anew.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from ..checkpoints.types import App
from ..journal.effects import EffectJournal
from ..state.interrupts import effect_key


async def keep_answers(
    journal: EffectJournal, thread: str, app: App, config: RunnableConfig, given: object
) -> object:
    """Return what a thread goes on with, where it is `given` a `Command` or None: with it the
    answers that were kept, to questions that still wait. Those that it brings itself are kept now;
    what is not JSON stays LangGraph's."""
    asked = (await app.aget_state(config)).interrupts
    waiting = {interrupt.id for interrupt in asked if effect_key(interrupt) is None}
    stored = await journal.answers(thread)
    answers: dict[str, Any] = {id: value for id, value in stored.items() if id in waiting}
    resume = given.resume if isinstance(given, Command) else None
    if resume is not None:
        if not isinstance(resume, dict) or not resume or not resume.keys() <= {i.id for i in asked}:
            if len(asked) != 1 or not waiting:
                return given
            resume = {asked[0].id: resume}
        for id, value in resume.items():
            if id in waiting and _is_json(value):
                await journal.store_answer(thread, id, value)
        answers |= resume
    if not answers:
        return given
    return replace(given, resume=answers) if isinstance(given, Command) else Command(resume=answers)


def _is_json(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError, RecursionError):
        return False
