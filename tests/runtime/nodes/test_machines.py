"""State machines from the file to the end of the run, scripts in real workers (J10–J46)."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.runtime.services import Outcome
from machines import compile_machine, handlers, machine

SAY = (
    "const talk = this.workflow_contexts.get('hall'); "
    "talk.addMessage('user', 'Greet ' + this.common_data.guest);"
)
KEEP = "this.common_data.greeting = this.last_response.choices[0].message.content;"


@pytest.fixture
def run(tmp_path, execute, world):
    """Run a machine on replies of the test; the messages of each call are in `run.calls`."""

    def go(value: Any, *replies: Any, guest: str = "Ada", **files: Any) -> Outcome:
        result = compile_machine(tmp_path, value, **files)
        assert result.ok, result.diagnostics
        world.models.replies = list(replies)
        return execute(result.spec, {"guest": guest})

    go.calls = lambda: [  # type: ignore[attr-defined]
        [(m["role"], m["content"]) for m in request.messages] for request in world.models.requests
    ]
    return go


def state(name: str, **parts: Any) -> dict[str, Any]:
    return {"name": name, **parts}


# ---- conversations ----


@pytest.mark.parametrize(("most", "left"), [(280, 12), (3, 10)])
def test_a_context_counts_characters_and_cuts_when_a_message_is_added_j10_j12_j13(
    run, most, left
) -> None:
    script = handlers(
        fill="const t = this.workflow_contexts.get('hall'); "
        "for (let n = 0; n < 14; n++) t.addMessage('user', 'word ' + n);",
        look="this.common_data.left = this.workflow_contexts.get('hall').getMessages()"
        ".map((m) => m.content);",
    )
    seed = [{"role": "system", "content": "s" * 200}, {"role": "user", "content": "u" * 200}]
    contexts = [{"name": "hall", "starting_messages": seed, "max_length": most}]
    states = [state("start", pre_handler="look", transition_handler="on")]
    states.append(state("two", pre_handler="fill", post_handler="look"))
    script = script.replace("};\n", "  on() { return 'two' },\n};\n")
    outcome = run(machine(*states, contexts=contexts), script=script)
    assert outcome.status == "success", outcome.error
    # It stops as soon as the length fits, and stops at ten messages that are not the system's.
    words = [f"word {n}" for n in range(14)]
    assert outcome.variables["common_data"]["left"] == ["s" * 200, *words[-left:]]


def test_a_message_has_a_role_of_any_word_and_a_content_j11(run) -> None:
    script = handlers(
        a="this.workflow_contexts.get('hall').addMessage('elf', 'hi');",
        b="this.workflow_contexts.get('hall').addMessage('user', '');",
    )
    outcome = run(machine(state("start", pre_handler="a", post_handler="b")), script=script)
    assert outcome.status == "error"
    assert "content" in outcome.error["message"]


def test_a_role_that_models_do_not_have_speaks_as_a_user_j11(run) -> None:
    contexts = [{"name": "hall", "starting_messages": [{"role": "elf", "content": "Hi."}]}]
    run(machine(state("start", agent="host"), contexts=contexts), "Welcome!")
    assert run.calls() == [[("user", "Hi.")]]


def test_an_agent_sees_its_context_from_its_side_and_nothing_is_stored_j14_j16(run) -> None:
    states = [
        state("start", agent="host", pre_handler="say", transition_handler="on"),
        state("two", agent="visitor"),
    ]
    script = handlers(say=SAY, on="return 'two'")
    outcome = run(machine(*states), "Welcome!", "Thanks", script=script)
    assert outcome.status == "success"
    assert run.calls() == [[("user", "Greet Ada")], [("assistant", "Greet Ada")]]


@pytest.mark.parametrize("agent", ["host", "visitor"])
def test_messages_of_the_system_and_of_tools_stay_for_both_sides_j14(run, agent) -> None:
    script = handlers(
        say="const talk = this.workflow_contexts.get('hall'); talk.addMessage('system', 'Late.'); "
        "talk.addMessage({ role: 'tool', tool_call_id: 'c1', content: 'found' });"
    )
    run(machine(state("start", agent=agent, pre_handler="say")), "Hm.", script=script)
    assert run.calls() == [[("system", "Late."), ("tool", "found")]]


def test_what_the_role_says_stands_in_front_also_of_a_system_message_j15(run) -> None:
    seed = [{"role": "system", "content": "It is late."}]
    contexts = [{"name": "hall", "starting_messages": seed}]
    roles = {"host": {"systemMessage": "Be kind."}, "visitor": {}}
    value = machine(state("start", agent="host", pre_handler="say"), contexts=contexts)
    run(value, "Welcome!", script=handlers(say=SAY), roles=roles)
    assert run.calls() == [
        [("system", "Be kind."), ("system", "It is late."), ("user", "Greet Ada")]
    ]


# ---- running ----


def test_the_functions_are_those_of_the_default_export_j7(run) -> None:
    script = "export const go = 'no function';\n" + handlers(go="this.common_data.x = 1")
    outcome = run(machine(state("start", pre_handler="go")), script=script)
    assert outcome.variables["common_data"]["x"] == 1


def test_handlers_are_called_without_arguments_j19(run) -> None:
    count = "this.common_data.given = (this.common_data.given || 0) + arguments.length;"
    calls = dict.fromkeys(("pre_handler", "post_handler", "transition_handler"), "count")
    outcome = run(machine(state("start", **calls)), script=handlers(count=count))
    assert outcome.variables["common_data"]["given"] == 0


def test_the_first_state_is_start_wherever_it_stands_j18(run) -> None:
    outcome = run(machine(state("other"), state("start")))
    assert outcome.variables["states_visited"] == ["start"]


def test_the_input_wins_over_a_variable_of_its_name_j18(run) -> None:
    outcome = run(machine(variables={"guest": "nobody", "n": [1]}))
    assert outcome.variables["common_data"] == {"guest": "Ada", "n": [1]}


@pytest.mark.parametrize("body", ["", "return null", "return undefined", "return ''"])
def test_nothing_returned_leads_to_stop_j20(run, body) -> None:
    states = [state("start", transition_handler="on"), state("other")]
    outcome = run(machine(*states), script=handlers(on=body))
    assert (outcome.status, outcome.variables["states_visited"]) == ("success", ["start"])


def test_without_a_transition_handler_the_next_is_stop_j20(run) -> None:
    outcome = run(machine(state("start"), state("other")))
    assert (outcome.status, outcome.variables["states_visited"]) == ("success", ["start"])


def test_another_name_ends_the_run_failed_j21(run) -> None:
    script = handlers(on="return ['no', 'where'].join('')")
    outcome = run(machine(state("start", transition_handler="on")), script=script)
    assert (outcome.status, outcome.result) == ("failed", "Unknown state: nowhere")


def test_a_promise_of_a_name_is_not_awaited_j21(run) -> None:
    script = handlers(on="return Promise.resolve('stop')")
    outcome = run(machine(state("start", transition_handler="on")), script=script)
    assert outcome.status == "error"
    assert "Promise" in outcome.error["message"]


def test_a_state_without_agent_only_runs_its_handlers_j22(run) -> None:
    value = machine(state("start", pre_handler="a", post_handler="b"))
    script = handlers(a="this.common_data.x = 1", b="this.common_data.x += 1")
    assert run(value, script=script).variables["common_data"]["x"] == 2


def test_stop_is_never_executed_j23(run) -> None:
    stop = state("stop", agent="host", pre_handler="boom", transition_handler="boom")
    outcome = run(machine(state("start"), stop), script=handlers(boom="throw new Error('no')"))
    assert outcome.status == "success"


def test_what_this_has_in_a_function_and_what_stays_j24(run) -> None:
    script = handlers(
        look="const talk = this.workflow_contexts.get('hall'); "
        "this.common_data.seen = [this.input, talk.hasMessages(), this.twice(2), this.fixed]; "
        "this.mine = 1; this.common_data = { lost: true };",
        on="this.common_data.mine = this.mine; return 'two'",
        twice="return 2 * arguments[0]",
    ).replace("};\n", "  fixed: 'of the script',\n};\n")
    states = [state("start", pre_handler="look", transition_handler="on"), state("two")]
    outcome = run(machine(*states), script=script)
    assert outcome.variables["common_data"] == {
        "guest": "Ada", "seen": ["Ada", False, 4, "of the script"], "mine": 1,
    }  # fmt: skip


def test_a_pre_handler_sees_the_raw_answer_of_the_state_before_j25(run) -> None:
    script = handlers(
        look="this.common_data.answer = this.last_response.choices[0].message;",
        on="return 'two'",
    )
    states = [
        state("start", agent="visitor", transition_handler="on"),
        state("two", agent="host", pre_handler="look"),
    ]
    outcome = run(machine(*states), [("leave", {"why": "late"})], "Bye", script=script, roles=LEAVE)
    message = outcome.variables["common_data"]["answer"]
    (called,) = message["tool_calls"]
    assert message["content"] == ""
    assert called["function"] == {"name": "leave", "arguments": '{"why": "late"}'}


def test_what_documents_mention_and_no_engine_has_is_not_there_j26(run) -> None:
    body = (
        "this.common_data.seen = ['variables', 'current_state', 'logger', 'config']"
        ".filter((name) => name in this);"
    )
    outcome = run(machine(state("start", pre_handler="look")), script=handlers(look=body))
    assert outcome.variables["common_data"]["seen"] == []


def test_the_states_visited_with_repeats_and_without_stop_j28(run) -> None:
    states = [state("start", transition_handler="on"), state("two", transition_handler="on")]
    body = "const n = (this.common_data.n = (this.common_data.n || 0) + 1); "
    body += "return ['two', 'two', 'start', 'stop'][n - 1];"
    outcome = run(machine(*states), script=handlers(on=body))
    assert outcome.variables["states_visited"] == ["start", "two", "two", "start"]
    assert outcome.variables["common_data"]["n"] == 4


@pytest.mark.parametrize(
    ("given", "data", "result"),
    [
        ("common_data.a.b", {"a": {"b": 7}}, 7),
        ("common_data.a.b", {"a": {"b": ""}}, ""),
        ("common_data.a.b", {"a": {"b": 0}}, 0),
        ("common_data.a.b", {"greeting": "kept"}, "kept"),
        ("common_data.a.b", {"greeting": 0}, "Workflow completed successfully"),
        ("plain text", {}, "plain text"),
        (None, {"greeting": "kept"}, "kept"),
        (None, {}, "Workflow completed successfully"),
    ],
)
def test_the_output_j29(run, given, data, result) -> None:
    stop = state("stop", **({} if given is None else {"input": given}))
    assert run(machine(state("start"), stop, variables=data)).result == result


def test_a_failure_in_a_handler_ends_the_run_with_message_and_place_j30(run) -> None:
    script = "export default {\n  go() {\n    this.missing();\n  },\n};\n"
    outcome = run(machine(state("start", pre_handler="go")), script=script)
    assert outcome.status == "error"
    assert "not a function" in outcome.error["message"]
    assert "greeting/script.js:3:" in outcome.error["place"]


def test_a_run_that_fails_keeps_what_it_had_j28(run) -> None:
    script = handlers(on="this.common_data.n = 1; return 'two'", boom="throw new Error('no')")
    states = [state("start", transition_handler="on"), state("two", pre_handler="boom")]
    outcome = run(machine(*states), script=script)
    assert outcome.status == "error"
    assert outcome.variables["states_visited"] == ["start", "two"]
    assert outcome.variables["common_data"] == {"guest": "Ada", "n": 1}


def test_the_run_has_a_limit_on_steps_and_the_format_none_j31(run, world) -> None:
    world.max_steps = 40
    value = machine(state("start", transition_handler="on"))
    outcome = run(value, script=handlers(on="return this.common_data.x || 'start'"))
    assert outcome.status == "stopped"
    assert len(outcome.variables["states_visited"]) > 5


def test_what_scripts_use_j32(run) -> None:
    script = """const SIGNS = { loud: "!", soft: "." };
