"""What flowc relies on of LangGraph beyond its public interface, one fact a test.

`make langgraph` runs this page with the oldest and the newest LangGraph that pyproject allows.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import aiosqlite
import pytest
from flowc.runtime.checkpoints import keys, namespaces
from flowc.runtime.checkpoints.channels import (
    GrowingChannel,
    SeededChannel,
    SeededReducer,
    delta_channels,
    fill,
    is_interrupt,
    is_snapshot,
    join_channel,
    replay,
    snapshot,
    started_node,
)
from flowc.runtime.checkpoints.next_nodes import following_nodes, has_question, next_nodes
from flowc.runtime.checkpoints.tables.serializer import StrictSerializer
from flowc.runtime.checkpoints.tables.sqlite_saver import SqliteSaver, open_sqlite_saver
from flowc.runtime.checkpoints.tables.stored import checkpoints_of
from flowc.runtime.db.fence import Epochs
from flowc.runtime.db.sqlite import open_sqlite
from flowc.runtime.db.url import locate
from flowc.runtime.errors import RunError
from langgraph.checkpoint.base import id as ids
from langgraph.checkpoint.base import writes_sort_key
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

RUN = "r"


def fold(items: list[Any], writes: Any) -> list[Any]:
    return [*items, *(item for write in writes for item in write)]


@dataclass
class Foreign:
    command: str


def schema_of(channel: type[GrowingChannel]) -> Any:
    return TypedDict("State", {"items": Annotated[list[Any], channel(fold)], "answer": str})


State = schema_of(GrowingChannel)


class Graph:
    """`first` leads to `question` and `beside`, both to `last` through a join."""

    def __init__(self, schema: Any = State) -> None:
        self.visits: dict[str, list[tuple[str, str]]] = {}
        self.steps: dict[str, int] = {}
        self.saver: Any = InMemorySaver(serde=StrictSerializer(None))
        self.app: Any = self._graph(schema).compile(checkpointer=self.saver)

    def _graph(self, schema: Any = State) -> Any:
        graph: Any = StateGraph(schema)
        for name in ("first", "question", "beside", "after", "last"):
            graph.add_node(name, self._node(name))
        graph.add_edge(START, "first")
        graph.add_edge("first", "question")
        graph.add_edge("first", "beside")
        graph.add_edge("beside", "after")
        graph.add_edge(["question", "after"], "last")
        graph.add_edge("last", END)
        return graph

    def _node(self, name: str) -> Callable[..., Any]:
        async def node(state: Any, config: Any, runtime: Runtime[Any]) -> dict[str, Any]:
            self.visits.setdefault(name, []).append(keys.visit_of(runtime))
            self.steps[name] = keys.superstep(config)
            if name == "question":
                return {"answer": interrupt({"text": "?"})}
            return {"items": [name]}

        node.__annotations__.clear()
        return node

    async def start(self) -> None:
        await self.app.ainvoke({"items": ["begin"]}, keys.strict_config(RUN), durability="sync")

    async def state(self) -> Any:
        return await self.app.aget_state(keys.thread_config(RUN))

    async def latest(self) -> Any:
        return await self.saver.aget_tuple(keys.thread_config(RUN))


@pytest.fixture
def paused(wait: Any) -> Graph:
    """The graph as it waits for its answer."""
    graph = Graph()
    wait(graph.start())
    return graph


def test_the_version_under_test_is_the_one_that_is_imported() -> None:
    if folder := os.environ.get("FLOWC_TEST_LANGGRAPH"):
        modules = ("langgraph.pregel", "langgraph.checkpoint.base", "langgraph.checkpoint.sqlite")
        files = [str(import_module(name).__file__) for name in modules]
        assert [file for file in files if not file.startswith(folder)] == []


class TestKeys:
    def test_the_configuration_keys_are_langgraph_s(self) -> None:
        from langgraph._internal import _constants as constants

        assert keys._STRICT == constants.CONFIG_KEY_STRICT_RESUME
        assert keys._SAVER == constants.CONFIG_KEY_CHECKPOINTER
        assert keys._SCRATCHPAD == constants.CONFIG_KEY_SCRATCHPAD

    def test_an_answer_to_nothing_is_refused(self, paused: Graph, wait: Any) -> None:
        answers = Command(resume={"0" * 32: "x"})
        with pytest.raises(Exception, match=r"(?i)interrupt"):
            wait(paused.app.ainvoke(answers, keys.strict_config(RUN)))

    def test_a_namespace_is_the_node_and_its_task(self, paused: Graph, wait: Any) -> None:
        ((thread, namespace),) = paused.visits["first"]
        assert thread == RUN
        assert list(namespaces.levels(namespace)) == [("first", ())]
        (task,) = [task for task in wait(paused.state()).tasks if task.name == "question"]
        assert paused.visits["question"][0][1] == namespaces.task_part("question", task.id)

    def test_a_visit_has_the_same_namespace_in_every_execution(
        self, paused: Graph, wait: Any
    ) -> None:
        (waiting,) = wait(paused.state()).interrupts
        wait(paused.app.ainvoke(Command(resume={waiting.id: "yes"}), keys.strict_config(RUN)))
        before, after = paused.visits["question"]
        assert before == after

    def test_nodes_that_run_side_by_side_are_in_one_step(self, paused: Graph) -> None:
        assert paused.steps["first"] + 1 == paused.steps["question"] == paused.steps["beside"]

    def test_a_question_keeps_its_id(self, paused: Graph, wait: Any) -> None:
        (first,) = wait(paused.state()).interrupts
        wait(paused.app.ainvoke(None, keys.strict_config(RUN)))
        (again,) = wait(paused.state()).interrupts
        assert first.id == again.id

    def test_runs_of_a_subgraph_are_numbered_by_the_namespace(self, wait: Any) -> None:
        inner: Any = StateGraph(State)
        seen: list[str] = []

        async def leaf(state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
            seen.append(keys.visit_of(runtime)[1])
            return {}

        leaf.__annotations__.clear()
        inner.add_node("leaf", leaf)
        inner.add_edge(START, "leaf")
        app: Any = inner.compile()

        async def each(state: Any, config: Any) -> dict[str, Any]:
            for number in (1, 0):
                settings = keys.numbered_run(config["configurable"], (number,))
                await app.ainvoke({}, {**config, "configurable": settings})
            return {}

        each.__annotations__.clear()
        outer: Any = StateGraph(State)
        outer.add_node("each", each)
        outer.add_edge(START, "each")
        saver: Any = InMemorySaver()

        async def go() -> set[str]:
            await outer.compile(checkpointer=saver).ainvoke({}, keys.thread_config(RUN))
            items = saver.alist({"configurable": {"thread_id": RUN}})
            return {keys.namespace_of(item.config) async for item in items}

        names = wait(go())
        assert [next(iter(namespaces.levels(n))) for n in seen] == [("each", (1,)), ("each", (0,))]
        assert {namespaces.around(n) for n in seen} == names - {""}

    def test_a_subgraph_s_checkpoint_is_read_with_its_own_graph(self, wait: Any) -> None:
        inner: Any = StateGraph(State)
        inner.add_node("leaf", lambda state: {"answer": "deep"})
        inner.add_edge(START, "leaf")
        outer: Any = StateGraph(State)
        outer.add_node("call", inner.compile())
        outer.add_edge(START, "call")
        saver: Any = InMemorySaver()

        async def go() -> list[Any]:
            await outer.compile(checkpointer=saver).ainvoke({}, keys.thread_config(RUN))
            items = [i async for i in saver.alist({"configurable": {"thread_id": RUN}})]
            app: Any = inner.compile(checkpointer=saver)
            last = max((i for i in items if keys.namespace_of(i.config)), key=lambda i: i[1]["id"])
            place = (last.checkpoint["id"], keys.namespace_of(last.config), saver)
            return (await app.aget_state(keys.level_config(RUN, *place))).values

        assert wait(go())["answer"] == "deep"


class TestFrontier:
    def test_an_edge_writes_the_channel_that_starts_its_node(self, paused: Graph) -> None:
        for name in ("first", "question", "beside", "after"):
            assert name in {started_node(channel) for channel in paused.app.nodes[name].triggers}

    def test_a_join_has_a_channel_of_its_own(self, paused: Graph) -> None:
        (trigger,) = (t for t in paused.app.nodes["last"].triggers if t.startswith("join"))
        assert trigger == join_channel(("question", "after"), "last")
        assert trigger in paused.app.channels

    def test_a_question_is_a_write_after_the_checkpoint(self, paused: Graph, wait: Any) -> None:
        saved = wait(paused.latest())
        assert has_question(saved)
        assert sum(is_interrupt(channel) for _, channel, _ in saved.pending_writes) == 1

    def test_the_raw_checkpoint_names_what_comes_next(self, paused: Graph, wait: Any) -> None:
        assert set(next_nodes(wait(paused.latest()))) == {"question", "beside"}

    def test_a_node_that_is_through_has_written_where_it_leads(
        self, paused: Graph, wait: Any
    ) -> None:
        assert following_nodes(wait(paused.latest())) == ["after"]

    def test_the_state_is_changed_in_the_name_of_a_node(self, paused: Graph, wait: Any) -> None:
        config = keys.thread_config(RUN)
        wait(paused.app.aupdate_state(config, {"items": ["x"]}, as_node="first"))
        assert set(wait(paused.state()).next) == {"question", "beside"}
        assert wait(paused.state()).values["items"][-1] == "x"

    def test_a_channel_that_starts_a_node_is_empty_elsewhere(
        self, paused: Graph, wait: Any
    ) -> None:
        values = wait(paused.latest()).checkpoint["channel_values"]
        starting = {c: paused.app.channels[c] for c in paused.app.nodes["question"].triggers}
        assert any(fill(channel, values, name).is_available() for name, channel in starting.items())
        assert not any(fill(channel, {}, name).is_available() for name, channel in starting.items())


class TestLists:
    def test_a_checkpoint_does_not_hold_a_list(self, paused: Graph, wait: Any) -> None:
        saved = wait(paused.latest())
        assert list(delta_channels(paused.app.channels)) == ["items"]
        assert "items" in saved.checkpoint["channel_versions"]
        assert "items" not in saved.checkpoint["channel_values"]

    def test_its_writes_make_the_list_again(self, paused: Graph, wait: Any) -> None:
        saved, channel = wait(paused.latest()), paused.app.channels["items"]
        history = paused.saver.aget_delta_channel_history(config=saved.config, channels=["items"])
        past = wait(history)["items"]
        begin = past.get("seed", snapshot([]))
        assert replay(channel, begin, past["writes"]) == ["begin", "first"]

    def test_a_snapshot_holds_all_of_it(self, paused: Graph) -> None:
        whole = snapshot(["a", "b"])
        assert is_snapshot(whole)
        assert not is_snapshot(["a", "b"])
        assert replay(paused.app.channels["items"], whole, [("t", "items", ["c"])]) == [*"abc"]

    def test_how_often_is_asked_of_the_channel_each_time(self, wait: Any) -> None:
        graph = Graph(schema_of(type("OftenWhole", (GrowingChannel,), {"snapshot_after": 1})))
        wait(graph.start())
        assert is_snapshot(wait(graph.latest()).checkpoint["channel_values"]["items"])

    def test_a_counter_says_how_long_it_is_since_the_last_one(
        self, paused: Graph, wait: Any
    ) -> None:
        counters = wait(paused.latest()).metadata["counters_since_delta_snapshot"]
        assert [type(count) for count in counters["items"]] == [int, int]

    def test_a_copy_of_a_channel_keeps_its_reducer(self) -> None:
        channel = SeededChannel(SeededReducer(fold, ["seed"]))
        assert fill(channel.copy(), {}, "items").get() == ["seed"]
        assert replay(channel, snapshot([]), [("t", "items", ["x"])]) == ["x"]


class TestOrder:
    def test_a_checkpoint_is_named_by_the_time(self, paused: Graph, wait: Any) -> None:
        named = ids.UUID(wait(paused.latest()).checkpoint["id"])
        assert named.version == 6
        assert named.time <= ids._last_v6_timestamp

    def test_the_next_name_comes_after_the_last_one(self, monkeypatch: Any) -> None:
        later = ids.uuid6().time + 10**12
        monkeypatch.setattr(ids, "_last_v6_timestamp", later)
        assert ids.uuid6().time > later

    def test_writes_are_sorted_by_path_task_and_number(self) -> None:
        rows = [("~b", "1", 0), ("~a", "2", 0), ("~a", "1", 1), ("~a", "1", 0)]
        assert sorted(rows, key=lambda row: writes_sort_key(*row)) == sorted(rows)


class TestSqlite:
    def test_what_is_written_is_what_langgraph_reads(self, tmp_path: Path, wait: Any) -> None:
        location, graph = locate(str(tmp_path / "runs.db")), Graph()

        async def go() -> None:
            async with (
                open_sqlite(location, durable=True) as db,
                open_sqlite_saver(location, StrictSerializer(None), Epochs()) as saver,
            ):
                graph.saver, graph.app = saver, graph._graph().compile(checkpointer=saver)
                await graph.start()
                theirs = [s async for s in graph.app.aget_state_history(keys.thread_config(RUN))]
                ours = await checkpoints_of(db, saver).checkpoints(RUN, "", ("answer",))
                assert [each.id for each in ours] == [
                    s.config["configurable"]["checkpoint_id"] for s in reversed(theirs)
                ]
                assert [each.step for each in ours] == [s.metadata["step"] for s in theirs[::-1]]

        wait(go())

    def test_a_function_runs_in_the_thread_of_the_connection(self, wait: Any) -> None:
        async def go() -> Any:
            async with aiosqlite.connect(":memory:") as db:
                saver = SqliteSaver(db, Epochs(), serde=StrictSerializer(None))
                await saver.visit(saver.tables.create)
                execute: Any = db._execute
                return await execute(lambda: db._conn.total_changes)

        assert isinstance(wait(go()), int)


def test_a_crafted_value_is_not_loaded_whatever_a_graph_asks_for() -> None:
    serializer = StrictSerializer(None).with_msgpack_allowlist([Foreign])
    with pytest.raises(RunError, match="cannot be read"):
        serializer.loads_typed(serializer.dumps_typed(Foreign("rm")))


@pytest.mark.skipif(not os.environ.get("FLOWC_TEST_POSTGRES"), reason="no server")
class TestPostgres:
    @property
    def saver(self) -> Any:
        return pytest.importorskip("langgraph.checkpoint.postgres.aio").AsyncPostgresSaver

    @pytest.mark.parametrize(
        ("statement", "columns"),
        [
            ("UPSERT_CHECKPOINTS_SQL", 6),
            ("UPSERT_CHECKPOINT_BLOBS_SQL", 6),
            ("UPSERT_CHECKPOINT_WRITES_SQL", 9),
            ("INSERT_CHECKPOINT_WRITES_SQL", 9),
        ],
    )
    def test_a_statement_writes_one_row_that_can_be_repeated(
        self, statement: str, columns: int
    ) -> None:
        (row,) = re.findall(r"(?<=VALUES) (\([^)]*\))", getattr(self.saver, statement))
        assert row.count("%s") == columns

    def test_rows_are_made_by_two_methods(self) -> None:
        blobs = inspect.signature(self.saver._dump_blobs).parameters
        assert " ".join(blobs) == "self thread_id checkpoint_ns values versions"
        writes = " ".join(inspect.signature(self.saver._dump_writes).parameters)
        assert writes == "self thread_id checkpoint_ns checkpoint_id task_id task_path writes"

    def test_names_of_channels_are_cast_to_bytes(self) -> None:
        assert "bl.channel::bytea" in self.saver.SELECT_SQL
        assert "cw.channel::bytea" in self.saver.SELECT_SQL

    def test_the_migrations_are_counted_in_a_table(self) -> None:
        text = " ".join(self.saver.MIGRATIONS)
        for table in ("checkpoint_migrations", "checkpoint_blobs", "checkpoint_writes"):
            assert f"CREATE TABLE IF NOT EXISTS {table}" in text
