"""The table of docs/durability.md: every edit, in every place, while a run stands anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.driver import compile_file
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.engine.signals import RunSignals
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from flowc.runtime.services import Outcome
from worlds import World, start

PAGE = Path(__file__).resolve().parents[3] / "docs/durability.md"
BEFORE = "  - name: before\n    assign: {n: 1}\n"
NODE = "  - name: node\n    ask: What?\n    into: said\n"
AFTER = "  - name: after\n    assign: {m: 2}\n"
NEW = "  - name: fresh\n    assign: {k: 3}\n"
HOLD = "  - name: hold\n    ask: Go on?\n    into: held\n"

EDITS = {
    "worded differently": BEFORE + NODE.replace("What?", "What then?") + AFTER,
    "told to do something else": BEFORE + NODE.replace("into: said", "into: heard") + AFTER,
    "renamed": BEFORE + NODE.replace("name: node", "name: knot") + AFTER,
    "deleted": BEFORE + AFTER,
    "preceded by a new one": BEFORE + NEW + NODE + AFTER,
    "followed by a new one": BEFORE + NODE + NEW + AFTER,
    "leading elsewhere": BEFORE + NODE + "    next: end\n" + AFTER.replace("after", "apart"),
    "of another kind": BEFORE + "  - name: node\n    assign: {said: '\"x\"'}\n" + AFTER,
}
STANDS = ("elsewhere", "next", "under way")


def table() -> list[tuple[str, str, str]]:
    """(edit, where the run stands, verdict) as the page says it."""
    lines = PAGE.read_text().split("| the node is |")[1].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(row[0], w, v) for row in rows for w, v in zip(STANDS, row[1:], strict=True)]


def document(level: str, nodes: str) -> str:
    """The nodes in the main workflow, in one that it calls, or in one for each element; a question
    before and one after them."""
    text = "flow: 1\nstate: {said: {}, heard: {}, n: {type: any}, m: {}, k: {}}\nnodes:\n" + HOLD
    last = HOLD.replace("hold", "end_hold") + "outputs: [held]\n"
    if level == "main":
        return text + nodes + last
    calls = (
        "    call: inner\n"
        if level == "called"
        else "    foreach: '[1]'\n    do: inner\n    item: i\n    into: all\n"
    )
    inner = "".join(f"    {line}\n" for line in ("nodes:\n" + nodes).splitlines())
    state = "    state: {said: {}, heard: {}, n: {type: any}, m: {}, k: {}}\n"
    state = f"    params: {{i: any}}\n{state}" if level == "each" else state
    return f"{text}  - name: caller\n{calls}{last}workflows:\n  inner:\n{state}{inner}"


def compiled(folder: Path, text: str) -> GraphSpec:
    file = folder / "main.flow.yaml"
    file.write_text(text)
    result = compile_file(str(file))
    assert result.ok, result.diagnostics
    assert result.spec is not None
    return result.spec


async def brought_to(engine: Engine, spec: GraphSpec, where: str) -> Outcome:
    """The run `r`, standing before everything, before `node`, or at its question."""
    outcome = await start(engine, spec, World())
    if where == "elsewhere":
        return outcome
    signals = RunSignals()

    def leave_off(event: RunEvent) -> None:
        if event.kind == "node_finished" and event.node == "before":
            signals.request_drain("pause")

    fields: dict[str, Any] = {"answers": {"": "yes"}}
    if where == "next":
        fields |= {"listeners": (leave_off,), "control": signals}
    return await engine.resume("r", spec, World(), **fields)


async def to_the_end(engine: Engine, spec: GraphSpec, **more: Any) -> Outcome:
    outcome = await engine.resume("r", spec, World(), answers={}, **more)
    for _ in range(5):
        if outcome.status != "paused":
            break
        outcome = await engine.resume("r", spec, World(), answers={"": "yes"})
    return outcome


@pytest.mark.parametrize("level", ["main", "called", "each"])
@pytest.mark.parametrize(("edit", "where", "verdict"), table())
def test_the_table_of_edits(
    edit: str, where: str, verdict: str, level: str, tmp_path: Path, url: str, wait: Any
) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            old = compiled(tmp_path, document(level, BEFORE + NODE + AFTER))
            assert (await brought_to(engine, old, where)).status == "paused"
            new = compiled(tmp_path, document(level, EDITS[edit]))
            if verdict == "goes on":
                assert (await to_the_end(engine, new)).status == "success"
                kinds = [event.kind for event in await engine.store.events("r")]
                assert kinds.count("changed") == 1
                return
            with pytest.raises(RunError, match="has changed where run r stands") as refused:
                await engine.resume("r", new, World(), answers={})
            assert "main.flow.yaml:" in refused.value.message
            assert (await to_the_end(engine, old)).status == "success", "nothing was harmed"

    wait(go())


def test_the_page_names_every_edit() -> None:
    assert {edit for edit, _, _ in table()} == set(EDITS)


@pytest.mark.parametrize("where", ["next", "under way"])
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("renamed", "node=knot"),
        ("of another kind", "node=node"),
        ("deleted", "node=after"),
    ],
)
def test_migrate_says_what_became_of_a_node(
    edit: str, said: str, where: str, tmp_path: Path, url: str, wait: Any
) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            await brought_to(
                engine, compiled(tmp_path, document("main", BEFORE + NODE + AFTER)), where
            )
            new = compiled(tmp_path, document("main", EDITS[edit]))
            outcome = await to_the_end(engine, new, migrate=(said,))
            assert outcome.status == "success"
            assert outcome.variables["n"] == 1, "what was before is kept"
            changed = [e for e in await engine.store.events("r") if e.kind == "changed"]
            assert changed[0].data["migrated"] == [said]
            again = await engine.store.get("r")
            assert again.digest == new.digest

    wait(go())


VARIABLES = [
    ("n: {type: any}", "number: {type: any}", "refused", ()),
    ("n: {type: any}", "number: {type: number}", "kept as number", ("n=number",)),
    ("n: {type: any}", "", "dropped", ("n=",)),
    ("n: {type: any}", "n: {type: text}", "refused", ()),
    ("n: {type: any}", "n: {type: number}", "goes on", ()),
    ("n: {type: any}", "n: {type: list, reducer: append}", "refused", ()),
    ("n: {type: any}", "number: {type: boolean}", "does not fit", ("n=number",)),
    ("k: {}", "", "goes on", ()),
    ("k: {}", "k: {type: number, reducer: add}", "goes on", ()),
    ("k: {}", "k: {}, z: {}", "goes on", ()),
]  # fmt: skip


@pytest.mark.parametrize(("was", "now", "verdict", "migrate"), VARIABLES)
def test_variables(
    was: str, now: str, verdict: str, migrate: Any, tmp_path: Path, url: str, wait: Any
) -> None:
    text = document("main", BEFORE + NODE + AFTER)

    async def go() -> None:
        async with open_engine(url) as engine:
            old = compiled(tmp_path, text)
            await brought_to(engine, old, "under way")
            other = "number" if now.startswith("number") else "m"
            edited = text.replace(f"{was}, " if not now else was, now)
            edited = edited.replace("{n: 1}", f"{{{other}: {'true' if 'boolean' in now else 1}}}")
            if now.startswith("n:"):
                edited = edited.replace("{m: 1}", "{k: 1}")
            new = compiled(tmp_path, edited)
            if verdict in ("refused", "does not fit"):
                said = "where run r stands" if verdict == "refused" else "`n` is no boolean"
                with pytest.raises(RunError, match=said):
                    await engine.resume("r", new, World(), answers={}, migrate=migrate)
                return
            outcome = await to_the_end(engine, new, migrate=migrate)
            assert outcome.status == "success"
            if verdict == "kept as number":
                assert outcome.variables["number"] == 1

    wait(go())


def test_what_says_nothing_is_refused_in_words(tmp_path: Path, url: str, wait: Any) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            old = compiled(tmp_path, document("main", BEFORE + NODE + AFTER))
            await brought_to(engine, old, "under way")
            with pytest.raises(RunError, match="has not changed"):
                await engine.resume("r", old, World(), answers={}, migrate=("node=node",))
            new = compiled(tmp_path, document("main", EDITS["renamed"]))
            for given, message in [
                ("node", "does not say what"),
                ("nodes=knot", "there was no `nodes`"),
                ("node=nought", "there is no `nought`"),
                ("after=after", "`after` does not come next"),
            ]:
                with pytest.raises(RunError, match=message):
                    await engine.resume("r", new, World(), answers={}, migrate=(given,))

    wait(go())


JOINED = """\
flow: 1
state: {a: text, b: text, c: text, d: text}
nodes:
  - {name: begin, assign: {c: '"c"'}, next: [left, right]}
  - {name: left, ask: Left?, into: a, next: LEFT}
  - {name: right, RIGHT, next: both}
  - {name: fresh, assign: {d: '"d"'}, next: both}
  - {name: both, join: all, assign: {c: '"both"'}}
