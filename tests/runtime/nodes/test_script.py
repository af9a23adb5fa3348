"""Script nodes in real graphs, with real worker processes (J19 to J30)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    ChooseNode,
    Script,
    ScriptNode,
    Seed,
    StateField,
    Thread,
    Tool,
)
from flowc.runtime.assembly import sandbox_options as confining
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.scripts.pool import ScriptWorkers
from sandbox_hosts import on_machine
from specs import SUCCESS, ask, assign, case, edge, lit, program
from worlds import start


def script(source: str, language: Any = "javascript", file: str = "flow/script.js") -> Script:
    return Script(id="s", language=language, source=source, file=file)


def node(function: str, **fields: Any) -> ScriptNode:
    given = {"shares": ("data",), "fixed": ("data",), "threads": ("main",), "keeps": "own"}
    return ScriptNode(id=f"n_{function}", script="s", function=function, **{**given, **fields})


def flow(source: str, *nodes: Any, data: Any = None, **fields: Any) -> Any:
    state = (
        StateField(name="data", type="any", default={} if data is None else data),
        StateField(name="own", type="object"),
        StateField(name="last_response", type="any"),
        StateField(name="RESULT", type="any"),
    )
    given: dict[str, Any] = {"scripts": (script(source),), "state": state, **fields}
    return program(*nodes, SUCCESS, **given)


def test_a_function_changes_fields_of_what_it_shares_and_its_result_goes_into_a_variable_j24(
    execute,
) -> None:
    source = "export default { go() { this.data.n += 1; return `n is ${this.data.n}`; } };"
    outcome = execute(flow(source, node("go", into="RESULT"), data={"n": 1}))
    assert (outcome.status, outcome.result) == ("success", "n is 2")
    assert outcome.variables["data"] == {"n": 2}


def test_properties_set_on_this_last_for_the_run_and_another_object_in_place_does_not_j24(
    execute,
) -> None:
    source = """export default {
  one() { this.turns = [1]; this.data = { lost: true }; },
  two() { this.turns.push(2); return this.turns.length + Object.keys(this.data).length; },
};"""
    outcome = execute(flow(source, node("one"), node("two", into="RESULT")))
    assert outcome.result == 2
    assert outcome.variables["own"] == {"turns": [1, 2]}
    assert outcome.variables["data"] == {}


def test_conversations_have_the_methods_of_j27_and_keep_what_is_added(execute, world) -> None:
    source = """export default {
  go() {
    const talk = this.workflow_contexts.get('main');
    const empty = talk.hasMessages();
    talk.addMessage({ role: 'user', content: 'one' });
    talk.addMessage('assistant', 'two');
    return [empty, talk.getMessages().length, talk.getLastMessage().content,
      talk.getMessagesByRole('user').map((m) => m.content).join()];
  },
  again() { const t = this.workflow_contexts.get('main'); t.clearMessages();
    t.addMessage('user', 'fresh'); return t.getMessages(); },
};"""
    spec = flow(source, node("go", into="RESULT"))
    assert execute(spec).result == [False, 2, "two", "one"]
    spec = flow(source, node("go"), node("again", into="RESULT"))
    assert execute(spec).result == [{"role": "user", "content": "fresh"}]


def test_a_conversation_begins_with_its_seed_until_it_is_cleared_j18(execute) -> None:
    source = """export default {
  look() { return this.workflow_contexts.get('main').getMessages().length; },
  clear() { this.workflow_contexts.get('main').clearMessages(); },
};"""
    threads = (Thread(id="main", seed=(Seed(role="system", content="Be brief."),)),)
    assert execute(flow(source, node("look", into="RESULT"), threads=threads)).result == 1
    spec = flow(source, node("clear"), node("look", into="RESULT"), threads=threads)
    assert execute(spec).result == 0


def test_a_reply_is_given_in_the_raw_form_of_an_answer_j25(execute, world) -> None:
    source = """export default {
  go() {
    const message = this.last_response.choices[0].message;
    const call = message.tool_calls?.[0];
    return [message.content, call?.function.name, JSON.parse(call?.function.arguments ?? '{}')];
  },
};"""
    world.models.replies = ["hello"]
    spec = flow(
        source,
        AgentNode(id="a", agent="main", prompt=None, reply_into="last_response"),
        node("go", shares=("last_response",), fixed=(), into="RESULT"),
    )
    assert execute(spec).result == ["hello", None, {}]


def test_an_error_ends_the_run_with_its_message_and_the_place_in_the_script_j30(execute) -> None:
    source = "export default {\n  go() {\n    throw new Error('no more');\n  },\n};"
    outcome = execute(flow(source, node("go")))
    assert outcome.status == "error"
    assert outcome.error["message"] == "no more"
    assert outcome.error["place"] == "flow/script.js:3:15"
    assert outcome.error["node"] == "n_go"


DECIDE = Tool(
    id="decide",
    source="declared",
    result="answer",
    description="Say how it goes on.",
    schema={"type": "object", "properties": {"more": {"type": "boolean"}}},
)


def test_a_call_of_an_answer_tool_is_the_reply_and_never_executed_j17(execute, world) -> None:
    source = """export default { go() {
  const { content, tool_calls: calls } = this.last_response.choices[0].message;
  return [content, calls[0].function.name, JSON.parse(calls[0].function.arguments).more];
} };"""
    world.models.replies = [[("decide", {"more": True})]]
    spec = flow(
        source,
        AgentNode(id="a", agent="main", prompt=None, reply_into="last_response"),
        node("go", shares=("last_response",), fixed=(), into="RESULT"),
        tools=(DECIDE,),
        agents=(Agent(id="main", thread="main", tools=("decide",)),),
    )
    outcome = execute(spec)
    assert outcome.result == ["", "decide", True]
    assert [tool.name for tool in world.models.requests[0].tools] == ["decide"]
    assert world.models.requests[0].tools[0].parameters == DECIDE.schema
    calls = [{"id": "c0", "name": "decide", "args": {"more": True}}]
    assert outcome.variables["last_response"] == {"content": "", "tool_calls": calls}


def seen(world: Any) -> list[tuple[str, str]]:
    return [(m["role"], m["content"]) for m in world.models.requests[-1].messages]


def test_an_agent_sees_its_system_text_and_the_threads_own_and_keeps_neither_j15(
    execute, world
) -> None:
    seed = (Seed(role="system", content="the thread's"), Seed(role="user", content="q"))
    world.models.replies = ["a"]
    spec = program(
        AgentNode(id="a", agent="main", prompt=None, into="RESULT"),
        SUCCESS,
        threads=(Thread(id="main", seed=seed),),
        agents=(Agent(id="main", thread="main", system=lit("its own")),),
    )
    assert execute(spec).result == "a"
    assert seen(world) == [("system", "its own"), ("system", "the thread's"), ("user", "q")]


def test_the_other_side_sees_users_and_assistants_swapped_and_the_rest_as_it_is_j14(
    execute, world
) -> None:
    roles = ("system", "user", "assistant", "narrator")
    seed = tuple(Seed(role=role, content=role) for role in roles)
    world.models.replies = ["a"]
    spec = program(
        AgentNode(id="a", agent="main", prompt=None, into="RESULT"),
        SUCCESS,
        threads=(Thread(id="main", seed=seed),),
        agents=(Agent(id="main", thread="main", perspective="user"),),
    )
    execute(spec)
    assert seen(world) == [
        ("system", "system"),
        ("assistant", "user"),
        ("user", "assistant"),
        ("user", "narrator"),
    ]


@pytest.mark.parametrize(
    ("perspective", "stored"),
    [("assistant", [("user", "ask"), ("assistant", "say")]),
     ("user", [("assistant", "ask"), ("user", "say")])],
)  # fmt: skip
def test_question_and_answer_are_kept_from_the_agents_side_and_empty_answers_are_not_j36(
    execute, world, perspective: Any, stored: Any
) -> None:
    agents = (
        Agent(id="main", thread="main", perspective=perspective, remember="both"),
        Agent(id="plain", thread="main"),
    )
    world.models.replies = ["say", "", "end"]
    spec = program(
        AgentNode(id="a", agent="main", prompt=lit("ask")),
        AgentNode(id="b", agent="main", prompt=lit("again")),
        AgentNode(id="c", agent="plain", prompt=None, into="RESULT"),
        SUCCESS,
        agents=agents,
    )
    execute(spec)
    again = "user" if perspective == "assistant" else "assistant"
    assert seen(world) == [*stored, (again, "again")]


def test_what_an_agent_adds_cuts_its_thread_and_starting_messages_stay_until_then_j13(
    execute, world
) -> None:
    seed = tuple(Seed(role="user", content=f"{n}" * 10) for n in range(5))
    world.models.replies = ["one", "two"]
    spec = program(
        AgentNode(id="a", agent="main", prompt=None),
        AgentNode(id="b", agent="main", prompt=None, into="RESULT"),
        SUCCESS,
        threads=(Thread(id="main", seed=seed, max_chars=25, keep_min=2),),
    )
    execute(spec)
    first, second = ([m["content"] for m in r.messages] for r in world.models.requests)
    assert len(first) == 5
    assert second == ["3" * 10, "4" * 10, "one"]


def test_an_agents_own_tools_may_be_used_in_all_its_nodes(execute, world) -> None:
    world.tools.functions = {"look": lambda: "seen", "extra": lambda: "more"}
    world.models.replies = [[("extra", {})], [("look", {})], "done"]
    spec = program(
        AgentNode(
            id="a", agent="main", prompt=lit("q"), tools=("look",), ordered=True, into="RESULT"
        ),
        SUCCESS,
        agents=(Agent(id="main", tools=("extra",)),),
    )
    assert execute(spec).result == "done"
    assert [name for name, _ in world.tools.calls] == ["extra", "look"]


def test_the_clock_of_a_run_begins_once_and_goes_on_with_its_steps_j32(execute) -> None:
    source = """export default {
  one() { this.data.first = [Date.now(), Math.random()]; },
  two() { this.data.second = [Date.now(), Math.random()]; } };"""
    data = execute(flow(source, node("one"), node("two"))).variables["data"]
    assert data["second"][0] == data["first"][0] + 1
    assert data["second"][1] != data["first"][1]
    assert abs(data["first"][0] / 1000 - time.time()) < 60


@pytest.mark.parametrize("given", ["{}", "{role: 'user', content: ''}", "'user'", "'', 'x'"])
def test_a_message_needs_a_role_and_a_content_and_any_role_will_do_j11(execute, given: str) -> None:
    source = f"""export default {{ go() {{
  const talk = this.workflow_contexts.get('main');
  talk.addMessage('narrator', 'once');
  talk.addMessage({given});
}} }};"""
    outcome = execute(flow(source, node("go")))
    assert outcome.error["message"].endswith(
        "a message needs a role and a content that is not empty"
    )
    assert outcome.error["place"].startswith("flow/script.js:4:")


def test_an_answer_is_only_kept_by_a_script_where_the_agent_does_not_remember_j16(
    execute, world
) -> None:
    source = """export default {
  look() { return this.workflow_contexts.get('main').getMessages().length; } };"""
    world.models.replies = ["answer"]
    spec = flow(
        source,
        AgentNode(id="a", agent="main", prompt=lit("q")),
        node("look", into="RESULT"),
        agents=(Agent(id="main", thread="main"),),
    )
    assert execute(spec).result == 0


def test_a_variable_that_adds_up_is_after_the_call_what_the_script_made_of_it(execute) -> None:
    source = """export default {
  more() { this.list.push(2); this.sum += 5; this.map.b = 2; },
  other() { this.list = [9]; this.sum = 1; },
};"""
    state = (
        StateField(name="list", type="list", reducer="append"),
        StateField(name="sum", type="number", reducer="add"),
        StateField(name="map", type="object", reducer="merge"),
    )
    shared = {"shares": ("list", "sum", "map"), "fixed": (), "threads": (), "keeps": None}
    begin = assign("begin", list=lit([1]), sum=lit(1), map=lit({"a": 1}))
    after = execute(flow(source, begin, node("more", **shared), state=state, outputs=()))
    assert after.variables == {"list": [1, 2], "sum": 6, "map": {"a": 1, "b": 2}}
    nodes = (begin, node("more", **shared), node("other", **shared))
    after = execute(flow(source, *nodes, state=state, outputs=()))
    assert after.variables == {"list": [9], "sum": 1, "map": {"a": 1, "b": 2}}


def in_python() -> Any:
    source = "def go(self):\n    self.data['n'] = 1\n    return 'ran'\n"
    return flow("", node("go", into="RESULT"), scripts=(script(source, "python", "s.py"),))


def test_a_script_in_python_is_asked_about_only_without_a_sandbox(wait, url, world) -> None:
    world.approve = "ask"

    async def go() -> Any:
        async with open_engine(url) as engine:
            return await start(engine, in_python(), world)

    assert wait(go()).result == "ran"


def test_without_a_sandbox_it_needs_the_permission_that_commands_need(wait, url, world) -> None:
    world.approve = "ask"
    world.scripts = ScriptWorkers(confined=Confinement(Path("/"), Path("/"), mode="off"))

    async def go() -> list[Any]:
        async with open_engine(url) as engine:
            asked = await start(engine, in_python(), world)
            refused = await engine.resume("r", in_python(), world, answers={"": "no"})
            world.approve = "allow"
            return [asked, refused, await engine.resume("r", in_python(), world, answers={})]

    asked, refused, done = wait(go())
    assert (asked.status, asked.questions[0].kind) == ("paused", "approve")
    assert "with all your rights" in asked.questions[0].text
    assert asked.questions[0].commands == ("s.py: go",)
    assert (refused.status, refused.error["kind"]) == ("error", "refused")
    assert (done.status, done.result, done.variables["data"]) == ("success", "ran", {"n": 1})


def test_a_long_conversation_with_a_seed_is_whole_after_a_resume_j13(wait, url, world) -> None:
    """Checkpoints hold what was added since the last whole copy; the seed is in none of them."""
    source = """export default {
  go() { const t = this.workflow_contexts.get('main'); t.addMessage('user', 'x');
    return t.getMessages().length; } };"""
    spec = flow(
        source,
        node("go", into="RESULT"),
        ChooseNode(id="way", on=lit("more")),
        ask("q"),
        threads=(Thread(id="main", seed=(Seed(role="system", content="s"),)),),
        edges=(
            edge("n_go", "way"),
            case("way", "more", "n_go"),
            case("way", "done", "q"),
            edge("q", "n_go"),
        ),
    )

    async def go() -> list[Any]:
        found = []
        for number in range(4):
            world.max_steps = 40 * (number + 1)
            async with open_engine(url) as engine:
                if number:
                    outcome = await engine.resume("r", spec, world, answers={})
                else:
                    outcome = await start(engine, spec, world)
            found.append((outcome.status, outcome.result))
        return found

    assert wait(go()) == [("stopped", n) for n in (21, 41, 61, 81)]


def test_a_machine_that_cannot_hold_scripts_refuses_the_workflow_before_it_runs() -> None:
    with on_machine({}, {"landlock": "taken away"}):
        confining.require_sandbox("off", (in_python(),), ())
        with pytest.raises(RunError, match="no sandbox that holds"):
            confining.require_sandbox("auto", (in_python(),), ())