const sign = (mood) => SIGNS[mood] ?? SIGNS.soft;
export default {
  go() {
    const { guest } = this.common_data;
    const words = ["dear", guest?.toUpperCase(), null].filter((w) => w).map((w) => `${w}`);
    let n = 0;
    words.forEach((w) => { n++; });
    try { JSON.parse("{"); } catch (error) { this.common_data.error = error.name; }
    this.common_data.text = this.joined(words) + sign("loud") + sign("odd") + n;
    this.common_data.date = new Date().toISOString().length;
    console.log("said", words);
  },
  joined(words) { return words.join(" "); },
};
"""
    data = run(machine(state("start", pre_handler="go")), script=script).variables["common_data"]
    assert (data["text"], data["error"], data["date"]) == ("dear ADA!.2", "SyntaxError", 24)


# ---- the older dialect ----


def older(name: str, *transitions: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"name": name, **parts, "transition": list(transitions)}


def to(target: str, condition: str = "true", **more: str) -> dict[str, Any]:
    return {"target": target, "condition": condition, **more}


def test_what_is_sent_and_answered_is_stored_swapped_for_a_user_s_side_j36(run) -> None:
    states = [
        older("start", to("two"), agent="host", input="One"),
        older("two", to("three"), agent="visitor", input="Two"),
        older("three", to("stop"), agent="host", input="Three"),
    ]
    outcome = run(machine(*states), "first", [("leave", {})], "third", roles=LEAVE)
    assert outcome.status == "success"
    assert run.calls() == [
        [("user", "One")],
        [("assistant", "One"), ("user", "first"), ("user", "Two")],
        # The answer of the second was empty, and is not stored.
        [("user", "One"), ("assistant", "first"), ("assistant", "Two"), ("user", "Three")],
    ]


def test_what_the_role_says_is_never_stored_j15(run) -> None:
    states = [older(name, to(then), agent="host", input=name) for name, then in PAIRS]
    roles = {"host": {"systemMessage": "Be kind."}, "visitor": {}}
    run(machine(*states), "first", "second", roles=roles)
    told = ("system", "Be kind.")
    assert run.calls() == [
        [told, ("user", "start")],
        [told, ("user", "start"), ("assistant", "first"), ("user", "two")],
    ]


PAIRS = [("start", "two"), ("two", "stop")]
LEAVE = {
    "host": {},
    "visitor": {
        "parsingTools": [{"type": "function", "function": {"name": "leave"}, "parsingOnly": True}]
    },
}


def test_the_first_condition_that_holds_is_taken_and_its_before_alone_is_run_j39_j40(run) -> None:
    states = [
        older(
            "start",
            to("a", "common_data.n > 5", before="common_data.seen = 'a'"),
            to("b", "common_data.n > 1", before="common_data.b = common_data.seen"),
            to("c", "true", before="common_data.seen = 'c'"),
        ),
        *(state(name) for name in "abc"),
    ]
    outcome = run(machine(*states, variables={"n": 3, "seen": "nothing"}))
    assert outcome.variables["states_visited"] == ["start", "b"]
    assert outcome.variables["common_data"]["b"] == "nothing"


def test_javascript_in_the_json_reads_the_answer_and_the_call_of_a_tool_j37_j41(run) -> None:
    before = (
        "let said = this.lastAgentResponse.trim(); "
        "common_data.said = said + function.leave.arguments.why + typeof function.x.arguments.y;"
    )
    states = [older("start", to("stop", "true", before=before), agent="visitor", input="Go?")]
    outcome = run(machine(*states), [("leave", {"why": "late"})], roles=LEAVE)
    assert outcome.variables["common_data"]["said"] == "lateundefined"


def test_an_empty_message_fails_j35(run) -> None:
    states = [older("start", to("stop"), agent="host", input="common_data.missing")]
    outcome = run(machine(*states))
    assert outcome.error["message"] == "state `start` sends an empty message"


def test_a_conversation_can_be_added_to_and_cleared_j34(run) -> None:
    note = {"function": "addUserMessage"}
    clear = {"function": "clearConversation"}
    states = [
        older("start", to("two"), agent="host", input="Note", action=note),
        older("two", to("three"), agent="host", input="Ask"),
        older("three", to("four"), agent="host", action=clear),
        older("four", to("stop"), agent="host", input="Anew"),
    ]
    run(machine(*states), "one", "two")
    assert run.calls() == [[("user", "Note"), ("user", "Ask")], [("user", "Anew")]]


def test_javascript_in_a_condition_holds_where_its_value_does_j38(run) -> None:
    states = [
        older("start", to("a", "common_data.list.slice(2).length"),
              to("b", "common_data.list.slice(1).length")),
        state("a"), state("b"),
    ]  # fmt: skip
    outcome = run(machine(*states, variables={"list": [1, 2]}))
    assert outcome.variables["states_visited"] == ["start", "b"]


def test_code_in_the_json_that_throws_points_at_its_place_j38(run, tmp_path) -> None:
    states = [older("start", to("stop", "common_data.missing.length > 3"))]
    states[0]["action"] = {"script": "let n = common_data.missing.length; common_data.n = n;"}
    outcome = run(machine(*states))
    text = (tmp_path / "greeting.json").read_text("utf-8").split("\n")
    file, line, column = outcome.error["place"].rsplit(":", 2)
    assert file.endswith("greeting.json")
    assert text[int(line) - 1][int(column) - 1 :].startswith("common_data.missing.length; ")
