"""The inputs of a run: values of the types that the workflow declares, or what is wrong."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowc.compiler.ir import Param, TypeName, Workflow
from flowc.compiler.source.source import SourceSet
from flowc.compiler.source.spelling import Spelling

from ..errors import RunError
from ..state.parameters import WORDS, WrongType, typed_value
from ..values import unchanged_value

Ask = Callable[[Param, str], str | None]
"""Asks the person for a parameter (second argument: what was wrong with the last answer, or "");
None: no answer."""

_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class RawInputs:
    """What the caller gave, before it is typed: texts from `-i`, JSON values from `--inputs`."""

    values: Mapping[str, Any]
    texts: frozenset[str] = frozenset()
    """Names whose value is a text that still has to be read as its declared type."""


def type_inputs(
    given: RawInputs, workflow: Workflow, sources: SourceSet, ask: Ask | None = None
) -> dict[str, Any]:
    """The run's inputs, typed as the workflow declares them. Defaults are left to the engine.

    Raise `RunError` (exit 2) that names every unknown name, every value of a wrong type and every
    missing one with the line that declares it. With `ask` a missing one is asked for instead.
    """
    known = {param.name: param for param in workflow.params}
    faults: list[str] = []
    inputs: dict[str, Any] = {}
    for name, value in given.values.items():
        param = known.get(name)
        if param is None:
            faults.append(_unknown(name, workflow))
            continue
        try:
            inputs[name] = (
                _from_text(value, param.type)
                if name in given.texts
                else typed_value(unchanged_value(value, f"the input `{name}`"), param.type)
            )
        except WrongType as mismatch:
            where = _declaration(param, sources)
            faults.append(f"`{name}` must be {WORDS[param.type]}, not {mismatch}{where}")
        except RunError as refused:
            faults.append(f"{refused.message}{_declaration(param, sources)}")
    if faults:
        raise RunError("\n".join(faults), help=_help(workflow))
    missing = missing_params(workflow, inputs)
    if missing and ask is not None:
        inputs |= _ask_for(missing, ask)
        missing = missing_params(workflow, inputs)
    if missing:
        raise RunError("\n".join(_missing(p, sources) for p in missing), help=_example(missing))
    return inputs


def type_changes(pairs: Sequence[str], types: Mapping[str, TypeName]) -> dict[str, Any]:
    """Return new values of variables from NAME=VALUE, each read as its declared type, or as text
    when `types` lacks it. Raise `RunError` for a malformed pair and a wrong type."""
    changes: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name:
            raise RunError(f"`{pair}` gives no value", help="write -i NAME=VALUE")
        kind = types.get(name, "text")
        try:
            changes[name] = _from_text(text, kind)
        except WrongType as mismatch:
            raise RunError(f"`{name}` must be {WORDS[kind]}, not {mismatch}") from None
    return changes


def missing_params(workflow: Workflow, inputs: Mapping[str, Any]) -> tuple[Param, ...]:
    """Return the required parameters without a value, a default or an environment variable."""
    return tuple(
        p
        for p in workflow.params
        if p.required
        and p.name not in inputs
        and p.default is None
        and not (p.env and p.env in os.environ)
    )


def _ask_for(missing: Sequence[Param], ask: Ask) -> dict[str, Any]:
    """Ask for each until the answer has its type; no answer leaves it missing."""
    found: dict[str, Any] = {}
    for param in missing:
        problem = ""
        while (answer := ask(param, problem)) is not None:
            try:
                found[param.name] = _from_text(answer, param.type)
                break
            except WrongType as mismatch:
                problem = f"that is {mismatch}; it must be {WORDS[param.type]}"
        else:
            break
    return found


def _from_text(text: str, type: TypeName) -> Any:
    word = text.strip()
    match type:
        case "text" | "any":
            return text
        case "boolean":
            if word.lower() in _TRUTH:
                return _TRUTH[word.lower()]
        case "integer" | "number":
            number = _number(word)
            if isinstance(number, int) or (type == "number" and number is not None):
                return number
        case "object" | "list":
            value = _parse_json(word)
            if isinstance(value, dict if type == "object" else list):
                return value
    raise WrongType(f"`{_short(text)}`")


def _number(word: str) -> int | float | None:
    if not word.isascii() or "_" in word or len(word) > 300:
        return None
    for read in (int, float):
        try:
            number = read(word)
        except ValueError:
            continue
        return number if math.isfinite(number) else None
    return None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"


def _unknown(name: str, workflow: Workflow) -> str:
    near = Spelling(param.name for param in workflow.params).nearest(name)
    if any(field.name == name for field in workflow.state):
        hint = ": it is a variable, which its nodes set"
    else:
        hint = f"; did you mean `{near}`?" if near else ""
    return f"`{workflow.name}` has no parameter `{name}`{hint}"


def _missing(param: Param, sources: SourceSet) -> str:
    kind = "" if param.type == "any" else f", {WORDS[param.type]}"
    what = f" ({param.description})" if param.description else ""
    return f"the input `{param.name}` is missing{kind}{what}{_declaration(param, sources)}"


def _declaration(param: Param, sources: SourceSet) -> str:
    """Return the place of the declaration: `--> file:line:column: the line`."""
    source = sources.get(param.span.file) if param.span else None
    if source is None or param.span is None:
        return ""
    at = source.position(param.span.start)
    text = source.line_text(at.line).strip()
    return f"\n  --> {source.path}:{at.line}:{at.column}: {_short(text)}"


def _help(workflow: Workflow) -> str:
    if not workflow.params:
        return "it has no parameters: leave out -i and --inputs"
    return "its parameters: " + ", ".join(
        p.name if p.required else f"{p.name} (optional)" for p in workflow.params
    )


def _example(missing: Sequence[Param]) -> str:
    given = " ".join(f"-i {p.name}=…" for p in missing)
    return f"give it with {given}, -i NAME=@file, or --inputs FILE.json"
