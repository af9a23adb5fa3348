"""Puts mistakes into files that have none and judges what the compiler says of each."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flowc.compiler.diagnostics.diagnostic import Diagnostic
from flowc.compiler.driver import CompileResult, compile_text

from . import in_contract, in_flow, in_flowchart, in_machine, in_plan, in_steps
from .operators import Operator

ROOT = Path(__file__).resolve().parents[2]
OPERATORS: dict[str, tuple[Operator, ...]] = {
    "steps": in_steps.OPERATORS,
    "flowchart": in_flowchart.OPERATORS,
    "machine": in_machine.OPERATORS,
    "plan": in_plan.OPERATORS,
    "contract": in_contract.OPERATORS,
    "flow": in_flow.OPERATORS,
}
SUFFIXES = {"flowchart": ".wf.md", "flow": ".flow.yaml", "machine": ".json", "contract": ".json"}


@dataclass(frozen=True)
class Twin:
    """A file without a mistake and what is said of it: nothing, or allowed warnings."""

    path: Path
    text: str
    result: CompileResult


@dataclass(frozen=True)
class Outcome:
    """What became of a mistake. `line` and `repair` say whether
    one of what is `found` names the place, and what to write; `fault` is an exception."""

    dialect: str
    operator: Operator
    path: Path
    at: int
    text: str
    found: tuple[Diagnostic, ...]
    line: bool = False
    repair: bool = False
    fault: str = ""


def twins(dialect: str) -> list[Twin]:
    """Return the files of a dialect that are shipped or stand in the corpus as good ones. A file
    with an allowance asks for silence about a kind of mistake: it cannot show what is said."""
    suffix = SUFFIXES.get(dialect, ".md")
    shipped = sorted((ROOT / "workflows/examples" / dialect).glob(f"*{suffix}"))
    corpus = sorted((ROOT / "tests/corpus" / dialect / "ok").glob(f"*/main{suffix}"))
    own = sorted((Path(__file__).parent / "twins" / dialect).glob(f"*{suffix}"))
    paths = [path for path in (*shipped, *corpus, *own) if ".team." not in path.name]
    texts = [(path, path.read_bytes().decode()) for path in paths]
    return [Twin(path, text, compiled(path, text)) for path, text in texts if _is_measured(text)]


def _is_measured(text: str) -> bool:
    return "\r" not in text and "flowc: allow" not in text


def compiled(path: Path, text: str) -> CompileResult:
    with contextlib.chdir(path.parent):
        return compile_text(text, path.name)


def outcomes(
    dialect: str, operators: Sequence[Operator], files: Sequence[Twin], sites: int, seed: int
) -> Iterator[Outcome]:
    """Yield what became of each mistake, made at so many places of a file at most."""
    for operator in operators:
        for twin in files:
            dice = random.Random(f"{seed} {dialect} {operator.name} {twin.path.name}")
            matches = list(re.finditer(operator.pattern, twin.text, re.MULTILINE))
            for match in sorted(dice.sample(matches, min(sites, len(matches))), key=re.Match.start):
                outcome = _judge(dialect, operator, twin, match)
                if outcome is not None:
                    yield outcome


def _judge(dialect: str, operator: Operator, twin: Twin, match: re.Match[str]) -> Outcome | None:
    change = operator.change
    new = change(match) if callable(change) else match.expand(change)
    text = twin.text[: match.start()] + new + twin.text[match.end() :]
    at = match.start() + _first_difference(match.group(), new)
    line = text.count("\n", 0, at) + 1
    try:
        result = compiled(twin.path, text)
    except Exception as error:
        return Outcome(dialect, operator, twin.path, line, text, (), fault=repr(error))
    before = {(d.code, d.message) for d in twin.result.diagnostics}
    found = tuple(d for d in result.diagnostics if (d.code, d.message) not in before)
    same = not operator.counts and result.program == twin.result.program
    if same and not found:
        return None
    lines = {line, text.count("\n", 0, match.start()) + 1}
    if new.count("\n") < match.group().count("\n"):
        lines |= {line - 1, line + 1}  # what was taken out has no line any more
    if operator.other:
        other = re.sub(r"\\(\d)", lambda group: re.escape(match[int(group[1])]), operator.other)
        lines |= {
            text.count("\n", 0, m.start()) + 1 for m in re.finditer(other, text, re.MULTILINE)
        }
    right = any(lines & _lines(d, text, twin.path.name) for d in found)
    repair = match.expand(operator.repair)
    return Outcome(
        dialect,
        operator,
        twin.path,
        line,
        text,
        found,
        right,
        any(repair in _said(d) for d in found),
    )


def _first_difference(old: str, new: str) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))


def _lines(diagnostic: Diagnostic, text: str, name: str) -> set[int]:
    spans = [diagnostic.primary, *(label.span for label in diagnostic.labels)]
    return {
        number
        for span in spans
        if span.file == name
        for number in range(text.count("\n", 0, span.start) + 1, text.count("\n", 0, span.end) + 2)
        if number - text.count("\n", 0, span.start) <= 3
    }


def _said(diagnostic: Diagnostic) -> str:
    fix = diagnostic.fix
    labels = (label.text for label in diagnostic.labels)
    parts = (diagnostic.message, diagnostic.help, *diagnostic.notes, *labels)
    return "\n".join((*parts, f"{fix.title}\n{fix.text}" if fix else ""))
