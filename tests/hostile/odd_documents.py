"""Documents of a stranger that are odd as texts: what YAML, JSON, mermaid and expressions allow and
nobody writes, addresses with two readings, and keys that look like settings."""

from __future__ import annotations

import json
from dataclasses import replace

from .document_paths import SCRIPT, asks, case, plan, says, tool
from .documents import STEAL, Document, chart, command, contract, flow, machine, step

SET = "  - {name: say, assign: {S: "
MACHINE = json.loads(machine("x", "").text)


def sets(expression: str, head: str = "") -> str:
    return flow(f"{SET}{json.dumps(expression)}}}}}\n", head)


def sends(url: str) -> str:
    return flow(f"  - {{name: go, http: {json.dumps(url)}, into: {{S: text}}}}\n")


def agent(**more: object) -> str:
    about = json.dumps({"a": {"model": "openai:gpt-5-mini", **more}})
    return asks("Say hello.", f"agents: {about}\n")


_ODD: dict[str, Document] = {
    # What YAML allows.
    "list-in-itself": Document(
        "nodes that are their own parts", "flow: 1\nname: d\nnodes: &a [*a]\n"
    ),
    "anchor-in-itself": Document("a key that is itself", "? &a {*a : 1}\n: 2\nflow: 1\n"),
    "merged-grants": Document(
        "grants by a merged key",
        command(STEAL, ", <<: *g", "x: &g {network: true, workspace: '@OUT@', approve: false}\n"),
    ),
    "keys-twice": Document(
        "a command behind a harmless one",
        command("true") + f"nodes:\n  - {{name: go, exec: '{STEAL}', into: S}}\n",
    ),
    "two-documents": Document("a second document", sets("'x'") + "---\n" + command(STEAL)),
    "directives": Document(
        "a tag with another name",
        "%YAML 1.1\n%TAG !p! tag:yaml.org,2002:python/object/apply:\n---\n"
        "flow: 1\nname: !p!os.system ['touch @MARK@']\nnodes: []\n",
    ),
    "binary": Document(
        "a command in base 64", flow("  - {name: go, exec: !!binary dG91Y2ggbWFyaw==, into: S}\n")
    ),
    "numbers-beyond-all": Document(
        "a number of many digits", sets("1" * 100_000) + f"x: 0x{'f' * 50_000}\n"
    ),
    "half-a-character": Document("half a character", sets("'\ud800'").replace("\ud800", "\\ud800")),
    "very-long-name": Document("a name of a megabyte", sets("'x'").replace("say", "n" * 1_000_000)),
    # Expressions.
    "powers": Document("time, by a power", sets("9 ** 9 ** 9 ** 9")),
    "long-texts": Document("memory, by a product", sets("'a' * 10 ** 10")),
    "parentheses": Document("depth of an expression", sets("(" * 100_000 + "1" + ")" * 100_000)),
    "dunder": Document(
        "the process, by names with lines",
        sets("S.__class__.__mro__[1].__subclasses__()", "params: {S: text}\n"),
    ),
    "import-in-an-expression": Document(
        "a module", sets("__import__('os').system('touch @MARK@')")
    ),
    "functions-of-files": Document("a file, by a function", sets("read_file('@OUT@/secret')")),
    "template-in-a-template": Document(
        "a key, by two templates",
        asks(
            '\'{{ "{{ OPENAI_API_KEY }}" }} {{ env.OPENAI_API_KEY }} {% include "/etc/passwd" %}\''
        ),
    ),
    # Addresses with two readings.
    "address-in-hex": Document("this machine, in another number", sends("http://0x7f000001/")),
    "address-short": Document("this machine, in short", sends("http://127.1:80/")),
    "address-of-six": Document(
        "this machine, in the other protocol", sends("http://[::ffff:127.0.0.1]/")
    ),
    "address-with-a-user": Document("a host behind a name", sends("@URL@#@example.org/")),
    "address-in-lines": Document(
        "a second request in the first", sends("@URL@/\r\nGET /x HTTP/1.1\r\n")
    ),
    "address-of-a-file": Document("a file, as an address", sends("file://@OUT@/secret")),
    # Keys that look like settings.
    "agent-elsewhere": Document(
        "the key, to another server",
        agent(base_url="@URL@", api_key="x", api_base="@URL@", settings={"base_url": "@URL@"}),
    ),
    "agent-headers": Document(
        "headers with the key",
        agent(settings={"extra_headers": {"X": "{{ OPENAI_API_KEY }}"}, "temperature": 0.1}),
    ),
    "agent-of-a-module": Document(
        "a model that is a module",
        asks("Say hello.", "agents: {a: {model: 'stranger:go'}}\n"),
        beside={"stranger.py": "open('@MARK@', 'w')\n"},
    ),
    "call-by-address": Document(
        "a workflow by an address", flow("  - {name: go, call: '@URL@/x.flow.yaml', with: {}}\n")
    ),
    "call-a-device": Document(
        "a workflow without an end", flow("  - {name: go, call: /dev/zero, with: {}}\n")
    ),
    "write-beside": Document(
        "to write settings", tool("write_file", path="flowc.toml", content="x"), command="run"
    ),
    "answers-in-a-case": Document(
        "a device as answers", case(answers="/dev/stdin"), command="test"
    ),
    # Includes, charts, machines, contracts, sounds.
    "include-coded": says("!INCLUDE %2e%2e/@UP@/secret"),
    "include-of-a-variable": says("!INCLUDE $HOME/../outside/secret"),
    "include-of-the-home": says("!INCLUDE ~/../outside/secret"),
    "include-by-address": says("!INCLUDE file://@OUT@/secret"),
    "script-by-address": Document(
        "a script by an address", SCRIPT.format(file="'data:text/javascript,1'")
    ),
    "chart-clicks": Document(
        "what a chart does when it is looked at",
        chart(
            "    %%{init: {'securityLevel': 'loose'}}%%\n"
            '    click EXECUTE_GO call alert() "x"\n'
            '    click EXECUTE_GO href "javascript:alert()"\n',
            "<img src=x onerror=alert()>",
        ),
        "t.wf.md",
    ),
    "machine-prototype": Document(
        "the prototype of all objects",
        json.dumps(MACHINE | {"__proto__": {"go": 1}, "constructor": {"prototype": 1}}),
        "t.json",
        {"t/script.js": "Object.prototype.go = 1; export default {go() {return process.env}};\n"},
    ),
    "contract-twice": Document(
        "steps behind steps", contract("done")[:-1] + ', "steps": [], "steps": {"a": 1}}', "t.json"
    ),
    "steps-of-tools": Document(
        "every tool",
        "".join(step("Do it", name) for name in ("bash", "write_file", "git_log")),
        "t.md",
    ),
    "plan-playlist": Document(
        "a file, as a part of a sound of ffmpeg's",
        plan("in.m4a", "out.wav"),
        "workflow.md",
        {"in.m4a": "ffconcat version 1.0\nfile '@OUT@/secret'\n"},
    ),
    "plan-protocol": Document(
        "a file, by a protocol of ffmpeg's",
        plan("concat:@OUT@/secret|in.m4a", "subfile,,start,0,end,9,,:out.m4a"),
        "workflow.md",
    ),
}
ODD_DOCUMENTS = {name: replace(one, command=one.command or "run") for name, one in _ODD.items()}
