"""What the nodes of a contract say and read: prompts, questions, scores, the result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...expr.ast import Call, Expr, Field, ListOf, Literal, Name, Text
from ...ir import Assertion, GateNode, TaskNode
from ...source.records import dataclass
from .order import Needs
from .steps import Contract, ContractStep, Gate

INPUTS, RESTARTS, FAILURES, RESULT = "input_parameters", "restarts", "failures", "result"
_TAKEN = (
    *(INPUTS, RESTARTS, FAILURES, RESULT, "error"),
    *("and", "or", "not", "in", "contains", "matches", "exists", "true", "false", "null"),
    *("starts", "ends", "with"),
)
"""Names that a step's variable cannot have: our own, and the words of expressions."""
_ODD = re.compile(r"\W", re.ASCII)


@dataclass(frozen=True, slots=True)
class ResultNames:
    """The variable that holds the result of each step or gate, by its id."""

    variables: Mapping[str, str]

    @classmethod
    def of(cls, ids: Sequence[str]) -> ResultNames:
        taken = set(_TAKEN)
        variables: dict[str, str] = {}
        for id in ids:
            name = _ODD.sub("_", id)
            name = f"_{name}" if name[0].isdigit() else name
            while name in taken:
                name += "_"
            taken.add(name)
            variables[id] = name
        return cls(variables)

    def __getitem__(self, id: str) -> str:
        return self.variables[id]

    def part(self, id: str, key: str) -> Expr:
        """Return a part of a step's result."""
        return Field(object=Name(name=self[id]), name=key)

    def score(self, review: str, step: str) -> Expr:
        """Return the score that a review gave a step."""
        return Field(object=self.part(review, "scores"), name=self[step])


def task_node(
    contract: Contract,
    step: ContractStep,
    needs: Sequence[str],
    reviews: Sequence[str],
    names: ResultNames,
) -> TaskNode:
    """Return the work of one step, which depends on `needs` and may be begun again by `reviews`."""
    redone = reviews and step.form in ("task", "decision")
    criteria = step.criteria
    return TaskNode(
        id=step.id,
        title=step.title,
        role=step.role.text if step.role else "",
        role_span=step.role.span if step.role else None,
        form=step.form,
        prompt=_prompt(contract, step),
        criteria=(Assertion(text=criteria.text, span=criteria.span),) if criteria else (),
        after=tuple(names[need] for need in needs),
        again=tuple(names[id] for id in (step.id, *reviews)) if redone else (),
        minutes=step.minutes,
        into=names[step.id],
        span=step.span,
    )


def _prompt(contract: Contract, step: ContractStep) -> Expr:
    """Return the step in its workflow, what it has to meet and what to do otherwise, the inputs."""
    about = f": {contract.description}" if contract.description else ""
    lines = [step.title, "", f"A step of {contract.name}{about}"]
    if step.criteria:
        lines.append(f"It is done when: {step.criteria.text}")
    if step.failure:
        lines.append(f"If that cannot be reached: {step.failure}")
    inputs = Call(function="coalesce", args=(Name(name=INPUTS), Literal(value="nothing else")))
    return Text(parts=(Literal(value="\n".join([*lines, "Given: "])), inputs))


def gate_node(
    gate: Gate, contract: Contract, last: Sequence[str], score: Expr, names: ResultNames
) -> GateNode:
    """Return a gate, enforced as the file says (C15)."""
    question = None
    if gate.form == "approval":
        parts: list[Expr] = [Literal(value=gate.criteria or gate.id)]
        for id in last:
            parts += [Literal(value="\n\n"), names.part(id, "output")]
        question = Text(parts=tuple(parts))
    return GateNode(
        id=gate.id,
        title=gate.criteria,
        form=gate.form,
        mode=contract.enforcement,
        score=score if gate.form == "quality_check" else None,
        required=gate.required,
        question=question,
        into=names[gate.id],
        span=gate.span,
    )


def mean_of_scores(contract: Contract, needs: Needs, names: ResultNames) -> Expr:
    """Return the mean over the steps: of each the last review's score, else its own (C23)."""
    judged: dict[str, list[str]] = {step.id: [] for step in contract.steps}
    for step in contract.steps:
        for need in needs[step.id] if step.form == "review" else ():
            judged[need].append(step.id)
    scores = tuple(
        _score(step.id, reversed_reviews, names)
        for step in contract.steps
        if (reversed_reviews := judged[step.id][::-1]) or step.form != "synchronization"
    )
    return Call(function="mean", args=(ListOf(items=scores),))


def _score(step: str, reviews: Sequence[str], names: ResultNames) -> Expr:
    own = names.part(step, "score")
    if not reviews:
        return own
    return Call(function="coalesce", args=(*(names.score(r, step) for r in reviews), own))


def result_text(
    ends: Sequence[ContractStep], contract: Contract, needs: Needs, names: ResultNames
) -> Expr:
    """Return the output of the last step, or of what a last review judged; several under titles."""
    by_id = {step.id: step for step in contract.steps}
    last = list({s.id: s for end in ends for s in _judged_steps(end, by_id, needs)}.values())
    if len(last) == 1:
        return names.part(last[0].id, "output")
    parts: list[Expr] = []
    for number, step in enumerate(last):
        blank = "\n\n" if number else ""
        parts += [Literal(value=f"{blank}## {step.title}\n"), names.part(step.id, "output")]
    return Text(parts=tuple(parts))


def _judged_steps(
    end: ContractStep, by_id: Mapping[str, ContractStep], needs: Needs
) -> list[ContractStep]:
    judged = [by_id[id] for id in needs[end.id]] if end.form == "review" else []
    return judged or [end]


def failures_text() -> Expr:
    """Return what failed, for a run that ends with it."""
    return Call(function="join", args=(Name(name=FAILURES), Literal(value="\n")))
