"""Graphs: the answers agree with plain search, and size costs neither stack nor minutes."""

from __future__ import annotations

import pytest
from flowc.compiler.analysis.graphs import (
    Dominance,
    components,
    dominators,
    leaves,
    loops,
    path_to,
    predecessors,
    reachable,
    returns,
    successors,
)
from flowc.compiler.ir import Edge
from hypothesis import given, settings
from hypothesis import strategies as st

TABLES = st.integers(1, 9).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n)
).map(lambda rows: {node: tuple(targets) for node, targets in enumerate(rows)})  # fmt: skip
LONG = 100_000


def leads(after, start, goal):
    return goal in reachable([start], after)


def test_successors_keep_order_and_drop_what_is_no_node():
    edges = [Edge(source="a", target=t) for t in ("c", "b", "c", "gone")]
    assert successors("abc", edges) == {"a": ("c", "b"), "b": (), "c": ()}


def test_predecessors_turn_the_table_round():
    assert predecessors({"a": ("b", "c"), "b": ("c",)}) == {"a": [], "b": ["a"], "c": ["a", "b"]}


def test_a_shortest_path_can_be_read_off():
    after = {"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ("e",), "e": ()}
    assert path_to("e", reachable(["a"], after)) == ("a", "b", "d", "e")


def test_avoided_nodes_are_reached_and_not_passed():
    after = {"a": ("b",), "b": ("c",), "c": ()}
    assert list(reachable(["a"], after, avoid=lambda node: node == "b")) == ["a", "b"]


@settings(max_examples=300, deadline=None)
@given(after=TABLES)
def test_components_are_the_sets_of_nodes_that_lead_to_each_other(after):
    found = components(after)
    assert sorted(node for members in found for node in members) == sorted(after)
    of = {node: n for n, members in enumerate(found) for node in members}
    for a in after:
        for b in after:
            assert (of[a] == of[b]) == (leads(after, a, b) and leads(after, b, a))
            if leads(after, a, b):
                assert of[b] <= of[a]


@settings(max_examples=300, deadline=None)
@given(after=TABLES)
def test_a_dominator_is_a_node_that_no_path_goes_round(after):
    holds = Dominance(0, dominators(0, after)).holds
    there = reachable([0], after)
    for above in after:
        around = reachable([0], after, avoid=lambda node, above=above: node == above)
        for below in after:
            expected = above in there and below in there and (below == above or below not in around)
            assert holds(above, below) == expected


def test_a_loop_is_left_by_an_edge_to_a_node_outside():
    after = {"a": ("b",), "b": ("a", "c"), "c": ("c",)}
    assert [set(members) for members in loops(after)] == [{"c"}, {"a", "b"}]
    assert leaves(("a", "b"), after)
    assert not leaves(("c",), after)


@pytest.mark.timeout(120)
def test_a_hundred_thousand_nodes_that_all_may_fail_into_one_end():
    """The shape of a long workflow: each step leads to the next one and to the failing end."""
    after = {n: (n + 1, LONG) for n in range(LONG - 1)}
    after |= {LONG - 1: (0, LONG), LONG: ()}
    immediate = dominators(0, after)
    holds = Dominance(0, immediate).holds
    assert immediate[LONG] == 0
    assert holds(5, LONG - 1)
    assert not holds(5, LONG)
    assert [len(members) for members in components(after)] == [1, LONG]
    assert len(path_to(LONG - 1, reachable([0], after))) == LONG


def test_what_leads_back_is_what_a_reader_takes_for_it():
    """A restart of two branches: neither branch leads back, the restart does, to both."""
    after = {"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ("b", "c", "e"), "e": ("e",)}
    assert returns(["a"], after) == {("d", "b"), ("d", "c"), ("e", "e")}


def test_the_way_back_may_begin_with_a_step_aside():
    """`b` stands as near to the start as `c`, and leads on to it: what leads to `b` leads back."""
    after = {"a": ("c", "b"), "b": ("c",), "c": ("d",), "d": ("b",)}
    assert returns(["a"], after) == {("d", "b")}


def test_a_short_cut_leads_on():
    after = {"a": ("b", "d"), "b": ("c",), "c": ("d",), "d": ("a",)}
    assert returns(["a"], after) == {("d", "a")}


@given(after=TABLES)
@settings(deadline=None)
def test_without_what_leads_back_there_is_no_loop(after):
    back = returns([next(iter(after))], after)
    rest = {node: tuple(t for t in after[node] if (node, t) not in back) for node in after}
    assert loops(rest) == []


@settings(max_examples=300, deadline=None)
@given(after=TABLES)
def test_one_of_some_nodes_is_above_another(after):
    tree = Dominance(0, dominators(0, after))
    for some in ([1, 3], [0], [*after], []):
        is_below = tree.any_above(some)
        for node in (*after, 99):
            above = [other for other in some if other != node and tree.holds(other, node)]
            assert is_below(node) == bool(above)
