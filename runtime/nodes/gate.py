"""gate: judge before the run goes on; the mode decides what a refusal means (C15, C23)."""

from __future__ import annotations

from typing import assert_never

from flowc.compiler.ir import GateNode

from ..errors import Failure
from ..services import Json
from .ask import ask
from .visit.visit import Done, Visit

CHOICES = ("yes", "no")
ROUNDING = 1e-9
"""A mean of decimal fractions may be this much too small."""


async def run(visit: Visit, op: GateNode) -> Done:
    """Judge. A refusal fails (kind gate) when strict, warns when lenient, passes when advisory."""
    passed, score, required, message = _judge(visit, op)
    verdict: dict[str, Json] = {"passed": passed, "score": score, "required": required}
    visit.emit("gate", {"form": op.form, "mode": op.mode, **verdict})
    done = Done(variables={op.into: verdict} if op.into else {}, text=message)
    if not passed:
        if op.mode == "strict":
            done.failure = Failure(f"gate `{op.id}`: {message}", "gate")
        elif op.mode == "lenient":
            visit.emit("warning", {"message": f"passed on all the same: {message}"})
    return done


def _judge(visit: Visit, op: GateNode) -> tuple[bool, Json, float | None, str]:
    """Return whether it passed, the score, the one that is required, and the reason in words."""
    match op.form:
        case "milestone":
            return True, None, None, "reached"
        case "approval":
            text = visit.text(op.question) if op.question is not None else op.title or op.id
            answer = str(ask(visit, "ask", text, choices=CHOICES)).strip().lower()
            passed = answer in ("yes", "y", "true")
            return passed, None, op.required, "approved" if passed else "not approved"
        case "quality_check":
            return _judge_score(visit, op)
    assert_never(op.form)


def _judge_score(visit: Visit, op: GateNode) -> tuple[bool, Json, float, str]:
    """Judge a quality check, which is not met without a score."""
    score = visit.value(op.score) if op.score is not None else None
    required = op.required if op.required is not None else 0.0
    if score is None:
        return False, None, required, f"no task gave a score, {required:g} is required"
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise Failure(f"the score of `{op.id}` is not a number: {visit.scope.show(score)}")
    message = f"the score is {score:.3g}, {required:g} is required"
    return score >= required - ROUNDING, score, required, message
