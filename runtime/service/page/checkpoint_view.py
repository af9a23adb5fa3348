"""A checkpoint as the page shows it: its variables, what is new in them, and a form for others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flowc.compiler.ir import TypeName, Workflow

from ...state.parameters import WORDS, WrongType, typed_value
from ...values import Json
from ..bodies.read_body import SentForm
from ..contract.checkpoints import CheckpointFound, CheckpointListed, CheckpointVariable
from ..operations.past.checkpoints import Past
from .forms import MOST_JSON

SHOWN = 2000
"""Characters of a value that are shown; a form holds no longer one."""
AROUND = 7
"""Checkpoints listed on each side of the one that is shown."""
FIELD = "variable "
"""What the name of a variable's field begins with."""


@dataclass(frozen=True, slots=True)
class VariableView:
    """A variable at a checkpoint. `text` is its value, cut when it is `long` (characters, else 0);
    `before` the value at the checkpoint before, None unless it is another one. `draft` is the text
    of its field, `fault` what is wrong with that. `key` is the field's id."""

    key: str
    name: str
    type: str
    text: str
    is_set: bool
    is_hidden: bool
    long: int = 0
    before: str | None = None
    draft: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class CheckpointPage:
    """The values of the page. `around` are the checkpoints listed, the newest first; `later` and
    `earlier` those beside this one, "" where there is none; `latest` and `earliest` those at the
    ends. `number` counts from 1, of `count`.
    `titles` are the nodes' by their ids."""

    chosen: CheckpointListed
    around: Sequence[tuple[int, CheckpointListed]]
    later: str
    earlier: str
    latest: str
    earliest: str
    number: int
    count: int
    titles: Mapping[str, str]
    variables: Sequence[VariableView]

    def names(self, nodes: Sequence[str], calls: Sequence[str] = ()) -> str:
        """Return the titles of nodes, behind the calls that lead to them."""
        around = "".join(f"{self.titles.get(call, call)} / " for call in calls)
        return around + ", ".join(self.titles.get(node, node) for node in nodes)


def view_of(past: Past, checkpoint: str, workflow: Workflow) -> CheckpointPage:
    """Return the view of a checkpoint. Raises `ServiceFault` when there is none."""
    found = past.checkpoint(checkpoint)
    ids = [one.checkpoint_id for one in past.listed]
    at, count = ids.index(checkpoint), len(ids)
    begin = max(0, min(at - AROUND, count - 2 * AROUND - 1))
    around = list(enumerate(past.listed))[begin : begin + 2 * AROUND + 1]
    level = [one for one in past.listed[at + 1 :] if one.calls == found.checkpoint.calls]
    before = past.checkpoint(level[0].checkpoint_id) if level else None
    return CheckpointPage(
        chosen=found.checkpoint,
        around=[(count - place, one) for place, one in around],
        later=ids[at - 1] if at else "",
        earlier=ids[at + 1] if at + 1 < count else "",
        latest=ids[0],
        earliest=ids[-1],
        number=count - at,
        count=count,
        titles={node.id: getattr(node, "title", "") or node.id for node in workflow.nodes},
        variables=list(_variables(found, before)),
    )


def _variables(found: CheckpointFound, before: CheckpointFound | None) -> Iterator[VariableView]:
    was = {one.name: one for one in before.variables} if before is not None else {}
    for number, one in enumerate(found.variables):
        text, old = text_of(one), was.get(one.name)
        changed = old is not None and one.name in found.checkpoint.changed
        is_long = len(text) > SHOWN
        yield VariableView(
            key=f"v-{number}",
            name=one.name,
            type=one.type,
            text=text[:SHOWN],
            is_set=one.value is not None,
            is_hidden=one.is_hidden,
            long=len(text) if is_long else 0,
            before=text_of(old)[:SHOWN] if changed and old is not None else None,
            draft="" if is_long or one.is_hidden else text,
        )


def text_of(variable: CheckpointVariable) -> str:
    """Return the whole value: a text as it is, any other value as JSON, "" for none."""
    if variable.value is None or (isinstance(variable.value, str) and variable.type == "text"):
        return variable.value or ""
    return json.dumps(variable.value, ensure_ascii=False, indent=2)


def values_in(
    form: SentForm, variables: Sequence[VariableView]
) -> tuple[dict[str, Json], dict[str, str]]:
    """Return the values that somebody has changed, and what is wrong with those that are none, by
    variable. A field that stays as it was changes nothing, nor does an empty one that did not show
    its value."""
    values: dict[str, Json] = {}
    faults: dict[str, str] = {}
    for one in variables:
        text = _lines(form.fields.get(FIELD + one.name, one.draft))
        if text == _lines(one.draft):
            continue
        try:
            values[one.name] = _value(text, one.type)  # type: ignore[arg-type]
        except WrongType as wrong:
            faults[one.name] = str(wrong)
    return values, faults


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _value(text: str, type: TypeName) -> Json:
    """Return the value in a field. Raises `WrongType`, whose text is a sentence."""
    if type == "text":
        return text
    word = WORDS[type]
    if not text.strip():
        raise WrongType(f"nothing is not {word}: write null to empty it")
    if len(text) > MOST_JSON:
        raise WrongType(f"JSON in a form has at most {MOST_JSON:,} characters: use the API")
    try:
        value: Json = json.loads(text)
    except json.JSONDecodeError as error:
        if type in ("integer", "number", "boolean"):
            raise WrongType(f"this must be {word}") from None
        where = f"line {error.lineno}, column {error.colno}"
        raise WrongType(f"this is not JSON, {where}; a text stands in quotes") from None
    except (ValueError, RecursionError):
        raise WrongType(
            "this JSON has numbers that are too long, or is nested too deeply"
        ) from None
    try:
        return None if value is None else typed_value(value, type)
    except WrongType as wrong:
        raise WrongType(f"this must be {word}, not {wrong}") from None
