"""Every command that meets a stranger's folder, as a person would call it there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from forks import Begun, Forked, as_text, ends, flowc_in
from ports import free_port

PATIENCE = 60.0
Env = dict[str, str]
Command = Callable[[Path, str, Env], str]
"""Takes a folder, the name of a document in it and the environment; returns all that was said."""
STARTER = "import sys\nfrom flowc.runtime.cli import main\nsys.exit(main())\n"


def plain(*words: str) -> Command:
    """`flowc WORDS` in the folder; DOC stands for the document."""

    def call(folder: Path, document: str, env: Env) -> str:
        args = tuple(document if word == "DOC" else word for word in words)
        done = as_text(flowc_in(folder, args, env, b"", PATIENCE))
        assert done.returncode != 3, done.stderr
        return done.stdout + done.stderr

    return call


def started(folder: Path, args: tuple[str, ...], env: Env, starter: Path | None) -> str:
    """The same in a process of its own, as `python -m flowc` or by a `starter`, as the installed
    command is."""
    words = ["-m", "flowc"] if starter is None else [str(starter)]
    done = subprocess.run(
        [sys.executable, *words, *args],
        cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode != 3, done.stderr
    return done.stdout + done.stderr


def talking(args: tuple[str, ...], messages: Callable[[Path, str], bytes], last: int) -> Command:
    """A server over stdio: it is told everything, and its input ends when it answered the last."""
    until = re.compile(rb'"id": ?%d\b' % last)

    def call(folder: Path, document: str, env: Env) -> str:
        ours, theirs = zip(*(ends(at) for at in range(3)), strict=True)
        said, deadline = b"", time.monotonic() + PATIENCE
        with Forked(folder, args, env, theirs) as process:
            os.write(ours[0], messages(folder, document))
            while not until.search(said) and time.monotonic() < deadline:
                more = os.read(ours[1], 65536)
                if not more:
                    break
                said += more
            os.close(ours[0])
            process.wait(PATIENCE)
            for fd in ours[1:]:
                with os.fdopen(fd, "rb") as rest:
                    said += rest.read()
        assert until.search(said) or process.returncode in (2, 8), said
        return said.decode()

    return call


def for_assistant(folder: Path, document: str) -> bytes:
    about = {"protocolVersion": "2025-06-18", "capabilities": {}}
    messages = [
        {"id": 1, "method": "initialize", "params": {**about, "clientInfo": INFO}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
        _tool(3, "load_workflow", file_path=document, inputs={}),
        _tool(4, "execute_workflow_step"),
        _tool(5, "run_workflow", file_path=document, inputs={}),
        {"id": 99, "method": "tools/list", "params": {}},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages]
    return "".join(lines).encode()


INFO = {"name": "t", "version": "1"}


def _tool(id: int, name: str, **arguments: object) -> dict[str, object]:
    return {"id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def own_text(file: Path) -> str:
    """The text that an editor or a person would send on: not what another file holds."""
    return "" if file.is_symlink() or not file.is_file() else file.read_text(encoding="utf-8")


def for_editor(folder: Path, document: str) -> bytes:
    uri = (folder / document).as_uri()
    text = own_text(folder / document)
    root = {"uri": folder.as_uri(), "name": "w"}
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
    at = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    messages = [
        {"id": 1, "method": "initialize",
         "params": {"processId": None, "rootUri": folder.as_uri(), "workspaceFolders": [root],
                    "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": item}},
        {"id": 2, "method": "textDocument/hover", "params": at},
        {"id": 3, "method": "textDocument/completion", "params": at},
    ]  # fmt: skip
    bodies = [json.dumps({"jsonrpc": "2.0", **m}).encode() for m in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


def serve(folder: Path, document: str, env: Env) -> str:
    """The service, to which the document is posted, and executed."""
    port = free_port()
    with Begun(folder, ("serve", "--port", str(port)), env) as process:
        said = process.stderr.readline()
        if "serves" in said:
            text = own_text(folder / document)
            body = text.encode()
            if not document.endswith(".json"):
                body = json.dumps({"file_name": document, "source": text}).encode()
            made = _post(f"http://127.0.0.1:{port}/v1/workflows", body)
            said += made
            known = json.loads(made).get("workflow_id") if made.startswith("{") else None
            team = _post(f"http://127.0.0.1:{port}/v1/teams", TEAM)
            if known:
                order = {"workflow_id": known, "team_id": json.loads(team).get("team_id")}
                said += _post(f"http://127.0.0.1:{port}/v1/executions", json.dumps(order).encode())
                time.sleep(0.3)  # the execution begins; nothing tells when one does nothing
        process.send_signal(15)
        out, err = process.communicate(PATIENCE)
    return said + out + err


AGENT = {"model": "gpt-5-mini", "tools": [], "instructions": "Do it."}
TEAM = json.dumps(
    {
        "team_name": "T",
        "team_type": "research",
        "agent_roles": [{"role_name": name, "agent_config": AGENT} for name in ("r", "s")],
        "workflow_config": {"type": "parallel", "max_iterations": 3, "timeout_minutes": 600},
    }
).encode()


def _post(url: str, body: bytes) -> str:
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.read().decode()


def worker(folder: Path, document: str, env: Env) -> str:
    with Begun(folder, ("worker",), env) as process:
        said = process.stderr.readline()
        process.send_signal(15)
        out, err = process.communicate(PATIENCE)
    return said + out + err


def dev(folder: Path, document: str, env: Env) -> str:
    """The server of LangGraph: it is a process of its own, and takes seconds to start."""
    port = free_port()
    with Begun(folder, ("dev", document, "--port", str(port)), env) as process:
        process.listen()
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < deadline:
            if "Starting" in "".join(process.said) or _answers(f"http://127.0.0.1:{port}/ok"):
                break
            time.sleep(0.1)
        process.send_signal(2)
        process.wait(PATIENCE)
        said = "".join(process.said) + process.stdout.read()
    return said.replace("\x1b", "")  # that server colours its own lines


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1):
            return True
    except OSError:
        return False


COMMANDS: dict[str, Command] = {
    "run": plain("run", "DOC", "--run-id", "r"),
    "run --json": plain("run", "DOC", "--run-id", "r", "--json"),
    "test": plain("test", "DOC"),
    "resume": plain("resume", "planted", "--answer", "who=Emil"),
    "step": plain("step", "say", "--from", "planted"),
    "show": plain("show", "planted", "--json"),
    "tools list": plain("tools", "list"),
    "check": plain("check", "DOC"),
    "graph": plain("graph", "DOC"),
    "convert": plain("convert", "DOC", "--to", "flow"),
    "compile": plain("compile", "DOC", "-o", "built"),
    "trust": plain("trust", "--json"),
    "lsp": talking(("lsp", "--stdio"), for_editor, 3),
    "mcp": talking(("mcp",), for_assistant, 99),
    "serve": serve,
    "worker": worker,
    "inspect": plain("inspect", "DOC"),
    "check --fix": plain("check", "--fix", "--unsafe-fixes", "."),
    "fmt": plain("fmt", "."),
    "run --dry-run": plain("run", "DOC", "--dry-run"),
    "watch": plain("watch", "--once"),
    "torture": plain("torture", "DOC", "--boundaries", "1", "--moments", "0"),
    "pause": plain("pause", "planted"),
    "stop": plain("stop", "planted"),
    "fork": plain("fork", "planted"),
    "history": plain("history", "planted"),
    "diff": plain("diff", "planted", "planted"),
    "runs": plain("runs", "--json"),
    "runs prune": plain("runs", "prune", "--all", "--older-than", "0s"),
    "gc": plain("gc"),
    "token list": plain("token", "list"),
    "token create": plain("token", "create", "ana"),
    "token revoke": plain("token", "revoke", "ana"),
    "audio measure": plain("audio", "measure", "DOC"),
    "audio report": plain("audio", "report", "planted"),
    "tools lock": plain("tools", "lock"),
    "trust --lock": plain("trust", "--lock"),
    "jobs list": plain("jobs", "list"),
    "jobs retry": plain("jobs", "retry", "planted"),
    "jobs workers": plain("jobs", "workers"),
    "jobs drop": plain("jobs", "drop", "planted"),
    "jobs cancel": plain("jobs", "cancel", "planted"),
    "doctor": plain("doctor"),
}
HEAVY: dict[str, Command] = {"dev": dev}
"""Those that take seconds each: `make soak PART=trust`."""
OF_NO_FOLDER = (
    "audio apply",
    "audio synth",
    "audio tools",
    "audio vocabulary",
    "completion",
    "explain",
    "sandbox attack",
    "schema",
)
"""Commands that read no file but those that are typed, and are told what to do with them."""
