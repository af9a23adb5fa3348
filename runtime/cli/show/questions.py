"""Questions that a paused run asks: shown with the command that answers, or asked on the spot."""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from flowc.compiler.ir import REPORT_TOOL
from flowc.compiler.source.snippet import visible

from ...errors import RunError
from ...people import UNASKED, Question
from ...state.interrupts import check_result, choice_of, no_command
from ...state.waits import due_of
from ..screen import Screen, count_of, one_line, seconds_of
from .outcomes import NOT_KEPT

RESULT = "result:"
"""Before the text that an effect in doubt is said to have returned."""

_NAME = re.compile(r"[\w./#-]+")
"""What can be meant as the name of a question."""
ReadLine = Callable[[str], str]
_APPROVALS = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "a": "always", "always": "always"}
_VERDICTS = {"r": "repeat", "repeat": "repeat", "f": "fail", "fail": "fail"}


def question_lines(
    question: Question, screen: Screen, go_on: str, *, trail: str = ""
) -> Iterator[str]:
    """Yield the question, where it comes from (`trail`: the nodes before it), and the exact
    commands that answer it."""
    yield screen.ink(f"{screen.marks.ask} {_title(question)}", "ask")
    yield from _body(question)
    came = " · ".join(x for x in (f"at {question.place}" * bool(question.place), trail) if x)
    if came:
        yield screen.ink(f"    {came}", "dim")
    if not go_on:
        yield f"  {NOT_KEPT}"
        return
    if question.kind in ("wait", "event"):
        yield from _waiting_lines(question, go_on)
        return
    answers = _answers(question)
    width = max(len(meaning) for _, meaning in answers) + 1
    for answer, meaning in answers:
        flag = f" {question.answer_flag(answer)}" if answer else ""
        yield f"  {meaning + ':':<{width}} {go_on}{flag}"


def match_answers(
    texts: Sequence[str], questions: Sequence[Question], go_on: str = ""
) -> dict[str, Any]:
    """Return the answers of `--answer`, by question id. Each names its question, NAME=TEXT. As long
    as a run has taken no answer, its node is enough, and a single question takes the text as it is.
    Later (`go_on` is then the command that goes on) that could be an answer which was typed once
    more. Raise `RunError` (exit 2)."""
    open_questions = [q for q in questions if q.kind not in UNASKED]
    if not texts:
        return {}
    if not open_questions:
        raise RunError("the run waits for no answer", help="leave out --answer to go on")
    if go_on:
        return _match_exactly(texts, open_questions, go_on)
    if len(open_questions) == 1 and len(texts) == 1:
        question = open_questions[0]
        node, sign, value = texts[0].partition("=")
        if sign and node in (question.node, question.name):
            return {question.id: _parse_answer(question, value)}
        _refuse_misnamed(question, node if sign else "", value)
        return {question.id: _parse_answer(question, texts[0])}
    count = Counter(question.node for question in open_questions)
    by_name = {q.name: q for q in open_questions}
    known = {**{q.node: q for q in open_questions if count[q.node] == 1}, **by_name}

    def refusal(text: str) -> RunError:
        near = get_close_matches(text.partition("=")[0], known, n=1)
        return RunError(
            f"{_waiting(len(open_questions))}: `--answer {visible(text)}` does not say which",
            help=f"did you mean `{near[0]}`?" * bool(near)
            or "write --answer NODE=TEXT; they wait at " + ", ".join(by_name),
        )

    return _match_named(texts, known, refusal)


def _refuse_misnamed(question: Question, name: str, value: str) -> None:
    """Raise `RunError` for a text that begins as an answer with a name does, with a name that waits
    for none: a slip would else become the answer."""
    near = get_close_matches(name, (question.name, question.node), n=1)
    if not near and not _NAME.fullmatch(name):
        return
    meant, whole = question.answer_flag(value), question.answer_flag(f"{name}={value}")
    raise RunError(
        f"`{visible(name)}` waits for no answer, `{question.name}` does",
        help=f"did you mean {meant}?\nfor the text as it is: {whole}",
    )


def _match_named(
    texts: Sequence[str], known: Mapping[str, Question], refusal: Callable[[str], RunError]
) -> dict[str, Any]:
    """Return answers by question id of texts that each name a `known` question; the others meet a
    `refusal`. Raise `RunError`, also for two to one question."""
    answers = dict[str, Any]()
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or name not in known:
            raise refusal(text)
        if known[name].id in answers:
            raise RunError(f"`{known[name].name}` is answered twice", help="give one answer to it")
        answers[known[name].id] = _parse_answer(known[name], value)
    return answers


