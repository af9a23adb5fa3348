"""Scripts in Python, and conversations that both kinds of scripts and nodes cut alike."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import Thread
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.services import Conversation, ScriptCall, ScriptResult
from flowc.runtime.state.conversations import adding, change_of, fold_messages
from flowc.runtime.state.messages import channel_message, message_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sandbox_hosts import on_machine
from script_calls import call, failure, of, run

PYTHON = '''"""A script."""
import math


def helper(self, text):
    return text.upper()


def go(self):
    talk = self.workflow_contexts.get("main")
    talk.addMessage("user", "hi")
    self.data["n"] = math.floor(2.5)
    self.own = [1]
    print("said")
    return self.helper("x") + str(len(talk.getMessages()))


def boom(self):
    raise ValueError("bad value")


def odd(self):
    self.data["o"] = object()


def forever(self):
    while True:
        pass


def hungry(self):
    return "x" * (1 << 30)


def leave(self):
    raise SystemExit(3)
'''


def python(function: str, **fields: Any) -> ScriptCall:
    threads = {"main": Conversation(())}
    return of(PYTHON, function, "python", threads=threads, **fields)


def test_a_script_in_python_has_the_same_things_on_self() -> None:
    (result,) = run(python("go"))
    assert isinstance(result, ScriptResult)
    assert (result.value, result.shares, result.kept) == (
        "X1",
        {"data": {"a": 1, "n": 2}},
        {"own": [1]},
    )
    assert result.threads == {"main": {"append": [{"role": "user", "content": "hi"}]}}
    assert result.log == (("info", "said"),)


@pytest.mark.parametrize(
    ("function", "message", "place"),
    [
        ("boom", "ValueError: bad value", "script.py:19:5"),
        ("odd", "self.data.o holds a object", "script.py:22:1"),
        ("forever", "used more than 1 s of processor time", "script.py:26:1"),
        ("hungry", "of memory", "script.py:32:"),
        ("leave", "SystemExit: 3", "script.py:36:5"),
        ("nothing", "script.py has no function `nothing`", "script.py:1:1"),
    ],
)
def test_what_goes_wrong_in_python_is_said_with_its_line(
    function: str, message: str, place: str
) -> None:
    told, where = failure(python(function))
    assert message in told
    assert where.startswith(place)


def test_a_script_in_python_that_does_not_parse() -> None:
    told, where = failure(of("def go(self:\n  pass\n", language="python"))
    assert told.startswith("SyntaxError")
    assert where.startswith("script.py:1:")


def python_body(*lines: str) -> ScriptCall:
    return of("def go(self):\n" + "".join(f"    {line}\n" for line in lines), language="python")


REFUSED = {
    "reads": ("return open(self.data['file']).read()",),
    "lists": ("import os", "return os.listdir(self.data['folder'])"),
    "writes": ("with open(self.data['new'], 'w') as file: file.write('x')",),
    "grows": (
        "import os",
        "folder = os.environ.get('TMPDIR', self.data['folder'])",
        "with open(folder + '/x', 'w') as file: file.write('x' * 99)",
    ),
    "connects": ("import socket", "socket.socket(socket.AF_INET)"),
    "forks": ("import os", "os.fork()"),
    "executes": ("import os", "os.execv('/bin/true', ['true'])"),
    "kills": ("import os", "os.kill(os.getppid(), 9)"),
}


@pytest.mark.parametrize("harm", REFUSED)
@pytest.mark.parametrize("mode", ["auto", "off"])
def test_a_script_in_python_reaches_nothing(harm: str, mode: Any, tmp_path: Path) -> None:
    """Without the sandbox the same scripts have their way, so it is the sandbox that holds them."""
    if mode == "off" and harm in ("kills", "executes"):
        pytest.skip("ends the worker itself")
    secret, new = tmp_path / "secret", tmp_path / "new"
    secret.write_text("hunter2")
    paths = {"file": str(secret), "folder": str(tmp_path), "new": str(new)}
    one = replace(python_body(*REFUSED[harm]), shares={"data": paths})
    confined = Confinement(tmp_path, tmp_path / "own", mode=mode)
    (result,) = run(one, confined=confined)
    if mode == "auto":
        assert isinstance(result, Failure), result
        assert "Error: [Errno" in result.message
        assert not new.exists()
    else:
        assert isinstance(result, ScriptResult), result


def test_what_a_script_in_python_sees_is_the_same_each_time_j32() -> None:
    one = python_body(
        "import os, time", "seen = {'a', 'b', 'c', 'd', 'e', 'f'}",
        "return [list(seen), hash('x'), time.tzname[0], sorted(os.environ)]",
    )  # fmt: skip
    first, again = run(one, one)
    assert isinstance(first, ScriptResult), first
    assert first == again
    names = ["HOME", "LC_ALL", "PYTHONHASHSEED", "PYTHONUTF8", "TMPDIR", "TZ"]
    assert first.value[2:] == ["UTC", names]


@pytest.mark.parametrize("language", ["javascript", "python"])
def test_the_level_is_told_once_and_a_weak_sandbox_runs_no_script(
    language: str, monkeypatch: Any
) -> None:
    told: list[dict[str, Any]] = []
    confined = Confinement(Path("/"), Path("/"), listener=told.append)
    source = {
        "javascript": "export default { go() { return 1; } };",
        "python": "def go(self):\n    return 1\n",
    }[language]
    one = of(source, language=language)
    came = run(one, one, confined=confined)
    assert [getattr(result, "value", result) for result in came] == [1, 1]
    assert [(data["profile"], data["level"]) for data in told] == [
        ("snippet", probe("snippet").level)
    ]
    layers = probe("snippet").active
    strong = {name: layers[name] for name in layers.keys() - {"namespaces", "mounts"}}
    for mode, active in (("auto", {}), ("strict", strong)):
        with on_machine(active, {"landlock": "taken away"}):
            (refused,) = run(one, confined=Confinement(Path("/"), Path("/"), mode=mode))
        assert isinstance(refused, Failure)
        assert refused.kind == "refused"
        assert "landlock: taken away" in refused.message


def test_nothing_of_a_worker_is_left(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run(python("go"), python("boom"), of("export default { go() { throw 1; } };"))
    assert list(tmp_path.iterdir()) == []


MESSAGES = st.lists(
    st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text(min_size=1, max_size=12)),
    max_size=16,
)


@settings(max_examples=12, deadline=None)
@given(
    before=MESSAGES,
    new=st.lists(MESSAGES.filter(bool), min_size=1, max_size=6).map(lambda x: [y[0] for y in x]),
    most=st.integers(0, 60),
    least=st.integers(1, 12),
)
def test_all_three_cut_a_conversation_in_the_same_way_j12_j13(before, new, most, least) -> None:
    def messages(pairs):
        return tuple({"role": role, "content": content} for role, content in pairs)

    expected, *scripts = three_ways(messages(before), messages(new), most, least)
    assert scripts == [expected, expected]


def three_ways(there: Any, added: Any, most: int, least: int) -> list[list[Any]]:
    """What a conversation is when messages were added by a node, in JavaScript and in Python."""
    thread = Thread(id="main", max_chars=most, keep_min=least)
    js = "const t = this.workflow_contexts.get('main'); this.data.forEach((m) => t.addMessage(m));"
    py = (
        "def go(self):\n    for m in self.data:\n"
        "        self.workflow_contexts['main'].addMessage(m)\n"
    )
    conversation = Conversation(tuple(there), most, least)
    fields: dict[str, Any] = {"threads": {"main": conversation}, "shares": {"data": list(added)}}
    before = [channel_message(message) for message in there]

    def after(write: Any) -> list[Any]:
        return [message_of(message) for message in fold_messages(before, [write])]

    found = [after(adding(thread, added))]
    for result in run(call(js, **fields), of(py, language="python", **fields)):
        assert isinstance(result, ScriptResult), result
        found.append(after(change_of(result.threads["main"])))
    return found


METHODS = {
    "javascript": """export default { go() {
  const talk = this.workflow_contexts.get("main");
  const found = [talk.hasMessages(), talk.getLastMessage() ?? null];
  talk.addMessage("user", "one");
  talk.addMessage({ role: "elf", content: "two" });
  talk.getMessages().pop();
  talk.getLastMessage().content = "changed";
  found.push(talk.hasMessages(), talk.getMessages().map((m) => m.content));
  found.push(talk.getLastMessage().content, talk.getMessagesByRole("user").map((m) => m.content));
  talk.clearMessages();
  return [...found, talk.getMessages()];
} };""",
    "python": """def go(self):
    talk = self.workflow_contexts["main"]
    found = [talk.hasMessages(), talk.getLastMessage()]
    talk.addMessage("user", "one")
    talk.addMessage({"role": "elf", "content": "two"})
    talk.getMessages().pop()
    talk.getLastMessage()["content"] = "changed"
    found += [talk.hasMessages(), [m["content"] for m in talk.getMessages()]]
    found += [talk.getLastMessage()["content"]]
    found += [[m["content"] for m in talk.getMessagesByRole("user")]]
    talk.clearMessages()
    return [*found, talk.getMessages()]
