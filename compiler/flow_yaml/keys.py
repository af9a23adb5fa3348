"""The keys of flow YAML as one table: its reader, its writer and its JSON Schema are made from it.

What is not in the table: `next`, `on_error` and `cases` of a node, which are edges.
"""

from __future__ import annotations

from typing import Literal, get_args

from .. import ir
from .shapes import Key as Key
from .shapes import MapShape as MapShape

VERSION = 1
TYPES: tuple[str, ...] = get_args(ir.TypeName)
KINDS_OF_ERROR: tuple[str, ...] = get_args(ir.ErrorKind)
FAILURES: tuple[ir.ErrorKind, ...] = ("failure", "timeout", "limit", "refused")
"""What `on_error` without kinds catches; at a gate `gate` as well."""

IMPLIED_ENDS: dict[str, Literal["success", "failed"]] = {
    "end": "success", "success": "success", "failed": "failed",
}  # fmt: skip
"""Targets that are ends by themselves when no node has the name, in the order they are added."""

PARAM = MapShape(ir.Param, (
    Key("type", "word", "what kind of value it takes", words=TYPES),
    Key("default", "json", "the value when the caller gives none"),
    Key("required", "flag", "whether the caller has to give it: yes, unless it has a default"),
    Key("env", "text", "the environment variable that is read when the caller gives nothing"),
    Key("description", "text", "what it is for"),
), short="type")  # fmt: skip

STATE = MapShape(ir.StateField, (
    Key("type", "word", "what kind of value it holds", words=TYPES),
    Key("default", "json", "its value at the start"),
    Key("reducer", "word", "how a new value joins the old one", words=get_args(ir.Reducer)),
    Key("keep", "flag", "whether it keeps its value in the next turn of a thread"),
), short="type")  # fmt: skip

MODEL_SETTINGS = MapShape(ir.QuestionSettings, (
    Key("temperature", "number", "how freely it chooses its words, 0 to 2", least=0, most=2),
    Key("top_p", "number", "the share of likely words that it takes, 0 to 1", least=1e-6, most=1),
    Key("max_tokens", "integer", "the most tokens of an answer", least=1, most=10**9),
    Key("reasoning", "word", "how much it thinks first", words=get_args(ir.Reasoning)),
    Key("seed", "integer", "the same number asks for the same answer", least=0, most=2**31 - 1),
    Key("stop", "names", "an answer ends before one of these texts", least=1),
    Key("timeout", "number", "seconds that one attempt may take", least=0.001, most=86400),
))  # fmt: skip

_MODEL = Key(
    "model", "models", "`provider:name`, or several, of which the next is asked when one has "
    "failed; the run's model when left out", field="models", least=1,
)  # fmt: skip
_SETTINGS = Key("settings", "model_settings", "what goes with every question to the model")

AGENT = MapShape(ir.Agent, (
    _MODEL,
    _SETTINGS,
    Key("system", "template", "what the model is told before everything else"),
    Key("role", "text", "what tasks ask for"),
    Key("person", "flag", "a person, no model: tasks of the role wait for an answer"),
    Key("tools", "names", "tools it may use wherever it answers"),
    Key("thread", "text", "the conversation it takes part in; a new one each time when left out"),
    Key("perspective", "word", "who it is in the thread", words=("assistant", "user")),
    Key("remember", "word", "whether question and answer stay in the thread",
        words=("none", "both")),
))  # fmt: skip

TOOL = MapShape(ir.Tool, (
    Key("description", "text", "what the model is told about the tool"),
    Key("schema", "schema", "JSON Schema of its arguments"),
    Key("result", "word", "`answer`: never executed, the call is the model's reply",
        words=("execute", "answer")),
    Key("effect", "word", "whether a call may be repeated", words=get_args(ir.Effect)),
))  # fmt: skip

THREAD = MapShape(ir.Thread, (
    Key("max_chars", "integer", "the oldest messages go when there are more characters",
        least=1),
    Key("keep_min", "integer", "messages that stay in any case", least=0),
))  # fmt: skip