"""


@pytest.mark.parametrize("level", ["main", "called"])
@pytest.mark.parametrize("came", [False, True])
def test_a_node_between_a_question_and_a_join_waits_for_nobody_who_has_come(
    came: bool, level: str, tmp_path: Path, url: str, wait: Any
) -> None:
    """The other branch has come to the join, or asks as well."""
    right = "assign: {b: '\"b\"'}" if came else "ask: Right?, into: b"
    text = JOINED.replace("RIGHT", right)
    before, after = text.replace("LEFT", "both"), text.replace("LEFT", "fresh")
    before = "".join(x for x in before.splitlines(keepends=True) if "fresh" not in x)
    if level == "called":
        before, after = map(_called, (before, after))

    async def go() -> None:
        async with open_engine(url) as engine:
            old = compiled(tmp_path, before)
            outcome = await start(engine, old, World())
            assert len(outcome.questions) == 2 - came
            new = compiled(tmp_path, after)
            said = {question.id: "yes" for question in outcome.questions}
            if came:
                with pytest.raises(RunError, match="branches have come to `both`"):
                    await engine.resume("r", new, World(), answers=said)
                new = old
            outcome = await engine.resume("r", new, World(), answers=said)
            assert outcome.status == "success"
            finished = [e.node for e in await engine.store.events("r") if e.kind == "node_finished"]
            assert finished.count("both") == 1
            assert finished.count("fresh") == (not came)

    wait(go())


CHOSEN = """\
flow: 1
state: {a: text, b: text, c: text, d: text}
nodes:
  - {name: begin, assign: {c: '"c"'}, next: [left, right]}
  - {name: left, choose: c, cases: {c: CASE}, otherwise: bad}
  - {name: bad, end: failed}
  - {name: right, ask: Right?, into: a, next: both}
  - {name: fresh, assign: {d: '"d"'}, next: both}
  - {name: both, join: all, assign: {c: '"both"'}}
