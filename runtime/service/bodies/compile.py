"""Texts of requests for the compiler."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flowc.compiler.catalog.builtin_tools import BUILTIN
from flowc.compiler.catalog.catalog import Catalog
from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.ir import CronSchedule, TaskNode, WebhookStart, Workflow
from flowc.compiler.source.source import Source, SourceSet, Unreadable

from ...state.task_results import result_schema
from ..contract.responses import CompilerDiagnostic, ValidationStatus
from ..records.access import new_id
from ..records.errors import ServiceFault
from ..records.metrics import steps_of

_TEAM = "team.json"


MOST_FINDINGS = 100
"""Findings that a response holds; a damaged text of a megabyte has tens of thousands."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a request is told of its text. `is_workflow`: it is one, without errors; else `result`
    is None. `roles` are those of its steps, `minutes` the estimate of its whole time; `schedules`
    say when it begins by itself, `webhook` which requests begin it."""

    result: CompileResult | None
    validation: ValidationStatus
    is_workflow: bool
    name: str = ""
    format: str = ""
    roles: tuple[str, ...] = ()
    minutes: float = 0
    webhook: WebhookStart | None = None
    schedules: tuple[CronSchedule, ...] = ()


def compile_here(
    source: str, file: str, format: str | None = None, team: str | None = None
) -> Compiled:
    """Compile a text in this process. Nothing of this machine is read: files that it calls or
    includes do not exist."""
    result = _result(source, file, format, team)
    validation = _validation(result)
    workflow = result.workflow
    valid = validation.is_valid and workflow is not None
    schedule = (result.summary()["schedule"] or {}) if valid else {}
    return Compiled(
        # Without what only editors and findings need, which a process cannot hand to another.
        replace(result, frontend=None, parsed=None, diagnostics=()) if valid else None,
        validation,
        valid,
        (workflow.title or workflow.name) if workflow is not None else "",
        result.frontend.name if result.frontend else "",
        tuple(roles_of(workflow)) if workflow is not None else (),
        schedule.get("total_minutes", 0),
        workflow.webhook if valid and workflow is not None else None,
        workflow.schedules if workflow is not None else (),
    )


def _result(source: str, file: str, format: str | None, team: str | None) -> CompileResult:
    return compile_text(
        source,
        file,
        format=format,
        sources=SealedSources(overrides={} if team is None else {_TEAM: team}),
        catalog=Catalog(dict(BUILTIN)),
        team=None if team is None else _TEAM,
    )


def _validation(result: CompileResult) -> ValidationStatus:
    """Return the findings: the first `MOST_FINDINGS`, errors before warnings."""
    order = {"error": 0, "warning": 1}
    found = sorted(result.diagnostics, key=lambda d: order.get(d.severity, 2))
    names = ("code", "severity", "message", "line", "column", "help")
    diagnostics = [
        CompilerDiagnostic.model_validate({name: row.get(name) for name in names})
        for row in (as_dict(d, result.sources) for d in found[:MOST_FINDINGS])
    ]

    def lines_of(severity: str) -> list[str]:
        return [_line(d) for d in diagnostics if d.severity == severity]

    errors = lines_of("error")
    more = len(found) - len(diagnostics)
    if more > 0 and errors:
        errors.append(f"and {more:,} more findings, which are not listed")
    return ValidationStatus(
        is_valid=result.ok and not errors,
        warnings=lines_of("warning"),
        errors=errors,
        diagnostics=diagnostics,
    )


class SealedSources(SourceSet):
    """Texts of a request, without a disk behind them."""

    def read(self, path: str, *, below: str | None = None) -> Source:
        """Return one of them. Raises `Unreadable` for any other path."""
        if path in self.files or path in self.overrides:
            return super().read(path, below=os.sep)
        raise Unreadable(path, "did not come with the request")


def _line(diagnostic: CompilerDiagnostic) -> str:
    place = f"line {diagnostic.line}, column {diagnostic.column}: " if diagnostic.line else ""
    return f"{place}{diagnostic.message} ({diagnostic.code})"


def require_valid(compiled: Compiled) -> CompileResult:
    """Return the result without errors. Raises `ServiceFault` with the findings."""
    refuse_findings(compiled)
    assert compiled.result is not None
    return compiled.result


def refuse_findings(compiled: Compiled) -> None:
    """Raise `ServiceFault` with the findings of a text that is not a workflow without errors."""
    if compiled.is_workflow:
        return
    errors = compiled.validation.errors or ["there is no workflow in it"]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    raise ServiceFault(
        "INVALID_WORKFLOW_DEFINITION",
        f"{errors[0]}{more}",
        details={"validation_status": compiled.validation.model_dump()},
    )


def with_config(source: str, inputs: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Return a contract's text with the inputs and the configuration of its execution."""
    contract = json.loads(source)
    settings = {key: value for key, value in config.items() if value is not None}
    contract["execution_config"] = {**contract.get("execution_config", {}), **settings}
    if inputs:
        contract["input_parameters"] = {**contract.get("input_parameters", {}), **inputs}
    return json.dumps(contract, indent=2)


def team_text(body: str) -> tuple[str, list[dict[str, str]]]:
    """Return the text of a team with an id for every agent, and its agents {agent_id, role, type}.
    A team that cannot be read is left to the compiler."""
    try:
        team = json.loads(body)
        entries = team.get("agent_roles") or team.get("agents")
        agents = [_agent(entry) for entry in entries]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return body, []
    if "agent_roles" in team:
        del team["agent_roles"]
    team["agents"] = agents
    members = [
        {"agent_id": a["agent_id"], "role": str(a.get("role")), "type": a.get("type", "model")}
        for a in agents
    ]
    return json.dumps(team, indent=2), members


def _agent(entry: dict[str, Any]) -> dict[str, Any]:
    made = {
        "agent_id": entry.get("agent_id") or new_id("agent"),
        "role": entry.get("role", entry.get("role_name")),
        "configuration": entry.get("configuration", entry.get("agent_config")) or {},
    }
    return {**made, "type": entry["type"]} if "type" in entry else made


def task_schema(workflow: Workflow, step: str) -> dict[str, Any]:
    """Return the JSON Schema of the result of a step's task."""
    task = next(n for n in workflow.nodes if isinstance(n, TaskNode) and n.id == step)
    return result_schema(task)


def roles_of(workflow: Workflow) -> list[str]:
    """Return the roles of the workflow's tasks, each once."""
    return list(dict.fromkeys(s.role for s in steps_of(workflow) if not s.by_nobody))