SCRIPT = MapShape(ir.Script, (
    Key("language", "word", "by default that of the file", words=("javascript", "python")),
    Key("source", "text", "the script itself"),
    Key("functions", "names", "what can be called; by default what the nodes call"),
))  # fmt: skip

PROMPT = MapShape(ir.Prompt, (
    Key("role", "word", "who says it", words=get_args(ir.Role), default="user"),
    Key("text", "template", "what is said", field="template", required=True),
), short="text")  # fmt: skip

LIMIT = MapShape(ir.Limit, (
    Key("value", "expression", "the bound", required=True),
    Key("then", "word", "end the run as failed, or stop it so that it can be resumed",
        words=("fail", "stop")),
), short="value")  # fmt: skip

RETRY = MapShape(ir.Retry, (
    Key("attempts", "integer", "runs in all", required=True, least=1),
    Key("wait", "number", "seconds before the second", least=0),
    Key("factor", "number", "how much longer each further wait is", least=0),
    Key("errors", "words", "the failures that are tried again", words=KINDS_OF_ERROR),
), short="attempts")  # fmt: skip

RULE = MapShape(ir.ErrorRule, (
    Key("errors", "words", "the kinds of failure", field="kinds", required=True,
        words=KINDS_OF_ERROR),
    Key("set", "settings", "what is set; `error.message`, `error.kind` and `error.node` say why",
        field="assignments", required=True),
))  # fmt: skip

ON_INPUT = MapShape(ir.OnInput, (
    Key("to", "text", "the node where the run goes on", field="target", required=True),
    Key("set", "settings", "what is set; `input` is the line", field="assignments"),
), short="to")  # fmt: skip

SCHEDULE = MapShape(ir.CronSchedule, (
    Key("schedule", "text", "minute, hour, day, month, weekday", field="cron", required=True),
    Key("zone", "text", "the time zone, such as `Europe/Berlin`; UTC when left out"),
    Key("missed", "word", "what times that passed unseen begin", words=("skip", "once", "all")),
    Key("with", "json", "the inputs, by name", field="inputs"),
), short="schedule")  # fmt: skip

WEBHOOK = MapShape(ir.WebhookStart, (
    Key("webhook", "text", "the variable with its secret", field="secret", required=True),
    Key("into", "text", "the parameter that takes the whole body; else its fields are parameters"),
    Key("with", "json", "further inputs, by name", field="inputs"),
))  # fmt: skip

TRIAL = MapShape(ir.Trial, (
    Key("inputs", "json", "what the run is given, by name"),
    Key("answers", "json", "a file of scripted answers, or what would stand in it"),
    Key("replay", "text", "a recording that answers"),
    Key("team", "text", "a file that says who does the tasks"),
    Key("status", "word", "how the run has to end", words=get_args(ir.TrialStatus)),
    Key("result", "json", "the result it has to have"),
    Key("variables", "json", "the values that variables have to have at its end"),
    Key("path", "names", "nodes that are visited, in this order; others may stand between them"),
    Key("complete", "flag", "`path` names every node that is visited, but for the ends"),
    Key("avoids", "names", "nodes that are not visited"),
    Key("holds", "values", "conditions over the variables, `result` and `status`"),
    Key("error", "text", "what its error has to say, or a part of it"),
))  # fmt: skip

NAMED: dict[str, MapShape] = {
    "params": PARAM, "state": STATE, "agents": AGENT, "tools": TOOL, "threads": THREAD,
    "scripts": SCRIPT, "prompts": PROMPT, "limits": LIMIT, "tests": TRIAL,
}  # fmt: skip
"""Keys of a workflow with mappings below them by name."""

CRITERION = (
    Key("text", "text", "the criterion in words"),
    Key("check", "expression", "the criterion as a condition", field="expr"),
)

