"""A workflow as flowchart markdown: a chart below `# Workflow`, texts below `# Prompts` (M1–M50).

What the format adds by itself (implied ends and failures, its own variables and limits) is not
written; whether it adds what the workflow has is for those to find who read the file again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .. import ir
from ..analysis.graphs import edges_from, reachable, successors
from ..expr.ast import Call, Literal, Name
from ..frontends.flowchart.links import ONWARD, OTHERWISE
from ..ir.grants import grant_comments
from .flowchart_captions import UNSAID, Words, caption, default_text, free_name
from .flowchart_details import RESERVED, SHAPES, ChartDetails, drawn_arrow
from .manuscript import Manuscript, Rendition

_ONWARD = frozenset({"", *ONWARD})
_OTHERWISE = frozenset(OTHERWISE)
_BUILT_IN = frozenset({"STATUS", "RESULT", "CONTENT", "EXIT_CODE", "MAX_ACTIVITY_HITS"})
_CHECKS = ("CHECK", "CHECKRESULT", "CHECKSTATUS")
_HANDLERS = ("ON_SUCCESS", "ON_FAILED")
_ID = re.compile(r"[A-Z]+(?:_[\w.]*\w)?\Z")
_WRITES_FILE = "write_file"


def write_flowchart(manuscript: Manuscript) -> Rendition:
    """The document. A node whose id does not begin with its kind takes another one (M9)."""
    return _Writer(manuscript).write()


class _Writer:
    def __init__(self, manuscript: Manuscript) -> None:
        workflow = manuscript.workflow
        self.manuscript, self.workflow = manuscript, workflow
        self.details = ChartDetails(manuscript)
        self.detailed = self.details.nodes
        self.kinds: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.prompt_of: dict[str, str] = {}
        self.implied: dict[str, bool] = {}
        self.declared: set[str] = set()
        self.words = Words(_known_names(workflow))
        self.prompts = {
            p.id: self.words.prompt(p.template)
            for p in workflow.prompts
            if p.id not in self.details.prompts
        }
        self.nodes = {node.id: node for node in workflow.nodes}
        self.out_of = edges_from(workflow.edges)
        failed = [workflow.on_failed] if workflow.on_failed else []
        self.failing = set(reachable(failed, successors(self.nodes, workflow.edges)))
        for edge in workflow.edges:
            for end in (edge.source, edge.target):
                self.implied[end] = self.implied.get(end, True) and self.is_left_out(edge)

    def write(self) -> Rendition:
        self.name_nodes()
        self.read_prompts()
        w = self.workflow
        told = w.title and ("title", "") not in self.details.parts
        blocks = [f"# {' '.join(w.title.split())}"] if told else []
        told = w.description and ("description", "") not in self.details.parts
        blocks += [w.description] if told else []
        chart = "\n".join(
            f"    {line}" for line in (*grant_comments(w), *self.params(), *self.chart())
        )
        blocks.append(f"# Workflow\n\n```mermaid\nflowchart TD\n{chart}\n```")
        blocks += self.details.block(self.names)
        if self.prompts:
            blocks.append("# Prompts")
            blocks += [f"## {name}\n\n{text}" for name, text in self.prompts.items()]
        return Rendition("\n\n".join(blocks) + "\n", names=self.names)

    def name_nodes(self) -> None:
        nodes = [node for node in self.workflow.nodes if not self.is_implied(node)]
        kinds = {
            node.id: kinds_of(node, self.workflow, self.out_of.get(node.id, ())) for node in nodes
        }
        kept = [
            id
            for id, fits in kinds.items()
            if (self.details.keeps(id) if id in self.detailed else _is_own(id, fits))
        ]
        taken = {*kept, *RESERVED}
        for id, fits in kinds.items():
            name = id
            if id not in kept:
                stem = re.sub(r"\W", "_", id)
                wanted = fits[0] if fits[0] in ("START", "SUCCESS", "FAILED") else ""
                stem = stem if id in self.detailed else f"{fits[0]}_{stem}"
                name = free_name(wanted or stem, taken)
                self.names[id] = name
                taken.add(name)
            self.kinds[id] = name.split("_")[0]

    def is_implied(self, node: ir.Node) -> bool:
        """Whether the format adds the node by itself: an end without a title, or the choice at the
        end of the handlers (M49), that only implied edges touch."""
        match node:
            case ir.EndNode():
                can_be = not node.title and node.id in ("SUCCESS", "FAILED")
            case ir.ChooseNode(id="END", on=Name()):
                can_be = True
            case _:
                can_be = False
        return can_be and node.id not in self.detailed and self.implied.get(node.id, False)

    def is_left_out(self, edge: ir.Edge) -> bool:
        """Whether the format adds an edge by itself: to SUCCESS or, in the handler of a failure,
        to FAILED; of a failure or a check that is false to FAILED (M35, M46, M49)."""
        if edge.source in self.detailed:
            return False
        target = self.nodes.get(edge.target)
        if "END" in (edge.source, edge.target) and isinstance(self.nodes.get("END"), ir.ChooseNode):
            return edge.implied
        if not edge.implied or not isinstance(target, ir.EndNode):
            return False
        if edge.guard is None or edge.guard == ir.Case(value="true"):
            return target.outcome == "success" or edge.source in self.failing
        return target.outcome == "failed"

    def read_prompts(self) -> None:
        """Add to the texts below `# Prompts` one for each node that has a text of its own."""
        known = {prompt.id: prompt.template for prompt in self.workflow.prompts}
        for node in self.workflow.nodes:
            match node:
                case _ if node.id in self.detailed:
                    continue
                case ir.AgentNode():
                    role, text = "User", node.prompt
                case ir.MessageNode():
                    role, text = node.role.capitalize(), node.template
                case _:
                    continue
            id = node.prompt_id
            if id is None or known.get(id, text) != text or id.split(" ")[0] != role:
                words = " ".join((node.title or node.id).removeprefix(f"{role} ").split())
                id = free_name(f"{role} {words}", self.prompts.keys())
            self.prompt_of[node.id] = id
            if text is not None:
                self.prompts.setdefault(id, self.words.prompt(text))

    def params(self) -> Iterator[str]:
        listed = [p for p in self.workflow.params if ("params", p.name) not in self.details.parts]
        items = [self.param(param) for param in listed]
        if items:
            entry = self.workflow.entry
            own = self.kinds.get(entry) == "START" or ("entry", "") in self.details.parts
            start = self.names.get(entry, entry) if own else "START"
            yield f"PARAMS{caption(', '.join(items))} -.- {start}"

    def param(self, param: ir.Param) -> str:
        entry = next((n for n in self.workflow.nodes if n.id == self.workflow.entry), None)
        if isinstance(entry, ir.AssignNode):
            for assignment in entry.assignments:
                match assignment.value:
                    case Call(function="coalesce", args=(Name(), Call(function="read_file") as f)):
                        if assignment.target == param.name:
                            return f"{param.name}={self.words.value(f)}"
        if param.env is not None:
            return f"{param.name}=env:{param.env}"
        if param.default is not None:
            return f"{param.name}={default_text(param.default)}"
        return param.name

    def chart(self) -> Iterator[str]:
        """Nodes and links. A node's caption stands where it is first named, and nodes are named in
        the workflow's order: one that is not next in line is declared before it is linked to."""
        nodes = {node.id: node for node in self.workflow.nodes if node.id in self.kinds}
        waiting = list(nodes)[::-1]
        links: dict[str, list[tuple[str, str]]] = {
            id: self.links(node) for id, node in nodes.items()
        }
        yield from self.beginnings(nodes, waiting)
        for id in nodes:
            if not links[id] and id not in self.declared:
                yield self.mention(nodes[id], waiting)
            for arrow, target in links[id]:
                here = self.mention(nodes[id], waiting)
                if target not in self.declared and waiting[-1] != target:
                    name = self.names.get(id, id)
                    if here != name:
                        yield here
                    here = name
                    while waiting[-1] != target:
                        yield self.mention(nodes[waiting[-1]], waiting)
                yield f"{here} {arrow} {self.mention(nodes[target], waiting)}"

    def beginnings(self, nodes: dict[str, ir.Node], waiting: list[str]) -> Iterator[str]:
        """A start, and handlers, where the workflow has them under no name of the format."""
        w = self.workflow
        chains = {
            "START": w.entry or self.first(),
            "ON_SUCCESS": w.on_success,
            "ON_FAILED": w.on_failed,
        }
        fields = {"START": "entry"}
        chains = {
            begin: first
            for begin, first in chains.items()
            if (fields.get(begin, begin.lower()), "") not in self.details.parts
        }
        for begin, first in chains.items():
            if first in nodes and first is not None:
                name = self.names.get(first, first)
                if name != begin and not (begin == "START" and self.kinds[first] == "START"):
                    is_next = waiting[-1:] == [first]
                    yield f"{begin} --> {self.mention(nodes[first], waiting) if is_next else name}"

    def first(self) -> str | None:
        """Where a picture begins, which has no first node: where no edge leads to, if anywhere."""
        targets = {edge.target for edge in self.workflow.edges}
        nodes = [node.id for node in self.workflow.nodes]
        return next((id for id in nodes if id not in targets), next(iter(nodes), None))

    def mention(self, node: ir.Node, waiting: list[str]) -> str:
        name = self.names.get(node.id, node.id)
        if node.id in self.declared:
            return name
        self.declared.add(node.id)
        waiting.pop()
        return name + self.caption(node)

    def links(self, node: ir.Node) -> list[tuple[str, str]]:
        """The two ways out of a node that its links show, as arrows and targets (M15)."""
        if node.id in self.detailed:
            ways = self.out_of.get(node.id, ())
            return [
                (drawn_arrow(edge, node), edge.target) for edge in ways if edge.target in self.kinds
            ]
        onward: tuple[str, str] | None = None
        other: tuple[str, str] | None = None
        is_check = self.kinds[node.id] in _CHECKS
        for edge in self.out_of.get(node.id, ()):
            if self.is_left_out(edge) or edge.target not in self.kinds:
                continue
            if isinstance(edge.guard, ir.OnError) and (is_check or "limit" in edge.guard.errors):
                continue
            if _is_other(edge, is_check):
                word = "FALSE" if is_check else "ERROR"
                other = other or (_arrow(edge, _OTHERWISE, word), edge.target)
            else:
                word = "TRUE" if is_check else ""
                onward = onward or (_arrow(edge, _ONWARD, word), edge.target)
        return [way for way in (onward, other) if way is not None]

    def caption(self, node: ir.Node) -> str:
        """A node's caption in its shape, "" without one."""
        kind, words = self.kinds[node.id], self.words
        title = "" if node.id in self.manuscript.untitled else node.title
        match node:
            case _ if node.id in self.detailed:
                shown = node.title or (node.id if node.id in self.names else "")
                opening, closing = SHAPES.get(node.kind, ("[", "]"))
                return caption(shown, opening, closing) if shown else ""
            case ir.AgentNode() | ir.MessageNode():
                return caption(self.prompt_of[node.id], prefix="Prompt: ")
            case ir.AssignNode(assignments=(first, *_)) if kind == "SET":
                return caption(
                    title or f"{first.target}={words.value(first.value)}", prefix="Set: "
                )
            case ir.AssignNode(assignments=(first, *_)) if kind == "ASSIGN":
                return caption(title or words.value(first.value, bare=False), prefix="Assign: ")
            case ir.ToolNode() if kind == "SET":
                return caption(title or self.written_file(node), prefix="Set: ")
            case ir.ChooseNode() if kind in _CHECKS:
                return caption(title or words.check(node.on), "{", "}")
            case ir.ExecNode() if kind == "EXECUTE":
                command = "" if node.form == "blocks" else words.template(node.source)
                text = title or command
                return caption(text, prefix="Execute: ") if text else ""
            case ir.CallNode() if kind == "CALL":
                path = self.manuscript.beside(node.workflow)
                return caption(title or path, "[[", "]]")
            case _:
                opening, closing = ("([", "])") if isinstance(node, ir.EndNode) else ("[", "]")
                # A checkpoint shows the name that it had.
                title = node.title or (
                    node.id if kind == "CHECKPOINT" and node.id in self.names else ""
                )
                return caption(title, opening, closing) if title else ""

    def written_file(self, node: ir.ToolNode) -> str:
        args = {arg.target: arg.value for arg in node.args}
        path = args.get("path")
        place = path.value if isinstance(path, Literal) else UNSAID
        content = args.get("content")
        return f"file:{place}={self.words.value(content) if content is not None else ''}"


