"""Scripted answers: what a file may say, and that an answer depends on visit and turn alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.models.answer_file import parse_script, read_script
from flowc.runtime.models.scripted import ScriptedModels, ScriptedSender
from flowc.runtime.requests import HttpAnswer, HttpRequest, NoSender
from flowc.runtime.services import ModelReply, ModelRequest, ToolSchema


def models(text: str) -> ScriptedModels:
    return ScriptedModels(parse_script(text, "demo.answers.yaml"))


def ask(
    scripted: ScriptedModels,
    node: str,
    visit: int = 1,
    turn: int = 1,
    prompt: str | None = None,
    tools: tuple[ToolSchema, ...] = (),
) -> ModelReply:
    return asyncio.run(scripted.reply(ModelRequest((), tools, node, prompt, visit, turn)))


def report_tool(assertions: list[str]) -> ToolSchema:
    item = {"type": "object", "properties": {"assertion": {"enum": assertions}}}
    return ToolSchema(
        "report_step_result",
        "",
        {
            "type": "object",
            "properties": {
                "step_number": {"const": 4},
                "assertion_results": {"type": "array", "items": item},
            },
        },
    )


def test_a_single_text_answers_every_visit() -> None:
    scripted = models("PROMPT_PLAN: look at the versions")
    assert ask(scripted, "PROMPT_PLAN", visit=1).text == "look at the versions"
    assert ask(scripted, "PROMPT_PLAN", visit=7).text == "look at the versions"


def test_a_list_answers_visit_by_visit_in_any_order_of_asking() -> None:
    scripted = models("PROMPT_JUDGE: [IMPROVE, SUCCESS]")
    assert ask(scripted, "PROMPT_JUDGE", visit=2).text == "SUCCESS"
    assert ask(scripted, "PROMPT_JUDGE", visit=1).text == "IMPROVE"
    assert ask(scripted, "PROMPT_JUDGE", visit=2).text == "SUCCESS", "nothing is used up"


def test_answers_keep_the_words_as_written() -> None:
    scripted = models("A: [yes, 3.10, 0x1F, 2026-11-20, null]")
    assert [ask(scripted, "A", visit=n).text for n in range(1, 6)] == [
        "yes", "3.10", "0x1F", "2026-11-20", "null",
    ]  # fmt: skip


def test_a_tool_call_keeps_the_visit_open_and_a_report_ends_it() -> None:
    scripted = models(
        """
step_4:
  - call: {git_log: {count: 3}}
  - report: {status: passed, outputs: {HEAD: abc}}
  - report: failed
"""
    )
    assert ask(scripted, "step_4", 1, 1).tool_calls[0]["name"] == "git_log"
    assert ask(scripted, "step_4", 1, 1).tool_calls[0]["args"] == {"count": 3}
    report = ask(scripted, "step_4", 1, 2, tools=(report_tool([]),)).tool_calls[0]
    assert report["name"] == "report_step_result"
    assert report["args"]["step_number"] == 4
    assert report["args"]["output_variables"] == {"HEAD": "abc"}
    assert ask(scripted, "step_4", 2, 1).tool_calls[0]["args"]["status"] == "failed"


@pytest.mark.parametrize(
    "call",
    [
        "{call: query, args: {a: 1}}",
        "{call: {query: {a: 1}}}",
        "{call: [{query: {a: 1}}]}",
    ],
)
def test_the_forms_of_a_call_mean_the_same(call: str) -> None:
    reply = ask(models(f"A: [{call}, done]"), "A")
    assert [(c["name"], c["args"]) for c in reply.tool_calls] == [("query", {"a": 1})]


def test_several_calls_in_one_turn_have_different_stable_ids() -> None:
    scripted = models("A: [{call: [{x: {}}, {y: {}}, {x: {}}]}, done]")
    first, again = ask(scripted, "A").tool_calls, ask(scripted, "A").tool_calls
    assert first == again
    assert len({call["id"] for call in first}) == 3


def test_an_inner_list_is_one_visit_even_when_a_text_comes_before_its_end() -> None:
    scripted = models("A: [[I forgot the report., {report: passed}], second visit]")
    assert ask(scripted, "A", 1, 1).text == "I forgot the report."
    assert ask(scripted, "A", 1, 2).tool_calls[0]["args"]["status"] == "passed"
    assert ask(scripted, "A", 2, 1).text == "second visit"


def test_a_report_names_the_assertions_that_the_tool_schema_lists_s26() -> None:
    tool = report_tool(["a > 1", "b is set"])
    passed = ask(models("s: {report: passed}"), "s", tools=(tool,)).tool_calls[0]["args"]
    assert passed["step_number"] == 4
    assert [(r["assertion"], r["passed"]) for r in passed["assertion_results"]] == [
        ("a > 1", True),
        ("b is set", True),
    ]
    script = "s: {report: {asserts: [true, {passed: false, detail: empty}], error: no b}}"
    mixed = ask(models(script), "s", tools=(tool,)).tool_calls[0]["args"]
    assert [r["passed"] for r in mixed["assertion_results"]] == [True, False]
    assert mixed["assertion_results"][1]["detail"] == "empty"
    assert mixed["error_message"] == "no b"


def test_a_prompt_id_answers_when_the_node_has_no_entry() -> None:
    scripted = models("User Plan: from the prompt\nPROMPT_A: from the node")
    assert ask(scripted, "PROMPT_B", prompt="User Plan").text == "from the prompt"
    assert ask(scripted, "PROMPT_A", prompt="User Plan").text == "from the node"


def test_people_answer_questions_and_approvals() -> None:
    scripted = models(
        """
