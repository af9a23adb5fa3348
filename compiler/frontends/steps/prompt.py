"""What the texts of a step mean: the prompt as a template (S30, S31, S33 to S35), and the
assertions that flowc measures beside what the agent claims."""

from __future__ import annotations

import re
from collections.abc import Set

from ...diagnostics.diagnostic import Sink
from ...expr.ast import Call, Expr, Literal, Name, Text
from ...expr.parse import parse_assertion
from ...expr.walk import children, rebuild
from ...ir import REPORT_TOOL, Assertion
from ...source.source import Source, Span
from .model import Located, Step
from .nearly import report_list, report_nearly

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PLACEHOLDER = re.compile(r"\[([A-Z_][A-Z0-9_]*)\]")
"""`[NAME]`: capitals and underscores, and digits behind the first of them (S34)."""


def step_prompt(step: Step, variables: set[str], source: Source) -> Expr:
    """Return the prompt, in the order of S30. `variables` are the names that can have a value:
    their placeholders are replaced, others stay as written (S33)."""
    parts: list[Expr] = []
    text = f"# Step {step.number + 1}: {step.name}\n\n"
    if step.description is not None:
        text = _description(step.description.span, variables, source, text, parts)
    text += _tools([tool.text for tool in step.tools])
    if step.inputs:
        text += "\n\n## Inputs\n"
        for entry in step.inputs:
            parts.append(Literal(value=f"{text}\n- {entry.name} = "))
            parts.append(Name(name=entry.name, span=entry.span))
            text = f" ({entry.description})" if entry.description else ""
    text += _criteria(step) + _outputs(step) + _report(step)
    if not parts:
        return Literal(value=text, span=step.span)
    return Text(parts=(*parts, Literal(value=text)), span=step.span)


def _description(
    span: Span, variables: set[str], source: Source, text: str, parts: list[Expr]
) -> str:
    """Add the description to `parts` behind `text`, and return what follows its last placeholder. A
    placeholder whose variable has no value yet shows as written."""
    whole, at = source.text, span.start
    for match in PLACEHOLDER.finditer(whole, at, span.end):
        if match[1] in variables:
            parts.append(Literal(value=text + whole[at : match.start()].replace("\r\n", "\n")))
            at, text = match.end(), ""
            parts.append(_placeholder(match, Span(span.file, match.start(1), match.end(1))))
    return text + whole[at : span.end].replace("\r\n", "\n")


def _placeholder(match: re.Match[str], span: Span | None) -> Expr:
    args = (Name(name=match[1], span=span), Literal(value=match[0]))
    return Call(function="coalesce", args=args, span=span)


def _tools(names: list[str]) -> str:
    if len(names) == 1:
        return f"\n\n## Tool\n\nUse the tool `{names[0]}`."
    listed = _numbered_list([f"`{name}`" for name in names])
    return f"\n\n## Tools\n\nUse these tools in order, one after another:\n{listed}"


def _numbered_list(texts: list[str]) -> str:
    return "".join([f"\n{number}. {text}" for number, text in enumerate(texts, start=1)])


def _criteria(step: Step) -> str:
    if not step.asserts:
        return ""
    listed = _numbered_list([assertion.text for assertion in step.asserts])
    return f"\n\n## Success criteria ({len(step.asserts)})\n{listed}"


def _outputs(step: Step) -> str:
    if not step.outputs:
        return ""
    listed = [f"\n- take {o.source or 'it'} and report it as {o.name}" for o in step.outputs]
    return "\n\n## Outputs\n" + "".join(listed)


def _report(step: Step) -> str:
    """Return how to report the result (S31): lines about assertions and outputs only where there
    are any, the step by the number in its heading."""
    lines = [
        f"\n\n## Report\n\nWhen you are done, or cannot go on, call `{REPORT_TOOL}` once with",
        f"- step_number: {step.number + 1}",
        '- status: "passed" if the work is done'
        + (" and meets the success criteria" if step.asserts else "")
        + ', otherwise "failed"',
    ]
    if step.asserts:
        lines.append(
            f"- assertion_results: a list of {len(step.asserts)}, one for each criterion in its "
            "order, each with assertion (its text), passed (true or false) and detail (why)"
        )
    if step.outputs:
        names = ", ".join(dict.fromkeys(o.name for o in step.outputs))
        lines.append(f"- output_variables: an object with the keys {names}")
    lines.append('- error_message: what went wrong, "" if nothing did')
    return "\n".join(lines)


def read_assertions(
    step: Step, variables: Set[str], source: Source, sink: Sink
) -> tuple[Assertion, ...]:
    """Return the step's assertions in order, their text unchanged (S9). One over the tools'
    results, the tools' names or variables also becomes an expression; any other is prose for the
    model, and reported where it nearly is one."""
    tools = {tool.text for tool in step.tools}
    return tuple(
        [
            Assertion(
                text=at.text, expr=_expression(at, tools, variables, source, sink), span=at.span
            )
            for at in step.asserts
        ]
    )


def _expression(
    item: Located, tools: set[str], variables: Set[str], source: Source, sink: Sink
) -> Expr | None:
    words = _WORD.findall(item.text)
    if "result" not in words and tools.isdisjoint(words) and variables.isdisjoint(words):
        if "." in item.text:
            report_nearly(item, {"result", *tools, *variables}, source, sink)
        return None
    known = {word for word in words if word == "result" or word in tools or word in variables}
    span = item.span
    read = parse_assertion(source.text[span.start : span.end], span.file, span.start, known)
    if read is None:
        report_nearly(item, {"result", *tools, *variables}, source, sink)
    elif "[" in item.text:
        report_list(read, variables, sink)
        return _with_placeholders(read, variables)
    return read


def _with_placeholders(expr: Expr, variables: Set[str]) -> Expr:
    """Let `"[NAME]"` in a quoted text mean the variable's value where the assertion is measured,
    though the model sees it as written (S35)."""
    if isinstance(expr, Literal):
        return _template(expr, variables) if isinstance(expr.value, str) else expr
    parts = tuple(_with_placeholders(part, variables) for part in children(expr))
    return rebuild(expr, parts, expr.span)


def _template(literal: Literal, variables: Set[str]) -> Expr:
    text, at = str(literal.value), 0
    parts: list[Expr] = []
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in variables:
            continue
        parts += [Literal(value=text[at : match.start()]), _placeholder(match, literal.span)]
        at = match.end()
    if not parts:
        return literal
    parts.append(Literal(value=text[at:]))
    return Text(parts=tuple(p for p in parts if p != Literal(value="")), span=literal.span)