COMMON = (
    Key("title", "text", "a caption for people"),
    Key("group", "text", "the group it is shown in"),
    Key("timeout", "number", "seconds it may take", least=0.001),
    Key("retry", "retry", "how often it is tried"),
    Key("join", "word", "`all`: run once all ways into it were taken", words=("any", "all")),
    Key("limits", "limits", "bounds of this node alone"),
    Key("on_unknown", "word", "what is done about a call of it that a crash cut off",
        words=get_args(ir.OnUnknown)),
)  # fmt: skip

_INTO = Key("into", "text", "the variable for the result")
_RESULT = Key("into", "text", "the variable for the result", required=True)
_USES = Key(
    "uses", "text", "a text of `prompts:` by its name; beside a text of its own just a name",
    field="prompt_id",
)  # fmt: skip
_TOOLS = Key("tools", "names", "tools it may use")
_SET = Key("set", "settings", "what is set before", field="assignments")
_WITH = Key("with", "settings", "its parameters and variables", field="passes")

NODES: dict[str, MapShape] = {
    "agent": MapShape(ir.AgentNode, (
        Key("agent", "text", "an agent answers", required=True),
        _USES,
        Key("prompt", "template", "the question; without one it answers the thread as it stands"),
        _TOOLS,
        Key("ordered", "flag", "the tools are used in this order"),
        Key("inputs", "inputs", "variables that must be there before"),
        Key("outputs", "outputs", "variables it reports"),
        Key("asserts", "criteria", "what a good result meets"),
        Key("report", "flag", "it has to report whether it passed or failed"),
        Key("schema", "schema", "JSON Schema of an object: the answer is such an object"),
        Key("into", "text", "the variable for the answer"),
        Key("reply_into", "text", "the variable for the whole reply, tool calls included"),
        _MODEL,
        _SETTINGS,
        Key("description", "text", "what it does, for people"),
        Key("section", "text", "the heading it stands under"),
        Key("step", "integer", "its number among the steps, from 0", least=0),
    )),
    "message": MapShape(ir.MessageNode, (
        Key("message", "template", "a message is added to a thread", field="template"),
        _USES,
        Key("thread", "text", "the thread", required=True),
        Key("mode", "word", "add it, begin the thread anew with it, or empty the thread",
            words=("append", "reset", "clear"), default="append"),
        Key("role", "word", "who says it", words=get_args(ir.Role), default="user"),
        _INTO,
    )),
    "tool": MapShape(ir.ToolNode, (
        Key("tool", "text", "a tool is called", required=True),
        Key("args", "settings", "its arguments"),
        _INTO,
    )),
    "python": MapShape(ir.PythonNode, (
        Key("python", "text", "a function of the program around the run is called: a name that it "
            "binds, or a `module:function` that flowc.toml lists", field="function",
            required=True),
        Key("args", "settings", "its arguments"),
        Key("effect", "word", "whether a call may be repeated", words=get_args(ir.Effect)),
        Key("sets", "names", "variables that it sets: its result is an object with their values"),
        _INTO,
    )),
    "exec": MapShape(ir.ExecNode, (
        Key("exec", "command", "shell commands are run", field="source", required=True),
        Key("form", "word", "one command, or the shell blocks of a markdown text",
            words=("command", "blocks"), default="command"),
        Key("session", "text", "the shell whose folder and variables carry on", default="main"),
        Key("into", "parts", "the variable for the text of its output, or variables with parts: "
            "`{out: stdout, code: code}`", field="parts", words=get_args(ir.ExecPart)),
        Key("network", "flag", "the commands may use the network"),
        Key("workspace", "text", "a folder that the commands may write in"),
    )),
    "choose": MapShape(ir.ChooseNode, (
        Key("choose", "expression", "the value decides which case is taken", field="on",
            required=True),
    )),
    "ask": MapShape(ir.AskNode, (
        Key("ask", "template", "a person is asked", field="question", required=True),
        _RESULT,
        Key("choices", "names", "the answers there are", least=1),
        Key("thread", "text", "the conversation that question and answer join"),
    )),
    "wait": MapShape(ir.WaitNode, (
        Key("wait", "pause", "the run waits: so long (`30s`, `5m`, `2h`, `{seconds: EXPRESSION}`), "
            "until a time (`{until: TIME}`), or for an event (`{event: NAME, timeout: 1h}`)",
            field="awaits", required=True),
        Key("into", "text", "the variable for what the event brings, or the time at which it went "
            "on"),
    )),
    "http": MapShape(ir.HttpNode, (
        Key("http", "address", "a request is sent to this URL", field="url", required=True),
        Key("method", "word", "what is asked of it", words=get_args(ir.HttpMethod)),
        Key("hosts", "hosts", "where it may lead, beside the host that the URL names: `name`, "
            "`name:port` or `*.name`"),
        Key("headers", "headers", "headers by name; `{secret: VARIABLE}` takes a secret from "
            "the environment"),
        Key("query", "settings", "what is added behind `?`"),
        Key("json", "expression", "what is sent, as JSON", field="body"),
        Key("text", "template", "what is sent, as it is"),
        Key("effect", "word", "whether a request may be repeated", words=get_args(ir.Effect)),
        Key("into", "parts", "the variable for the value of the answer, or variables with parts: "
            "`{data: json, code: status}`", field="parts", words=get_args(ir.HttpPart)),
    )),
    "assign": MapShape(ir.AssignNode, (
        Key("assign", "settings", "variables are set", field="assignments", required=True),
    )),
    "call": MapShape(ir.CallNode, (
        Key("call", "text", "another workflow is run: a file, or one of `workflows:`",
            field="workflow", required=True),
        _WITH,
        Key("with_all", "flag", "every variable is handed over first", field="passes_all"),
        Key("returns", "settings", "variables set from the other workflow's"),
        Key("returns_all", "flag", "all its variables are copied back"),
        Key("shares_sessions", "flag", "shells are shared"),
    )),
    "script": MapShape(ir.ScriptNode, (
        Key("script", "text", "a function of a script is called", required=True),
        Key("function", "text", "the function", required=True),
        Key("args", "values", "its arguments"),
        Key("shares", "names", "variables that stand on its `this`"),
        Key("fixed", "names", "shared variables of which only the contents can be changed"),
        Key("threads", "names", "threads that it sees"),
        Key("keeps", "text", "the variable for what else it sets on `this`"),
        _INTO,
    )),
    "task": MapShape(ir.TaskNode, (
        Key("task", "template", "work for whoever holds the role", field="prompt", required=True),
        Key("role", "text", "who does it", required=True),
        Key("form", "word", "what kind of work",
            words=("task", "decision", "synchronization", "review")),
        Key("criteria", "criteria", "what a good result meets"),
        Key("after", "names", "variables with the results it builds on"),
        Key("again", "names", "variables it is shown when it is done anew"),
        Key("by", "text", "the agent that does it, whoever holds the role", field="agent"),
        _TOOLS,
        Key("minutes", "number", "how long it is expected to take", least=0),
        _RESULT,
    )),
    "gate": MapShape(ir.GateNode, (
        Key("gate", "word", "it is judged whether to go on", field="form", required=True,
            words=("quality_check", "approval", "milestone")),
        Key("mode", "word", "what a failed gate does", words=("strict", "lenient", "advisory")),
        Key("score", "expression", "what is judged, 0 to 1"),
        Key("required", "number", "the least score that passes"),
        Key("question", "template", "what a person is asked"),
        _INTO,
    )),
    "assert": MapShape(ir.AssertNode, (
        Key("assert", "expression", "the node fails unless this holds", field="condition",
            required=True),
        Key("error", "template", "what is said when it fails", field="message"),
    )),
    "foreach": MapShape(ir.ForeachNode, (
        Key("foreach", "expression", "a workflow is run for every element", field="items",
            required=True),
        Key("do", "text", "the workflow: a file, or one of `workflows:`", field="workflow",
            required=True),
        Key("item", "text", "its parameter for the element", required=True),
        Key("index", "text", "its parameter for the position, from 0"),
        _WITH,
        Key("concurrency", "integer", "how many run at a time", least=1),
        Key("until", "expression", "no further one begins once this holds"),
        _RESULT,
    )),
    "end": MapShape(ir.EndNode, (
        Key("end", "word", "the workflow ends", field="outcome", required=True,
            words=("success", "failed")),
        _SET,
    )),
}  # fmt: skip
"""The kinds of nodes; the key that a mapping has says which one it is."""

