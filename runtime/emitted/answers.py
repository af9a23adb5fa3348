"""Answers of people to a graph's questions, kept before anything comes of them.

LangGraph writes the answer that a resume brings beside what it does with it, and one that is by the
question's id only when the question is asked again. What is killed between asks anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from ..checkpoints.builder import whole_state
from ..checkpoints.types import App
from ..errors import RunError
from ..journal.effects import EffectJournal
from ..people import Question
from ..state.interrupts import effect_key, fitting_answer, is_own, questions_in

_ID = re.compile(r"[0-9a-f]{32}")


async def read_answers(
    spec: GraphSpec, app: App, config: RunnableConfig, given: object
) -> tuple[object, Set[str]]:
    """Return what a thread goes on with, where it is `given` a `Command` or None, with the answers
    to questions of flowc's checked and in their full form; and the ids of the questions that wait
    for a person. Raise `RunError` for an answer that its question does not take: it still waits
    then."""
    state = await whole_state(app, config)
    asked = questions_in(state, spec)
    waiting = {each.id for each in state.interrupts if effect_key(each) is None}
    resume = given.resume if isinstance(given, Command) else None
    if not isinstance(given, Command) or resume is None:
        return given, waiting
    if not isinstance(resume, dict) or not resume or not resume.keys() <= asked.keys():
        _refuse_lost(resume, asked)
        if len(asked) != 1 or not waiting:
            return given, waiting
        resume = {next(iter(asked)): resume}
    own = {each.id for each in state.interrupts if is_own(each)}
    answers = {
        id: fitting_answer(asked[id], value) if id in own & waiting else value
        for id, value in resume.items()
    }
    return replace(given, resume=answers), waiting


def _refuse_lost(resume: object, asked: Mapping[str, Question]) -> None:
    """Raise `RunError` for answers by ids of which one belongs to nothing that waits."""
    ids = [key for key in resume if isinstance(key, str)] if isinstance(resume, dict) else []
    strange = [id for id in ids if id not in asked]
    if strange and any(id in asked or _ID.fullmatch(id) for id in ids):
        waiting = ", ".join(f"{id} (`{q.node}`)" for id, q in asked.items()) or "none"
        raise RunError(f"no question `{strange[0]}` waits", help=f"these do: {waiting}")


async def keep_answers(
    journal: EffectJournal, thread: str, given: object, waiting: Set[str]
) -> object:
    """Return what a thread goes on with, and with it the answers that were kept, to questions that
    are still `waiting`. Those that it brings itself are kept now; what is not JSON stays
    LangGraph's."""
    stored = await journal.answers(thread)
    answers: dict[str, Any] = {id: value for id, value in stored.items() if id in waiting}
    resume = given.resume if isinstance(given, Command) else None
    if resume is not None:
        if not isinstance(resume, dict):
            return given
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
