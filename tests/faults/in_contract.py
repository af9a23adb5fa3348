"""Mistakes in orchestration templates."""

from __future__ import annotations

from . import more_contract
from .in_json import JSON_SYNTAX
from .operators import Operator, typo


def _key(name: str) -> Operator:
    return Operator(f"key {name} misspelt", rf'"({name})":', typo(), name)


def _called(key: str, other: str) -> Operator:
    return Operator(f"key {key} called {other}", rf'"{key}":', f'"{other}":', key)


OPERATORS = (
    *JSON_SYNTAX,
    *map(_key, ("workflow_name", "workflow_type", "execution_config", "steps", "step_id")),
    *map(_key, ("step_name", "step_type", "required_role", "dependencies", "success_criteria")),
    *map(_key, ("failure_handling", "quality_gates", "gate_id", "gate_type", "criteria")),
    *map(_key, ("required_score", "estimated_duration", "max_iterations")),
    Operator("dependency misspelt", r'("dependencies": \[")(\w+)"', typo(2), r"\2"),
    Operator("step misspelt", r'("step_id": ")(\w+)"', typo(2), r"\2", r'dependencies": .*"\2"'),
    Operator("role misspelt", r'("required_role": ")(\w+)"', typo(2), r"\2"),
    Operator("type of a step misspelt", r'("step_type": ")(\w+)"', typo(2), r"\2"),
    Operator("type of a gate misspelt", r'("gate_type": ")(\w+)"', typo(2), r"\2"),
    Operator("type of a workflow misspelt", r'("workflow_type": ")(\w+)"', typo(2), r"\2"),
    Operator("score above one", r'("required_score": )[\d.]+', r"\g<1>75"),
    Operator("score below nothing", r'("required_score": )[\d.]+', r"\g<1>-0.5"),
    Operator("duration as a word", r'("estimated_duration": )(\d+)', r'\1"\2"'),
    Operator("dependencies without a list", r'("dependencies": )\[("\w+")\]', r"\1\2", "list"),
    Operator("criteria that are empty", r'("success_criteria": ")[^"]+', r"\1"),
    Operator(
        "two steps of one id",
        r'("step_id": ")(\w+)(",[\s\S]*?"step_id": ")(\w+)',
        r"\1\2\3\2",
        r"\2",
    ),
    Operator(
        "step that needs itself",
        r'("step_id": ")(\w+)("[^{}]*dependencies": \[)',
        r'\1\2\3"\2", ',
        r"\2",
    ),
    Operator("role left out", r'^ +"required_role": .*\n', "", "required_role", r"^    \{$"),
    _called("steps", "nodes"),
    _called("steps", "tasks"),
    _called("step_id", "id"),
    _called("step_name", "name"),
    _called("step_type", "type"),
    _called("dependencies", "depends_on"),
    _called("dependencies", "needs"),
    _called("required_role", "role"),
    _called("required_role", "requiredRole"),
    _called("quality_gates", "gates"),
    _called("quality_gates", "qualityGates"),
    _called("success_criteria", "criteria"),
    _called("estimated_duration", "duration"),
    _called("max_iterations", "iterations"),
    _called("required_score", "score"),
    _called("required_score", "min_score"),
    Operator("steps an object", r'"steps": \[', '"steps": {', "["),
    Operator("score percent", r'("required_score": )[\d.]+', r'\1"75%"', ""),
    Operator("score text", r'("required_score": )([\d.]+)', r'\1"\2"', ""),
    Operator("score null", r'("required_score": )([\d.]+)', r"\1null", ""),
    Operator("iterations zero", r'("max_iterations": )(\d+)', r"\g<1>0", ""),
    Operator("iterations fraction", r'("max_iterations": )(\d+)', r"\g<1>1.5", ""),
    Operator("duration negative", r'("estimated_duration": )(\d+)', r"\1-\2", ""),
    Operator(
        "dependency upper",
        r'("dependencies": \[")(\w+)"',
        lambda m: m[1] + m[2].upper() + '"',
        r"\2",
    ),
    Operator("dependency two in one", r'("dependencies": \["\w+)", "(\w+)"', r'\1, \2"', ""),
    Operator("role empty", r'("required_role": ")\w+"', r'\1"', ""),
    Operator("role a list", r'("required_role": )("\w+")', r"\1[\2]", ""),
    Operator("step id empty", r'("step_id": ")\w+"', r'\1"', ""),
    Operator("step id number", r'("step_id": )"\w+"', r"\g<1>3", ""),
    Operator("gate twice", r'("gate_id": ")(\w+)(",[\s\S]*?"gate_id": ")(\w+)', r"\1\2\3\2", r"\2"),
    Operator("gate without its type", r'^ +"gate_type": .*\n', "", "gate_type"),
    *more_contract.OPERATORS,
)