TOP = (
    Key("name", "text", "a short name; the file's own when left out"),
    Key("title", "text", "a title for people"),
    Key("description", "text", "what it does"),
    Key("outputs", "names", "variables that make up the result; the first one is shown"),
    Key("model", "model", "`provider:name` or `offline`: answers unless the caller chose a model"),
    Key("on_success", "text", "the node where the handler of success begins"),
    Key("on_failed", "text", "the node where the handler of failure begins"),
    Key("limits", "limits", "bounds of a run"),
    Key("on_unknown", "word", "what is done about calls that a crash cut off",
        words=get_args(ir.OnUnknown)),
)  # fmt: skip

SECTIONS: dict[str, str] = {
    "params": "values the caller gives, by name",
    "state": "variables of the run, by name",
    "agents": "who answers, by name",
    "tools": "tools of the workflow's own, by name",
    "threads": "conversations, by name",
    "scripts": "functions in other languages, by name",
    "prompts": "texts used in several places, by name",
    "groups": "titles of groups of nodes, by name",
    "on_error": "what is set when any node fails: a list of rules",
    "on": "when runs of it begin by themselves: schedules, a webhook",
    "on_input": "where the run goes on when a person says something unasked",
    "defaults": "what holds for every node that does not say otherwise",
    "start": "the node where it begins; the first one when left out",
    "nodes": "what happens, in order",
    "tests": "cases of `flowc test`, by name",
}
"""Keys of a workflow beside those of `TOP`."""

