"""`on:` of a workflow: when runs of it begin by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ... import ir
from ...analysis.cron import cron_fault
from ...expr.times import zone_fault, zone_names
from ...flow_yaml.keys import SCHEDULE
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.spelling import Spelling

if TYPE_CHECKING:
    from .forms import Forms


def read_schedules(node: Value | None, forms: Forms) -> Iterator[ir.CronSchedule]:
    """Yield the schedules, of a mapping or a list of them."""
    if node is None:
        return
    for item in node.items if isinstance(node, ListAt) else [node]:
        if not isinstance(item, MapAt):
            message = f"`on` takes schedules, not `{brief(getattr(item, 'text', ''))}`"
            help = 'write `schedule: "0 7 * * 1-5"` below it'
            forms.report("FC1005", message, item.span, help)
            continue
        fields = forms.fields(item, SCHEDULE, "`on`")
        if fields is None or not _is_sound(fields, item, forms):
            continue
        yield ir.CronSchedule(**fields, span=item.span)


def _is_sound(fields: dict[str, object], item: MapAt, forms: Forms) -> bool:
    """Report a schedule that no time fits, a zone that there is not, inputs that have no names."""
    cron, zone, inputs = item.get("schedule"), item.value("zone"), item.value("with")
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
    if inputs is not None and not isinstance(inputs, MapAt):
        forms.report("FC1005", "`with` takes inputs by name", inputs.span, "write `NAME: VALUE`")
        sound = False
    return sound


def check_inputs(workflow: ir.Workflow, on: Value | None, forms: Forms) -> None:
    """Report a required parameter that a schedule does not give, and an input that there is not."""
    items = on.items if isinstance(on, ListAt) else [on]
    params = {param.name: param for param in workflow.params}
    for item in items:
        if not isinstance(item, MapAt) or item.get("schedule") is None:
            continue
        given = item.value("with")
        names = [key for key, _ in given.pairs] if isinstance(given, MapAt) else []
        for name in names:
            if name.text not in params:
                near = Spelling(params).nearest(name.text)
                message = f"there is no parameter `{brief(name.text)}`"
                forms.report("FC2001", message, name.span, "declare it below `params:`", near=near)
        known = {name.text for name in names}
        for param in workflow.params:
            if param.required and param.env is None and param.name not in known:
                message = f"a run that begins by schedule has no `{param.name}`"
                help = f"write it below `with:`: `{param.name}: VALUE`; or give it a default"
                forms.report("FC1003", message, item.pairs[0][0].span, help)
