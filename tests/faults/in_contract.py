"""Mistakes in orchestration templates."""

from __future__ import annotations

from .in_json import JSON_SYNTAX
from .operators import Operator, typo


def _key(name: str) -> Operator:
    return Operator(f"key {name} misspelt", rf'"({name})":', typo(), name)


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
)