def _match_exactly(
    texts: Sequence[str], questions: Sequence[Question], go_on: str
) -> dict[str, Any]:
    by_name = {question.name: question for question in questions}

    def refusal(text: str) -> RunError:
        said = "TEXT" if "=" in text else text
        commands = [f"{go_on} {question.answer_flag(said)}" for question in questions]
        waits = f"`{questions[0].name}` waits" if len(by_name) == 1 else _waiting(len(by_name))
        return RunError(
            f"{waits}, and `--answer {visible(text)}`"
            " does not say that it answers this: the run has taken an answer before",
            help=" or\n".join(commands),
        )

    return _match_named(texts, by_name, refusal)


def _waiting(count: int) -> str:
    return f"{count_of(count, 'question')} {'waits' if count == 1 else 'wait'}"


def ask_person(question: Question, screen: Screen, read: ReadLine) -> dict[str, Any] | None:
    """Ask on the terminal until the answer fits; {} goes on without an answer (a breakpoint).
    None: the person left the run paused (Ctrl-D)."""
    screen.print("", screen.ink(f"{screen.marks.ask} {_title(question)}", "ask"), *_body(question))
    while True:
        try:
            line = read(_prompt(question))
        except EOFError:
            return None
        if question.kind == "breakpoint":
            return {}
        if question.kind == "unknown" and line.strip().lower() in ("d", "done"):
            line = RESULT + read("what did it return? ")
        if question.kind == "task":
            line = _with_score(question, line, read)
        try:
            return {question.id: _parse_answer(question, line)}
        except RunError as error:
            screen.print(f"  {error.message}: {error.help}")


def _with_score(question: Question, text: str, read: ReadLine) -> str:
    """Return the result of a plain task with the person's own score of it, which gates compare."""
    whole = (question.schema or {}).get("required") == ["output"]
    if not whole or text.lstrip().startswith("{"):
        return text
    try:
        score = read("  how well are its criteria met, 0 to 1? (Enter: no score) > ").strip()
    except EOFError:
        return text
    return json.dumps({"output": text, "score": score}, ensure_ascii=False) if score else text


