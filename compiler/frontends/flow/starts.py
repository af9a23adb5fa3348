"""`on:` of a workflow: when runs of it begin by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ... import ir
from ...analysis.cron import cron_fault
from ...expr.function import NAMES, Type
from ...expr.times import zone_fault, zone_names
from ...expr.values import read_number
from ...flow_yaml.keys import SCHEDULE, WEBHOOK
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.spelling import Spelling

if TYPE_CHECKING:
    from .forms import Forms

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def read_starts(node: Value | None, forms: Forms) -> Iterator[ir.CronSchedule | ir.WebhookStart]:
    """Yield the schedules, and the webhook, of a mapping or a list of them."""
    if node is None:
        return
    webhooks = 0
    for item in node.items if isinstance(node, ListAt) else [node]:
        if not isinstance(item, MapAt):
            message = f"`on` takes schedules, not `{brief(getattr(item, 'text', ''))}`"
            help = 'write `schedule: "0 7 * * 1-5"` or `webhook: SECRET_NAME` below it'
            forms.report("FC1005", message, item.span, help)
            continue
        if item.get("webhook") is not None:
            webhooks += 1
            if webhooks > 1:
                message, help = "a workflow has one webhook", "take the other one out"
                forms.report("FC1005", message, item.pairs[0][0].span, help)
                continue
            fields = forms.fields(item, WEBHOOK, "`on`")
            if fields is not None and _is_webhook(item, forms):
                yield ir.WebhookStart(**fields, span=item.span)
            continue
        fields = forms.fields(item, SCHEDULE, "`on`")
        if fields is not None and _is_schedule(item, forms):
            yield ir.CronSchedule(**fields, span=item.span)


def _is_webhook(item: MapAt, forms: Forms) -> bool:
    """Report a secret that is not the name of a variable, inputs that have no names."""
    secret = item.get("webhook")
    sound = True
    if isinstance(secret, Scalar) and not _VARIABLE.fullmatch(secret.text):
        message = "`webhook` takes the name of an environment variable, which holds the secret"
        help = "write `webhook: HOOK_SECRET`, and the secret into that variable"
        forms.report("FC1005", message, secret.span, help)
        sound = False
    return _has_named_inputs(item, forms) and sound


def _is_schedule(item: MapAt, forms: Forms) -> bool:
    """Report a schedule that no time fits, a zone that there is not, inputs that have no names."""
    cron, zone = item.get("schedule"), item.value("zone")
    sound = True
    if isinstance(cron, Scalar) and (fault := cron_fault(cron.text)) is not None:
        message, help = fault
        forms.report(
            "FC1005", f"`{brief(cron.text)}` is not a schedule: {message}", cron.span, help
        )
        sound = False
    if isinstance(zone, Scalar) and (unknown := zone_fault(zone.text)) is not None:
        near = Spelling(zone_names()).nearest(zone.text)
        message, _, help = unknown.partition(": ")
        forms.report("FC1005", message, zone.span, help, near=near)
        sound = False
    return _has_named_inputs(item, forms) and sound


def _has_named_inputs(item: MapAt, forms: Forms) -> bool:
    inputs = item.value("with")
    if inputs is None or isinstance(inputs, MapAt):
        return True
    forms.report("FC1005", "`with` takes inputs by name", inputs.span, "write `NAME: VALUE`")
    return False


def check_inputs(workflow: ir.Workflow, on: Value | None, forms: Forms) -> None:
    """Report a required parameter that a start does not give, and an input that there is not."""
    items = on.items if isinstance(on, ListAt) else [on]
    for item in items:
        if not isinstance(item, MapAt):
            continue
        given = item.value("with")
        names = [key for key, _ in given.pairs] if isinstance(given, MapAt) else []
        into = item.value("into")
        if isinstance(into, Scalar):
            names.append(into)
        _check_names(workflow, names, forms)
        if isinstance(given, MapAt):
            _check_types(workflow, given, forms)
        if item.get("webhook") is None and item.get("schedule") is None:
            continue
        by = "webhook" if item.get("webhook") is not None else "schedule"
        if by == "webhook" and into is None:
            continue  # the fields of its body are parameters
        known = {name.text for name in names}
        for param in workflow.params:
            if param.required and param.env is None and param.name not in known:
                message = f"a run that begins by {by} has no `{param.name}`"
                help = f"write it below `with:`: `{param.name}: VALUE`; or give it a default"
                forms.report("FC1003", message, item.pairs[0][0].span, help)


def _check_names(workflow: ir.Workflow, names: list[Scalar], forms: Forms) -> None:
    params = {param.name: param for param in workflow.params}
    for name in names:
        if name.text not in params:
            near = Spelling(params).nearest(name.text)
            message = f"there is no parameter `{brief(name.text)}`"
            forms.report("FC2001", message, name.span, "declare it below `params:`", near=near)


def _check_types(workflow: ir.Workflow, given: MapAt, forms: Forms) -> None:
    """Report an input that is not of its parameter's type."""
    types = {param.name: param.type for param in workflow.params}
    for name, value in given.pairs:
        wanted = types.get(name.text, "any")
        if not _is_of(wanted, value):
            forms.wrong(name, NAMES[wanted], value)


def _is_of(wanted: Type, value: Value) -> bool:
    match wanted:
        case "list":
            return isinstance(value, ListAt)
        case "object":
            return isinstance(value, MapAt)
        case "number" | "integer":
            return isinstance(value, Scalar) and read_number(value.value) is not None
        case "boolean":
            return isinstance(value, Scalar) and value.text.lower() in ("true", "false")
        case _:
            return wanted == "any" or isinstance(value, Scalar)