OTHER_WORDS: dict[str, str] = {
    "steps": "nodes", "jobs": "workflows", "stages": "groups", "tasks": "nodes", "states": "nodes",
    "run": "exec", "shell": "exec", "command": "exec", "cmd": "exec", "bash": "exec",
    "uses": "call", "action": "tool", "function": "python", "llm": "agent", "user": "ask",
    "human": "ask", "input": "ask", "question": "ask", "set": "assign", "switch": "choose",
    "for_each": "foreach", "for": "foreach", "matrix": "foreach", "loop": "foreach",
    "needs": "after", "depends_on": "after", "if": "when", "id": "name",
    "timeout-minutes": "timeout", "code_into": "into", "sleep": "wait", "delay": "wait",
    "pause": "wait", "request": "http", "fetch": "http", "url": "http", "webhook": "http",
    "cron": "schedule", "timezone": "zone", "tz": "zone",
    "env": "params", "inputs": "params", "variables": "state", "vars": "state", "result": "outputs",
    "instructions": "system", "text": "prompt", "output": "into", "save": "into", "goto": "next",
    "then": "next", "transition": "next", "retries": "retry", "max_attempts": "retry",
    "continue-on-error": "on_error",
}  # fmt: skip
"""What other tools call it, GitHub Actions among them, and the key here."""

LANGUAGES: dict[str, Literal["javascript", "python"]] = {
    ".js": "javascript", ".mjs": "javascript", ".py": "python",
}  # fmt: skip
"""The language of a script by the end of its file's name."""

EDGE = ("to", "case", "otherwise", "errors", "when", "label", "implied")
NODE_EDGES: dict[str, tuple[str, ...]] = {
    "choose": ("cases", "otherwise", "on_error", "next"), "end": (),
}  # fmt: skip
"""Keys for the ways out of a node of that kind; of any other kind `next` and `on_error`."""


def common_keys(kind: str) -> tuple[Key, ...]:
    """Return the keys that a node of this kind has beside its own. A wait has its own time."""
    return tuple(k for k in COMMON if kind != "wait" or k.name not in ("timeout", "retry"))


def edge_keys(kind: str) -> tuple[str, ...]:
    """Return the keys for the ways out of a node of this kind."""
    return NODE_EDGES.get(kind, ("next", "on_error"))