""",
}


def test_another_object_in_place_of_what_is_fixed_is_forgotten_in_python_too_j24() -> None:
    source = "def go(self):\n    self.data['n'] = 1\n    self.data = {'lost': True}\n"
    (result,) = run(of(source, language="python"))
    assert isinstance(result, ScriptResult), result
    assert (result.shares, result.kept) == ({"data": {"a": 1, "n": 1}}, None)


@pytest.mark.parametrize("language", METHODS)
def test_a_conversation_has_the_same_methods_in_both_languages_j27(language: str) -> None:
    threads = {"main": Conversation(())}
    (result,) = run(of(METHODS[language], language=language, threads=threads))
    assert isinstance(result, ScriptResult), result
    assert result.value == [False, None, True, ["one", "two"], "two", ["one"], []]
    assert result.threads == {"main": {"reset": []}}


@pytest.mark.parametrize("language", METHODS)
@pytest.mark.parametrize(("role", "content"), [("", "x"), ("user", "")])
def test_a_message_is_of_somebody_and_says_something_j11(language, role, content) -> None:
    add = f"['main'].addMessage({role!r}, {content!r})"
    source = {
        "javascript": f"export default {{ go() {{ this.workflow_contexts.get{add} }} }};",
        "python": f"def go(self):\n    self.workflow_contexts{add}\n",
    }[language].replace(".get['main']", ".get('main')")
    told, _ = failure(of(source, language=language, threads={"main": Conversation(())}))
    assert told.endswith("a message needs a role and a content that is not empty")


@pytest.mark.parametrize(("most", "left"), [(9, 3), (8, 2)])
def test_a_length_is_that_of_all_contents_in_characters_j10(most: int, left: int) -> None:
    said = [("system", "sys"), ("user", "zwö"), ("user", "🙂 !")]
    first, *more = [{"role": role, "content": content} for role, content in said]
    for messages in three_ways([first], more, most, 1):
        assert len(messages) == left


@pytest.mark.parametrize(("most", "left"), [(60, 12), (3, 11)])
def test_a_cut_ends_as_soon_as_the_rest_fits_and_keeps_ten_j12(most: int, left: int) -> None:
    system = {"role": "system", "content": "s"}
    there = [{"role": "user", "content": f"{n:05d}"} for n in range(13)]
    last = {"role": "user", "content": "last!"}
    for messages in three_ways([there[0], system, *there[1:]], [last], most, 10):
        assert messages == [system, *[*there, last][1 - left :]]
