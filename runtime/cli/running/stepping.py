"""What `flowc step` does: runs the node, then shows both sides."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from flowc.compiler.driver import CompileResult
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import load_spec
from flowc.compiler.source.snippet import visible

from ...assembly.compose import make_services
from ...assembly.inputs import type_changes
from ...assembly.run_options import RunOptions
from ...config.settings import load_config
from ...engine.engine import open_engine
from ...engine.single_node import (
    FROM_RUN,
    Before,
    NodeResult,
    case_and_text,
    refuse_tools,
    results_of,
    run_node,
    visit_before,
)
from ...errors import RunError
from ...files.tempdirs import make_room
from ...journal.before import JournalBefore
from ...journal.effects import EffectJournal
from ...people import Question
from ...services import Emit, Journal, Json, Services
from ...state.channels import variable_values, variables_of
from ...store.runs import RunRecord
from ...testing.case import write_answers
from .. import flags
from ..app import FINDINGS, OK, PAUSED, say
from ..screen import Screen, screen_on
from ..show.consent import with_consent
from ..show.outcomes import result_text
from ..show.questions import ask_person, can_ask, match_answers, question_lines, read_line
from ..streams import print_result
from .launch import compile_runnable
from .resume import enter_folder, kept_options_of


@dataclass(frozen=True, slots=True)
class Told:
    """What a node came to, in the run or now: its case, its text, the variables afterwards."""

    case: str
    text: str
    variables: dict[str, Json] | None


async def step_again(
    url: str,
    run: str,
    node: str,
    visit: int,
    changes: list[str],
    run_flags: flags.RunFlags,
    replay: str | None,
    answer: list[str] | None,
    as_json: bool,
) -> int:
    """Run the node again and show it; the exit code. See `step.step` for the arguments."""
    async with open_engine(url) as engine:
        record = await engine.store.get(run)
        before = await visit_before(engine, run, load_spec(record.spec), node, visit)
        events = list(await engine.store.events(run))
        here = Path.cwd()
        enter_folder(record, url)
        compiled = compile_runnable(
            record.file, "quiet", cast("str | None", record.options.get("team"))
        )
        if compiled is None:
            return FINDINGS
        spec = _present(compiled, before)
        types = {name: channel.type for name, channel in variables_of(spec).items()}
        kept = EffectJournal(engine.journal_db)
        make = _services(run_flags, record, compiled, replay, kept, before, here)
        updates = type_changes(changes, types)
        ask = _asker(answer or [])
        again = await run_node(before, spec, compiled.spec, updates, make, ask)
    visits = [e for e in events if (e.path, e.node) == (before.path, before.node)]
    then = Told(*_of_visit(visits, before), before.after)
    now = Told(again.case, again.text, again.variables)
    inputs = variable_values(spec, before.state)
    if as_json:
        print_result(_object(node, before, again, now, then, inputs))
    else:
        _show(node, run, before, again, now, then, inputs, screen_on(sys.stdout))
    if again.status == "waits":
        return PAUSED
    return OK if again.status == "done" else FINDINGS


def _present(compiled: CompileResult, before: Before) -> GraphSpec:
    """Return the graph of the visit as it is written now. Raise `RunError` when it is gone."""
    file, main = before.spec.file, compiled.spec
    if not before.path:
        return main
    graphs = [
        inner for _, inner in main.subgraphs if (inner.file, inner.name) == (file, before.spec.name)
    ]
    if not graphs:
        raise RunError(f"`{before.spec.name}` is not called any more in {main.file}")
    return graphs[0]


def _services(
    run_flags: flags.RunFlags,
    record: RunRecord,
    compiled: CompileResult,
    replay: str | None,
    kept: EffectJournal,
    before: Before,
    here: Path,
) -> Any:
    config = load_config(Path.cwd())
    again = replace(record, options={**record.options, "record": None, "allow_exec": False})
    options = RunOptions.from_json(again.options)
    if replay != FROM_RUN:
        options = kept_options_of(again, run_flags, config, here, None)
        options = run_flags.options(record.file, options, config, compiled.spec.model)
        factory = with_consent(
            options, run_flags.mode, lambda chosen: make_services(chosen, compiled.spec, config)
        )
    else:  # the journal answers: nobody else is needed, and what nobody says is read now
        with make_room() as room:
            nothing = write_answers({}, room.folder / "nothing.yaml")
            options = replace(options, model=None, answers=nothing, replay=None)
            factory = make_services(options, compiled.spec, config)

    def services(journal: Journal, emit: Emit) -> Services:
        made = factory(journal, emit)
        if replay == FROM_RUN:
            results = results_of(kept, record.id, before.namespace, made.journal)
            return replace(made, journal=results, approve="allow")
        if not (run_flags.typed.allow_exec or options.replay):
            made = replace(made, journal=JournalBefore(made.journal, refuse_tools))
        return made

    return services


def _asker(answers: list[str]) -> Any:
    """Return a function that answers questions of the node: by `--answer`, or on the terminal."""
    left = list(answers)

    def ask(questions: tuple[Question, ...]) -> Mapping[str, Json] | None:
        if left:
            answers = match_answers(left, questions)
            left.clear()
            return answers
        if not can_ask():
            return None
        answers = {}
        for question in questions:
            answered = ask_person(question, screen_on(sys.stderr), read_line)
            if answered is None:
                return None
            answers |= answered
        return answers

    return ask


def _of_visit(events: list[Any], before: Before) -> tuple[str, str]:
    """Return the case and text of the visit in the run."""
    ends, number = {}, 0
    for event in events:
        if event.kind == "node_started":
            number = event.data.get("visit", 1)
        elif event.kind in ("node_finished", "node_failed"):
            ends[number] = [event]
    return case_and_text(ends.get(before.visit, []), before.path, before.node)


def _writes(result: Told, inputs: dict[str, Json]) -> dict[str, Json]:
    return {n: v for n, v in (result.variables or {}).items() if v != inputs.get(n)}


def _object(
    node: str, before: Before, again: NodeResult, now: Told, then: Told, inputs: dict[str, Json]
) -> dict[str, Any]:
    sides = {"now": _writes(now, inputs), "then": _writes(then, inputs)}
    changed = sorted(
        n for n in sides["now"].keys() | sides["then"].keys()
        if (now.variables or {}).get(n) != (then.variables or {}).get(n)
    )  # fmt: skip
    return {
        "node": node,
        "visit": before.visit,
        "status": again.status,
        "error": again.error,
        "now": {"case": now.case, "text": now.text, "writes": sides["now"]},
        "then": {"case": then.case, "text": then.text, "writes": sides["then"]},
        "changed": changed,
    }


def _show(
    node: str,
    run: str,
    before: Before,
    again: NodeResult,
    now: Told,
    then: Told,
    inputs: dict[str, Json],
    screen: Screen,
) -> None:
    labels = sorted({str(e.data["replayed"]) for e in again.events if "replayed" in e.data})
    about = [f"visit {before.visit}", f"run {run}", *labels]
    print(f"{screen.ink(visible(node), 'strong')} · {' · '.join(about)}")
    if again.status == "waits":
        for question in again.questions:
            go_on = f"flowc step {node} --from {run}"
            say(*question_lines(question, screen, go_on))
        return
    if again.error:
        print(f"  {screen.ink(screen.marks.fail, 'bad')} {visible(again.error)}")
    _side_by_side("case", then.case, now.case, screen)
    _side_by_side("text", then.text, now.text, screen)
    wrote, writes = _writes(then, inputs), _writes(now, inputs)
    for name in dict.fromkeys((*writes, *wrote)):
        old = None if then.variables is None else then.variables.get(name)
        _side_by_side(name, result_text(old), result_text((now.variables or {}).get(name)), screen)


def _side_by_side(name: str, then: str, now: str, screen: Screen) -> None:
    """Print one block where both sides are equal, else the old one and the new one."""
    if then == now:
        if now:
            print(f"  {name}  {screen.ink('as in the run', 'dim')}")
            print(*(f"      {visible(line)}" for line in now.splitlines()), sep="\n")
        return
    print(f"  {name}")
    print(*(screen.ink(f"    - {visible(line)}", "bad") for line in then.splitlines()), sep="\n")
    print(*(screen.ink(f"    + {visible(line)}", "good") for line in now.splitlines()), sep="\n")
