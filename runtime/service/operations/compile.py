"""What was asked for, as texts that the compiler reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flowc.compiler.catalog.catalog import BUILTIN, Catalog
from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.ir import TaskNode, Workflow
from flowc.compiler.source.source import Source, SourceSet, Unreadable

from ...state.task_results import result_schema
from ..contract.responses import Diagnostic, ValidationStatus
from ..records.errors import ServiceFault
from ..records.tables import StoredExecution, StoredTeam, new_id

CONTRACT = "workflow.json"
_TEAM = "team.json"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A workflow as the compiler sees it, and what it found."""

    result: CompileResult
    validation: ValidationStatus


def compile_workflow(
    source: str, file: str, format: str | None = None, team: str | None = None
) -> Compiled:
    """Compile a text; nothing of this machine is read: a file that it calls or includes is not
    there."""
    overrides = {} if team is None else {_TEAM: team}
    sources = SealedSources(overrides=overrides)
    result = compile_text(
        source,
        file,
        format=format,
        sources=sources,
        catalog=Catalog(dict(BUILTIN)),
        team=None if team is None else _TEAM,
    )
    found = [as_dict(d, result.sources) for d in result.diagnostics]
    names = ("code", "severity", "message", "line", "column", "help")
    diagnostics = [Diagnostic.model_validate({name: d.get(name) for name in names}) for d in found]

    def told(severity: str) -> list[str]:
        return [_line(d) for d in diagnostics if d.severity == severity]

    errors = told("error")
    return Compiled(
        result,
        ValidationStatus(
            is_valid=result.ok and not errors,
            warnings=told("warning"),
            errors=errors,
            diagnostics=diagnostics,
        ),
    )


class SealedSources(SourceSet):
    """Texts that came with a request, and no disk behind them."""

    def read(self, path: str) -> Source:
        """Raises `Unreadable` for what is not among them."""
        if path in self.files or path in self.overrides:
            return super().read(path)
        raise Unreadable(path, "did not come with the request")


def _line(found: Diagnostic) -> str:
    place = f"line {found.line}, column {found.column}: " if found.line else ""
    return f"{place}{found.message} ({found.code})"


def required(compiled: Compiled) -> CompileResult:
    """The result without errors. Raises `ServiceFault` with the findings."""
    if compiled.validation.is_valid and compiled.result.workflow is not None:
        return compiled.result
    errors = compiled.validation.errors or ["there is no workflow in it"]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    raise ServiceFault(
        "INVALID_WORKFLOW_DEFINITION",
        f"{errors[0]}{more}",
        details={"validation_status": compiled.validation.model_dump()},
    )


def with_config(source: str, inputs: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """A contract's text with what its execution was asked with in it."""
    contract = json.loads(source)
    given = {key: value for key, value in config.items() if value is not None}
    contract["execution_config"] = {**contract.get("execution_config", {}), **given}
    if inputs:
        contract["input_parameters"] = {**contract.get("input_parameters", {}), **inputs}
    return json.dumps(contract, indent=2)


def team_text(body: str) -> tuple[str, list[dict[str, str]]]:
    """The text of a team with an id for every agent, and its agents {agent_id, role, type}. A team
    that cannot be read is left to the compiler."""
    try:
        team = json.loads(body)
        entries = team.get("agent_roles") or team.get("agents")
        agents = [_agent(entry) for entry in entries]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return body, []
    if "agent_roles" in team:
        del team["agent_roles"]
    team["agents"] = agents
    told = [
        {"agent_id": a["agent_id"], "role": str(a.get("role")), "type": a.get("type", "model")}
        for a in agents
    ]
    return json.dumps(team, indent=2), told


def _agent(entry: dict[str, Any]) -> dict[str, Any]:
    made = {
        "agent_id": entry.get("agent_id") or new_id("agent"),
        "role": entry.get("role", entry.get("role_name")),
        "configuration": entry.get("configuration", entry.get("agent_config")) or {},
    }
    return {**made, "type": entry["type"]} if "type" in entry else made


def compiled_execution(execution: StoredExecution) -> CompileResult:
    """The compiled workflow of an execution that was made from texts without errors."""
    team = execution.team_source or None
    return required(compile_workflow(execution.source, execution.file, execution.format, team))


def task_schema(workflow: Workflow, step: str) -> dict[str, Any]:
    """JSON Schema of what a step's task takes in."""
    task = next(n for n in workflow.nodes if isinstance(n, TaskNode) and n.id == step)
    return result_schema(task)


def missing_roles(result: CompileResult, team: StoredTeam | None) -> list[str]:
    """The roles that the workflow's tasks ask for and nobody has (C10)."""
    from ..records.metrics import steps_of

    assert result.workflow is not None
    known = {agent["role"] for agent in team.agents} if team else set()
    asked = dict.fromkeys(s.role for s in steps_of(result.workflow) if not s.by_nobody)
    return [role for role in asked if role not in known]