def _is_own(id: str, fits: Sequence[str]) -> bool:
    """Whether an id says what the node does."""
    return _ID.match(id) is not None and id.split("_")[0] in fits


def _known_names(workflow: ir.Workflow) -> frozenset[str]:
    """What a text in a caption would be looked up as (M21)."""
    names = {*_BUILT_IN, *(p.name for p in workflow.params), *(p.id for p in workflow.prompts)}
    nodes = [node for node in workflow.nodes if isinstance(node, ir.AssignNode)]
    return frozenset(names.union(a.target for node in nodes for a in node.assignments))


def _is_other(edge: ir.Edge, is_check: bool) -> bool:
    """Whether an edge is the second way out: that of a check that is false, of a failure else."""
    if not is_check:
        return isinstance(edge.guard, ir.OnError)
    return not (edge.guard is None or edge.guard == ir.Case(value="true"))


def _arrow(edge: ir.Edge, words: frozenset[str], otherwise: str) -> str:
    """An arrow with the label as written, when that says the same."""
    label = edge.label if edge.label.strip().upper() in words else otherwise
    if words is _ONWARD and not edge.label and otherwise == "TRUE":
        label = ""
    if label and not label.isalpha():
        label = f'"{label}"'
    return f"-->|{label}|" if label else "-->"