"""


def test_a_branch_on_its_way_to_a_join_is_not_lost(tmp_path: Path, url: str, wait: Any) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            before = CHOSEN.replace("CASE", "both")
            old = compiled(
                tmp_path, "".join(x for x in before.splitlines(True) if "fresh" not in x)
            )
            assert (await start(engine, old, World())).status == "paused"
            new = compiled(tmp_path, CHOSEN.replace("CASE", "fresh"))
            with pytest.raises(RunError, match="on its way to `both`"):
                await engine.resume("r", new, World(), answers={"": "yes"})
            outcome = await engine.resume("r", old, World(), answers={"": "yes"})
            assert outcome.variables["c"] == "both"

    wait(go())


def _called(text: str) -> str:
    inner = "".join(f"    {line}\n" for line in text.splitlines()[1:])
    return f"flow: 1\nnodes:\n  - {{name: caller, call: inner}}\nworkflows:\n  inner:\n{inner}"


def test_a_node_inserted_behind_a_question_runs_and_the_answer_is_kept(
    tmp_path: Path, url: str, wait: Any
) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            old = compiled(tmp_path, document("main", BEFORE + NODE + AFTER))
            await brought_to(engine, old, "under way")
            fresh = "  - name: fresh\n    assign: {k: said}\n"
            new = compiled(tmp_path, document("main", BEFORE + NODE + fresh + AFTER))
            outcome = await engine.resume("r", new, World(), answers={"": "tea"})
            assert (outcome.variables["said"], outcome.variables["k"]) == ("tea", "tea")
            [changed] = [e for e in await engine.store.events("r") if e.kind == "changed"]
            told = [change["text"] for change in changed.data["changes"]]
            assert any("leads elsewhere when it is through" in text for text in told)

    wait(go())
