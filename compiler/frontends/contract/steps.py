"""Read a contract file: what it says, with places, and every field that breaks a rule (C2, C3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal as Lit
from typing import cast, get_args

from ...diagnostics.diagnostic import Label
from ...ir import Json
from ...reading.json_fields import Fields, Tree
from ...reading.tree import Scalar, Value
from ...source.records import dataclass
from ...source.source import Span
from ...source.spelling import Spelling

WORKFLOW_TYPES = ("sequential", "parallel", "hybrid")
Form = Lit["task", "decision", "synchronization", "review"]
GateForm = Lit["approval", "quality_check", "milestone"]
Enforcement = Lit["strict", "lenient", "advisory"]
STEP_TYPES: tuple[Form, ...] = get_args(Form)
GATE_TYPES: tuple[GateForm, ...] = get_args(GateForm)
ENFORCEMENT: tuple[Enforcement, ...] = get_args(Enforcement)
MAX_ITERATIONS = 10
"""Attempts of one execution in all, where the file gives no number (C21)."""
LEAST_SCORE = 0.8
"""What a reviewed step needs where no gate says (C21, C23)."""

MOST = 1_000_000
"""The greatest duration, time-out or number of attempts."""

WORKFLOW_KEYS = {
    "workflow_name": "what the workflow is called",
    "workflow_type": "sequential, parallel or hybrid",
    "description": "what it is for",
    "steps": "who does what, in which order",
    "quality_gates": "what is judged before it goes on",
    "input_parameters": "what the workflow is about",
    "execution_config": "limits, retries and how strict the gates are",
}
STEP_KEYS = {
    "step_id": "its name, unlike any other",
    "step_name": "what people call it",
    "step_type": "task, decision, synchronization or review",
    "required_role": "who does it",
    "estimated_duration": "in minutes",
    "dependencies": "the steps that must be done before",
    "success_criteria": "when it is done",
    "failure_handling": "what to do when it fails",
}
GATE_KEYS = {
    "gate_id": "its name, unlike any other",
    "gate_type": "approval, quality_check or milestone",
    "criteria": "what is judged",
    "required_score": "from 0 to 1, of a quality check",
}
CONFIG_KEYS = {
    "max_iterations": "attempts in all",
    "timeout_minutes": "how long it may take",
    "auto_retry": "whether a failed step is tried again",
    "quality_enforcement": "strict, lenient or advisory",
}
"""The keys of each object, and what they are for."""
_NO_ID = re.compile(r"[:|\x00-\x1f\x7f]|^[$_]{2}|^\$|^\s|\s$")
"""What LangGraph gives a meaning of its own in the name of a node, and what nobody can see."""


@dataclass(frozen=True, slots=True)
class ContractStep:
    """One step. `needs` are its dependencies as written; `minutes` its estimated duration."""

    id: str
    title: str
    form: Form
    role: Scalar | None
    criteria: Scalar | None
    failure: str
    minutes: float | None
    needs: tuple[Scalar, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Gate:
    """One quality gate; `required` is its score from 0 to 1."""

    id: str
    form: GateForm
    criteria: str
    required: float | None
    span: Span


@dataclass(frozen=True, slots=True)
class Contract:
    """A whole file. `attempts`, `minutes`, `retries` and `enforcement` are how it is executed."""

    name: str
    form: str
    description: str
    steps: tuple[ContractStep, ...]
    gates: tuple[Gate, ...]
    inputs: Json = None
    attempts: int = MAX_ITERATIONS
    minutes: float | None = None
    retries: bool = False
    enforcement: Enforcement = "strict"


def read_contract(tree: Tree) -> Contract | None:
    """Return what the file says; None when it is not an object or has no readable step."""
    fields = tree.fields(tree.root, "the workflow")
    if fields is None:
        return None
    fields.unknown(WORKFLOW_KEYS)
    name = fields.text("workflow_name", required=True)
    form = fields.word("workflow_type", WORKFLOW_TYPES, required=True)
    description = fields.text("description", empty=True)
    ids: dict[str, Scalar] = {}
    steps = _steps(fields, ids)
    gates = _gates(fields, ids)
    if not steps:
        return None
    inputs = fields.fields("input_parameters")
    contract = Contract(
        name=name.text if name else "",
        form=form.text if form else "sequential",
        description=description.text if description else "",
        steps=steps,
        gates=gates,
        inputs=tree.value(inputs.node, "`input_parameters`") if inputs else None,
    )
    config = fields.fields("execution_config")
    return contract if config is None else _with_execution(contract, config)


def _steps(fields: Fields, ids: dict[str, Scalar]) -> tuple[ContractStep, ...]:
    """Read the steps; a contract needs at least one (C2)."""
    nodes = fields.items("steps", required=True)
    steps = [
        step
        for number, node in enumerate(nodes, 1)
        if (inner := fields.tree.fields(node, f"step {number}")) is not None
        and (step := _step(inner, ids)) is not None
    ]
    if not nodes and "steps" in fields.members:
        message = "the workflow has no step"
        help = 'add a step: `{"step_id": …, "required_role": …, "success_criteria": …}`'
        fields.tree.sink.report("FC1008", message, fields.span_of("steps"), help=help)
    return tuple(steps)


def _step(fields: Fields, ids: dict[str, Scalar]) -> ContractStep | None:
    """Read a step; it needs a role and success criteria, also when nobody does it (C2)."""
    id = _id(fields, "step_id", ids)
    fields = replace(fields, what=f"step `{id.text}`") if id else fields
    fields.unknown(STEP_KEYS)
    title = fields.text("step_name")
    form = fields.word("step_type", STEP_TYPES)
    role = fields.text("required_role", required=True)
    if role is not None and role.text != role.text.strip():
        help = f"write `{role.text.strip()}`"
        message = f"blanks stand around the role of {fields.what}, and belong to it"
        fields.tree.sink.report("FC1005", message, role.span, severity="warning", help=help)
    criteria = fields.text("success_criteria", required=True)
    failure = fields.text("failure_handling", empty=True)
    minutes = _number(fields, "estimated_duration", 0)
    needs = tuple(
        words for node in fields.items("dependencies") if (words := _need(fields, node)) is not None
    )
    if id is None:
        return None
    return ContractStep(
        id=id.text,
        title=title.text if title else id.text,
        form=cast(Form, form.text if form else "task"),
        role=role,
        criteria=criteria,
        failure=failure.text if failure else "",
        minutes=minutes,
        needs=needs,
        span=id.span,
    )


def _need(fields: Fields, node: Value) -> Scalar | None:
    if isinstance(node, Scalar) and node.style:
        return node
    fields.tree.wrong_type(node, f"a dependency of {fields.what}", "a text")
    return None


def _gates(fields: Fields, ids: dict[str, Scalar]) -> tuple[Gate, ...]:
    gates: list[Gate] = []
    for number, node in enumerate(fields.items("quality_gates"), 1):
        inner = fields.tree.fields(node, f"quality gate {number}")
        gate = _gate(inner, ids) if inner is not None else None
        if gate is not None:
            gates.append(gate)
    return tuple(gates)


def _gate(fields: Fields, ids: dict[str, Scalar]) -> Gate | None:
    id = _id(fields, "gate_id", ids)
    fields = replace(fields, what=f"gate `{id.text}`") if id else fields
    fields.unknown(GATE_KEYS)
    form = fields.word("gate_type", GATE_TYPES, required=True)
    criteria = fields.text("criteria", empty=True)
    checked = form is not None and form.text == "quality_check"
    required = _number(fields, "required_score", 0, 1, required=checked)
    if id is None:
        return None
    return Gate(
        id=id.text,
        form=cast(GateForm, form.text if form else "milestone"),
        criteria=criteria.text if criteria else "",
        required=required,
        span=id.span,
    )


def _with_execution(contract: Contract, config: Fields) -> Contract:
    """Return the contract with what the file says of its execution (C16)."""
    config.unknown(CONFIG_KEYS)
    attempts = _number(config, "max_iterations", 1)
    if attempts is not None and attempts != int(attempts):
        _out_of_range(config, "max_iterations", "a whole number")
        attempts = None
    minutes = _number(config, "timeout_minutes", 0)
    if minutes == 0:
        _out_of_range(config, "timeout_minutes", "greater than 0")
        minutes = None
    enforcement = config.word("quality_enforcement", ENFORCEMENT)
    return replace(
        contract,
        attempts=MAX_ITERATIONS if attempts is None else int(attempts),
        minutes=minutes,
        retries=bool(config.boolean("auto_retry")),
        enforcement=cast(Enforcement, enforcement.text if enforcement else "strict"),
    )


def _id(fields: Fields, key: str, ids: dict[str, Scalar]) -> Scalar | None:
    """Return an id that no other step or gate has (C3)."""
    words = fields.text(key, required=True)
    if words is None:
        return None
    sink = fields.tree.sink
    if match := _NO_ID.search(words.text):
        message = f"`{key}` `{words.text}` cannot be a name: {_bad_part(match[0])}"
        sink.report("FC1005", message, words.span, help="use letters, digits, `_` and `-`")
    first = ids.setdefault(words.text, words)
    if first is not words:
        message = f"`{words.text}` names two steps or gates"
        help = "give one of them another id"
        labels = (Label(first.span, "the first one"),)
        sink.report("FC1004", message, words.span, labels=labels, help=help)
        return None
    return words


def _bad_part(part: str) -> str:
    if part.isspace():
        return "it begins or ends with a blank" if part == " " else "it has a control character"
    if part[0] in "$_":
        return f"it begins with `{part}`"
    return f"it has a `{part}` in it" if part.isprintable() else "it has a control character"


def _number(
    fields: Fields, key: str, least: float, most: float = MOST, *, required: bool = False
) -> float | None:
    """Return a number in a range (C3)."""
    value = fields.number(key, required=required)
    if value is None:
        return None
    if not least <= value <= most:
        between = f"from {least:g} to {most:g}" if most < MOST else f"from {least:g} to {MOST:,}"
        _out_of_range(fields, key, between)
        return None
    return value


def _out_of_range(fields: Fields, key: str, wanted: str) -> None:
    message = f"`{key}` of {fields.what} is not {wanted}"
    help = f"write {wanted}" if wanted[0] == "a" else f"write a number {wanted}"
    fields.tree.sink.report("FC1005", message, fields.span_of(key), help=help)


def unknown_dependencies(steps: Sequence[ContractStep], tree: Tree) -> dict[str, tuple[str, ...]]:
    """Return for each step the steps it depends on, in file order and each once. Report FC2001 for
    a dependency that is not a step (C2). It may be a later step (C4)."""
    order = {step.id: number for number, step in enumerate(steps)}
    spelling = Spelling(order)
    needs: dict[str, tuple[str, ...]] = {}
    for step in steps:
        known = {words.text for words in step.needs if words.text in order}
        needs[step.id] = tuple(sorted(known, key=order.__getitem__))
        for words in step.needs:
            if words.text not in order and tree.complete:
                message = f"step `{step.id}` depends on `{words.text}`, which is not a step"
                near, help = spelling.nearest(words.text), "add the step or remove the name"
                meant = steps[order[near]].span if near else None
                labels = (Label(meant, f"this is `{near}`"),) if meant else ()
                tree.sink.report("FC2001", message, words.span, labels=labels, help=help, near=near)
    return needs
