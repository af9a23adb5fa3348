"""Which nodes only one way from a fork leads to, held against a search that follows each to its
end."""

from __future__ import annotations

from collections import Counter

import pytest
from flowc.compiler.analysis.forks import Branches
from flowc.compiler.analysis.graphs import reachable
from hypothesis import given
from hypothesis import strategies as st

NODES = "abcdefgh"
GRAPHS = st.fixed_dictionaries(
    {node: st.lists(st.sampled_from(NODES), max_size=3, unique=True) for node in NODES}
)


def each_to_its_end(after, fork: str) -> dict[str, int]:
    ways = [reachable([target], after, avoid=fork.__eq__) for target in after[fork]]
    times = Counter(node for way in ways for node in way)
    return {node: at for at, way in enumerate(ways) for node in way if times[node] == 1}


@given(GRAPHS, st.sampled_from(NODES))
def test_of_any_graph_it_is_what_a_full_search_finds(after, fork):
    assert Branches(after).of(fork, after[fork]) == each_to_its_end(after, fork)


@given(GRAPHS, st.sampled_from(NODES))
def test_of_a_graph_without_loops_it_is_too(after, fork):
    onward = {node: [t for t in targets if t > node] for node, targets in after.items()}
    assert Branches(onward).of(fork, onward[fork]) == each_to_its_end(onward, fork)


@pytest.mark.parametrize(
    ("edges", "found"),
    [
        ("fa fb ac bc cd", {"a": 0, "b": 1}),
        ("fa fb ac bc cd db", {"a": 0}),
        ("fa fb ac bd", {"a": 0, "c": 0, "b": 1, "d": 1}),
        ("fa fb af bc cf", {"a": 0, "b": 1, "c": 1}),
        ("fa fb af bc", {"a": 0, "f": 0, "b": 1, "c": 1}),
        ("fa fb ga ac bc cg", {"b": 1}),
    ],
)
def test_where_branches_meet_they_end(edges, found):
    after: dict[str, list[str]] = {node: [] for node in "abcdfg"}
    for source, target in edges.split():
        after[source].append(target)
    assert Branches(after).of("f", after["f"]) == found


def test_layers_of_forks_are_followed_to_the_next():
    after = {f"{a}.{b}": [f"{a + 1}.{c}" for c in range(10)] for a in range(60) for b in range(10)}
    branches = Branches(after | {f"60.{b}": [] for b in range(10)})
    for fork, targets in after.items():
        assert branches.of(fork, targets) == {target: at for at, target in enumerate(targets)}
    assert branches.steps <= 100 * len(after)


def test_a_row_of_forks_is_followed_once():
    after: dict[str, list[str]] = {}
    for n in range(1000):
        after |= {f"f{n}": [f"a{n}", f"b{n}"], f"a{n}": [f"f{n + 1}"], f"b{n}": [f"f{n + 1}"]}
    branches = Branches(after | {"f1000": ["f0"]})
    for n in range(1000):
        assert branches.of(f"f{n}", after[f"f{n}"]) == {f"a{n}": 0, f"b{n}": 1}
    assert branches.steps <= 12_000