def read_line(prompt: str) -> str:
    """Read a line from the person, with editing keys; the prompt never goes into a piped stdout."""
    if sys.stdout.isatty():
        import readline  # noqa: F401  gives input() its editing keys

        return input(prompt)
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def can_ask() -> bool:
    """Whether a person sits at both ends: keys to type on, a screen to read from."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _title(question: Question) -> str:
    match question.kind:
        case "approve":
            return visible(question.text.replace("`", ""))
        case "ask":
            return f"{question.asker or question.node} asks"
        case "task":
            who = f" ({question.who})" if question.who else ""
            return f"{question.node} is yours to do{visible(who)}"
        case "turn":
            return f"{question.node} is yours to answer, as the model"
        case "unknown":
            return f"{question.node}: {visible(question.text)}"
        case "breakpoint":
            return f"stopped before {question.node}"
        case "wait" | "event":
            return f"{question.node} {visible(question.text)}{_left(question)}"


def _body(question: Question) -> Iterator[str]:
    if question.kind == "approve":
        for command in question.commands:
            first, *more = command.splitlines() or [""]
            yield f"    $ {visible(first)}"
            yield from (f"      {visible(line)}" for line in more)
    elif question.kind in ("ask", "task", "turn"):
        yield from (f"    {visible(line)}" for line in question.text.splitlines())
    elif question.kind == "unknown" and question.idempotency_key:
        arguments = json.dumps(question.input, ensure_ascii=False)
        yield f"    input: {one_line(visible(arguments), 90)}"
        yield f"    idempotency key: {question.idempotency_key}"


def _prompt(question: Question) -> str:
    match question.kind:
        case "approve":
            return "  [y]es once, [n]o, [a]lways in this run (Ctrl-D: later) > "
        case "ask" if question.choices:
            return f"  {', '.join(question.choices)} (Ctrl-D: later) > "
        case "turn" if question.ending == REPORT_TOOL:
            return "  passed, failed: WHY, or the report as JSON (Ctrl-D: later) > "
        case "ask" | "task" | "turn":
            return "  > "
        case "unknown":
            return "  [r]epeat it, [f]ail, [d]one: I know what it returned (Ctrl-D: later) > "
        case "breakpoint" | "wait" | "event":
            return "  Enter goes on (Ctrl-D: later) > "


def _answers(question: Question) -> list[tuple[str, str]]:
    """Return possible answers with their meaning."""
    match question.kind:
        case "approve":
            return [("yes", "run them"), ("no", "refuse"), ("always", "run all from now on")]
        case "ask":
            if question.choices:
                return [(choice, f"answer {choice}") for choice in question.choices]
            return [("TEXT", "answer")]
        case "task":
            return _task_answers(question)
        case "turn":
            return _turn_answers(question)
        case "unknown":
            repeat, fail = ("repeat", "repeat it"), ("fail", "count it as failed")
            return [repeat, fail, (f"{RESULT}TEXT", "it returned")]
        case "breakpoint" | "wait":
            return [("", "go on")]
        case "event":
            return [("VALUE", "it came")]


def _parse_answer(question: Question, text: str) -> Any:
    """Return the answer in its full form. Raise `RunError` that names the choices."""
    word = text.strip().lower()
    match question.kind:
        case "approve":
            if word in _APPROVALS:
                return _APPROVALS[word]
            raise RunError(
                f"`{text}` is not an answer to `{question.node}`", help="yes, no or always"
            )
        case "unknown":
            if word in _VERDICTS:
                return _VERDICTS[word]
            if text.startswith(RESULT):
                return text.removeprefix(RESULT).strip()
            raise RunError(
                f"`{text}` does not settle `{question.node}`",
                help=f"repeat, fail, or {RESULT}TEXT for what it returned",
            )
        case "ask" if question.asker:
            return no_command(text)
        case "ask":
            return choice_of(question, text) if question.choices else text
        case "task":
            check_result(question, text)
            return text
        case "turn":
            return _turn(text)
        case "event":
            return event_value(text)
        case "breakpoint" | "wait":
            return text


def event_value(text: str) -> Any:
    """Return what an event brings: JSON where it is some, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_events(texts: Sequence[str]) -> dict[str, Any]:
    """Return the events of `--event NAME` and `--event NAME=VALUE`, with what they bring."""
    parts = (text.partition("=") for text in texts)
    return {name: event_value(value) if sign else True for name, sign, value in parts}


def _left(question: Question) -> str:
    """Return how long a wait still lasts, or how long ago it was over."""
    due = due_of(question)
    left = 0.0 if due is None else due - time.time()
    if due is None:
        return ""
    return f", in {seconds_of(left)}" if left > 0 else f": that was {seconds_of(-left)} ago"


def _waiting_lines(question: Question, go_on: str) -> Iterator[str]:
    """Yield the commands that end a wait, or keep watch over it."""
    if question.kind == "event":
        yield f"  it comes:     {go_on} --event {question.event}=VALUE"
    if question.due:
        yield f"  at that time: {go_on}"
        yield "  or leave it to a process that watches: flowc watch"


def _turn(text: str) -> Any:
    """Return an object where one was written: a report, a structured answer, calls of tools."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _turn_answers(question: Question) -> list[tuple[str, str]]:
    if question.ending != REPORT_TOOL:
        return [("TEXT", "what the model answers")]
    properties = (question.schema or {}).get("properties", {})
    whole: dict[str, Any] = {"step_number": properties["step_number"]["const"], "status": "passed"}
    if "output_variables" in properties:
        names = properties["output_variables"]["properties"]
        whole["output_variables"] = dict.fromkeys(names, "VALUE")
    return [("passed", "it is done"), ("failed: WHY", "it failed"), (json.dumps(whole), "report")]


def _task_answers(question: Question) -> list[tuple[str, str]]:
    """Return possible answers: a text for the main thing, an object for all of it."""
    properties = (question.schema or {}).get("properties", {})
    if "scores" in properties:
        scores = json.dumps({"scores": dict.fromkeys(properties["scores"]["required"], 0.9)})
        return [("0.9", "the score of all"), (scores, "one by one")]
    if "decision" in properties:
        whole = json.dumps({"decision": "TEXT", "reason": "TEXT"})
        return [("TEXT", "the decision"), (whole, "with the reason")]
    whole = json.dumps({"output": "TEXT", "score": 0.9, "handoff": {"KEY": "VALUE"}})
    return [("TEXT", "what came of it"), (whole, "with a score")]