def kinds_of(node: ir.Node, workflow: ir.Workflow, ways: Sequence[ir.Edge]) -> tuple[str, ...]:
    """What a node's id may begin with; the first is what a node takes whose id begins with none.
    `ways` are the edges that leave it."""
    match node:
        case ir.AssignNode() if node.id == workflow.entry and node.id.startswith("START"):
            return ("START",)
        case ir.AssignNode() if node.id in _HANDLERS:
            return ("ON",)
        case ir.AssignNode(assignments=()):
            return ("CHECKPOINT",)
        case ir.AssignNode(assignments=(first, *_)):
            return ("ASSIGN", "SET") if first.target == "RESULT" else ("SET",)
        case ir.AgentNode() | ir.MessageNode():
            return ("PROMPT",)
        case ir.ChooseNode() if _is_check(ways):
            return _CHECKS
        case ir.ExecNode():
            return ("EXECUTE",)
        case ir.AskNode():
            return ("ASK",)
        case ir.CallNode():
            return ("CALL",)
        case ir.ToolNode() if node.tool == _WRITES_FILE:
            return ("SET",)
        case ir.EndNode():
            return ("SUCCESS",) if node.outcome == "success" else ("FAILED",)
        case _:
            return ("CHECKPOINT",)


def _is_check(ways: Sequence[ir.Edge]) -> bool:
    """Whether a choice has no cases but true and false."""
    guards = [edge.guard for edge in ways]
    return all(guard.value in ("true", "false") for guard in guards if isinstance(guard, ir.Case))
