"""One workflow of a flow YAML file: its declarations, its nodes, their edges."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

from ... import ir
from ...diagnostics.diagnostic import Label
from ...expr.ast import Literal
from ...flow_yaml import keys
from ...flow_yaml.implied import with_implied
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.source import SourceSet, Span
from ...source.spelling import Spelling
from .declarations import Declarations
from .edges import Default, Edges, Targets
from .elements import key_span, kind, kind_meant, place, value_span, with_keys
from .forms import Forms
from .references import Declared, References
from .starts import check_inputs
from .texts.questions import check_questions
from .texts.written_names import check_written_names


class WorkflowReader:
    """Reads the workflows of one file; `parts` are the names of those below `workflows:`."""

    def __init__(self, forms: Forms, sources: SourceSet, parts: frozenset[str]) -> None:
        self.forms = forms
        self.sources = sources
        self.parts = parts
        self.path = forms.source.path
        self.references: References

    def read(self, mapping: MapAt, name: str) -> ir.Workflow:
        """Return the workflow; report and leave out what cannot be read."""
        top = tuple(k for k in keys.TOP if k.name not in ("on_success", "on_failed"))
        workflow = self.declarations(mapping, name, top)
        nodes = self.nodes(mapping, workflow)
        workflow = self._wire(mapping, workflow, nodes)
        whole = _with_tool_places(with_implied(self._with_agents(workflow, mapping)), mapping)
        self.check(mapping, whole)
        return whole

    def declarations(self, mapping: MapAt, name: str, top: tuple[keys.Key, ...]) -> ir.Workflow:
        """Return the workflow without its nodes; `top` are the keys it may have beside sections."""
        element = keys.MapShape(ir.Workflow, top)
        fields = self.forms.fields(with_keys(mapping, element), element, "a workflow")
        workflow = ir.Workflow(
            **{
                "name": name,
                **(fields or {}),
                **Declarations(self.forms, self.sources).read(mapping),
                "span": place(mapping),
                "origin": ir.Origin(format="flow", file=self.path),
            }
        )
        self.references = References(self.forms, self.parts, Declared(workflow))
        return workflow

    def check(self, mapping: MapAt, whole: ir.Workflow) -> None:
        """Report what the mapping says of nodes and variables that the workflow does not have."""
        self._check_trials(mapping, whole)
        check_inputs(whole, mapping.value("on"), self.forms)
        names = {param.name for param in whole.params} | {field.name for field in whole.state}
        self.forms.check_texts(names)
        check_written_names(mapping, self.forms.sink)
        self._check_outputs(mapping, names)

    def _check_outputs(self, mapping: MapAt, names: Set[str]) -> None:
        """Report FC3001 for an output that nothing in the workflow writes."""
        listed = mapping.value("outputs")
        spelling, seen = Spelling(names), set[str]()
        for item in listed.items if isinstance(listed, ListAt) else [listed]:
            if isinstance(item, Scalar) and not item.is_null and item.text not in names:
                message = f"the output `{brief(item.text)}` is not a variable of the workflow"
                help = "name what a node writes `into`, or a parameter"
                near = spelling.nearest(item.text)
                self.forms.report("FC3001", message, item.span, help, near=near)
            elif isinstance(item, Scalar) and item.text in seen:
                message = f"the output `{brief(item.text)}` is listed twice"
                sink, help = self.forms.sink, "take one of the two out"
                sink.report("FC1004", message, item.span, severity="warning", help=help)
            if isinstance(item, Scalar):
                seen.add(item.text)

    def nodes(self, mapping: MapAt, workflow: ir.Workflow) -> list[tuple[ir.Node, MapAt]]:
        listed = mapping.get("nodes")
        if not isinstance(listed, ListAt) or not listed.items:
            span = listed.span if listed is not None else place(mapping)
            help = "write `nodes:` and below it a list of what happens"
            self.forms.report("FC1008", f"`{workflow.name}` has no nodes", span, help)
            return []
        nodes: dict[str, tuple[ir.Node, MapAt]] = {}
        for item in listed.items:
            if not isinstance(item, MapAt):
                message = f"a node is a mapping, not {kind(item)}"
                help = "write `name:` and what the node does"
                self.forms.report("FC1005", message, item.span, help)
                continue
            node = self._node(item)
            if node is None:
                continue
            first = nodes.setdefault(node.id, (node, item))[0]
            if first is not node and node.span is not None and first.span is not None:
                message = f"there are two nodes `{brief(node.id)}`"
                label = Label(first.span, "the first one")
                self.forms.report("FC1004", message, node.span, "rename one of them", label)
        return list(nodes.values())

    def _node(self, mapping: MapAt) -> ir.Node | None:
        words = keys.NODES.keys() & mapping.by_name().keys()
        name = mapping.get("name")
        if not isinstance(name, Scalar) or name.is_null:
            self._report_nameless(mapping)
            return None
        if len(words) != 1:
            self._report_kind(mapping, [key for key, _ in mapping.pairs if key.text in words])
            return _unread("", name, mapping)
        (word,) = words
        element = _node_shape(word)
        further = ("name", *keys.edge_keys(word))
        anchor = key_span(mapping, word)
        what = f"a node with `{word}`"
        fields = self.forms.fields(mapping, element, what, *further, anchor=anchor)
        self._report_empty(mapping, word, {*element.by_name, *further})
        if fields is None or not self._use_prompt(word, fields, mapping):
            return _unread(word, name, mapping)
        node: ir.Node = element.type(id=name.text, **fields, span=name.span)
        return self.references.look_up(node, mapping)

    def _report_empty(self, mapping: MapAt, word: str, known: Set[str]) -> None:
        """Warn of keys with nothing behind their colon, which count as left out."""
        for key, value in mapping.pairs:
            if isinstance(value, Scalar) and value.is_null and not value.text and key.text in known:
                if key.text == word or value.style:
                    continue
                message = f"nothing stands behind `{key.text}:`"
                help = "write its value, or take the key out"
                self.forms.sink.report("FC1003", message, key.span, severity="warning", help=help)

    def _report_nameless(self, mapping: MapAt) -> None:
        name = mapping.get("name")
        span = place(mapping) if name is None else name.span
        help = "write `name:` and its name"
        for key, _ in mapping.pairs if name is None else ():
            if keys.OTHER_WORDS.get(key.text.lower()) == "name":
                span, help = key.span, "here it is `name:`"
        self.forms.report("FC1003", "a node has no name", span, help)

    def _report_kind(self, mapping: MapAt, kinds: list[Scalar]) -> None:
        if kinds:
            words = " and ".join(f"`{key.text}`" for key in kinds)
            message = f"{words} stand in one node, which is of one kind"
            label = Label(kinds[0].span, "the other one")
            doubled = [key.text for key, _ in mapping.pairs].count("name") > 1
            help = "make two nodes of it: each begins with `- name:`" if doubled else ""
            help = help or "make two nodes of it"
            self.forms.report("FC1005", message, kinds[1].span, help, label)
            return
        slip, near = kind_meant([key for key, _ in mapping.pairs])
        listed = ", ".join(f"`{word}`" for word in keys.NODES)
        place_of = slip.span if slip else place(mapping)
        help = f"a node has one of these keys: {listed}"
        self.forms.report("FC1003", "nothing says what this node does", place_of, help, near=near)

    def _use_prompt(self, word: str, fields: dict[str, Any], mapping: MapAt) -> bool:
        """Give the text of `uses:` to a node that has none of its own; return whether the node has
        what it needs."""
        key = {"agent": "prompt", "message": "template"}.get(word)
        used = fields.get("prompt_id")
        explicit = mapping.get("prompt") is not None or "template" in fields
        if key is not None and used is not None and not explicit:
            prompts = self.references.declared.prompts
            if used not in prompts:
                self.references.unknown(
                    "prompt", used, prompts, value_span(mapping, "uses"), "prompts"
                )
            fields[key] = prompts.get(used) or Literal(value="")
        if word == "agent":
            fields.setdefault("prompt", None)
        if word == "message" and key not in fields:
            help = "write a text, or `uses:` with the name of a prompt"
            self.forms.report("FC1003", "a message has no text", place(mapping), help)
            return False
        return True

    def _wire(
        self, mapping: MapAt, workflow: ir.Workflow, read: list[tuple[ir.Node, MapAt]]
    ) -> ir.Workflow:
        """Return the workflow with its nodes, edges and all that names a node."""
        targets = Targets(self.forms, (node for node, _ in read))
        targets.report_hidden_ends(read)
        edges = Edges(self.forms, targets, self._default(mapping, targets))
        nodes: list[ir.Node] = []
        wired: list[ir.Edge] = []
        for at, (node, item) in enumerate(read):
            after = read[at + 1][0] if at + 1 < len(read) else None
            ways, chooser = edges.read(node, item, after)
            nodes += [node] if chooser is None else [node, chooser]
            wired += ways
            if chooser is not None and chooser.id in targets.names:
                message = f"the conditions of `{brief(node.id)}` make a node `{brief(chooser.id)}`"
                self.forms.report("FC1004", message, node.span or place(item), "rename yours")
        return replace(
            workflow,
            entry=self._start(mapping, targets, nodes),
            **self.named_nodes(mapping, targets),
            nodes=(*nodes, *_ends(targets)),
            edges=tuple(wired),
        )

    def _check_trials(self, mapping: MapAt, workflow: ir.Workflow) -> None:
        """Report nodes that a test names and the workflow lacks. What follows a call belongs to the
        called workflow."""
        nodes = dict.fromkeys(node.id for node in workflow.nodes)
        tests = mapping.get("tests")
        for _, test in tests.pairs if isinstance(tests, MapAt) else ():
            if not isinstance(test, MapAt):
                continue
            for key in ("path", "avoids"):
                named = test.get(key)
                for item in named.items if isinstance(named, ListAt) else [named]:
                    if isinstance(item, Scalar):
                        name = item.text.partition("/")[0]
                        own = name if name in nodes else name.partition("#")[0].partition("@")[0]
                        self.references.require("node", own, nodes, item.span)

    def _default(self, mapping: MapAt, targets: Targets) -> Default | None:
        node = mapping.value("defaults")
        if node is None:
            return None
        if not isinstance(node, MapAt):
            message = f"`defaults` is a mapping, not {kind(node)}"
            self.forms.report("FC1005", message, node.span, "write `on_error:` below it")
            return None
        self.forms.known_keys(node, ["on_error"], "`defaults`")
        return (
            None if (failure := node.get("on_error")) is None else self._failure(failure, targets)
        )

    def _failure(self, node: Value, targets: Targets) -> Default | None:
        if not isinstance(node, MapAt):
            target = targets.find(node)
            return None if target is None else Default(target, None, node.span)
        fields = self.forms.fields(node, _FAILURE, "`on_error`")
        to = node.get("to")
        if fields is None or to is None:
            return None
        target = targets.find(to)
        return None if target is None else Default(target, fields.get("errors"), node.span)

    def _start(self, mapping: MapAt, targets: Targets, nodes: list[ir.Node]) -> str:
        start = mapping.get("start")
        if start is None:
            return nodes[0].id if nodes else ""
        if isinstance(start, Scalar) and not start.is_null and start.text == "":
            return ""
        return targets.find(start) or ""

    def named_nodes(self, mapping: MapAt, targets: Targets) -> dict[str, Any]:
        """Return the fields of a workflow that name a node, but for its first one."""
        handlers = {key: mapping.value(key) for key in ("on_success", "on_failed")}
        return {
            **{key: node and targets.find(node) for key, node in handlers.items()},
            "on_input": self._on_input(mapping, targets),
        }

    def _on_input(self, mapping: MapAt, targets: Targets) -> ir.OnInput | None:
        node = mapping.value("on_input")
        fields = None if node is None else self.forms.element(node, keys.ON_INPUT, "`on_input`")
        if fields is None:
            return None
        to = node.get("to") if isinstance(node, MapAt) else node
        return ir.OnInput(**fields) if to is not None and targets.find(to) is not None else None

    def _with_agents(self, workflow: ir.Workflow, mapping: MapAt) -> ir.Workflow:
        """Make every agent that a node names a plain one unless there is `agents:`; with it, look
        up what agents say of threads."""
        for agent in workflow.agents:
            if agent.thread is not None and agent.span is not None:
                self.references.require(
                    "thread", agent.thread, self.references.declared.threads, agent.span
                )
        check_questions(workflow, _agent_places(mapping), self.forms.sink)
        if mapping.get("agents") is not None:
            return workflow
        named = {n.agent: n.span for n in reversed(workflow.nodes) if isinstance(n, ir.AgentNode)}
        agents = tuple(ir.Agent(id=name, span=span) for name, span in reversed(named.items()))
        return replace(workflow, agents=agents)


@functools.cache
def _node_shape(kind: str) -> keys.MapShape:
    """Return the mapping of a node of this kind, with all keys but its name and its ways out."""
    own = keys.NODES[kind]
    return keys.MapShape(own.type, (*own.keys, *keys.common_keys(kind)))


_FAILURE = keys.MapShape(Default, (
    keys.Key("to", "text", "name a node", field="target", required=True),
    keys.Key("errors", "words", "the kinds of failure", words=keys.KINDS_OF_ERROR),
))  # fmt: skip


_WRITES = ("into", "reply_into", "keeps")
_SETS = ("assign", "set", "into", "outputs", "returns")


def _unread(word: str, name: Scalar, mapping: MapAt) -> ir.Node:
    """Return a node in place of one that could not be read, so that the ways through it stay whole
    and its variables count as written."""
    match word:
        case "choose":
            return ir.ChooseNode(id=name.text, on=Literal(), span=name.span)
        case "end":
            return ir.EndNode(id=name.text, outcome="success", span=name.span)
    targets = [node for key, node in mapping.pairs if key.text in _WRITES]
    for key, node in mapping.pairs:
        if key.text in _SETS and isinstance(node, MapAt):
            targets += [target for target, _ in node.pairs]
    written = tuple(
        ir.Assignment(target=target.text, value=Literal(), span=target.span)
        for target in targets
        if isinstance(target, Scalar)
    )
    return ir.AssignNode(id=name.text, assignments=written, span=name.span)


def _agent_places(mapping: MapAt) -> dict[str, Span]:
    """Return where nodes name their agents, by the names of the nodes."""
    nodes = mapping.get("nodes")
    places: dict[str, Span] = {}
    for node in nodes.items if isinstance(nodes, ListAt) else ():
        name = node.get("name") if isinstance(node, MapAt) else None
        if isinstance(node, MapAt) and isinstance(name, Scalar) and node.get("agent") is not None:
            places[name.text] = value_span(node, "agent")
    return places


def _with_tool_places(workflow: ir.Workflow, mapping: MapAt) -> ir.Workflow:
    """Return the workflow with the tools that are not declared where they are first named."""
    agents, nodes = mapping.get("agents"), mapping.get("nodes") if workflow.tools else None
    users = [value for _, value in agents.pairs] if isinstance(agents, MapAt) else []
    users += nodes.items if isinstance(nodes, ListAt) else []
    places: dict[str, Span] = {}
    for user in users:
        for named in map(user.get, ("tools", "tool")) if isinstance(user, MapAt) else ():
            for item in named.items if isinstance(named, ListAt) else [named]:
                if isinstance(item, Scalar):
                    places.setdefault(item.text, item.span)
    declared = mapping.get("tools")
    for key, _ in declared.pairs if isinstance(declared, MapAt) else ():
        places.pop(key.text, None)
    tools = tuple(replace(tool, span=places.get(tool.id, tool.span)) for tool in workflow.tools)
    return replace(workflow, tools=tools)


def _ends(targets: Targets) -> Iterator[ir.EndNode]:
    """Yield the implied ends that edges lead to."""
    for name, outcome in keys.IMPLIED_ENDS.items():
        if name in targets.ends:
            yield ir.EndNode(id=name, outcome=outcome)
