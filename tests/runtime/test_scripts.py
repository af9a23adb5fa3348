"""Script nodes in real graphs, with real worker processes (J19 to J30)."""

from __future__ import annotations

from typing import Any

from flowc.compiler.ir import (
    AgentNode,
    Script,
    ScriptNode,
    Seed,
    StateField,
    Thread,
)
from specs import SUCCESS, program


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