approve: no
ASK_GOAL: [first, second]
EXECUTE_A: {approve: [yes, no]}
EXECUTE_B: {approve: true}
"""
    )
    assert scripted.answer("ask", "ASK_GOAL", 2) == "second"
    assert scripted.answer("ask", "ASK_GOAL", 3) is None
    assert [scripted.answer("approve", "EXECUTE_A", n) for n in (1, 2)] == ["yes", "no"]
    assert scripted.answer("approve", "EXECUTE_B", 9) == "yes"
    assert scripted.answer("approve", "EXECUTE_C", 1) == "no"
    assert scripted.answer("unknown", "EXECUTE_A", 1) is None


def test_it_streams_its_text_and_never_calls_itself_a_model() -> None:
    pieces: list[str] = []
    request = ModelRequest((), (), "A", None, 1, 1, on_text=pieces.append)
    scripted = models("A: hello")
    asyncio.run(scripted.reply(request))
    assert pieces == ["hello"]
    assert scripted.label == "scripted answers (demo.answers.yaml): not a language model"
    assert not scripted.is_model


def test_a_missing_answer_says_which_and_what_there_is() -> None:
    scripted = models("PROMPT_A: [one]\nPROMPT_B: two")
    with pytest.raises(Failure) as caught:
        ask(scripted, "PROMPT_C", visit=3, turn=2, prompt="User C")
    for part in ("PROMPT_C", "User C", "visit 3", "turn 2", "`PROMPT_A`, `PROMPT_B`"):
        assert part in caught.value.message
    assert "demo.answers.yaml" in caught.value.help
    with pytest.raises(Failure, match="the answers of `PROMPT_A` end before that"):
        ask(scripted, "PROMPT_A", visit=2)


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("- a\n- b\n", "1:1", "a mapping of node or prompt ids"),
        ("A: 1\nA: 2\n", "2:1", "`A` is given twice"),
        ("A:\n  - txt: hello\n", "2:5", "`txt` is not a part of an answer"),
        ("A: {call: {x: {}}}\n", "1:4", "write a list of turns"),
        ("A: {args: {x: 1}, text: t}\n", "1:11", "`args` belong to a `call`"),
        ("A: [{call: x, report: passed}]\n", "1:23", "a report stands alone"),
        ("A: [{report: {stat: passed}}]\n", "1:14", "`stat` is not a part of a report"),
        ("E: {approve: perhaps}\n", "1:14", "an approval is `yes` or `no`"),
        ("A: [{call: {x: [1]}}, done]\n", "1:16", "expected a mapping"),
        ("A: [{call: x, args: !!python/name:os.system {}}, done]", "1:21", "is not allowed here"),
        ("A: 'open\n", "2:1", "not valid YAML"),
        ("? [a, b]\n: c\n", "1:3", "a key must be a plain text"),
        ("A: [{call: x, args: &a {b: *a}}, done]", "1:21", "an alias inside its own anchor"),
    ],
)
def test_a_fault_in_the_file_is_shown_at_its_place(text: str, place: str, says: str) -> None:
    with pytest.raises(RunError) as caught:
        models(text)
    assert caught.value.message.startswith(f"demo.answers.yaml:{place}: ")
    assert says in caught.value.message
    assert caught.value.exit_code == 2


def test_deep_nesting_is_an_error_and_not_a_crash() -> None:
    with pytest.raises(RunError, match="nested too deeply"):
        models("A: " + "[" * 50_000)


def test_a_file_that_is_missing_or_not_text_is_named(tmp_path) -> None:
    with pytest.raises(RunError, match=r"gone\.yaml` not found"):
        read_script(tmp_path / "gone.yaml")
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"A: caf\xe9\n")
    with pytest.raises(RunError, match="not UTF-8"):
        read_script(latin)


def test_an_empty_file_answers_nothing() -> None:
    with pytest.raises(Failure, match="it answers nothing"):
        ask(models(""), "A")


def test_the_example_in_the_documentation_is_a_script():
    page = (Path(__file__).parents[3] / "docs" / "models-and-tools.md").read_text()
    scripted = models(page.partition("```yaml\n")[2].partition("```")[0])
    assert ask(scripted, "PROMPT_JUDGE", visit=2).text == "SUCCESS"
    assert ask(scripted, "step_0", 1, 2).tool_calls[0]["args"]["output_variables"] == {
        "HEAD": "1f3a"
    }
    assert scripted.answer("approve", "EXECUTE_PLAN", 5) == "yes"
    assert scripted.answer("approve", "EXECUTE_OTHER", 1) == "no"


def send(text: str, node: str = "get", visit: int = 1, attempt: int = 1) -> HttpAnswer:
    sender = ScriptedSender(parse_script(text, "demo.answers.yaml"), NoSender())
    request = HttpRequest("GET", "https://h/", ("h",), node=node, visit=visit, attempt=attempt)
    return asyncio.run(sender.send(request))


def test_a_host_answers_what_the_script_says() -> None:
    long = "get: {http: {status: 201, headers: {X-One: 1}, json: {a: [1, yes, null]}}}"
    answer = HttpAnswer(201, {"x-one": "1"}, '{"a": [1, "yes", null]}')
    assert [send(long, visit=n, attempt=n) for n in (1, 9)] == [answer] * 2
    assert send("get: {http: {text: yes}}") == HttpAnswer(200, {}, "yes")
    assert send("get: {http: 404}") == HttpAnswer(404, {}, "")


def test_a_host_answers_by_visit_and_by_attempt() -> None:
    text = "get: [[{http: 503}, {http: 200}], {http: 204}]"
    assert [send(text, visit=v, attempt=a).status for v, a in ((1, 2), (2, 1), (1, 1))] == [
        200, 204, 503,
    ]  # fmt: skip
    for visit, attempt in ((1, 3), (2, 2), (3, 1)):
        with pytest.raises(Failure, match=f"`get`, visit {visit}, attempt {attempt} in demo"):
            send(text, visit=visit, attempt=attempt)


def test_an_answer_that_is_not_a_hosts_is_none() -> None:
    with pytest.raises(Failure, match="no scripted answer of a host"):
        send("get: fine")
    with pytest.raises(Failure, match="`A` has the answer of a host"):
        ask(models("A: {http: 200}"), "A")


def test_a_request_that_the_script_does_not_name_is_sent() -> None:
    with pytest.raises(Failure, match="requests cannot be sent here"):
        send("other: {http: 200}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("get: {http: 99}", "1:13: a status is a number from 100 to 599"),
        ("get: {http: {status: yes}}", "1:22: a status is a number"),
        ("get: {http: []}", "1:13: the answer of a host is a status, or a mapping"),
        ("get: {http: {body: 1}}", "`body` is not a part of a host's answer"),
        ("get: {http: {json: 1, text: 2}}", "`json` and `text` exclude each other"),
        ("get: {http: 200, text: x}", "the answer of a host stands alone"),
        ("get: {http: {headers: 3}}", "expected a mapping"),
    ],
)
def test_a_mistake_in_the_answer_of_a_host_is_told_at_its_place(text: str, told: str) -> None:
    with pytest.raises(RunError) as caught:
        parse_script(text, "demo.answers.yaml")
    assert told in str(caught.value)
