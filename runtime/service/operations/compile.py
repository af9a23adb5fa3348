"""Texts of requests for the compiler."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flowc.compiler.catalog.builtin_tools import BUILTIN
from flowc.compiler.catalog.catalog import Catalog
from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.ir import TaskNode, Workflow
from flowc.compiler.source.source import Source, SourceSet, Unreadable

from ...state.task_results import result_schema
from ..contract.responses import CompilerDiagnostic, ValidationStatus
from ..records.errors import ServiceFault
from ..records.metrics import steps_of
from ..records.tables import StoredExecution, StoredTeam, new_id

_TEAM = "team.json"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled workflow and its diagnostics."""

    result: CompileResult
    validation: ValidationStatus


def compile_workflow(
    source: str, file: str, format: str | None = None, team: str | None = None
) -> Compiled:
    """Compile a text. Nothing of this machine is read: files that it calls or includes do not
    exist."""
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
    rows = [as_dict(d, result.sources) for d in result.diagnostics]
    names = ("code", "severity", "message", "line", "column", "help")
    diagnostics = [
        CompilerDiagnostic.model_validate({name: d.get(name) for name in names}) for d in rows
    ]

    def lines_of(severity: str) -> list[str]:
        return [_line(d) for d in diagnostics if d.severity == severity]

    errors = lines_of("error")
    return Compiled(
        result,
        ValidationStatus(
            is_valid=result.ok and not errors,
            warnings=lines_of("warning"),
            errors=errors,
            diagnostics=diagnostics,
        ),
    )


class SealedSources(SourceSet):
    """Texts of a request, without a disk behind them."""

    def read(self, path: str) -> Source:
        """Return one of them. Raises `Unreadable` for any other path."""
        if path in self.files or path in self.overrides:
            return super().read(path)
        raise Unreadable(path, "did not come with the request")


def _line(diagnostic: CompilerDiagnostic) -> str:
    place = f"line {diagnostic.line}, column {diagnostic.column}: " if diagnostic.line else ""
    return f"{place}{diagnostic.message} ({diagnostic.code})"


def require_valid(compiled: Compiled) -> CompileResult:
    """Return the result without errors. Raises `ServiceFault` with the findings."""
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


def compile_execution(execution: StoredExecution) -> CompileResult:
    """Return the compiled workflow of an execution; its texts are without errors."""
    team = execution.team_source or None
    return require_valid(compile_workflow(execution.source, execution.file, execution.format, team))


def task_schema(workflow: Workflow, step: str) -> dict[str, Any]:
    """Return the JSON Schema of the result of a step's task."""
    task = next(n for n in workflow.nodes if isinstance(n, TaskNode) and n.id == step)
    return result_schema(task)


def missing_roles(result: CompileResult, team: StoredTeam | None) -> list[str]:
    """Return the roles that the workflow's tasks need and the team lacks (C10)."""
    assert result.workflow is not None
    known = {agent["role"] for agent in team.agents} if team else set()
    roles = dict.fromkeys(s.role for s in steps_of(result.workflow) if not s.by_nobody)
    return [role for role in roles if role not in known]
